/* The writers of recorded.h. */
#include "search/csv.h"
#include "search/recorded_parts.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/param_json.h"

#include <math.h>

static void
put_choice(struct arena *a, struct json_out *o, const struct recorded *r,
	const struct recorded_row *row)
{
	for (size_t i = 0; i < r->n_params; i++)
		value_put(o, str_c(a, r->params[i].name),
			&r->params[i].values[row->choice[i]]);
}

static void
put_times(struct json_out *o, const char *key, const struct recorded_row *row)
{
	json_open_array(o, key, true);
	for (size_t i = 0; i < row->n_times; i++)
		json_put_f64(o, NULL, row->times_ms[i]);
	json_close_array(o);
}

static double
phase(const struct recorded_row *row, enum recorded_phase p)
{
	return isnan(row->phase_ms[p]) ? 0 : row->phase_ms[p];
}

/* --- Kernel Tuner ------------------------------------------------------------------- */

static const char *
key_of(struct arena *a, const struct recorded *r, const struct recorded_row *row)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < r->n_params; i++) {
		buf_adds(&b, i ? "," : "");
		buf_addstr(
			&b, recorded_value_text(a, r->params[i].values[row->choice[i]]));
	}
	return buf_c(&b);
}

static void
put_header(struct arena *a, struct json_out *o, const struct recorded *r)
{
	json_put_str(o, "device_name", r->device);
	json_put_str(o, "kernel_name", r->kernel);
	if (r->n_problem && r->problem_is_list) {
		json_open_array(o, "problem_size", true);
		for (size_t i = 0; i < r->n_problem; i++)
			value_put(o, NULL, &r->problem[i]);
		json_close_array(o);
	} else if (r->n_problem)
		value_put(o, "problem_size", &r->problem[0]);
	json_open_array(o, "tune_params_keys", true);
	for (size_t i = 0; i < r->n_params; i++)
		json_put_str(o, NULL, r->params[i].name);
	json_close_array(o);
	json_open_object(o, "tune_params");
	for (size_t i = 0; i < r->n_params; i++) {
		json_open_array(o, str_c(a, r->params[i].name), true);
		for (size_t v = 0; v < r->params[i].n; v++)
			value_put(o, NULL, &r->params[i].values[v]);
		json_close_array(o);
	}
	json_close_object(o);
	json_put_c(o, "objective", "time");
}

static void
put_entry(struct arena *a, struct json_out *o, const struct recorded *r,
	const struct recorded_row *row)
{
	json_open_object(o, key_of(a, r, row));
	put_choice(a, o, r, row);
	if (row->fault) {
		json_put_c(o, "__error__", recorded_fault_kt(row->fault));
	} else {
		json_put_f64(o, "time", row->time_ms);
		put_times(o, "times", row);
	}
	for (int i = 0; i < PHASES; i++)
		json_put_f64(o, recorded_phase_kt((enum recorded_phase)i),
			phase(row, (enum recorded_phase)i));
	json_put_str(o, "timestamp", row->timestamp);
	json_close_object(o);
}

struct str
recorded_write_kt(struct arena *a, const struct recorded *r)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	put_header(a, &o, r);
	json_open_object(&o, "cache");
	for (size_t i = 0; i < r->n; i++)
		put_entry(a, &o, r, r->order[i]);
	json_close_object(&o);
	json_close_object(&o);
	return json_done(&o);
}

/* --- T4 ----------------------------------------------------------------------------- */

static void
put_t4_times(struct json_out *o, const struct recorded_row *row)
{
	json_open_object(o, "times");
	json_put_f64(o, "compilation_time", phase(row, PHASE_COMPILE)); /* the schema's */
	json_put_f64(o, "compilation", phase(row, PHASE_COMPILE)); /* Kernel Tuner's */
	json_put_f64(o, "benchmark", phase(row, PHASE_BENCHMARK));
	json_put_f64(o, "framework", phase(row, PHASE_FRAMEWORK));
	json_put_f64(o, "search_algorithm", phase(row, PHASE_STRATEGY));
	json_put_f64(o, "validation", phase(row, PHASE_VERIFICATION));
	put_times(o, "runtimes", row);
	json_close_object(o);
}

static void
put_result(struct arena *a, struct json_out *o, const struct recorded *r,
	const struct recorded_row *row)
{
	json_open_object(o, NULL);
	if (row->timestamp.n)
		json_put_str(o, "timestamp", row->timestamp);
	json_open_object(o, "configuration");
	put_choice(a, o, r, row);
	json_close_object(o);
	put_t4_times(o, row);
	json_put_c(o, "invalidity", recorded_fault_name(row->fault));
	json_put_i64(o, "correctness", row->fault == FAULT_NONE);
	json_open_array(o, "measurements", false);
	if (!row->fault) {
		json_open_object(o, NULL);
		json_put_c(o, "name", "time");
		json_put_f64(o, "value", row->time_ms);
		json_put_c(o, "unit", "ms");
		json_close_object(o);
	}
	json_close_array(o);
	json_open_array(o, "objectives", true);
	json_put_c(o, NULL, "time");
	json_close_array(o);
	json_close_object(o);
}

struct str
recorded_write_t4(struct arena *a, const struct recorded *r)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema_version", "1.0.0");
	json_open_array(&o, "results", false);
	for (size_t i = 0; i < r->n; i++)
		put_result(a, &o, r, r->order[i]);
	json_close_array(&o);
	json_open_object(&o, "metadata");
	json_put_c(&o, "timeunit", "milliseconds");
	if (r->kernel.n)
		json_put_str(&o, "kernel_name", r->kernel);
	if (r->device.n)
		json_put_str(&o, "device_name", r->device);
	json_close_object(&o);
	json_close_object(&o);
	return json_done(&o);
}

/* --- CSV ---------------------------------------------------------------------------- */

struct str
recorded_write_csv(struct arena *a, const struct recorded *r)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < r->n_params; i++) {
		csv_cell(&b, r->params[i].name);
		buf_addc(&b, ',');
	}
	buf_adds(&b, "outcome,time_ms,compile_ms\n");
	for (size_t i = 0; i < r->n; i++) {
		const struct recorded_row *row = r->order[i];
		double compile = row->phase_ms[PHASE_COMPILE];
		for (size_t p = 0; p < r->n_params; p++) {
			csv_cell(&b, value_text(a, r->params[p].values[row->choice[p]]));
			buf_addc(&b, ',');
		}
		buf_adds(&b, row->fault ? recorded_fault_name(row->fault) : "ok");
		buf_addc(&b, ',');
		if (!row->fault)
			buf_addstr(&b, value_text(a, (struct value){.kind = VALUE_REAL,
							     .f = row->time_ms}));
		buf_addc(&b, ',');
		if (!isnan(compile))
			buf_addstr(&b, value_text(a, (struct value){.kind = VALUE_REAL,
							     .f = compile}));
		buf_addc(&b, '\n');
	}
	return buf_str(&b);
}
