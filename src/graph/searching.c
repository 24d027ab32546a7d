#include "graph/searching.h"

#include "base/arena.h"
#include "graph/outcome.h"

void
searching_restart(struct searching *q)
{
	q->search = search_start(q->a, &q->ask);
	q->batches = q->n_timed = q->n_failed = q->n_refused = 0;
	q->device_s = 0;
	q->over = NULL;
}

bool
searching_waits(const struct searching *q)
{
	return search_waits(&q->search) && !q->over;
}

bool
searching_learn(struct searching *q, struct str *missing)
{
	struct search *s = &q->search;
	struct arena a = {0};
	size_t n = s->n - s->told;
	struct outcome *told = arena_news(&a, n, struct outcome);
	bool ok = true;
	for (size_t i = 0; i < n && ok; i++)
		ok = outcome_read(&a, q, s->v[s->told + i].place, &told[i], missing);
	if (!ok)
		*missing = str_dup(q->a, *missing);
	for (size_t i = 0; i < n && ok; i++) {
		const struct search_result *r = &s->v[s->told];
		search_tell(s, told[i].kind, told[i].cost);
		q->device_s += told[i].device_s;
		q->n_timed += r->outcome == SEARCH_TIMED;
		q->n_failed += r->outcome == SEARCH_FAILED;
		q->n_refused += r->outcome == SEARCH_REFUSED;
	}
	arena_release(&a);
	return ok;
}

/* What the batches before the one that waits took. */
static double
wall_seconds(const struct searching *q)
{
	double s = 0;
	for (size_t i = 0; i + 1 < q->batches && i < q->plan->n_wall; i++)
		s += q->plan->wall_s[i];
	return s;
}

/* A batch of which all is known costs no time, so that an end by the clock comes before
 * the first one that would have to run. */
static bool
in_time(struct searching *q)
{
	if (q->budget.kind != BUDGET_WALL || wall_seconds(q) < q->budget.seconds)
		return true;
	q->over = "its time is spent";
	return false;
}

static bool
may_ask(struct searching *q)
{
	if (q->over)
		return false;
	if (q->budget.kind == BUDGET_DEVICE && q->device_s >= q->budget.seconds)
		q->over = "its device time is spent";
	else if (q->search.n >= SEARCHING_ASKED_MAX)
		q->over = "it asked for as many as a graph holds";
	else if (!search_next(&q->search))
		q->over = q->search.told < q->field.count ? "its budget is spent"
							  : "it asked for all";
	q->batches += !q->over;
	return !q->over;
}

bool
searching_ask(struct searching *q)
{
	return (searching_waits(q) || may_ask(q)) && in_time(q);
}

void
searching_recall(struct searching *q)
{
	struct str missing;
	while (searching_waits(q) || may_ask(q))
		if (!searching_learn(q, &missing)) {
			in_time(q);
			return;
		}
}
