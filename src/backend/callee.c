#include "backend/callee.h"

#include "base/arena.h"

/* The position of a buffer that holds rows * columns elements. */
static bool
matrix_find(struct arena *a, const struct bench_request *q, struct str name, int64_t rows,
	int64_t columns, size_t *at, struct str *why)
{
	for (*at = 0; *at < q->n_args; (*at)++) {
		const struct arg *v = &q->args[*at];
		if (!v->pointer || !str_eq(v->name, name))
			continue;
		if (v->count >= (uint64_t)rows * (uint64_t)columns)
			return true;
		*why = str_fmt(a,
			"the reference's matrix '%.*s' has %lld x %lld elements, the "
			"argument %llu",
			STR_ARG(name), (long long)rows, (long long)columns,
			(unsigned long long)v->count);
		return false;
	}
	*why = str_fmt(a, "the reference names '%.*s', which is no buffer of the kernel",
		STR_ARG(name));
	return false;
}

bool
product_find(struct arena *a, const struct bench_request *q, const struct library_gemm *m,
	struct product *out, struct str *why)
{
	*out = (struct product){.m = (int)m->m,
		.n = (int)m->n,
		.k = (int)m->k,
		.ta = m->ta,
		.tb = m->tb,
		.alpha = m->alpha,
		.beta = m->beta};
	if (!matrix_find(a, q, m->a, m->m, m->k, &out->a, why) ||
		!matrix_find(a, q, m->b, m->k, m->n, &out->b, why) ||
		!matrix_find(a, q, m->c, m->m, m->n, &out->c, why))
		return false;
	out->type = q->args[out->c].type;
	if (q->args[out->a].type == out->type && q->args[out->b].type == out->type)
		return true;
	*why = STR_LIT("the reference's matrices are of different types");
	return false;
}

struct lanewise_arg *
callee_args(struct arena *a, const struct bench_request *q, uint64_t *bits)
{
	struct lanewise_arg *v = arena_news(a, q->n_args + 1, struct lanewise_arg);

	for (size_t i = 0; i < q->n_args; i++) {
		const struct arg *arg = &q->args[i];
		bits[i] = arg->bits;
		v[i] = (struct lanewise_arg){str_c(a, arg->name), dtype_name(arg->type),
			arg->pointer ? (size_t)arg->count : 1, &bits[i], arg->output};
	}
	return v;
}
