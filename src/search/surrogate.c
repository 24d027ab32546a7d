/*
 * A random forest learns ln(time) from the results, and the candidates with the largest
 * expected improvement on the best one come next (Jones, Schonlau, Welch, Journal of
 * Global Optimization 1998; with a forest as in SMAC: Hutter, Hoos, Leyton-Brown, LION
 * 2011).  Looked at are the neighbours of the best candidates, steps around those, and a
 * sample of all; a small space is looked at whole.
 *
 * What is slow is uninteresting however slow it is: times above the median, and failures,
 * count as the median, so that the trees spend their splits on the fast part.
 *
 * The forest is grown again for every batch, later whenever the results are a twentieth
 * more, so that a search of n evaluations takes about n log n.
 */
#include "search/forest.h"
#include "search/search.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

enum {
	LEARNT_MAX =
		1000, /* results that the forest learns from: half of them the best */
	POOL_WHOLE = 2000, /* a space that is looked at whole; else: */
	POOL_DRAWN = 1000, /* candidates drawn from all of it, */
	POOL_BEST = 10,    /* neighbours of so many results, and */
	POOL_STEPS = 200,  /* candidates two steps from those */
};

struct idea {
	double gain;
	uint64_t place, dice; /* dice: which of equal ones */
};

struct surrogate {
	size_t first; /* evaluations at random before it */
	struct idea *ideas;
	size_t n_ideas, cap_ideas, at, end;
	size_t grown; /* results when the ideas were had */
	struct place_map pooled;
	struct arena scratch;
};

static void
start(struct search *s)
{
	struct surrogate *u = s->state = arena_new(s->a, struct surrogate);
	size_t some = s->ask.field->n_params / 2 + 4;
	u->first = some < s->ask.budget / 4 ? some : s->ask.budget / 4 + 1;
}

/* --- learning ----------------------------------------------------------------------- */

static int
by_time(const void *x, const void *y)
{
	const struct search_result *const *a = x, *const *b = y;
	double s = (*a)->outcome == SEARCH_TIMED ? (*a)->time : (double)INFINITY;
	double t = (*b)->outcome == SEARCH_TIMED ? (*b)->time : (double)INFINITY;
	if (s != t)
		return s < t ? -1 : 1;
	return ((*a)->place > (*b)->place) - ((*a)->place < (*b)->place);
}

/* Results told, fastest first, failures last; refused ones are failures. */
static const struct search_result **
sorted(struct arena *a, const struct search *s)
{
	const struct search_result **v =
		arena_array(a, s->told, sizeof(const struct search_result *));
	for (size_t i = 0; i < s->told; i++)
		v[i] = &s->v[i];
	qsort(v, s->told, sizeof(const struct search_result *), by_time);
	return v;
}

static struct forest
learn(struct search *s, const struct search_result *const *v, size_t n_timed)
{
	struct surrogate *u = s->state;
	size_t n = s->told < LEARNT_MAX ? s->told : LEARNT_MAX, best = n / 2;
	const struct field *f = s->ask.field;
	uint16_t *x = arena_news(&u->scratch, n * f->n_params, uint16_t);
	double *y = arena_news(&u->scratch, n, double);
	double slow = log(v[n_timed / 2]->time);
	for (size_t i = 0; i < n; i++) {
		/* Beyond the best ones, evenly among the rest. */
		size_t j =
			i < best ? i : best + (i - best) * (s->told - best) / (n - best);
		f->nth(f->of, v[j]->place, x + i * f->n_params);
		y[i] = j < n_timed ? fmin(log(v[j]->time), slow) : slow;
	}
	return forest_fit(&u->scratch, &s->rng, x, y, n, f->n_params);
}

/* --- what to look at ---------------------------------------------------------------- */

static void
consider(struct search *s, uint64_t place)
{
	struct surrogate *u = s->state;
	if (search_known(s, place) || place_map_get(&u->pooled, place, NULL))
		return;
	place_map_put(&u->pooled, place, 0);
	arena_grow(s->a, u->ideas, u->n_ideas, u->cap_ideas);
	u->ideas[u->n_ideas++] = (struct idea){0, place, rng_next(&s->rng)};
}

static void
consider_near(struct search *s, uint64_t place)
{
	struct surrogate *u = s->state;
	const struct field *f = s->ask.field;
	uint16_t choice[SPEC_PARAMS_MAX];
	uint64_t *near, step;
	f->nth(f->of, place, choice);
	size_t n = field_neighbours(&u->scratch, f, choice, &near);
	for (size_t i = 0; i < n; i++)
		consider(s, near[i]);
	for (size_t i = 0; i < POOL_STEPS / POOL_BEST; i++) {
		f->nth(f->of, place, choice);
		if (!field_step(f, &s->rng, choice, &step))
			continue;
		f->nth(f->of, step, choice);
		if (field_step(f, &s->rng, choice, &step))
			consider(s, step);
	}
}

static void
consider_some(struct search *s, const struct search_result *const *v, size_t n_timed)
{
	uint64_t count = s->ask.field->count;
	struct surrogate *u = s->state;
	u->n_ideas = 0;
	u->pooled = (struct place_map){.a = &u->scratch};
	for (uint64_t i = 0; i < (count <= POOL_WHOLE ? count : POOL_DRAWN); i++)
		consider(s, count <= POOL_WHOLE ? i : rng_below(&s->rng, count));
	for (size_t i = 0; i < POOL_BEST && i < n_timed && count > POOL_WHOLE; i++)
		consider_near(s, v[i]->place);
}

/* --- expected improvement ----------------------------------------------------------- */

static double
improvement(double best, double mean, double variance)
{
	double sd = sqrt(variance);
	if (sd <= 0)
		return best > mean ? best - mean : 0;
	double z = (best - mean) / sd;
	static const double ROOT_2 = 1.41421356237309505, ROOT_2PI = 2.50662827463100050;
	return (best - mean) * 0.5 * erfc(-z / ROOT_2) + sd * exp(-z * z / 2) / ROOT_2PI;
}

static int
by_gain(const void *x, const void *y)
{
	const struct idea *a = x, *b = y;
	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	return (a->dice > b->dice) - (a->dice < b->dice);
}

static void
think(struct search *s)
{
	struct surrogate *u = s->state;
	const struct search_result **v = sorted(&u->scratch, s);
	const struct field *field = s->ask.field;
	uint16_t x[SPEC_PARAMS_MAX];
	size_t n_timed = 0;
	while (n_timed < s->told && v[n_timed]->outcome == SEARCH_TIMED)
		n_timed++;
	u->at = u->end = u->n_ideas = 0;
	u->grown = s->told;
	if (n_timed) {
		struct forest f = learn(s, v, n_timed);
		consider_some(s, v, n_timed);
		for (size_t i = 0; i < u->n_ideas; i++) {
			double mean, variance;
			field->nth(field->of, u->ideas[i].place, x);
			forest_predict(&f, x, &mean, &variance);
			u->ideas[i].gain = improvement(log(v[0]->time), mean, variance);
		}
		qsort(u->ideas, u->n_ideas, sizeof *u->ideas, by_gain);
		size_t most = s->ask.batch + s->told / 20;
		u->end = u->n_ideas < most ? u->n_ideas : most;
	}
	arena_release(&u->scratch);
}

static bool
ask(struct search *s, uint64_t *place)
{
	struct surrogate *u = s->state;
	if (s->n < u->first || s->best == SEARCH_NONE)
		return search_draw(s, place);
	if (s->told > u->grown + u->grown / 20)
		think(s);
	while (u->at < u->end) {
		*place = u->ideas[u->at++].place;
		if (!search_known(s, *place))
			return true;
	}
	return search_draw(s, place);
}

const struct strategy strategy_surrogate = {
	.name = "surrogate",
	.about = "what a random forest expects to improve most on the best",
	.start = start,
	.ask = ask,
};
