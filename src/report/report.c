#include "report/report.h"

#include "base/arena.h"
#include "base/die.h"
#include "perf/rank.h"
#include "report/misfit.h"

struct report
report_build(struct arena *a, struct ranking **rankings, size_t n, const char *dir)
{
	struct places places = places_begin(a, dir);
	struct report out = {.kernels = arena_news(a, n, struct report_kernel)};

	out.exit_status = rank_exit_status(rankings, n);
	for (size_t i = 0; i < n; i++) {
		if (misfit_of(rankings[i]))
			out.exit_status = EXIT_TROUBLE;
		out.kernels[out.n_kernels++] = (struct report_kernel){
			.r = rankings[i],
			.refused = hazards_of(&places, rankings[i], VERDICT_REFUSED),
			.caveats = hazards_of(&places, rankings[i], VERDICT_CAVEAT),
			.errors = hazards_of(&places, rankings[i], VERDICT_ERROR),
		};
		places_settle(&places, rankings[i]);
	}
	return out;
}
