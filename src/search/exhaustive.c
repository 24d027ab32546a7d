/* All candidates in the order of the space. */
#include "search/search.h"

#include "base/arena.h"

static void
start(struct search *s)
{
	s->state = arena_new(s->a, uint64_t);
}

static bool
ask(struct search *s, uint64_t *place)
{
	uint64_t *next = s->state;
	*place = *next;
	return (*next)++ < s->ask.field->count;
}

const struct strategy strategy_exhaustive = {
	.name = "exhaustive",
	.about = "all candidates, in order",
	.start = start,
	.ask = ask,
};
