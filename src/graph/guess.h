/*
 * A time for a candidate of which nothing was made yet: the model's (perf/estimate.h) for
 * its launch shape and its declared work, with registers and code unknown.
 */
#ifndef GRAPH_GUESS_H
#define GRAPH_GUESS_H

#include "graph/plan.h"
#include "search/field.h"

/* Is there a model of the device? */
bool guess_is_possible(const struct plan *p);
/* The kernel's space at a size (index) with an estimate, NaN for what does not fit. Plan
 * and kernel must outlive it. */
struct field guess_field(
	struct arena *a, const struct plan *p, const struct plan_kernel *pk, size_t size);

#endif
