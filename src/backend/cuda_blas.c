#include "backend/cublas_api.h"
#include "backend/cuda_library.h"
#include "base/arena.h"
#include "base/dl.h"

/* What the documentation of cuBLAS advises for compute capability 9.0. */
enum { WORKSPACE_BYTES = 32 << 20 };

struct cuda_blas {
	struct cublas_api api;
	blas_handle h;
	struct cuda_area workspace;
};

static bool
failed(struct session *s, const char *what, int e)
{
	const char *text = s->blas->api.text ? s->blas->api.text(e) : NULL;
	return cuda_refuse(s, RESULT_TROUBLE,
		str_fmt(s->call.a, "cuBLAS, %s: %s (%d)", what, text ? text : "failed",
			e));
}

static struct cuda_blas *
library_open(struct session *s)
{
	static const char *const names[] = {
		"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL};
	struct cuda_blas *b = arena_new(s->a, struct cuda_blas);
	const struct dl_symbol table[] = {
#define X(field, symbol, optional, result, parameters) {#symbol, &b->api.field, optional},
		CUBLAS_API(X)
#undef X
	};
	struct dl lib = dl_open(s->call.a, names, table, sizeof table / sizeof *table);
	if (lib.handle)
		return b;
	cuda_refuse(s, RESULT_TROUBLE,
		str_fmt(s->call.a,
			"no cuBLAS: %s (put the toolkit's lib64 on LD_LIBRARY_PATH)",
			lib.why));
	return NULL;
}

/* Memory of ours to work in, so that a call allocates none and can be captured. */
static bool
handle_make(struct session *s, struct cuda_blas *b)
{
	int e = b->api.create(&b->h);
	s->blas = b;
	if (e == BLAS_OK)
		e = b->api.stream(b->h, s->stream);
	if (e != BLAS_OK) {
		failed(s, "opening it", e);
		s->blas = NULL;
		return false;
	}
	if (b->api.workspace &&
		cuda_area_make(s, WORKSPACE_BYTES, &b->workspace) == CU_OK)
		(void)b->api.workspace(b->h, (void *)(uintptr_t)b->workspace.at,
			(size_t)b->workspace.bytes);
	return true;
}

bool
cuda_blas_open(struct session *s)
{
	if (s->blas)
		return true;
	struct cuda_blas *b = library_open(s);
	return b && handle_make(s, b);
}

bool
cuda_blas_gemm(struct session *s, const struct product *g, const cu_pointer *at)
{
	const struct cuda_blas *b = s->blas;
	const void *pa = (const void *)(uintptr_t)at[g->a];
	const void *pb = (const void *)(uintptr_t)at[g->b];
	void *pc = (void *)(uintptr_t)at[g->c];
	int ta = g->ta ? BLAS_TRANSPOSED : BLAS_PLAIN, lda = g->ta ? g->m : g->k;
	int tb = g->tb ? BLAS_TRANSPOSED : BLAS_PLAIN, ldb = g->tb ? g->k : g->n;
	int type = g->type == DTYPE_F16 ? BLAS_F16 : BLAS_BF16;
	bool strict = g->type == DTYPE_F32 || g->type == DTYPE_F64;
	int e = b->api.math(b->h, strict ? BLAS_PEDANTIC : BLAS_FULL_SUMS);
	float alpha = (float)g->alpha, beta = (float)g->beta;
	if (e != BLAS_OK)
		return failed(s, "setting its precision", e);
	if (g->type == DTYPE_F64)
		e = b->api.dgemm(b->h, tb, ta, g->n, g->m, g->k, &g->alpha, pb, ldb, pa,
			lda, &g->beta, pc, g->n);
	else if (g->type == DTYPE_F32)
		e = b->api.sgemm(b->h, tb, ta, g->n, g->m, g->k, &alpha, pb, ldb, pa, lda,
			&beta, pc, g->n);
	else
		e = b->api.gemm_ex(b->h, tb, ta, g->n, g->m, g->k, &alpha, pb, type, ldb,
			pa, type, lda, &beta, pc, type, g->n, BLAS_COMPUTE_F32,
			BLAS_ALGORITHM);
	return e == BLAS_OK || failed(s, "a matrix product", e);
}
