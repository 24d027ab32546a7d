/*
 * PTX that rustc made (tests/gate/rust): slices with bounds checks that trap, line
 * information in the form of LLVM, functions that are not inlined.
 */
#include "base/diag.h"
#include "unit/labelled.h"

static const struct gate_kernel *
kernel_of(struct arena *a, struct str name)
{
	struct diag d = {0};
	struct str file, text, why = {0};
	struct source *src = arena_new(a, struct source);

	assert_true(str_split(&name, ':', &file));
	src->name = tests_path(a, str_fmt(a, "gate/rust/%.*s.ptx", STR_ARG(file)).s);
	assert_true(fs_try_read(a, src->name, &text));
	src->text = text;
	const struct ptx_module *m = ptx_parse(a, src, &d);
	assert_non_null(m);
	const struct gate_kernel *k = gate_prepare(a, m, name, &why);
	assert_non_null(k);
	return k;
}

static void
test_rust(void **state)
{
	struct arena a = {0};
	struct labels all = labels_read(&a, tests_path(&a, "gate/rust/launches.txt"));
	unsigned wrong = 0;

	for (size_t i = 0; i < all.n; i++) {
		const struct label *l = &all.v[i];
		struct verdict v = label_check(&a, l, kernel_of(&a, l->kernel), false);

		if (v.kind == l->expected && label_blames(&a, l, &v))
			continue;
		print_error(
			"%.*s: %s\n", STR_ARG(label_text(&a, l)), verdict_name(v.kind));
		wrong++;
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(all.n, 13);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rust)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
