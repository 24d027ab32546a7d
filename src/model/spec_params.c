#include "base/arena.h"
#include "base/map.h"
#include "model/spec_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* --- values ------------------------------------------------------------------------- */

/* Numbers, strings and booleans do not mix: comparing them would be a silent "no". */
static const char *
class_name(const struct value *v)
{
	return v->kind == VALUE_STRING ? "strings"
	       : v->kind == VALUE_BOOL ? "booleans"
				       : "numbers";
}

/* Values that value_eq() calls equal have equal texts here. */
static struct str
twin_text(struct arena *a, struct value v)
{
	if (v.kind == VALUE_REAL && v.f == floor(v.f) && fabs(v.f) < 0x1p53)
		return str_fmt(a, "%" PRId64, (int64_t)v.f);
	return value_text(a, v);
}

static bool
is_define(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.s[i] <= ' ' || s.s[i] == 0x7f)
			return false;
	return s.n <= 200;
}

static void
add_value(struct spec_reader *r, struct param *p, struct map *seen, const struct json *at,
	struct value v)
{
	bool added;
	if (v.kind == VALUE_STRING && !is_define(v.s)) {
		diag_error(r->d, json_place(at),
			"'%.*s' cannot be a define: no spaces, at most 200 bytes",
			STR_ARG(v.s));
		return;
	}
	if (p->n_values && class_name(&v) != class_name(&p->values[0])) {
		diag_error(r->d, json_place(at), "the values of '%.*s' mix %s and %s",
			STR_ARG(p->name), class_name(&p->values[0]), class_name(&v));
		return;
	}
	struct str text = twin_text(r->a, v);
	map_put(seen, text, &added);
	if (added)
		p->values[p->n_values++] = v;
	else
		diag_error(r->d, json_place(at), "'%.*s' has the value %.*s twice",
			STR_ARG(p->name), STR_ARG(text));
}

void
read_values(struct spec_reader *r, const struct json *v, void *to)
{
	struct param *p = to;
	struct map seen = {.a = r->a};
	if (v->kind == JSON_OBJECT) {
		spec_read_object(r, WHERE_VALUES, v, p);
		if (v->n != 1)
			diag_error(r->d, json_place(v), "write either 'range' or 'pow2'");
		return;
	}
	if (!spec_count_ok(r, v, SPEC_VALUES_MAX, "values"))
		return;
	if (!v->n)
		diag_error(r->d, json_place(v),
			"'%.*s' has no values: write at least one", STR_ARG(p->name));
	p->values = arena_news(r->a, v->n, struct value);
	json_each(m, v)
	{
		struct value x;
		if (spec_value(r, m, &x))
			add_value(r, p, &seen, m, x);
	}
}

/* The integers of a range, n of them; false after a diag_error. */
static bool
range_ends(struct spec_reader *r, const struct json *v, size_t most, int64_t *ends)
{
	size_t n = 0;
	if (v->n < 2 || v->n > most) {
		diag_error(r->d, json_place(v), "'%.*s' is [from, to%s]", STR_ARG(v->key),
			most > 2 ? "] or [from, to, step" : "");
		return false;
	}
	json_each(m, v)
	{
		if (!json_is_i64(m, &ends[n]) || llabs(ends[n]) > (int64_t)1 << 53) {
			diag_error(r->d, json_place(m),
				"'%.*s' takes whole numbers up to 2^53", STR_ARG(v->key));
			return false;
		}
		n++;
	}
	if (ends[0] <= ends[1])
		return true;
	diag_error(r->d, json_place(v),
		"the range is empty: %" PRId64 " is more than %" PRId64, ends[0],
		ends[1]);
	return false;
}

static bool
push_int(struct spec_reader *r, const struct json *v, struct param *p, int64_t i)
{
	if (!p->values)
		p->values = arena_news(r->a, SPEC_VALUES_MAX, struct value);
	if (p->n_values == SPEC_VALUES_MAX) {
		diag_error(r->d, json_place(v), "more than %d values are too many",
			SPEC_VALUES_MAX);
		return false;
	}
	p->values[p->n_values++] = (struct value){.kind = VALUE_INT, .i = i};
	return true;
}

void
read_range(struct spec_reader *r, const struct json *v, void *to)
{
	int64_t ends[3] = {0, 0, 1};
	if (!range_ends(r, v, 3, ends))
		return;
	if (ends[2] < 1) {
		diag_error(r->d, json_place(v), "the step of a range is at least 1");
		return;
	}
	for (int64_t i = ends[0]; i <= ends[1]; i += ends[2])
		if (!push_int(r, v, to, i))
			return;
}

void
read_pow2(struct spec_reader *r, const struct json *v, void *to)
{
	struct param *p = to;
	int64_t ends[2] = {0};
	if (!range_ends(r, v, 2, ends))
		return;
	for (int64_t i = 1; i <= ends[1]; i *= 2)
		if (i >= ends[0])
			push_int(r, v, p, i);
	if (!p->n_values)
		diag_error(r->d, json_place(v),
			"no power of two is between %" PRId64 " and %" PRId64, ends[0],
			ends[1]);
}

/* --- parameters --------------------------------------------------------------------- */

void
read_param_source(struct spec_reader *r, const struct json *v, void *to)
{
	struct param *p = to;
	read_path(r, v, &p->source);
}

static void
read_param(struct spec_reader *r, const struct json *v, struct param *p)
{
	p->name = v->key;
	p->at = json_key_place(v);
	spec_key_identifier(r, v, "parameter");
	spec_read_object(r, WHERE_PARAM, v, p);
	if (!p->source.s.n)
		return;
	if (json_get(v, "role"))
		diag_error(r->d, json_key_place(json_get(v, "role")),
			"a parameter with a 'source' picks the file and has no other "
			"role");
	p->role = ROLE_SOURCE;
}

void
read_params(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	if (!spec_count_ok(r, v, SPEC_PARAMS_MAX, "parameters"))
		return;
	k->params = arena_news(r->a, v->n, struct param);
	json_each(m, v) read_param(r, m, &k->params[k->n_params++]);
}

/* --- sizes -------------------------------------------------------------------------- */

static void
read_size_value(struct spec_reader *r, const struct json *v, struct size *s)
{
	struct value x;
	if (!spec_key_identifier(r, v, "size"))
		return;
	if (v->kind != JSON_NUMBER) {
		diag_error(r->d, json_place(v), "'%.*s' is a number, not %s",
			STR_ARG(v->key), json_kind_name(v->kind));
		return;
	}
	if (!spec_value(r, v, &x))
		return;
	s->keys[s->n] = v->key;
	s->values[s->n++] = x;
}

static void
read_size(struct spec_reader *r, const struct json *v, struct size *s)
{
	s->name = v->key;
	s->at = json_key_place(v);
	spec_key_plain(r, v, "size");
	if (v->kind != JSON_OBJECT) {
		diag_error(r->d, json_place(v), "a size is an object of numbers, not %s",
			json_kind_name(v->kind));
		return;
	}
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "names"))
		return;
	s->keys = arena_news(r->a, v->n, struct str);
	s->values = arena_news(r->a, v->n, struct value);
	json_each(m, v) read_size_value(r, m, s);
}

void
read_sizes(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	if (!spec_count_ok(r, v, SPEC_SIZES_MAX, "sizes"))
		return;
	if (!v->n) {
		diag_error(r->d, json_place(v),
			"no size is written: add one, or remove 'sizes'");
		return;
	}
	k->sizes = arena_news(r->a, v->n, struct size);
	json_each(m, v) read_size(r, m, &k->sizes[k->n_sizes++]);
}

/* --- baseline ----------------------------------------------------------------------- */

/* As written; spec_check_baseline() puts it into parameter order. */
void
read_baseline(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	if (!spec_count_ok(r, v, SPEC_PARAMS_MAX, "parameters"))
		return;
	/* One more, so that an empty baseline is not the absent one; its place ends it.
	 */
	k->baseline = arena_news(r->a, SPEC_PARAMS_MAX + 1, struct binding);
	size_t n = 0;
	json_each(m, v)
	{
		struct binding *b = &k->baseline[n];
		b->name = m->key;
		b->at = json_key_place(m);
		n += spec_value(r, m, &b->value);
	}
	k->baseline[n] = (struct binding){.at = json_key_place(v)};
}
