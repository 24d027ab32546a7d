/* What a search is to do: strategy, budget and batch, of the command line and the spec.
 */
#include "graph/searching.h"

#include "base/arena.h"
#include "graph/guess.h"
#include "graph/printer.h"
#include "perf/objective.h"

#include <inttypes.h>

static const struct strategy *
named_strategy(const struct name *name, struct diag *d)
{
	enum { MANY = 26 };
	struct str names[MANY];
	const struct strategy *s = strategy_find(name->s);
	size_t n = 0;
	for (; strategies[n]; n++)
		names[n] = str_of(strategies[n]->name);
	struct str near = str_nearest(name->s, names, n);
	if (!s && near.n)
		diag_error(d, name->at, "unknown strategy '%.*s' (did you mean '%.*s'?)",
			STR_ARG(name->s), STR_ARG(near));
	else if (!s)
		diag_error(d, name->at,
			"unknown strategy '%.*s'; 'lanewise simulate --list' prints them",
			STR_ARG(name->s));
	return s;
}

/* The command line goes before the spec. */
static struct search_spec
merged(const struct search_spec *spec, const struct search_spec *line)
{
	struct search_spec s = *spec;
	if (line->strategy.s.n)
		s.strategy = line->strategy;
	if (line->budget.kind)
		s.budget = line->budget;
	if (line->seed)
		s.seed = line->seed;
	if (line->batch)
		s.batch = line->batch;
	return s;
}

static uint64_t
clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* docs/explanation/search.md has what 'auto' needs: 0.3 to 2.5 % of a space. */
static struct budget
default_budget(struct arena *a, uint64_t count)
{
	uint64_t n = clamp(count / 20, 200, 1000);
	if (n > count)
		n = count;
	return (struct budget){.kind = BUDGET_CANDIDATES,
		.candidates = n,
		.text = str_fmt(a, "%" PRIu64, n)};
}

static bool
wants_all(const struct search_spec *s, uint64_t count)
{
	if (!s->budget.kind && str_is(s->strategy.s, "exhaustive"))
		return true;
	if (count > SEARCHING_ALL_MAX)
		return false;
	if (!s->budget.kind)
		return !s->strategy.s.n;
	return s->budget.kind == BUDGET_CANDIDATES && s->budget.candidates >= count;
}

static bool
check_budget(const struct plan *p, const struct plan_kernel *pk,
	const struct search_spec *s, struct diag *d)
{
	if (s->budget.kind == BUDGET_DEVICE && !plan_measures(p)) {
		diag_error(d, (struct place){0},
			"a budget of device time, '%.*s', needs a device: nothing is "
			"measured here; give a number of candidates",
			STR_ARG(s->budget.text));
		return false;
	}
	const struct strategy *by = strategy_find(s->strategy.s);
	if (by && by->by_estimate && !guess_is_possible(p)) {
		diag_error(d, s->strategy.at,
			"strategy '%s' goes by the estimate of a launch on a GPU, and "
			"'%.*s' is none: take 'auto' or 'random'",
			by->name, STR_ARG(p->device->name));
		return false;
	}
	if (pk->space->count == SPACE_MANY) {
		diag_error(d, pk->k->at,
			"'%.*s' has 2^64 candidates or more: too many to search; add "
			"constraints or drop values",
			STR_ARG(pk->k->name));
		return false;
	}
	return true;
}

static const struct expr *
objective_of(struct arena *a, const struct kernel *k)
{
	struct objective o = {0};
	struct diag d = {.limit = 1, .errors = 2};
	if (!objective_parse(a, k->objective.s, &o, &d) || o.joules)
		return NULL;
	return o.expr;
}

bool
searching_open(
	struct arena *a, const struct plan *p, struct plan_kernel *pk, struct diag *d)
{
	struct search_spec s = merged(&pk->k->search, &p->search);
	if (!s.strategy.s.n)
		s.strategy.s = s.budget.kind ? STR_LIT("auto") : (struct str){0};
	if (s.strategy.s.n && !named_strategy(&s.strategy, d))
		return false;
	if (wants_all(&s, pk->space->count))
		return true;
	if (!check_budget(p, pk, &s, d))
		return false;
	if (!s.strategy.s.n)
		s.strategy.s = STR_LIT("auto");
	if (!s.budget.kind)
		s.budget = default_budget(a, pk->space->count);
	if (!s.batch)
		s.batch = s.budget.kind == BUDGET_CANDIDATES
				  ? clamp(s.budget.candidates / 16, 8, 64)
				  : 16;
	const struct strategy *by = strategy_find(s.strategy.s);
	pk->searches = arena_news(a, pk->k->n_sizes, struct searching);
	for (size_t i = 0; i < pk->k->n_sizes; i++) {
		struct searching *q = &pk->searches[i];
		*q = (struct searching){.a = a,
			.plan = p,
			.pk = pk,
			.size = i,
			.budget = s.budget,
			.objective = objective_of(a, pk->k),
			.field = by->by_estimate ? guess_field(a, p, pk, i)
						 : field_of_space(pk->space)};
		q->ask = (struct search_ask){.field = &q->field,
			.strategy = by,
			.seed = s.seed,
			.budget = s.budget.candidates,
			.batch = s.batch};
		searching_restart(q);
	}
	return true;
}
