/* Nodes of a part's graph: equal ones are made once. */
#ifndef SPACE_PART_NODE_H
#define SPACE_PART_NODE_H

#include "space/space_part.h"
#include "space/word_map.h"

struct node_maker {
	struct arena *a; /* of the part */
	struct part *part;
	struct word_map made; /* nodes by their edges; the index is the node */
};

static inline uint64_t
node_edge(unsigned value, uint32_t child)
{
	return (uint64_t)value << 32 | child;
}

/* The node of n > 0 edges, in ascending order of their values. */
uint32_t node_make(struct node_maker *m, const uint64_t *edges, size_t n);
/* The end that admits these sizes, at least one. */
uint32_t node_end(struct node_maker *m, uint32_t sizes);

#endif
