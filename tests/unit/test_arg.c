#include "base/arena.h"
#include "base/rng.h"
#include "model/arg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
text_and_back(void **state)
{
	static const char *const texts[] = {"",
		"in=f32*[1048576]:exact,out=f32*[8192]:out,n=i32:1048576,alpha=f32:1.5",
		"x=f64*[3]:inout/normal,y=u8*[0]:zeros",
		"a=i64:-9223372036854775808,b=u64:18446744073709551615,c=i8:-128",
		"d=u8:255",
		"f=f32:0.1,g=f64:0.1,h=f16:0.1,i=bf16:0.1,z=f32:-0,u=i32:unknown",
		"m=f32:3.4028235e+38,s=f32:1e-45,t=f64:5e-324"};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct arg *v;
		size_t n;
		struct str why = {0};
		if (!args_parse(&a, str_of(texts[i]), &v, &n, &why))
			fail_msg("%s: %.*s", texts[i], STR_ARG(why));
		assert_string_equal(str_c(&a, args_text(&a, v, n)), texts[i]);
	}
	arena_release(&a);
}

static void
fields(void **state)
{
	struct arena a = {0};
	struct arg *v;
	struct str why;
	size_t n;
	assert_true(args_parse(&a,
		str_of("in=f32*[10]:iota,io=i16*[4]:inout/ones,out=u32*[2]:out,n=i16:-2"),
		&v, &n, &why));
	assert_int_equal(n, 4);
	assert_true(v[0].pointer && v[0].input && !v[0].output && v[0].fill == FILL_IOTA);
	assert_int_equal(v[0].count, 10);
	assert_true(v[1].input && v[1].output && v[1].fill == FILL_ONES);
	assert_true(!v[2].input && v[2].output && v[2].type == DTYPE_U32);
	assert_true(!v[3].pointer && v[3].known);
	assert_int_equal(v[3].bits, 0xfffe);
	arena_release(&a);
}

static void
malformed(void **state)
{
	static const char *const texts[] = {",", "n", "n=", "n=i32", "n=i32:", "n=i32:x",
		"n=i32:2147483648", "n=u8:-1", "n=u8:256", "n=i33:1", "=i32:1",
		"n=i32:1,", "n=i32:1,,m=i32:1", "n=i32:1,n=i32:2", "p=f32*[:exact",
		"p=f32*[]:exact", "p=f32*[-1]:exact", "p=f32*[1]:", "p=f32*[1]:exactly",
		"p=f32*[1]:inout/", "p=f32*[1]:inout",
		"p=f32*[18446744073709551615]:exact", "p=f32*1:exact", "p=*[1]:exact",
		"n=f32:nan", "n=f32:inf", "n=f32:1e39", "n=f16:65520", "n=i32:1.5",
		"a b=i32:1", "n:i32=1", "p=f32*[1]x:out"};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct arg *v;
		size_t n;
		struct str why = {0};
		if (args_parse(&a, str_of(texts[i]), &v, &n, &why))
			fail_msg("accepted '%s'", texts[i]);
		assert_true(why.n > 0);
	}
	arena_release(&a);
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

/* Every 16-bit pattern survives decode and encode. */
static void
halves_round_trip(void **state)
{
	for (unsigned t = DTYPE_F16; t <= DTYPE_BF16; t++) {
		for (uint32_t p = 0; p < 0x10000; p++) {
			uint16_t half = (uint16_t)p;
			uint64_t bits = 0;
			double v = dtype_decode((enum dtype)t, &half);
			bool ok = dtype_encode((enum dtype)t, v, &bits);
			assert_int_equal(ok, isfinite(v) != 0);
			if (ok && bits != p)
				fail_msg("%s 0x%04x came back as 0x%llx", dtype_name(t),
					p, (unsigned long long)bits);
		}
	}
}

/* Oracle: the nearest of the two neighbours, ties to the even pattern. */
static void
halves_round_to_nearest_even(void **state)
{
	struct rng r = {.state = 1};
	for (int i = 0; i < 200000; i++) {
		enum dtype t = i & 1 ? DTYPE_F16 : DTYPE_BF16;
		uint16_t lower =
			(uint16_t)rng_below(&r, t == DTYPE_F16 ? 0x7bff : 0x7f7f);
		uint16_t upper = (uint16_t)(lower + 1);
		double lo = dtype_decode(t, &lower), hi = dtype_decode(t, &upper);
		double w = rng_below(&r, 4) ? rng_unit(&r) : 0.5;
		double v = lo + (hi - lo) * w;
		uint16_t want = v - lo < hi - v   ? lower
				: v - lo > hi - v ? upper
				: lower & 1       ? upper
						  : lower;
		uint64_t bits;
		assert_true(dtype_encode(t, v, &bits));
		assert_int_equal(bits, want);
		assert_true(dtype_encode(t, -v, &bits));
		assert_int_equal(bits, want | 0x8000);
	}
}

static void
names(void **state)
{
	for (unsigned t = 0; t < N_DTYPES; t++) {
		enum dtype back;
		assert_true(dtype_find(str_of(dtype_name(t)), &back) && back == t);
	}
	for (unsigned f = 0; f < N_FILLS; f++) {
		enum fill back;
		assert_true(fill_find(str_of(fill_name(f)), &back) && back == f);
	}
	enum dtype t;
	enum fill f;
	assert_false(dtype_find(str_of("float"), &t));
	assert_false(fill_find(str_of(""), &f));
	assert_int_equal(dtype_bytes(DTYPE_BF16), 2);
	assert_true(dtype_is_signed(DTYPE_I8) && !dtype_is_signed(DTYPE_U8));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(fields),
		cmocka_unit_test(malformed),
		cmocka_unit_test(integers_fit_or_fail),
		cmocka_unit_test(halves_round_trip),
		cmocka_unit_test(halves_round_to_nearest_even),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests_name("arg", tests, NULL, NULL);
}
