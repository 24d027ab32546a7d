/* What lanes know to have happened, and who may come too early because of it. */
#include "simt/simt.h"

static const struct clock nothing;

static struct clocks *
clocks_of(struct sim *s, struct world *w)
{
	if (!w->clocks) {
		w->clocks = sim_alloc(s, 1, sizeof *w->clocks);
		w->clocks->lane = sim_alloc(s, s->d.n, sizeof *w->clocks->lane);
	}
	return w->clocks;
}

static struct named *
named_of(struct sim *s, struct clocks *c, uint32_t id)
{
	if (!c->named[id])
		c->named[id] = sim_alloc(s, 1, sizeof *c->named[id]);
	return c->named[id];
}

struct clocks *
clock_copy(struct sim *s, const struct clocks *c)
{
	struct clocks *n = sim_alloc(s, 1, sizeof *n);

	*n = *c;
	n->lane = sim_alloc(s, s->d.n, sizeof *n->lane);
	memcpy(n->lane, c->lane, s->d.n * sizeof *n->lane);
	for (int i = 0; i < 16; i++)
		if (c->named[i]) {
			n->named[i] = sim_alloc(s, 1, sizeof *n->named[i]);
			*n->named[i] = *c->named[i];
		}
	return n;
}

bool
clock_same(const struct sim *s, const struct clocks *a, const struct clocks *b)
{
	if (a == b)
		return true;
	if (!a || !b || memcmp(a->events, b->events, sizeof a->events) != 0)
		return false;
	for (int i = 0; i < 16; i++)
		if (!a->named[i] != !b->named[i] ||
			(a->named[i] && memcmp(a->named[i], b->named[i],
						sizeof *a->named[i]) != 0))
			return false;
	for (unsigned t = 0; t < s->d.n; t++) {
		const struct clock *x = a->lane[t] ? a->lane[t] : &nothing;
		const struct clock *y = b->lane[t] ? b->lane[t] : &nothing;

		if (x != y && memcmp(x, y, sizeof *x) != 0)
			return false;
	}
	return true;
}

void
clock_raise(struct clock *to, const struct clock *from)
{
	for (int i = 0; i < CLOCK_PARTS; i++)
		if (to->of[i] < from->of[i])
			to->of[i] = from->of[i];
}

bool
clock_covers(const struct clock *k, const struct events *e)
{
	for (int i = 0; i < WARPS_MAX; i++)
		if (k->of[i] < e->of[i])
			return false;
	return true;
}

/* Lanes of one warp that run together know what any of them knows. */
const struct clock *
clock_of(struct sim *s, struct world *w, const struct lmask *m, unsigned warp)
{
	uint32_t lanes = lmask_warp(m, warp);
	const struct clock *k = NULL;
	struct clock *own = NULL;

	if (!w->clocks)
		return &nothing;
	for (unsigned l = 0; l < 32 && warp * 32 + l < s->d.n; l++) {
		const struct clock *p = w->clocks->lane[warp * 32 + l];

		if (!(lanes >> l & 1) || !p || p == k)
			continue;
		if (!k) {
			k = p;
			continue;
		}
		if (!own) {
			own = sim_alloc(s, 1, sizeof *own);
			*own = *k;
			k = own;
		}
		clock_raise(own, p);
	}
	return k ? k : &nothing;
}

static void
set_lanes(const struct sim *s, struct clocks *c, const struct lmask *m, unsigned warp,
	const struct clock *k)
{
	uint32_t lanes = lmask_warp(m, warp);

	for (unsigned l = 0; l < 32 && warp * 32 + l < s->d.n; l++)
		if (lanes >> l & 1)
			c->lane[warp * 32 + l] = k;
}

/* Lanes that know `known` do something. */
static const struct clock *
tick_from(struct sim *s, struct world *w, const struct lmask *m, unsigned warp,
	const struct clock *known)
{
	struct clocks *c = clocks_of(s, w);
	struct clock *k = sim_alloc(s, 1, sizeof *k);

	*k = *known;
	k->of[warp] = ++c->events[warp];
	set_lanes(s, c, m, warp, k);
	return k;
}

uint32_t
clock_tick(struct sim *s, struct world *w, const struct lmask *m, unsigned warp)
{
	return tick_from(s, w, m, warp, clock_of(s, w, m, warp))->of[warp];
}

void
clock_learn(struct sim *s, struct world *w, const struct lmask *m, unsigned warp,
	const struct clock *what)
{
	struct clock *k = sim_alloc(s, 1, sizeof *k);

	*k = *clock_of(s, w, m, warp);
	clock_raise(k, what);
	set_lanes(s, clocks_of(s, w), m, warp, k);
}

void
clock_meet(struct sim *s, struct world *w, const struct lmask *m, unsigned n_warps)
{
	if (!w->clocks)
		return;
	for (unsigned first = 0; first < s->n_warps; first += n_warps) {
		struct clock all = {{0}};

		for (unsigned i = first; i < first + n_warps && i < s->n_warps; i++)
			if (lmask_warp(m, i) && n_warps == 1)
				set_lanes(s, w->clocks, m, i, clock_of(s, w, m, i));
			else if (lmask_warp(m, i))
				clock_raise(&all, clock_of(s, w, m, i));
		for (unsigned i = first; i < first + n_warps && i < s->n_warps; i++)
			if (lmask_warp(m, i) && n_warps > 1)
				clock_learn(s, w, m, i, &all);
	}
}

void
clock_forget(struct world *w)
{
	w->clocks = NULL;
	mbarrier_all_known(w);
}

/* ---- named barriers ---- */

static void
report_late(struct sim *s, struct world *w, const struct lmask *late, uint32_t id,
	const struct ptx_ins *ins)
{
	if (lmask_empty(late))
		return;
	struct breach_lanes l = {.waits = *late};
	breach_add(s, w, NULL, RULE_BAR_PHASE_RACE, ins, 0, &l,
		"barrier %u: %s may arrive before its previous phase has completed: "
		"nothing "
		"orders the two",
		id, breach_lanes_text(s, late));
}

void
phase_arrive(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	struct named *n = named_of(s, clocks_of(s, w), id);
	struct lmask late = {{0}};

	for (unsigned i = 0; i < s->n_warps; i++) {
		const struct clock *k;

		if (!lmask_warp(m, i))
			continue;
		k = clock_of(s, w, m, i);
		if (!clock_covers(k, &n->last) || !clock_covers(k, &n->alone))
			lmask_add_warp(&late, i, lmask_warp(m, i));
		k = tick_from(s, w, m, i, k);
		n->open.of[i] = k->of[i];
		clock_raise(&n->arriving, k);
	}
	report_late(s, w, &late, id, ins);
}

/* All that any warp has done, those that are gone included. */
static bool
knows_all(const struct clocks *c, const struct clock *k)
{
	for (int i = 0; i < WARPS_MAX; i++)
		if (k->of[i] < c->events[i])
			return false;
	return true;
}

void
phase_complete(struct sim *s, struct world *w, uint32_t id, const struct lmask *waiters)
{
	struct named *n = named_of(s, clocks_of(s, w), id);
	struct lmask alive = world_alive(s, w);
	bool all = lmask_eq(waiters, &alive) && knows_all(w->clocks, &n->arriving);

	n->last = n->open;
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(waiters, i))
			clock_learn(s, w, waiters, i, &n->arriving);
	memset(&n->arriving, 0, sizeof n->arriving);
	memset(&n->open, 0, sizeof n->open);
	memset(&n->alone, 0, sizeof n->alone);
	if (all)
		clock_forget(w);
}

/* Each warp completes the barrier by itself: their phases may follow each other in any
 * order, but not one that several warps share. */
void
phase_alone(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	struct named *n = named_of(s, clocks_of(s, w), id);
	struct lmask late = {{0}};

	for (unsigned i = 0; i < s->n_warps; i++) {
		if (!lmask_warp(m, i))
			continue;
		if (!clock_covers(clock_of(s, w, m, i), &n->last))
			lmask_add_warp(&late, i, lmask_warp(m, i));
		n->alone.of[i] = clock_tick(s, w, m, i);
	}
	report_late(s, w, &late, id, ins);
}

/* All threads meet: nothing to remember as long as only such barriers were used. */
void
phase_all(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	if (w->clocks) {
		phase_arrive(s, w, m, id, ins);
		phase_complete(s, w, id, m);
	}
}
