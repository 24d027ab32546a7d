/*
 * Paired differences without assumptions about their distribution but symmetry:
 * Wilcoxon's signed-rank test (Wilcoxon, Biometrics Bulletin 1, 1945) and what belongs to
 * it, the Hodges-Lehmann estimate and its interval (Hodges and Lehmann, Ann. Math.
 * Statist. 34, 1963; Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
 * sections 3.1-3.3).
 *
 *     W+ = sum of the ranks of |d| over the positive d,  W- over the negative
 *     p  = min(1, 2 P(W <= min(W+, W-)))  over the 2^m signs of the m differences
 *                                         that are not zero
 *
 * Exact: the signs are counted by dynamic programming over the ranks, in 64-bit integers.
 * Ties have mid-ranks, and their distribution is the exact one of these mid-ranks.  Zeros
 * are ranked with the others and then left out (Pratt, JASA 54, 1959): so W+ is the
 * number of positive Walsh averages, and the test says what the interval says.  Where
 * there are ties or zeros the closed interval below covers at least as often as it says
 * (Noether, JASA 62, 1967).
 *
 * Two differences tie when their magnitudes are the same double.
 */
#ifndef PERF_SIGNED_RANK_H
#define PERF_SIGNED_RANK_H

#include <stddef.h>

enum { SIGNED_RANK_MAX = 64, WALSH_MAX = SIGNED_RANK_MAX * (SIGNED_RANK_MAX + 1) / 2 };

/* Two-sided, of d[0..n), all finite, n <= SIGNED_RANK_MAX.  1 when all are zero or n is
 * 0. */
double signed_rank_p(const double *d, size_t n);
/* The largest w with 2 P(W <= w) <= alpha for n differences without ties; -1: none, even
 * n of one sign prove nothing at this alpha. */
int signed_rank_critical(size_t n, double alpha);

/* The averages of every two differences, each with itself too, ascending. */
struct walsh {
	size_t n, n_averages;
	double v[WALSH_MAX];
};

struct walsh_interval {
	double low, high; /* infinite where n is too small for the level */
};

/* From d[0..n), all finite, 1 <= n <= SIGNED_RANK_MAX. */
void walsh_set(struct walsh *w, const double *d, size_t n);
/* The Hodges-Lehmann estimate of the centre of the differences: their median. */
double walsh_median(const struct walsh *w);
/* Of that centre, two-sided, with confidence of at least 1 - alpha: from the (c + 1)-th
 * smallest to the (c + 1)-th largest, c = signed_rank_critical(n, alpha). */
struct walsh_interval walsh_interval(const struct walsh *w, double alpha);

#endif
