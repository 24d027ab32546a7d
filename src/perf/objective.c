#include "perf/objective.h"

#include "base/arena.h"

#include <math.h>

static const double NS_PER_S = 1e9;

bool
objective_parse(struct arena *a, struct str text, struct objective *out, struct diag *d)
{
	struct source *src = arena_new(a, struct source);
	const struct str *names;

	*out = (struct objective){0};
	if (!text.n || str_is(text, "time"))
		return true;
	out->text = text;
	if (str_is(text, "energy"))
		text = STR_LIT("joules");
	*src = (struct source){"objective", text};
	out->expr = expr_parse(a, text, (struct place){src, 1, 1}, d);
	for (size_t i = 0; out->expr && i < expr_names(out->expr, &names); i++)
		out->joules |= str_is(names[i], "joules");
	return out->expr != NULL;
}

struct scope {
	struct arena *a;
	const struct rank_entry *e;
	double time_s, joules;
};

static bool
real(double v, struct value *out)
{
	*out = (struct value){.kind = VALUE_REAL, .f = v};
	return isfinite(v);
}

static bool
lookup(void *env, struct str name, struct value *out)
{
	const struct scope *s = env;
	const struct json *v;

	if (str_is(name, "time_s"))
		return real(s->time_s, out);
	if (str_is(name, "joules"))
		return real(s->joules, out);
	if (str_is(name, "bytes"))
		return real(s->e->bytes, out);
	if (str_is(name, "flops"))
		return real(s->e->flops, out);
	v = json_get(s->e->assignment, str_c(s->a, name));
	if (!v)
		return false;
	if (v->kind == JSON_NUMBER && json_is_i64(v, &out->i))
		out->kind = VALUE_INT;
	else if (v->kind == JSON_NUMBER)
		return real(v->number, out);
	else if (v->kind == JSON_BOOL)
		*out = (struct value){.kind = VALUE_BOOL, .i = v->boolean};
	else
		*out = (struct value){.kind = VALUE_STRING, .s = v->string};
	return true;
}

double
objective_value(struct arena *a, const struct objective *o, const struct rank_entry *e,
	double ns, double joules, struct str *why)
{
	struct scope s = {a, e, ns / NS_PER_S, joules};
	struct value v;
	struct str reason = {0};
	double x = (double)NAN;

	if (!o->expr)
		return ns;
	if (expr_eval(a, o->expr, lookup, &s, &v, &reason)) {
		x = v.kind == VALUE_REAL ? v.f : (double)v.i;
		if (v.kind == VALUE_STRING || !(x > 0) || !isfinite(x)) {
			reason = STR_LIT("it is not a positive number");
			x = (double)NAN;
		}
	}
	if (why)
		*why = reason;
	return x;
}

bool
objective_fill(
	struct arena *a, const struct objective *o, struct rank_entry *e, struct str *why)
{
	double x, y;

	if (!o->expr || (o->joules && isnan(e->joules)))
		return true;
	e->cost = objective_value(a, o, e, e->median_ns, e->joules, why);
	if (isnan(e->cost)) {
		e->cost = 0;
		return false;
	}
	x = objective_value(a, o, e, e->low_ns, e->joules - e->joules_error, NULL);
	y = objective_value(a, o, e, e->high_ns, e->joules + e->joules_error, NULL);
	if (!o->joules) {
		x = objective_value(a, o, e, e->low_ns, e->joules, NULL);
		y = objective_value(a, o, e, e->high_ns, e->joules, NULL);
	}
	e->cost_low = fmin(x, y);
	e->cost_high = fmax(x, y);
	return true;
}
