#include "perf/ranking.h"

#include "base/arena.h"
#include "model/record.h"
#include "perf/rank_reference.h"

#include <math.h>

#define SCHEMA "lanewise/rank.v1"
#define NONE   ((double)NAN)

const char *
rank_claim_name(enum rank_claim c)
{
	static const char *const names[] = {
#define X(id, name) name,
		RANK_CLAIMS(X)
#undef X
	};

	return (unsigned)c < N_RANK_CLAIMS ? names[c] : "?";
}

bool
rank_claim_find(struct str name, enum rank_claim *out)
{
	for (int i = 0; i < N_RANK_CLAIMS; i++)
		if (str_is(name, rank_claim_name((enum rank_claim)i))) {
			*out = (enum rank_claim)i;
			return true;
		}
	return false;
}

const struct rank_entry *
rank_champion(const struct rank_size *s)
{
	for (size_t i = 0; i < s->n_ranked; i++)
		if (s->v[i].champion)
			return &s->v[i];
	return NULL;
}

const struct rank_entry *
rank_baseline(const struct rank_size *s)
{
	for (size_t i = 0; i < rank_size_n(s); i++)
		if (s->v[i].baseline)
			return &s->v[i];
	return NULL;
}

double
rank_gbps(const struct rank_entry *e)
{
	return e->bytes / e->median_ns; /* bytes per ns */
}

double
rank_gflops(const struct rank_entry *e)
{
	return e->flops / e->median_ns;
}

/* --- writing --------------------------------------------------------------------- */

static void
put_result(struct json_out *o, const struct rank_entry *e)
{
	json_put_c(o, "status", result_status_name(e->status));
	json_put_c(o, "kind", result_kind_name(e->kind));
	json_put_str(o, "reason", e->reason);
	json_put_f64(o, "median_ns", e->median_ns);
	json_put_f64(o, "low_ns", e->low_ns);
	json_put_f64(o, "high_ns", e->high_ns);
	json_put_f64(o, "single_ns", e->single_ns);
	json_put_bool(o, "verified", e->verified);
	json_put_str(o, "verified_by", e->verified_by);
	json_put_f64(o, "max_abs_error", e->max_abs_error);
	json_put_f64(o, "max_rel_error", e->max_rel_error);
	json_put_i64(o, "n_wrong", e->n_wrong);
	json_put_str(o, "note", e->note);
	json_put_f64(o, "bytes", e->bytes);
	json_put_f64(o, "flops", e->flops);
	json_put_f64(o, "gbps", rank_gbps(e));
	json_put_f64(o, "gflops", rank_gflops(e));
}

static void
put_facts(struct json_out *o, const struct rank_entry *e)
{
	json_put_i64(o, "registers", e->registers);
	json_put_i64(o, "spill_bytes", e->spill_bytes);
	json_put_i64(o, "shared_bytes", e->shared_bytes);
	json_put_i64(o, "blocks_per_sm", e->blocks_per_sm);
	json_put_f64(o, "occupancy", e->occupancy);
	json_put_bool(o, "registers_known", e->registers_known);
	json_put_i64(o, "off_baseline", e->off_baseline);
}

static void
put_standing(struct json_out *o, const struct rank_entry *e)
{
	json_put_bool(o, "screened_out", e->screened_out);
	json_put_str(o, "standing", e->standing);
	json_put_f64(o, "ratio", e->ratio);
	json_put_f64(o, "ratio_low", e->ratio_low);
	json_put_f64(o, "ratio_high", e->ratio_high);
	json_put_f64(o, "p", e->p);
	json_put_f64(o, "joules", e->joules);
	json_put_f64(o, "joules_error", e->joules_error);
	json_put_f64(o, "cost", e->cost);
	json_put_f64(o, "cost_low", e->cost_low);
	json_put_f64(o, "cost_high", e->cost_high);
	json_put_f64(o, "screening_ns", e->screening_ns);
	json_put_f64(o, "screening_cost", e->screening_cost);
}

static void
put_entry(struct json_out *o, const struct rank_entry *e)
{
	json_open_object(o, NULL);
	json_put_str(o, "candidate", e->candidate);
	json_put_str(o, "label", e->label);
	json_put_str(o, "id", e->id);
	json_put_str(o, "specialization", e->specialization);
	record_copy(o, "assignment", e->assignment);
	json_put_str(o, "launch", e->launch);
	json_put_str(o, "artifact", e->artifact);
	json_put_i64(o, "threads", e->threads);
	json_put_bool(o, "champion", e->champion);
	json_put_bool(o, "tie", e->tie);
	json_put_bool(o, "baseline", e->baseline);
	json_put_c(o, "verdict", verdict_name(e->verdict));
	put_result(o, e);
	put_standing(o, e);
	put_facts(o, e);
	json_put_bool(o, "unsafe", e->unsafe);
	json_put_f64(o, "estimate_ns", e->estimate_ns);
	json_put_f64(o, "champion_estimate_ns", e->champion_estimate_ns);
	json_put_bool(o, "faster", e->faster);
	json_open_array(o, "findings", false);
	for (size_t i = 0; i < e->n_findings; i++)
		finding_write(o, &e->findings[i]);
	json_close_array(o);
	json_close_object(o);
}

static void
put_entries(struct json_out *o, const char *key, const struct rank_entry *v, size_t n)
{
	json_open_array(o, key, false);
	for (size_t i = 0; i < n; i++)
		put_entry(o, &v[i]);
	json_close_array(o);
}

static void
put_names(struct json_out *o, const struct rank_size *s)
{
	const struct rank_entry *champion = rank_champion(s);

	if (champion)
		json_put_str(o, "champion", champion->candidate);
	else
		json_put_null(o, "champion");
	json_open_array(o, "ties", true);
	for (size_t i = 0; i < s->n_ranked; i++)
		if (s->v[i].tie && !s->v[i].champion)
			json_put_str(o, NULL, s->v[i].candidate);
	json_close_array(o);
	json_open_array(o, "faster_but_refused", true);
	for (size_t i = s->n_ranked + s->n_failed; i < rank_size_n(s); i++)
		if (s->v[i].faster)
			json_put_str(o, NULL, s->v[i].candidate);
	json_close_array(o);
}

static void
put_counts(struct json_out *o, const struct rank_counts *c)
{
	json_open_object(o, "counts");
	json_put_i64(o, "points", c->points);
	json_put_i64(o, "clean", c->clean);
	json_put_i64(o, "caveat", c->caveat);
	json_put_i64(o, "refused", c->refused);
	json_put_i64(o, "error", c->error);
	json_put_i64(o, "ok", c->ok);
	json_put_i64(o, "failed", c->failed);
	json_put_i64(o, "unverified", c->unverified);
	json_close_object(o);
}

static void
put_final(struct json_out *o, const struct rank_final *f)
{
	if (!f->ran) {
		json_put_null(o, "final");
		return;
	}
	json_open_object(o, "final");
	json_put_i64(o, "members", (int64_t)f->n_members);
	json_put_i64(o, "rounds", (int64_t)f->n_rounds);
	json_put_f64(o, "alpha", f->alpha);
	json_put_f64(o, "margin", f->margin);
	json_put_bool(o, "control_exists", f->control_exists);
	json_put_bool(o, "control_ok", f->control_ok);
	json_put_f64(o, "control", f->control);
	json_put_f64(o, "control_low", f->control_low);
	json_put_f64(o, "control_high", f->control_high);
	json_put_f64(o, "floor", f->floor);
	json_put_str(o, "audit_failed", f->audit_failed);
	json_close_object(o);
}

static void
put_state(struct json_out *o, const struct rank_state *s)
{
	json_open_object(o, "state");
	json_put_str(o, "sharing", s->sharing);
	json_put_f64(o, "drift", s->drift);
	json_put_i64(o, "windows", s->n_windows);
	json_put_i64(o, "drifted", s->n_drifted);
	json_put_i64(o, "readings", s->n_readings);
	json_put_i64(o, "slow_clock", s->n_slow_clock);
	json_put_i64(o, "throttled", s->n_throttled);
	json_put_i64(o, "shared", s->n_shared);
	json_put_i64(o, "taken_again", s->n_taken_again);
	json_close_object(o);
}

static void
put_size(struct json_out *o, const struct rank_size *s)
{
	json_open_object(o, NULL);
	json_put_str(o, "size", s->name);
	record_copy(o, "values", s->values);
	json_put_str(o, "device", s->device);
	json_put_str(o, "device_uuid", s->device_uuid);
	if (s->any)
		json_put_c(o, "kind", result_kind_name(s->kind));
	else
		json_put_null(o, "kind");
	put_names(o, s);
	json_put_f64(o, "speedup", s->speedup);
	json_put_f64(o, "speedup_low", s->speedup_low);
	json_put_f64(o, "speedup_high", s->speedup_high);
	json_put_bool(o, "faster", s->faster);
	json_put_c(o, "claim", rank_claim_name(s->claim));
	json_put_str(o, "claim_why", s->claim_why);
	put_final(o, &s->final);
	rank_reference_put(o, &s->reference);
	put_state(o, &s->state);
	put_counts(o, &s->counts);
	put_entries(o, "ranking", s->v, s->n_ranked);
	put_entries(o, "failed", s->v + s->n_ranked, s->n_failed);
	put_entries(o, "refused", s->v + s->n_ranked + s->n_failed, s->n_refused);
	json_close_object(o);
}

void
ranking_put(struct json_out *o, const struct ranking *r)
{
	json_put_str(o, "kernel", r->kernel);
	json_open_object(o, "device");
	json_put_str(o, "name", r->device);
	json_put_str(o, "uuid", r->device_uuid);
	json_put_str(o, "driver", r->driver);
	json_put_bool(o, "described", r->described);
	json_put_str(o, "compute_capability", r->compute_capability);
	if (r->backend.n)
		json_put_str(o, "backend", r->backend);
	json_close_object(o);
	record_copy(o, "sources", r->sources);
	record_copy(o, "params", r->params);
	record_copy(o, "pins", r->pins);
	json_put_str(o, "baseline", r->baseline);
	json_put_str(o, "objective", r->objective);
	json_put_str(o, "unsafe_reason", r->unsafe_reason);
	if (r->search)
		record_copy(o, "search", r->search);
	json_open_array(o, "sizes", false);
	for (size_t i = 0; i < r->n_sizes; i++)
		put_size(o, &r->sizes[i]);
	json_close_array(o);
}

struct str
ranking_write(struct arena *a, const struct ranking *r)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	ranking_put(&o, r);
	json_close_object(&o);
	return json_done(&o);
}

/* --- reading --------------------------------------------------------------------- */

static void
get_result(struct record *r, struct rank_entry *e)
{
	struct str kind = record_str(r, "kind");

	if (r->ok && !result_status_find(record_str(r, "status"), &e->status))
		record_fail(r, "status", "unknown status of a result");
	if (r->ok && !result_kind_find(kind, &e->kind))
		record_fail(r, "kind", "unknown kind of a result");
	e->reason = record_str(r, "reason");
	e->median_ns = record_f64(r, "median_ns");
	e->low_ns = record_f64(r, "low_ns");
	e->high_ns = record_f64(r, "high_ns");
	e->single_ns = record_f64(r, "single_ns");
	e->verified = record_bool(r, "verified");
	e->verified_by = record_str(r, "verified_by");
	e->max_abs_error = record_f64(r, "max_abs_error");
	e->max_rel_error = record_f64(r, "max_rel_error");
	e->n_wrong = record_i64(r, "n_wrong", -1, RECORD_MAX_I64);
	e->note = record_str(r, "note");
	e->bytes = record_f64(r, "bytes");
	e->flops = record_f64(r, "flops");
	if (r->ok && e->status == RESULT_OK && !(e->median_ns > 0))
		record_fail(
			r, "median_ns", "a result that is ok needs a positive median_ns");
}

static void
get_facts(struct record *r, struct rank_entry *e)
{
	e->registers = record_i64(r, "registers", -1, RECORD_MAX_I64);
	e->spill_bytes = record_i64(r, "spill_bytes", -1, RECORD_MAX_I64);
	e->shared_bytes = record_i64(r, "shared_bytes", 0, RECORD_MAX_I64);
	e->blocks_per_sm = record_i64(r, "blocks_per_sm", 0, RECORD_MAX_I64);
	e->occupancy = record_f64(r, "occupancy");
	e->registers_known = record_bool(r, "registers_known");
	e->off_baseline = record_i64(r, "off_baseline", -1, RECORD_MAX_I64);
}

static void
get_standing(struct record *r, struct rank_entry *e)
{
	e->screened_out = record_bool(r, "screened_out");
	e->standing = record_str(r, "standing");
	e->ratio = record_f64(r, "ratio");
	e->ratio_low = record_f64(r, "ratio_low");
	e->ratio_high = record_f64(r, "ratio_high");
	e->p = record_f64(r, "p");
	e->joules = record_f64(r, "joules");
	e->joules_error = record_f64(r, "joules_error");
	e->cost = record_f64(r, "cost");
	e->cost_low = record_f64(r, "cost_low");
	e->cost_high = record_f64(r, "cost_high");
	if (record_has(r, "screening_ns"))
		e->screening_ns = record_f64(r, "screening_ns");
	if (record_has(r, "screening_cost"))
		e->screening_cost = record_f64(r, "screening_cost");
}

static bool
get_findings(struct arena *a, struct record *r, struct rank_entry *e)
{
	const struct json *v = record_array(r, "findings", JSON_OBJECT);

	if (!v)
		return false;
	e->findings = arena_news(a, v->n, struct finding);
	json_each(f, v)
	{
		if (!finding_read(a, f, &e->findings[e->n_findings++], r->d))
			return r->ok = false;
	}
	return true;
}

static bool
get_entry(struct arena *a, const struct json *v, struct rank_entry *e, struct diag *d)
{
	struct record r = record_open(v, NULL, d);

	e->candidate = record_str(&r, "candidate");
	e->label = record_str(&r, "label");
	e->id = record_str(&r, "id");
	e->specialization = record_str(&r, "specialization");
	e->assignment = record_object(&r, "assignment").v;
	r.ok = r.ok && e->assignment;
	e->launch = record_str(&r, "launch");
	e->artifact = record_str(&r, "artifact");
	e->threads = record_i64(&r, "threads", 0, RECORD_MAX_I64);
	e->champion = record_bool(&r, "champion");
	e->tie = record_bool(&r, "tie");
	e->baseline = record_bool(&r, "baseline");
	if (r.ok && !verdict_kind_find(record_str(&r, "verdict"), &e->verdict))
		record_fail(&r, "verdict", "unknown verdict");
	get_result(&r, e);
	get_standing(&r, e);
	get_facts(&r, e);
	e->unsafe = record_bool(&r, "unsafe");
	e->estimate_ns = record_f64(&r, "estimate_ns");
	e->champion_estimate_ns = record_f64(&r, "champion_estimate_ns");
	e->faster = record_bool(&r, "faster");
	return get_findings(a, &r, e);
}

/* A damaged file must not hand out what was refused. */
static void
check_ranked(struct record *r, const struct rank_entry *e)
{
	if (e->status != RESULT_OK || e->verdict >= VERDICT_REFUSED || e->unsafe)
		record_fail(r, "ranking", "'%.*s' is ranked, but %s",
			STR_ARG(e->candidate),
			e->status != RESULT_OK ? "did not run" : "was refused");
}

static bool
get_entries(struct arena *a, struct record *r, const char *key, struct rank_size *s,
	size_t *at, size_t *count, size_t *n_champions)
{
	const struct json *v = record_array(r, key, JSON_OBJECT);

	if (!v)
		return false;
	json_each(e, v)
	{
		struct rank_entry *to = &s->v[(*at)++];
		if (!get_entry(a, e, to, r->d))
			return r->ok = false;
		*n_champions += to->champion;
		++*count;
	}
	return true;
}

static size_t
array_n(struct record *r, const char *key)
{
	const struct json *v = record_array(r, key, JSON_OBJECT);

	return v ? v->n : 0;
}

static void
get_counts(struct record *size, struct rank_counts *c)
{
	struct record r = record_object(size, "counts");

	c->points = record_i64(&r, "points", 0, RECORD_MAX_I64);
	c->clean = record_i64(&r, "clean", 0, RECORD_MAX_I64);
	c->caveat = record_i64(&r, "caveat", 0, RECORD_MAX_I64);
	c->refused = record_i64(&r, "refused", 0, RECORD_MAX_I64);
	c->error = record_i64(&r, "error", 0, RECORD_MAX_I64);
	c->ok = record_i64(&r, "ok", 0, RECORD_MAX_I64);
	c->failed = record_i64(&r, "failed", 0, RECORD_MAX_I64);
	c->unverified = record_i64(&r, "unverified", 0, RECORD_MAX_I64);
	size->ok = size->ok && r.ok;
}

static void
get_size_lists(struct arena *a, struct record *r, struct rank_size *s)
{
	size_t at = 0, champions = 0,
	       all = array_n(r, "ranking") + array_n(r, "failed") + array_n(r, "refused");

	s->v = arena_news(a, all, struct rank_entry);
	if (!get_entries(a, r, "ranking", s, &at, &s->n_ranked, &champions))
		return;
	for (size_t i = 0; i < s->n_ranked; i++)
		check_ranked(r, &s->v[i]);
	if (r->ok && champions != (s->n_ranked > 0))
		record_fail(r, "ranking", "a ranking has exactly one champion");
	if (get_entries(a, r, "failed", s, &at, &s->n_failed, &champions) &&
		get_entries(a, r, "refused", s, &at, &s->n_refused, &champions) &&
		champions > 1)
		record_fail(
			r, "refused", "what was refused or failed cannot be champion");
}

static void
get_final(struct record *size, struct rank_final *f)
{
	struct record r;

	f->ran = record_has(size, "final");
	if (!f->ran)
		return;
	r = record_object(size, "final");
	f->n_members = (size_t)record_i64(&r, "members", 0, 1 << 20);
	f->n_rounds = (size_t)record_i64(&r, "rounds", 0, 1 << 20);
	f->alpha = record_f64(&r, "alpha");
	f->margin = record_f64(&r, "margin");
	f->control_exists = record_bool(&r, "control_exists");
	f->control_ok = record_bool(&r, "control_ok");
	f->control = record_f64(&r, "control");
	f->control_low = record_f64(&r, "control_low");
	f->control_high = record_f64(&r, "control_high");
	f->floor = record_f64(&r, "floor");
	f->audit_failed = record_str(&r, "audit_failed");
	size->ok = size->ok && r.ok;
}

static void
get_state(struct record *size, struct rank_state *s)
{
	struct record r = record_object(size, "state");

	s->sharing = record_str(&r, "sharing");
	s->drift = record_f64(&r, "drift");
	s->n_windows = record_i64(&r, "windows", 0, RECORD_MAX_I64);
	s->n_drifted = record_i64(&r, "drifted", 0, RECORD_MAX_I64);
	s->n_readings = record_i64(&r, "readings", 0, RECORD_MAX_I64);
	s->n_slow_clock = record_i64(&r, "slow_clock", 0, RECORD_MAX_I64);
	s->n_throttled = record_i64(&r, "throttled", 0, RECORD_MAX_I64);
	s->n_shared = record_i64(&r, "shared", 0, RECORD_MAX_I64);
	if (record_has(&r, "taken_again"))
		s->n_taken_again = record_i64(&r, "taken_again", 0, RECORD_MAX_I64);
	size->ok = size->ok && r.ok;
}

static bool
get_size(struct arena *a, const struct json *v, struct rank_size *s, struct diag *d)
{
	struct record r = record_open(v, NULL, d);

	s->name = record_str(&r, "size");
	s->values = record_object(&r, "values").v;
	r.ok = r.ok && s->values;
	s->device = record_str(&r, "device");
	s->device_uuid = record_str(&r, "device_uuid");
	s->any = record_has(&r, "kind");
	if (s->any && !result_kind_find(record_str(&r, "kind"), &s->kind))
		record_fail(&r, "kind", "unknown kind of a result");
	s->speedup = record_f64(&r, "speedup");
	s->speedup_low = record_f64(&r, "speedup_low");
	s->speedup_high = record_f64(&r, "speedup_high");
	s->faster = record_bool(&r, "faster");
	if (r.ok && !rank_claim_find(record_str(&r, "claim"), &s->claim))
		record_fail(&r, "claim", "unknown level of a claim");
	s->claim_why = record_str(&r, "claim_why");
	get_final(&r, &s->final);
	rank_reference_get(&r, &s->reference);
	get_state(&r, &s->state);
	get_counts(&r, &s->counts);
	get_size_lists(a, &r, s);
	if (r.ok && s->any != (s->n_ranked > 0))
		record_fail(&r, "kind", "'kind' is null exactly when nothing is ranked");
	return r.ok;
}

static void
get_device(struct record *top, struct ranking *out)
{
	struct record r = record_object(top, "device");

	out->device = record_str(&r, "name");
	out->device_uuid = record_str(&r, "uuid");
	out->driver = record_str(&r, "driver");
	out->described = record_bool(&r, "described");
	out->compute_capability = record_str(&r, "compute_capability");
	if (record_has(&r, "backend"))
		out->backend = record_str(&r, "backend");
	top->ok = top->ok && r.ok;
}

struct ranking *
ranking_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct ranking *out = arena_new(a, struct ranking);
	struct record r = record_open(v, SCHEMA, d);
	const struct json *sizes;

	out->kernel = record_str(&r, "kernel");
	get_device(&r, out);
	out->sources = record_array(&r, "sources", JSON_STRING);
	out->params = record_array(&r, "params", JSON_OBJECT);
	out->pins = record_object(&r, "pins").v;
	r.ok = r.ok && out->pins;
	out->baseline = record_str(&r, "baseline");
	out->objective = record_str(&r, "objective");
	out->unsafe_reason = record_str(&r, "unsafe_reason");
	if (record_has(&r, "search"))
		out->search = record_object(&r, "search").v;
	sizes = record_array(&r, "sizes", JSON_OBJECT);
	if (!sizes)
		return NULL;
	out->sizes = arena_news(a, sizes->n, struct rank_size);
	json_each(s, sizes)
	{
		if (!get_size(a, s, &out->sizes[out->n_sizes++], d))
			return NULL;
	}
	return out;
}
