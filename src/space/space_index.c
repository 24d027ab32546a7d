#include "base/arena.h"
#include "base/rng.h"
#include "space/space_part.h"
#include "space/word_map.h"

/* Where each part is, while parameters get values in the order of the spec. */
struct descent {
	const struct space *s;
	uint64_t left[SPEC_PARAMS_MAX]; /* per part: assignments of what is left */
	uint32_t node[SPEC_PARAMS_MAX]; /* per ordered part */
	long fixed[SPEC_PARAMS_MAX];    /* per parameter, for those that are not */
};

static struct descent
descent_of(const struct space *s)
{
	struct descent d = {.s = s};
	for (size_t i = 0; i < s->n_parts; i++) {
		d.node[i] = s->parts[i].root;
		d.left[i] = s->parts[i].nodes[d.node[i]].count;
	}
	for (size_t i = 0; i < s->kernel->n_params; i++)
		d.fixed[i] = -1;
	return d;
}

/* Assignments of what the other parts have left. */
static uint64_t
others(const struct descent *d, size_t part)
{
	uint64_t n = 1;
	for (size_t i = 0; i < d->s->n_parts; i++)
		if (i != part)
			n = count_product(n, d->left[i]);
	return n;
}

static void
enter(struct descent *d, size_t part, uint32_t child)
{
	d->node[part] = child;
	d->left[part] = d->s->parts[part].nodes[child].count;
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

static size_t
weigh(const struct descent *d, size_t param, uint64_t *by_value)
{
	const struct space_param *p = &d->s->params[param];
	const struct part *part = &d->s->parts[p->part];
	long fixed[SPEC_PARAMS_MAX];
	size_t n = d->s->kernel->params[param].n_values;
	for (size_t i = 0; i < part->n_params; i++)
		fixed[i] = d->fixed[part->params[i]];
	part_weigh(part, fixed, p->place, by_value, n);
	return n;
}

/* The value of a parameter behind which the i-th assignment of its part is; i becomes its
 * place there. */
static uint16_t
value_at(struct descent *d, size_t param, uint64_t i, uint64_t *before)
{
	const struct space_param *p = &d->s->params[param];
	const struct part *part = &d->s->parts[p->part];
	uint64_t by_value[SPEC_VALUES_MAX];
	size_t v = 0;
	if (part->ordered) {
		const struct part_edge *e = edge_at(part, d->node[p->part], i);
		*before = e->before;
		enter(d, p->part, e->child);
		return e->value;
	}
	weigh(d, param, by_value);
	for (*before = 0; i - *before >= by_value[v]; v++)
		*before += by_value[v];
	d->left[p->part] = by_value[v];
	d->fixed[param] = (long)v;
	return (uint16_t)v;
}

/* How many assignments of its part come before those with this value. */
static uint64_t
count_before(struct descent *d, size_t param, uint16_t value)
{
	const struct space_param *p = &d->s->params[param];
	const struct part *part = &d->s->parts[p->part];
	uint64_t by_value[SPEC_VALUES_MAX], before = 0;
	if (part->ordered) {
		const struct part_edge *e = edge_of(part, d->node[p->part], value);
		enter(d, p->part, e->child);
		return e->before;
	}
	weigh(d, param, by_value);
	for (size_t v = 0; v < value; v++)
		before = count_sum(before, by_value[v]);
	d->left[p->part] = by_value[value];
	d->fixed[param] = value;
	return before;
}

/* The sizes at the end of a part's path, or 0 when there is no such path. */
static uint32_t
sizes_of(const struct part *part, const uint16_t *choice)
{
	uint32_t node = part->root;
	for (size_t i = 0; i < part->n_params; i++) {
		const struct part_edge *e = edge_of(part, node, choice[part->params[i]]);
		if (!e)
			return 0;
		node = e->child;
	}
	return part->nodes[node].sizes;
}

/* All of them, of an assignment. */
static uint32_t
find(const struct space *s, const uint16_t *choice)
{
	uint32_t sizes = s->sizes;
	for (size_t i = 0; i < s->kernel->n_params; i++)
		if (s->params[i].part == SPACE_NO_PART && choice[i] != s->params[i].first)
			return 0;
	for (size_t i = 0; i < s->n_parts; i++) {
		uint32_t here = sizes_of(&s->parts[i], choice);
		if (!here)
			return 0;
		sizes = s->parts[i].sized ? here : sizes;
	}
	return sizes;
}

uint32_t
space_nth(const struct space *s, uint64_t i, uint16_t *choice)
{
	struct descent d = descent_of(s);
	for (size_t j = 0; j < s->kernel->n_params; j++) {
		const struct space_param *p = &s->params[j];
		uint64_t before;
		choice[j] = p->first;
		if (p->part == SPACE_NO_PART)
			continue;
		uint64_t rest = others(&d, p->part);
		choice[j] = value_at(&d, j, i / rest, &before);
		i -= count_product(before, rest);
	}
	return find(s, choice);
}

uint32_t
space_find(const struct space *s, const uint16_t *choice, uint64_t *index)
{
	uint32_t sizes = s->count ? find(s, choice) : 0;
	uint64_t at = 0;
	if (!sizes || !index)
		return sizes;
	struct descent d = descent_of(s);
	for (size_t j = 0; j < s->kernel->n_params; j++) {
		const struct space_param *p = &s->params[j];
		if (p->part == SPACE_NO_PART)
			continue;
		uint64_t rest = others(&d, p->part);
		at = count_sum(at, count_product(count_before(&d, j, choice[j]), rest));
	}
	*index = at;
	return sizes;
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
