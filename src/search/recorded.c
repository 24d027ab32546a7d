#include "search/recorded_parts.h"

#include "base/arena.h"
#include "base/buf.h"

#include <math.h>
#include <stdlib.h>

/* --- words -------------------------------------------------------------------------- */

static const struct fault_words {
	const char *t4, *kt; /* kt: what Kernel Tuner calls it */
} faults[FAULTS] = {
	[FAULT_NONE] = {"correct", ""},
	[FAULT_CONSTRAINTS] = {"constraints", "InvalidConfig"},
	[FAULT_COMPILE] = {"compile", "CompilationFailedConfig"},
	[FAULT_RUNTIME] = {"runtime", "RuntimeFailedConfig"},
	[FAULT_CORRECTNESS] = {"correctness", "ErrorConfig"},
	[FAULT_TIMEOUT] = {"timeout", "ErrorConfig"},
};

const char *
recorded_fault_name(enum recorded_fault f)
{
	return faults[f].t4;
}

const char *
recorded_fault_kt(enum recorded_fault f)
{
	return faults[f].kt;
}

bool
recorded_fault_of(struct str word, enum recorded_fault *f)
{
	for (int i = 0; i < FAULTS; i++)
		if (str_is(word, faults[i].t4) || (i && str_is(word, faults[i].kt))) {
			*f = (enum recorded_fault)i;
			return true;
		}
	return false;
}

struct str
recorded_value_text(struct arena *a, struct value v)
{
	if (v.kind == VALUE_BOOL)
		return v.i ? STR_LIT("True") : STR_LIT("False");
	return value_text(a, v);
}

/* --- values and parameters ---------------------------------------------------------- */

bool
recorded_value(const struct json *v, struct value *out, struct diag *d)
{
	*out = (struct value){0};
	if (v->kind == JSON_STRING) {
		out->kind = VALUE_STRING;
		out->s = v->string;
	} else if (v->kind == JSON_BOOL) {
		out->kind = VALUE_BOOL;
		out->i = v->boolean;
	} else if (v->kind == JSON_NUMBER && !v->real && json_is_i64(v, &out->i)) {
		out->kind = VALUE_INT;
	} else if (v->kind == JSON_NUMBER) {
		out->kind = VALUE_REAL;
		out->f = v->number;
	} else {
		diag_error(d, json_place(v),
			"a value is a number, a string or a boolean, not %s",
			json_kind_name(v->kind));
		return false;
	}
	return true;
}

/* An entry of a cache has parameters and results side by side. */
static bool
is_reserved(struct str name)
{
	for (int i = 0; i < PHASES; i++)
		if (str_is(name, recorded_phase_kt((enum recorded_phase)i)))
			return true;
	return str_is(name, "time") || str_is(name, "times") ||
	       str_is(name, "timestamp") || str_is(name, "__error__");
}

bool
recorded_add_param(
	struct recorded *r, const struct json *at, struct str name, struct diag *d)
{
	if (r->n_params == SPEC_PARAMS_MAX) {
		diag_error(d, json_place(at), "more than %d parameters", SPEC_PARAMS_MAX);
		return false;
	}
	if (is_reserved(name)) {
		diag_error(d, json_place(at),
			"a parameter cannot be called '%.*s': results have that name",
			STR_ARG(name));
		return false;
	}
	for (size_t i = 0; i < r->n_params; i++)
		if (str_eq(r->params[i].name, name)) {
			diag_error(d, json_place(at), "parameter '%.*s' is there twice",
				STR_ARG(name));
			return false;
		}
	r->params[r->n_params++] = (struct recorded_param){.name = name};
	return true;
}

long
recorded_find_value(const struct recorded_param *p, struct value v)
{
	for (size_t i = 0; i < p->n; i++)
		if (value_eq(p->values[i], v))
			return (long)i;
	return -1;
}

bool
recorded_add_value(struct arena *a, struct recorded_param *p, const struct json *at,
	struct value v, struct diag *d)
{
	if (p->n == SPEC_VALUES_MAX) {
		diag_error(d, json_place(at), "'%.*s' has more than %d values",
			STR_ARG(p->name), SPEC_VALUES_MAX);
		return false;
	}
	arena_grow(a, p->values, p->n, p->cap);
	p->values[p->n++] = v;
	return true;
}

/* --- rows --------------------------------------------------------------------------- */

struct recorded_row *
recorded_add_row(struct arena *a, struct recorded *r)
{
	arena_grow(a, r->rows, r->n, r->cap);
	struct recorded_row *row = &r->rows[r->n++];
	*row = (struct recorded_row){0};
	for (int i = 0; i < PHASES; i++)
		row->phase_ms[i] = NAN;
	return row;
}

bool
recorded_time(
	struct recorded_row *row, const struct json *v, double scale, struct diag *d)
{
	if (v->kind == JSON_NUMBER) {
		row->time_ms = v->number * scale;
		if (!(row->time_ms > 0 && row->time_ms < RECORDED_TIME_MAX_MS))
			row->fault = FAULT_RUNTIME;
	} else if (v->kind == JSON_NULL || (v->kind == JSON_STRING && !v->string.n)) {
		row->fault = FAULT_RUNTIME;
	} else if (v->kind != JSON_STRING || !recorded_fault_of(v->string, &row->fault)) {
		diag_error(d, json_place(v),
			"a time is a number, or what failed: \"InvalidConfig\", "
			"\"CompilationFailedConfig\" or \"RuntimeFailedConfig\"");
		return false;
	}
	return true;
}

bool
recorded_times(struct arena *a, struct recorded_row *row, const struct json *v,
	double scale, struct diag *d)
{
	if (v->kind != JSON_ARRAY) {
		diag_error(d, json_place(v), "a list of times is expected here, not %s",
			json_kind_name(v->kind));
		return false;
	}
	row->times_ms = arena_news(a, v->n, double);
	row->n_times = 0;
	json_each(t, v)
	{
		if (t->kind != JSON_NUMBER) {
			diag_error(d, json_place(t), "a time is a number, not %s",
				json_kind_name(t->kind));
			return false;
		}
		row->times_ms[row->n_times++] = t->number * scale;
	}
	return true;
}

/* --- in order ----------------------------------------------------------------------- */

/* qsort() has no way to say how long a choice is; each row tells where it stood. */
struct sortable {
	struct recorded_row row;
	size_t n_params, at;
};

static int
choice_cmp(const uint16_t *x, const uint16_t *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int
compare(const void *x, const void *y)
{
	const struct sortable *a = x, *b = y;
	return choice_cmp(a->row.choice, b->row.choice, a->n_params);
}

/* Sorts the rows; false if two have the same choice. */
static bool
sort(struct arena *a, struct recorded *r, struct diag *d, const struct source *src)
{
	struct sortable *v = arena_news(a, r->n, struct sortable);
	r->order = arena_array(a, r->n, sizeof(const struct recorded_row *));
	for (size_t i = 0; i < r->n; i++)
		v[i] = (struct sortable){r->rows[i], r->n_params, i};
	qsort(v, r->n, sizeof *v, compare);
	for (size_t i = 0; i < r->n; i++) {
		r->rows[i] = v[i].row;
		r->order[v[i].at] = &r->rows[i];
		if (!i || compare(&v[i - 1], &v[i]) != 0)
			continue;
		struct buf b = {.a = a};
		for (size_t p = 0; p < r->n_params; p++) {
			buf_addf(&b, "%s%.*s=", p ? "," : "", STR_ARG(r->params[p].name));
			buf_addstr(&b, recorded_value_text(a,
					       r->params[p].values[v[i].row.choice[p]]));
		}
		diag_error(
			d, (struct place){.src = src}, "%s is recorded twice", buf_c(&b));
		return false;
	}
	return true;
}

/* --- reading ------------------------------------------------------------------------ */

struct recorded *
recorded_parse(struct arena *a, const struct source *src, struct str size, struct diag *d)
{
	struct source *mended = arena_new(a, struct source);
	struct recorded *r = arena_new(a, struct recorded);
	*mended = (struct source){src->name, json_mend(a, src->text)};
	const struct json *top = json_parse(a, mended, d);
	if (!top)
		return NULL;
	bool own = str_is(json_get_str(top, "schema"), RECORDED_OWN), read;
	if (size.n && !own) {
		diag_error(d, json_place(top),
			"a size is chosen among our own results only, and these are not");
		return NULL;
	}
	if (own)
		read = recorded_read_own(a, r, top, size, d);
	else if (json_get(top, "cache"))
		read = recorded_read_kt(a, r, top, d);
	else if (json_get(top, "results"))
		read = recorded_read_t4(a, r, top, d);
	else if (str_starts(json_get_str(top, "schema"), "lanewise/")) {
		diag_error(d, json_place(top),
			"this is lanewise's own (%.*s): of ours, results are read "
			"(" RECORDED_OWN ")",
			STR_ARG(json_get_str(top, "schema")));
		return NULL;
	} else {
		diag_error(d, json_place(top),
			"neither a Kernel Tuner cache (no \"cache\") nor T4 results (no "
			"\"results\") nor our own (schema " RECORDED_OWN ")");
		return NULL;
	}
	if (!read)
		return NULL;
	if (!r->n) {
		diag_error(d, json_place(top), "no candidate is recorded");
		return NULL;
	}
	return sort(a, r, d, src) ? r : NULL;
}

struct recorded *
recorded_read(struct arena *a, const char *path, struct str size, struct diag *d)
{
	const struct source *src = json_source(a, path, d);
	return src ? recorded_parse(a, src, size, d) : NULL;
}

/* --- as a field --------------------------------------------------------------------- */

static void
row_choice(const void *of, uint64_t place, uint16_t *choice)
{
	const struct recorded *r = of;
	memcpy(choice, r->rows[place].choice, r->n_params * sizeof *choice);
}

static bool
row_find(const void *of, const uint16_t *choice, uint64_t *place)
{
	const struct recorded *r = of;
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = choice_cmp(choice, r->rows[middle].choice, r->n_params);
		if (c == 0) {
			*place = middle;
			return true;
		}
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

struct field
recorded_field(const struct recorded *r)
{
	struct field f = {.count = r->n,
		.n_params = r->n_params,
		.of = r,
		.nth = row_choice,
		.find = row_find};
	for (size_t i = 0; i < r->n_params; i++)
		f.n_values[i] = (uint16_t)r->params[i].n;
	return f;
}

enum search_outcome
recorded_outcome(const struct recorded *r, uint64_t i, double *time_ms)
{
	const struct recorded_row *row = &r->rows[i];
	*time_ms = row->time_ms;
	if (row->fault == FAULT_CONSTRAINTS)
		return SEARCH_REFUSED;
	return row->fault ? SEARCH_FAILED : SEARCH_TIMED;
}
