/*
 * Cluster barriers: all threads of all blocks of the cluster, arrival and wait apart.
 *
 * Source: PTX ISA, barrier.cluster.  The threads of one block are run here; that blocks
 * of a cluster complete the same number of phases is compared by grid.c.
 */
#include "simt/simt.h"

static void
put_away(struct sim *s, struct meeting **v, uint32_t *n, uint32_t *cap,
	const struct group *g, const struct ptx_ins *ins)
{
	size_t c = *cap;

	if (*n >= *cap)
		sim_charge(s, (c ? c * 2 : 8) * sizeof **v);
	arena_grow(s->mem, *v, *n, c);
	*cap = (uint32_t)c;
	(*v)[(*n)++] = (struct meeting){.g = *g, .ins = ins};
}

/* Aligned forms: every warp whole at one instruction, once all that come are there. */
static void
check_partial(struct sim *s, struct world *w)
{
	struct lmask alive = world_alive(s, w);

	for (uint32_t i = 0; i < w->n_cpart; i++) {
		const struct meeting *m = &w->cpart[i];
		struct lmask here = {{0}}, warps, miss;
		bool first = true;

		for (uint32_t k = 0; k < w->n_cpart; k++) {
			if (w->cpart[k].ins != m->ins)
				continue;
			here = lmask_or(here, w->cpart[k].g.mask);
			first = first && k >= i;
		}
		warps = lmask_whole_warps(&here);
		miss = lmask_minus(lmask_and(alive, warps), here);
		if (!first || lmask_empty(&miss))
			continue;
		struct breach_lanes l = {.waits = here, .absent = miss, .by = &m->g};
		breach_add(s, w, NULL, RULE_CLUSTER_PARTIAL, m->ins, 0, &l,
			"an aligned cluster barrier is executed by %s; not by %s of the "
			"same warp",
			breach_lanes_text(s, &here), breach_lanes_text(s, &miss));
	}
	w->n_cpart = 0;
}

static void
note_part(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct lmask alive = world_alive(s, w), warps = lmask_whole_warps(&g->mask);

	warps = lmask_and(warps, alive);
	if (PTX_HAS(ins->form, ALIGNED) && lmask_exceeds(&warps, &g->mask))
		put_away(s, &w->cpart, &w->n_cpart, &w->cap_cpart, g, ins);
}

static void
complete(struct sim *s, struct world *w)
{
	uint32_t n = w->n_cwait;
	struct lmask alive = world_alive(s, w), woken = {{0}};

	check_partial(s, w);
	sync_count(&w->sync[SYNC_CLUSTER]);
	/* where all may have left, the block may not come at all */
	if (!lmask_exceeds(&alive, &w->may_exit))
		w->sync[SYNC_CLUSTER].least--;
	w->carrived = lmask_and(w->carrived, alive);
	w->cdone = lmask_or(w->cdone, w->carrived);
	w->carrived = (struct lmask){{0}};
	w->cknown = w->carriving;
	w->carriving = NULL;
	w->n_cwait = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct group g = w->cwait[i].g;

		w->cdone = lmask_minus(w->cdone, g.mask);
		woken = lmask_or(woken, g.mask);
		for (unsigned k = 0; k < s->n_warps && w->cknown; k++)
			if (lmask_warp(&g.mask, k))
				clock_learn(s, w, &g.mask, k, w->cknown);
		g.ip++;
		world_rejoin(s, w, &g);
	}
	if (lmask_eq(&woken, &alive))
		clock_forget(w);
}

static void
arrive(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct lmask before = lmask_or(w->carrived, w->cdone);
	struct lmask again = lmask_and(g->mask, before);
	struct breach_lanes l = {.waits = again};

	if (!lmask_empty(&again))
		breach_add(s, w, g, RULE_BAR_DOUBLE_ARRIVE, ins, 0, &l,
			"%s: a second arrival at the cluster barrier without a wait "
			"between",
			breach_lanes_text(s, &again));
	w->carrived = lmask_or(w->carrived, g->mask);
	w->cdone = lmask_minus(w->cdone, again);
	w->cat = ins;
	if (w->clocks) {
		struct clock *k = sim_alloc(s, 1, sizeof *k);

		if (w->carriving)
			*k = *w->carriving;
		for (unsigned i = 0; i < s->n_warps; i++)
			if (lmask_warp(&g->mask, i))
				clock_raise(k, clock_of(s, w, &g->mask, i));
		w->carriving = k;
	}
	note_part(s, w, g, ins);
	cluster_release(s, w);
}

/* True: g goes on. */
static bool
wait(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	struct lmask known = lmask_or(w->carrived, w->cdone);
	struct lmask never = lmask_minus(g->mask, known);
	struct breach_lanes l = {.waits = never};

	if (!lmask_empty(&never)) {
		breach_add(s, w, g, RULE_CLUSTER_PARTIAL, ins, 0, &l,
			"%s %s at a cluster barrier without having arrived",
			breach_lanes_text(s, &never),
			breach_verb(breach_lanes_text(s, &never), "waits", "wait"));
		w->cdone = lmask_minus(w->cdone, g->mask);
		return true;
	}
	note_part(s, w, g, ins);
	if (lmask_exceeds(&g->mask, &w->cdone)) {
		put_away(s, &w->cwait, &w->n_cwait, &w->cap_cwait, g, ins);
		return false;
	}
	w->cdone = lmask_minus(w->cdone, g->mask);
	for (unsigned k = 0; k < s->n_warps && w->cknown; k++)
		if (lmask_warp(&g->mask, k))
			clock_learn(s, w, &g->mask, k, w->cknown);
	struct lmask alive = world_alive(s, w);
	if (lmask_eq(&g->mask, &alive)) {
		check_partial(s, w);
		clock_forget(w);
	}
	return true;
}

bool
cluster_step(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	struct lmask alive = world_alive(s, w);
	struct breach_lanes l = {.waits = g->mask, .absent = lmask_minus(alive, g->mask)};

	if (g->unc) {
		breach_add(s, w, g, RULE_DATA_BARRIER, ins, 0, &l,
			"a cluster barrier under a condition that is not known");
		return true;
	}
	if (ins->form->op == PTX_CLUSTER_WAIT)
		return wait(s, w, g, ins);
	arrive(s, w, g, ins);
	return true;
}

/* All that are left have arrived.  True: somebody runs again. */
bool
cluster_release(struct sim *s, struct world *w)
{
	struct lmask alive = world_alive(s, w);
	uint32_t before = w->n_run;

	if (lmask_empty(&w->carrived) || lmask_exceeds(&alive, &w->carrived))
		return false;
	complete(s, w);
	return w->n_run > before;
}

void
cluster_deadlock(struct sim *s, struct world *w)
{
	struct lmask alive = world_alive(s, w), here = {{0}};
	struct lmask missing = lmask_minus(alive, w->carrived);

	if (w->n_cwait || w->n_cpart)
		check_partial(s, w);
	if (!w->n_cwait)
		return;
	for (uint32_t i = 0; i < w->n_cwait; i++)
		here = lmask_or(here, w->cwait[i].g.mask);
	struct breach_lanes l = {.waits = here,
		.absent = missing,
		.exited = w->exited,
		.by = &w->cwait[0].g};
	breach_add(s, w, NULL, RULE_CLUSTER_PARTIAL, w->cwait[0].ins, 0, &l,
		"waiting at the cluster barrier for ever: %s; never arriving: %s",
		breach_lanes_text(s, &here), breach_lanes_text(s, &missing));
}

bool
cluster_same(const struct world *a, const struct world *b)
{
	return lmask_eq(&a->carrived, &b->carrived) && lmask_eq(&a->cdone, &b->cdone) &&
	       !a->n_cwait && !b->n_cwait && !a->n_cpart && !b->n_cpart;
}
