/* cuBLAS, as far as backend/cuda_blas.c asks it: products of small f32 and f64 matrices,
 * in columns, on the fake's device. */
#include "fake/fake.h"

struct blas_handle {
	struct cu_stream *stream;
	int math;
	void *space;
};

struct product {
	int ta, tb, m, n, k, lda, ldb, ldc;
	size_t bytes; /* of an element */
	double alpha, beta;
	const char *a, *b;
	char *c;
};

typedef struct blas_handle *handle;
FAKE_EXPORT int cublasCreate_v2(handle *h);
FAKE_EXPORT int cublasSetStream_v2(handle h, struct cu_stream *s);
FAKE_EXPORT int cublasSetMathMode(handle h, int mode);
FAKE_EXPORT int cublasSetWorkspace_v2(handle h, void *at, size_t bytes);
FAKE_EXPORT const char *cublasGetStatusString(int status);
FAKE_EXPORT int cublasSgemm_v2(handle h, int ta, int tb, int m, int n, int k,
	const float *alpha, const void *a, int lda, const void *b, int ldb,
	const float *beta, void *c, int ldc);
FAKE_EXPORT int cublasDgemm_v2(handle h, int ta, int tb, int m, int n, int k,
	const double *alpha, const void *a, int lda, const void *b, int ldb,
	const double *beta, void *c, int ldc);
FAKE_EXPORT int cublasGemmEx(handle h, int ta, int tb, int m, int n, int k,
	const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type,
	int ldb, const void *beta, void *c, int c_type, int ldc, int compute,
	int algorithm);

enum { OK = 0, INVALID = 7, UNSUPPORTED = 15 };

int
cublasCreate_v2(handle *h)
{
	static struct blas_handle one;
	one = (struct blas_handle){0};
	*h = &one;
	return OK;
}

int
cublasSetStream_v2(handle h, struct cu_stream *s)
{
	h->stream = s;
	return OK;
}

int
cublasSetMathMode(handle h, int mode)
{
	h->math = mode;
	return OK;
}

int
cublasSetWorkspace_v2(handle h, void *at, size_t bytes)
{
	h->space = at;
	return bytes ? OK : INVALID;
}

const char *
cublasGetStatusString(int status)
{
	return status == INVALID ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_OTHER";
}

static double
get(const struct product *p, const char *x, int ld, int row, int column)
{
	const char *at = x + ((size_t)column * (size_t)ld + (size_t)row) * p->bytes;
	float f;
	double d;
	memcpy(&f, at, sizeof f);
	if (p->bytes == sizeof d)
		memcpy(&d, at, sizeof d);
	return p->bytes == sizeof d ? d : (double)f;
}

static void
multiply(const void *arg)
{
	struct product p;
	memcpy(&p, arg, sizeof p);
	for (int i = 0; i < p.m * p.n; i++) {
		int row = i % p.m, column = i / p.m;
		double s = p.beta == 0 ? 0 : p.beta * get(&p, p.c, p.ldc, row, column);
		for (int j = 0; j < p.k; j++)
			s += p.alpha *
			     get(&p, p.a, p.lda, p.ta ? j : row, p.ta ? row : j) *
			     get(&p, p.b, p.ldb, p.tb ? column : j, p.tb ? j : column);
		float f = (float)s;
		char *at = p.c + ((size_t)column * (size_t)p.ldc + (size_t)row) * p.bytes;
		memcpy(at, p.bytes == sizeof s ? (void *)&s : (void *)&f, p.bytes);
	}
}

static int
submit(handle h, const struct product *p)
{
	/* Nothing but full precision is asked for. */
	bool fits = p->lda >= (p->ta ? p->k : p->m) && p->ldb >= (p->tb ? p->n : p->k) &&
		    p->ldc >= p->m;
	if (h->math != 2 || !h->stream || !fits)
		return INVALID;
	return fake_submit(h->stream, multiply, p, sizeof *p, 7000);
}

int
cublasSgemm_v2(handle h, int ta, int tb, int m, int n, int k, const float *alpha,
	const void *a, int lda, const void *b, int ldb, const float *beta, void *c,
	int ldc)
{
	return submit(h, &(struct product){ta, tb, m, n, k, lda, ldb, ldc, sizeof(float),
				 (double)*alpha, (double)*beta, a, b, c});
}

int
cublasDgemm_v2(handle h, int ta, int tb, int m, int n, int k, const double *alpha,
	const void *a, int lda, const void *b, int ldb, const double *beta, void *c,
	int ldc)
{
	return submit(h, &(struct product){ta, tb, m, n, k, lda, ldb, ldc, sizeof(double),
				 *alpha, *beta, a, b, c});
}

/* Checks what it is asked for, and does nothing. */
int
cublasGemmEx(handle h, int ta, int tb, int m, int n, int k, const void *alpha,
	const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
	const void *beta, void *c, int c_type, int ldc, int compute, int algorithm)
{
	(void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
	(void)b, (void)ldb, (void)beta, (void)c, (void)ldc;
	bool half = (a_type == 2 || a_type == 14) && b_type == a_type && c_type == a_type;
	return half && h->math == 16 && compute == 68 && algorithm == -1 ? OK
									 : UNSUPPORTED;
}
