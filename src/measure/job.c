#include "measure/job.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "model/library.h"
#include "model/record.h"

#include <errno.h>

#define SCHEMA "lanewise/job.v1"

/* Longer ones are nobody's path (PATH_MAX of Linux). */
enum { PATH_BYTES_MAX = 4096 };

static const char *const kind_names[] = {"screen", "outputs", "final", "once"};

enum { N_KINDS = sizeof kind_names / sizeof *kind_names };

static const char *
job_kind_name(enum job_kind k)
{
	return (unsigned)k < N_KINDS ? kind_names[k] : "?";
}

/* --- writing ----------------------------------------------------------------------- */

static struct str
hash_text(struct arena *a, struct str bytes)
{
	return str_of(hash_short(a, bytes, HASH_HEX));
}

static void
put_seed(struct json_out *o, uint64_t seed)
{
	json_put_str(o, "seed", str_fmt(o->b.a, "%llu", (unsigned long long)seed));
}

static void
put_member(struct json_out *o, const struct job_member *m)
{
	const struct bench_request *q = &m->request;
	struct arena *a = o->b.a;

	json_open_object(o, NULL);
	json_put_str(o, "point", m->point);
	json_put_c(o, "role", final_role_name(m->role));
	json_put_str(o, "artifact", str_of(q->artifact_path));
	json_put_str(o, "artifact_hash",
		m->artifact_hash.n ? m->artifact_hash : hash_text(a, q->artifact));
	json_put_str(o, "entry", q->entry);
	json_put_str(o, "launch", launch_text(a, &q->launch));
	json_put_str(o, "args", args_text(a, q->args, q->n_args));
	json_put_str(o, "constants", constants_text(a, q->constants, q->n_constants));
	json_put_str(o, "library", q->library);
	put_seed(o, q->seed);
	json_put_str(o, "reference", str_of(q->reference_path));
	json_put_str(o, "reference_by", q->reference_by);
	json_put_f64(o, "abs", q->abs);
	json_put_f64(o, "rel", q->rel);
	json_put_i64(o, "ulp", q->ulp);
	json_put_bool(o, "nondeterministic", q->nondeterministic);
	json_put_i64(o, "timeout_ns", q->timeout_ns);
	json_put_bool(o, "outputs_only", q->outputs_only);
	json_put_str(o, "outputs", str_of(q->outputs_path));
	json_close_object(o);
}

struct str
job_write(struct arena *a, const struct job *j)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_c(&o, "kind", job_kind_name(j->kind));
	json_put_str(&o, "project", j->project);
	json_put_str(&o, "kernel", j->kernel);
	json_put_str(&o, "size", j->size);
	json_put_c(&o, "cache", cache_mode_name(j->cache));
	json_put_f64(&o, "margin", j->margin);
	json_put_bool(&o, "energy", j->energy);
	json_put_bool(&o, "alone", j->alone);
	json_open_array(&o, "members", false);
	for (size_t i = 0; i < j->n; i++)
		put_member(&o, &j->member[i]);
	json_close_array(&o);
	json_close_object(&o);
	return str_trim(json_done(&o));
}

/* --- reading ----------------------------------------------------------------------- */

/* NULL when it is empty. */
static const char *
read_path(struct record *r, const char *key)
{
	struct str s = record_str(r, key);

	if (s.n && s.s[0] != '/')
		record_fail(r, key, "'%s' must be an absolute path", key);
	if (s.n > PATH_BYTES_MAX)
		record_fail(r, key, "'%s' is longer than any path", key);
	return s.n ? s.s : NULL;
}

static double
read_tolerance(struct record *r, const char *key)
{
	double v = record_f64(r, key);

	if (!(v >= 0))
		record_fail(r, key, "'%s' must be a number that is not negative", key);
	return v;
}

static void
read_shape(struct arena *a, struct record *r, struct bench_request *q)
{
	struct str args = record_str(r, "args"), launch = record_str(r, "launch");
	struct str seed = record_str(r, "seed"), why = {0};
	struct str constants = record_str(r, "constants");
	struct constant *k = NULL;
	struct arg *v = NULL;

	if (r->ok && !args_parse(a, args, &v, &q->n_args, &why))
		record_fail(r, "args", "%.*s", STR_ARG(why));
	if (r->ok && constants.n &&
		!constants_parse(a, constants, &k, &q->n_constants, &why))
		record_fail(r, "constants", "%.*s", STR_ARG(why));
	if (r->ok && !launch_parse(launch, &q->launch))
		record_fail(r, "launch", "a launch is BLOCK/GRID/CLUSTER/SHARED[/coop]");
	if (r->ok && !str_to_u64(seed, &q->seed))
		record_fail(r, "seed", "a seed is a whole number");
	q->args = v;
	q->constants = k;
}

static struct str
read_library(struct arena *a, struct record *r)
{
	struct str s = record_str(r, "library"), why = {0};
	struct library l;

	if (r->ok && s.n && !library_parse(a, s, &l, &why))
		record_fail(r, "library", "%.*s", STR_ARG(why));
	return s;
}

static void
read_request(struct arena *a, struct record *r, struct bench_request *q)
{
	q->artifact_path = read_path(r, "artifact");
	q->entry = record_str(r, "entry");
	read_shape(a, r, q);
	q->library = read_library(a, r);
	q->reference_path = read_path(r, "reference");
	q->reference_by = record_str(r, "reference_by");
	q->abs = read_tolerance(r, "abs");
	q->rel = read_tolerance(r, "rel");
	q->ulp = record_i64(r, "ulp", 0, RECORD_MAX_I64);
	q->nondeterministic = record_bool(r, "nondeterministic");
	q->timeout_ns = record_i64(r, "timeout_ns", 1, RECORD_MAX_I64);
	q->outputs_only = record_bool(r, "outputs_only");
	q->outputs_path = read_path(r, "outputs");
	if (r->ok && q->outputs_only && !q->outputs_path)
		record_fail(r, "outputs", "outputs are asked for, and no file for them");
}

static bool
read_member(struct arena *a, const struct json *v, struct job_member *m, struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	struct str role;

	m->point = m->request.point = record_str(&r, "point");
	role = record_str(&r, "role");
	if (r.ok && !final_role_find(role, &m->role))
		record_fail(&r, "role", "unknown role in a job");
	m->artifact_hash = record_str(&r, "artifact_hash");
	if (r.ok && m->artifact_hash.n != HASH_HEX)
		record_fail(&r, "artifact_hash", "a hash has %d digits", HASH_HEX);
	read_request(a, &r, &m->request);
	return r.ok;
}

static enum job_kind
read_kind(struct record *r)
{
	struct str name = record_str(r, "kind");

	for (int k = 0; k < N_KINDS; k++)
		if (str_is(name, kind_names[k]))
			return (enum job_kind)k;
	record_fail(r, "kind", "'kind' is screen, outputs, final or once");
	return JOB_SCREEN;
}

static void
read_head(struct record *r, struct job *j)
{
	j->kind = read_kind(r);
	j->project = record_str(r, "project");
	j->kernel = record_str(r, "kernel");
	j->size = record_str(r, "size");
	j->cache = record_cache_mode(r, "cache");
	j->margin = record_f64(r, "margin");
	if (r->ok && !(j->margin >= 0 && j->margin <= 1))
		record_fail(r, "margin", "'margin' is a number from 0 to 1");
	j->energy = record_bool(r, "energy");
	j->alone = record_bool(r, "alone");
}

static const struct json *
read_members(struct record *r, const struct job *j)
{
	const struct json *v = record_array(r, "members", JSON_OBJECT);

	if (v && (v->n == 0 || v->n > JOB_MEMBERS_MAX))
		record_fail(r, "members", "a job has 1 to %d members", JOB_MEMBERS_MAX);
	if (v && v->n > 1 && j->kind != JOB_FINAL)
		record_fail(r, "members", "only a final has several members");
	return r->ok ? v : NULL;
}

struct job *
job_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);
	struct job *j = arena_new(a, struct job);
	const struct json *members;

	read_head(&r, j);
	members = read_members(&r, j);
	if (!members)
		return NULL;
	j->member = arena_news(a, members->n, struct job_member);
	json_each(m, members)
	{
		if (!read_member(a, m, &j->member[j->n++], d))
			return NULL;
	}
	return j;
}

static bool
load_member(struct arena *a, struct job_member *m, struct str *why)
{
	struct bench_request *q = &m->request;

	if (!q->artifact_path)
		return true;
	if (!fs_try_read(a, q->artifact_path, &q->artifact)) {
		*why = str_fmt(
			a, "cannot read '%s': %s", q->artifact_path, strerror(errno));
		return false;
	}
	if (str_eq(hash_text(a, q->artifact), m->artifact_hash))
		return true;
	*why = str_fmt(a, "'%s' was changed after it was to be measured; run again",
		q->artifact_path);
	return false;
}

bool
job_load(struct arena *a, struct job *j, struct str *why)
{
	for (size_t i = 0; i < j->n; i++)
		if (!load_member(a, &j->member[i], why))
			return false;
	return true;
}
