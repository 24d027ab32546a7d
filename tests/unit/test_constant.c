#include "base/arena.h"
#include "model/constant.h"
#include "model/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
constants_come_back(void **state)
{
	static const char text[] = "taps=f32[3]:0.25;-0.5;1e-10,k=i32[1]:-7";
	struct arena a = {0};
	struct constant *v;
	struct str why;
	size_t n;
	assert_true(constants_parse(&a, str_of(text), &v, &n, &why));
	assert_int_equal(n, 2);
	assert_true(str_is(v[0].name, "taps"));
	assert_int_equal(v[0].bits[1], 0xbf000000);
	assert_int_equal(v[1].bits[0], 0xfffffff9);
	assert_string_equal(constants_text(&a, v, n).s, text);
	assert_true(constants_parse(&a, (struct str){0}, &v, &n, &why));
	assert_int_equal(n, 0);
	arena_release(&a);
}

static void
constants_are_checked(void **state)
{
	static const char *const bad[] = {"x", "x=f32:1", "x=f32[2]:1", "x=f32[2]:1;2;3",
		"x=f32[2]:1;two", "x=u8[1]:256", "x=f32[0]:", "x=f32[16385]:1",
		"x=f32[1]", "=f32[1]:1", "x=f33[1]:1", "x=f32[]:1",
		"x=f32[1]:1,x=f32[1]:2", "x=f32[1]:unknown"};
	struct arena a = {0};
	struct constant *v;
	struct str why;
	size_t n;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why = (struct str){0};
		if (constants_parse(&a, str_of(bad[i]), &v, &n, &why))
			fail_msg("'%s' was taken", bad[i]);
		assert_true(why.n > 0);
	}
	arena_release(&a);
}

static void
libraries_come_back(void **state)
{
	static const char *const text[] = {
		"cublas:gemm,m=64,n=32,k=16,a=x,b=y,c=z",
		"cublas:gemm,m=64,n=32,k=16,a=x,b=y,c=z,ta=1,tb=1,alpha=2,beta=0.5",
		"openblas:gemm,m=64,n=32,k=16,a=x,b=y,c=z,tb=1",
		"/a/b.so:f",
	};
	struct arena a = {0};
	struct library v;
	struct str why;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		assert_true(library_parse(&a, str_of(text[i]), &v, &why));
		assert_string_equal(library_text(&a, &v).s, text[i]);
	}
	assert_true(library_parse(&a, STR_LIT("/a:b/c.so"), &v, &why));
	assert_true(str_is(v.path, "/a:b/c.so"));
	assert_true(str_is(v.symbol, "lanewise_reference"));
	arena_release(&a);
}

static void
libraries_are_checked(void **state)
{
	static const char *const bad[] = {"", "cublas:gemm,",
		"cublas:gemm,m=1,n=1,k=1,a=x,b=y", "cublas:gemm,m=0,n=1,k=1,a=x,b=y,c=z",
		"cublas:gemm,m=2147483648,n=1,k=1,a=x,b=y,c=z",
		"cublas:gemm,m=1,n=1,k=1,a=x,b=y,c=z,ta=2",
		"cublas:gemm,m=1,n=1,k=1,a=x,b=y,c=z,alpha=x",
		"cublas:gemm,m=1,n=1,k=1,a=x,b=y,c=z,d=1", "cublas:gemv,m=1", "x.so",
		":f", "/x.so:"};
	struct arena a = {0};
	struct library v;
	struct str why;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		why = (struct str){0};
		if (library_parse(&a, str_of(bad[i]), &v, &why))
			fail_msg("'%s' was taken", bad[i]);
		assert_true(why.n > 0);
	}
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_come_back),
		cmocka_unit_test(constants_are_checked),
		cmocka_unit_test(libraries_come_back),
		cmocka_unit_test(libraries_are_checked),
	};
	return cmocka_run_group_tests_name("constant", tests, NULL, NULL);
}
