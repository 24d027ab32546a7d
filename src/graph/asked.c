/* The candidates that searches asked for, as those of the graph. */
#include "graph/searching.h"

#include "base/arena.h"

#include <stdlib.h>

struct wanted {
	uint64_t place;
	uint32_t sizes;
};

struct wanted_list {
	struct arena *a;
	struct wanted *v;
	size_t n, cap;
};

static void
want(struct wanted_list *l, uint64_t place, uint32_t sizes)
{
	arena_grow(l->a, l->v, l->n, l->cap);
	l->v[l->n++] = (struct wanted){place, sizes};
}

static void
want_baseline(struct wanted_list *l, const struct plan_kernel *pk)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	const struct kernel *k = pk->k;
	uint64_t place;
	for (size_t i = 0; k->baseline && i < k->n_params; i++)
		for (size_t v = 0; v < k->params[i].n_values; v++)
			if (value_eq(k->params[i].values[v], k->baseline[i].value))
				choice[i] = (uint16_t)v;
	uint32_t sizes = k->baseline ? space_find(pk->space, choice, &place) : 0;
	if (sizes)
		want(l, place, sizes);
}

static int
by_place(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;
	return (a->place > b->place) - (a->place < b->place);
}

struct candidate *
searching_list(struct arena *a, const struct plan_kernel *pk, bool waiting, size_t *n)
{
	struct wanted_list l = {.a = a};
	want_baseline(&l, pk);
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		const struct searching *q = &pk->searches[z];
		size_t end = waiting && !q->over ? q->search.n : q->search.told;
		for (size_t i = 0; i < end; i++)
			want(&l, q->search.v[i].place, UINT32_C(1) << z);
	}
	if (l.n)
		qsort(l.v, l.n, sizeof *l.v, by_place);
	struct candidate *v = arena_news(a, l.n + 1, struct candidate);
	*n = 0;
	for (size_t i = 0, next; i < l.n; i = next) {
		uint16_t *choice = arena_news(a, pk->k->n_params + 1, uint16_t);
		uint32_t sizes = 0;
		for (next = i; next < l.n && l.v[next].place == l.v[i].place; next++)
			sizes |= l.v[next].sizes;
		sizes &= space_nth(pk->space, l.v[i].place, choice);
		if (sizes)
			v[(*n)++] = (struct candidate){choice, sizes};
	}
	return v;
}
