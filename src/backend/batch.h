/*
 * When to stop timing: docs/explanation/measuring.md.  The interval is that of
 * perf/stats.h, which knows that batches in a row are not independent.
 */
#ifndef BACKEND_BATCH_H
#define BACKEND_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { BATCH_MIN = 6, BATCH_MAX = 30 };

/* Length of one batch, and the time after which a candidate that does not settle (or is
 * slow) is let go with what there is. */
#define BATCH_NS        ((int64_t)2 * 1000 * 1000)
#define BATCH_BUDGET_NS ((int64_t)250 * 1000 * 1000)

/* Largest half-width of the interval, relative to the median, that is good enough. */
#define BATCH_PRECISION 0.005

/* Enough, after the n-th reading and elapsed_ns of timing? */
bool batch_enough(struct arena *a, const double *readings, size_t n, int64_t elapsed_ns);
/* Launches a batch for a launch of t_ns: at least 1, at most 4096. */
int64_t batch_launches(double t_ns);

#endif
