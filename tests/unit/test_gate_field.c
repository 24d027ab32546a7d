/*
 * Kernels of CUB and of cooperative groups as nvcc compiles them, with no argument known:
 * none is refused, and few are left open.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct field {
	const char *file;
	unsigned entries;
	const char *open[3]; /* parts of the names of those that get a caveat */
};

static const struct field fields[] = {
	{"field_cub_block", 6, {NULL}},
	{"field_cub_device", 8, {NULL}},
	{"field_cub_onesweep", 3, {NULL}},
	{"field_cooperative", 7, {NULL}},
};

static struct launch
launch_of(const struct ptx_func *f)
{
	const uint32_t *n = f->reqntid.v[0] ? f->reqntid.v : f->maxntid.v;
	struct launch l = {.block = {128, 1, 1}, .grid = {4, 1, 1}, .cluster = {1, 1, 1}};

	if (n[0])
		l.block = (struct dim){n[0], n[1] ? n[1] : 1, n[2] ? n[2] : 1};
	return l;
}

static bool
may_be_open(const struct field *f, const char *entry)
{
	for (int i = 0; f->open[i]; i++)
		if (strstr(entry, f->open[i]))
			return true;
	return false;
}

static void
judge_file(struct arena *a, const struct field *f)
{
	const char *dir = getenv("SRCDIR");
	const char *path = str_c(
		a, str_fmt(a, "%s/tests/gate/field/%s.ptx", dir ? dir : ".", f->file));
	struct diag d = {0};
	struct str text, why = {0};
	unsigned n = 0;

	assert_true(fs_try_read(a, path, &text));
	struct source src = {path, text};
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	assert_non_null(m);
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		const struct ptx_func *e = &m->funcs[i];

		if (!e->entry || !e->defined)
			continue;
		struct gate_query q = {.launch = launch_of(e)};
		struct gate_kernel *k = gate_prepare(a, m, e->name, &why);
		struct verdict v = gate_check(a, k, &q);
		const char *name = str_c(a, e->name);

		n++;
		if (v.kind == VERDICT_CLEAN ||
			(v.kind == VERDICT_CAVEAT && may_be_open(f, name)))
			continue;
		fail_msg("%s: %s: %.*s", name, verdict_name(v.kind),
			STR_ARG(v.findings[0].message));
	}
	assert_int_equal(n, f->entries);
}

static void
test_field(void **state)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		struct arena a = {0};

		judge_file(&a, &fields[i]);
		arena_release(&a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_field)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
