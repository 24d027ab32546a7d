/*
 * Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 1983): a step to a slower
 * candidate is taken with probability exp(-ln(slower / here) / T).  Times enter as
 * ratios, so that T has no unit: from 0.1 (a candidate 10 % slower is taken two times
 * in five) it falls to 0.003 over the budget, by the same factor with every evaluation.
 */
#include "search/search.h"

#include "base/arena.h"

#include <math.h>

struct anneal {
	bool stands;
	uint64_t here;
	double time;
};

static void
start(struct search *s)
{
	s->state = arena_new(s->a, struct anneal);
}

static void
consider(struct search *s, const struct search_result *r)
{
	static const double HOT = 0.1, COLD = 0.003;
	struct anneal *t = s->state;
	if (r->outcome != SEARCH_TIMED)
		return;
	double done = (double)s->spent / (double)s->ask.budget;
	double heat = HOT * pow(COLD / HOT, done);
	if (t->stands && rng_unit(&s->rng) >= exp(log(t->time / r->time) / heat))
		return;
	*t = (struct anneal){true, r->place, r->time};
}

/* Steps over what is known already, as far as it is taken, to something new. */
static bool
ask(struct search *s, uint64_t *place)
{
	enum { TRIES = 100 };
	const struct anneal *t = s->state;
	uint16_t choice[SPEC_PARAMS_MAX];
	for (int i = 0; i < TRIES && t->stands; i++) {
		s->ask.field->nth(s->ask.field->of, t->here, choice);
		if (!field_step(s->ask.field, &s->rng, choice, place))
			break;
		const struct search_result *r = search_known(s, *place);
		if (!r)
			return true;
		consider(s, r);
	}
	return search_draw(s, place);
}

const struct strategy strategy_anneal = {
	.name = "anneal",
	.about = "simulated annealing over the neighbours",
	.start = start,
	.ask = ask,
	.tell = consider,
};
