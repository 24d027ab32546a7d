#include "base/arena.h"
#include "base/asset.h"
#include "model/clsource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
comes_back_out_of_the_ptx(void **state)
{
	struct arena a = {0};
	struct buf b = {.a = &a};
	struct clsource c = {STR_LIT("-cl-std=CL3.0 -cl-mad-enable"),
		STR_LIT("#line 1 \"a.cl\"\n\n//| int x;\n")};
	struct clsource got;
	assert_false(clsource_find(&a, STR_LIT("//| no head\n"), &got));
	buf_adds(&b, ".version 7.0\n// a comment\n");
	clsource_append(&b, &c);
	assert_true(clsource_find(&a, buf_str(&b), &got));
	assert_true(str_eq(got.options, c.options));
	assert_true(str_eq(got.text, c.text));
	arena_release(&a);
}

static void
calls_of_subgroups_are_seen(void **state)
{
	static const char *const calls[] = {"x = sub_group_all(1);",
		"if (get_num_sub_groups () > 1)", "get_max_sub_group_size\n()",
		"(sub_group_any)(x)", "'\"' + sub_group_any(x) + '\"'",
		"\"\\\"\" + sub_group_any(x)", "#line 1 \"it's\"\nsub_group_all(1)"};
	static const char *const none[] = {"", "sub_group_all", "int sub_group_size = 3;",
		"my_sub_group_all(1)", "sub_group(1)", "xget_num_sub_groups()",
		"\"sub_group_all(1)\"", "\"\\\"sub_group_all(1)\"",
		"#line 1 \"sub_group_all(1)\"\n", "\"sub_group_all(1)", "'\\"};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!clsource_calls_subgroups(str_of(calls[i])))
			fail_msg("not seen: %s", calls[i]);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (clsource_calls_subgroups(str_of(none[i])))
			fail_msg("none is called: %s", none[i]);
}

/* What lowers as a function for sub-groups is known as one. */
static void
functions_of_the_shim_are_seen(void **state)
{
	struct arena a = {0};
	struct str text, name;
	size_t n = 0;
	assert_true(asset_find("templates/opencl_shim.h", &text));
	while (text.n) {
		size_t length = str_identifier_length(text);
		name = str_sub(text, 0, length);
		text = str_sub(text, length ? length : 1, text.n);
		if (!str_has(name, STR_LIT("sub_group")))
			continue;
		n++;
		if (!clsource_calls_subgroups(str_fmt(&a, "%.*s(x)", STR_ARG(name))))
			fail_msg("not seen: %.*s", STR_ARG(name));
	}
	assert_true(n > 20);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_out_of_the_ptx),
		cmocka_unit_test(calls_of_subgroups_are_seen),
		cmocka_unit_test(functions_of_the_shim_are_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
