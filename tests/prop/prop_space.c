/* The pruned enumeration against a filter over the whole product. */
#include "../unit/captured.h"

#include "base/rng.h"
#include "model/space.h"

enum { RUNS = 3000 };

/* --- random specs ------------------------------------------------------------------- */

static void
add_params(struct buf *b, struct rng *r, uint64_t n)
{
	buf_adds(b, "\"params\": {");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t n_values = 1 + rng_below(r, 5), first = 1 + rng_below(r, 4);
		buf_addf(b, "%s\"P%d\": {\"values\": [", i ? ", " : "", (int)i);
		for (uint64_t j = 0; j < n_values; j++)
			buf_addf(
				b, "%s%d", j ? ", " : "", (int)(first + j * (1 + i % 3)));
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

/* No division by a name that may be 0, so that every constraint has a value. */
static void
add_constraint(struct buf *b, struct rng *r, uint64_t n_params)
{
	static const char *const forms[] = {"# % # == 0", "# * # <= 12", "# + # > #",
		"2 <= # < 7", "# in (1, 2, 3, 5, 8)", "# == # or # != 2",
		"not (# > 4 and # > 4)", "# * # % 3",
		"min(#, #) < 4 if # > 2 else # != 3", "1", "# / # < 2.5"};
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

static uint32_t
sizes_of(struct captured *c, const struct kernel *k, const uint16_t *choice)
{
	uint32_t sizes = 0;
	struct candidate p = {.choice = choice};
	for (size_t z = 0; z < k->n_sizes; z++) {
		struct scope s = {k, &p, &k->sizes[z], NULL};
		bool all = true;
		for (size_t i = 0; i < k->n_constraints; i++) {
			struct value v;
			struct str why;
			assert_true(expr_eval(
				&c->a, k->constraints[i], scope_lookup, &s, &v, &why));
			all = all && value_true(v);
		}
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

static size_t
compare(struct captured *c, const struct kernel *k, const struct space *s)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	size_t n = 0;
	do {
		uint32_t sizes = sizes_of(c, k, choice);
		if (!sizes)
			continue;
		assert_non_null(s);
		assert_true(n < s->n);
		assert_memory_equal(s->v[n].choice, choice, k->n_params * sizeof *choice);
		assert_int_equal(s->v[n].sizes, sizes);
		n++;
	} while (step(k, choice));
	return n;
}

static void
check(struct captured *c, const struct kernel *k)
{
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	size_t n = compare(c, k, s);
	if (!s) {
		assert_int_equal(n, 0);
		assert_says(c, "no candidate of 'k'");
		return;
	}
	uint64_t sum = n;
	assert_int_equal(n, s->n);
	for (size_t i = 0; i < k->n_constraints; i++)
		sum += s->removed[i];
	assert_true(sum == s->raw);
}

static void
agrees_with_a_filter_of_the_product(void **state)
{
	(void)state;
	const char *given = getenv("PROP_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	printf("PROP_SEED=%llu\n", (unsigned long long)seed);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_filter_of_the_product)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
