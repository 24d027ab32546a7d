/*
 * A library's function in place of a kernel, so that a tuned kernel stands beside what it
 * replaces: what it is called with, on every backend.  How bench_request.library is
 * written (model/library.h makes it):
 *
 *     cublas:gemm,m=64,n=64,k=32,a=A,b=B,c=C    a matrix product by cuBLAS
 *     openblas:gemm,...                         on the host, by OpenBLAS
 *     /PATH/x.so:SYMBOL                         a function of the user's
 *
 * gemm   c[m][n] = alpha * a[m][k] * b[k][n] + beta * c[m][n], in rows; with ta=1 a is
 *     stored as a[k][m], with tb=1 b as b[n][k].  a, b and c name buffers of one type;
 *     alpha is 1 and beta 0 unless given.
 *
 * x.so:SYMBOL   int SYMBOL(const struct lanewise_arg *args, int n, void *stream), as
 *     templates/lanewise_reference.h declares it; default lanewise_reference.
 */
#ifndef BACKEND_CALLEE_H
#define BACKEND_CALLEE_H

#include "backend/backend.h"
#include "model/library.h"

/* As in templates/lanewise_reference.h. */
struct lanewise_arg {
	const char *name;
	const char *type;
	size_t count;
	void *data;
	int is_output;
};

typedef int callee_function(const struct lanewise_arg *args, int n, void *stream);

struct product {
	size_t a, b, c; /* positions of the arguments */
	int m, n, k;    /* in rows */
	bool ta, tb;
	double alpha, beta;
	enum dtype type; /* of all three */
};

/* False with a reason: an argument is not there, too short, or of another type. */
bool product_find(struct arena *a, const struct bench_request *q,
	const struct library_gemm *m, struct product *out, struct str *why);

/* The argument list of a user's function; of buffers `data` is still to be filled in, of
 * scalars it is in bits, which has one for each argument. */
struct lanewise_arg *callee_args(
	struct arena *a, const struct bench_request *q, uint64_t *bits);

#endif
