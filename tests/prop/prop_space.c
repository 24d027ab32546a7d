/*
 * The factored space against a filter over the whole product: what is in it, in which
 * order, at which places and sizes, around what, and that samples are even.
 */
#include "../unit/captured.h"

#include "base/map.h"
#include "base/rng.h"
#include "space/space.h"

#include <math.h>

enum { RUNS = 10000 };

/* --- random specs ------------------------------------------------------------------- */

/* Integers mostly. */
static void
add_value(struct buf *b, uint64_t kind, int i)
{
	if (kind == 0)
		buf_addf(b, "\"%c\"", "abcde"[i % 5]);
	else if (kind == 1)
		buf_addf(b, "%d.%d", i / 2, i % 2 ? 5 : 0);
	else
		buf_addf(b, "%d", kind == 2 ? i - 3 : i);
}

static void
add_params(struct buf *b, struct rng *r, uint64_t n)
{
	buf_adds(b, "\"params\": {");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t n_values = 1 + rng_below(r, 5), first = 1 + rng_below(r, 4);
		uint64_t kind = rng_below(r, 40), step = 1 + i % 3;
		buf_addf(b, "%s\"P%d\": {%s\"values\": [", i ? ", " : "", (int)i,
			rng_below(r, 3) ? "" : "\"role\": \"launch\", ");
		for (uint64_t j = 0; j < n_values; j++) {
			buf_adds(b, j ? ", " : "");
			add_value(b, kind, (int)(first + j * (kind ? step : 1)));
		}
		buf_adds(b, "]}");
	}
	buf_adds(b, "},");
}

static void
add_sizes(struct buf *b, struct rng *r, uint64_t n)
{
	buf_adds(b, "\"sizes\": {");
	for (uint64_t i = 0; i < n; i++)
		buf_addf(b, "%s\"s%d\": {\"n\": %d, \"m\": %d}", i ? ", " : "", (int)i,
			(int)(1 + rng_below(r, 20)), (int)(1 + rng_below(r, 20)));
	buf_adds(b, "},");
}

static void
add_name(struct buf *b, struct rng *r, uint64_t n_params)
{
	uint64_t k = rng_below(r, n_params + 2);
	if (k < n_params)
		buf_addf(b, "P%d", (int)k);
	else
		buf_adds(b, k == n_params ? "n" : "m");
}

static void
add_constraint(struct buf *b, struct rng *r, uint64_t n_params)
{
	static const char *const forms[] = {"# % # == 0", "# * # <= 12", "# + # > #",
		"2 <= # < 7", "# in (1, 2, 3, 5, 8)", "# == # or # != 2",
		"not (# > 4 and # > 4)", "# * # % 3",
		"min(#, #) < 4 if # > 2 else # != 3", "1", "# / # < 2.5",
		"# > 1 and # % # == 0", "# * # * # <= 30", "# % (# - 2) < 2",
		"3 - # or # // (4 - #) >= 0", "# * # + # * # <= 25", "# ** # < 30",
		"max(#, #, 3) - # >= 0 and not # == 4", "log2(#) <= # / 2",
		"# * 4000000000000000000 > #", "# in ()",
		"# * # * 4000000000000000000 * 0 < #", "# and # != 3", "(# or #) % 3",
		"abs(# - #) <= 1", "-# < 3 - #", "gcd(#, #) == 1", "ceil_div(#, #) < 3",
		"# != 'b'", "# < 'c'", "1 < 2 or # / 0", "# not in (#, 3, #)",
		"# // # % 2 == # % 2 and # < 6", "# * # * # * # <= 60 or # > #"};
	const char *f = forms[rng_below(r, sizeof forms / sizeof *forms)];
	for (; *f; f++)
		if (*f == '#')
			add_name(b, r, n_params);
		else
			buf_addc(b, *f);
}

static const struct kernel *
random_kernel(struct captured *c, struct rng *r)
{
	struct buf b = {.a = &c->a};
	uint64_t n_params = rng_below(r, 6), n_rules = rng_below(r, 5);
	buf_adds(&b, "{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": "
		     "{\"source\": \"k.cu\",");
	add_params(&b, r, n_params);
	add_sizes(&b, r, 1 + rng_below(r, 4));
	buf_adds(&b, "\"constraints\": [");
	for (uint64_t i = 0; i < n_rules; i++) {
		buf_adds(&b, i ? ", \"" : "\"");
		add_constraint(&b, r, n_params);
		buf_adds(&b, "\"");
	}
	buf_adds(&b, "], \"launch\": {\"block\": 1}}}}");
	struct spec *s = spec_parse(&c->a, captured_source(c, buf_c(&b)), &c->d);
	if (!s)
		fail_msg("%s", captured_take(c));
	return &s->kernels[0];
}

/* --- the slow way ------------------------------------------------------------------- */

enum { PRODUCT_MAX = 3125 };

/* What the filter leaves. */
struct filtered {
	uint16_t choice[PRODUCT_MAX][5];
	uint32_t sizes[PRODUCT_MAX];
	size_t n, raw;
	bool error; /* a constraint has no value and no other one is false */
};

/* 1: true, 0: false, -1: it has no value. */
static int
judge(struct captured *c, const struct expr *e, struct scope *s)
{
	struct value v;
	struct str why;
	if (!expr_eval(&c->a, e, scope_lookup, s, &v, &why))
		return -1;
	return value_true(v);
}

static uint32_t
sizes_of(struct captured *c, const struct kernel *k, const uint16_t *choice, bool *error)
{
	uint32_t sizes = 0;
	struct candidate p = {.choice = choice};
	for (size_t z = 0; z < k->n_sizes; z++) {
		struct scope s = {k, &p, &k->sizes[z], NULL};
		bool all = true, none = false;
		for (size_t i = 0; i < k->n_constraints; i++) {
			int yes = judge(c, k->constraints[i], &s);
			all = all && yes;
			none = none || yes < 0;
		}
		*error = *error || (all && none);
		sizes |= (uint32_t)all << z;
	}
	return sizes;
}

/* The next assignment, last parameter fastest; false after the last one. */
static bool
step(const struct kernel *k, uint16_t *choice)
{
	for (size_t i = k->n_params; i--;) {
		if (++choice[i] < k->params[i].n_values)
			return true;
		choice[i] = 0;
	}
	return false;
}

static struct filtered *
filter(struct captured *c, const struct kernel *k)
{
	struct filtered *f = arena_new(&c->a, struct filtered);
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	do {
		uint32_t sizes = sizes_of(c, k, choice, &f->error);
		f->raw++;
		if (!sizes)
			continue;
		memcpy(f->choice[f->n], choice, k->n_params * sizeof *choice);
		f->sizes[f->n++] = sizes;
	} while (step(k, choice));
	return f;
}

/* --- comparing ---------------------------------------------------------------------- */

static bool
same(const struct kernel *k, const uint16_t *x, const uint16_t *y)
{
	return memcmp(x, y, k->n_params * sizeof *x) == 0;
}

static void
check_order(struct captured *c, const struct space *s, const struct filtered *f)
{
	const struct kernel *k = s->kernel;
	const struct candidate *v = space_candidates(&c->a, s);
	uint16_t choice[SPEC_PARAMS_MAX];
	assert_true(s->count == f->n);
	assert_true(s->raw == f->raw);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t at;
		assert_true(same(k, v[i].choice, f->choice[i]));
		assert_int_equal(v[i].sizes, f->sizes[i]);
		assert_int_equal(space_nth(s, i, choice), f->sizes[i]);
		assert_true(same(k, choice, f->choice[i]));
		assert_int_equal(space_find(s, choice, &at), f->sizes[i]);
		assert_true(at == i);
	}
}

static void
check_members(const struct space *s, const struct filtered *f)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	size_t at = 0;
	do {
		bool in = at < f->n && same(s->kernel, choice, f->choice[at]);
		assert_int_equal(space_find(s, choice, NULL), in ? f->sizes[at] : 0);
		at += in;
	} while (step(s->kernel, choice));
}

static bool
is_neighbour(const struct kernel *k, const uint16_t *x, const uint16_t *y)
{
	size_t n = 0;
	for (size_t i = 0; i < k->n_params; i++)
		n += x[i] != y[i];
	return n == 1;
}

/* In filtered order, those around the i-th; the space gives them by parameter. */
static void
check_neighbours(
	struct captured *c, const struct space *s, const struct filtered *f, size_t i)
{
	const struct kernel *k = s->kernel;
	size_t n, n_next, expected = 0;
	const struct candidate *v =
		space_neighbours(&c->a, s, f->choice[i], SPACE_ANY_VALUE, &n);
	for (size_t j = 0; j < f->n; j++)
		expected += is_neighbour(k, f->choice[i], f->choice[j]);
	assert_int_equal(n, expected);
	for (size_t j = 0; j < n; j++)
		assert_true(is_neighbour(k, f->choice[i], v[j].choice) &&
			    space_find(s, v[j].choice, NULL) == v[j].sizes);
	const struct candidate *next =
		space_neighbours(&c->a, s, f->choice[i], SPACE_NEXT_VALUE, &n_next);
	/* The next ones are those with no other neighbour between. */
	for (size_t j = 0, at = 0; j < n; j++) {
		bool between = false;
		for (size_t p = 0; p < k->n_params; p++)
			for (size_t o = 0; o < n; o++) {
				int x = f->choice[i][p], y = v[j].choice[p],
				    z = v[o].choice[p];
				between = between || (x < z && z < y) || (y < z && z < x);
			}
		if (between)
			continue;
		assert_true(at < n_next);
		assert_true(same(k, next[at++].choice, v[j].choice));
		assert_true(j + 1 < n || at == n_next);
	}
}

static void
check_counts(struct captured *c, const struct space *s, const struct filtered *f)
{
	const struct kernel *k = s->kernel;
	struct map names = {.a = &c->a};
	for (size_t z = 0; z < k->n_sizes; z++) {
		uint64_t n = 0;
		for (size_t i = 0; i < f->n; i++)
			n += f->sizes[i] >> z & 1;
		assert_true(space_points(s, z) == n);
	}
	for (size_t i = 0; i < f->n; i++) {
		struct candidate one = {f->choice[i], f->sizes[i]};
		map_put(&names, specialization_name(&c->a, k, &one), NULL);
	}
	assert_true(space_specializations(s) == names.n);
}

static void
check_why(struct captured *c, const struct kernel *k, const struct filtered *f)
{
	struct space_ask ask = {.lenient = true};
	const struct space_why *w = space_explain(&c->a, k, &ask, &c->d);
	assert_non_null(w);
	uint64_t sum = w->count;
	for (size_t i = 0; i < k->n_constraints; i++) {
		sum += w->removed[i];
		assert_true(k->n_sizes > 1 || w->removed[i] <= w->broken[i]);
		assert_true(w->without[i] >= w->count && w->without[i] <= w->raw);
	}
	assert_true(sum == f->raw && w->raw == f->raw);
	assert_true(w->count == f->n);
}

/* The same in so few steps that the order of the spec is given up. */
static void
check_hurried(struct captured *c, const struct space *s, const struct filtered *f)
{
	struct space_ask ask = {.steps = 4 * s->steps};
	const struct space *hurried = space_ask(&c->a, s->kernel, &ask, &c->d);
	if (hurried)
		check_order(c, hurried, f);
	else
		assert_says(c, "too large to count");
}

static void
check(struct captured *c, const struct kernel *k)
{
	const struct filtered *f = filter(c, k);
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	check_why(c, k, f);
	if (!s) {
		assert_says(c, f->error ? "has no value" : "no candidate of 'k'");
		assert_true(f->error || f->n == 0);
		return;
	}
	assert_false(f->error);
	check_order(c, s, f);
	check_members(s, f);
	check_hurried(c, s, f);
	check_counts(c, s, f);
	for (size_t i = 0; i < f->n; i += 1 + f->n / 8)
		check_neighbours(c, s, f, i);
}

static uint64_t
prop_seed(void)
{
	const char *given = getenv("PROP_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	printf("PROP_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static void
agrees_with_a_filter_of_the_product(void **state)
{
	(void)state;
	uint64_t seed = prop_seed();
	for (uint64_t run = 0; run < RUNS; run++) {
		void *one;
		struct rng r = {rng_at(seed, run)};
		captured_setup(&one);
		struct captured *c = one;
		const struct kernel *k = random_kernel(c, &r);
		check(c, k);
		captured_teardown(&one);
	}
}

/* --- samples ------------------------------------------------------------------------ */

/* Sum of (seen - expected)^2 / expected. */
static double
chi_square(const unsigned *seen, size_t n, double expected)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) /
		       expected;
	return sum;
}

/* Five standard deviations above its mean (n - 1; variance 2n - 2). */
static double
too_much(size_t n)
{
	double d = (double)n - 1;
	return d + 5 * sqrt(2 * d) + 10;
}

/* Every candidate is as likely in each of the draws, and none comes twice. */
static void
samples_are_even(void **state)
{
	enum { TRIES = 20000, DRAWS = 5, MOST = 300 };
	struct captured *c = *state;
	uint64_t seed = prop_seed();
	struct rng r = {rng_at(seed, RUNS)};
	for (int found = 0; found < 3;) {
		const struct kernel *k = random_kernel(c, &r);
		const struct space *s = space_build(&c->a, k, NULL, &c->d);
		if (!s || s->count < 20 || s->count > MOST || s->n_parts < 2)
			continue;
		unsigned first[MOST] = {0}, all[MOST] = {0};
		for (uint64_t t = 0; t < TRIES; t++) {
			struct arena_mark m = arena_mark(&c->a);
			uint64_t *v = space_sample(&c->a, s, rng_next(&r), DRAWS);
			for (int i = 0; i < DRAWS; i++)
				for (int j = 0; j < i; j++)
					assert_true(v[i] != v[j]);
			first[v[0]]++;
			for (int i = 0; i < DRAWS; i++)
				all[v[i]]++;
			arena_pop(&c->a, m);
		}
		double each = (double)TRIES / (double)s->count;
		assert_true(chi_square(first, s->count, each) < too_much(s->count));
		assert_true(chi_square(all, s->count, each * DRAWS) < too_much(s->count));
		found++;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_filter_of_the_product),
		captured_test(samples_are_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
