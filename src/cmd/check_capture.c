#include "cmd/check_capture.h"

#include "base/arena.h"

void
capture_begin(struct capture *c)
{
	memset(c, 0, sizeof *c);
	c->d.limit = 1;
	/* What does not fit is cut; the last byte stays the NUL that it is. */
	c->d.to = fmemopen(c->text, sizeof c->text - 1, "w");
	if (!c->d.to)
		die("out of memory");
}

struct str
capture_end(struct arena *a, struct capture *c)
{
	struct str s;

	fclose(c->d.to);
	s = str_of(c->text);
	return str_dup(a, str_sub(s, 0, str_find(s, '\n')));
}
