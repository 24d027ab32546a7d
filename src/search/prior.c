/*
 * By an estimate: the candidates that it likes best first, every fifth one at random
 * because estimates are wrong (launchbound's own model correlates with its measurements
 * between 0.00 and 0.94), and so are those of which it has no opinion.  Equal ones come
 * in a random order: an estimate often sees a few parameters only.  Of a space too large
 * to be estimated whole, a sample is.  Without an estimate this is the random strategy.
 */
#include "search/search.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

enum { ESTIMATED_MAX = 200000, RANDOM_EVERY = 5 };

struct guess {
	double time;
	uint64_t place, dice; /* dice: which of equal ones */
};

struct prior {
	struct guess *v;
	size_t n, at, asked;
};

static int
compare(const void *x, const void *y)
{
	const struct guess *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->dice > b->dice) - (a->dice < b->dice);
}

static void
start(struct search *s)
{
	const struct field *f = s->ask.field;
	struct prior *p = s->state = arena_new(s->a, struct prior);
	if (!f->estimate)
		return;
	size_t n = f->count < ESTIMATED_MAX ? f->count : ESTIMATED_MAX;
	p->v = arena_news(s->a, n, struct guess);
	for (size_t i = 0; i < n; i++) {
		uint64_t place =
			f->count > ESTIMATED_MAX ? rng_below(&s->rng, f->count) : i;
		double time = f->estimate(f->of, place);
		if (!isnan(time))
			p->v[p->n++] = (struct guess){time, place, rng_next(&s->rng)};
	}
	qsort(p->v, p->n, sizeof *p->v, compare);
}

static bool
ask(struct search *s, uint64_t *place)
{
	struct prior *p = s->state;
	while (p->at < p->n && search_known(s, p->v[p->at].place))
		p->at++;
	if (p->at == p->n || ++p->asked % RANDOM_EVERY == 0)
		return search_draw(s, place);
	*place = p->v[p->at++].place;
	return true;
}

const struct strategy strategy_prior = {
	.name = "prior",
	.about = "what an estimate likes best first, every fifth at random",
	.by_estimate = true,
	.start = start,
	.ask = ask,
};
