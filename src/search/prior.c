/*
 * By an estimate: the candidates that it likes best first, every fifth one at random
 * because estimates are wrong (launchbound's own model correlates with its measurements
 * between 0.00 and 0.94).  Of a space too large to be estimated whole, a sample is.
 * Without an estimate this is the random strategy.
 */
#include "search/search.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

enum { ESTIMATED_MAX = 200000, RANDOM_EVERY = 5 };

struct guess {
	double time;
	uint64_t place;
};

struct prior {
	struct guess *v;
	size_t n, at, asked;
};

/* No opinion comes last. */
static int
compare(const void *x, const void *y)
{
	const struct guess *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void
start(struct search *s)
{
	const struct field *f = s->ask.field;
	struct prior *p = s->state = arena_new(s->a, struct prior);
	if (!f->estimate)
		return;
	p->n = f->count < ESTIMATED_MAX ? f->count : ESTIMATED_MAX;
	p->v = arena_news(s->a, p->n, struct guess);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t place =
			f->count > ESTIMATED_MAX ? rng_below(&s->rng, f->count) : i;
		double time = f->estimate(f->of, place);
		p->v[i] = (struct guess){isnan(time) ? (double)INFINITY : time, place};
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
	.start = start,
	.ask = ask,
};
