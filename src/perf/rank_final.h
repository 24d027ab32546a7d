/*
 * What a final makes of a ranking: the set that cannot be told from the fastest, the
 * champion out of it, how much faster than the baseline it is, and how much of that is
 * claimed.  docs/reference/report.md states the levels.
 */
#ifndef PERF_RANK_FINAL_H
#define PERF_RANK_FINAL_H

#include "perf/objective.h"

/*
 * s is ordered by the screening (rank_order); its champion and ties are those of the
 * final when there was one that tells something, and stay as they are otherwise.  f is
 * NULL when no final was run; margin as in struct final_readings.  Texts of f are kept.
 * The objective is that of s's costs.
 */
void rank_final(struct arena *a, struct rank_size *s, const struct final_record *f,
	double margin, const struct objective *objective);

/* Once all comparisons with those outside the final are made: the times, and values of
 * the objective, of its members become those of the final. */
void rank_final_times(struct arena *a, struct rank_size *s, const struct final_record *f,
	double margin, const struct objective *objective);

/* Adds readings to the state that the device was in. */
void rank_state_add(struct rank_state *s, const struct reading *v, size_t n);
/* The worse of two: "shared: ..." > "mps" > "mig" > "unknown: ..." > "exclusive" > "". */
struct str rank_sharing(struct str x, struct str y);

#endif
