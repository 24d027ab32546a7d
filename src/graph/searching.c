#include "graph/searching.h"

#include "base/arena.h"
#include "base/fs.h"
#include "graph/printer.h"
#include "model/result.h"
#include "perf/objective.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- is there one? ------------------------------------------------------------------ */

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
	if (pk->space->count == SPACE_MANY) {
		diag_error(d, pk->k->at,
			"'%.*s' has 2^64 candidates or more: too many to search; add "
			"constraints or drop values",
			STR_ARG(pk->k->name));
		return false;
	}
	return true;
}

void
searching_restart(struct searching *q)
{
	q->search = search_start(q->a, &q->ask);
	q->batches = q->n_timed = q->n_failed = q->n_refused = 0;
	q->device_s = 0;
	q->over = NULL;
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
	pk->searches = arena_news(a, pk->k->n_sizes, struct searching);
	for (size_t i = 0; i < pk->k->n_sizes; i++) {
		struct searching *q = &pk->searches[i];
		*q = (struct searching){.a = a,
			.plan = p,
			.pk = pk,
			.size = i,
			.budget = s.budget,
			.objective = objective_of(a, pk->k),
			.field = field_of_space(pk->space)};
		q->ask = (struct search_ask){.field = &q->field,
			.strategy = strategy_find(s.strategy.s),
			.seed = s.seed,
			.budget = s.budget.candidates,
			.batch = s.batch};
		searching_restart(q);
	}
	return true;
}

/* --- what files say ------------------------------------------------------------------
 */

static uint32_t
sizes_of(const struct plan_kernel *pk, uint64_t place, uint16_t *choice)
{
	return space_nth(pk->space, place, choice);
}

struct worth {
	struct arena *a;
	struct scope scope;
	double ns;
};

static bool
lookup(void *env, struct str name, struct value *out)
{
	struct worth *w = env;
	const struct kernel *k = w->scope.k;
	struct diag d = {.limit = 1, .errors = 2};
	*out = (struct value){.kind = VALUE_REAL, .f = w->ns * 1e-9};
	if (str_is(name, "time_s"))
		return true;
	if (str_is(name, "bytes"))
		return candidate_number(w->a, &w->scope, k->work_bytes, &out->f, &d);
	if (str_is(name, "flops"))
		return candidate_number(w->a, &w->scope, k->work_flops, &out->f, &d);
	return scope_lookup(&w->scope, name, out);
}

/* The objective; where that asks for joules, which only finalists have, the time. */
static double
cost_of(struct arena *a, const struct searching *q, const struct candidate *c, double ns)
{
	const struct kernel *k = q->pk->k;
	struct worth w = {a, {k, c, &k->sizes[q->size], q->plan->device}, ns};
	struct value v;
	struct str why;
	if (!q->objective)
		return ns;
	if (!expr_eval(a, q->objective, lookup, &w, &v, &why) || v.kind == VALUE_STRING)
		return (double)NAN;
	return v.kind == VALUE_REAL ? v.f : (double)v.i;
}

/* Batches are many launches: what the device spent is their sum. */
static double
device_seconds(const struct result *r)
{
	double ns = 0;
	for (size_t i = 0; i < r->n_readings; i++)
		ns += r->readings[i].ns;
	return ns * 1e-9 *
	       (double)(r->launches_per_batch > 0 ? r->launches_per_batch : 1);
}

static bool
read_quietly(
	struct arena *a, const char *path, struct result **r, struct verdict_file **v)
{
	/* What is damaged is as if it were not there: who needs it says so. */
	struct diag d = {.limit = 1, .errors = 2};
	if (!fs_exists(path))
		return false;
	if (r)
		return (*r = result_read(a, path, &d)) != NULL;
	return (*v = verdict_file_read(a, path, &d)) != NULL;
}

struct told {
	enum search_outcome outcome;
	double time, device_s;
};

static bool
outcome_of(struct arena *a, const struct searching *q, uint64_t place, struct told *t,
	struct str *point)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	const struct plan_kernel *pk = q->pk;
	struct candidate c = {choice, sizes_of(pk, place, choice)};
	struct verdict_file *f = NULL;
	struct result *r = NULL;
	*t = (struct told){.outcome = SEARCH_REFUSED};
	if (!(c.sizes >> q->size & 1))
		return true;
	*point = str_fmt(a, "%.*s@%.*s", STR_ARG(candidate_name(a, pk->k, &c)),
		STR_ARG(pk->k->sizes[q->size].name));
	const char *verdicts = str_fmt(a, "%s/gate/%.*s.verdict.json", pk->dir,
		STR_ARG(specialization_name(a, pk->k, &c)))
				       .s;
	const struct verdict *v = NULL;
	if (read_quietly(a, verdicts, NULL, &f))
		v = verdict_file_find(f, *point);
	if (!v)
		return false;
	/* What does not compile was not refused: it counts. */
	if (!verdict_admitted(v, pk->k->admit)) {
		if (v->kind == VERDICT_ERROR)
			t->outcome = SEARCH_FAILED;
		return true;
	}
	if (!read_quietly(a, str_fmt(a, "%s/bench/%.*s.json", pk->dir, STR_ARG(*point)).s,
		    &r, NULL))
		return false;
	t->outcome = r->status == RESULT_OK ? SEARCH_TIMED : SEARCH_FAILED;
	t->time = cost_of(a, q, &c, r->median_ns);
	t->device_s = device_seconds(r);
	return true;
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
	struct told *told = arena_news(&a, n, struct told);
	bool ok = true;
	for (size_t i = 0; i < n && ok; i++)
		ok = outcome_of(&a, q, s->v[s->told + i].place, &told[i], missing);
	if (!ok)
		*missing = str_dup(q->a, *missing);
	for (size_t i = 0; i < n && ok; i++) {
		const struct search_result *r = &s->v[s->told];
		search_tell(s, told[i].outcome, told[i].time);
		q->device_s += told[i].device_s;
		q->n_timed += r->outcome == SEARCH_TIMED;
		q->n_failed += r->outcome == SEARCH_FAILED;
		q->n_refused += r->outcome == SEARCH_REFUSED;
	}
	arena_release(&a);
	return ok;
}

/* --- asking --------------------------------------------------------------------------
 */

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

/* --- the graph's candidates -----------------------------------------------------------
 */

struct wanted {
	uint64_t place;
	uint32_t sizes;
};

struct wanted_list {
	struct arena *a;
	struct wanted *v;
	size_t n, cap;
};

static void
want(struct wanted_list *l, uint64_t place, uint32_t sizes)
{
	arena_grow(l->a, l->v, l->n, l->cap);
	l->v[l->n++] = (struct wanted){place, sizes};
}

static void
want_baseline(struct wanted_list *l, const struct plan_kernel *pk)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	const struct kernel *k = pk->k;
	uint64_t place;
	for (size_t i = 0; k->baseline && i < k->n_params; i++)
		for (size_t v = 0; v < k->params[i].n_values; v++)
			if (value_eq(k->params[i].values[v], k->baseline[i].value))
				choice[i] = (uint16_t)v;
	uint32_t sizes = k->baseline ? space_find(pk->space, choice, &place) : 0;
	if (sizes)
		want(l, place, sizes);
}

static int
by_place(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;
	return (a->place > b->place) - (a->place < b->place);
}

struct candidate *
searching_list(struct arena *a, const struct plan_kernel *pk, bool waiting, size_t *n)
{
	struct wanted_list l = {.a = a};
	want_baseline(&l, pk);
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		const struct searching *q = &pk->searches[z];
		size_t end = waiting && !q->over ? q->search.n : q->search.told;
		for (size_t i = 0; i < end; i++)
			want(&l, q->search.v[i].place, UINT32_C(1) << z);
	}
	if (l.n)
		qsort(l.v, l.n, sizeof *l.v, by_place);
	struct candidate *v = arena_news(a, l.n + 1, struct candidate);
	*n = 0;
	for (size_t i = 0, next; i < l.n; i = next) {
		uint16_t *choice = arena_news(a, pk->k->n_params + 1, uint16_t);
		uint32_t sizes = 0;
		for (next = i; next < l.n && l.v[next].place == l.v[i].place; next++)
			sizes |= l.v[next].sizes;
		sizes &= sizes_of(pk, l.v[i].place, choice);
		if (sizes)
			v[(*n)++] = (struct candidate){choice, sizes};
	}
	return v;
}

/* --- what is told of it ----------------------------------------------------------------
 */

static void
put_asked(struct arena *a, struct json_out *o, const struct searching *q)
{
	static const char *const names[] = {"pending", "timed", "failed", "refused"};
	json_open_array(o, "asked", false);
	for (size_t i = 0; i < q->search.n; i++) {
		uint16_t choice[SPEC_PARAMS_MAX];
		const struct search_result *r = &q->search.v[i];
		struct candidate c = {choice, sizes_of(q->pk, r->place, choice)};
		if (i >= q->search.told && q->over)
			break;
		json_open_object(o, NULL);
		json_put_str(o, "candidate", candidate_name(a, q->pk->k, &c));
		json_put_c(o, "outcome", names[r->outcome]);
		json_put_f64(
			o, "time_ns", r->outcome == SEARCH_TIMED ? r->time : (double)NAN);
		json_close_object(o);
	}
	json_close_array(o);
}

void
searching_put(struct json_out *o, const char *key, const struct plan_kernel *pk)
{
	const struct searching *all = pk->searches;
	json_open_object(o, key);
	json_put_f64(o, "candidates", (double)pk->space->count);
	json_put_c(o, "strategy", all->ask.strategy->name);
	json_put_str(o, "budget", all->budget.text);
	json_put_f64(o, "seed", (double)all->ask.seed);
	json_put_f64(o, "batch", (double)all->ask.batch);
	json_open_object(o, "over");
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		const char *size = str_c(o->b.a, pk->k->sizes[z].name);
		if (all[z].over)
			json_put_c(o, size, all[z].over);
		else
			json_put_null(o, size);
	}
	json_close_object(o);
	json_close_object(o);
}

struct str
searching_text(struct arena *a, const struct plan_kernel *pk)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/search.v1");
	json_put_str(&o, "kernel", pk->k->name);
	searching_put(&o, "search", pk);
	json_open_array(&o, "sizes", false);
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		json_open_object(&o, NULL);
		json_put_str(&o, "size", pk->k->sizes[z].name);
		put_asked(a, &o, &pk->searches[z]);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
