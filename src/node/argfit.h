/*
 * Whether the arguments that a spec lists fit the parameters that the kernel has: their
 * number, and of those whose value is known size and kind.  The driver takes any bytes,
 * and the gate takes a missing argument as unknown, so neither would notice.
 */
#ifndef NODE_ARGFIT_H
#define NODE_ARGFIT_H

#include "model/arg.h"
#include "ptx/ptx.h"

/* False with a reason.  No arguments at all fit every kernel: all are unknown. */
bool argfit_check(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const struct arg *v, size_t n, struct str *why);

/*
 * An argument for every parameter.  One that points to shared memory (.ptr .shared, a
 * __local one of OpenCL) is not listed in a spec; what it is given is not known.
 * *n becomes the number of them.
 */
const struct arg *argfit_spread(struct arena *a, const struct ptx_module *m,
	const struct ptx_func *f, const struct arg *v, size_t *n);

#endif
