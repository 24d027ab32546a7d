#include "search/search.h"

#include "base/arena.h"

#include <math.h>

extern const struct strategy strategy_auto, strategy_exhaustive, strategy_random,
	strategy_prior, strategy_local, strategy_anneal, strategy_genetic,
	strategy_surrogate;

/* One line a strategy, in the order of the help. */
const struct strategy *const strategies[] = {
	&strategy_auto,
	&strategy_exhaustive,
	&strategy_random,
	&strategy_prior,
	&strategy_local,
	&strategy_anneal,
	&strategy_genetic,
	&strategy_surrogate,
	NULL,
};

const struct strategy *
strategy_find(struct str name)
{
	for (size_t i = 0; strategies[i]; i++)
		if (str_is(name, strategies[i]->name))
			return strategies[i];
	return NULL;
}

struct search
search_start(struct arena *a, const struct search_ask *ask)
{
	struct search s = {.a = a,
		.ask = *ask,
		.rng = {ask->seed},
		.best = SEARCH_NONE,
		.index = {.a = a},
		.moved = {.a = a}};
	if (!s.ask.budget || s.ask.budget > ask->field->count)
		s.ask.budget = ask->field->count;
	if (!s.ask.batch)
		s.ask.batch = 1;
	if (s.ask.strategy->start)
		s.ask.strategy->start(&s);
	return s;
}

const struct search_result *
search_known(const struct search *s, uint64_t place)
{
	uint64_t i;
	return place_map_get(&s->index, place, &i) ? &s->v[i] : NULL;
}

/* The next of a Fisher-Yates shuffle of all places, of which only what moved is kept. */
bool
search_draw(struct search *s, uint64_t *place)
{
	uint64_t count = s->ask.field->count;
	while (s->drawn < count) {
		uint64_t here = s->drawn, there = here + rng_below(&s->rng, count - here);
		uint64_t first = here;
		*place = there;
		place_map_get(&s->moved, here, &first);
		place_map_get(&s->moved, there, place);
		place_map_put(&s->moved, there, first);
		s->drawn++;
		if (!search_known(s, *place))
			return true;
	}
	return false;
}

static void
add(struct search *s, uint64_t place)
{
	if (place >= s->ask.field->count || search_known(s, place))
		BUG("strategy '%s' repeats itself", s->ask.strategy->name);
	arena_grow(s->a, s->v, s->n, s->cap);
	place_map_put(&s->index, place, s->n);
	s->v[s->n++] = (struct search_result){.place = place};
}

size_t
search_next(struct search *s)
{
	size_t n = 0;
	uint64_t place;
	if (search_waits(s))
		BUG("%zu candidates have no result yet", s->n - s->told);
	while (n < s->ask.batch && s->spent + n < s->ask.budget) {
		bool some = s->ask.strategy->ask(s, &place);
		if (!some && n)
			break;
		if (!some && !search_draw(s, &place))
			break;
		add(s, place);
		n++;
	}
	return n;
}

void
search_tell(struct search *s, enum search_outcome o, double time)
{
	struct search_result *r = &s->v[s->told];
	if (!search_waits(s) || o == SEARCH_PENDING)
		BUG("a result that nobody waits for");
	if (o == SEARCH_TIMED && !(isfinite(time) && time > 0))
		o = SEARCH_FAILED;
	r->outcome = o;
	r->time = o == SEARCH_TIMED ? time : 0;
	s->spent += o != SEARCH_REFUSED;
	if (o == SEARCH_TIMED && (s->best == SEARCH_NONE || time < s->v[s->best].time))
		s->best = s->told;
	s->told++;
	/* All of a batch at once, so that what a strategy knows does not depend on how
	 * many of them have been told when it is asked. */
	if (search_waits(s) || !s->ask.strategy->tell)
		return;
	for (; s->heard < s->told; s->heard++)
		s->ask.strategy->tell(s, &s->v[s->heard]);
}

bool
search_replay(struct search *s, const struct search_result *v, size_t n, size_t *at)
{
	for (*at = 0; *at < n; ++*at) {
		if (!search_waits(s) && !search_next(s))
			return false;
		if (s->v[s->told].place != v[*at].place ||
			v[*at].outcome == SEARCH_PENDING)
			return false;
		search_tell(s, v[*at].outcome, v[*at].time);
	}
	if (!search_waits(s))
		search_next(s);
	return true;
}
