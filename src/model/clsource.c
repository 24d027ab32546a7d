#include "model/clsource.h"

#include "base/arena.h"

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
