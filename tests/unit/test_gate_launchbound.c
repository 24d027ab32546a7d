/*
 * Another tuner's corpus: the six kernels of launchbound, written anew
 * (tests/gate/launchbound/launchbound.cu), at every configuration of their search spaces.
 * Its gate gives 93 clean and 8 refused; ours has to, with no argument known.
 *
 *     nvcc -ptx -arch=sm_90 -lineinfo -o launchbound.ptx launchbound.cu
 */
#include "base/diag.h"
#include "unit/labelled.h"

static void
test_launchbound(void **state)
{
	struct arena a = {0};
	struct diag d = {0};
	const char *path = tests_path(&a, "gate/launchbound/launchbound.ptx");
	struct labels all =
		labels_read(&a, tests_path(&a, "gate/launchbound/launches.txt"));
	struct str text, why;
	unsigned got[4] = {0};

	assert_true(fs_try_read(&a, path, &text));
	struct source src = {path, text};
	const struct ptx_module *m = ptx_parse(&a, &src, &d);
	assert_non_null(m);
	for (size_t i = 0; i < all.n; i++) {
		const struct label *l = &all.v[i];
		struct gate_kernel *k = gate_prepare(&a, m, l->kernel, &why);

		assert_non_null(k);
		struct verdict v = label_check(&a, l, k, false);

		got[v.kind]++;
		if (v.kind != l->expected)
			print_error("%.*s: %s\n", STR_ARG(label_text(&a, l)),
				verdict_name(v.kind));
		assert_true(label_blames(&a, l, &v));
	}
	assert_int_equal(got[VERDICT_CLEAN], 93);
	assert_int_equal(got[VERDICT_REFUSED], 8);
	assert_int_equal(all.n, 101);
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_launchbound)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
