#include "base/arena.h"
#include "base/rng.h"
#include "space/space_part.h"
#include "space/word_map.h"

/* Where each part is, while parameters get values in the order of the spec. */
struct descent {
	const struct space *s;
	uint32_t node[SPEC_PARAMS_MAX]; /* per part */
	uint32_t sizes;
};

static struct descent
descent_of(const struct space *s)
{
	struct descent d = {.s = s, .sizes = s->sizes};
	for (size_t i = 0; i < s->n_parts; i++)
		d.node[i] = s->parts[i].root;
	return d;
}

/* Assignments of what the other parts have left. */
static uint64_t
others(const struct descent *d, size_t part)
{
	uint64_t n = 1;
	for (size_t i = 0; i < d->s->n_parts; i++)
		if (i != part)
			n = count_product(n, d->s->parts[i].nodes[d->node[i]].count);
	return n;
}

static void
enter(struct descent *d, size_t part, uint32_t child)
{
	const struct part *p = &d->s->parts[part];
	d->node[part] = child;
	if (p->sized && !p->nodes[child].n)
		d->sizes = p->nodes[child].sizes;
}

/* The last edge of a node with at most i before it. */
static const struct part_edge *
edge_at(const struct part *p, uint32_t node, uint64_t i)
{
	const struct part_node *n = &p->nodes[node];
	size_t low = n->first, high = n->first + n->n - 1;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;
		if (p->edges[middle].before <= i)
			low = middle;
		else
			high = middle - 1;
	}
	return &p->edges[low];
}

static const struct part_edge *
edge_of(const struct part *p, uint32_t node, uint16_t value)
{
	const struct part_node *n = &p->nodes[node];
	size_t low = n->first, high = n->first + n->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->edges[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == (size_t)n->first + n->n || p->edges[low].value != value)
		return NULL;
	return &p->edges[low];
}

uint32_t
space_nth(const struct space *s, uint64_t i, uint16_t *choice)
{
	struct descent d = descent_of(s);
	for (size_t j = 0; j < s->kernel->n_params; j++) {
		const struct space_param *p = &s->params[j];
		choice[j] = p->first;
		if (p->part == SPACE_NO_PART)
			continue;
		uint64_t rest = others(&d, p->part);
		const struct part_edge *e =
			edge_at(&s->parts[p->part], d.node[p->part], i / rest);
		i -= count_product(e->before, rest);
		choice[j] = e->value;
		enter(&d, p->part, e->child);
	}
	return d.sizes;
}

uint32_t
space_find(const struct space *s, const uint16_t *choice, uint64_t *index)
{
	struct descent d = descent_of(s);
	uint64_t at = 0;
	for (size_t j = 0; j < s->kernel->n_params; j++) {
		const struct space_param *p = &s->params[j];
		if (p->part == SPACE_NO_PART && choice[j] != p->first)
			return 0;
		if (p->part == SPACE_NO_PART)
			continue;
		const struct part_edge *e =
			edge_of(&s->parts[p->part], d.node[p->part], choice[j]);
		if (!e)
			return 0;
		at = count_sum(at, count_product(e->before, others(&d, p->part)));
		enter(&d, p->part, e->child);
	}
	if (index)
		*index = at;
	return d.sizes;
}

/* --- samples ------------------------------------------------------------------------ */

/* An array of all places, of which only those that were moved are kept. */
struct places {
	struct word_map moved;
	uint64_t *to; /* per key of moved */
	size_t cap;
};

/* What stands at a place. */
static uint64_t *
place(struct arena *a, struct places *p, uint64_t at)
{
	bool added;
	size_t i = word_map_put(&p->moved, &at, 1, &added);
	while (i >= p->cap)
		p->to = arena_regrow(a, p->to, p->cap, &p->cap, sizeof *p->to);
	if (added)
		p->to[i] = at;
	return &p->to[i];
}

/* The first n steps of a shuffle (Fisher and Yates; Durstenfeld, CACM 7, 1964). */
uint64_t *
space_sample(struct arena *a, const struct space *s, uint64_t seed, uint64_t n)
{
	struct places places = {.moved = {.a = a}};
	struct rng r = {seed};
	uint64_t *out = arena_news(a, n, uint64_t);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t j = i + rng_below(&r, s->count - i);
		uint64_t first = *place(a, &places, i), *chosen = place(a, &places, j);
		out[i] = *chosen;
		*chosen = first;
	}
	return out;
}
