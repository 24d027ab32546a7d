/* Where the lanes that a branch parts meet again. */
#include "slice/slice_index.h"

enum { STEPS_MAX = 8 << 20 }; /* block visits of one slice */

struct meet_search {
	struct slice_builder *b;
	const struct cfg *c;
	uint32_t *loop;  /* head of the innermost loop around a block, or PTX_NONE */
	uint32_t *outer; /* of a head: that of the next loop around it */
	uint32_t *stack, *seen, stamp;
};

/* ---- natural loops ---- */

/* The head of the outermost loop around a block that is known so far. */
static uint32_t
outermost(const struct meet_search *m, uint32_t x)
{
	uint32_t h = m->loop[x];

	while (m->outer[h] != PTX_NONE && ++m->b->visits < STEPS_MAX)
		h = m->outer[h];
	return h;
}

static void
add_latches(struct meet_search *m, uint32_t head, uint32_t x, uint32_t *n)
{
	const struct bb *y = &m->c->bb[x];

	for (uint32_t i = 0; i < y->n_pred; i++) {
		uint32_t p = y->pred[i];

		if (x == head && !cfg_dominates(m->c, head, p))
			continue;
		if (p == head || m->seen[p] == m->stamp || ++m->b->visits > STEPS_MAX)
			continue;
		m->seen[p] = m->stamp;
		m->stack[(*n)++] = p;
	}
}

/* The blocks of the loop with this head; loops inside it are known. */
static void
fill_loop(struct meet_search *m, uint32_t head)
{
	uint32_t n = 0;

	m->stamp++;
	add_latches(m, head, head, &n);
	while (n) {
		uint32_t x = m->stack[--n], in;

		if (m->loop[x] == PTX_NONE) {
			m->loop[x] = head;
			add_latches(m, head, x, &n);
			continue;
		}
		in = outermost(m, x);
		if (in == head)
			continue;
		m->outer[in] = head;
		add_latches(m, head, in, &n);
	}
}

static bool
is_head(const struct cfg *c, uint32_t x)
{
	for (uint32_t i = 0; i < c->bb[x].n_pred; i++)
		if (cfg_dominates(c, x, c->bb[x].pred[i]))
			return true;
	return false;
}

static void
find_loops(struct meet_search *m)
{
	const struct cfg *c = m->c;

	for (uint32_t x = 0; x <= c->n; x++)
		m->loop[x] = m->outer[x] = PTX_NONE;
	/* inner heads come later in reverse postorder */
	for (uint32_t i = c->n_rpo; i-- > 0;)
		if (is_head(c, c->rpo[i])) {
			m->loop[c->rpo[i]] = c->rpo[i];
			fill_loop(m, c->rpo[i]);
		}
}

static bool
in_loop(const struct meet_search *m, uint32_t x, uint32_t head)
{
	uint32_t h = m->loop[x];

	while (h != PTX_NONE && h != head && ++m->b->visits < STEPS_MAX)
		h = m->outer[h];
	return h == head;
}

/* ---- meeting ---- */

/* From `from` a loop that holds `to` can go round without coming to it. */
static bool
goes_round(struct meet_search *m, uint32_t from, uint32_t to)
{
	const struct cfg *c = m->c;
	uint32_t n = 0;

	m->stamp++;
	m->seen[to] = m->stamp;
	m->stack[n++] = from;
	while (n) {
		uint32_t x = m->stack[--n];

		for (uint32_t i = 0; i < c->bb[x].n_succ; i++) {
			uint32_t y = c->bb[x].succ[i];

			if (y == c->exit || c->bb[y].scc != c->bb[from].scc)
				continue;
			if (cfg_dominates(c, y, x) && in_loop(m, to, y) && y != to)
				return true;
			if (m->seen[y] == m->stamp || ++m->b->visits > STEPS_MAX)
				continue;
			m->seen[y] = m->stamp;
			m->stack[n++] = y;
		}
	}
	return false;
}

/*
 * ipdom2 leaves early exits out of the graph.  Where a loop's usual way out is one of
 * them, it may be a block that some lanes only come to the next time round: no place to
 * wait for them.
 */
void
slice_find_meets(struct slice_builder *b, struct slice_func *f)
{
	const struct cfg *c = f->c;
	struct meet_search m = {.b = b, .c = c};
	bool any = false;

	f->meet = arena_news(b->a, c->n + 1, uint32_t);
	for (uint32_t x = 0; x < c->n; x++) {
		f->meet[x] = c->bb[x].ipdom2;
		any = any || c->bb[x].ipdom2 != c->bb[x].ipdom;
	}
	if (!any)
		return;
	m.loop = arena_news(b->a, c->n + 1, uint32_t);
	m.outer = arena_news(b->a, c->n + 1, uint32_t);
	m.stack = arena_news(b->a, c->n + 1, uint32_t);
	m.seen = arena_news(b->a, c->n + 1, uint32_t);
	find_loops(&m);
	for (uint32_t x = 0; x < c->n; x++) {
		const struct bb *y = &c->bb[x];

		if (y->ipdom2 != y->ipdom && y->in_loop && y->ipdom2 != c->exit &&
			slice_is_decision(y) && c->bb[y->ipdom2].scc == y->scc &&
			goes_round(&m, x, y->ipdom2))
			f->meet[x] = y->ipdom;
	}
}
