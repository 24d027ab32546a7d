#include "space/part_node.h"

#include "base/arena.h"

/* A new node under a key, or the one that it has already. */
static uint32_t
node_of(struct node_maker *m, const uint64_t *key, size_t n, bool *added)
{
	struct part *part = m->part;
	uint32_t at = (uint32_t)word_map_put(&m->made, key, n, added);
	if (!*added)
		return at;
	arena_grow(m->a, part->nodes, part->n_nodes, part->cap_nodes);
	part->nodes[part->n_nodes++] =
		(struct part_node){.first = (uint32_t)part->n_edges};
	return at;
}

uint32_t
node_make(struct node_maker *m, const uint64_t *edges, size_t n)
{
	struct part *part = m->part;
	bool added;
	uint32_t at = node_of(m, edges, n, &added);
	struct part_node *node = &part->nodes[at];
	if (!added)
		return at;
	node->n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		uint32_t child = (uint32_t)edges[i];
		arena_grow(m->a, part->edges, part->n_edges, part->cap_edges);
		part->edges[part->n_edges++] = (struct part_edge){
			node->count, child, (uint16_t)(edges[i] >> 32)};
		node->count = count_sum(node->count, part->nodes[child].count);
		node->sizes |= part->nodes[child].sizes;
	}
	return at;
}

uint32_t
node_end(struct node_maker *m, uint32_t sizes)
{
	uint64_t key = UINT64_C(1) << 63 | sizes; /* no edge looks like it */
	bool added;
	uint32_t at = node_of(m, &key, 1, &added);
	m->part->nodes[at].count = 1;
	m->part->nodes[at].sizes = sizes;
	return at;
}
