#include "perf/normal.h"

#include "base/arena.h"
#include "base/map.h"
#include "perf/stats.h"

#include <math.h>

/* What the anchor takes in the window; NaN without a bracket. */
static double
level(const struct result *r)
{
	if (!r || !r->window.anchor.n)
		return (double)NAN;
	double level = sqrt(r->window.before_ns * r->window.after_ns);
	return isfinite(level) && level > 0 ? level : (double)NAN;
}

static double
usual_level(struct arena *a, const struct result *const *v, size_t n, struct str anchor)
{
	struct arena_mark mark = arena_mark(a);
	double *levels = arena_news(a, n, double);
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(level(v[i])) && str_eq(v[i]->window.anchor, anchor))
			levels[found++] = level(v[i]);
	double median = stats_median(a, levels, found);
	arena_pop(a, mark);
	return median;
}

void
normal_factors(struct arena *a, const struct result *const *v, size_t n, double *factor)
{
	struct map anchors = {.a = a};
	double *usual = arena_news(a, n, double);

	for (size_t i = 0; i < n; i++) {
		bool added;
		factor[i] = 1;
		if (!isfinite(level(v[i])))
			continue;
		size_t at = map_put(&anchors, v[i]->window.anchor, &added);
		if (added)
			usual[at] = usual_level(a, v, n, v[i]->window.anchor);
		factor[i] = usual[at] / level(v[i]);
	}
}
