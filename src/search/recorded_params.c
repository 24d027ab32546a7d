/* Parameters of a list of results, each of which says its configuration: recorded.h. */
#include "search/recorded_parts.h"

#include "base/arena.h"

#include <stdlib.h>

static long
find_param(const struct recorded *r, struct str name)
{
	for (size_t i = 0; i < r->n_params; i++)
		if (str_eq(r->params[i].name, name))
			return (long)i;
	return -1;
}

static const struct json *
configuration(const struct json *result, const char *key, struct diag *d)
{
	const struct json *c = json_get(result, key);
	if (c && c->kind == JSON_OBJECT)
		return c;
	diag_error(d, json_place(result), "a result has an object \"%s\"", key);
	return NULL;
}

/* The first result says which parameters there are, all of them which values. */
static bool
collect(struct arena *a, struct recorded *r, const struct json *results, const char *key,
	struct diag *d)
{
	json_each(result, results)
	{
		const struct json *c = configuration(result, key, d);
		bool first = result == results->child;
		if (!c)
			return false;
		json_each(e, c)
		{
			struct value v;
			if (first && !recorded_add_param(r, e, e->key, d))
				return false;
			long i = find_param(r, e->key);
			if (i < 0) {
				diag_error(d, json_key_place(e),
					"the first result has no parameter '%.*s'",
					STR_ARG(e->key));
				return false;
			}
			if (!recorded_value(e, &v, d) ||
				(recorded_find_value(&r->params[i], v) < 0 &&
					!recorded_add_value(a, &r->params[i], e, v, d)))
				return false;
		}
		if (c->n != r->n_params) {
			diag_error(d, json_place(c),
				"%zu parameters here, %zu in the first result", c->n,
				r->n_params);
			return false;
		}
	}
	return true;
}

static double
number_of(const struct value *v)
{
	return v->kind == VALUE_REAL ? v->f : (double)v->i;
}

static int
compare(const void *x, const void *y)
{
	const struct value *a = x, *b = y;
	if ((a->kind == VALUE_STRING) != (b->kind == VALUE_STRING))
		return a->kind == VALUE_STRING ? 1 : -1;
	if (a->kind == VALUE_STRING)
		return str_cmp(a->s, b->s);
	double s = number_of(a), t = number_of(b);
	return (s > t) - (s < t);
}

bool
recorded_collect(struct arena *a, struct recorded *r, const struct json *results,
	const char *key, struct diag *d)
{
	if (!collect(a, r, results, key, d))
		return false;
	for (size_t i = 0; i < r->n_params; i++)
		qsort(r->params[i].values, r->params[i].n, sizeof(struct value), compare);
	return true;
}

uint16_t *
recorded_choice(
	struct arena *a, const struct recorded *r, const struct json *of, struct diag *d)
{
	uint16_t *choice = arena_news(a, r->n_params + 1, uint16_t);
	json_each(e, of)
	{
		struct value v;
		long i = find_param(r, e->key);
		recorded_value(e, &v, d);
		choice[i] = (uint16_t)recorded_find_value(&r->params[i], v);
	}
	return choice;
}
