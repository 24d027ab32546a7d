/*
 * What the project no longer has leaves .lanewise: files of candidates, sizes and kernels
 * that are not in the plan, and staged copies of files that are no leaves any more.  The
 * last would be wrong, not only litter: a header that moved would be found at its old
 * place.  What the cache has of them stays there.
 */
#ifndef GRAPH_SWEEP_H
#define GRAPH_SWEEP_H

#include "graph/plan.h"

void sweep(struct arena *a, const struct plan *p);
/* The copies alone: while a search goes on, the plan is not yet all that belongs. */
void sweep_sources(struct arena *a, const struct plan *p);

#endif
