/*
 * The final: what is claimed about the fastest candidates of one problem, from readings
 * that were taken for this and nothing else (docs/explanation/measuring.md, "The final").
 *
 * A round visits every member twice: in a random order, then in that order backwards.  So
 * all members have the same mean position in it, and what changes steadily during a round
 * cancels in every difference between two of them.  The rounds are the independent
 * pieces:
 *
 *     level(m, r) = (log first visit + log second visit) / 2
 *     d(r)        = level(i, r) - level(j, r)
 *     ratio i/j   = exp(Hodges-Lehmann(d)),  interval and p: perf/signed_rank.h
 *
 * The best is chosen by the same readings, so any pair may become one that counts: the
 * p of all pairs of members (but the control) are adjusted together (perf/holm.h).
 *
 * There are at most three looks, and the error is divided among them: alpha = 0.02,
 * 0.015 and 0.015, at 10 (or as many more as the number of pairs needs), 20 and 40
 * rounds.
 *
 * Pure: no clock, no device.  Nothing here says whether the device was ours alone; who
 * knows that lowers the claim.
 */
#ifndef PERF_FINAL_H
#define PERF_FINAL_H

#include "base/arena.h"
#include "model/final_record.h"
#include "perf/signed_rank.h"

#define FINAL_MARGIN 0.005 /* differences below it are nobody's concern */

enum { FINAL_LOOKS = 3, FINAL_MAX_ROUNDS = SIGNED_RANK_MAX };

/*
 * Who takes part, by role (model/final_record.h).  Candidates and the baseline, of which
 * there is at most one, may be the best.  The control, at most one, is one of these a
 * second time.  An audit lost its race and shows whether that was right.  A reference is
 * compared and never chosen.
 */
struct final_entry {
	struct str label;
	enum final_role role;
	size_t of;     /* FINAL_CONTROL: the index of the entry it is again */
	size_t record; /* its index among the members of its record (perf/final_input.h)
			*/
};

struct final_readings {
	const struct final_entry *members;
	size_t n_members, n_rounds;
	const double *ns; /* of one launch; [(round * 2 + visit) * n_members + member] */
	double margin;    /* 0: FINAL_MARGIN */
};

static inline size_t
final_index(const struct final_readings *r, size_t round, size_t visit, size_t member)
{
	return (round * 2 + visit) * r->n_members + member;
}

/* The order of the 2 n visits of a round: member indices, a function of the
 * arguments alone. */
void final_schedule(uint64_t seed, size_t round, size_t n_members, size_t *order);

/* --- looks ----------------------------------------------------------------------- */

/* Rounds after which to look (and not in between: every look spends its alpha), look = 0,
 * 1, 2; n_members without the control.  The first is the least number, 10 to 19, after
 * which rounds that all agree can decide all pairs: pairs 2 / 2^rounds <= alpha. */
size_t final_rounds(size_t n_members, size_t look);
/* What the error of one look may be. */
double final_alpha(size_t look);

/* --- the decision ---------------------------------------------------------------- */

enum final_verdict {
	FINAL_UNRESOLVED, /* neither a difference nor its absence was shown */
	FINAL_BEST,       /* whom the others are compared with */
	FINAL_SLOWER,     /* final_slower */
	FINAL_WITHIN,     /* slower, but by less than the margin */
	FINAL_TIED,       /* equivalent within the margin (perf/tost.h) */
	FINAL_FASTER,     /* than the best: only of an audit or a reference */
};

/* The time of one member over that of another. */
struct final_pair {
	double ratio;
	double low, high;   /* confidence 1 - alpha; 0 and infinity: too few rounds */
	double p, adjusted; /* adjusted is NaN for a pair with the control */
};

struct final_standing {
	struct final_pair to_best;  /* this member over the best; of the best: ratio 1 */
	enum final_verdict verdict; /* of the control: tells nothing, see control_ok */
	bool in_set;                /* may be the best, or as good within the margin */
};

enum final_claim {
	FINAL_NO_CLAIM, /* the control is not ok: these readings tell nothing */
	FINAL_OBSERVED, /* there is no control, the audit failed, or it is short */
	FINAL_PROVEN,   /* if the device was ours alone */
};

struct final_decision {
	size_t n_members, n_rounds, best;
	struct final_standing *v; /* [n_members], as in the readings */
	struct final_pair *pairs; /* [n_members * n_members]; see final_pair */
	size_t n_in_set;

	size_t look;               /* 0, 1, 2: which one so many rounds are */
	double alpha;              /* of this look */
	double margin;             /* as a ratio above 1 */
	size_t next_rounds;        /* look again after so many in all; 0: this is final */
	bool control_exists;       /* then: */
	bool control_ok;           /* within the margin of its twin */
	bool control_apart;        /* told from its twin: p <= alpha */
	struct final_pair control; /* the control over its twin */
	/* A ratio up to here is within what the control differs by, and not claimed:
	 * exp(|log control.ratio| + half of its interval of logarithms), and the margin
	 * at least when it is told from its twin; 1: no control.
	 */
	double floor;
	bool audit_failed; /* who lost a race was not shown to be slower */
	bool is_short;     /* fewer rounds than the first look has: nothing is proven */
	enum final_claim claim;
};

/* NULL, or what is wrong with the readings (a number that is not positive, two controls,
 * a role out of place ...): for whoever reads them from a file. */
const char *final_problem(const struct final_readings *r);
/* The readings have no problem: BUG otherwise. */
struct final_decision *final_decide(struct arena *a, const struct final_readings *r);

/* Member i over member j: the champion need not be the best. */
static inline const struct final_pair *
final_pair(const struct final_decision *d, size_t i, size_t j)
{
	return &d->pairs[i * d->n_members + j];
}

/* Member i was shown to be slower than j: adjusted p <= alpha, the interval is above 1,
 * and the ratio above the floor.  False when one of them is the control. */
bool final_slower(const struct final_decision *d, size_t i, size_t j);

const char *final_verdict_name(enum final_verdict v); /* unresolved, best, ... */

#endif
