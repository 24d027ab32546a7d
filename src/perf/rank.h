/*
 * Ranking the candidates of one kernel at one size: what is fastest, what cannot be told
 * from it, and which of those is chosen.  docs/reference/report.md states the rules for
 * users.
 *
 * Never a win inside noise: a candidate ties with the fastest when their 95 % intervals
 * touch or their medians are within 0.5 %.  Without an interval (fewer than 3 readings)
 * +-5 % is taken for one.  Measurements and estimates are never ranked together: as soon
 * as one candidate was measured, estimates are left out.
 */
#ifndef PERF_RANK_H
#define PERF_RANK_H

#include "perf/ranking.h"

#define RANK_MARGIN 0.005 /* medians this near are a tie */
#define RANK_NEAR   0.02  /* medians of the screening this near go into the final */
#define RANK_BLIND  0.05  /* half width assumed when there is no interval */

/*
 * Takes v[0..n), all RESULT_OK and admitted; orders them by median (then by preference),
 * sets tie and champion.  Of the ties the champion is, in this order: clean before
 * caveat, verified before not, no spills, the smaller footprint of a block (registers x
 * threads x 4
 * + shared bytes), fewer parameters off the baseline, the smaller id.
 */
void rank_order(struct rank_entry *v, size_t n);

/* The order of that preference: negative when x is to be chosen. */
int rank_prefer(const struct rank_entry *x, const struct rank_entry *y);

/* True when the two cannot be told apart. */
bool rank_tie(const struct rank_entry *x, const struct rank_entry *y);
/* True when x is faster than y beyond the margin and (both measured) beyond noise. */
bool rank_faster(const struct rank_entry *x, const struct rank_entry *y);

/* Why the champion was chosen before another of its ties: "it does not spill". */
const char *rank_why(const struct rank_entry *champion, const struct rank_entry *other);

/* Fills s->speedup* from the baseline and the champion among the ranked. */
void rank_speedup(struct rank_size *s);

/*
 * What `tune` and `report` exit with over all kernels: EXIT_YES a safe choice for every
 * kernel and size that has one; EXIT_NO there is, but a refused candidate was measured to
 * be faster; EXIT_UNSURE (3) some kernel has no admissible candidate at some size.
 */
int rank_exit_status(struct ranking *const *v, size_t n);

#endif
