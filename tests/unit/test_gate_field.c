/*
 * Kernels of CUB and of cooperative groups as nvcc compiles them, with no argument known:
 * tests/gate/field/verdicts.txt says what each is, and why where that is a caveat.
 */
#include "base/diag.h"
#include "unit/labelled.h"

struct expected {
	struct str file, part;
	enum verdict_kind kind;
	bool met;
};

struct field {
	struct arena a;
	struct expected *v;
	size_t n, cap;
};

static void
read_expected(struct field *f)
{
	struct str text, line;

	assert_true(
		fs_try_read(&f->a, tests_path(&f->a, "gate/field/verdicts.txt"), &text));
	while (str_line(&text, &line)) {
		struct expected e = {0};

		if (!line.n || line.s[0] == '#')
			continue;
		e.file = label_word(&line);
		e.part = label_word(&line);
		e.kind = label_kind(&line);
		/* what is not decided has its reason */
		assert_true(e.kind == VERDICT_CLEAN || line.n > 10);
		arena_grow(&f->a, f->v, f->n, f->cap);
		f->v[f->n++] = e;
	}
}

/* By the whole name, else by a part of it. */
static struct expected *
expected_of(struct field *f, struct str file, struct str entry)
{
	struct expected *part = NULL;

	for (size_t i = 0; i < f->n; i++) {
		struct expected *e = &f->v[i];

		if (!str_eq(e->file, file))
			continue;
		if (str_eq(e->part, entry))
			return e;
		if (strstr(str_c(&f->a, entry), str_c(&f->a, e->part)))
			part = e;
	}
	return part;
}

static struct launch
launch_of(const struct ptx_func *f)
{
	const uint32_t *n = f->reqntid.v[0] ? f->reqntid.v : f->maxntid.v;
	struct launch l = {.block = {128, 1, 1},
		.grid = {4, 1, 1},
		.cluster = {1, 1, 1},
		.cooperative = true};

	if (n[0])
		l.block = (struct dim){n[0], n[1] ? n[1] : 1, n[2] ? n[2] : 1};
	return l;
}

static void
judge_entry(struct field *f, struct str file, const struct ptx_module *m,
	const struct ptx_func *e)
{
	struct expected *x = expected_of(f, file, e->name);
	struct gate_query q = {.launch = launch_of(e)};
	struct str why = {0};

	if (!x)
		fail_msg("%.*s is not listed", STR_ARG(e->name));
	struct verdict v = gate_check(&f->a, gate_prepare(&f->a, m, e->name, &why), &q);
	if (v.kind != x->kind)
		fail_msg("%.*s: %s instead of %s: %.*s", STR_ARG(e->name),
			verdict_name(v.kind), verdict_name(x->kind),
			STR_ARG(v.n_findings ? v.findings[0].message : e->name));
	x->met = true;
}

static void
judge_file(struct field *f, struct str file)
{
	const char *path = tests_path(&f->a,
		str_c(&f->a, str_fmt(&f->a, "gate/field/%.*s.ptx", STR_ARG(file))));
	struct diag d = {0};
	struct str text;

	assert_true(fs_try_read(&f->a, path, &text));
	struct source src = {path, text};
	const struct ptx_module *m = ptx_parse(&f->a, &src, &d);
	assert_non_null(m);
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (m->funcs[i].entry && m->funcs[i].defined)
			judge_entry(f, file, m, &m->funcs[i]);
}

static void
test_field(void **state)
{
	struct field f = {0};

	read_expected(&f);
	for (size_t i = 0; i < f.n; i++)
		if (i == 0 || !str_eq(f.v[i].file, f.v[i - 1].file))
			judge_file(&f, f.v[i].file);
	for (size_t i = 0; i < f.n; i++)
		if (!f.v[i].met)
			fail_msg("no entry is called %.*s", STR_ARG(f.v[i].part));
	assert_true(f.n > 40);
	arena_release(&f.a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_field)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
