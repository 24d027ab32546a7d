/*
 * Reading a lanewise/wisdom.v1 strictly: people mend such files by hand, merge them with
 * git, and get them from machines they do not know.  What is read ends in a header that
 * is compiled, so names are names, numbers fit their C types, and an estimate cannot say
 * that it was measured.
 */
#include "apply/wisdom.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "model/record.h"
#include "model/spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

enum { NAME_MAX_BYTES = 100, TEXT_MAX_BYTES = 4096, SOURCES_MAX = 4096 };

static struct str
quoted(struct str s)
{
	return str_sub(s, 0, s.n < 60 ? s.n : 60);
}

static bool
is_identifier(struct str s)
{
	return str_is_identifier(s) && s.n <= NAME_MAX_BYTES;
}

/* As the spec has names of kernels and sizes. */
static bool
is_plain(struct str s)
{
	if (!s.n || s.n > NAME_MAX_BYTES || strchr(".-", s.s[0]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.s[i] > 127 ||
			(!isalnum((unsigned char)s.s[i]) && !strchr("._+-", s.s[i])))
			return false;
	return true;
}

/* A text of one line. */
static struct str
get_text(struct record *r, const char *key)
{
	struct str s = record_str(r, key);

	if (s.n > TEXT_MAX_BYTES)
		record_fail(r, key, "'%s' is longer than %d bytes", key, TEXT_MAX_BYTES);
	if (str_has_control(s))
		record_fail(r, key, "'%s' has a control character in it", key);
	return r->ok ? s : (struct str){0};
}

static struct str
get_plain(struct record *r, const char *key)
{
	struct str s = record_str(r, key);

	if (r->ok && !is_plain(s))
		record_fail(r, key,
			"'%.*s' is no name of a %s: letters, digits, '_', '.', '+', '-'",
			STR_ARG(quoted(s)), key);
	return s;
}

/* Fails at a member of an object. */
static void
fail_at(struct record *r, const struct json *m, const char *what, const char *wanted)
{
	if (r->ok)
		diag_error(r->d, json_key_place(m), "%s '%.*s' %s", what,
			STR_ARG(quoted(m->key)), wanted);
	r->ok = false;
}

static bool
number_fits(const struct json *v)
{
	return v->kind == JSON_NUMBER && isfinite(v->number) &&
	       (v->real || fabs(v->number) <= (double)RECORD_MAX_I64);
}

/* Names with numbers, or (assignments) numbers, texts and booleans. */
static const struct json *
get_named(struct record *r, const char *key, size_t most, bool any)
{
	const struct json *v = record_object(r, key).v;

	if (!v)
		r->ok = false;
	else if (v->n > most)
		record_fail(r, key, "'%s' has more than %zu members", key, most);
	if (!r->ok)
		return NULL;
	json_each(m, v)
	{
		if (!is_identifier(m->key))
			fail_at(r, m, "name",
				"is no identifier: letters, digits and '_', no digit "
				"first");
		else if (any && m->kind == JSON_STRING && m->string.n > TEXT_MAX_BYTES)
			fail_at(r, m, "the value of", "is too long");
		else if (!number_fits(m) &&
			 !(any && (m->kind == JSON_STRING || m->kind == JSON_BOOL)))
			fail_at(r, m, "the value of",
				any ? "is a number up to 2^53, a string, true or false"
				    : "is a number up to 2^53");
	}
	return r->ok ? v : NULL;
}

static const struct json *
get_sources(struct record *r)
{
	const struct json *v = record_object(r, "sources").v;

	if (!v)
		r->ok = false;
	else if (v->n > SOURCES_MAX)
		record_fail(
			r, "sources", "'sources' has more than %d members", SOURCES_MAX);
	if (!r->ok)
		return NULL;
	json_each(m, v)
	{
		if (m->kind != JSON_STRING)
			fail_at(r, m, "the hash of", "is a string");
	}
	return r->ok ? v : NULL;
}

/* A nested record; its failure is the entry's. */
static struct record
open_nested(struct record *r, const char *key)
{
	struct record n = record_object(r, key);

	r->ok = r->ok && n.ok;
	return n;
}

static void
get_device(struct record *r, struct wisdom_entry *e)
{
	struct record v = open_nested(r, "device");
	struct str cc, major;
	int64_t x = 0, y = 0;

	e->device = get_text(&v, "name");
	e->uuid = get_text(&v, "uuid");
	e->driver = get_text(&v, "driver");
	cc = get_text(&v, "cc");
	if (v.ok && !e->device.n)
		record_fail(&v, "name", "a device has a name");
	if (v.ok && (!str_split(&cc, '.', &major) || !str_to_i64(major, &x) ||
			    !str_to_i64(cc, &y) || x < 0 || x > 99 || y < 0 || y > 9))
		record_fail(&v, "cc", "a compute capability is written \"9.0\"");
	e->cc = (int)(10 * x + y);
	r->ok = r->ok && v.ok;
}

static struct dim
get_dim(struct record *r, const char *key)
{
	const struct json *v = record_array(r, key, JSON_NUMBER);
	uint64_t x[3] = {1, 1, 1};
	size_t n = 0;

	if (!v)
		return (struct dim){1, 1, 1};
	json_each(m, v)
	{
		int64_t whole = 0;
		if (n < 3 && json_is_i64(m, &whole) && whole >= 1 && whole <= INT32_MAX)
			x[n++] = (uint64_t)whole;
		else
			record_fail(r, key, "'%s' is three whole numbers from 1", key);
	}
	if (n != 3)
		record_fail(r, key, "'%s' is three whole numbers from 1", key);
	return (struct dim){x[0], x[1], x[2]};
}

static void
get_launch(struct record *r, struct wisdom_entry *e)
{
	struct record v = open_nested(r, "launch");

	e->launch.block = get_dim(&v, "block");
	e->launch.grid = get_dim(&v, "grid");
	e->launch.cluster = get_dim(&v, "cluster");
	e->launch.shared_bytes =
		(uint64_t)record_i64(&v, "shared_bytes", 0, (int64_t)1 << 40);
	e->launch.cooperative = record_bool(&v, "cooperative");
	e->launch.programmatic = record_bool(&v, "programmatic");
	r->ok = r->ok && v.ok;
}

static double
get_time(struct record *r, const char *key)
{
	double v = record_f64(r, key);

	if (v < 0)
		record_fail(r, key, "'%s' is not negative", key);
	return v;
}

/* What nobody ran is not observed, and what was run is not an estimate. */
static void
get_claim(struct record *r, struct wisdom_entry *e)
{
	struct str kind = record_str(r, "kind"), claim = record_str(r, "claim");
	bool fits;

	if (!r->ok)
		return;
	if (!result_kind_find(kind, &e->kind) || e->kind == RESULT_CACHED)
		record_fail(r, "kind", "a kind is measured, simulated or estimated");
	else if (!rank_claim_find(claim, &e->claim))
		record_fail(r, "claim",
			"a claim is proven, observed, simulated, estimated or none");
	if (!r->ok)
		return;
	fits = e->claim == CLAIM_NONE ||
	       (e->kind == RESULT_SIMULATED          ? e->claim == CLAIM_SIMULATED
		       : e->kind == RESULT_ESTIMATED ? e->claim == CLAIM_ESTIMATED
						     : e->claim >= CLAIM_OBSERVED);
	if (!fits)
		record_fail(r, "claim", "what is %s cannot be %s",
			result_kind_name(e->kind), rank_claim_name(e->claim));
}

static void
get_times(struct record *r, struct wisdom_entry *e)
{
	get_claim(r, e);
	e->claim_why = get_text(r, "claim_why");
	e->median_ns = get_time(r, "median_ns");
	e->low_ns = get_time(r, "low_ns");
	e->high_ns = get_time(r, "high_ns");
	e->verified = record_bool(r, "verified");
	e->verified_by = get_text(r, "verified_by");
	e->speedup = get_time(r, "speedup");
	e->speedup_low = get_time(r, "speedup_low");
	e->speedup_high = get_time(r, "speedup_high");
	e->faster = record_bool(r, "faster");
	e->date = record_str(r, "date");
	if (r->ok && !clock_is_date(e->date.s, e->date.n))
		record_fail(r, "date", "a date is written \"2026-01-31T23:59:59Z\"");
}

static bool
get_entry(const struct json *v, struct wisdom_entry *e, struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	struct str verdict;

	*e = (struct wisdom_entry){0};
	e->kernel = get_plain(&r, "kernel");
	e->size = get_plain(&r, "size");
	e->values = get_named(&r, "values", SPEC_LIST_MAX, false);
	get_device(&r, e);
	e->spec = get_text(&r, "spec");
	e->sources = get_sources(&r);
	e->toolchain = get_text(&r, "toolchain");
	e->assembler = get_text(&r, "assembler");
	e->backend = get_text(&r, "backend");
	e->candidate = get_text(&r, "candidate");
	e->label = get_text(&r, "label");
	e->id = get_text(&r, "id");
	e->assignment = get_named(&r, "assignment", SPEC_PARAMS_MAX, true);
	get_launch(&r, e);
	verdict = record_str(&r, "verdict");
	if (r.ok &&
		(!verdict_kind_find(verdict, &e->verdict) ||
			(e->verdict != VERDICT_CLEAN && e->verdict != VERDICT_CAVEAT)))
		record_fail(&r, "verdict", "only what is clean or a caveat is applied");
	get_times(&r, e);
	return r.ok;
}

bool
wisdom_parse(struct wisdom *w, const struct source *src, struct diag *d)
{
	const struct json *entries;
	struct record r = record_open(json_parse(w->a, src, d), NULL, d);

	if (r.ok && str_is(json_get_str(r.v, "schema"), "lanewise/applied.v1"))
		record_fail(&r, "schema",
			"this is the record of an older lanewise, for one device: remove "
			"it and run 'lanewise apply' again");
	if (r.ok)
		r = record_open(r.v, "lanewise/wisdom.v1", d);
	entries = record_array(&r, "entries", JSON_OBJECT);
	if (entries && entries->n > WISDOM_ENTRIES_MAX) {
		record_fail(&r, "entries", "more than %d entries are too many",
			WISDOM_ENTRIES_MAX);
		entries = NULL;
	}
	if (!entries)
		return false;
	json_each(v, entries)
	{
		struct wisdom_entry e;
		if (!get_entry(v, &e, d))
			return false;
		wisdom_add(w, &e);
	}
	wisdom_sort(w, NULL);
	return true;
}

bool
wisdom_read(struct wisdom *w, const char *path, struct diag *d)
{
	struct source *src = arena_new(w->a, struct source);

	src->name = path;
	if (fs_try_read_most(w->a, path, WISDOM_BYTES_MAX, &src->text))
		return wisdom_parse(w, src, d);
	diag_error(d, (struct place){.src = src}, "cannot read: %s",
		errno == EFBIG ? "wisdom of more than 64 MiB" : fs_reason());
	return false;
}
