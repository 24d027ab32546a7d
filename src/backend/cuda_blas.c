#include "backend/cuda_library.h"
#include "base/arena.h"
#include "base/dl.h"

/* cublas_api.h and library_types.h of CUDA 13.0; enums are passed as int.  The names have
 * been the same since cuBLAS 11. tests/unit/test_cublas_api.c holds them against it. */
enum {
	BLAS_OK = 0,
	BLAS_PLAIN = 0,      /* CUBLAS_OP_N */
	BLAS_TRANSPOSED = 1, /* CUBLAS_OP_T */
	BLAS_PEDANTIC = 2,
	BLAS_FULL_SUMS = 16, /* CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION */
	BLAS_F16 = 2,
	BLAS_BF16 = 14,
	BLAS_COMPUTE_F32 = 68,
	BLAS_ALGORITHM = -1,       /* CUBLAS_GEMM_DEFAULT */
	BLAS_WORKSPACE = 32 << 20, /* what its documentation advises for compute 9.0 */
};

typedef struct blas_handle *handle;

struct cuda_blas {
	handle h;
	struct cuda_area workspace;
	const char *path;
	int (*create)(handle *h);
	int (*stream)(handle h, cu_stream s);
	int (*math)(handle h, int mode);
	int (*space)(handle h, void *at, size_t bytes);
	const char *(*text)(int status);
	int (*sgemm)(handle h, int ta, int tb, int m, int n, int k, const float *alpha,
		const void *a, int lda, const void *b, int ldb, const float *beta,
		void *c, int ldc);
	int (*dgemm)(handle h, int ta, int tb, int m, int n, int k, const double *alpha,
		const void *a, int lda, const void *b, int ldb, const double *beta,
		void *c, int ldc);
	int (*gemm_ex)(handle h, int ta, int tb, int m, int n, int k, const void *alpha,
		const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
		const void *beta, void *c, int c_type, int ldc, int compute,
		int algorithm);
};

static bool
failed(struct session *s, const char *what, int e)
{
	const char *text = s->blas->text ? s->blas->text(e) : NULL;
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
		{"cublasCreate_v2", &b->create, false},
		{"cublasSetStream_v2", &b->stream, false},
		{"cublasSetMathMode", &b->math, false},
		{"cublasSetWorkspace_v2", &b->space, true},
		{"cublasGetStatusString", &b->text, true},
		{"cublasSgemm_v2", &b->sgemm, false},
		{"cublasDgemm_v2", &b->dgemm, false},
		{"cublasGemmEx", &b->gemm_ex, false},
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
	int e = b->create(&b->h);
	s->blas = b;
	if (e == BLAS_OK)
		e = b->stream(b->h, s->stream);
	if (e != BLAS_OK) {
		failed(s, "opening it", e);
		s->blas = NULL;
		return false;
	}
	if (b->space && cuda_area_make(s, BLAS_WORKSPACE, &b->workspace) == CU_OK)
		(void)b->space(b->h, (void *)(uintptr_t)b->workspace.at,
			(size_t)b->workspace.bytes);
	return true;
}

bool
cuda_blas_open(struct session *s, const struct cuda_gemm *g)
{
	bool strict = g->type == DTYPE_F32 || g->type == DTYPE_F64;
	if (!s->blas) {
		struct cuda_blas *b = library_open(s);
		if (!b || !handle_make(s, b))
			return false;
	}
	int e = s->blas->math(s->blas->h, strict ? BLAS_PEDANTIC : BLAS_FULL_SUMS);
	return e == BLAS_OK || failed(s, "setting its precision", e);
}

bool
cuda_blas_gemm(struct session *s, const struct cuda_gemm *g, const cu_pointer *at)
{
	const struct cuda_blas *b = s->blas;
	const void *pa = (const void *)(uintptr_t)at[g->a];
	const void *pb = (const void *)(uintptr_t)at[g->b];
	void *pc = (void *)(uintptr_t)at[g->c];
	int ta = g->ta ? BLAS_TRANSPOSED : BLAS_PLAIN, lda = g->ta ? g->m : g->k;
	int tb = g->tb ? BLAS_TRANSPOSED : BLAS_PLAIN, ldb = g->tb ? g->k : g->n;
	int type = g->type == DTYPE_F16 ? BLAS_F16 : BLAS_BF16, e;
	float alpha = (float)g->alpha, beta = (float)g->beta;
	if (g->type == DTYPE_F64)
		e = b->dgemm(b->h, tb, ta, g->n, g->m, g->k, &g->alpha, pb, ldb, pa, lda,
			&g->beta, pc, g->n);
	else if (g->type == DTYPE_F32)
		e = b->sgemm(b->h, tb, ta, g->n, g->m, g->k, &alpha, pb, ldb, pa, lda,
			&beta, pc, g->n);
	else
		e = b->gemm_ex(b->h, tb, ta, g->n, g->m, g->k, &alpha, pb, type, ldb, pa,
			type, lda, &beta, pc, type, g->n, BLAS_COMPUTE_F32,
			BLAS_ALGORITHM);
	return e == BLAS_OK || failed(s, "a matrix product", e);
}
