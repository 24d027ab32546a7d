#include "backend/batch.h"

#include "base/arena.h"
#include "perf/stats.h"

#include <math.h>

enum { LAUNCHES_MAX = 4096 };

static bool
precise(struct arena *a, const double *v, size_t n)
{
	struct arena_mark mark = arena_mark(a);
	struct summary s = stats_summary(a, v, n);
	arena_pop(a, mark);
	return (s.high - s.low) / 2 <= BATCH_PRECISION * s.median;
}

bool
batch_enough(struct arena *a, const double *v, size_t n, int64_t elapsed_ns)
{
	if (n >= BATCH_MAX)
		return true;
	/* Three readings at least, so that there is an interval; a launch may be slow. */
	if (elapsed_ns >= BATCH_BUDGET_NS && n >= 3)
		return true;
	/* Twice in a row: once may be luck. */
	return n >= BATCH_MIN && precise(a, v, n - 1) && precise(a, v, n);
}

int64_t
batch_launches(double t_ns)
{
	double n = t_ns > 0 ? rint((double)BATCH_NS / t_ns) : LAUNCHES_MAX;
	return n < 1 ? 1 : n > LAUNCHES_MAX ? LAUNCHES_MAX : (int64_t)n;
}
