#include "model/result.h"

#include "base/arena.h"
#include "model/record.h"

#include <math.h>

#define SCHEMA "lanewise/bench.v1"

static const char *const status_names[] = {
#define X(id, name) name,
	RESULT_STATUSES(X)
#undef X
};

static const char *const kind_names[] = {
#define X(id, name) name,
	RESULT_KINDS(X)
#undef X
};

static const char *const launch_modes[] = {"stream", "graph"};
static const char *const cache_modes[] = {"cold", "warm"};

const char *
result_status_name(enum result_status s)
{
	return (unsigned)s < N_RESULT_STATUSES ? status_names[s] : "?";
}

bool
result_status_find(struct str name, enum result_status *out)
{
	for (int i = 0; i < N_RESULT_STATUSES; i++)
		if (str_is(name, status_names[i])) {
			*out = (enum result_status)i;
			return true;
		}
	return false;
}

const char *
result_kind_name(enum result_kind k)
{
	return (unsigned)k < N_RESULT_KINDS ? kind_names[k] : "?";
}

bool
result_kind_find(struct str name, enum result_kind *out)
{
	for (int i = 0; i < N_RESULT_KINDS; i++)
		if (str_is(name, kind_names[i])) {
			*out = (enum result_kind)i;
			return true;
		}
	return false;
}

const char *
launch_mode_name(enum launch_mode m)
{
	return launch_modes[m == LAUNCH_GRAPH];
}

const char *
cache_mode_name(enum cache_mode m)
{
	return cache_modes[m == CACHE_WARM];
}

/* Whether the second of two names stands there. */
static bool
second_of(struct record *r, const char *key, const char *const names[2])
{
	struct str s = record_str(r, key);

	if (r->ok && !str_is(s, names[0]) && !str_is(s, names[1]))
		record_fail(r, key, "'%s' is %s or %s", key, names[0], names[1]);
	return str_is(s, names[1]);
}

enum launch_mode
record_launch_mode(struct record *r, const char *key)
{
	return second_of(r, key, launch_modes) ? LAUNCH_GRAPH : LAUNCH_STREAM;
}

enum cache_mode
record_cache_mode(struct record *r, const char *key)
{
	return second_of(r, key, cache_modes) ? CACHE_WARM : CACHE_COLD;
}

const char *
result_kind_mark(enum result_kind k)
{
	return k == RESULT_ESTIMATED ? "~" : "";
}

const char *
result_kind_shout(enum result_kind k)
{
	return k == RESULT_ESTIMATED   ? " ESTIMATED"
	       : k == RESULT_SIMULATED ? " SIMULATED"
				       : "";
}

struct result
result_none(void)
{
	return (struct result){.median_ns = (double)NAN,
		.low_ns = (double)NAN,
		.high_ns = (double)NAN,
		.launches_per_batch = -1,
		.window = {.floor_ns = (double)NAN,
			.before_ns = (double)NAN,
			.after_ns = (double)NAN,
			.race_margin = (double)NAN,
			.incumbent_ns = (double)NAN},
		.max_abs_error = (double)NAN,
		.max_rel_error = (double)NAN,
		.n_wrong = -1};
}

static void
put_window(struct json_out *o, const struct window *w)
{
	json_open_object(o, "window");
	json_put_c(o, "launch", launch_mode_name(w->launch));
	json_put_c(o, "cache", cache_mode_name(w->cache));
	json_put_f64(o, "floor_ns", w->floor_ns);
	json_put_str(o, "anchor", w->anchor);
	json_put_f64(o, "before_ns", w->before_ns);
	json_put_f64(o, "after_ns", w->after_ns);
	json_put_bool(o, "drifted", w->drifted);
	json_put_bool(o, "screened_out", w->screened_out);
	json_put_f64(o, "race_margin", w->race_margin);
	json_put_str(o, "incumbent", w->incumbent);
	json_put_f64(o, "incumbent_ns", w->incumbent_ns);
	json_put_bool(o, "noisy", w->noisy);
	json_put_str(o, "sharing", w->sharing);
	json_close_object(o);
}

void
result_put(struct json_out *o, const char *key, const struct result *r)
{
	json_open_object(o, key);
	json_put_str(o, "schema", STR_LIT(SCHEMA));
	json_put_str(o, "kernel", r->kernel);
	json_put_str(o, "size", r->size);
	json_put_str(o, "candidate", r->candidate);
	json_put_c(o, "status", result_status_name(r->status));
	json_put_c(o, "kind", result_kind_name(r->kind));
	json_put_str(o, "reason", r->reason);
	json_put_f64(o, "median_ns", r->median_ns);
	json_put_f64(o, "low_ns", r->low_ns);
	json_put_f64(o, "high_ns", r->high_ns);
	readings_put(o, r->readings, r->n_readings);
	json_put_i64(o, "launches_per_batch", r->launches_per_batch);
	json_open_object(o, "single");
	readings_put(o, r->singles, r->n_singles);
	json_close_object(o);
	put_window(o, &r->window);
	json_put_bool(o, "verified", r->verified);
	json_put_str(o, "verified_by", r->verified_by);
	json_put_f64(o, "max_abs_error", r->max_abs_error);
	json_put_f64(o, "max_rel_error", r->max_rel_error);
	json_put_i64(o, "n_wrong", r->n_wrong);
	json_put_bool(o, "unsafe", r->unsafe);
	json_put_str(o, "device", r->device);
	json_put_str(o, "device_uuid", r->device_uuid);
	json_put_str(o, "driver", r->driver);
	json_put_str(o, "estimate_note", r->estimate_note);
	json_close_object(o);
}

struct str
result_write(struct arena *a, const struct result *r)
{
	struct json_out o = {.b = {.a = a}};

	result_put(&o, NULL, r);
	return json_done(&o);
}

/* --- reading --------------------------------------------------------------------- */

static void
read_names(struct record *r, struct result *out)
{
	struct str status = record_str(r, "status"), kind = record_str(r, "kind");

	if (!result_status_find(status, &out->status))
		record_fail(r, "status", "unknown status of a result");
	if (!result_kind_find(kind, &out->kind))
		record_fail(r, "kind", "unknown kind of a result");
}

static void
read_times(struct arena *a, struct record *r, struct result *out)
{
	out->median_ns = record_f64(r, "median_ns");
	out->low_ns = record_f64(r, "low_ns");
	out->high_ns = record_f64(r, "high_ns");
	readings_get(a, r, &out->readings, &out->n_readings);
}

/* What was measured before single launches were has none. */
static void
read_singles(struct arena *a, struct record *of, struct result *out)
{
	if (!record_has(of, "single"))
		return;
	struct record r = record_object(of, "single");
	readings_get(a, &r, &out->singles, &out->n_singles);
	of->ok = of->ok && r.ok;
}

static void
read_window(struct record *of, struct window *w)
{
	struct record r = record_object(of, "window");

	w->launch = record_launch_mode(&r, "launch");
	w->cache = record_cache_mode(&r, "cache");
	w->floor_ns = record_f64(&r, "floor_ns");
	w->anchor = record_str(&r, "anchor");
	w->before_ns = record_f64(&r, "before_ns");
	w->after_ns = record_f64(&r, "after_ns");
	w->drifted = record_bool(&r, "drifted");
	w->screened_out = record_bool(&r, "screened_out");
	w->race_margin = record_f64(&r, "race_margin");
	w->incumbent = record_str(&r, "incumbent");
	w->incumbent_ns = record_f64(&r, "incumbent_ns");
	w->noisy = record_bool(&r, "noisy");
	w->sharing = record_str(&r, "sharing");
	of->ok = of->ok && r.ok;
}

/* What would let a damaged file pass for a timing. */
static void
check_times(struct record *r, const struct result *out)
{
	if (out->status == RESULT_OK && !(out->median_ns > 0))
		record_fail(
			r, "median_ns", "a result that is ok needs a positive median_ns");
	if (out->low_ns > out->median_ns || out->high_ns < out->median_ns)
		record_fail(r, "low_ns", "the interval does not hold the median");
}

bool
result_get(struct arena *a, const struct json *v, struct result *out, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);

	*out = result_none();
	out->kernel = record_str(&r, "kernel");
	out->size = record_str(&r, "size");
	out->candidate = record_str(&r, "candidate");
	if (r.ok)
		read_names(&r, out);
	out->reason = record_str(&r, "reason");
	read_times(a, &r, out);
	out->launches_per_batch =
		record_i64(&r, "launches_per_batch", -1, RECORD_MAX_I64);
	read_singles(a, &r, out);
	read_window(&r, &out->window);
	out->verified = record_bool(&r, "verified");
	out->verified_by = record_str(&r, "verified_by");
	out->max_abs_error = record_f64(&r, "max_abs_error");
	out->max_rel_error = record_f64(&r, "max_rel_error");
	out->n_wrong = record_i64(&r, "n_wrong", -1, RECORD_MAX_I64);
	out->unsafe = record_bool(&r, "unsafe");
	out->device = record_str(&r, "device");
	out->device_uuid = record_str(&r, "device_uuid");
	out->driver = record_str(&r, "driver");
	out->estimate_note = record_str(&r, "estimate_note");
	if (r.ok)
		check_times(&r, out);
	return r.ok;
}

struct result *
result_read(struct arena *a, const char *path, struct diag *d)
{
	struct result *out = arena_new(a, struct result);

	return result_get(a, json_parse_file(a, path, d), out, d) ? out : NULL;
}
