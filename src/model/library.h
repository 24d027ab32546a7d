/*
 * A library function that does what a kernel does, to be timed beside it.  Text form,
 * used in the graph (no spaces):
 *
 *     cublas:gemm,m=64,n=64,k=32,a=A,b=B,c=C[,ta=1][,tb=1][,alpha=2][,beta=1]
 *     openblas:gemm,...       the same, on the host
 *     /PATH/x.so[:SYMBOL]
 *
 * What the numbers and names mean is in backend/callee.h.
 */
#ifndef MODEL_LIBRARY_H
#define MODEL_LIBRARY_H

#include "base/str.h"

struct library_gemm {
	int64_t m, n, k;    /* 1 to INT32_MAX */
	struct str a, b, c; /* names of arguments */
	bool ta, tb;        /* a, b are stored transposed */
	double alpha, beta;
};

struct library {
	struct str path; /* of a shared object; empty: a product, by `blas` */
	struct str symbol;
	struct str blas; /* "cublas" or "openblas" */
	struct library_gemm gemm;
};

struct str library_text(struct arena *a, const struct library *v);
/* "cublas" or "openblas"? */
bool library_is_blas(struct str name);
/* What it is called beside candidates: its `blas`, or the file's name, "x.so". */
struct str library_name(const struct library *v);
/* False with a reason in *why if malformed. */
bool library_parse(struct arena *a, struct str s, struct library *out, struct str *why);

#endif
