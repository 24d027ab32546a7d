/*
 * What a run found: a rule, the instruction, the lanes that prove it, and how certain it
 * is.  A breach is certain (its severity that of the rule) in a world that nothing
 * unknown leads to; breach_add() judges that, and keeps one of each rule and place.
 */
#ifndef SIMT_BREACH_H
#define SIMT_BREACH_H

#include "ptx/lines.h"
#include "ptx/ptx.h"
#include "simt/rules.h"
#include "value/lanes.h"

struct sim;
struct world;
struct group;
struct condition;

/* What was found in one class. */
struct breach {
	enum gate_rule rule;
	enum gate_severity sev;
	const struct ptx_ins *ins; /* NULL: none */
	uint32_t frame;
	struct ptx_where at; /* where the user wrote it; line 0: not known */
	unsigned taint;
	bool conditional; /* happens only if unknowns are so */
	bool enough;      /* a hazard if its world's path is so */
	struct str message;
	struct lmask waits, elsewhere, absent, exited, unsure, reads; /* the witness */
	bool has_lanes;
	struct str note;
	const struct condition
		*when; /* it surely happens when arguments are so; or NULL */
};

struct breach_lanes {
	struct lmask waits, elsewhere, absent, exited, unsure;
	struct lmask reads; /* use a value of a lane that is not there; if there are any,
			       the other lanes are not concerned */
	const struct group *by; /* whose call stack the place is of, where no group is
				   blamed */
	bool unsure_here;       /* lanes may have been gone when it began */
	bool all_or_none; /* right only if all who could meet do, or nobody: none of them
			     is waited for elsewhere */
};
/* NULL when the same was reported before. */
struct breach *breach_add(struct sim *s, struct world *w, const struct group *g,
	enum gate_rule rule, const struct ptx_ins *ins, unsigned taint,
	const struct breach_lanes *lanes, const char *fmt, ...)
	__attribute__((format(printf, 8, 9)));
bool breach_same_place(const struct breach *a, const struct breach *b);
/* All worlds ended in a hazard, each in its own: what happens is certain. */
void breach_whatever(struct sim *s);
/* "warp 0, warp 1 lanes 0..15, warps 2..7". */
const char *breach_lanes_text(struct sim *s, const struct lmask *m);
/* The form of a verb that goes with breach_lanes_text. */
const char *breach_verb(const char *who, const char *one, const char *many);
/* Where the user wrote an instruction that is executed in a frame: a function of a header
 * is shown as the line that calls it.  Line 0 if the module has no line information. */
struct ptx_where breach_where(struct sim *s, const struct ptx_ins *ins, uint32_t frame);
/* "reduce.cu:27" or "PTX line 41". */
const char *breach_place(
	struct arena *a, const struct ptx_ins *ins, const struct ptx_where *at);

#endif
