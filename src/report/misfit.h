/*
 * A spec that does not fit its kernel: an `entry` that no specialization has, `args` that
 * are not the kernel's.  One candidate of that kind is data; when all of a kernel are
 * that compile, it is a mistake in the spec, and told as one.
 */
#ifndef REPORT_MISFIT_H
#define REPORT_MISFIT_H

#include "model/spec.h"
#include "perf/ranking.h"

/* What all candidates of a kernel that compile have been found to be, or NULL. */
const struct finding *misfit_of(const struct ranking *r);
/* One diag_error for each such kernel, where the spec says it. */
void misfit_tell(struct arena *a, const struct spec *spec, struct ranking *const *v,
	size_t n, struct diag *d);

#endif
