#include "model/final_record.h"

#include "base/arena.h"
#include "model/record.h"

#define SCHEMA "lanewise/final.v1"

static const char *const role_names[] = {
#define X(id, name) name,
	FINAL_ROLES(X)
#undef X
};

const char *
final_role_name(enum final_role r)
{
	return (unsigned)r < N_FINAL_ROLES ? role_names[r] : "?";
}

bool
final_role_find(struct str name, enum final_role *out)
{
	for (int i = 0; i < N_FINAL_ROLES; i++)
		if (str_is(name, role_names[i])) {
			*out = (enum final_role)i;
			return true;
		}
	return false;
}

static void
put_member(struct json_out *o, const struct final_member *m, size_t n_rounds)
{
	json_open_object(o, NULL);
	json_put_str(o, "point", m->point);
	json_put_c(o, "role", final_role_name(m->role));
	json_put_c(o, "status", result_status_name(m->status));
	json_put_str(o, "reason", m->reason);
	json_put_f64(o, "joules", m->joules);
	json_put_f64(o, "joules_error", m->joules_error);
	readings_put(o, m->visits, m->status == RESULT_OK ? 2 * n_rounds : 0);
	json_close_object(o);
}

struct str
final_record_write(struct arena *a, const struct final_record *f)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_str(&o, "kernel", f->kernel);
	json_put_str(&o, "size", f->size);
	json_put_c(&o, "kind", result_kind_name(f->kind));
	json_put_c(&o, "status", result_status_name(f->status));
	json_put_str(&o, "reason", f->reason);
	json_put_c(&o, "launch", launch_mode_name(f->launch));
	json_put_c(&o, "cache", cache_mode_name(f->cache));
	json_put_str(&o, "seed", str_fmt(a, "%llu", (unsigned long long)f->seed));
	json_put_i64(&o, "batches_per_visit", f->batches_per_visit);
	json_put_i64(&o, "launches_per_batch", f->launches_per_batch);
	json_put_i64(&o, "rounds", (int64_t)f->n_rounds);
	json_put_str(&o, "sharing", f->sharing);
	json_put_str(&o, "device", f->device);
	json_put_str(&o, "device_uuid", f->device_uuid);
	json_put_str(&o, "driver", f->driver);
	json_open_array(&o, "members", false);
	for (size_t i = 0; i < f->n_members; i++)
		put_member(&o, &f->members[i], f->n_rounds);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

static bool
get_member(struct arena *a, const struct json *v, size_t n_rounds, struct final_member *m,
	struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	struct str role, status;
	size_t n = 0;

	m->point = record_str(&r, "point");
	role = record_str(&r, "role");
	if (r.ok && !final_role_find(role, &m->role))
		record_fail(&r, "role", "unknown role in a final");
	status = record_str(&r, "status");
	if (r.ok && !result_status_find(status, &m->status))
		record_fail(&r, "status", "unknown status of a result");
	m->reason = record_str(&r, "reason");
	m->joules = record_f64(&r, "joules");
	m->joules_error = record_f64(&r, "joules_error");
	if (r.ok && readings_get(a, &r, &m->visits, &n) &&
		n != (m->status == RESULT_OK ? 2 * n_rounds : 0))
		record_fail(&r, "readings_ns", "a member has two readings a round");
	return r.ok;
}

static void
get_head(struct record *r, struct final_record *f)
{
	struct str kind, status, seed;

	f->kernel = record_str(r, "kernel");
	f->size = record_str(r, "size");
	kind = record_str(r, "kind");
	if (r->ok && !result_kind_find(kind, &f->kind))
		record_fail(r, "kind", "unknown kind of a result");
	status = record_str(r, "status");
	if (r->ok && !result_status_find(status, &f->status))
		record_fail(r, "status", "unknown status of a result");
	f->reason = record_str(r, "reason");
	f->launch = record_launch_mode(r, "launch");
	f->cache = record_cache_mode(r, "cache");
	seed = record_str(r, "seed");
	if (r->ok && !str_to_u64(seed, &f->seed))
		record_fail(r, "seed", "a seed is a whole number");
	f->batches_per_visit = record_i64(r, "batches_per_visit", 0, 1 << 20);
	f->launches_per_batch = record_i64(r, "launches_per_batch", 0, INT32_MAX);
	f->n_rounds = (size_t)record_i64(r, "rounds", 0, 1 << 12);
	f->sharing = record_str(r, "sharing");
	f->device = record_str(r, "device");
	f->device_uuid = record_str(r, "device_uuid");
	f->driver = record_str(r, "driver");
}

struct final_record *
final_record_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);
	struct final_record *f = arena_new(a, struct final_record);
	const struct json *members;

	get_head(&r, f);
	members = record_array(&r, "members", JSON_OBJECT);
	if (!members || !r.ok)
		return NULL;
	f->members = arena_news(a, members->n + 1, struct final_member);
	json_each(m, members)
	{
		if (!get_member(a, m, f->n_rounds, &f->members[f->n_members++], d))
			return NULL;
	}
	return f;
}
