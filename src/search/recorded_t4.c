/* T4 results: recorded.h.  Values of parameters are those that occur, in rising order. */
#include "search/recorded_parts.h"

#include "base/arena.h"

#include <math.h>

static const struct unit {
	const char *name;
	double ms;
} units[] = {
	{"", 1}, /* as Kernel Tuner leaves it */
	{"ms", 1},
	{"milliseconds", 1},
	{"miliseconds", 1}, /* as published files have it */
	{"s", 1e3},
	{"seconds", 1e3},
	{"us", 1e-3},
	{"microseconds", 1e-3},
	{"ns", 1e-6},
	{"nanoseconds", 1e-6},
};

static bool
unit_of(const struct json *v, double *ms, struct diag *d)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (v->kind == JSON_STRING && str_is(v->string, units[i].name)) {
			*ms = units[i].ms;
			return true;
		}
	diag_error(d, json_place(v),
		"an unknown unit of time: \"milliseconds\", \"seconds\", "
		"\"microseconds\" and \"nanoseconds\" are known");
	return false;
}

/* --- results ------------------------------------------------------------------------ */

/* "time" among the measurements. */
static const struct json *
measured_time(const struct json *result)
{
	const struct json *all = json_get(result, "measurements");
	if (all && all->kind == JSON_ARRAY)
		json_each(m, all) if (str_is(json_get_str(m, "name"), "time")) return m;
	return NULL;
}

static void
mean_of_times(struct recorded_row *row)
{
	double sum = 0;
	for (size_t i = 0; i < row->n_times; i++)
		sum += row->times_ms[i];
	row->time_ms = sum / (double)row->n_times;
	if (!(row->time_ms > 0 && row->time_ms < RECORDED_TIME_MAX_MS))
		row->fault = FAULT_RUNTIME;
}

static bool
read_time(struct recorded_row *row, const struct json *result, double ms, struct diag *d)
{
	const struct json *m = measured_time(result), *unit = json_get(m, "unit");
	const struct json *value = json_get(m, "value");
	if (unit && !(unit->kind == JSON_STRING && !unit->string.n) &&
		!unit_of(unit, &ms, d))
		return false;
	if (value)
		return recorded_time(row, value, ms, d);
	if (row->n_times) {
		mean_of_times(row);
		return true;
	}
	diag_error(d, json_place(result),
		"a correct result has a measurement \"time\" or \"runtimes\"");
	return false;
}

static void
read_phases(struct recorded_row *row, const struct json *times, double ms)
{
	static const char *const names[PHASES] = {
		[PHASE_COMPILE] = "compilation",
		[PHASE_VERIFICATION] = "validation",
		[PHASE_BENCHMARK] = "benchmark",
		[PHASE_STRATEGY] = "search_algorithm",
		[PHASE_FRAMEWORK] = "framework",
	};
	for (int i = 0; i < PHASES; i++)
		row->phase_ms[i] = ms * json_get_f64(times, names[i], row->phase_ms[i]);
	if (isnan(row->phase_ms[PHASE_COMPILE]))
		row->phase_ms[PHASE_COMPILE] =
			ms * json_get_f64(times, "compilation_time", NAN);
}

static bool
read_fault(struct recorded_row *row, const struct json *result, struct diag *d)
{
	const struct json *v = json_get(result, "invalidity");
	if (!v || (v->kind == JSON_STRING && recorded_fault_of(v->string, &row->fault)))
		return true;
	diag_error(d, json_place(v),
		"\"invalidity\" is one of timeout, compile, runtime, correctness, "
		"constraints and correct");
	return false;
}

static bool
read_result(struct arena *a, struct recorded *r, const struct json *result, double ms,
	struct diag *d)
{
	const struct json *times = json_get(result, "times");
	const struct json *runs = json_get(times, "runtimes");
	struct recorded_row *row = recorded_add_row(a, r);
	row->choice = recorded_choice(a, r, json_get(result, "configuration"), d);
	if (!read_fault(row, result, d))
		return false;
	read_phases(row, times, ms);
	row->timestamp = json_get_str(result, "timestamp");
	if (row->fault)
		return true;
	if (runs && !recorded_times(a, row, runs, ms, d))
		return false;
	return read_time(row, result, ms, d);
}

bool
recorded_read_t4(
	struct arena *a, struct recorded *r, const struct json *top, struct diag *d)
{
	const struct json *results = json_get(top, "results");
	const struct json *meta = json_get(top, "metadata");
	const struct json *unit = json_get(meta, "timeunit");
	double ms = 1;
	if (results->kind != JSON_ARRAY) {
		diag_error(d, json_place(results), "\"results\" is an array");
		return false;
	}
	if (unit && !unit_of(unit, &ms, d))
		return false;
	r->kernel = json_get_str(meta, "kernel_name");
	r->device = json_get_str(meta, "device_name");
	if (!recorded_collect(a, r, results, "configuration", d))
		return false;
	json_each(result, results) if (!read_result(a, r, result, ms, d)) return false;
	return true;
}
