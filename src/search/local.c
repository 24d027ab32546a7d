/*
 * Local search with restarts: looks at the neighbours of where it stands in a random
 * order and goes to the first that is faster.  Where none is, it starts again a few steps
 * from the best candidate so far, every fourth time anywhere (iterated local search).
 */
#include "search/search.h"

#include "base/arena.h"

struct local {
	bool stands;
	uint64_t here;
	double time;
	uint64_t *near; /* neighbours of here, shuffled */
	size_t n_near, at;
	unsigned starts;
};

static void
start(struct search *s)
{
	s->state = arena_new(s->a, struct local);
}

static void
stand(struct search *s, const struct search_result *r)
{
	struct local *l = s->state;
	uint16_t choice[SPEC_PARAMS_MAX];
	l->stands = true;
	l->here = r->place;
	l->time = r->time;
	l->at = 0;
	s->ask.field->nth(s->ask.field->of, l->here, choice);
	l->n_near = field_neighbours(s->a, s->ask.field, choice, &l->near);
	for (size_t i = l->n_near; i > 1; i--) {
		size_t j = rng_below(&s->rng, i);
		uint64_t t = l->near[i - 1];
		l->near[i - 1] = l->near[j];
		l->near[j] = t;
	}
}

/* Some steps away from the best; false: go anywhere. */
static bool
kick(struct search *s, uint64_t *place)
{
	enum { TRIES = 32, FAR = 3, ANYWHERE = 4 };
	struct local *l = s->state;
	if (s->best == SEARCH_NONE || ++l->starts % ANYWHERE == 0)
		return false;
	for (int i = 0; i < TRIES; i++) {
		uint16_t choice[SPEC_PARAMS_MAX];
		*place = s->v[s->best].place;
		for (uint64_t n = 2 + rng_below(&s->rng, FAR); n; n--) {
			s->ask.field->nth(s->ask.field->of, *place, choice);
			if (!field_step(s->ask.field, &s->rng, choice, place))
				return false;
		}
		if (!search_known(s, *place))
			return true;
	}
	return false;
}

static bool
ask(struct search *s, uint64_t *place)
{
	struct local *l = s->state;
	while (l->stands && l->at < l->n_near) {
		const struct search_result *r = search_known(s, l->near[l->at++]);
		*place = l->near[l->at - 1];
		if (!r)
			return true;
		if (r->outcome == SEARCH_TIMED && r->time < l->time)
			stand(s, r);
	}
	if (search_waits(s))
		return false;
	l->stands = false;
	return kick(s, place) || search_draw(s, place);
}

static void
tell(struct search *s, const struct search_result *r)
{
	const struct local *l = s->state;
	if (r->outcome == SEARCH_TIMED && (!l->stands || r->time < l->time))
		stand(s, r);
}

const struct strategy strategy_local = {
	.name = "local",
	.about = "to a faster neighbour while there is one, then again from elsewhere",
	.start = start,
	.ask = ask,
	.tell = tell,
};
