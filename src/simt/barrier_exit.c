/* Threads that are gone, or may be, when others come to a barrier. */
#include "simt/simt.h"

void
barrier_note_exits(struct sim *s, struct world *w, const struct lmask *here,
	const struct group *by, const struct ptx_ins *ins)
{
	struct lmask maybe = lmask_minus(w->may_exit, w->exited);
	const struct group *g = by && by->unc ? by : NULL; /* only possibly here */

	if (!lmask_empty(&w->exited)) {
		struct breach_lanes l = {.waits = *here, .exited = w->exited, .by = by};
		struct lmask past = lmask_and(w->exited, w->bypass);
		const char *how =
			lmask_empty(&past) ? "exited" : "went past it and exited";

		breach_add(s, w, g, RULE_BAR_EXITED, ins, 0, &l,
			"waiting here: %s; %s: %s", breach_lanes_text(s, here), how,
			breach_lanes_text(s, &w->exited));
	}
	if (!lmask_empty(&maybe)) {
		struct breach_lanes l = {
			.waits = lmask_minus(*here, maybe), .unsure = maybe, .by = by};

		breach_add(s, w, g, RULE_MAY_EXIT, ins, 0, &l,
			"%s may have exited before this barrier, depending on what is "
			"not known",
			breach_lanes_text(s, &maybe));
	}
}

void
barrier_note_missing_warps(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t count)
{
	struct lmask maybe = lmask_minus(w->may_exit, w->exited), gone = {{0}};

	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t here = lmask_warp(&g->mask, i);

		if (here && !(here & ~lmask_warp(&maybe, i)))
			lmask_add_warp(&gone, i, here);
	}
	if (lmask_empty(&gone))
		return;
	struct breach_lanes l = {.waits = lmask_minus(g->mask, gone), .unsure = gone};
	breach_add(s, w, g, RULE_MAY_EXIT, ins, 0, &l,
		"%s may have exited before this barrier, which counts %u threads",
		breach_lanes_text(s, &gone), count);
}
