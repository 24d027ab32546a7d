#include "base/arena.h"
#include "format/expr_node.h"

#include <inttypes.h>
#include <math.h>

static bool
fail(struct str *why, const char *reason)
{
	*why = str_of(reason);
	return false;
}

static bool
is_int(const struct value *v)
{
	return v->kind == VALUE_INT || v->kind == VALUE_BOOL;
}

static double
to_real(const struct value *v)
{
	return v->kind == VALUE_REAL ? v->f : (double)v->i;
}

static bool
give_int(int64_t i, struct value *out)
{
	*out = (struct value){.kind = VALUE_INT, .i = i};
	return true;
}

static bool
give_real(double f, struct value *out, struct str *why)
{
	if (!isfinite(f))
		return fail(why, "the result is not a finite number");
	*out = (struct value){.kind = VALUE_REAL, .f = f};
	return true;
}

static bool
give_whole(double f, struct value *out, struct str *why)
{
	if (!(f >= (double)INT64_MIN && f < -(double)INT64_MIN))
		return fail(why, "integer overflow");
	return give_int((int64_t)f, out);
}

/* Exact, also where a 64-bit integer has no double of its own. */
static int
compare_int_real(int64_t i, double f)
{
	if (!(f < -(double)INT64_MIN))
		return -1;
	if (f < (double)INT64_MIN)
		return 1;
	int64_t whole = (int64_t)f;
	double rest = f - (double)whole;
	if (i != whole)
		return i < whole ? -1 : 1;
	return rest > 0 ? -1 : rest < 0;
}

bool
value_compare(const struct value *x, const struct value *y, int *out)
{
	if (is_int(x) && is_int(y))
		*out = (x->i > y->i) - (x->i < y->i);
	else if (x->kind == VALUE_STRING && y->kind == VALUE_STRING)
		*out = str_cmp(x->s, y->s);
	else if (x->kind == VALUE_STRING || y->kind == VALUE_STRING)
		return false;
	else if (is_int(x))
		*out = compare_int_real(x->i, y->f);
	else if (is_int(y))
		*out = -compare_int_real(y->i, x->f);
	else
		*out = (x->f > y->f) - (x->f < y->f);
	return true;
}

bool
value_true(struct value v)
{
	return v.kind == VALUE_STRING ? v.s.n > 0
	       : v.kind == VALUE_REAL ? v.f != 0
				      : v.i != 0;
}

bool
value_same(const struct value *x, const struct value *y)
{
	int c;
	return value_compare(x, y, &c) && c == 0;
}

bool
value_eq(struct value a, struct value b)
{
	return value_same(&a, &b);
}

struct str
value_text(struct arena *a, struct value v)
{
	char text[40];
	switch (v.kind) {
	case VALUE_STRING: return v.s;
	case VALUE_BOOL: return v.i ? STR_LIT("true") : STR_LIT("false");
	case VALUE_INT: return str_fmt(a, "%" PRId64, v.i);
	case VALUE_REAL: break;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v.f);
		if (strtod(text, NULL) == v.f)
			break;
	}
	bool whole = !strpbrk(text, ".en");
	return str_fmt(a, "%s%s", text, whole ? ".0" : "");
}

/* --- arithmetic --------------------------------------------------------------------- */

static bool
int_power(int64_t x, int64_t n, struct value *out, struct str *why)
{
	int64_t r = 1;
	for (;; n >>= 1) {
		if ((n & 1) && __builtin_mul_overflow(r, x, &r))
			return fail(why, "integer overflow");
		if (n <= 1)
			return give_int(r, out);
		if (__builtin_mul_overflow(x, x, &x))
			return fail(why, "integer overflow");
	}
}

static bool
int_divide(enum expr_op op, int64_t x, int64_t y, struct value *out, struct str *why)
{
	if (y == 0)
		return fail(why, "division by zero");
	if (y == -1) { /* INT64_MIN / -1 does not fit */
		int64_t r;
		if (op == EXPR_MOD)
			return give_int(0, out);
		if (__builtin_sub_overflow((int64_t)0, x, &r))
			return fail(why, "integer overflow");
		return give_int(r, out);
	}
	if (op == EXPR_FLOOR_DIV)
		return give_int(value_floor_div(x, y), out);
	if (op == EXPR_MOD)
		return give_int(value_floor_mod(x, y), out);
	if (x % y == 0)
		return give_int(x / y, out);
	return give_real((double)x / (double)y, out, why);
}

static bool
int_arithmetic(enum expr_op op, int64_t x, int64_t y, struct value *out, struct str *why)
{
	int64_t r = 0;
	bool over = false;
	if (op == EXPR_ADD)
		over = __builtin_add_overflow(x, y, &r);
	else if (op == EXPR_SUB)
		over = __builtin_sub_overflow(x, y, &r);
	else if (op == EXPR_MUL)
		over = __builtin_mul_overflow(x, y, &r);
	else if (op != EXPR_POW)
		return int_divide(op, x, y, out, why);
	else if (y >= 0)
		return int_power(x, y, out, why);
	else if (x == 0)
		return fail(why, "division by zero");
	else
		return give_real(pow((double)x, (double)y), out, why);
	return over ? fail(why, "integer overflow") : give_int(r, out);
}

static bool
real_arithmetic(enum expr_op op, double x, double y, struct value *out, struct str *why)
{
	bool divides = op == EXPR_DIV || op == EXPR_FLOOR_DIV || op == EXPR_MOD;
	if (y == 0 && divides)
		return fail(why, "division by zero");
	if (op == EXPR_ADD)
		return give_real(x + y, out, why);
	if (op == EXPR_SUB)
		return give_real(x - y, out, why);
	if (op == EXPR_MUL)
		return give_real(x * y, out, why);
	if (op == EXPR_DIV)
		return give_real(x / y, out, why);
	if (op == EXPR_POW)
		return give_real(pow(x, y), out, why);
	double r = fmod(x, y);
	if (r != 0 && (r < 0) != (y < 0))
		r += y;
	if (op == EXPR_MOD)
		return give_real(r, out, why);
	/* From the remainder, as floor(x / y) rounds up when x / y does. */
	return give_real(round((x - r) / y), out, why);
}

bool
value_arithmetic(struct arena *a, enum expr_op op, const struct value *x,
	const struct value *y, struct value *out, struct str *why)
{
	if (is_int(x) && is_int(y))
		return int_arithmetic(op, x->i, y->i, out, why);
	if (x->kind != VALUE_STRING && y->kind != VALUE_STRING)
		return real_arithmetic(op, to_real(x), to_real(y), out, why);
	const struct value *s = x->kind == VALUE_STRING ? x : y;
	*why = str_fmt(a, "the string '%.*s' has no arithmetic", STR_ARG(s->s));
	return false;
}

/* --- functions ---------------------------------------------------------------------- */

static bool
call_extreme(
	int sign, const struct value *args, size_t n, struct value *out, struct str *why)
{
	*out = args[0];
	for (size_t i = 1; i < n; i++) {
		int c;
		if (!value_compare(&args[i], out, &c))
			return fail(why, "cannot compare a string with a number");
		if (c * sign > 0)
			*out = args[i];
	}
	return true;
}

static bool
call_log2(const struct value *v, struct value *out, struct str *why)
{
	double x = to_real(v);
	if (!(x > 0))
		return fail(why, "log2() of a number that is not positive");
	if (is_int(v) && (v->i & (v->i - 1)) == 0)
		return give_int(__builtin_ctzll((uint64_t)v->i), out);
	return give_real(log2(x), out, why);
}

static bool
call_round(enum expr_fn fn, const struct value *v, struct value *out, struct str *why)
{
	if (is_int(v))
		return give_int(v->i, out);
	/* nearbyint: to even, in the default rounding mode. */
	double f = fn == EXPR_FN_FLOOR  ? floor(v->f)
		   : fn == EXPR_FN_CEIL ? ceil(v->f)
					: nearbyint(v->f);
	return give_whole(f, out, why);
}

static bool
call_ceil_div(
	const struct value *x, const struct value *y, struct value *out, struct str *why)
{
	if (!is_int(x) || !is_int(y)) {
		if (to_real(y) == 0)
			return fail(why, "division by zero");
		return give_whole(ceil(to_real(x) / to_real(y)), out, why);
	}
	if (y->i == 0)
		return fail(why, "division by zero");
	if (y->i == -1)
		return int_divide(EXPR_FLOOR_DIV, x->i, y->i, out, why);
	return give_int(value_floor_div(x->i, y->i) + (x->i % y->i != 0), out);
}

static uint64_t
magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static bool
call_divisors(enum expr_fn fn, const struct value *x, const struct value *y,
	struct value *out, struct str *why)
{
	if (!is_int(x) || !is_int(y))
		return fail(why, "gcd() and lcm() take integers");
	uint64_t p = magnitude(x->i), q = magnitude(y->i), g = p, r = q;
	while (r) {
		uint64_t t = g % r;
		g = r;
		r = t;
	}
	uint64_t v = g;
	if (fn == EXPR_FN_LCM && __builtin_mul_overflow(g ? p / g : 0, q, &v))
		return fail(why, "integer overflow");
	return v > INT64_MAX ? fail(why, "integer overflow") : give_int((int64_t)v, out);
}

static bool
call_abs(const struct value *v, struct value *out, struct str *why)
{
	if (v->kind == VALUE_REAL)
		return give_real(fabs(v->f), out, why);
	if (v->i == INT64_MIN)
		return fail(why, "integer overflow");
	return give_int(v->i < 0 ? -v->i : v->i, out);
}

bool
value_call(struct arena *a, enum expr_fn fn, const struct value *args, size_t n,
	struct value *out, struct str *why)
{
	static const struct value two = {.kind = VALUE_INT, .i = 2};
	for (size_t i = 0; i < n && fn != EXPR_FN_MIN && fn != EXPR_FN_MAX; i++)
		if (args[i].kind == VALUE_STRING)
			return fail(why, "a function of numbers was given a string");
	switch (fn) {
	case EXPR_FN_MIN: return call_extreme(-1, args, n, out, why);
	case EXPR_FN_MAX: return call_extreme(1, args, n, out, why);
	case EXPR_FN_ABS: return call_abs(args, out, why);
	case EXPR_FN_CEIL_DIV: return call_ceil_div(&args[0], &args[1], out, why);
	case EXPR_FN_POW2: return value_arithmetic(a, EXPR_POW, &two, args, out, why);
	case EXPR_FN_LOG2: return call_log2(args, out, why);
	case EXPR_FN_FLOOR:
	case EXPR_FN_CEIL:
	case EXPR_FN_ROUND: return call_round(fn, args, out, why);
	case EXPR_FN_GCD:
	case EXPR_FN_LCM: return call_divisors(fn, &args[0], &args[1], out, why);
	case N_EXPR_FNS: break;
	}
	return fail(why, "unknown function");
}
