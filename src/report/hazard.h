/*
 * Hazards: the findings of a kernel, gathered over all its candidates and sizes.  One
 * hazard is one rule at one source line; the same barrier is unsafe for many candidates,
 * and a person wants to read it once.
 */
#ifndef REPORT_HAZARD_H
#define REPORT_HAZARD_H

#include "perf/ranking.h"
#include "report/places.h"

/* A candidate, and the sizes at which it has the hazard. */
struct hazard_case {
	struct str label;
	uint32_t n_sizes;
	struct str *sizes;
};

struct hazard {
	const struct finding *example; /* of the first candidate */
	struct str example_label, example_size, example_launch;
	struct place_of at;
	struct str excerpt[3]; /* source lines at.line - 1, at.line, at.line + 1 */
	struct map labels;     /* of the cases, in their order */
	struct hazard_case *cases;
	size_t n_cases, cap_cases;
	size_t n_points;
};

struct hazards {
	struct hazard *v; /* in the order in which they were met */
	size_t n, cap;
};

/* Findings of this kind in all entries of all sizes; caveats only of those whose verdict
 * is no worse. */
struct hazards hazards_of(
	struct places *p, const struct ranking *r, enum verdict_kind kind);

#endif
