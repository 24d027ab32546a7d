#include "captured.h"

#include "base/rng.h"
#include "perf/holm.h"
#include "perf/signed_rank.h"
#include "perf/tost.h"

#include <math.h>

/* --- an oracle that shares nothing: all signs, one after another ----------------- */

/* Mid-rank of |d[i]| among all, zeros too, from the definition. */
static double
mid_rank(const double *d, size_t n, size_t i)
{
	double below = 0, same = 0;

	for (size_t k = 0; k < n; k++) {
		below += fabs(d[k]) < fabs(d[i]);
		same += fabs(d[k]) == fabs(d[i]);
	}
	return below + (same + 1) / 2;
}

/* The sum of the ranks of those that are positive when the signs are the bits of `signs`;
 * zeros have none. */
static double
positive(const double *d, const double *rank, size_t n, unsigned long signs)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (d[i] != 0 && signs >> i & 1)
			sum += rank[i];
	return sum;
}

static double
enumerated_p(const double *d, size_t n)
{
	double rank[16], all = 0, plus = 0, least;
	unsigned long extreme = 0;

	for (size_t i = 0; i < n; i++) {
		rank[i] = mid_rank(d, n, i);
		all += d[i] != 0 ? rank[i] : 0;
		plus += d[i] > 0 ? rank[i] : 0;
	}
	least = fmin(plus, all - plus);
	for (unsigned long s = 0; s < 1ul << n; s++) {
		double w = positive(d, rank, n, s);
		extreme += w <= least || all - w <= least;
	}
	/* In the middle both tails are everything, here as there. */
	return (double)extreme / (double)(1ul << n);
}

/* Whole numbers: many ties, some zeros. */
static void
any_differences(struct rng *r, double *d, size_t n, uint64_t range)
{
	for (size_t i = 0; i < n; i++)
		d[i] = (double)rng_below(r, 2 * range + 1) - (double)range;
}

static void
p_is_the_one_of_all_signs(void **state)
{
	struct rng r = {7};
	double d[16];

	for (int t = 0; t < 300; t++) {
		size_t n = 1 + rng_below(&r, t < 290 ? 10 : 14);
		any_differences(&r, d, n, 1 + rng_below(&r, t % 2 ? 4 : 1000000));
		assert_true(fabs(signed_rank_p(d, n) - enumerated_p(d, n)) < 1e-14);
	}
}

static void
p_by_hand(void **state)
{
	static const double up[] = {1, 2, 3, 4, 5}, none[] = {0, 0, 0};
	/* Ranks 1, 2, 3.5, 3.5; zeros take rank 1 of 5 and are gone. */
	static const double ties[] = {-1, 2, 3, 3}, zero[] = {0, -1, 2, 3, 4};

	assert_true(signed_rank_p(up, 5) == 2.0 / 32);
	assert_true(signed_rank_p(none, 3) == 1 && signed_rank_p(none, 0) == 1);
	assert_true(signed_rank_p(ties, 4) == 4.0 / 16);
	assert_true(signed_rank_p(zero, 5) == 4.0 / 16);
}

/* Pratt's example (JASA 54, 1959): there leaving the zero out before ranking gives a p
 * above both. */
static void
a_zero_is_between_a_little_up_and_a_little_down(void **state)
{
	double d[] = {0, 2, 3, 4, 6, 7, 8, 9, 11, 14, 15, 17, -18}, zero, up, down;

	zero = signed_rank_p(d, 13);
	d[0] = 0.1;
	up = signed_rank_p(d, 13);
	d[0] = -0.1;
	down = signed_rank_p(d, 13);
	assert_true(up < zero && zero < down);
	assert_true(signed_rank_p(d + 1, 12) > down);
}

/* McCornack, Extended Tables of the Wilcoxon Matched Pair Signed Rank Statistic (JASA 60,
 * 1965); two-sided 5, 2, 1 and 0.5 per cent. */
static void
published_critical_values(void **state)
{
	static const double alpha[] = {0.05, 0.02, 0.01, 0.005};
	static const struct {
		size_t n;
		int w[4];
	} table[] = {
		{6, {0, -1, -1, -1}},
		{7, {2, 0, -1, -1}},
		{8, {3, 1, 0, -1}},
		{10, {8, 5, 3, 1}},
		{15, {25, 19, 15, 12}},
		{20, {52, 43, 37, 32}},
		{30, {137, 120, 109, 98}},
		{40, {264, 238, 220, 204}},
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (size_t k = 0; k < 4; k++)
			assert_int_equal(signed_rank_critical(table[i].n, alpha[k]),
				table[i].w[k]);
}

static void
critical_values_at_the_ends(void **state)
{
	assert_int_equal(signed_rank_critical(0, 0.05), -1);
	assert_int_equal(signed_rank_critical(10, 0), -1);
	assert_int_equal(signed_rank_critical(10, -1), -1);
	/* 2 / 2^10 exactly is enough, a little less is not. */
	assert_int_equal(signed_rank_critical(10, ldexp(1, -9)), 0);
	assert_int_equal(signed_rank_critical(10, nextafter(ldexp(1, -9), 0)), -1);
	assert_int_equal(signed_rank_critical(64, ldexp(1, -63)), 0);
	assert_int_equal(signed_rank_critical(64, nextafter(ldexp(1, -63), 0)), -1);
}

/* Where nothing ties: p is at most alpha exactly if W is at most the critical value. */
static void
p_and_critical_values_agree(void **state)
{
	struct rng r = {11};
	double d[SIGNED_RANK_MAX];

	for (int t = 0; t < 400; t++) {
		size_t n = 1 + rng_below(&r, SIGNED_RANK_MAX);
		double plus = 0, shift = 0.6 * rng_unit(&r), alpha = 0.1 * rng_unit(&r);
		for (size_t i = 0; i < n; i++)
			d[i] = rng_unit(&r) - 0.5 + shift;
		for (size_t i = 0; i < n; i++)
			plus += d[i] > 0 ? mid_rank(d, n, i) : 0;
		plus = fmin(plus, (double)(n * (n + 1) / 2) - plus);
		assert_int_equal(signed_rank_p(d, n) <= alpha,
			plus <= signed_rank_critical(n, alpha));
	}
}

/* --- Walsh averages -------------------------------------------------------------- */

static void
estimate_by_hand(void **state)
{
	/* Averages: -2 -1/2 1 1 5/2 4 | with 7: 5/2 4 11/2 7: of ten, the median is 5/2.
	 */
	static const double d[] = {4, -2, 1, 7};
	struct walsh w;

	walsh_set(&w, d, 4);
	assert_int_equal(w.n_averages, 10);
	assert_true(walsh_median(&w) == 2.5);
	assert_true(walsh_interval(&w, 0.125).low == -2); /* c = 0: the extremes */
	assert_true(walsh_interval(&w, 0.125).high == 7);
	assert_true(walsh_interval(&w, 0.25).low == -0.5); /* c = 1 */
	assert_true(walsh_interval(&w, 0.25).high == 5.5);
	assert_true(isinf(walsh_interval(&w, 0.12).low) &&
		    isinf(walsh_interval(&w, 0.12).high));
}

/* The interval has the centres that the test does not reject.  With ties it may have
 * more, never fewer. */
static void
interval_inverts_the_test(void **state)
{
	struct rng r = {13};
	double d[14], moved[14];
	struct walsh w;

	for (int t = 0; t < 400; t++) {
		size_t n = 5 + rng_below(&r, 10);
		bool ties = t % 2;
		double alpha = t % 4 < 2 ? 0.05 : 0.1, centre;
		struct walsh_interval in;
		any_differences(&r, d, n, ties ? 4 : 1000000);
		walsh_set(&w, d, n);
		in = walsh_interval(&w, alpha);
		centre = ties ? (double)rng_below(&r, 33) / 4 - 4
			      : (rng_unit(&r) - 0.5) * 2e6 + 1.0 / 3;
		for (size_t i = 0; i < n; i++)
			moved[i] = d[i] - centre;
		if (in.low <= centre && centre <= in.high)
			assert_true(ties || enumerated_p(moved, n) > alpha);
		else
			assert_true(enumerated_p(moved, n) <= alpha);
	}
}

/* --- several tests, and equivalence
 * ------------------------------------------------------ */

static void
holm_by_hand(void **state)
{
	static const double p[] = {0.03, 0.01, 0.04, 0.01, 0.5};
	static const double want[] = {0.09, 0.05, 0.09, 0.05, 0.5};
	double got[5];

	holm_adjust(p, 5, got);
	for (int i = 0; i < 5; i++)
		assert_true(fabs(got[i] - want[i]) < 1e-15);
	holm_adjust((double[]){0.9, 0.8}, 2, got);
	assert_true(got[0] == 1 && got[1] == 1);
	holm_adjust(p, 1, got);
	assert_true(got[0] == 0.03);
}

/* Against the definition: go up the sorted ones until one is not rejected. */
static void
holm_rejects_what_its_steps_reject(void **state)
{
	struct rng r = {17};

	for (int t = 0; t < 500; t++) {
		double p[12], adjusted[12], alpha = 0.01 + 0.2 * rng_unit(&r);
		size_t n = 1 + rng_below(&r, 12), left = n;
		bool rejected[12] = {false}, on = true;
		for (size_t i = 0; i < n; i++)
			p[i] = (double)rng_below(&r, 20) / 400;
		while (on && left) {
			size_t least = n;
			for (size_t i = 0; i < n; i++)
				if (!rejected[i] && (least == n || p[i] < p[least]))
					least = i;
			on = (double)left-- * p[least] <= alpha;
			rejected[least] = on;
		}
		holm_adjust(p, n, adjusted);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(adjusted[i] <= alpha, rejected[i]);
	}
}

static void
equivalence_needs_a_narrow_interval(void **state)
{
	double d[10];
	struct walsh w;

	for (int i = 0; i < 10; i++)
		d[i] = 0.01 * (i - 4.5); /* the 90 % interval, c = 10: +-0.02 */
	walsh_set(&w, d, 10);
	assert_int_equal(signed_rank_critical(10, 0.1), 10);
	assert_true(fabs(walsh_interval(&w, 0.1).high - 0.02) < 1e-12);
	assert_true(tost_equivalent(&w, 0.0201, 0.05));
	assert_false(tost_equivalent(&w, 0.0199, 0.05));
	for (int i = 0; i < 10; i++)
		d[i] += 0.01; /* the centre is inside, the interval is not */
	walsh_set(&w, d, 10);
	assert_false(tost_equivalent(&w, 0.0201, 0.05));
	for (int i = 0; i < 10; i++)
		d[i] -= 0.02; /* the same on the other side */
	walsh_set(&w, d, 10);
	assert_false(tost_equivalent(&w, 0.0201, 0.05));
	walsh_set(&w, d, 3); /* three prove nothing */
	assert_false(tost_equivalent(&w, 1e9, 0.05));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_is_the_one_of_all_signs),
		cmocka_unit_test(p_by_hand),
		cmocka_unit_test(a_zero_is_between_a_little_up_and_a_little_down),
		cmocka_unit_test(published_critical_values),
		cmocka_unit_test(critical_values_at_the_ends),
		cmocka_unit_test(p_and_critical_values_agree),
		cmocka_unit_test(estimate_by_hand),
		cmocka_unit_test(interval_inverts_the_test),
		cmocka_unit_test(holm_by_hand),
		cmocka_unit_test(holm_rejects_what_its_steps_reject),
		cmocka_unit_test(equivalence_needs_a_narrow_interval),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
