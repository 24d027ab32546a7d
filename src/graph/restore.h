/*
 * A fresh checkout with a warm cache: everything that the cache knows of a graph is put
 * in place by one process a core, without Ninja and without a process a node, and written
 * into Ninja's log, so that Ninja has nothing to do for it.
 *
 * An edge is restored when all its inputs are there and current: leaves, or what was
 * restored itself.  Its key follows from the bytes of its inputs, as in the node's own
 * process, so what is put in place is what running it would give.  The log says of each
 * how new its newest input was: an input that changes afterwards is newer, and Ninja runs
 * the edge.  What is not restored, for whatever reason, is left to Ninja.
 */
#ifndef GRAPH_RESTORE_H
#define GRAPH_RESTORE_H

#include "node/node.h"

struct restored {
	size_t edges;   /* that were put in place, without copies of leaves */
	size_t fetched; /* entries that came from the remote cache for that */
};

/* Ninja's log: without it, everything would run. */
#define RESTORE_LOG ".lanewise/.ninja_log"

/* `file`: the manifest; `target`: of it, such as "tune"; `nodes`: the table of
 * node_main().  Nothing is restored for a Ninja whose log is not known (1.14 and
 * newer), nor without one. */
struct restored restore_graph(struct arena *a, const char *file, const char *target,
	const struct node *const *nodes);

/* Ninja was never here, or its log is lost or of another version: it would start every
 * node. */
bool restore_is_due(struct arena *a);

#endif
