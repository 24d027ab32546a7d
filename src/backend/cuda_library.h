/*
 * A library's function in place of a kernel on a GPU (backend/callee.h).
 *
 * A product by cuBLAS is of f64, f32, f16 or bf16.  f32 and f64 are strict
 * (CUBLAS_PEDANTIC_MATH: no TF32, no other short cuts); 16-bit types are summed in f32.
 * cuBLAS counts in columns, and a matrix in rows is its transpose in columns, so it is
 * asked for c^T = b^T * a^T: (n, m, k) with b before a.
 */
#ifndef BACKEND_CUDA_LIBRARY_H
#define BACKEND_CUDA_LIBRARY_H

#include "backend/callee.h"
#include "backend/cuda_session.h"

/* Opens it and finds its arguments; false after a fault. */
bool cuda_library_open(struct session *s, struct loaded *l);
/* Submits one call on a copy of the buffers. */
bool cuda_library_launch(struct session *s, struct loaded *l, unsigned copy);

/* cuda_blas.c: handles are made once a session and live as long. */
bool cuda_blas_open(struct session *s);
bool cuda_blas_gemm(struct session *s, const struct product *g, const cu_pointer *at);

#endif
