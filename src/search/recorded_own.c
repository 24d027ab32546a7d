/*
 * Our own results (lanewise/results.v1) at one size: recorded.h.  A time is the median,
 * in milliseconds; what the gate refused broke a constraint, as others would say.  Values
 * of parameters are those that occur, in rising order.
 */
#include "search/recorded_parts.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "model/record.h"
#include "model/result.h"
#include "model/verdict.h"

#include <math.h>

/* What is not here failed when it ran. */
static const struct {
	enum result_status status;
	enum recorded_fault fault;
} faults[] = {
	{RESULT_OK, FAULT_NONE},
	{RESULT_COMPILE_FAILED, FAULT_COMPILE},
	{RESULT_WRONG, FAULT_CORRECTNESS},
	{RESULT_HUNG, FAULT_TIMEOUT},
	{RESULT_REFUSED, FAULT_CONSTRAINTS},
};

static enum recorded_fault
fault_of(enum result_status s)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (faults[i].status == s)
			return faults[i].fault;
	return FAULT_RUNTIME;
}

static void
take_times(struct arena *a, struct recorded_row *row, const struct result *r)
{
	row->times_ms = readings_good(a, r->readings, r->n_readings, &row->n_times);
	for (size_t i = 0; i < row->n_times; i++)
		row->times_ms[i] *= 1e-6;
	row->time_ms = r->median_ns * 1e-6;
	row->fault = fault_of(r->status);
	if (!row->fault && !(row->time_ms > 0))
		row->fault = FAULT_RUNTIME;
}

/* Without a result, or with one that was measured though it was refused. */
static bool
take_verdict(struct arena *a, struct recorded_row *row, const struct json *point,
	struct diag *d)
{
	const struct json *v = json_get(point, "verdict");
	struct verdict verdict = {0};
	if (!v || v->kind == JSON_NULL) {
		diag_error(d, json_place(point),
			"a point without a verdict: the run had not finished");
		return false;
	}
	if (!verdict_read(a, v, &verdict, d))
		return false;
	row->fault = verdict.kind == VERDICT_ERROR ? FAULT_COMPILE : FAULT_CONSTRAINTS;
	return true;
}

static bool
read_point(struct arena *a, struct recorded *r, const struct json *point,
	enum result_kind *kind, struct diag *d)
{
	const struct json *v = json_get(point, "result");
	struct recorded_row *row = recorded_add_row(a, r);
	struct result result = result_none();
	row->choice = recorded_choice(a, r, json_get(point, "assignment"), d);
	if (!v || v->kind == JSON_NULL)
		return take_verdict(a, row, point, d);
	if (!result_get(a, v, &result, d))
		return false;
	if (result.unsafe)
		return take_verdict(a, row, point, d);
	if (result.kind == RESULT_ESTIMATED)
		*kind = RESULT_ESTIMATED;
	take_times(a, row, &result);
	return true;
}

/* The size that is asked for, or the only one; empty after a diag_error. */
static struct str
pick_size(struct arena *a, const struct json *points, struct str size, struct diag *d)
{
	struct map seen = {.a = a};
	struct buf b = {.a = a};
	json_each(p, points) map_put(&seen, json_get_str(p, "size"), NULL);
	if (!size.n && seen.n == 1)
		return seen.keys[0];
	if (size.n && map_find(&seen, size) != MAP_NONE)
		return size;
	for (size_t i = 0; i < seen.n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "", STR_ARG(seen.keys[i]));
	if (size.n)
		diag_error(d, json_place(points), "there is no size '%.*s', only: %s",
			STR_ARG(size), buf_c(&b));
	else
		diag_error(d, json_place(points),
			"results at several sizes: choose one with --size: %s",
			buf_c(&b));
	return (struct str){0};
}

bool
recorded_read_own(struct arena *a, struct recorded *r, const struct json *top,
	struct str size, struct diag *d)
{
	struct record all = record_open(top, RECORDED_OWN, d);
	const struct json *points = record_array(&all, "points", JSON_OBJECT);
	enum result_kind kind = RESULT_MEASURED;
	r->kernel = record_str(&all, "kernel");
	struct record pins = record_object(&all, "pins");
	struct record device = record_object(&pins, "device");
	r->device = record_str(&device, "name");
	if (!device.ok || !points || !points->n)
		return all.ok && device.ok;
	size = pick_size(a, points, size, d);
	if (!size.n || !recorded_collect(a, r, points, "assignment", d))
		return false;
	r->problem = arena_new(a, struct value);
	*r->problem = (struct value){.kind = VALUE_STRING, .s = size};
	r->n_problem = 1;
	json_each(p, points)
	{
		if (str_eq(json_get_str(p, "size"), size) &&
			!read_point(a, r, p, &kind, d))
			return false;
	}
	/* A simulated device says so in its name. */
	if (kind == RESULT_ESTIMATED)
		r->device = str_fmt(a, "%.*s, ESTIMATED", STR_ARG(r->device));
	return true;
}
