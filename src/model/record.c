#include "model/record.h"

#include "base/arena.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void
record_fail(struct record *r, const char *key, const char *fmt, ...)
{
	const struct json *at = key ? json_get(r->v, key) : NULL;
	char text[256];
	va_list ap;

	if (!r->ok)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_error(r->d, json_place(at ? at : r->v), "%s", text);
	r->ok = false;
}

struct record
record_open(const struct json *v, const char *schema, struct diag *d)
{
	struct record r = {.v = v, .d = d, .ok = v != NULL};

	if (v && v->kind != JSON_OBJECT)
		record_fail(&r, NULL, "expected an object, found %s",
			json_kind_name(v->kind));
	if (schema && r.ok) {
		struct str found = record_str(&r, "schema");
		if (r.ok && !str_is(found, schema))
			record_fail(&r, "schema", "expected schema '%s', found '%.*s'",
				schema, (int)(found.n < 60 ? found.n : 60),
				found.n ? found.s : "");
	}
	return r;
}

/* Members are asked for in the order in which they were written, but for a few. */
static const struct json *
find(struct record *r, const char *key)
{
	struct str k = str_of(key);
	const struct json *m = r->next;

	while (m && !str_eq(m->key, k))
		m = m->next;
	if (!m)
		m = json_get(r->v, key);
	if (m)
		r->next = m->next;
	return m;
}

static const struct json *
member(struct record *r, const char *key, enum json_kind kind, const char *what)
{
	const struct json *m;

	if (!r->ok)
		return NULL;
	m = find(r, key);
	if (!m)
		record_fail(r, NULL, "'%s' is missing", key);
	else if (m->kind != kind)
		record_fail(r, key, "'%s' must be %s, not %s", key, what,
			json_kind_name(m->kind));
	return r->ok ? m : NULL;
}

struct record
record_object(struct record *r, const char *key)
{
	const struct json *m = member(r, key, JSON_OBJECT, "an object");

	return (struct record){.v = m, .d = r->d, .ok = m != NULL};
}

struct str
record_str(struct record *r, const char *key)
{
	const struct json *m = member(r, key, JSON_STRING, "a string");

	return m ? m->string : (struct str){0};
}

int64_t
record_i64(struct record *r, const char *key, int64_t low, int64_t high)
{
	const struct json *m = member(r, key, JSON_NUMBER, "a number");
	int64_t v = 0;

	if (!m)
		return low;
	if (json_is_i64(m, &v) && v >= low && v <= high)
		return v;
	record_fail(r, key, "'%s' must be a whole number from %lld to %lld", key,
		(long long)low, (long long)high);
	return low;
}

bool
record_bool(struct record *r, const char *key)
{
	const struct json *m = member(r, key, JSON_BOOL, "true or false");

	return m && m->boolean;
}

double
record_f64(struct record *r, const char *key)
{
	const struct json *m = r->ok ? find(r, key) : NULL;

	if (m && m->kind == JSON_NULL)
		return (double)NAN;
	if (m)
		r->next = m;
	m = member(r, key, JSON_NUMBER, "a number or null");
	return m ? m->number : (double)NAN;
}

const struct json *
record_array(struct record *r, const char *key, enum json_kind kind)
{
	const struct json *m = member(r, key, JSON_ARRAY, "an array");

	if (!m)
		return NULL;
	json_each(v, m)
	{
		if (v->kind == kind)
			continue;
		record_fail(r, key, "'%s' must hold only one kind of element, not %s",
			key, json_kind_name(v->kind));
		return NULL;
	}
	return m;
}

bool
record_has(const struct record *r, const char *key)
{
	const struct json *m = r->ok ? json_get(r->v, key) : NULL;

	return m && m->kind != JSON_NULL;
}

static void
copy(struct json_out *o, const char *key, const struct json *v, int depth)
{
	bool object = v && v->kind == JSON_OBJECT;
	int64_t whole;

	if (!v || v->kind == JSON_NULL || depth > RECORD_MAX_DEPTH) {
		json_put_null(o, key);
	} else if (v->kind == JSON_NUMBER) {
		if (v->real)
			json_put_real(o, key, v->number);
		else if (json_is_i64(v, &whole))
			json_put_i64(o, key, whole);
		else
			json_put_f64(o, key, v->number);
	} else if (v->kind == JSON_BOOL) {
		json_put_bool(o, key, v->boolean);
	} else if (v->kind == JSON_STRING) {
		json_put_str(o, key, v->string);
	} else {
		if (object)
			json_open_object(o, key);
		else
			json_open_array(o, key, depth > 0);
		json_each(e, v)
		{
			copy(o, object ? str_c(o->b.a, e->key) : NULL, e, depth + 1);
		}
		if (object)
			json_close_object(o);
		else
			json_close_array(o);
	}
}

void
record_copy(struct json_out *o, const char *key, const struct json *v)
{
	copy(o, key, v, 0);
}
