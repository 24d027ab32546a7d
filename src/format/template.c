#include "format/template.h"

#include "base/buf.h"
#include "base/die.h"

#include <ctype.h>

/* Length of a @name@ that s starts with, or 0: a lone '@' is text. */
static size_t
mark_length(struct str s)
{
	size_t n = 1;
	while (n < s.n && (isalnum((unsigned char)s.s[n]) || s.s[n] == '_'))
		n++;
	return n > 1 && n < s.n && s.s[n] == '@' ? n + 1 : 0;
}

static struct str
value_of(struct str name, const struct template_var *vars, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(name, vars[i].name))
			return vars[i].value;
	BUG("a template names '%.*s', which is not given", STR_ARG(name));
}

struct str
template_fill(struct arena *a, struct str text, const struct template_var *vars, size_t n)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < text.n;) {
		struct str rest = str_sub(text, i, text.n);
		size_t length = rest.s[0] == '@' ? mark_length(rest) : 0;
		if (!length) {
			buf_addc(&b, rest.s[0]);
			i++;
			continue;
		}
		buf_addstr(&b, value_of(str_sub(rest, 1, length - 1), vars, n));
		i += length;
	}
	return buf_str(&b);
}
