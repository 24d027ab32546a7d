/*
 * Made-up times for a real space, rugged as those of GPU kernels are.  Of a seed and a
 * choice alone, so that a test can look any candidate up:
 *
 *     ln t = sum_i w_i |x_i - p_i|^1.5        each parameter has a place where it is best
 *          + sum_jk v_jk |x_j + x_k - p_jk|   pairs that have to fit together
 *          + 0.18 * floor(6 * load)           steps, as occupancy has
 *          + 0.03 * noise                     no two candidates are alike
 *
 * x_i is the index of a value over the last index.  Few parameters matter much: w_i falls
 * as 1.2 / rank^1.5 over a shuffle of the parameters; there are as many pairs as half the
 * parameters, v_jk between 0 and 0.6.  The load is a weighted mean of a third of the
 * parameters, and above 0.9 of its own range four in five candidates fail, as they do
 * where registers or shared memory run out.
 */
#ifndef TESTS_UNIT_LANDSCAPE_H
#define TESTS_UNIT_LANDSCAPE_H

#include "base/rng.h"
#include "search/search.h"

#include <math.h>

struct landscape {
	const struct field *field;
	uint64_t seed;
	double weight[SPEC_PARAMS_MAX], best[SPEC_PARAMS_MAX], load[SPEC_PARAMS_MAX];
	size_t n_pairs;
	struct landscape_pair {
		size_t x, y;
		double weight, best;
	} pairs[SPEC_PARAMS_MAX];
};

static inline struct landscape
landscape_make(const struct field *f, uint64_t seed)
{
	struct landscape l = {.field = f, .seed = seed};
	struct rng r = {seed};
	size_t varied[SPEC_PARAMS_MAX], n = 0;
	for (size_t i = 0; i < f->n_params; i++)
		if (f->n_values[i] > 1)
			varied[n++] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(&r, i), t = varied[i - 1];
		varied[i - 1] = varied[j];
		varied[j] = t;
	}
	double total = 0;
	for (size_t i = 0; i < n; i++) {
		l.weight[varied[i]] = 1.2 / pow((double)(i + 1), 1.5);
		l.best[varied[i]] = rng_unit(&r);
		if (i % 3 == 0)
			total += l.load[varied[i]] = 0.2 + rng_unit(&r);
	}
	for (size_t i = 0; i < n; i++)
		l.load[varied[i]] /= total;
	for (l.n_pairs = 0; n > 1 && l.n_pairs < n / 2; l.n_pairs++)
		l.pairs[l.n_pairs] = (struct landscape_pair){varied[rng_below(&r, n)],
			varied[rng_below(&r, n)], 0.6 * rng_unit(&r), 2 * rng_unit(&r)};
	return l;
}

/* Milliseconds; 0: it fails. */
static inline double
landscape_time(const struct landscape *l, uint64_t place)
{
	const struct field *f = l->field;
	uint16_t choice[SPEC_PARAMS_MAX];
	double x[SPEC_PARAMS_MAX] = {0}, sum = 0, load = 0;
	uint64_t key = l->seed;
	f->nth(f->of, place, choice);
	for (size_t i = 0; i < f->n_params; i++) {
		key = rng_at(key, choice[i]);
		if (f->n_values[i] > 1)
			x[i] = choice[i] / (f->n_values[i] - 1.0);
		sum += l->weight[i] * pow(fabs(x[i] - l->best[i]), 1.5);
		load += l->load[i] * x[i];
	}
	for (size_t i = 0; i < l->n_pairs; i++) {
		const struct landscape_pair *p = &l->pairs[i];
		sum += p->weight * fabs(x[p->x] + x[p->y] - p->best);
	}
	struct rng r = {key};
	if (load > 0.9 && rng_below(&r, 5))
		return 0;
	double noise = rng_unit(&r) + rng_unit(&r) + rng_unit(&r) - 1.5;
	return 0.1 * exp(sum + 0.18 * floor(6 * load) + 0.03 * 2 * noise);
}

#endif
