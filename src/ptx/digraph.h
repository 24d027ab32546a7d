/*
 * Directed graphs of small integers, and the three questions asked of them.
 * Edges are kept by source: those of node v are to[off[v]] .. to[off[v + 1] - 1].
 * Everything is iterative and at most O(E log N).
 */
#ifndef PTX_DIGRAPH_H
#define PTX_DIGRAPH_H

#include "base/str.h"

struct arena;

struct graph {
	uint32_t n;
	uint32_t *off; /* n + 1 */
	uint32_t *to;
};

/* A list of edges becomes a graph; order within a node is kept. */
struct graph graph_new(struct arena *a, uint32_t n, const uint32_t *from,
	const uint32_t *to, size_t n_edges);
struct graph graph_reverse(struct arena *a, const struct graph *g);

/* Nodes reachable from root in reverse postorder into order[n], and how many. */
uint32_t graph_rpo(
	struct arena *a, const struct graph *g, uint32_t root, uint32_t *order);

/*
 * Immediate dominators of what root reaches: idom[root] is root, unreachable nodes have
 * UINT32_MAX.  r is the reverse of g.  Lengauer and Tarjan, "A Fast Algorithm for Finding
 * Dominators in a Flowgraph" (TOPLAS 1979), the simple version.
 */
void graph_dominators(struct arena *a, const struct graph *g, const struct graph *r,
	uint32_t root, uint32_t *idom);

/* Strongly connected components of what root reaches (Tarjan 1972): scc[v] is a number,
 * or UINT32_MAX where v is not on any cycle.  Returns how many numbers were given. */
uint32_t graph_scc(struct arena *a, const struct graph *g, uint32_t root, uint32_t *scc);

#endif
