#include "base/arena.h"
#include "base/buf.h"
#include "model/candidate.h"
#include "model/exact.h"

#include <inttypes.h>
#include <math.h>

/* More elements than any buffer has; times 8 bytes it still fits. */
#define COUNT_MAX ((uint64_t)1 << 40)

/* " at BLOCK=64,TILE=128, size 1M" */
static struct str
where(struct arena *a, const struct scope *s)
{
	struct buf b = {.a = a};
	if (s->c)
		buf_addf(&b, " at %.*s", STR_ARG(candidate_label(a, s->k, s->c)));
	if (s->size)
		buf_addf(&b, "%s size %.*s", s->c ? "," : " at", STR_ARG(s->size->name));
	return buf_str(&b);
}

static bool
evaluate(struct arena *a, const struct scope *s, const char *what, const struct expr *e,
	struct value *out, struct diag *d)
{
	struct scope env = *s;
	struct str why = {0};
	if (expr_eval(a, e, scope_lookup, &env, out, &why))
		return true;
	if (!s->dev && str_starts(why, "unknown name 'device."))
		why = str_fmt(a, "%.*s: no device is known here, name one with --device",
			STR_ARG(why));
	diag_error(d, expr_place(e), "%s '%.*s' has no value%.*s: %.*s", what,
		STR_ARG(expr_text(e)), STR_ARG(where(a, s)), STR_ARG(why));
	return false;
}

/* A whole number of at least `least`, which may be written as a real. */
bool
candidate_whole(struct arena *a, const struct scope *s, const char *what,
	const struct expr *e, uint64_t least, uint64_t *out, struct diag *d)
{
	struct value v;
	if (!evaluate(a, s, what, e, &v, d))
		return false;
	if (v.kind == VALUE_REAL && v.f == floor(v.f) && fabs(v.f) <= 0x1p53)
		v = (struct value){.kind = VALUE_INT, .i = (int64_t)v.f};
	if (v.kind == VALUE_INT && v.i >= 0 && (uint64_t)v.i >= least) {
		*out = (uint64_t)v.i;
		return true;
	}
	diag_error(d, expr_place(e),
		"%s '%.*s' is %.*s%.*s: it must be a whole number of at least %" PRIu64,
		what, STR_ARG(expr_text(e)), STR_ARG(value_text(a, v)),
		STR_ARG(where(a, s)), least);
	return false;
}

struct str
candidate_path(struct arena *a, const struct scope *s, struct str template)
{
	struct buf b = {.a = a};
	struct str rest = template;
	for (;;) {
		struct scope env = *s;
		struct value v;
		size_t open = str_find(rest, '{'), close = str_find(rest, '}');
		buf_addstr(&b, str_sub(rest, 0, open));
		if (open == rest.n)
			return buf_str(&b);
		struct str name = str_sub(rest, open + 1, close);
		if (scope_lookup(&env, name, &v))
			buf_addstr(&b, value_text(a, v));
		else if (str_is(name, "size") && s->size)
			buf_addstr(&b, s->size->name);
		rest = str_sub(rest, close + 1, rest.n);
	}
}

static bool
dims(struct arena *a, const struct scope *s, const char *what,
	const struct expr *const *e, struct dim *out, struct diag *d)
{
	uint64_t *to[3] = {&out->x, &out->y, &out->z};
	*out = (struct dim){1, 1, 1};
	for (int i = 0; i < 3; i++)
		if (e[i] && !candidate_whole(a, s, what, e[i], 1, to[i], d))
			return false;
	return true;
}

bool
candidate_launch(
	struct arena *a, const struct scope *s, struct launch *out, struct diag *d)
{
	const struct kernel *k = s->k;
	*out = (struct launch){
		.cooperative = k->cooperative, .programmatic = k->programmatic};
	return dims(a, s, "block size", k->block, &out->block, d) &&
	       dims(a, s, "grid size", k->grid, &out->grid, d) &&
	       dims(a, s, "cluster size", k->cluster, &out->cluster, d) &&
	       (!k->shared || candidate_whole(a, s, "shared memory", k->shared, 0,
				      &out->shared_bytes, d));
}

static bool
scalar_bits(enum dtype type, struct value v, uint64_t *bits)
{
	if (v.kind == VALUE_STRING)
		return false;
	if (v.kind == VALUE_REAL && !dtype_is_float(type)) {
		if (v.f != floor(v.f) || fabs(v.f) > 0x1p53)
			return false;
		v.i = (int64_t)v.f;
	} else if (v.kind == VALUE_REAL) {
		return dtype_encode(type, v.f, bits);
	}
	return dtype_encode_i64(type, v.i, bits);
}

static bool
scalar(struct arena *a, const struct scope *s, const struct arg_spec *g, struct arg *out,
	struct diag *d)
{
	struct value v;
	if (!g->value)
		return true;
	if (!evaluate(a, s, "value", g->value, &v, d))
		return false;
	out->known = true;
	if (scalar_bits(g->type, v, &out->bits))
		return true;
	diag_error(d, expr_place(g->value), "value '%.*s' is %.*s%.*s, which is no %s",
		STR_ARG(expr_text(g->value)), STR_ARG(value_text(a, v)),
		STR_ARG(where(a, s)), dtype_name(g->type));
	return false;
}

static bool
pointer(struct arena *a, const struct scope *s, const struct arg_spec *g, struct arg *out,
	struct diag *d)
{
	if (!candidate_whole(a, s, "count", g->count, 1, &out->count, d))
		return false;
	if (out->count <= COUNT_MAX)
		return true;
	diag_error(d, expr_place(g->count),
		"count '%.*s' is %" PRIu64 "%.*s: too many elements",
		STR_ARG(expr_text(g->count)), out->count, STR_ARG(where(a, s)));
	return false;
}

/* Inputs of type `exact` small enough for the sums that the spec declares. */
static bool
reduction(struct arena *a, const struct scope *s, uint64_t *most, struct diag *d)
{
	const struct expr *e = s->k->verify.reduction;
	int bits = 64;
	uint64_t terms;
	*most = UINT64_MAX;
	if (!e)
		return true;
	if (!candidate_whole(a, s, "reduction", e, 1, &terms, d))
		return false;
	for (size_t i = 0; i < s->k->n_args; i++) {
		const struct arg_spec *g = &s->k->args[i];
		if (g->output && exact_bits(g->type) < bits)
			bits = exact_bits(g->type);
	}
	*most = exact_bound(terms, bits);
	if (*most)
		return true;
	diag_error(d, expr_place(e),
		"reduction '%.*s' is %" PRIu64 "%.*s: no sum of so many products is "
		"exact in %d bits; leave it out and give a tolerance",
		STR_ARG(expr_text(e)), terms, STR_ARG(where(a, s)), bits);
	return false;
}

bool
candidate_args(
	struct arena *a, const struct scope *s, struct arg **v, size_t *n, struct diag *d)
{
	uint64_t most;
	if (!reduction(a, s, &most, d))
		return false;
	*n = s->k->n_args;
	*v = arena_news(a, *n, struct arg);
	for (size_t i = 0; i < *n; i++) {
		const struct arg_spec *g = &s->k->args[i];
		struct arg *out = &(*v)[i];
		*out = (struct arg){.name = g->name,
			.type = g->type,
			.pointer = g->pointer,
			.input = g->input,
			.output = g->output,
			.fill = g->fill,
			.file = candidate_path(a, s, g->file.s),
			.tolerated = g->tolerated,
			.tolerance = g->tolerance};
		if (g->fill == FILL_EXACT && most < (uint64_t)exact_most(g->type))
			out->most = (int)most;
		if (g->fill == FILL_FULL)
			out->from = (int)g->from, out->to = (int)g->to;
		if (!(g->pointer ? pointer : scalar)(a, s, g, out, d))
			return false;
	}
	return true;
}

bool
candidate_number(struct arena *a, const struct scope *s, const struct expr *e,
	double *out, struct diag *d)
{
	struct value v;
	*out = (double)NAN;
	if (!e)
		return true;
	if (!evaluate(a, s, "work", e, &v, d))
		return false;
	*out = v.kind == VALUE_REAL ? v.f : (double)v.i;
	if (v.kind != VALUE_STRING && *out >= 0)
		return true;
	diag_error(d, expr_place(e),
		"work '%.*s' is %.*s%.*s: it must be a number of at least 0",
		STR_ARG(expr_text(e)), STR_ARG(value_text(a, v)), STR_ARG(where(a, s)));
	return false;
}
