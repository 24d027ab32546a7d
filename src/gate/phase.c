/* What each warp knows about barrier phases that are over. */
#include "gate/simt.h"

static struct clocks *
clocks_of(struct sim *s, struct world *w)
{
	if (!w->clocks)
		w->clocks = sim_alloc(s, 1, sizeof *w->clocks);
	return w->clocks;
}

static void
raise(uint32_t *to, const uint32_t *from)
{
	for (int i = 0; i < 16; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

void
phase_arrive(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	struct clocks *c = clocks_of(s, w);
	struct lmask late = {{0}};

	for (unsigned i = 0; i < s->n_warps; i++) {
		if (!lmask_warp(m, i))
			continue;
		if (c->known[i][id] != c->phase[id])
			lmask_add_warp(&late, i, lmask_warp(m, i));
		c->known[i][id] = c->phase[id];
		raise(c->arriving[id], c->known[i]);
	}
	if (lmask_empty(&late))
		return;
	struct breach_lanes l = {.waits = late};
	struct breach *r = breach_add(s, w, NULL, RULE_BAR_PHASE_RACE, ins, 0, &l,
		"barrier %u: %s may arrive before its previous phase has completed: "
		"nothing "
		"orders the two",
		id, breach_lanes_text(s, &late));
	/* an mbarrier might order them; that is not modelled */
	if (r && s->s->mbarrier_wait) {
		r->sev = SEV_CAVEAT;
		r->when = (struct str){0};
	}
}

void
phase_complete(struct sim *s, struct world *w, uint32_t id, const struct lmask *waiters)
{
	struct clocks *c = clocks_of(s, w);
	uint32_t *j = c->arriving[id];
	c->alone &= ~(UINT32_C(1) << id);

	j[id] = ++c->phase[id];
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(waiters, i))
			raise(c->known[i], j);
	memset(j, 0, sizeof c->arriving[id]);
}

void
phase_alone(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	struct clocks *c = clocks_of(s, w);

	/* such phases may follow each other in any order */
	if (!(c->alone >> id & 1)) {
		phase_arrive(s, w, m, id, ins);
		phase_complete(s, w, id, m);
		c->alone |= UINT32_C(1) << id;
	}
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(m, i))
			c->known[i][id] = c->phase[id];
}

/* All threads meet: nothing to remember as long as only such barriers were used. */
void
phase_all(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	if (!w->clocks)
		return;
	phase_arrive(s, w, m, id, ins);
	phase_complete(s, w, id, m);
}
