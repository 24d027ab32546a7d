/*
 * A steady-state genetic algorithm: of two parents, each the faster of two members drawn
 * at random, a child takes every parameter from one or the other, and one step away from
 * there now and then; it takes the place of the slowest member when it is faster.  A
 * child that is no candidate, or is known, is tried again from other parents, then from
 * one parent by a step alone.
 */
#include "search/search.h"

#include "base/arena.h"

enum { MEMBERS = 20 };

struct genetic {
	struct search_result v[MEMBERS];
	size_t n;
	size_t drawn; /* of the first generation */
};

static void
start(struct search *s)
{
	s->state = arena_new(s->a, struct genetic);
}

static const struct search_result *
parent(struct search *s)
{
	const struct genetic *g = s->state;
	const struct search_result *x = &g->v[rng_below(&s->rng, g->n)];
	const struct search_result *y = &g->v[rng_below(&s->rng, g->n)];
	return x->time <= y->time ? x : y;
}

static bool
cross(struct search *s, uint64_t *place)
{
	const struct field *f = s->ask.field;
	uint16_t x[SPEC_PARAMS_MAX], y[SPEC_PARAMS_MAX];
	f->nth(f->of, parent(s)->place, x);
	f->nth(f->of, parent(s)->place, y);
	for (size_t i = 0; i < f->n_params; i++)
		if (rng_below(&s->rng, 2))
			x[i] = y[i];
	if (!f->find(f->of, x, place))
		return false;
	return rng_below(&s->rng, 2) || field_step(f, &s->rng, x, place);
}

static bool
mutate(struct search *s, uint64_t *place)
{
	const struct field *f = s->ask.field;
	uint16_t choice[SPEC_PARAMS_MAX];
	f->nth(f->of, parent(s)->place, choice);
	return field_step(f, &s->rng, choice, place);
}

static bool
ask(struct search *s, uint64_t *place)
{
	enum { CROSSES = 20, MUTATIONS = 20 };
	struct genetic *g = s->state;
	if (g->drawn < MEMBERS || g->n < 2) {
		g->drawn++;
		return search_draw(s, place);
	}
	for (int i = 0; i < CROSSES; i++)
		if (cross(s, place) && !search_known(s, *place))
			return true;
	for (int i = 0; i < MUTATIONS; i++)
		if (mutate(s, place) && !search_known(s, *place))
			return true;
	return search_draw(s, place);
}

static void
tell(struct search *s, const struct search_result *r)
{
	struct genetic *g = s->state;
	size_t slowest = 0;
	if (r->outcome != SEARCH_TIMED)
		return;
	if (g->n < MEMBERS) {
		g->v[g->n++] = *r;
		return;
	}
	for (size_t i = 1; i < g->n; i++)
		if (g->v[i].time > g->v[slowest].time)
			slowest = i;
	if (r->time < g->v[slowest].time)
		g->v[slowest] = *r;
}

const struct strategy strategy_genetic = {
	.name = "genetic",
	.about = "children of the fastest candidates, crossed and mutated",
	.start = start,
	.ask = ask,
	.tell = tell,
};
