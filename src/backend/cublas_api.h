/*
 * cuBLAS, as far as it is used, opened at run time.  tests/unit/test_cublas_api.c holds
 * every line against cublas_api.h where there is one.
 *
 * Source of names, signatures and constants: cublas_api.h and library_types.h of CUDA
 * 13.0; the same since cuBLAS 11.
 */
#ifndef BACKEND_CUBLAS_API_H
#define BACKEND_CUBLAS_API_H

#include <stddef.h>

#ifndef CUBLAS_API_TYPES /* the test defines them from cublas_api.h */
typedef int blas_status;
typedef struct blas_handle *blas_handle;
struct cu_stream;
#define BLAS_STREAM  struct cu_stream *
#define BLAS_ENUM(T) int
#endif

/* X(field, symbol, optional, result, parameters) */
#define CUBLAS_API(X) \
	X(create, cublasCreate_v2, 0, blas_status, (blas_handle * h)) \
	X(stream, cublasSetStream_v2, 0, blas_status, (blas_handle h, BLAS_STREAM s)) \
	X(math, cublasSetMathMode, 0, blas_status, \
		(blas_handle h, BLAS_ENUM(cublasMath_t) mode)) \
	X(workspace, cublasSetWorkspace_v2, 1, blas_status, \
		(blas_handle h, void *at, size_t bytes)) \
	X(text, cublasGetStatusString, 1, const char *, (blas_status e)) \
	X(sgemm, cublasSgemm_v2, 0, blas_status, \
		(blas_handle h, BLAS_ENUM(cublasOperation_t) ta, \
			BLAS_ENUM(cublasOperation_t) tb, int m, int n, int k, \
			const float *alpha, const float *a, int lda, const float *b, \
			int ldb, const float *beta, float *c, int ldc)) \
	X(dgemm, cublasDgemm_v2, 0, blas_status, \
		(blas_handle h, BLAS_ENUM(cublasOperation_t) ta, \
			BLAS_ENUM(cublasOperation_t) tb, int m, int n, int k, \
			const double *alpha, const double *a, int lda, const double *b, \
			int ldb, const double *beta, double *c, int ldc)) \
	X(gemm_ex, cublasGemmEx, 0, blas_status, \
		(blas_handle h, BLAS_ENUM(cublasOperation_t) ta, \
			BLAS_ENUM(cublasOperation_t) tb, int m, int n, int k, \
			const void *alpha, const void *a, \
			BLAS_ENUM(cudaDataType) a_type, int lda, const void *b, \
			BLAS_ENUM(cudaDataType) b_type, int ldb, const void *beta, \
			void *c, BLAS_ENUM(cudaDataType) c_type, int ldc, \
			BLAS_ENUM(cublasComputeType_t) compute, \
			BLAS_ENUM(cublasGemmAlgo_t) algorithm))

struct cublas_api {
	/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(field, symbol, optional, result, parameters) result(*field) parameters;
	CUBLAS_API(X)
#undef X
};

/* X(our name, their name, value) */
#define CUBLAS_CONSTANTS(X) \
	X(BLAS_OK, CUBLAS_STATUS_SUCCESS, 0) \
	X(BLAS_PLAIN, CUBLAS_OP_N, 0) \
	X(BLAS_TRANSPOSED, CUBLAS_OP_T, 1) \
	X(BLAS_PEDANTIC, CUBLAS_PEDANTIC_MATH, 2) \
	X(BLAS_FULL_SUMS, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16) \
	X(BLAS_F16, CUDA_R_16F, 2) \
	X(BLAS_BF16, CUDA_R_16BF, 14) \
	X(BLAS_COMPUTE_F32, CUBLAS_COMPUTE_32F, 68) \
	X(BLAS_ALGORITHM, CUBLAS_GEMM_DEFAULT, -1)

#ifndef CUBLAS_API_TYPES
enum {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(name, vendor, value) name = (value),
	CUBLAS_CONSTANTS(X)
#undef X
};
#endif

#endif
