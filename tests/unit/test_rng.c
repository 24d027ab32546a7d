#include "scratch.h"

#include "base/rng.h"

/* The first outputs of splitmix64 from seed 1234567, as published with its reference
 * implementation (Vigna, splitmix64.c; also in the Rosetta Code task "Pseudo-random
 * numbers/Splitmix64"). */
static void
is_splitmix64(void **state)
{
	static const uint64_t want[] = {6457827717110365317u, 3203168211198807973u,
		9817491932198370423u, 4593380528125082431u, 16408922859458223821u};
	struct rng r = {1234567};
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(rng_at(1234567, i) == want[i]);
		assert_true(rng_next(&r) == want[i]);
	}
}

static void
below_is_uniform(void **state)
{
	enum { N = 10, DRAWS = 100000 };
	struct rng r = {1};
	int count[N] = {0};
	double chi2 = 0;
	for (int i = 0; i < DRAWS; i++) {
		uint64_t v = rng_below(&r, N);
		assert_true(v < N);
		count[v]++;
	}
	for (int i = 0; i < N; i++)
		chi2 += (count[i] - DRAWS / N) * (double)(count[i] - DRAWS / N) /
			(DRAWS / N);
	assert_true(chi2 < 27.9); /* 99.9 % of chi-squared with 9 degrees of freedom */
	assert_int_equal(rng_below(&r, 1), 0);
	for (int i = 0; i < 1000; i++)
		assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
}

static void
unit_is_half_open(void **state)
{
	struct rng r = {5};
	double sum = 0;
	for (int i = 0; i < 100000; i++) {
		double u = rng_unit(&r);
		assert_true(u >= 0 && u < 1);
		sum += u;
	}
	assert_true(sum > 49500 && sum < 50500); /* 5 sigma is 456 */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_splitmix64),
		cmocka_unit_test(below_is_uniform),
		cmocka_unit_test(unit_is_half_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
