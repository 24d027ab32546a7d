#include "base/arena.h"
#include "space/space_part.h"

/* Nodes of a part with the place that they decide; children have lower indices than
 * their parents, so one pass down and one up see all. */
struct weights {
	const struct part *part;
	const long *fixed;
	uint64_t *below; /* per node: assignments from it to an end */
	uint64_t *above; /* paths from the root to it */
	uint16_t *places;
};

static bool
allows(const struct weights *w, size_t node, const struct part_edge *e)
{
	long value = w->fixed[w->places[node]];
	return value < 0 || value == e->value;
}

static void
find_places(struct weights *w)
{
	const struct part *p = w->part;
	for (size_t i = p->n_nodes; i--;)
		for (size_t e = 0; e < p->nodes[i].n; e++)
			w->places[p->edges[p->nodes[i].first + e].child] =
				(uint16_t)(w->places[i] + 1);
}

static void
weigh_below(struct weights *w)
{
	const struct part *p = w->part;
	for (size_t i = 0; i < p->n_nodes; i++) {
		const struct part_edge *e = p->edges + p->nodes[i].first;
		w->below[i] = !p->nodes[i].n;
		for (size_t j = 0; j < p->nodes[i].n; j++)
			if (allows(w, i, &e[j]))
				w->below[i] =
					count_sum(w->below[i], w->below[e[j].child]);
	}
}

void
part_weigh(const struct part *part, const long *fixed, size_t place, uint64_t *by_value,
	size_t n_values)
{
	struct arena a = {0};
	struct weights w = {.part = part, .fixed = fixed};
	w.below = arena_news(&a, part->n_nodes, uint64_t);
	w.above = arena_news(&a, part->n_nodes, uint64_t);
	w.places = arena_news(&a, part->n_nodes, uint16_t);
	memset(by_value, 0, n_values * sizeof *by_value);
	find_places(&w);
	weigh_below(&w);
	w.above[part->root] = 1;
	for (size_t i = part->n_nodes; i--;) {
		const struct part_edge *e = part->edges + part->nodes[i].first;
		for (size_t j = 0; j < part->nodes[i].n && w.above[i]; j++) {
			uint64_t *at = &by_value[e[j].value];
			if (!allows(&w, i, &e[j]))
				continue;
			if (w.places[i] == place)
				*at = count_sum(*at,
					count_product(w.above[i], w.below[e[j].child]));
			w.above[e[j].child] = count_sum(w.above[e[j].child], w.above[i]);
		}
	}
	arena_release(&a);
}
