#include "backend/compare.h"
#include "base/arena.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define INF  ((double)INFINITY)
#define NANF ((double)NAN)

static bool
float_ok(enum dtype t, uint64_t bits, double want, struct tolerance tol)
{
	struct ref_output r = {STR_LIT("o"), t, 1, &want, NULL};
	return compare_output(&bits, &r, tol).n_wrong == 0;
}

static bool
f32_ok(float got, double want, double abs, double rel, int64_t ulp)
{
	uint32_t bits;
	memcpy(&bits, &got, sizeof bits);
	return float_ok(DTYPE_F32, bits, want, (struct tolerance){abs, rel, ulp});
}

static void
tolerances(void **state)
{
	assert_true(f32_ok(1.5f, 1.5, 0, 0, 0));
	assert_false(f32_ok(1.5f, 1.25, 0, 0, 0));
	assert_true(f32_ok(1.5f, 1.25, 0.25, 0, 0));
	assert_false(f32_ok(1.5f, 1.25, 0.2, 0, 0));
	assert_true(f32_ok(110, 100, 0, 0.1, 0));
	assert_false(f32_ok(111, 100, 0, 0.1, 0));
	assert_true(f32_ok(-110, -100, 0, 0.1, 0));
	assert_true(f32_ok(0, -0.0, 0, 0, 0));
	assert_false(f32_ok(1, -1, 0, 0, 100));
}

/* The reference is more exact than the type: a correctly rounded value is right. */
static void
rounding_and_ulps(void **state)
{
	float third = (float)(1.0 / 3), next = nextafterf(third, 1);
	assert_true(f32_ok(third, 1.0 / 3, 0, 0, 0));
	assert_false(f32_ok(next, 1.0 / 3, 0, 0, 0));
	assert_true(f32_ok(next, 1.0 / 3, 0, 0, 1));
	assert_false(f32_ok(nextafterf(next, 1), 1.0 / 3, 0, 0, 1));
	/* Across zero: the two smallest numbers are two units apart. */
	assert_false(f32_ok(-1e-45f, 1e-45, 0, 0, 1));
	assert_true(f32_ok(-1e-45f, 1e-45, 0, 0, 2));
	uint64_t bits;
	assert_true(dtype_encode(DTYPE_BF16, 0.1, &bits));
	assert_true(float_ok(DTYPE_BF16, bits, 0.1, (struct tolerance){0, 0, 0}));
	assert_false(float_ok(DTYPE_BF16, bits + 1, 0.1, (struct tolerance){0, 0, 0}));
	assert_true(float_ok(DTYPE_BF16, bits + 1, 0.1, (struct tolerance){0, 0, 1}));
}

static void
not_finite(void **state)
{
	double big = 1e30;
	assert_true(f32_ok((float)NAN, NANF, 0, 0, 0));
	assert_false(f32_ok((float)NAN, 1, big, 1, 1000));
	assert_false(f32_ok(1, NANF, big, 1, 1000));
	assert_true(f32_ok((float)INFINITY, INF, 0, 0, 0));
	assert_false(f32_ok(-(float)INFINITY, INF, big, 1, 1000));
	assert_false(f32_ok((float)INFINITY, 1, big, 1, 1000));
	assert_false(f32_ok(3e38f, INF, big, 1, 1000));
	/* What the type cannot hold is infinite in it. */
	assert_true(f32_ok((float)INFINITY, 1e39, 0, 0, 0));
	assert_false(f32_ok(-(float)INFINITY, 1e39, 0, 0, 0));
}

static void
integers(void **state)
{
	int32_t got[4] = {1, -5, INT32_MAX, 7};
	int64_t want[4] = {1, -5, INT32_MIN, 9};
	struct ref_output r = {STR_LIT("o"), DTYPE_I32, 4, want, NULL};
	struct comparison c = compare_output(got, &r, (struct tolerance){0, 0, 0});
	assert_int_equal(c.n, 4);
	assert_int_equal(c.n_wrong, 2);
	assert_int_equal(c.first.index, 2);
	assert_int_equal(c.worst.index, 2);
	assert_true(c.max_abs == 4294967295.0);
	assert_true(c.max_ulp == UINT32_MAX);
	c = compare_output(got, &r, (struct tolerance){2, 0, 0});
	assert_int_equal(c.n_wrong, 1);
	uint64_t u = UINT64_MAX, v = UINT64_MAX - 1;
	struct ref_output wide = {STR_LIT("o"), DTYPE_U64, 1, &v, NULL};
	assert_int_equal(compare_output(&u, &wide, (struct tolerance){0}).n_wrong, 1);
	assert_int_equal(compare_output(&v, &wide, (struct tolerance){0}).n_wrong, 0);
	int64_t minus = -1;
	struct ref_output narrow = {STR_LIT("o"), DTYPE_I64, 1, &minus, NULL};
	assert_int_equal(compare_output(&u, &narrow, (struct tolerance){0}).n_wrong, 0);
}

/* Many elements on many cores: the first one is the first one. */
static void
large(void **state)
{
	enum { N = 1 << 20 };
	struct arena a = {0};
	float *got = arena_news(&a, N, float);
	double *want = arena_news(&a, N, double);
	for (int i = 0; i < N; i++)
		want[i] = i, got[i] = (float)i;
	got[700001] += 1;
	got[900000] += 100;
	got[300000] = (float)NAN;
	struct ref_output r = {STR_LIT("out"), DTYPE_F32, N, want, NULL};
	struct comparison c = compare_output(got, &r, (struct tolerance){0});
	assert_int_equal(c.n, N);
	assert_int_equal(c.n_wrong, 3);
	assert_int_equal(c.first.index, 300000);
	assert_int_equal(c.worst.index, 300000);
	assert_int_equal(c.n_odd_out, 1);
	assert_int_equal(c.n_odd_ref, 0);
	assert_true(c.max_abs == 100);
	assert_true(fabs(c.max_rel - 100 / 900000.0) < 1e-12);
	got[300000] = 300000;
	c = compare_output(got, &r, (struct tolerance){0});
	assert_string_equal(str_c(&a, comparison_text(&a, &c, &r)),
		"'out': 2 of 1048576 elements differ; first is [700001] = 700002, "
		"expected 700001; worst is [900000] = 900100, expected 900000; up to "
		"1600 ulp; error norm 1.61e-07 of the reference's");
	arena_release(&a);
}

/* --- narrow types --------------------------------------------------------------------
 */

static bool
code_ok(enum dtype t, uint64_t code, double want, struct tolerance tol)
{
	return float_ok(t, code, want, tol);
}

/* What is compared is r in the output's type: the error of rounding is not the kernel's,
 * and it is no excuse either. */
static void
narrow_outputs_are_compared_rounded(void **state)
{
	static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2};
	for (size_t i = 0; i < 4; i++) {
		enum dtype t = types[i];
		for (double r = 1.0 / 3; r < 30; r *= 1.1) {
			uint64_t bits = dtype_convert(t, r, false);
			double o = dtype_decode(t, &bits), gap = fabs(o - r);
			struct ref_output ref = {STR_LIT("o"), t, 1, &r, NULL};
			struct comparison c =
				compare_output(&bits, &ref, (struct tolerance){0});
			assert_true(c.n_wrong == 0 && c.max_abs == 0 && c.max_ulp == 0);
			uint64_t next = bits + 1;
			/* A tolerance of the rounding's own size lets no other through.
			 */
			assert_false(code_ok(t, next, r, (struct tolerance){gap, 0, 0}));
			assert_true(code_ok(t, next, r, (struct tolerance){0, 0, 1}));
			assert_false(
				code_ok(t, bits + 2, r, (struct tolerance){0, 0, 1}));
		}
	}
}

/* OFP8 has two conversions; a kernel may use either, and nothing in between. */
static void
eight_bits_saturate_or_not(void **state)
{
	struct tolerance none = {0, 0, 0};
	static const double beyond[] = {1e6, (double)INFINITY};
	for (size_t i = 0; i < 2; i++) {
		double r = beyond[i];
		assert_true(code_ok(DTYPE_E4M3, 0x7e, r, none));
		assert_true(code_ok(DTYPE_E4M3, 0x7f, r, none));
		assert_false(code_ok(DTYPE_E4M3, 0x7d, r, none));
		assert_false(code_ok(DTYPE_E4M3, 0xfe, r, none));
		assert_true(code_ok(DTYPE_E4M3, 0xfe, -r, none));
		assert_true(code_ok(DTYPE_E5M2, 0x7b, r, none));
		assert_true(code_ok(DTYPE_E5M2, 0x7c, r, none));
		assert_false(code_ok(DTYPE_E5M2, 0xfc, r, none));
		assert_false(code_ok(DTYPE_E5M2, 0x7e, r, none)); /* NaN */
		assert_false(code_ok(DTYPE_E5M2, 0x7a, r, none));
		assert_true(code_ok(DTYPE_F16, 0x7c00, r, none));
		assert_false(code_ok(DTYPE_F16, 0x7bff, r, none));
	}
	assert_true(code_ok(DTYPE_E4M3, 0xff, NANF, none));
	assert_false(code_ok(DTYPE_E4M3, 0x7e, NANF, none));
	assert_false(code_ok(DTYPE_E4M3, 0x7f, 448, none));
	assert_true(code_ok(DTYPE_E4M3, 0x7e, 464, none)); /* rounds to it */
}

/* f32 storage, to ten bits: half a unit is equal, more is one. */
static void
tf32_units(void **state)
{
	double r = 1.5;
	uint32_t one = 0x3fc00000;
	assert_true(code_ok(DTYPE_TF32, one + 4096, r, (struct tolerance){0}));
	assert_false(code_ok(DTYPE_TF32, one + 4097, r, (struct tolerance){0}));
	assert_true(
		code_ok(DTYPE_TF32, one + 4096 + 8192, r, (struct tolerance){0, 0, 1}));
	assert_false(
		code_ok(DTYPE_TF32, one + 4097 + 8192, r, (struct tolerance){0, 0, 1}));
	uint64_t bits = dtype_convert(DTYPE_TF32, 0.1, false);
	assert_true(code_ok(DTYPE_TF32, bits, 0.1, (struct tolerance){0}));
	assert_true(code_ok(DTYPE_TF32, 0x7f800000, 1e39, (struct tolerance){0}));
}

/* --- what is told ------------------------------------------------------------------- */

static void
an_outputs_own_tolerance_goes_first(void **state)
{
	float got = 1.5f;
	double want = 1.25;
	struct tolerance none = {0, 0, 0}, wide = {0.25, 0, 0};
	struct ref_output r = {STR_LIT("o"), DTYPE_F32, 1, &want, &wide};
	assert_int_equal(compare_output(&got, &r, none).n_wrong, 0);
	r.own = &none;
	assert_int_equal(compare_output(&got, &r, wide).n_wrong, 1);
}

static void
errors_are_measured(void **state)
{
	float got[] = {3, 4.5f, (float)NAN, (float)INFINITY, -(float)INFINITY, 7};
	double want[] = {3, 4, NANF, INF, 1, INF};
	struct arena a = {0};
	struct ref_output r = {STR_LIT("o"), DTYPE_F32, 6, want, NULL};
	struct comparison c = compare_output(got, &r, (struct tolerance){0});
	assert_int_equal(c.n_wrong, 3);
	assert_int_equal(c.first.index, 1);
	assert_int_equal(c.worst.index, 4);
	assert_int_equal(c.n_odd_out, 3);
	assert_int_equal(c.n_odd_ref, 3);
	assert_true(c.max_abs == 0.5 && c.max_rel == 0.125);
	assert_int_equal(c.max_ulp, 1 << 20);
	assert_true(c.norm_ratio == 0.5 / 5);
	assert_string_equal(str_c(&a, comparison_text(&a, &c, &r)),
		"'o': 3 of 6 elements differ; first is [1] = 4.5, expected 4; worst is "
		"[4] = -inf, expected 1; up to 1048576 ulp; error norm 0.1 of the "
		"reference's; not finite: 3, expected 3");
	double zero[6] = {0};
	r.data = zero;
	r.count = 2;
	c = compare_output(got, &r, (struct tolerance){0});
	assert_true(isnan(c.norm_ratio));
	assert_string_equal(str_c(&a, comparison_text(&a, &c, &r)),
		"'o': 2 of 2 elements differ; first is [0] = 3, expected 0; worst is [1] "
		"= 4.5, expected 0; up to 1083179008 ulp");
	int8_t small[] = {1, 5};
	int64_t large[] = {1, 2};
	struct ref_output i = {STR_LIT("i"), DTYPE_I8, 2, large, NULL};
	c = compare_output(small, &i, (struct tolerance){0});
	assert_string_equal(str_c(&a, comparison_text(&a, &c, &i)),
		"'i': 1 of 2 elements differ; first is [1] = 5, expected 2; error norm "
		"1.34 of the reference's");
	arena_release(&a);
}

/* Slow and obvious: each of many random elements by itself. */
static void
agrees_with_one_at_a_time(void **state)
{
	enum { N = 200000 };
	struct arena a = {0};
	struct rng rng = {.state = 3};
	float *got = arena_news(&a, N, float);
	double *want = arena_news(&a, N, double);
	struct tolerance tol = {1e-3, 1e-2, 3};
	uint64_t n_wrong = 0, worst = 0, ulp = 0;
	double furthest = -1, error = 0, ref = 0;
	for (size_t i = 0; i < N; i++) {
		want[i] = rng_unit(&rng) - 0.5;
		double v = want[i] * (1 + (rng_unit(&rng) - 0.5) * 0.04);
		got[i] = (float)(rng_below(&rng, 3) ? v : want[i]);
		double near = (double)(float)want[i], apart = fabs((double)got[i] - near);
		uint64_t steps = 0;
		for (float f = (float)want[i]; f != got[i] && steps < 4; steps++)
			f = nextafterf(f, got[i]);
		error += apart * apart;
		ref += near * near;
		ulp = steps > ulp ? steps : ulp;
		if (apart <= 1e-3 + 1e-2 * fabs(near) || steps <= 3)
			continue;
		n_wrong++;
		if (apart > furthest)
			furthest = apart, worst = i;
	}
	struct ref_output r = {STR_LIT("o"), DTYPE_F32, N, want, NULL};
	struct comparison c = compare_output(got, &r, tol);
	assert_true(n_wrong > 1000);
	assert_int_equal(c.n_wrong, n_wrong);
	assert_int_equal(c.worst.index, worst);
	assert_true(c.max_ulp >= ulp);
	assert_true(fabs(c.norm_ratio / sqrt(error / ref) - 1) < 1e-9);
	arena_release(&a);
}

static void
reruns(void **state)
{
	uint32_t one[] = {1, 0xffffffff, 3, 0xffffffff, 5};
	uint32_t two[] = {1, 0x5a5a5a5a, 4, 0xffffffff, 5};
	struct rerun r = compare_runs(one, two, 5, 4, 0xff, 0x5a);
	assert_int_equal(r.n_unwritten, 1);
	assert_int_equal(r.first_unwritten, 1);
	assert_int_equal(r.n_differ, 1);
	assert_int_equal(r.first_differ, 2);
	r = compare_runs(one, one, 5, 4, 0xff, 0x5a);
	assert_true(r.n_unwritten == 0 && r.n_differ == 0);
	r = compare_runs(one, two, 0, 4, 0xff, 0x5a);
	assert_true(r.n_unwritten == 0 && r.n_differ == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tolerances),
		cmocka_unit_test(rounding_and_ulps),
		cmocka_unit_test(not_finite),
		cmocka_unit_test(integers),
		cmocka_unit_test(large),
		cmocka_unit_test(narrow_outputs_are_compared_rounded),
		cmocka_unit_test(eight_bits_saturate_or_not),
		cmocka_unit_test(tf32_units),
		cmocka_unit_test(an_outputs_own_tolerance_goes_first),
		cmocka_unit_test(errors_are_measured),
		cmocka_unit_test(agrees_with_one_at_a_time),
		cmocka_unit_test(reruns),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
