/*
 * A library's function in place of a kernel, so that a tuned kernel stands beside what it
 * replaces.  How bench_request.library is written (model/library.h makes it):
 *
 *     cublas:gemm,m=64,n=64,k=32,a=A,b=B,c=C    a matrix product by cuBLAS
 *     /PATH/x.so:SYMBOL                         a function of the user's
 *
 * cublas:gemm   c[m][n] = alpha * a[m][k] * b[k][n] + beta * c[m][n], in rows; with ta=1
 *     a is stored as a[k][m], with tb=1 b as b[n][k].  a, b and c name buffers of one
 *     type: f64, f32, f16, bf16; alpha is 1 and beta 0 unless given.  f32 and f64 are
 *     strict (CUBLAS_PEDANTIC_MATH: no TF32, no other short cuts); 16-bit types are
 *     summed in f32.  cuBLAS counts in columns, and a matrix in rows is its transpose in
 *     columns, so it is asked for c^T = b^T * a^T: (n, m, k) with b before a.
 *
 * x.so:SYMBOL   int SYMBOL(const struct lanewise_arg *args, int n, void *stream), as
 *     templates/lanewise_reference.h declares it; default lanewise_reference.
 */
#ifndef BACKEND_CUDA_LIBRARY_H
#define BACKEND_CUDA_LIBRARY_H

#include "backend/cuda_session.h"

/* Opens it and finds its arguments; false after a fault. */
bool cuda_library_open(struct session *s, struct loaded *l);
/* Submits one call on a copy of the buffers. */
bool cuda_library_launch(struct session *s, struct loaded *l, unsigned copy);

/* cuda_blas.c: handles are made once a session and live as long. */
struct cuda_gemm {
	size_t a, b, c; /* positions of the arguments */
	int m, n, k;    /* of the product in rows */
	bool ta, tb;
	double alpha, beta;
	enum dtype type;
};
bool cuda_blas_open(struct session *s);
bool cuda_blas_gemm(struct session *s, const struct cuda_gemm *g, const cu_pointer *at);

#endif
