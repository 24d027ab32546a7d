#include "model/reading.h"

#include "base/arena.h"
#include "model/record.h"

#include <math.h>
#include <stddef.h>

static const char *const void_names[] = {
#define X(id, name) name,
	READING_VOIDS(X)
#undef X
};

const char *
reading_void_name(enum reading_void v)
{
	return (unsigned)v < N_READING_VOIDS ? void_names[v] : "?";
}

/* The numbers of a reading, in the order they are written. */
static const struct {
	const char *name;
	size_t at;
} columns[] = {
	{"readings_ns", offsetof(struct reading, ns)},
	{"host_ns", offsetof(struct reading, host_ns)},
	{"sm_mhz", offsetof(struct reading, sm_mhz)},
	{"power_w", offsetof(struct reading, power_w)},
	{"celsius", offsetof(struct reading, celsius)},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static double *
member(struct reading *v, size_t column)
{
	return (double *)(void *)((char *)v + columns[column].at);
}

void
readings_put(struct json_out *o, const struct reading *v, size_t n)
{
	for (size_t c = 0; c < N_COLUMNS; c++) {
		json_open_array(o, columns[c].name, true);
		for (size_t i = 0; i < n; i++) {
			struct reading one = v[i];
			json_put_f64(o, NULL, *member(&one, c));
		}
		json_close_array(o);
	}
	json_open_array(o, "reasons", true);
	for (size_t i = 0; i < n; i++)
		json_put_i64(o, NULL, v[i].reasons);
	json_close_array(o);
	json_open_array(o, "void", true);
	for (size_t i = 0; i < n; i++)
		json_put_c(o, NULL, reading_void_name(v[i].cause));
	json_close_array(o);
}

/* A column as numbers, null as NaN; false when its length is another. */
static bool
get_column(struct record *r, const char *name, size_t n, double *out)
{
	const struct json *v = r->ok ? json_get(r->v, name) : NULL;
	size_t i = 0;

	if (!v || v->kind != JSON_ARRAY || v->n != n) {
		record_fail(r, name, "'%s' must have one element for each reading", name);
		return false;
	}
	json_each(e, v)
	{
		if (e->kind != JSON_NUMBER && e->kind != JSON_NULL)
			record_fail(r, name, "'%s' holds numbers", name);
		out[i++] = e->kind == JSON_NUMBER ? e->number : (double)NAN;
	}
	return r->ok;
}

static bool
get_causes(struct record *r, struct reading *v, size_t n)
{
	const struct json *names = record_array(r, "void", JSON_STRING);
	size_t i = 0;

	if (names && names->n != n)
		record_fail(r, "void", "'void' must have one element for each reading");
	if (!names || !r->ok)
		return false;
	json_each(e, names)
	{
		int c = 0;
		while (c < N_READING_VOIDS && !str_is(e->string, void_names[c]))
			c++;
		if (c == N_READING_VOIDS)
			record_fail(r, "void", "unknown cause of a void reading");
		else
			v[i++].cause = (enum reading_void)c;
	}
	return r->ok;
}

static bool
get_reasons(struct record *r, struct reading *v, double *column, size_t n)
{
	if (!get_column(r, "reasons", n, column))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!(column[i] >= 0 && column[i] <= UINT32_MAX))
			record_fail(r, "reasons", "reasons are bits of a 32-bit word");
		else
			v[i].reasons = (uint32_t)column[i];
	}
	return r->ok;
}

bool
readings_get(struct arena *a, struct record *r, struct reading **out, size_t *n)
{
	const struct json *ns = record_array(r, "readings_ns", JSON_NUMBER);
	size_t count = ns ? ns->n : 0;
	double *column = arena_news(a, count + 1, double);
	struct reading *v = arena_news(a, count + 1, struct reading);

	for (size_t c = 0; c < N_COLUMNS && r->ok; c++) {
		if (!get_column(r, columns[c].name, count, column))
			return false;
		for (size_t i = 0; i < count; i++)
			*member(&v[i], c) = column[i];
	}
	if (!r->ok || !get_reasons(r, v, column, count) || !get_causes(r, v, count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!(v[i].ns > 0))
			record_fail(r, "readings_ns", "a reading is not positive");
	*out = count ? v : NULL;
	*n = count;
	return r->ok;
}

double *
readings_good(struct arena *a, const struct reading *v, size_t n_readings, size_t *n)
{
	double *good = arena_news(a, n_readings + 1, double);

	*n = 0;
	for (size_t i = 0; i < n_readings; i++)
		if (v[i].cause == READING_GOOD)
			good[(*n)++] = v[i].ns;
	return good;
}
