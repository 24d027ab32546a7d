/* What a collective gives each lane, collected lane by lane and written at once. */
#ifndef SIMT_LANE_OUT_H
#define SIMT_LANE_OUT_H

#include "simt/simt.h"

struct lane_out {
	uint64_t v[LANES_MAX];
	uint32_t s[LANES_MAX];
	bool set[LANES_MAX];
};

/* Nothing is set.  There are two, for results 0 and 1, used again and again. */
struct lane_out *lane_out_begin(struct sim *s, unsigned k);

static inline void
lane_out_set(struct lane_out *o, unsigned t, struct cell c)
{
	o->v[t] = c.v;
	o->s[t] = c.s;
	o->set[t] = true;
}

/* Into a register of g's lanes; nothing if d is none, or does not matter. */
void lane_out_write(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *d, struct lane_out *o);
/* Result k of a collective: d, or one of d|p.  NULL: there is none. */
const struct ptx_operand *lane_out_dst(const struct ptx_ins *ins, unsigned k);

/* vote.c: vote, redux and match; `there` as in collective_results. */
void vote_results(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there);

#endif
