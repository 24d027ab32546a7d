#include "base/arena.h"
#include "model/arg.h"

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
		"a=f16*[9]:out~0.5~0~2,b=f32*[1]:inout~0~1.0000000000000001e-05~0/"
		"exact:7",
		"a=f16*[9]:file:0123456789abcdef:.lanewise/in/a%20b%2Cc%7Cd%C3%A4.npy",
		"a=f16*[9]:inout~0~0~1/file:0123456789abcdef:x/y.bin,b=u8*[1]:file",
		"a=f16*[9]:exact:7,b=i8*[9]:exact,c=u8*[9]:exact:126,d=e5m2*[1]:special",
		"a=e4m3*[9]:full:-6:8,b=tf32*[9]:inout/"
		"full:-126:127,c=f64*[2]:cancelling",
		"f=f32:0.1,g=f64:0.1,h=f16:0.1,i=bf16:0.1,k=e4m3:0.1,l=tf32:0.1,z=f32:-0,"
		"u=i32:unknown",
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

/* What shapes inputs is in the short text, what a comparison allows is not. */
static void
inputs_have_no_tolerance(void **state)
{
	struct arena a = {0};
	struct arg *v;
	size_t n;
	struct str why;
	assert_true(args_parse(&a,
		STR_LIT("a=f16*[9]:exact:7,o=f16*[9]:out~0.5~0~2,p=i8*[1]:inout~1~0~0/"
			"ones"),
		&v, &n, &why));
	assert_true(
		v[1].tolerated && v[1].tolerance.abs == 0.5 && v[1].tolerance.ulp == 2);
	assert_true(v[2].input && v[2].output && v[2].fill == FILL_ONES);
	assert_string_equal(str_c(&a, args_input_text(&a, v, n)),
		"a=f16*[9]:exact:7,o=f16*[9]:out,p=i8*[1]:inout/ones");
	assert_true(args_parse(&a,
		STR_LIT("a=f16*[9]:inout~0~0~1/file:0123456789abcdef:x%7Ey"), &v, &n,
		&why));
	assert_string_equal(str_c(&a, v[0].file), "x~y");
	assert_string_equal(str_c(&a, args_input_text(&a, v, n)),
		"a=f16*[9]:inout/file:0123456789abcdef:x%7Ey");
	assert_string_equal(str_c(&a, args_shape_text(&a, v, n)), "a=f16*[9]:inout/file");
	arena_release(&a);
}

static void
kept_arguments_outlive_their_text(void **state)
{
	struct arena a = {0}, own = {0};
	struct arg *v;
	size_t n;
	struct str why;
	assert_true(args_parse(&a,
		str_dup(&a, STR_LIT("in=f32*[9]:file:0123456789abcdef:x/y.npy,n=i32:-2")),
		&v, &n, &why));
	struct arg kept[] = {arg_keep(&own, &v[0]), arg_keep(&own, &v[1])};
	arena_release(&a);
	assert_string_equal(str_c(&own, args_text(&own, kept, 2)),
		"in=f32*[9]:file:0123456789abcdef:x/y.npy,n=i32:-2");
	arena_release(&own);
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
		"n=f32:nan", "n=f32:inf", "n=f32:1e39", "n=f16:65520", "n=e4m3:465",
		"n=i32:1.5", "p=f32*[1]:exact:0",
		"p=f32*[1]:file:", "p=f32*[1]:file:01:x",
		"p=f32*[1]:file:0123456789abcdef:", "p=f32*[1]:file:0123456789abcdef",
		"p=f32*[1]:file:0123456789abcdef:a~b",
		"p=f32*[1]:file:0123456789abcdef:%2",
		"p=f32*[1]:file:0123456789abcdef:%00",
		"p=f32*[1]:file:0123456789abcdef:%2g", "p=f32*[1]:exact:64",
		"p=f32*[1]:exact:", "p=f32*[1]:exact:1:2", "p=f32*[1]:exact:x",
		"p=f32*[1]:ones:1", "p=f32*[1]:full", "p=f32*[1]:full:1",
		"p=f32*[1]:full:1:0", "p=f32*[1]:full:1:2:3", "p=f32*[1]:full:-127:0",
		"p=e4m3*[1]:full:0:9", "p=i32*[1]:full:0:1", "p=i32*[1]:special",
		"p=u8*[1]:inout/cancelling", "a b=i32:1", "n:i32=1", "p=f32*[1]x:out"};
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
names(void **state)
{
	for (unsigned f = 0; f < N_FILLS; f++) {
		enum fill back;
		assert_true(fill_find(str_of(fill_name(f)), &back) && back == f);
	}
	enum fill f;
	assert_false(fill_find(str_of(""), &f));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(inputs_have_no_tolerance),
		cmocka_unit_test(kept_arguments_outlive_their_text),
		cmocka_unit_test(fields),
		cmocka_unit_test(malformed),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests_name("arg", tests, NULL, NULL);
}
