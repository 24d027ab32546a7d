#include "backend/sim_script.h"

#include "base/arena.h"
#include "format/json.h"
#include "model/record.h"
#include "model/result.h"

#include <math.h>

#define SCHEMA "lanewise/sim.v1"

static const char *const fault_names[] = {
#define X(id, name) name,
	SIM_FAULTS(X)
#undef X
};

/* --- numbers and expressions ------------------------------------------------------- */

/* What is wrong with keys that nobody knows is said; a misspelt one would be ignored. */
static void
known_keys(struct record *r, const char *of, const char *const *keys, size_t n)
{
	struct str names[24];

	if (!r->ok)
		return;
	for (size_t i = 0; i < n; i++)
		names[i] = str_of(keys[i]);
	json_each(m, r->v)
	{
		size_t i = 0;
		while (i < n && !str_eq(names[i], m->key))
			i++;
		if (i < n)
			continue;
		struct str near = str_nearest(m->key, names, n);
		diag_error(r->d, json_key_place(m), "unknown key '%.*s' of %s%s%.*s%s",
			STR_ARG(m->key), of, near.n ? " (did you mean '" : "",
			STR_ARG(near), near.n ? "'?)" : "");
		r->ok = false;
		return;
	}
}

#define KNOWN_KEYS(r, of, keys) known_keys(r, of, keys, sizeof(keys) / sizeof *(keys))

static double
number(struct record *r, const char *key, double absent, double low, double high)
{
	if (!r->ok || !record_has(r, key))
		return absent;
	double v = record_f64(r, key);
	if (r->ok && !(v >= low && v <= high))
		record_fail(r, key, "'%s' must be from %g to %g", key, low, high);
	return v;
}

static int64_t
whole(struct record *r, const char *key, int64_t absent)
{
	return r->ok && record_has(r, key) ? record_i64(r, key, 0, RECORD_MAX_I64)
					   : absent;
}

static struct str
text(struct record *r, const char *key, struct str absent)
{
	return r->ok && record_has(r, key) ? record_str(r, key) : absent;
}

static bool
yes(struct record *r, const char *key, bool absent)
{
	return r->ok && record_has(r, key) ? record_bool(r, key) : absent;
}

/* A string is an expression, a number is itself, true is 1; absent is NULL. */
static struct expr *
expression(struct arena *a, struct record *r, const char *key)
{
	const struct json *v = r->ok ? json_get(r->v, key) : NULL;
	struct place at = {0};
	struct expr *e = NULL;

	if (!v)
		return NULL;
	at = json_place(v);
	if (v->kind == JSON_STRING) {
		at.col++;
		e = expr_parse(a, v->string, at, r->d);
	} else if (v->kind == JSON_NUMBER) {
		e = expr_parse(a, str_fmt(a, "%.17g", v->number), at, r->d);
	} else if (v->kind == JSON_BOOL) {
		e = expr_int(a, v->boolean, at);
	} else {
		record_fail(r, key, "'%s' must be a number or an expression", key);
	}
	r->ok = r->ok && e;
	return e;
}

static const struct json *
child(struct record *r, const char *key, enum json_kind kind)
{
	const struct json *v = r->ok && record_has(r, key) ? json_get(r->v, key) : NULL;

	if (v && v->kind != kind) {
		record_fail(r, key, "'%s' must be %s", key, json_kind_name(kind));
		return NULL;
	}
	return v;
}

/* A member that is an object, or an empty one. */
static struct record
part(struct record *r, const char *key)
{
	static const struct json empty = {.kind = JSON_OBJECT};
	const struct json *v = child(r, key, JSON_OBJECT);

	return (struct record){.v = v ? v : &empty, .d = r->d, .ok = r->ok};
}

/* --- names ------------------------------------------------------------------------- */

static void
named(struct record *r, const struct json *m, struct str size, struct sim_name *out)
{
	if (m->kind != JSON_NUMBER) {
		diag_error(
			r->d, json_place(m), "'%.*s' must be a number", STR_ARG(m->key));
		r->ok = false;
	}
	*out = (struct sim_name){size, m->key, m->number};
}

static void
read_times(struct arena *a, struct record *r, struct sim_script *s)
{
	const struct json *v = child(r, "times", JSON_OBJECT);

	if (!v)
		return;
	s->times = arena_news(a, v->n + 1, struct sim_name);
	json_each(m, v)
	{
		named(r, m, (struct str){0}, &s->times[s->n_times]);
		if (r->ok && !(s->times[s->n_times].value > 0))
			record_fail(r, "times", "times are nanoseconds above 0");
		s->n_times++;
	}
}

static void
read_sizes(struct arena *a, struct record *r, struct sim_script *s)
{
	const struct json *v = child(r, "sizes", JSON_OBJECT);
	size_t n = 0;

	if (!v)
		return;
	json_each(size, v) n += size->n;
	s->sizes = arena_news(a, n + 1, struct sim_name);
	json_each(size, v)
	{
		if (size->kind != JSON_OBJECT) {
			record_fail(
				r, "sizes", "a size is an object of names and numbers");
			return;
		}
		json_each(m, size) named(r, m, size->key, &s->sizes[s->n_sizes++]);
	}
}

/* --- events and faults ------------------------------------------------------------- */

static const double MS = 1e6, DAY_MS = 86400e3;

static void
read_event(struct record *r, struct sim_event *e)
{
	static const char *const keys[] = {
		"at_ms", "for_ms", "clock", "slow", "reasons", "sharing"};

	KNOWN_KEYS(r, "an event", keys);
	e->at_ns = (int64_t)(number(r, "at_ms", 0, 0, DAY_MS) * MS);
	e->for_ns = (int64_t)(number(r, "for_ms", DAY_MS, 0, DAY_MS) * MS);
	e->clock = number(r, "clock", 1, 0.01, 10);
	e->slow = number(r, "slow", 1, 0.01, 1000);
	e->reasons = (uint32_t)number(r, "reasons", 0, 0, UINT32_MAX);
	e->sharing = text(r, "sharing", (struct str){0});
}

static void
read_rule(struct arena *a, struct record *r, struct sim_rule *rule)
{
	static const char *const keys[] = {"when", "fault", "first", "after"};
	struct str names[N_SIM_FAULTS], name;
	int f = 0;

	KNOWN_KEYS(r, "a fault", keys);
	name = record_str(r, "fault");
	for (int i = 0; i < N_SIM_FAULTS; i++)
		names[i] = str_of(fault_names[i]);
	while (f < N_SIM_FAULTS && !str_eq(name, names[f]))
		f++;
	if (r->ok && f == N_SIM_FAULTS) {
		struct str near = str_nearest(name, names, N_SIM_FAULTS);
		record_fail(r, "fault", "unknown fault '%.*s'%s%.*s%s", STR_ARG(name),
			near.n ? " (did you mean '" : "", STR_ARG(near),
			near.n ? "'?)" : "");
	}
	rule->fault = (enum sim_fault)f;
	rule->when = expression(a, r, "when");
	if (r->ok && !rule->when)
		rule->when = expr_int(a, 1, json_place(r->v));
	rule->first = whole(r, "first", 0);
	rule->after = whole(r, "after", 0);
}

static void
read_lists(struct arena *a, struct record *r, struct sim_script *s)
{
	const struct json *events = child(r, "events", JSON_ARRAY);
	const struct json *faults = child(r, "faults", JSON_ARRAY);

	s->events = arena_news(a, events ? events->n + 1 : 1, struct sim_event);
	s->rules = arena_news(a, faults ? faults->n + 1 : 1, struct sim_rule);
	for (const struct json *e = events ? events->child : NULL; e && r->ok;
		e = e->next) {
		struct record one = record_open(e, NULL, r->d);
		read_event(&one, &s->events[s->n_events++]);
		r->ok = one.ok;
	}
	for (const struct json *f = faults ? faults->child : NULL; f && r->ok;
		f = f->next) {
		struct record one = record_open(f, NULL, r->d);
		read_rule(a, &one, &s->rules[s->n_rules++]);
		r->ok = one.ok;
	}
}

/* --- the whole --------------------------------------------------------------------- */

static void
read_noise(struct record *r, struct sim_script *s)
{
	static const char *const keys[] = {"sigma", "rho"};
	struct record n = part(r, "noise");

	KNOWN_KEYS(&n, "noise", keys);
	s->noise_sigma = number(&n, "sigma", 0, 0, 0.2);
	s->noise_rho = number(&n, "rho", 0, 0, 0.999);
	r->ok = r->ok && n.ok;
}

static void
read_clock(struct record *r, struct sim_script *s)
{
	static const char *const keys[] = {"start", "rise_ms", "fall_ms"};
	struct record c = part(r, "clock");

	KNOWN_KEYS(&c, "clock", keys);
	s->clock_start = number(&c, "start", 1, 0.05, 1);
	s->clock_rise_ns = number(&c, "rise_ms", 20, 0.001, DAY_MS) * MS;
	s->clock_fall_ns = number(&c, "fall_ms", 200, 0.001, DAY_MS) * MS;
	r->ok = r->ok && c.ok;
}

/* Defaults are what one H200 did: 3.65 us a launch in a stream, 0.506 us in a graph,
 * events in steps of 32 ns. */
static void
read_floor(struct record *r, struct sim_script *s)
{
	static const char *const keys[] = {"stream", "graph"};
	struct record f = part(r, "floor_ns");

	KNOWN_KEYS(&f, "floor_ns", keys);
	s->floor_ns[LAUNCH_STREAM] = number(&f, "stream", 3650, 0, 1e9);
	s->floor_ns[LAUNCH_GRAPH] = number(&f, "graph", 506, 0, 1e9);
	r->ok = r->ok && f.ok;
}

static void
read_cost(struct record *r, struct sim_script *s)
{
	static const char *const keys[] = {
		"open_ms", "load_ms", "call_us", "graph_us", "copy_gbps"};
	struct record c = part(r, "cost");

	KNOWN_KEYS(&c, "cost", keys);
	s->open_ns = number(&c, "open_ms", 300, 0, DAY_MS) * MS;
	s->load_ns = number(&c, "load_ms", 0.2, 0, DAY_MS) * MS;
	s->call_ns = number(&c, "call_us", 10, 0, 1e9) * 1e3;
	s->graph_ns = number(&c, "graph_us", 5.5, 0, 1e9) * 1e3;
	s->copy_bytes_per_ns = number(&c, "copy_gbps", 20, 1e-3, 1e6);
	r->ok = r->ok && c.ok;
}

static const char *const script_keys[] = {"schema", "device", "seed", "time_ns", "times",
	"sizes", "power_w", "idle_w", "energy_step_ms", "noise", "drift_per_s", "clock",
	"quantum_ns", "floor_ns", "graphs", "cost", "memory_bytes", "real_time",
	"sharing", "counts", "events", "faults"};

struct sim_script *
sim_script_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);
	struct sim_script *s = arena_new(a, struct sim_script);

	KNOWN_KEYS(&r, "a simulated device", script_keys);
	s->device = record_str(&r, "device");
	s->seed = (uint64_t)whole(&r, "seed", 1);
	s->time_ns = expression(a, &r, "time_ns");
	s->power_w = expression(a, &r, "power_w");
	read_times(a, &r, s);
	read_sizes(a, &r, s);
	if (r.ok && !s->time_ns && !s->n_times)
		record_fail(&r, NULL,
			"'time_ns' is missing: how long a launch takes, an "
			"expression over parameters");
	read_noise(&r, s);
	s->drift_per_s = number(&r, "drift_per_s", 0, -0.5, 0.5);
	read_clock(&r, s);
	s->quantum_ns = number(&r, "quantum_ns", 32, 0, 1e9);
	read_floor(&r, s);
	s->graphs = yes(&r, "graphs", true);
	s->idle_w = number(&r, "idle_w", 100, 0, 1e5);
	s->energy_step_ns = number(&r, "energy_step_ms", 20, 0.001, DAY_MS) * MS;
	read_cost(&r, s);
	s->memory_bytes = whole(&r, "memory_bytes", 0);
	s->real_time = yes(&r, "real_time", false);
	s->sharing = text(&r, "sharing", STR_LIT("exclusive"));
	s->counts = text(&r, "counts", (struct str){0});
	read_lists(a, &r, s);
	return r.ok ? s : NULL;
}
