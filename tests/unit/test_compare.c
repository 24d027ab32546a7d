#include "backend/compare.h"
#include "base/arena.h"

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
	struct ref_output r = {STR_LIT("o"), t, 1, &want};
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
	struct ref_output r = {STR_LIT("o"), DTYPE_I32, 4, want};
	struct comparison c = compare_output(got, &r, (struct tolerance){0, 0, 0});
	assert_int_equal(c.n, 4);
	assert_int_equal(c.n_wrong, 2);
	assert_int_equal(c.first, 2);
	assert_true(c.max_abs == 4294967295.0);
	c = compare_output(got, &r, (struct tolerance){2, 0, 0});
	assert_int_equal(c.n_wrong, 1);
	uint64_t u = UINT64_MAX, v = UINT64_MAX - 1;
	struct ref_output wide = {STR_LIT("o"), DTYPE_U64, 1, &v};
	assert_int_equal(compare_output(&u, &wide, (struct tolerance){0}).n_wrong, 1);
	assert_int_equal(compare_output(&v, &wide, (struct tolerance){0}).n_wrong, 0);
	int64_t minus = -1;
	struct ref_output narrow = {STR_LIT("o"), DTYPE_I64, 1, &minus};
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
	struct ref_output r = {STR_LIT("out"), DTYPE_F32, N, want};
	struct comparison c = compare_output(got, &r, (struct tolerance){0});
	assert_int_equal(c.n, N);
	assert_int_equal(c.n_wrong, 3);
	assert_int_equal(c.first, 300000);
	assert_true(c.max_abs == 100);
	assert_true(fabs(c.max_rel - 100 / 900000.0) < 1e-12);
	got[300000] = 300000;
	c = compare_output(got, &r, (struct tolerance){0});
	assert_string_equal(str_c(&a, comparison_text(&a, &c, &r)),
		"'out': 2 of 1048576 elements differ; first is [700001] = 700002, "
		"expected "
		"700001");
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
		cmocka_unit_test(reruns),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
