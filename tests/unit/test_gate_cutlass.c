/*
 * GEMM kernels of CUTLASS with their parameter known (tests/gate/field/field_cutlass.cu):
 * every arrival at every mbarrier is counted.
 */
#include "base/diag.h"
#include "unit/labelled.h"

static struct str
field_file(struct arena *a, const char *name, const char *ext, const char **path)
{
	struct str text;

	*path = tests_path(
		a, str_c(a, str_fmt(a, "gate/field/field_cutlass_%s.%s", name, ext)));
	assert_true(fs_try_read(a, *path, &text));
	return text;
}

static struct verdict
judge(struct arena *a, const char *name, uint32_t blocks, uint32_t cluster)
{
	const char *path, *args;
	struct str digits = field_file(a, name, "args", &args), why = {0};
	struct str text = field_file(a, name, "ptx", &path);
	struct source src = {path, text};
	struct gate_arg arg = {.kind = GATE_ARG_BYTES, .n = digits.n / 2};
	unsigned char *p = arena_alloc(a, arg.n + 1);
	struct diag d = {0};

	for (size_t i = 0; i < arg.n; i++)
		p[i] = (unsigned char)(label_nibble(digits.s[2 * i]) << 4 |
				       label_nibble(digits.s[2 * i + 1]));
	arg.bytes = p;
	struct gate_query q = {.launch = {.block = {384, 1, 1},
				       .grid = {blocks, 1, 1},
				       .cluster = {cluster, 1, 1}},
		.args = &arg,
		.n_args = 1};
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	assert_non_null(m);
	return gate_check(a, gate_prepare(a, m, (struct str){0}, &why), &q);
}

/* Two consumer warpgroups take turns; 16 tiles on 132 blocks, and on 3. */
static void
test_pingpong(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_int_equal(judge(&a, "pingpong", 132, 1).kind, VERDICT_CLEAN);
	assert_int_equal(judge(&a, "pingpong", 3, 1).kind, VERDICT_CLEAN);
	arena_release(&a);
}

/* Arrivals from the other block are not counted, everything else is judged. */
static void
test_cluster(void **state)
{
	struct arena a = {0};

	(void)state;
	struct verdict v = judge(&a, "cooperative", 132, 2);
	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_int_equal(v.n_findings, 1);
	assert_true(str_is(v.findings[0].rule, "LW059"));
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pingpong), cmocka_unit_test(test_cluster)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
