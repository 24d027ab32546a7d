#include "base/arena.h"
#include "space/space_part.h"

struct asking {
	struct arena *a;
	const struct kernel *k;
	struct space_ask ask;
	bool *off;
	uint64_t steps; /* left for all counts together */
};

/* Candidates with the constraints that are not off, or SPACE_MANY. */
static uint64_t
count_now(struct asking *q)
{
	uint64_t n = SPACE_MANY;
	struct arena_mark m = arena_mark(q->a);
	q->ask.steps = q->steps;
	const struct space *s = q->steps ? space_ask(q->a, q->k, &q->ask, NULL) : NULL;
	if (s)
		n = s->count;
	q->steps -= s && s->steps < q->steps ? s->steps : q->steps;
	arena_pop(q->a, m);
	return n;
}

static uint64_t
difference(uint64_t more, uint64_t less)
{
	return more == SPACE_MANY || less == SPACE_MANY ? SPACE_MANY : more - less;
}

static void
set_off(struct asking *q, bool off)
{
	for (size_t i = 0; i < q->k->n_constraints; i++)
		q->off[i] = off;
}

static void
fill(struct asking *q, struct space_why *w)
{
	size_t n = q->k->n_constraints;
	uint64_t before = w->raw;
	set_off(q, true);
	for (size_t i = 0; i < n; i++) {
		q->off[i] = false;
		uint64_t left = count_now(q);
		w->removed[i] = difference(before, left);
		before = left;
	}
	for (size_t i = 0; i < n; i++) {
		set_off(q, true);
		q->off[i] = false;
		w->broken[i] = difference(w->raw, count_now(q));
		set_off(q, false);
		q->off[i] = true;
		w->without[i] = count_now(q);
	}
}

struct space_why *
space_explain(struct arena *a, const struct kernel *k, const struct space_ask *ask,
	struct diag *d)
{
	struct space_why *w = arena_new(a, struct space_why);
	size_t n = k->n_constraints;
	struct asking q = {.a = a, .k = k, .ask = *ask, .steps = SPACE_STEPS_MAX};
	const struct space *s = space_ask(a, k, ask, d);
	if (!s)
		return NULL;
	w->raw = s->raw;
	w->count = s->count;
	w->removed = arena_news(a, n, uint64_t);
	w->broken = arena_news(a, n, uint64_t);
	w->without = arena_news(a, n, uint64_t);
	q.off = arena_news(a, n, bool);
	q.ask.off = q.off;
	q.ask.lenient = true;
	fill(&q, w);
	return w;
}
