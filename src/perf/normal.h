/*
 * Screening times brought to one window.  Candidates are timed one after the other, and
 * the device drifts meanwhile; each window has a bracket, the same candidate (the anchor)
 * timed right before and right after it (model/result.h).  A time counts as a multiple of
 * its bracket:
 *
 *     factor = usual / sqrt(before * after)      usual: the median over all windows of
 *                                                this anchor
 *
 * Windows of different anchors, and those without a bracket, cannot be brought together
 * better than they are: factor 1 on the whole.
 */
#ifndef PERF_NORMAL_H
#define PERF_NORMAL_H

#include "model/result.h"

/* factor[i] of v[i] (NULL: 1), for v[0..n) of one problem. */
void normal_factors(
	struct arena *a, const struct result *const *v, size_t n, double *factor);

#endif
