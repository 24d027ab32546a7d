/*
 * What the space and the budget call for: a few candidates in order, many by a surrogate.
 * docs/explanation/search.md has the numbers that this rests on.
 */
#include "search/search.h"

extern const struct strategy strategy_exhaustive, strategy_surrogate;

enum { FEW = 32 };

static void
start(struct search *s)
{
	bool few = s->ask.field->count <= FEW && s->ask.budget == s->ask.field->count;
	s->ask.strategy = few ? &strategy_exhaustive : &strategy_surrogate;
	s->ask.strategy->start(s);
}

const struct strategy strategy_auto = {
	.name = "auto",
	.about = "one of these, by the size of the space and the budget",
	.start = start,
};
