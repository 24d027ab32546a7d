#include "model/kernel_text.h"

#include "base/buf.h"
#include "base/hash.h"

static void
add(struct buf *b, const char *what, struct str s)
{
	buf_addf(b, "%s %.*s\n", what, STR_ARG(s));
}

static void
add_exprs(struct buf *b, const char *what, const struct expr *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i])
			add(b, what, str_trim(expr_text(v[i])));
}

static void
add_names(struct buf *b, const char *what, const struct name *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(b, what, v[i].s);
}

static void
add_params(struct buf *b, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];
		buf_addf(b, "param %.*s %d %.*s:", STR_ARG(p->name), (int)p->role,
			STR_ARG(p->source.s));
		for (size_t v = 0; v < p->n_values; v++)
			buf_addf(b, " %.*s", STR_ARG(value_text(b->a, p->values[v])));
		buf_addc(b, '\n');
	}
}

static void
add_sizes(struct buf *b, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_sizes; i++) {
		const struct size *s = &k->sizes[i];
		buf_addf(b, "size %.*s:", STR_ARG(s->name));
		for (size_t v = 0; v < s->n; v++)
			buf_addf(b, " %.*s=%.*s", STR_ARG(s->keys[v]),
				STR_ARG(value_text(b->a, s->values[v])));
		buf_addc(b, '\n');
	}
}

static void
add_args(struct buf *b, const struct kernel *k)
{
	for (size_t i = 0; i < k->n_args; i++) {
		const struct arg_spec *v = &k->args[i];
		buf_addf(b, "arg %.*s %d %d%d%d %d %.*s %lld %lld\n", STR_ARG(v->name),
			(int)v->type, v->pointer, v->input, v->output, (int)v->fill,
			STR_ARG(v->file.s), (long long)v->from, (long long)v->to);
		add_exprs(b, "count", &v->count, 1);
		add_exprs(b, "value", &v->value, 1);
	}
}

struct str
kernel_text(struct arena *a, const struct kernel *k)
{
	struct buf b = {.a = a};

	add(&b, "source", k->source.s);
	add(&b, "language", k->language.s);
	add(&b, "toolchain", k->toolchain.s);
	add(&b, "entry", k->entry.s);
	add(&b, "command", k->command.s);
	add_names(&b, "include", k->includes, k->n_includes);
	add_names(&b, "flag", k->flags, k->n_flags);
	add_params(&b, k);
	add_exprs(&b, "constraint", k->constraints, k->n_constraints);
	add_exprs(&b, "block", k->block, 3);
	add_exprs(&b, "grid", k->grid, 3);
	add_exprs(&b, "cluster", k->cluster, 3);
	add_exprs(&b, "shared", &k->shared, 1);
	add_sizes(&b, k);
	add_args(&b, k);
	if (k->n_constants)
		add(&b, "constants", constants_text(a, k->constants, k->n_constants));
	buf_addf(&b, "cooperative %d programmatic %d exit %d site %d admit %d warm %d\n",
		k->cooperative, k->programmatic, k->exit_release, k->site_lenient,
		(int)k->admit, k->measure.warm);
	add(&b, "objective", k->objective.s);
	return buf_str(&b);
}

struct str
kernel_text_hash(struct arena *a, const struct kernel *k)
{
	return str_of(hash_short(a, kernel_text(a, k), 16));
}
