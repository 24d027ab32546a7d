/* Conditions of lanes that are only possibly here. */
#include "simt/simt.h"

const struct unc *
unc_push(struct sim *s, const struct unc *up, const struct val *pred, bool when,
	const struct lmask *who)
{
	struct unc *u = sim_alloc(s, 1, sizeof *u);

	*u = (struct unc){up, up ? up->depth + 1 : 1, *pred, when, *who};
	if (u->depth > 4096)
		domain_stop(&s->d, STOP_BUDGET, "nesting");
	return u;
}

struct lmask
unc_lanes(const struct group *g)
{
	struct lmask m = {{0}};

	for (const struct unc *u = g->unc; u; u = u->up)
		m = lmask_or(m, u->who);
	return m;
}

/* {polarity, symbol} without negation; {1, 0} when it is known. */
static struct cell
normal(struct sim *s, struct cell c, bool when)
{
	if (!c.s)
		return (struct cell){1, 0};
	if (sym_op(&s->d, c.s) == SYM_NOT)
		return (struct cell){!when, sym_operand(&s->d, c.s, 0).s};
	return (struct cell){when, c.s};
}

unsigned
unc_key(struct sim *s, const struct group *g, unsigned t, struct cell *key, unsigned n)
{
	unsigned k = 0;

	for (const struct unc *u = g->unc; u; u = u->up) {
		if (!lmask_has(&u->who, t))
			continue;
		if (k == n)
			domain_stop(&s->d, STOP_BUDGET, "nesting");
		key[k++] = normal(s, val_cell(&s->d, &u->pred, t), u->when);
	}
	for (unsigned i = 0; i < k / 2; i++) {
		struct cell c = key[i];

		key[i] = key[k - 1 - i];
		key[k - 1 - i] = c;
	}
	return k;
}

bool
unc_same(struct sim *s, const struct group *g, const struct lmask *m)
{
	unsigned first = lmask_next(m, 0);

	for (const struct unc *u = g->unc; u; u = u->up) {
		struct lmask in = lmask_and(*m, u->who);
		struct cell a;

		if (lmask_empty(&in))
			continue;
		if (!lmask_eq(&in, m))
			return false;
		if (u->pred.kind == VAL_INT)
			continue;
		a = val_cell(&s->d, &u->pred, first);
		domain_work(&s->d, 32);
		LMASK_EACH(t, m)
		{
			struct cell b = val_cell(&s->d, &u->pred, t);

			if (!cell_eq(a, b))
				return false;
		}
	}
	return true;
}

/* All lanes of m may leave, under the same conditions. */
static bool
leave_together(struct sim *s, const struct group *g, const struct lmask *who,
	const struct val *pred, const struct lmask *m)
{
	bool whole = !lmask_exceeds(m, who) && unc_same(s, g, m);
	struct cell c = {0};

	if (!whole || !pred || lmask_empty(m))
		return whole;
	c = val_cell(&s->d, pred, lmask_next(m, 0));
	LMASK_EACH(t, m)
	whole = whole && cell_eq(c, val_cell(&s->d, pred, t));
	return whole;
}

void
unc_exit(struct sim *s, struct world *w, const struct group *g, const struct lmask *who,
	const struct val *pred)
{
	struct lmask alive = world_alive(s, w);

	for (unsigned i = 0; i < s->n_warps; i++) {
		struct lmask leave = lmask_of_warp(i, lmask_warp(who, i));
		struct lmask all = lmask_of_warp(i, lmask_warp(&alive, i)), four = {{0}};

		if (lmask_empty(&leave))
			continue;
		w->exits = ++s->next_load;
		if (!leave_together(s, g, who, pred, &all))
			w->exit_split = lmask_or(w->exit_split, leave);
		for (unsigned k = i / 4 * 4; k < i / 4 * 4 + 4 && k < s->n_warps; k++)
			lmask_add_warp(&four, k, lmask_warp(&alive, k));
		if (!leave_together(s, g, who, pred, &four))
			w->exit_part = lmask_or(w->exit_part, leave);
	}
}

bool
unc_within(const struct unc *u, const struct unc *base)
{
	uint32_t depth = base ? base->depth : 0;

	while (u && u->depth > depth)
		u = u->up;
	return u == base;
}

void
unc_note_need(struct sim *s, struct world *w, const struct group *g, struct entry *e)
{
	struct lmask who = {{0}}, alive = world_alive(s, w);

	for (const struct unc *u = g->unc; u && u != e->g.unc; u = u->up)
		who = lmask_or(who, u->who);
	e->need = lmask_or(e->need, who);
	for (unsigned i = 0; i < s->n_warps; i++) {
		struct lmask m = {{0}};

		if (!lmask_warp(&who, i))
			continue;
		lmask_add_warp(&m, i, lmask_warp(&alive, i));
		if (lmask_exceeds(&m, &who) || lmask_exceeds(&m, &g->mask) ||
			!unc_same(s, g, &m))
			lmask_add_warp(&e->need_split, i, lmask_warp(&m, i));
	}
}
