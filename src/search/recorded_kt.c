/* Kernel Tuner's cache files: recorded.h. */
#include "search/recorded_parts.h"

#include "base/arena.h"

static const char *const phases[PHASES] = {
	[PHASE_COMPILE] = "compile_time",
	[PHASE_VERIFICATION] = "verification_time",
	[PHASE_BENCHMARK] = "benchmark_time",
	[PHASE_STRATEGY] = "strategy_time",
	[PHASE_FRAMEWORK] = "framework_time",
};

const char *
recorded_phase_kt(enum recorded_phase p)
{
	return phases[p];
}

static const struct json *
need(const struct json *of, const char *key, enum json_kind kind, struct diag *d)
{
	const struct json *v = json_get(of, key);
	if (v && v->kind == kind)
		return v;
	if (v)
		diag_error(d, json_place(v), "\"%s\" is %s, not %s", key,
			json_kind_name(kind), json_kind_name(v->kind));
	else
		diag_error(d, json_place(of), "there is no \"%s\" here", key);
	return NULL;
}

static bool
read_param(struct arena *a, struct recorded *r, const struct json *name,
	const struct json *all, struct diag *d)
{
	struct value v;
	if (name->kind != JSON_STRING) {
		diag_error(d, json_place(name), "a parameter's name is a string");
		return false;
	}
	const struct json *values = need(all, str_c(a, name->string), JSON_ARRAY, d);
	if (!values || !recorded_add_param(r, name, name->string, d))
		return false;
	struct recorded_param *p = &r->params[r->n_params - 1];
	json_each(
		e, values) if (!recorded_value(e, &v, d) ||
			       (recorded_find_value(p, v) < 0 &&
				       !recorded_add_value(a, p, e, v, d))) return false;
	return true;
}

static bool
read_params(struct arena *a, struct recorded *r, const struct json *top, struct diag *d)
{
	const struct json *names = need(top, "tune_params_keys", JSON_ARRAY, d);
	const struct json *all = need(top, "tune_params", JSON_OBJECT, d);
	if (!names || !all)
		return false;
	json_each(name, names) if (!read_param(a, r, name, all, d)) return false;
	return true;
}

static bool
read_choice(struct arena *a, const struct recorded *r, struct recorded_row *row,
	const struct json *of, struct diag *d)
{
	struct value v;
	row->choice = arena_news(a, r->n_params, uint16_t);
	for (size_t i = 0; i < r->n_params; i++) {
		const struct recorded_param *p = &r->params[i];
		const struct json *e = json_get(of, str_c(a, p->name));
		if (!e) {
			diag_error(d, json_place(of), "parameter '%.*s' has no value",
				STR_ARG(p->name));
			return false;
		}
		long index = recorded_value(e, &v, d) ? recorded_find_value(p, v) : -2;
		if (index == -1)
			diag_error(d, json_place(e),
				"this is none of the values of '%.*s' in "
				"\"tune_params\"",
				STR_ARG(p->name));
		if (index < 0)
			return false;
		row->choice[i] = (uint16_t)index;
	}
	return true;
}

static bool
read_outcome(struct recorded_row *row, const struct json *of, struct diag *d)
{
	const struct json *error = json_get(of, "__error__");
	const struct json *time = json_get(of, "time");
	if (!error && !time) {
		diag_error(d, json_place(of), "neither \"time\" nor \"__error__\" here");
		return false;
	}
	if (time && !error)
		return recorded_time(row, time, 1, d);
	/* An error that this program does not know is an error all the same. */
	row->fault = FAULT_RUNTIME;
	if (error->kind == JSON_STRING)
		recorded_fault_of(error->string, &row->fault);
	if (row->fault == FAULT_NONE)
		row->fault = FAULT_RUNTIME;
	return true;
}

static bool
read_entry(struct arena *a, struct recorded *r, const struct json *of, struct diag *d)
{
	if (of->kind != JSON_OBJECT) {
		diag_error(d, json_place(of), "an entry of the cache is an object");
		return false;
	}
	struct recorded_row *row = recorded_add_row(a, r);
	const struct json *times = json_get(of, "times");
	if (!read_choice(a, r, row, of, d) || !read_outcome(row, of, d))
		return false;
	if (times && !row->fault && !recorded_times(a, row, times, 1, d))
		return false;
	for (int i = 0; i < PHASES; i++)
		row->phase_ms[i] = json_get_f64(of, phases[i], row->phase_ms[i]);
	row->timestamp = json_get_str(of, "timestamp");
	return true;
}

static bool
read_problem(struct arena *a, struct recorded *r, const struct json *v, struct diag *d)
{
	if (!v || v->kind == JSON_NULL)
		return true;
	r->problem_is_list = v->kind == JSON_ARRAY;
	r->problem = arena_news(a, r->problem_is_list ? v->n : 1, struct value);
	if (!r->problem_is_list)
		return recorded_value(v, &r->problem[r->n_problem++], d);
	json_each(e,
		v) if (!recorded_value(e, &r->problem[r->n_problem++], d)) return false;
	return true;
}

bool
recorded_read_kt(
	struct arena *a, struct recorded *r, const struct json *top, struct diag *d)
{
	const struct json *cache = need(top, "cache", JSON_OBJECT, d);
	if (!cache || !read_params(a, r, top, d))
		return false;
	r->kernel = json_get_str(top, "kernel_name");
	r->device = json_get_str(top, "device_name");
	if (!read_problem(a, r, json_get(top, "problem_size"), d))
		return false;
	json_each(e, cache) if (!read_entry(a, r, e, d)) return false;
	return true;
}
