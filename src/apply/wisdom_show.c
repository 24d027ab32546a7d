#include "apply/wisdom_show.h"

#include "base/arena.h"
#include "base/shown.h"

#include <math.h>

static void
add_heading(struct buf *b, const struct wisdom_entry *e)
{
	struct arena *a = b->a;

	buf_addf(b, "%.*s on %s", STR_ARG(e->kernel), shown_c(a, e->device));
	if (e->cc)
		buf_addf(b, ", compute capability %.*s",
			STR_ARG(wisdom_cc_text(a, e->cc)));
	if (e->driver.n)
		buf_addf(b, ", driver %s", shown_c(a, e->driver));
	buf_addf(b, "\n  spec %s, %s, %s\n", shown_c(a, e->spec),
		shown_c(a, e->toolchain), shown_c(a, e->assembler));
	json_each(s, e->sources)
	{
		buf_addf(
			b, "  source %s %s\n", shown_c(a, s->key), shown_c(a, s->string));
	}
}

static bool
same_heading(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	return str_eq(x->kernel, y->kernel) && str_eq(x->device, y->device) &&
	       x->cc == y->cc && str_eq(x->driver, y->driver) &&
	       str_eq(x->spec, y->spec) && str_eq(x->toolchain, y->toolchain) &&
	       str_eq(x->assembler, y->assembler);
}

struct str
wisdom_table(struct arena *a, const struct wisdom *w)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < w->n; i++) {
		const struct wisdom_entry *e = &w->v[i];
		bool run = result_is_measured(e->kind);
		if (!i || !same_heading(e, e - 1))
			add_heading(&b, e);
		buf_addf(
			&b, "    %-12.*s %-32s ", STR_ARG(e->size), shown_c(a, e->label));
		if (isnan(e->median_ns))
			buf_adds(&b, "no time");
		else
			buf_addf(&b, "%s%.0f ns", run ? "" : "~", e->median_ns);
		buf_addf(&b, "%s  %s  %.*s\n", result_kind_shout(e->kind),
			run ? rank_claim_name(e->claim) : "never run", STR_ARG(e->date));
	}
	if (!w->n)
		buf_adds(&b, "nothing\n");
	return buf_str(&b);
}
