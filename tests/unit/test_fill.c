#include "backend/fill.h"
#include "backend/shuffle.h"
#include "base/arena.h"
#include "model/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arg
buffer(enum dtype t, enum fill f, uint64_t count)
{
	struct arg v = {.type = t, .pointer = true, .input = true, .fill = f};
	v.count = count;
	v.from = -3;
	v.to = 5;
	return v;
}

static void
make(enum dtype t, enum fill f, uint64_t stream, uint64_t first, uint64_t n, void *to)
{
	struct arg v = buffer(t, f, first + n);
	fill_range(&v, stream, first, n, to);
}

static double
at(enum dtype t, const void *p, size_t i)
{
	return dtype_decode(t, (const unsigned char *)p + i * dtype_bytes(t));
}

/* What one element is, however the range is cut. */
static void
pieces_agree(void **state)
{
	enum { N = 3000 };
	unsigned char whole[N * 8], part[N * 8];
	for (unsigned t = 0; t < N_DTYPES; t++) {
		size_t b = dtype_bytes((enum dtype)t);
		for (unsigned f = 0; f < N_FILLS; f++) {
			struct arg v = buffer((enum dtype)t, (enum fill)f, N);
			if (!fill_fits(v.fill, v.type) || f == FILL_FILE)
				continue;
			fill_range(&v, 5, 0, N, whole);
			for (size_t i = 0; i < N; i += 7 + i % 300) {
				size_t n = N - i < 411 ? N - i : 411;
				fill_range(&v, 5, i, n, part);
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
	for (unsigned f = 0; f < FILL_FILE; f++) {
		struct arg v = buffer(DTYPE_F32, (enum fill)f, N + 17);
		fill_range(&v, 9, 17, N, x);
		fill_all(&v, 9, 17, N, y);
		assert_memory_equal(x, y, N * sizeof *x);
	}
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
	make(DTYPE_F32, FILL_EXACT, 1, 0, 3, f);
	make(DTYPE_I32, FILL_UNIFORM, 1, 0, 3, i);
	make(DTYPE_F64, FILL_NORMAL, 1, 0, 2, n);
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
	struct arg v = buffer(t, f, N);
	fill_all(&v, 3, 0, N, p);
	for (size_t i = 0; i < N; i++) {
		double x = at(t, p, i);
		assert_true(isfinite(x));
		m.min = fmin(m.min, x);
		m.max = fmax(m.max, x);
		m.mean += x / N;
		m.variance += x * x / N;
	}
	m.variance -= m.mean * m.mean;
	arena_release(&a);
	return m;
}

static void
exact_is_exact(void **state)
{
	for (unsigned i = 0; i < N_DTYPES; i++) {
		enum dtype t = (enum dtype)i;
		struct moments m = moments_of(t, FILL_EXACT);
		double unit = ldexp(1, -exact_shift(t)), most = exact_most(t) * unit;
		assert_true(m.min == (dtype_is_signed(t) ? -most : 0));
		assert_true(m.max == most);
		assert_true(most == (dtype_is_float(t)           ? 1
					    : dtype_is_signed(t) ? 64
								 : 127));
		assert_true(fabs(m.mean - (m.min + m.max) / 2) < 0.5);
	}
	unsigned char p[1000 * 8];
	for (unsigned i = 0; i <= DTYPE_E5M2; i++) {
		enum dtype t = (enum dtype)i;
		make(t, FILL_EXACT, 3, 0, 1000, p);
		for (size_t j = 0; j < 1000; j++) {
			double k = ldexp(at(t, p, j), exact_shift(t));
			assert_true(k == rint(k));
		}
	}
}

/* The bound, at its edge: a sum of products in f32, in two orders, against integers. */
static void
exact_sums_are_exact(void **state)
{
	enum { TERMS = 100000 };
	struct arena a = {0};
	struct arg v = buffer(DTYPE_F32, FILL_EXACT, TERMS);
	float *x = arena_news(&a, TERMS, float), *y = arena_news(&a, TERMS, float);
	v.most = (int)exact_bound(TERMS, exact_bits(DTYPE_F32));
	assert_int_equal(v.most, 12);
	fill_all(&v, 1, 0, TERMS, x);
	fill_all(&v, 2, 0, TERMS, y);
	float up = 0, down = 0, large = 0;
	double sum = 0;
	for (size_t i = 0; i < TERMS; i++) {
		assert_true(fabsf(x[i]) <= 12.0f / 64);
		up += x[i] * y[i];
		down += x[TERMS - 1 - i] * y[TERMS - 1 - i];
		large += fabsf(x[i] * y[i]);
		sum += (double)x[i] * (double)y[i];
	}
	assert_true(up == down && (double)up == sum && large > 100);
	arena_release(&a);
}

static void
bounds(void **state)
{
	assert_int_equal(exact_bound(4095, 24), 64);
	assert_int_equal(exact_bound(4096, 24), 63);
	assert_int_equal(exact_bound(1, 24), 4095);
	assert_int_equal(exact_bound((1 << 24) - 1, 24), 1);
	assert_int_equal(exact_bound(1 << 24, 24), 0);
	assert_int_equal(exact_bound(UINT64_MAX, 64), 1);
	assert_int_equal(exact_bound(1, 64), UINT32_MAX);
	assert_int_equal(exact_bits(DTYPE_F64), 53);
	assert_int_equal(exact_bits(DTYPE_E4M3), 24);
	assert_int_equal(exact_bits(DTYPE_I8), 31);
	assert_int_equal(exact_bits(DTYPE_U64), 64);
}

static void
uniform_and_normal(void **state)
{
	for (unsigned t = DTYPE_F64; t <= DTYPE_E5M2; t++) {
		struct moments u = moments_of((enum dtype)t, FILL_UNIFORM);
		struct moments n = moments_of((enum dtype)t, FILL_NORMAL);
		/* 0, u, 2u, ... 1 - u have the mean and variance of a step function. */
		double unit = ldexp(1, -dtype_precision((enum dtype)t));
		assert_true(u.min >= 0 && u.max == fmin(u.max, 1 - unit));
		assert_true(fabs(u.mean - (1 - unit) / 2) < 0.01);
		assert_true(fabs(u.variance - (1 - unit * unit) / 12) < 0.003);
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
	make(DTYPE_F16, FILL_IOTA, 1, 0, 4100, half);
	assert_true(dtype_decode(DTYPE_F16, &half[2047]) == 2047);
	assert_true(dtype_decode(DTYPE_F16, &half[2048]) == 0);
	make(DTYPE_E4M3, FILL_IOTA, 1, 0, 20, byte);
	assert_true(at(DTYPE_E4M3, byte, 15) == 15 && at(DTYPE_E4M3, byte, 16) == 0);
	make(DTYPE_U8, FILL_IOTA, 1, 0, 300, byte);
	assert_int_equal(byte[255], 255);
	assert_int_equal(byte[256], 0);
	make(DTYPE_I64, FILL_IOTA, 1, (uint64_t)1 << 40, 4, wide);
	assert_true(wide[3] == ((int64_t)1 << 40) + 3);
	make(DTYPE_F32, FILL_IOTA, 1, (1 << 24) - 2, 4, f);
	assert_true(f[1] == 16777215.0f && f[2] == 0);
	for (unsigned t = 0; t < N_DTYPES; t++) {
		struct moments z = moments_of((enum dtype)t, FILL_ZEROS);
		struct moments o = moments_of((enum dtype)t, FILL_ONES);
		assert_true(z.min == 0 && z.max == 0 && o.min == 1 && o.max == 1);
	}
}

/* --- floats made of their parts ------------------------------------------------------
 */

/* Pairs that all but cancel, exact in the type, and nowhere near each other. */
static void
cancelling_cancels(void **state)
{
	enum { N = 20001 };
	struct arena a = {0};
	unsigned char *p = arena_alloc(&a, N * 8);
	for (unsigned i = 0; i <= DTYPE_E5M2; i++) {
		enum dtype t = (enum dtype)i;
		double all = 0, magnitudes = 0, neighbours = 0;
		double gap = ldexp(1, -(dtype_precision(t) + 1) / 2);
		struct arg v = buffer(t, FILL_CANCELLING, N);
		size_t zeros = 0;
		fill_all(&v, 11, 0, N, p);
		for (size_t j = 0; j < N; j++) {
			double x = at(t, p, j);
			zeros += x == 0;
			all += x; /* 26 bits or less each: exact in double, N of them */
			magnitudes += fabs(x);
			neighbours +=
				j && fabs(x + at(t, p, j - 1)) <= gap * 1.5 * fabs(x);
			assert_true(x == 0 || (fabs(x) >= 0.25 && fabs(x) <= 4));
		}
		assert_int_equal(zeros, 1);
		assert_true(fabs(all) < gap * magnitudes);
		/* Values repeat in narrow types: a neighbour may fit by chance. */
		if (dtype_precision(t) >= 24)
			assert_true(neighbours < 10);
		else
			assert_true(neighbours < N / 2);
	}
	arena_release(&a);
}

/* Each x has its -x * (1 + 2^-k), to the bit. */
static void
cancelling_pairs(void **state)
{
	enum { N = 1000 };
	double x[N];
	unsigned found = 0;
	make(DTYPE_F64, FILL_CANCELLING, 4, 0, N, x);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			found += x[j] == -x[i] * (1 + 0x1p-27);
	assert_int_equal(found, N / 2);
}

static void
shuffles_are_permutations(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 5, 64, 100, 4097};
	bool seen[4097];
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		uint64_t n = sizes[s], far = 0;
		struct shuffle p = shuffle_make(s, n);
		memset(seen, 0, sizeof seen);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t to = shuffle_at(&p, i);
			assert_true(to < n && !seen[to]);
			seen[to] = true;
			far += (to > i ? to - i : i - to) > n / 8;
		}
		/* 49/64 of all pairs of places are as far apart as that. */
		assert_true(n < 1000 || (far > n / 2 && far < n * 9 / 10));
	}
	struct shuffle large = shuffle_make(1, (uint64_t)1 << 40);
	assert_true(shuffle_at(&large, 5) < (uint64_t)1 << 40);
}

/* How often each kind of number is there; the kinds of fill.h have 1/8 each. */
static void
special_is_of_every_kind(void **state)
{
	enum { N = 80000 };
	struct arena a = {0};
	unsigned char *p = arena_alloc(&a, N * 8);
	for (unsigned i = 0; i <= DTYPE_E5M2; i++) {
		enum dtype t = (enum dtype)i;
		double least = ldexp(1, dtype_least_exponent(t));
		double n[6] = {0}, minus = 0;
		struct arg v = buffer(t, FILL_SPECIAL, N);
		fill_all(&v, 2, 0, N, p);
		for (size_t j = 0; j < N; j++) {
			double x = at(t, p, j), size = fabs(x);
			minus += !isnan(x) && signbit(x);
			n[0] += size == 0;
			n[1] += size > 0 && size < least;
			n[2] += size == dtype_largest(t);
			n[3] += isinf(x) != 0;
			n[4] += isnan(x) != 0;
			n[5] += size == least;
		}
		bool infinite = dtype_has_infinity(t);
		for (int kind = 0; kind < 6; kind++) {
			double want = kind == 2 && !infinite   ? N / 4
				      : kind == 3 && !infinite ? 0
							       : N / 8;
			assert_true(fabs(n[kind] - want) < 600); /* 6 sigma */
		}
		assert_true(fabs(minus - N * 7 / 16) < 900);
	}
	arena_release(&a);
}

static void
full_uses_every_bit(void **state)
{
	enum { N = 20000 };
	struct arena a = {0};
	unsigned char *p = arena_alloc(&a, N * 8);
	for (unsigned i = 0; i <= DTYPE_E5M2; i++) {
		enum dtype t = (enum dtype)i;
		struct arg v = buffer(t, FILL_FULL, N);
		double odd = 0, of[9] = {0}, minus = 0;
		fill_all(&v, 6, 0, N, p);
		for (size_t j = 0; j < N; j++) {
			double x = at(t, p, j);
			int e = ilogb(x);
			assert_true(e >= v.from && e <= v.to);
			of[e - v.from]++;
			double units = ldexp(fabs(x), dtype_precision(t) - 1 - e);
			assert_true(units == rint(units));
			odd += fmod(units, 2);
			minus += x < 0;
		}
		assert_true(fabs(odd - N / 2) < 500 && fabs(minus - N / 2) < 500);
		for (int e = 0; e < 9; e++)
			assert_true(fabs(of[e] - N / 9.0) < 300);
	}
	/* All exponents of a type, the ones beside its ends too. */
	struct arg v = buffer(DTYPE_E4M3, FILL_FULL, N);
	v.from = dtype_least_exponent(v.type);
	v.to = dtype_most_exponent(v.type);
	fill_all(&v, 6, 0, N, p);
	for (size_t j = 0; j < N; j++)
		assert_true(isfinite(at(v.type, p, j)) && (p[j] & 0x7f) >= 8);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_agree),
		cmocka_unit_test(all_cores_agree),
		cmocka_unit_test(bytes_are_fixed),
		cmocka_unit_test(exact_is_exact),
		cmocka_unit_test(exact_sums_are_exact),
		cmocka_unit_test(bounds),
		cmocka_unit_test(uniform_and_normal),
		cmocka_unit_test(iota_zeros_ones),
		cmocka_unit_test(cancelling_cancels),
		cmocka_unit_test(cancelling_pairs),
		cmocka_unit_test(shuffles_are_permutations),
		cmocka_unit_test(special_is_of_every_kind),
		cmocka_unit_test(full_uses_every_bit),
	};
	return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
