/*
 * The gate on labelled kernels: tests/gate/NAME.ptx (made by nvcc from NAME.cu) and
 * tests/gate/launches.txt.  An answer that is wrong fails at once; answers that are more
 * careful than they need to be are counted against a ceiling that may only go down.
 */
#include "base/diag.h"
#include "unit/labelled.h"

enum {
	NEEDLESS_MAX = 0, /* caveats where the label does not accept one */
	CLEAN_AS_CAVEAT_MAX = 8,
	REFUSED_AS_CAVEAT_MAX = 2,
};

struct kernel_file {
	struct str name;
	struct gate_kernel *k;
};

struct corpus {
	struct arena a;
	struct labels labels;
	struct kernel_file *file;
	size_t n_files, cap_files;
	unsigned table[4][4]; /* expected, got */
};

static const struct gate_kernel *
kernel_of(struct corpus *c, struct str name)
{
	struct diag d = {0};
	struct str text, why = {0};
	struct source *src;
	const char *path;

	for (size_t i = 0; i < c->n_files; i++)
		if (str_eq(c->file[i].name, name))
			return c->file[i].k;
	path = tests_path(&c->a, str_fmt(&c->a, "gate/%.*s.ptx", STR_ARG(name)).s);
	assert_true(fs_try_read(&c->a, path, &text));
	src = arena_new(&c->a, struct source);
	*src = (struct source){path, text};
	const struct ptx_module *m = ptx_parse(&c->a, src, &d);
	assert_non_null(m);
	struct gate_kernel *k = gate_prepare(&c->a, m, name, &why);
	if (!k)
		fail_msg("%.*s", STR_ARG(why));
	arena_grow(&c->a, c->file, c->n_files, c->cap_files);
	c->file[c->n_files++] = (struct kernel_file){name, k};
	return k;
}

static struct verdict
check(struct corpus *c, const struct label *l, bool release)
{
	return label_check(&c->a, l, kernel_of(c, l->kernel), release);
}

static void
test_strict(void **state)
{
	struct corpus *c = *state;
	unsigned needless = 0, wrong = 0, blamed = 0;

	for (size_t i = 0; i < c->labels.n; i++) {
		const struct label *l = &c->labels.v[i];
		struct verdict v = check(c, l, false);

		c->table[l->expected][v.kind]++;
		if (!label_blames(&c->a, l, &v)) {
			print_error("%.*s: no finding at line %.*s\n",
				STR_ARG(label_text(&c->a, l)), STR_ARG(l->lines));
			blamed++;
		}
		if (label_accepts(l, v.kind))
			continue;
		print_error("%.*s: %s instead of %s\n", STR_ARG(label_text(&c->a, l)),
			verdict_name(v.kind), verdict_name(l->expected));
		if (is_opposite(l->expected, v.kind))
			wrong++;
		else
			needless++;
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(blamed, 0);
	assert_true(needless <= NEEDLESS_MAX);
	assert_true(c->table[VERDICT_CLEAN][VERDICT_CAVEAT] <= CLEAN_AS_CAVEAT_MAX);
	assert_true(c->table[VERDICT_REFUSED][VERDICT_CAVEAT] <= REFUSED_AS_CAVEAT_MAX);
	print_message("%zu launches; expected -> got:", c->labels.n);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			if (c->table[i][k])
				print_message(" %s->%s %u",
					verdict_name((enum verdict_kind)i),
					verdict_name((enum verdict_kind)k),
					c->table[i][k]);
	print_message("\n");
}

/* What exits do is a caveat in the release policy; everything else stays. */
static void
test_release(void **state)
{
	struct corpus *c = *state;

	for (size_t i = 0; i < c->labels.n; i++) {
		const struct label *l = &c->labels.v[i];
		struct verdict v = check(c, l, true);

		if (!label_lists(l->accept, str_of(verdict_name(v.kind))) &&
			is_opposite(l->release, v.kind))
			fail_msg("%.*s: %s instead of %s", STR_ARG(label_text(&c->a, l)),
				verdict_name(v.kind), verdict_name(l->release));
		if (l->release != l->expected)
			assert_int_equal(v.kind, VERDICT_CAVEAT);
	}
}

/* The same question twice gives the same answer, word for word. */
static void
test_deterministic(void **state)
{
	struct corpus *c = *state;

	for (size_t i = 0; i < c->labels.n; i += 7) {
		struct verdict v = check(c, &c->labels.v[i], false),
			       w = check(c, &c->labels.v[i], false);
		struct json_out a = {.b = {.a = &c->a}}, b = {.b = {.a = &c->a}};

		verdict_write(&a, NULL, &v);
		verdict_write(&b, NULL, &w);
		assert_true(str_eq(json_done(&a), json_done(&b)));
	}
}

static int
setup(void **state)
{
	static struct corpus c;

	c.labels = labels_read(&c.a, tests_path(&c.a, "gate/launches.txt"));
	*state = &c;
	return c.labels.n < 300;
}

static int
teardown(void **state)
{
	struct corpus *c = *state;
	struct arena a = c->a;

	arena_release(&a);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_deterministic),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
