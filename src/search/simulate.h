/*
 * Strategies run over a recorded space, which needs no GPU: how fast the best candidate
 * so far falls with evaluations, averaged over seeds, and how that compares with drawing
 * at random.
 *
 * Random search is not run but worked out: after e of N evaluations without repetition
 * the best is the k-th fastest with probability C(N - k, e - 1) / C(N, e), k from 1.
 *
 * The score is that of Willemsen, Schoonhoven, Filipovic, Torring, van Nieuwpoort, van
 * Werkhoven, "A methodology for comparing optimization algorithms for auto-tuning",
 * Future Generation Computer Systems 159, 2024, counted in evaluations instead of
 * seconds: the mean over the budget of
 *
 *     (random(e) - best(e)) / (random(e) - optimum)
 *
 * 0 is as good as random, 1 has the optimum from the first evaluation on, and below 0 is
 * worse than random.  What failed counts as the slowest time while nothing else is known;
 * what was refused was never run, and counts for neither.
 */
#ifndef SEARCH_SIMULATE_H
#define SEARCH_SIMULATE_H

#include "search/recorded.h"

struct simulate_ask {
	const struct recorded *recorded;
	const struct strategy *const *strategies;
	size_t n_strategies;
	uint64_t budget; /* evaluations; 0: as long as random search takes to come from
			    the median 95 % of the way to the optimum */
	size_t seeds;    /* runs of each strategy: seed, seed + 1, ... */
	uint64_t seed;
	size_t batch;
};

struct simulate_curve {
	const struct strategy *strategy;
	double *best_ms; /* [e]: mean over the seeds after e + 1 evaluations */
	double score;
	double near;   /* mean evaluations until the best is within 1 % of the optimum; a
			  run that ends before counts with all it had */
	size_t n_near; /* runs that came there */
};

struct simulation {
	struct simulate_ask ask; /* with the budget that was used */
	size_t n_timed, n_failed, n_refused;
	size_t n_near;  /* candidates within 1 % of the optimum */
	size_t optimum; /* index of a row */
	double optimum_ms, worst_ms;
	double *random_ms;  /* as best_ms */
	double random_near; /* evaluations that random search needs on average */
	struct simulate_curve *curves;
};

/* The recorded space must have a candidate with a time. */
struct simulation simulate(struct arena *a, const struct simulate_ask *ask);

struct str simulation_text(struct arena *a, const struct simulation *s);
/* Schema lanewise/simulate.v1. */
struct str simulation_json(struct arena *a, const struct simulation *s);

#endif
