/*
 * What an applied choice is checked against: a hash of all that the spec says of a kernel
 * and that a choice depends on.  Of a graph with all candidates that is what its points
 * are; a search has not seen them all and may not depend on how far it is, so there it is
 * the text of the spec.
 */
#include "base/buf.h"
#include "base/hash.h"
#include "graph/plan.h"

#include <inttypes.h>

static void
add_expr(struct buf *b, const struct expr *e)
{
	buf_addc(b, ' ');
	if (e)
		buf_addstr(b, expr_text(e));
}

static void
add_values(struct buf *b, const struct value *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(b, " %.*s", STR_ARG(value_text(b->a, v[i])));
	buf_addc(b, '\n');
}

static void
add_args(struct buf *b, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_args; i++) {
		const struct arg_spec *v = &k->args[i];
		buf_addf(b, "arg %.*s %d %d%d%d %d %.*s %" PRId64 " %" PRId64,
			STR_ARG(v->name), (int)v->type, v->pointer, v->input, v->output,
			(int)v->fill, STR_ARG(v->file.s), v->from, v->to);
		add_expr(b, v->count);
		add_expr(b, v->value);
		buf_addc(b, '\n');
	}
}

static void
add_spec(struct buf *b, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];
		buf_addf(b, "param %.*s %d %.*s", STR_ARG(p->name), (int)p->role,
			STR_ARG(p->source.s));
		add_values(b, p->values, p->n_values);
	}
	for (size_t i = 0; i < k->n_sizes; i++) {
		const struct size *s = &k->sizes[i];
		buf_addf(b, "size %.*s", STR_ARG(s->name));
		for (size_t j = 0; j < s->n; j++)
			buf_addf(b, " %.*s", STR_ARG(s->keys[j]));
		add_values(b, s->values, s->n);
	}
	buf_adds(b, "constraints");
	for (size_t i = 0; i < k->n_constraints; i++)
		add_expr(b, k->constraints[i]);
	buf_adds(b, "\nlaunch");
	for (size_t i = 0; i < 3; i++) {
		add_expr(b, k->block[i]);
		add_expr(b, k->grid[i]);
		add_expr(b, k->cluster[i]);
	}
	add_expr(b, k->shared);
	buf_addf(b, " %d %d\n", k->cooperative, k->programmatic);
	add_args(b, k);
}

static void
add_points(struct buf *b, const struct plan_kernel *pk)
{
	for (size_t i = 0; i < pk->n_points; i++) {
		const struct plan_point *pt = &pk->points[i];
		buf_addf(b, "%.*s %.*s %.*s %.*s\n", STR_ARG(pt->name),
			STR_ARG(pk->specializations[pt->specialization].defines),
			STR_ARG(pt->launch), STR_ARG(pt->inputs));
	}
}

const char *
plan_kernel_hash(struct arena *a, const struct plan_kernel *pk)
{
	struct buf b = {.a = a};
	const struct kernel *k = pk->k;
	buf_addf(&b, "entry %.*s\nexit %d site %d admit %d\n", STR_ARG(k->entry.s),
		k->exit_release, k->site_lenient, (int)k->admit);
	if (k->n_constants)
		buf_addf(&b, "constants %.*s\n",
			STR_ARG(constants_text(a, k->constants, k->n_constants)));
	for (size_t i = 0; i < k->n_flags; i++)
		buf_addf(&b, "flag %.*s\n", STR_ARG(k->flags[i].s));
	if (pk->searches)
		add_spec(&b, k);
	else
		add_points(&b, pk);
	return hash_short(a, buf_str(&b), 16);
}
