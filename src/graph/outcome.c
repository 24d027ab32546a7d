#include "graph/outcome.h"

#include "base/arena.h"
#include "base/fs.h"
#include "model/result.h"
#include "model/verdict.h"

#include <math.h>

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

bool
outcome_read(struct arena *a, const struct searching *q, uint64_t place,
	struct outcome *out, struct str *missing)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	const struct plan_kernel *pk = q->pk;
	struct candidate c = {choice, space_nth(pk->space, place, choice)};
	struct verdict_file *f = NULL;
	struct result *r = NULL;
	*out = (struct outcome){.kind = SEARCH_REFUSED};
	if (!(c.sizes >> q->size & 1))
		return true;
	*missing = str_fmt(a, "%.*s@%.*s", STR_ARG(candidate_name(a, pk->k, &c)),
		STR_ARG(pk->k->sizes[q->size].name));
	const char *verdicts = str_fmt(a, "%s/gate/%.*s.verdict.json", pk->dir,
		STR_ARG(specialization_name(a, pk->k, &c)))
				       .s;
	const struct verdict *v = NULL;
	if (read_quietly(a, verdicts, NULL, &f))
		v = verdict_file_find(f, *missing);
	if (!v)
		return false;
	/* What does not compile was not refused: it counts. */
	if (!verdict_admitted(v, pk->k->admit)) {
		if (v->kind == VERDICT_ERROR)
			out->kind = SEARCH_FAILED;
		return true;
	}
	if (!read_quietly(a,
		    str_fmt(a, "%s/bench/%.*s.json", pk->dir, STR_ARG(*missing)).s, &r,
		    NULL))
		return false;
	out->kind = r->status == RESULT_OK ? SEARCH_TIMED : SEARCH_FAILED;
	out->cost = cost_of(a, q, &c, r->median_ns);
	out->device_s = device_seconds(r);
	return true;
}
