#include "base/rng.h"
#include "model/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* --- what the specifications say, written down a second time ------------------------ */

static const struct narrow {
	enum dtype type;
	int exponent_bits, fraction_bits;
	double largest, least, least_normal;
	bool has_infinity;
} narrows[] = {
	/* OFP8 revision 1.0, table 2 */
	{DTYPE_E4M3, 4, 3, 448, 0x1p-9, 0x1p-6, false},
	{DTYPE_E5M2, 5, 2, 57344, 0x1p-16, 0x1p-14, true},
	/* IEEE 754-2019, table 3.5 */
	{DTYPE_F16, 5, 10, 65504, 0x1p-24, 0x1p-14, true},
	{DTYPE_BF16, 8, 7, 0x1.fep127, 0x1p-133, 0x1p-126, true},
};
enum { N_NARROW = sizeof narrows / sizeof *narrows };

static unsigned
codes_of(const struct narrow *f)
{
	return 1u << (1 + f->exponent_bits + f->fraction_bits);
}

/* Slow and obvious: the value of a code by the definition of its format. */
static double
slow_decode(const struct narrow *f, unsigned code)
{
	int bias = (1 << (f->exponent_bits - 1)) - 1;
	int top = (1 << f->exponent_bits) - 1, ones = (1 << f->fraction_bits) - 1;
	int fraction = (int)code & ones, field = (int)(code >> f->fraction_bits) & top;
	double sign = code & codes_of(f) / 2 ? -1 : 1;
	double m = (double)fraction / (ones + 1);
	if (field == top && f->has_infinity)
		return fraction ? (double)NAN : sign * (double)INFINITY;
	if (field == top && fraction == ones)
		return (double)NAN;
	return sign * (field ? (1 + m) * pow(2, field - bias) : m * pow(2, 1 - bias));
}

static bool
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static void
every_code_decodes(void **state)
{
	for (size_t i = 0; i < N_NARROW; i++) {
		const struct narrow *f = &narrows[i];
		for (unsigned p = 0; p < codes_of(f); p++) {
			uint64_t code = p;
			double got = dtype_decode(f->type, &code);
			if (!same(got, slow_decode(f, p)))
				fail_msg("%s 0x%x is %g, not %g", dtype_name(f->type), p,
					got, slow_decode(f, p));
		}
	}
}

static void
every_code_survives(void **state)
{
	for (size_t i = 0; i < N_NARROW; i++) {
		const struct narrow *f = &narrows[i];
		for (unsigned p = 0; p < codes_of(f); p++) {
			uint64_t code = p, bits = 0;
			double v = dtype_decode(f->type, &code);
			assert_int_equal(
				dtype_encode(f->type, v, &bits), isfinite(v) != 0);
			if (isfinite(v))
				assert_int_equal(bits, p);
			if (!isnan(v))
				assert_int_equal(dtype_convert(f->type, v, false), p);
		}
	}
}

static uint64_t
encoded(enum dtype t, double v)
{
	uint64_t bits, minus;
	assert_true(dtype_encode(t, v, &bits));
	assert_true(dtype_encode(t, -v, &minus));
	assert_int_equal(minus, bits | (uint64_t)1 << (8 * dtype_bytes(t) - 1));
	return bits;
}

/* Between any two neighbours: the nearer one, and the even code in the middle. */
static void
every_gap_rounds_to_nearest_even(void **state)
{
	for (size_t i = 0; i < N_NARROW; i++) {
		const struct narrow *f = &narrows[i];
		for (unsigned p = 0; slow_decode(f, p) < f->largest; p++) {
			double lo = slow_decode(f, p), hi = slow_decode(f, p + 1);
			double middle = lo + (hi - lo) / 2; /* exact in double */
			assert_int_equal(encoded(f->type, middle), p + (p & 1));
			assert_int_equal(encoded(f->type, nextafter(middle, 0)), p);
			assert_int_equal(encoded(f->type, nextafter(middle, hi)), p + 1);
			assert_int_equal(encoded(f->type, nextafter(hi, 0)), p + 1);
			assert_int_equal(encoded(f->type, nextafter(lo, hi)), p);
		}
	}
}

static void
ranges(void **state)
{
	for (size_t i = 0; i < N_NARROW; i++) {
		const struct narrow *f = &narrows[i];
		uint64_t one = 1, bits;
		assert_true(dtype_largest(f->type) == f->largest);
		assert_true(dtype_decode(f->type, &one) == f->least);
		assert_true(ldexp(1, dtype_least_exponent(f->type)) == f->least_normal);
		assert_int_equal(dtype_most_exponent(f->type), ilogb(f->largest));
		assert_int_equal(dtype_precision(f->type), f->fraction_bits + 1);
		assert_int_equal(dtype_has_infinity(f->type), f->has_infinity);
		assert_true(dtype_encode(f->type, 0x1p-1074, &bits));
		assert_int_equal(bits, 0);
		assert_true(dtype_encode(f->type, -0x1p-1022, &bits));
		assert_int_equal(bits, codes_of(f) / 2);
	}
	assert_true(dtype_largest(DTYPE_F32) == 0x1.fffffep127);
	assert_true(dtype_largest(DTYPE_TF32) == 0x1.ffcp127);
	assert_true(dtype_largest(DTYPE_F64) == 0x1.fffffffffffffp1023);
	assert_int_equal(dtype_precision(DTYPE_TF32), 11);
}

static void
overflows(enum dtype t, double v, uint64_t largest, uint64_t beyond)
{
	uint64_t bits, sign = (uint64_t)1 << (8 * dtype_bytes(t) - 1);
	assert_true(v == (double)INFINITY || dtype_encode(t, nextafter(v, 0), &bits));
	assert_false(dtype_encode(t, v, &bits));
	assert_int_equal(dtype_convert(t, v, true), largest);
	assert_int_equal(dtype_convert(t, -v, true), largest | sign);
	assert_int_equal(dtype_convert(t, v, false), beyond);
	assert_int_equal(dtype_convert(t, -v, false), beyond | sign);
}

/* The middle to the number that would come next goes to the even one of the two, which
 * for e4m3 is 448 itself. */
static void
saturation(void **state)
{
	overflows(DTYPE_E4M3, nextafter(464, 500), 0x7e, 0x7f);
	overflows(DTYPE_E5M2, 61440, 0x7b, 0x7c);
	overflows(DTYPE_F16, 65520, 0x7bff, 0x7c00);
	overflows(DTYPE_BF16, 0x1.ffp127, 0x7f7f, 0x7f80);
	overflows(DTYPE_F32, 0x1.ffffffp127, 0x7f7fffff, 0x7f800000);
	overflows(DTYPE_TF32, 0x1.ffep127, 0x7f7fe000, 0x7f800000);
	overflows(DTYPE_E4M3, (double)INFINITY, 0x7e, 0x7f);
	overflows(DTYPE_E5M2, (double)INFINITY, 0x7b, 0x7c);
	overflows(DTYPE_F16, (double)INFINITY, 0x7bff, 0x7c00);
	for (unsigned t = 0; t <= DTYPE_E5M2; t++) {
		uint64_t bits = dtype_convert((enum dtype)t, (double)NAN, true);
		assert_true(isnan(dtype_decode((enum dtype)t, &bits)));
		assert_false(dtype_encode((enum dtype)t, (double)NAN, &bits));
	}
	uint64_t bits;
	assert_true(dtype_encode(DTYPE_E4M3, 464, &bits));
	assert_int_equal(bits, 0x7e);
}

static double
random_double(struct rng *r)
{
	uint64_t bits = rng_next(r);
	double v;
	/* Most exponents near those of f32, its denormals among them. */
	bits = (bits & ~((uint64_t)0x7ff << 52)) | (1023 - 160 + rng_below(r, 300)) << 52;
	if (rng_below(r, 4) == 0)
		bits &= ~(((uint64_t)1 << 29) - 1); /* representable */
	if (rng_below(r, 4) == 0)
		bits = (bits & ~(((uint64_t)1 << 29) - 1)) | 1 << 28; /* a tie */
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* The machine converts to f32 as IEEE says; tf32 is the 8th part of it twice over. */
static void
f32_is_the_machines(void **state)
{
	struct rng r = {.state = 1};
	for (int i = 0; i < 1000000; i++) {
		double v = random_double(&r);
		uint64_t bits;
		uint32_t want;
		if (fabs(v) >= 0x1.ffffffp127)
			continue;
		float f = (float)v;
		memcpy(&want, &f, sizeof want);
		assert_true(dtype_encode(DTYPE_F32, v, &bits));
		assert_int_equal(bits, want);
		assert_true(dtype_decode(DTYPE_F32, &bits) == (double)f);
	}
}

static void
tf32_has_ten_bits(void **state)
{
	struct rng r = {.state = 2};
	uint64_t bits;
	for (int i = 0; i < 200000; i++) {
		uint32_t lower = (uint32_t)rng_below(&r, 0x3fbff) << 13;
		uint32_t upper = lower + (1 << 13);
		double lo = dtype_decode(DTYPE_TF32, &lower);
		double hi = dtype_decode(DTYPE_TF32, &upper), middle = lo + (hi - lo) / 2;
		assert_int_equal(encoded(DTYPE_TF32, lo), lower);
		assert_int_equal(
			encoded(DTYPE_TF32, middle), lower >> 13 & 1 ? upper : lower);
		assert_int_equal(encoded(DTYPE_TF32, nextafter(middle, lo)), lower);
		assert_int_equal(encoded(DTYPE_TF32, nextafter(middle, hi)), upper);
	}
	/* What a kernel stores may have more. */
	uint32_t full = 0x3f800001;
	assert_true(dtype_decode(DTYPE_TF32, &full) == 1 + 0x1p-23);
	assert_true(dtype_encode(DTYPE_TF32, 1 + 0x1p-23, &bits));
	assert_int_equal(bits, 0x3f800000);
}

static void
f64_is_itself(void **state)
{
	static const double v[] = {0, -0.0, 1, -0x1p-1074, 0x1.fffffffffffffp1023, 0.1};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		uint64_t bits, want;
		memcpy(&want, &v[i], sizeof want);
		assert_true(dtype_encode(DTYPE_F64, v[i], &bits));
		assert_true(bits == want);
		assert_true(same(dtype_decode(DTYPE_F64, &bits), v[i]));
	}
}

static void
integers_fit_or_fail(void **state)
{
	uint64_t bits;
	assert_true(dtype_encode(DTYPE_I8, -128, &bits));
	assert_int_equal(bits, 0x80);
	assert_false(dtype_encode(DTYPE_I8, -129, &bits));
	assert_false(dtype_encode(DTYPE_I8, 128, &bits));
	assert_false(dtype_encode(DTYPE_I32, 0.5, &bits));
	assert_false(dtype_encode(DTYPE_U32, -1, &bits));
	assert_true(dtype_encode(DTYPE_U64, 0x1p63, &bits));
	assert_true(bits == (uint64_t)1 << 63);
	assert_false(dtype_encode(DTYPE_U64, 0x1p64, &bits));
	assert_false(dtype_encode(DTYPE_I64, 0x1p63, &bits));
	assert_true(dtype_encode(DTYPE_I64, -0x1p63, &bits));
	assert_true(dtype_encode_i64(DTYPE_I64, INT64_MIN, &bits));
	assert_true(dtype_encode_i64(DTYPE_U64, INT64_MAX, &bits));
	assert_false(dtype_encode_i64(DTYPE_U64, -1, &bits));
	assert_false(dtype_encode(DTYPE_F64, (double)NAN, &bits));
	assert_false(dtype_encode(DTYPE_F32, (double)INFINITY, &bits));
	assert_false(dtype_encode(DTYPE_F32, 0x1.ffffffp127, &bits));
	assert_true(dtype_encode(DTYPE_F32, 0x1.fffffefp127, &bits));
	assert_int_equal(bits, 0x7f7fffff);
}

static void
small_integers_round_trip(void **state)
{
	static const enum dtype types[] = {DTYPE_I8, DTYPE_U8, DTYPE_I16, DTYPE_U16};
	for (size_t i = 0; i < 4; i++) {
		enum dtype t = types[i];
		for (uint64_t p = 0; p < (uint64_t)1 << 8 * dtype_bytes(t); p++) {
			uint64_t bits;
			int64_t v = dtype_decode_i64(t, &p);
			assert_true(dtype_decode(t, &p) == (double)v);
			assert_true(dtype_encode_i64(t, v, &bits));
			assert_int_equal(bits, p);
			assert_true(dtype_encode(t, (double)v, &bits));
			assert_int_equal(bits, p);
			assert_true(v >= 0 || dtype_is_signed(t));
		}
	}
	uint64_t top = UINT64_MAX;
	assert_true(dtype_decode(DTYPE_U64, &top) == 0x1p64);
	assert_true(dtype_decode(DTYPE_I64, &top) == -1);
}

static void
names(void **state)
{
	enum dtype back;
	for (unsigned t = 0; t < N_DTYPES; t++)
		assert_true(dtype_find(str_of(dtype_name((enum dtype)t)), &back) &&
			    back == t);
	assert_false(dtype_find(str_of("float"), &back));
	assert_int_equal(dtype_bytes(DTYPE_BF16), 2);
	assert_int_equal(dtype_bytes(DTYPE_TF32), 4);
	assert_int_equal(dtype_bytes(DTYPE_E5M2), 1);
	assert_true(dtype_is_signed(DTYPE_I8) && !dtype_is_signed(DTYPE_U8));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_decodes),
		cmocka_unit_test(every_code_survives),
		cmocka_unit_test(every_gap_rounds_to_nearest_even),
		cmocka_unit_test(ranges),
		cmocka_unit_test(saturation),
		cmocka_unit_test(f32_is_the_machines),
		cmocka_unit_test(tf32_has_ten_bits),
		cmocka_unit_test(f64_is_itself),
		cmocka_unit_test(integers_fit_or_fail),
		cmocka_unit_test(small_integers_round_trip),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests_name("dtype", tests, NULL, NULL);
}
