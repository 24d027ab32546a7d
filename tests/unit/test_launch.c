#include "base/arena.h"
#include "model/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
text_and_back(void **state)
{
	static const char *const texts[] = {"64,1,1/8192,1,1/1,1,1/0",
		"1,2,3/4,5,6/7,8,9/18446744073709551615", "32,1,1/1,1,1/2,1,1/1024/coop",
		"32,1,1/1,1,1/1,1,1/0/pdl", "32,1,1/1,1,1/1,1,1/0/coop/pdl"};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct launch l;
		assert_true(launch_parse(str_of(texts[i]), &l));
		assert_string_equal(str_c(&a, launch_text(&a, &l)), texts[i]);
	}
	struct launch l;
	assert_true(launch_parse(str_of("64/8192/1/12"), &l));
	assert_string_equal(str_c(&a, launch_text(&a, &l)), "64,1,1/8192,1,1/1,1,1/12");
	assert_false(l.cooperative);
	arena_release(&a);
}

static void
malformed(void **state)
{
	static const char *const texts[] = {"", "64", "64/1/1", "64/1/1/", "64/1/1/0/",
		"64/1/1/0/x", "64/1/1/0/coop/", "64/1/1/0/coop/1", "64/1/1/0/pdl/coop",
		"64/1/1/0/pdl/pdl", "64/1/1/0/coop/pdl/x", "0/1/1/0", "64,0/1/1/0",
		"-1/1/1/0", "64/1/1/-1", "+1/1/1/0", "64/1/1/18446744073709551616",
		"/64/1/1/0", "64//1/0", "1,1,1,1/1/1/0", "1,,1/1/1/0", "1,1,/1/1/0",
		"6 4/1/1/0"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct launch l = {.shared_bytes = 7};
		if (launch_parse(str_of(texts[i]), &l))
			fail_msg("accepted '%s'", texts[i]);
		assert_int_equal(l.shared_bytes, 7);
	}
}

static void
dims(void **state)
{
	struct dim d;
	assert_true(dim_parse(str_of("256"), &d));
	assert_true(d.x == 256 && d.y == 1 && d.z == 1);
	assert_true(dim_parse(str_of("16x8"), &d));
	assert_true(d.x == 16 && d.y == 8 && d.z == 1);
	assert_true(dim_parse(str_of("2,3,4"), &d));
	assert_int_equal(dim_volume(d), 24);
	assert_false(dim_parse(str_of("16x8,2"), &d));
	assert_false(dim_parse(str_of("x8"), &d));
	assert_false(dim_parse(str_of("8x"), &d));
	assert_false(dim_parse(str_of("0"), &d));
	assert_true(dim_volume((struct dim){UINT64_MAX, 2, 1}) == UINT64_MAX);
	assert_true(dim_volume((struct dim){1u << 31, 1u << 31, 8}) == UINT64_MAX);
	assert_int_equal(dim_volume((struct dim){UINT64_MAX, UINT64_MAX, 0}), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(malformed),
		cmocka_unit_test(dims),
	};
	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
