#include "backend/fill.h"
#include "base/arena.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What one element is, however the range is cut. */
static void
pieces_agree(void **state)
{
	enum { N = 3000 };
	unsigned char whole[N * 8], part[N * 8];
	for (unsigned t = 0; t < N_DTYPES; t++) {
		size_t b = dtype_bytes((enum dtype)t);
		for (unsigned f = 0; f < N_FILLS; f++) {
			fill_range((enum dtype)t, (enum fill)f, 5, 0, N, whole);
			for (size_t i = 0; i < N; i += 7 + i % 300) {
				size_t n = N - i < 411 ? N - i : 411;
				fill_range((enum dtype)t, (enum fill)f, 5, i, n, part);
				assert_memory_equal(part, whole + i * b, n * b);
			}
		}
	}
}

static void
all_cores_agree(void **state)
{
	enum { N = 1 << 20 };
	struct arena a = {0};
	uint32_t *x = arena_news(&a, N, uint32_t), *y = arena_news(&a, N, uint32_t);
	fill_range(DTYPE_F32, FILL_UNIFORM, 9, 17, N, x);
	fill_all(DTYPE_F32, FILL_UNIFORM, 9, 17, N, y);
	assert_memory_equal(x, y, N * sizeof *x);
	arena_release(&a);
}

/* The bytes are part of the product: references are cached by what makes them. */
static void
bytes_are_fixed(void **state)
{
	float f[3];
	int32_t i[3];
	double n[2];
	assert_true(fill_stream(7, 0) != fill_stream(7, 1));
	assert_true(fill_stream(7, 0) != fill_stream(8, 0));
	fill_range(DTYPE_F32, FILL_EXACT, 1, 0, 3, f);
	fill_range(DTYPE_I32, FILL_UNIFORM, 1, 0, 3, i);
	fill_range(DTYPE_F64, FILL_NORMAL, 1, 0, 2, n);
	assert_true(f[0] == 0x1.2p-3f && f[1] == 0.5f && f[2] == 0x1.e8p-1f);
	assert_true(i[0] == -1996333887 && i[1] == 1703865447 && i[2] == -80587426);
	assert_true(n[0] == 0x1.2f5055124ecb4p+0 && n[1] == 0x1.20288db989698p-1);
}

struct moments {
	double min, max, mean, variance;
};

static struct moments
moments_of(enum dtype t, enum fill f)
{
	enum { N = 100000 };
	struct arena a = {0};
	struct moments m = {(double)INFINITY, -(double)INFINITY, 0, 0};
	unsigned char *p = arena_alloc(&a, N * 8);
	fill_all(t, f, 3, 0, N, p);
	for (size_t i = 0; i < N; i++) {
		double v = dtype_decode(t, p + i * dtype_bytes(t));
		assert_true(isfinite(v));
		m.min = fmin(m.min, v);
		m.max = fmax(m.max, v);
		m.mean += v / N;
		m.variance += v * v / N;
	}
	m.variance -= m.mean * m.mean;
	arena_release(&a);
	return m;
}

static void
exact_is_exact(void **state)
{
	for (unsigned t = 0; t < N_DTYPES; t++) {
		struct moments m = moments_of((enum dtype)t, FILL_EXACT);
		double unit = dtype_is_float((enum dtype)t) ? 1.0 / 64 : 1;
		bool is_signed = dtype_is_signed((enum dtype)t);
		assert_true(m.min == (is_signed ? -64 * unit : 0));
		assert_true(m.max == (is_signed ? 64 * unit : 127));
		assert_true(fabs(m.mean - (is_signed ? 0 : 63.5)) < 0.5);
	}
	float f[1000];
	fill_range(DTYPE_F32, FILL_EXACT, 3, 0, 1000, f);
	for (int i = 0; i < 1000; i++)
		assert_true((double)f[i] * 64 == rint((double)f[i] * 64));
}

static void
uniform_and_normal(void **state)
{
	for (unsigned t = DTYPE_F64; t <= DTYPE_BF16; t++) {
		struct moments u = moments_of((enum dtype)t, FILL_UNIFORM);
		struct moments n = moments_of((enum dtype)t, FILL_NORMAL);
		assert_true(u.min >= 0 && u.max < 1);
		assert_true(
			fabs(u.mean - 0.5) < 0.01 && fabs(u.variance - 1 / 12.0) < 0.003);
		assert_true(n.min > -6 && n.max < 6 && n.max > 3);
		assert_true(fabs(n.mean) < 0.02 && fabs(n.variance - 1) < 0.02);
	}
	struct moments i = moments_of(DTYPE_I8, FILL_UNIFORM);
	struct moments w = moments_of(DTYPE_U16, FILL_UNIFORM);
	assert_true(i.min == -128 && i.max == 127 && fabs(i.mean + 0.5) < 1);
	assert_true(w.min < 10 && w.max > 65525);
}

static void
iota_zeros_ones(void **state)
{
	uint16_t half[4100];
	uint8_t byte[300];
	int64_t wide[4];
	float f[4];
	fill_range(DTYPE_F16, FILL_IOTA, 1, 0, 4100, half);
	assert_true(dtype_decode(DTYPE_F16, &half[2047]) == 2047);
	assert_true(dtype_decode(DTYPE_F16, &half[2048]) == 0);
	fill_range(DTYPE_U8, FILL_IOTA, 1, 0, 300, byte);
	assert_int_equal(byte[255], 255);
	assert_int_equal(byte[256], 0);
	fill_range(DTYPE_I64, FILL_IOTA, 1, (uint64_t)1 << 40, 4, wide);
	assert_true(wide[3] == ((int64_t)1 << 40) + 3);
	fill_range(DTYPE_F32, FILL_IOTA, 1, (1 << 24) - 2, 4, f);
	assert_true(f[1] == 16777215.0f && f[2] == 0);
	for (unsigned t = 0; t < N_DTYPES; t++) {
		struct moments z = moments_of((enum dtype)t, FILL_ZEROS);
		struct moments o = moments_of((enum dtype)t, FILL_ONES);
		assert_true(z.min == 0 && z.max == 0 && o.min == 1 && o.max == 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_agree),
		cmocka_unit_test(all_cores_agree),
		cmocka_unit_test(bytes_are_fixed),
		cmocka_unit_test(exact_is_exact),
		cmocka_unit_test(uniform_and_normal),
		cmocka_unit_test(iota_zeros_ones),
	};
	return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
