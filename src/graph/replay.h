/*
 * Measured elsewhere, told here: what a graph that measures hangs on besides its sources,
 * namely the devices and the versions of the tools, is kept in the cache beside the
 * results.  A graph that replays takes all that from there instead of looking for a GPU
 * and for compilers, so its nodes have the keys of those that measured.
 *
 * The entry's key is `node replay` with the names of the spec and of its kernels, since
 * projects may share a cache; its one part is a lanewise/replay.v1.  The last graph that
 * measured is the one that is replayed.
 */
#ifndef GRAPH_REPLAY_H
#define GRAPH_REPLAY_H

#include "graph/graph.h"

/* What the worker file says then: nothing is asked to measure. */
#define REPLAY_WORKER "replay\n"

/* Keeps the plan of `spec`, which measures. */
void replay_keep(struct arena *a, const struct plan *p, const char *spec);

/* Devices, backend, tools and epoch of the plan, before plan_open(); false after
 * diag_errors: the cache has none, or not one of this program. */
bool replay_take(struct arena *a, struct plan *p, const char *spec, struct diag *d);

#endif
