#include "search/simulate.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

static const double NEAR = 1.01;

static int
compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

/* Times of everything that costs an evaluation, in rising order. */
static double *
times_of(struct arena *a, struct simulation *s)
{
	const struct recorded *r = s->ask.recorded;
	double *v = arena_news(a, r->n, double);
	s->optimum_ms = INFINITY;
	for (size_t i = 0; i < r->n; i++) {
		double t;
		enum search_outcome o = recorded_outcome(r, i, &t);
		s->n_refused += o == SEARCH_REFUSED;
		s->n_failed += o == SEARCH_FAILED;
		if (o != SEARCH_TIMED)
			continue;
		v[s->n_timed++] = t;
		s->worst_ms = fmax(s->worst_ms, t);
		if (t < s->optimum_ms) {
			s->optimum_ms = t;
			s->optimum = i;
		}
	}
	for (size_t i = 0; i < s->n_failed; i++)
		v[s->n_timed + i] = s->worst_ms;
	qsort(v, s->n_timed, sizeof *v, compare);
	for (size_t i = 0; i < s->n_timed; i++)
		s->n_near += v[i] <= s->optimum_ms * NEAR;
	return v;
}

/* What random search has after e of n evaluations, on average. */
static double
expected(const double *v, size_t n, size_t e)
{
	double p = (double)e / (double)n, left = 1, sum = 0;
	for (size_t k = 0; k + e <= n && left > 1e-12; k++) {
		sum += p * v[k];
		left -= p;
		if (k + e < n)
			p *= (double)(n - k - e) / (double)(n - k - 1);
	}
	return sum;
}

static uint64_t
default_budget(const double *v, size_t n)
{
	static const double PART = 0.95;
	double goal = v[n / 2] - PART * (v[n / 2] - v[0]);
	size_t low = 1, high = n; /* the first that reaches the goal lies in between */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (expected(v, n, middle) <= goal)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* One run, added to the curve. */
static void
run(const struct simulation *s, struct simulate_curve *c, uint64_t seed)
{
	struct arena a = {0};
	struct field f = recorded_field(s->ask.recorded);
	struct search_ask ask = {&f, c->strategy, seed, s->ask.budget, s->ask.batch};
	struct search h = search_start(&a, &ask);
	double best = s->worst_ms;
	bool near = false;
	uint64_t e = 0;
	while (search_next(&h))
		while (search_waits(&h)) {
			double t;
			enum search_outcome o =
				recorded_outcome(s->ask.recorded, h.v[h.told].place, &t);
			search_tell(&h, o, t);
			if (o == SEARCH_REFUSED)
				continue;
			if (o == SEARCH_TIMED)
				best = fmin(best, t);
			c->best_ms[e++] += best;
			c->near += !near;
			near = near || best <= s->optimum_ms * NEAR;
		}
	for (; e < s->ask.budget; e++)
		c->best_ms[e] += best;
	c->n_near += near;
	arena_release(&a);
}

static double
score(const struct simulation *s, const struct simulate_curve *c)
{
	double sum = 0;
	size_t n = 0;
	for (size_t e = 0; e < s->ask.budget; e++) {
		double room = s->random_ms[e] - s->optimum_ms;
		if (room <= s->optimum_ms * 1e-9)
			break; /* random search is done */
		sum += (s->random_ms[e] - c->best_ms[e]) / room;
		n++;
	}
	return n ? sum / (double)n : 0;
}

struct simulation
simulate(struct arena *a, const struct simulate_ask *ask)
{
	struct simulation s = {.ask = *ask};
	const double *v = times_of(a, &s);
	size_t n = s.n_timed + s.n_failed;
	if (!s.ask.budget)
		s.ask.budget = default_budget(v, n);
	if (s.ask.budget > n)
		s.ask.budget = n;
	s.random_near = (double)(n + 1) / (double)(s.n_near + 1);
	s.random_ms = arena_news(a, s.ask.budget, double);
	for (size_t e = 0; e < s.ask.budget; e++)
		s.random_ms[e] = expected(v, n, e + 1);
	s.curves = arena_news(a, ask->n_strategies, struct simulate_curve);
	for (size_t i = 0; i < ask->n_strategies; i++) {
		struct simulate_curve *c = &s.curves[i];
		c->strategy = ask->strategies[i];
		c->best_ms = arena_news(a, s.ask.budget, double);
		for (size_t k = 0; k < ask->seeds; k++)
			run(&s, c, ask->seed + k);
		for (size_t e = 0; e < s.ask.budget; e++)
			c->best_ms[e] /= (double)ask->seeds;
		c->near /= (double)ask->seeds;
		c->score = score(&s, c);
	}
	return s;
}
