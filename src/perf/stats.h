/*
 * Statistics of the readings of one candidate (docs/explanation/model.md, "Intervals").
 *
 * Consecutive batches are correlated: clocks and temperature drift.  So the interval is a
 * t-interval with the effective sample size
 *
 *     n_eff = n (1 - r) / (1 + r)        r = lag-1 autocorrelation, clamped to [0, 0.9]
 *     half  = t(0.975, max(2, n_eff - 1)) * s / sqrt(n_eff)
 *
 * around the median, s the standard deviation of the readings.  Nothing is dropped as an
 * outlier: that would narrow the interval.
 */
#ifndef PERF_STATS_H
#define PERF_STATS_H

#include "base/arena.h"

#include <stdbool.h>

struct summary {
	size_t n;
	double median;
	double mean, deviation; /* sample standard deviation; NaN when n < 2 */
	double correlation;     /* lag 1, clamped; 0 when n < 3 */
	double n_effective;
	double low, high; /* 95 % interval of the median; NaN when n < 3 */
};

/* In the order they were taken; all must be finite.  n = 0: everything NaN. */
struct summary stats_summary(struct arena *a, const double *v, size_t n);
double stats_median(struct arena *a, const double *v, size_t n); /* NaN when n is 0 */
/* Two-sided 95 % quantile of Student's t; df rounds down, so never too narrow. */
double stats_t95(double df);

#endif
