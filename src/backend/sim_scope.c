#include "backend/sim_script.h"

#include "base/arena.h"

#include <math.h>

/* "TREE", "64", "0.5", "true" as the value it was written from. */
static struct value
value_of(struct str s)
{
	struct value v = {.kind = VALUE_INT};

	if (str_to_i64(s, &v.i))
		return v;
	if (str_is(s, "true") || str_is(s, "false"))
		return (struct value){.kind = VALUE_BOOL, .i = str_is(s, "true")};
	if (str_to_f64(s, &v.f))
		v.kind = VALUE_REAL;
	else
		v = (struct value){.kind = VALUE_STRING, .s = s};
	return v;
}

static struct value
number_value(double f)
{
	if (f == rint(f) && fabs(f) < 9e15)
		return (struct value){.kind = VALUE_INT, .i = (int64_t)f};
	return (struct value){.kind = VALUE_REAL, .f = f};
}

/* Where the size of a point begins: at its last '@', or its end. */
static size_t
label_end(struct str point)
{
	size_t at = point.n;

	while (at > 0 && point.s[at - 1] != '@')
		at--;
	return at ? at - 1 : point.n;
}

static struct str
size_of(struct str point)
{
	return str_sub(point, label_end(point) + 1, point.n);
}

static bool
parameter(struct str point, struct str name, struct value *out)
{
	struct str rest = str_sub(point, 0, label_end(point)), piece;

	while (str_split(&rest, ',', &piece)) {
		size_t eq = str_find(piece, '=');
		if (eq == piece.n || !str_eq(str_sub(piece, 0, eq), name))
			continue;
		*out = value_of(str_sub(piece, eq + 1, piece.n));
		return true;
	}
	return false;
}

static bool
scalar(const struct sim_scope *s, struct str name, struct value *out)
{
	for (size_t i = 0; i < s->n_args; i++) {
		const struct arg *v = &s->args[i];
		if (v->pointer || !v->known || !str_eq(v->name, name))
			continue;
		*out = number_value(dtype_decode(v->type, &v->bits));
		return true;
	}
	return false;
}

static bool
of_size(const struct sim_scope *s, struct str name, struct value *out)
{
	struct str size = size_of(s->point);

	for (size_t i = 0; i < s->script->n_sizes; i++) {
		const struct sim_name *n = &s->script->sizes[i];
		if (!str_eq(n->size, size) || !str_eq(n->name, name))
			continue;
		*out = number_value(n->value);
		return true;
	}
	return false;
}

bool
sim_scope_lookup(void *scope, struct str name, struct value *out)
{
	const struct sim_scope *s = scope;
	bool is_size = str_is(name, "size"), is_entry = str_is(name, "entry");

	if (parameter(s->point, name, out) || of_size(s, name, out) ||
		scalar(s, name, out))
		return true;
	*out = (struct value){
		.kind = VALUE_STRING, .s = is_size ? size_of(s->point) : s->entry};
	return is_size || is_entry;
}

bool
sim_scope_number(struct arena *a, struct sim_scope *s, const struct expr *e, double *out,
	struct str *why)
{
	struct value v;

	if (!expr_eval(a, e, sim_scope_lookup, s, &v, why)) {
		*why = str_fmt(a, "the script's '%.*s' for %.*s: %.*s",
			STR_ARG(expr_text(e)), STR_ARG(s->point), STR_ARG(*why));
		return false;
	}
	*out = v.kind == VALUE_REAL ? v.f : (double)v.i;
	if (v.kind != VALUE_STRING && *out > 0 && *out < 1e15)
		return true;
	*why = str_fmt(a, "the script's '%.*s' for %.*s is not a number above 0",
		STR_ARG(expr_text(e)), STR_ARG(s->point));
	return false;
}

bool
sim_scope_time(struct arena *a, struct sim_scope *s, double *ns, struct str *why)
{
	struct str label = str_sub(s->point, 0, label_end(s->point));

	for (size_t i = 0; i < s->script->n_times; i++) {
		const struct sim_name *t = &s->script->times[i];
		if (!str_eq(t->name, s->point) && !str_eq(t->name, label))
			continue;
		*ns = t->value;
		return true;
	}
	if (s->script->time_ns)
		return sim_scope_number(a, s, s->script->time_ns, ns, why);
	*why = str_fmt(a, "the script has no time for '%.*s'", STR_ARG(s->point));
	return false;
}
