#include "model/clsource.h"

#include "base/arena.h"

#include <ctype.h>

static const char HEAD[] = "// lanewise/opencl.v1", MARK[] = "//|";

void
clsource_append(struct buf *ptx, const struct clsource *s)
{
	struct str rest = s->text, line;

	buf_addf(ptx, "%s %.*s\n", HEAD, STR_ARG(s->options));
	while (str_line(&rest, &line))
		buf_addf(ptx, "%s%.*s\n", MARK, STR_ARG(line));
}

bool
clsource_find(struct arena *a, struct str ptx, struct clsource *out)
{
	struct buf b = {.a = a};
	struct str line;
	bool found = false;

	*out = (struct clsource){0};
	while (str_line(&ptx, &line)) {
		if (str_starts(line, HEAD)) {
			found = true;
			out->options = str_trim(str_sub(line, strlen(HEAD), line.n));
			b.n = 0;
		} else if (found && str_starts(line, MARK)) {
			buf_addstr(&b, str_sub(line, strlen(MARK), line.n));
			buf_addc(&b, '\n');
		}
	}
	out->text = buf_str(&b);
	return found;
}

/* Length of the literal or of the marker's line that s starts with, or 0. */
static size_t
opaque_length(struct str s)
{
	char end = s.s[0] == '#' ? '\n' : s.s[0];
	size_t n = 1;

	if (end != '\n' && end != '"' && end != '\'')
		return 0;
	while (n < s.n && s.s[n] != end)
		n += end != '\n' && s.s[n] == '\\' ? 2 : 1;
	return n < s.n ? n + 1 : s.n;
}

static bool
is_subgroup_function(struct str name)
{
	return str_starts(name, "sub_group_") || str_starts(name, "get_sub_group_") ||
	       str_starts(name, "intel_sub_group_") ||
	       str_is(name, "get_max_sub_group_size") ||
	       str_is(name, "get_num_sub_groups") ||
	       str_is(name, "get_enqueued_num_sub_groups");
}

/* "(" after a name; ")(" when the name itself is in parentheses. */
static bool
begins_call(struct str rest)
{
	size_t i = 0;

	while (i < rest.n && (isspace((unsigned char)rest.s[i]) || rest.s[i] == ')'))
		i++;
	return i < rest.n && rest.s[i] == '(';
}

bool
clsource_calls_subgroups(struct str text)
{
	while (text.n) {
		size_t name = str_identifier_length(text), n = opaque_length(text);
		struct str rest = str_sub(text, name ? name : n ? n : 1, text.n);

		if (is_subgroup_function(str_sub(text, 0, name)) && begins_call(rest))
			return true;
		text = rest;
	}
	return false;
}
