#include "toolchain/argv.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdarg.h>

void
argv_add(struct argv *w, const char *word)
{
	arena_grow(w->a, w->v, w->n, w->cap);
	w->v[w->n++] = word;
	arena_grow(w->a, w->v, w->n, w->cap);
	w->v[w->n] = NULL;
}

void
argv_addf(struct argv *w, const char *fmt, ...)
{
	struct buf b = {.a = w->a};
	va_list ap;
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	argv_add(w, buf_c(&b));
}

void
argv_add_each(struct argv *w, const char *prefix, const char *const *list)
{
	for (; list && *list; list++)
		argv_addf(w, "%s%s", prefix, *list);
}

bool
argv_has(const char *const *list, const char *prefix)
{
	for (; list && *list; list++)
		if (str_starts(str_of(*list), prefix))
			return true;
	return false;
}
