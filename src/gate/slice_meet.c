/* Where the lanes that a branch parts meet again. */
#include "gate/slice_index.h"

enum { STEPS_MAX = 8 << 20 }; /* block visits of one slice */

/* A way from `from` to `to` that does not come to `but` again. */
static bool
leads_to(struct slice_builder *b, const struct cfg *c, uint32_t from, uint32_t to,
	uint32_t but, uint32_t *stack, uint32_t *seen)
{
	uint32_t n = 0, stamp = ++seen[c->n];

	if (from == to)
		return true;
	seen[but] = stamp;
	if (seen[from] != stamp)
		stack[n++] = from;
	seen[from] = stamp;
	while (n) {
		const struct bb *x = &c->bb[stack[--n]];

		for (uint32_t i = 0; i < x->n_succ; i++) {
			uint32_t y = x->succ[i];

			if (y == to)
				return true;
			if (seen[y] == stamp || ++b->visits > STEPS_MAX)
				continue;
			seen[y] = stamp;
			stack[n++] = y;
		}
	}
	return false;
}

/*
 * ipdom2 leaves early exits out of the graph.  Where the loop's usual way out is one of
 * them, it is a block of the loop that some lanes only come to the next time round: no
 * place to wait for them.
 */
void
slice_find_meets(struct slice_builder *b, struct slice_func *f)
{
	const struct cfg *c = f->c;
	uint32_t *stack = arena_news(b->a, c->n + 1, uint32_t);
	uint32_t *seen = arena_news(b->a, c->n + 1, uint32_t);

	f->meet = arena_news(b->a, c->n + 1, uint32_t);
	for (uint32_t x = 0; x < c->n; x++) {
		const struct bb *y = &c->bb[x];

		f->meet[x] = y->ipdom2;
		if (y->ipdom2 == y->ipdom || !y->in_loop || y->ipdom2 == c->exit ||
			!slice_is_decision(y) || c->bb[y->ipdom2].scc != y->scc)
			continue;
		for (uint32_t i = 0; i < y->n_succ; i++)
			if (!leads_to(b, c, y->succ[i], y->ipdom2, x, stack, seen) &&
				c->bb[y->succ[i]].scc == y->scc)
				f->meet[x] = y->ipdom;
	}
}
