#include "base/arena.h"
#include "model/candidate.h"
#include "model/library.h"

static bool
gemm_size(struct arena *a, const struct scope *s, const char *what, const struct expr *e,
	int64_t *out, struct diag *d)
{
	uint64_t v = 0;
	if (!candidate_whole(a, s, what, e, 1, &v, d))
		return false;
	*out = (int64_t)v;
	if (v <= INT32_MAX)
		return true;
	diag_error(d, expr_place(e), "%s '%.*s' is more than a BLAS counts", what,
		STR_ARG(expr_text(e)));
	return false;
}

bool
candidate_library(
	struct arena *a, const struct scope *s, struct str *text, struct diag *d)
{
	const struct reference_spec *f = &s->k->reference;
	struct library v = {0};
	*text = (struct str){0};
	if (!f->present)
		return true;
	if (!f->gemm) {
		v.path = f->library.s;
		v.symbol = f->function.s;
		*text = library_text(a, &v);
		return true;
	}
	v.blas = f->library.s;
	v.gemm = (struct library_gemm){.a = f->a.s,
		.b = f->b.s,
		.c = f->c.s,
		.ta = f->ta,
		.tb = f->tb,
		.alpha = f->alpha,
		.beta = f->beta};
	if (!gemm_size(a, s, "gemm.m", f->m, &v.gemm.m, d) ||
		!gemm_size(a, s, "gemm.n", f->n, &v.gemm.n, d) ||
		!gemm_size(a, s, "gemm.k", f->k, &v.gemm.k, d))
		return false;
	*text = library_text(a, &v);
	return true;
}
