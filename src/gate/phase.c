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

static void
raise_seen(uint32_t *to, const uint32_t *from)
{
	for (int i = 0; i < 16; i++)
		to[i] |= from[i];
}

static void
report_late(struct sim *s, struct world *w, const struct lmask *late, uint32_t id,
	const struct ptx_ins *ins)
{
	if (lmask_empty(late))
		return;
	struct breach_lanes l = {.waits = *late};
	struct breach *r = breach_add(s, w, NULL, RULE_BAR_PHASE_RACE, ins, 0, &l,
		"barrier %u: %s may arrive before its previous phase has completed: "
		"nothing "
		"orders the two",
		id, breach_lanes_text(s, late));
	/* an mbarrier might order them; that is not modelled */
	if (r && s->s->mbarrier_wait) {
		r->sev = SEV_CAVEAT;
		r->when = (struct str){0};
	}
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
		if (c->known[i][id] != c->phase[id] || c->alone[id] & ~c->seen[i][id])
			lmask_add_warp(&late, i, lmask_warp(m, i));
		c->known[i][id] = c->phase[id];
		c->seen[i][id] |= c->alone[id];
		raise(c->arriving[id], c->known[i]);
		raise_seen(c->arriving_seen[id], c->seen[i]);
	}
	report_late(s, w, &late, id, ins);
}

void
phase_complete(struct sim *s, struct world *w, uint32_t id, const struct lmask *waiters)
{
	struct clocks *c = clocks_of(s, w);
	uint32_t *j = c->arriving[id];

	c->alone[id] = 0;
	j[id] = ++c->phase[id];
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(waiters, i)) {
			raise(c->known[i], j);
			raise_seen(c->seen[i], c->arriving_seen[id]);
		}
	memset(j, 0, sizeof c->arriving[id]);
	memset(c->arriving_seen[id], 0, sizeof c->arriving_seen[id]);
}

/* Nobody but the warp itself knows of this time yet. */
static void
note_alone(struct sim *s, struct clocks *c, unsigned warp, uint32_t id)
{
	uint32_t me = UINT32_C(1) << warp;

	c->alone[id] |= me;
	for (unsigned i = 0; i < s->n_warps; i++)
		c->seen[i][id] &= ~me;
	for (unsigned i = 0; i < 16; i++)
		c->arriving_seen[i][id] &= ~me;
	c->seen[warp][id] |= me;
}

void
phase_alone(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins)
{
	struct clocks *c = clocks_of(s, w);
	struct lmask late = {{0}};

	/* phases of single warps may follow each other in any order */
	for (unsigned i = 0; i < s->n_warps; i++) {
		if (!lmask_warp(m, i))
			continue;
		if (c->known[i][id] != c->phase[id])
			lmask_add_warp(&late, i, lmask_warp(m, i));
		c->known[i][id] = c->phase[id];
		note_alone(s, c, i, id);
	}
	report_late(s, w, &late, id, ins);
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
