/* Expressions against an evaluator that shares no code with them: random trees are
 * printed with as few brackets as precedence allows, and computed here in 128-bit
 * integers. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/rng.h"
#include "format/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;

enum kind { NUM, REAL_NUM, TEXT, NAME, NEG, NOT, BINARY, AND, OR, IF, CHAIN, IN, CALL };

struct tree {
	enum kind kind;
	const char *op; /* BINARY, CALL; CHAIN: the first */
	const char *op2;
	int64_t i;
	double f;
	struct tree *kid[4];
	int n;
};

enum { N_NAMES = 4 };
static const char *const names[N_NAMES] = {"A", "BLOCK", "x_1", "device.z"};
static const int64_t values[N_NAMES] = {0, 64, -5, INT64_MAX};

/* What the tree is worth: an error, an integer (booleans too), a real or a string. */
enum worth_kind { BAD, WHOLE, FRACTION, STRING };
struct worth {
	enum worth_kind kind;
	wide i;
	double f;
	const char *s;
};

/* --- computing ---------------------------------------------------------------------- */

static struct worth
whole(wide i)
{
	struct worth w = {WHOLE, i, 0, NULL};
	if (i > INT64_MAX || i < INT64_MIN)
		w.kind = BAD;
	return w;
}

static struct worth
fraction(double f)
{
	struct worth w = {isfinite(f) ? FRACTION : BAD, 0, f, NULL};
	return w;
}

static double
real(struct worth w)
{
	return w.kind == WHOLE ? (double)w.i : w.f;
}

static bool
truth(struct worth w)
{
	return w.kind == STRING ? w.s[0] != 0 : w.kind == WHOLE ? w.i != 0 : w.f != 0;
}

static wide
floor_quotient(wide x, wide y)
{
	wide q = x / y;
	while (q * y > x ? y > 0 : q * y < x && y < 0)
		q--;
	/* q is floor(x / y): y * q <= x < y * (q + 1) for y > 0, mirrored for y < 0. */
	return q;
}

static struct worth
power(wide x, wide n)
{
	wide r = 1;
	if (x == 0 || x == 1)
		return whole(n == 0 ? 1 : x);
	if (x == -1)
		return whole(n % 2 ? -1 : 1);
	for (; n > 0; n--) {
		r *= x;
		if (r > INT64_MAX || r < INT64_MIN)
			return (struct worth){0};
	}
	return whole(r);
}

static struct worth
compute_whole(const char *op, wide x, wide y)
{
	bool divides = strchr("/%", op[0]) != NULL;
	if (divides && y == 0)
		return (struct worth){0};
	if (!strcmp(op, "+"))
		return whole(x + y);
	if (!strcmp(op, "-"))
		return whole(x - y);
	if (!strcmp(op, "*"))
		return whole(x * y);
	if (!strcmp(op, "//"))
		return whole(floor_quotient(x, y));
	if (!strcmp(op, "%"))
		return whole(x - y * floor_quotient(x, y));
	if (!strcmp(op, "/"))
		return x % y == 0 ? whole(x / y) : fraction((double)x / (double)y);
	if (y >= 0)
		return power(x, y);
	return x ? fraction(pow((double)x, (double)y)) : (struct worth){0};
}

static struct worth
compute_real(const char *op, double x, double y)
{
	if (strchr("/%", op[0]) && y == 0)
		return (struct worth){0};
	if (!strcmp(op, "+"))
		return fraction(x + y);
	if (!strcmp(op, "-"))
		return fraction(x - y);
	if (!strcmp(op, "*"))
		return fraction(x * y);
	if (!strcmp(op, "/"))
		return fraction(x / y);
	if (!strcmp(op, "**"))
		return fraction(pow(x, y));
	double m = fmod(x, y);
	if (m != 0 && signbit(m) != signbit(y))
		m += y;
	return fraction(strcmp(op, "%") ? round((x - m) / y) : m);
}

/* -2: no order. */
static int
order(struct worth x, struct worth y)
{
	if (x.kind == STRING && y.kind == STRING)
		return (strcmp(x.s, y.s) > 0) - (strcmp(x.s, y.s) < 0);
	if (x.kind == STRING || y.kind == STRING)
		return -2;
	/* A long double has the bits of both. */
	long double p = x.kind == WHOLE ? (long double)x.i : (long double)x.f;
	long double q = y.kind == WHOLE ? (long double)y.i : (long double)y.f;
	return (p > q) - (p < q);
}

static struct worth
relate(const char *op, struct worth x, struct worth y)
{
	int c = order(x, y);
	if (!strcmp(op, "=="))
		return whole(c == 0);
	if (!strcmp(op, "!="))
		return whole(c != 0);
	if (c == -2)
		return (struct worth){0};
	return whole(!strcmp(op, "<")    ? c < 0
		     : !strcmp(op, "<=") ? c <= 0
		     : !strcmp(op, ">")  ? c > 0
					 : c >= 0);
}

static struct worth compute(const struct tree *t);

static struct worth
compute_call(const struct tree *t)
{
	struct worth w[4] = {{0}};
	for (int i = 0; i < t->n; i++)
		if ((w[i] = compute(t->kid[i])).kind == BAD)
			return w[i];
	if (!strcmp(t->op, "min") || !strcmp(t->op, "max")) {
		struct worth best = w[0];
		for (int i = 1; i < t->n; i++) {
			int c = order(w[i], best);
			if (c == -2)
				return (struct worth){0};
			if (c == (t->op[1] == 'i' ? -1 : 1))
				best = w[i];
		}
		return best;
	}
	for (int i = 0; i < t->n; i++)
		if (w[i].kind == STRING)
			return (struct worth){0};
	if (!strcmp(t->op, "abs"))
		return w[0].kind == WHOLE ? whole(w[0].i < 0 ? -w[0].i : w[0].i)
					  : fraction(fabs(w[0].f));
	/* ceil_div */
	if (real(w[1]) == 0)
		return (struct worth){0};
	if (w[0].kind == WHOLE && w[1].kind == WHOLE)
		return whole(-floor_quotient(-w[0].i, w[1].i));
	double q = ceil(real(w[0]) / real(w[1]));
	return q >= -0x1p63 && q < 0x1p63 ? whole((wide)q) : (struct worth){0};
}

static struct worth
compute_chain(const struct tree *t)
{
	struct worth x = compute(t->kid[0]), y, r = {0};
	if (x.kind == BAD || (y = compute(t->kid[1])).kind == BAD)
		return r;
	r = relate(t->op, x, y);
	if (t->n == 2 || r.kind == BAD || !truth(r))
		return r;
	struct worth z = compute(t->kid[2]);
	return z.kind == BAD ? z : relate(t->op2, y, z);
}

static struct worth
compute_in(const struct tree *t)
{
	struct worth x = compute(t->kid[0]);
	bool found = false;
	for (int i = 1; i < t->n && x.kind != BAD && !found; i++) {
		struct worth y = compute(t->kid[i]);
		if (y.kind == BAD)
			return y;
		found = order(x, y) == 0;
	}
	return x.kind == BAD ? x : whole(found != (t->op[0] == 'n'));
}

static struct worth
compute_binary(const struct tree *t)
{
	struct worth x = compute(t->kid[0]), y = {0};
	if (x.kind == BAD || (y = compute(t->kid[1])).kind == BAD)
		return (struct worth){0};
	if (x.kind == STRING || y.kind == STRING)
		return (struct worth){0};
	if (x.kind == WHOLE && y.kind == WHOLE)
		return compute_whole(t->op, x.i, y.i);
	return compute_real(t->op, real(x), real(y));
}

static struct worth
compute(const struct tree *t)
{
	struct worth x = {0};
	switch (t->kind) {
	case NUM: return whole(t->i);
	case REAL_NUM: return fraction(t->f);
	case TEXT: return (struct worth){STRING, 0, 0, t->op};
	case NAME: return whole(values[t->i]);
	case BINARY: return compute_binary(t);
	case CHAIN: return compute_chain(t);
	case IN: return compute_in(t);
	case CALL: return compute_call(t);
	case NEG:
		x = compute(t->kid[0]);
		if (x.kind == STRING)
			x.kind = BAD;
		return x.kind == WHOLE ? whole(-x.i)
		       : x.kind == BAD ? x
				       : fraction(0 - x.f);
	case NOT: x = compute(t->kid[0]); return x.kind == BAD ? x : whole(!truth(x));
	case AND:
	case OR:
		x = compute(t->kid[0]);
		return x.kind == BAD || truth(x) == (t->kind == OR) ? x
								    : compute(t->kid[1]);
	case IF:
		x = compute(t->kid[1]);
		return x.kind == BAD ? x : compute(t->kid[truth(x) ? 0 : 2]);
	}
	return x;
}

/* --- printing ----------------------------------------------------------------------- */

static int
level(const struct tree *t)
{
	switch (t->kind) {
	case IF: return 0;
	case OR: return 1;
	case AND: return 2;
	case NOT: return 3;
	case CHAIN:
	case IN: return 4;
	case BINARY: return !strcmp(t->op, "**") ? 8 : strchr("+-", t->op[0]) ? 5 : 6;
	case NEG: return 7;
	case NUM:
	case REAL_NUM:
	case TEXT:
	case NAME:
	case CALL: break;
	}
	return 9;
}

static void print(struct buf *b, struct rng *r, const struct tree *t);

static void
print_kid(struct buf *b, struct rng *r, const struct tree *t, int least)
{
	bool brackets = level(t) < least || rng_below(r, 12) == 0;
	buf_adds(b, brackets ? "(" : "");
	print(b, r, t);
	buf_adds(b, brackets ? ")" : "");
}

static void
print_list(struct buf *b, struct rng *r, const struct tree *t, int from)
{
	for (int i = from; i < t->n; i++) {
		buf_adds(b, i > from ? ", " : "");
		print_kid(b, r, t->kid[i], 0);
	}
}

static void
print_two(struct buf *b, struct rng *r, const struct tree *t, const char *op, int left,
	int right)
{
	print_kid(b, r, t->kid[0], left);
	buf_addf(b, rng_below(r, 3) || op[0] >= 'a' ? " %s " : "%s", op);
	print_kid(b, r, t->kid[1], right);
}

static void
print(struct buf *b, struct rng *r, const struct tree *t)
{
	int l = level(t);
	bool power = l == 8;
	switch (t->kind) {
	case NUM: buf_addf(b, "%lld", (long long)t->i); return;
	case REAL_NUM: buf_addf(b, "%.17g", t->f); return;
	case TEXT: buf_addf(b, rng_below(r, 2) ? "'%s'" : "\"%s\"", t->op); return;
	case NAME: buf_adds(b, names[t->i]); return;
	case NEG:
		buf_adds(b, "-");
		print_kid(b, r, t->kid[0], 7);
		return;
	case NOT:
		buf_adds(b, "not ");
		print_kid(b, r, t->kid[0], 3);
		return;
	case BINARY: print_two(b, r, t, t->op, power ? 9 : l, power ? 7 : l + 1); return;
	case AND: print_two(b, r, t, "and", 2, 3); return;
	case OR: print_two(b, r, t, "or", 1, 2); return;
	case IF:
		print_kid(b, r, t->kid[0], 1);
		buf_adds(b, " if ");
		print_kid(b, r, t->kid[1], 1);
		buf_adds(b, " else ");
		print_kid(b, r, t->kid[2], 0);
		return;
	case CHAIN:
		print_two(b, r, t, t->op, 5, 5);
		if (t->n == 3) {
			buf_addf(b, " %s ", t->op2);
			print_kid(b, r, t->kid[2], 5);
		}
		return;
	case IN:
		print_kid(b, r, t->kid[0], 5);
		buf_addf(b, " %s (", t->op);
		print_list(b, r, t, 1);
		buf_adds(b, ")");
		return;
	case CALL:
		buf_addf(b, "%s(", t->op);
		print_list(b, r, t, 0);
		buf_adds(b, ")");
		return;
	}
}

/* --- making ------------------------------------------------------------------------- */

static const char *
pick(struct rng *r, const char *const *v, size_t n)
{
	return v[rng_below(r, n)];
}
#define PICK(r, v) pick(r, v, sizeof(v) / sizeof *(v))

static struct tree *
leaf(struct arena *a, struct rng *r)
{
	static const int64_t ints[] = {0, 1, 2, 3, 7, 8, 10, 63, 64, 1000,
		INT64_C(1) << 31, INT64_C(1) << 53, (INT64_C(1) << 53) + 1,
		INT64_C(1) << 62, INT64_MAX};
	static const double reals[] = {
		0.5, 1.5, 0.1, 2.5, 1e18, 1e300, 9007199254740992.5};
	static const char *const texts[] = {"", "a", "tree", "tree2"};
	struct tree *t = arena_new(a, struct tree);
	uint64_t k = rng_below(r, 12);
	t->kind = k < 7 ? NUM : k < 8 ? REAL_NUM : k < 9 ? TEXT : NAME;
	t->i = t->kind == NUM ? ints[rng_below(r, sizeof ints / sizeof *ints)]
			      : (int64_t)rng_below(r, N_NAMES);
	if (t->kind == NUM && rng_below(r, 2))
		t->i = (int64_t)rng_below(r, 9);
	t->f = reals[rng_below(r, sizeof reals / sizeof *reals)];
	if (t->f == floor(t->f)) /* %.17g would print an integer */
		t->f = 0.25;
	if (t->kind == TEXT)
		t->op = PICK(r, texts);
	return t;
}

static struct tree *
make(struct arena *a, struct rng *r, int depth)
{
	static const char *const ops[] = {"+", "-", "*", "/", "//", "%", "**"};
	static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
	static const char *const calls[] = {"min", "max", "abs", "ceil_div"};
	if (depth == 0 || rng_below(r, 5) == 0)
		return leaf(a, r);
	static const enum kind kinds[] = {BINARY, BINARY, BINARY, BINARY, NEG, NOT, AND,
		OR, IF, CHAIN, CHAIN, IN, CALL};
	struct tree *t = arena_new(a, struct tree);
	t->kind = kinds[rng_below(r, sizeof kinds / sizeof *kinds)];
	t->n = t->kind == NEG || t->kind == NOT ? 1 : t->kind == IF ? 3 : 2;
	t->op = t->kind == CHAIN ? PICK(r, relations) : PICK(r, ops);
	t->op2 = PICK(r, relations);
	if (t->kind == CHAIN || t->kind == IN)
		t->n = 2 + (int)rng_below(r, 2);
	if (t->kind == IN)
		t->op = rng_below(r, 2) ? "in" : "not in";
	if (t->kind == CALL) {
		t->op = PICK(r, calls);
		t->n = !strcmp(t->op, "abs")        ? 1
		       : !strcmp(t->op, "ceil_div") ? 2
						    : 1 + (int)rng_below(r, 4);
	}
	for (int i = 0; i < t->n; i++)
		t->kid[i] = make(a, r, depth - 1);
	/* Towers of powers are slow here, and only overflow. */
	if (t->kind == BINARY && !strcmp(t->op, "**"))
		t->kid[1] = leaf(a, r);
	return t;
}

static bool
lookup(void *env, struct str name, struct value *out)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (str_is(name, names[i])) {
			*out = (struct value){.kind = VALUE_INT, .i = values[i]};
			return true;
		}
	return false;
}

static bool
agrees(struct worth w, bool ok, const struct value *v)
{
	if (w.kind == BAD || !ok)
		return (w.kind == BAD) == !ok;
	if (w.kind == WHOLE)
		return (v->kind == VALUE_INT || v->kind == VALUE_BOOL) && v->i == w.i;
	if (w.kind == STRING)
		return v->kind == VALUE_STRING && str_is(v->s, w.s);
	return v->kind == VALUE_REAL && v->f == w.f;
}

static void
agrees_with_a_plain_evaluator(void **state)
{
	enum { RUNS = 30000 };
	const char *given = getenv("PROP_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	size_t n_errors = 0;
	printf("PROP_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t run = 0; run < RUNS; run++) {
		struct arena a = {0};
		struct rng r = {rng_at(seed, run)};
		struct diag d = {0};
		struct tree *t = make(&a, &r, 1 + (int)rng_below(&r, 5));
		struct buf b = {.a = &a};
		print(&b, &r, t);
		struct worth w = compute(t);
		struct value v = {0};
		struct str why = {0};
		if (b.n <= EXPR_TEXT_MAX) {
			struct source src = {"prop", buf_str(&b)};
			struct expr *e =
				expr_parse(&a, src.text, (struct place){&src, 1, 1}, &d);
			assert_non_null(e);
			bool ok = expr_eval(&a, e, lookup, NULL, &v, &why);
			n_errors += !ok;
			if (!agrees(w, ok, &v))
				fail_msg("run %llu: %s\n is %.*s (%.*s), kind %d here, "
					 "%lld %g",
					(unsigned long long)run, b.s,
					STR_ARG(ok ? value_text(&a, v) : why),
					STR_ARG(why), w.kind, (long long)w.i, w.f);
		}
		arena_release(&a);
	}
	/* Most expressions have a value, or the property would say little. */
	assert_in_range(n_errors, RUNS / 100, RUNS * 6 / 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_plain_evaluator)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
