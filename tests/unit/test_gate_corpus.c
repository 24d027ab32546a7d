/*
 * The gate on labelled kernels: tests/gate/NAME.ptx (made by nvcc from NAME.cu) and
 * tests/gate/launches.txt.  An answer that is wrong fails at once; answers that are more
 * careful than they need to be are counted against a ceiling that may only go down.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
	NEEDLESS_MAX = 0, /* caveats where the label does not accept one */
	CLEAN_AS_CAVEAT_MAX = 20,
	REFUSED_AS_CAVEAT_MAX = 6,
	ARGS_MAX = 32,
};

struct label {
	struct str kernel, args, lines, accept;
	struct launch launch;
	enum verdict_kind expected, release;
};

struct kernel_file {
	struct str name;
	struct gate_kernel *k;
};

struct corpus {
	struct arena a;
	struct label *v;
	size_t n, cap;
	struct kernel_file *file;
	size_t n_files, cap_files;
	unsigned table[4][4]; /* expected, got */
};

static struct str
corpus_path(struct arena *a, const char *name)
{
	const char *dir = getenv("SRCDIR");

	return str_fmt(a, "%s/tests/gate/%s", dir ? dir : ".", name);
}

static struct str
word(struct str *rest)
{
	struct str w = {0};

	while (rest->n && rest->s[0] == ' ')
		*rest = str_sub(*rest, 1, rest->n);
	w = str_sub(*rest, 0, str_find(*rest, ' '));
	*rest = str_sub(*rest, w.n, rest->n);
	return w;
}

static enum verdict_kind
kind_word(struct str *rest)
{
	enum verdict_kind k = VERDICT_ERROR;

	assert_true(verdict_kind_find(word(rest), &k));
	return k;
}

static void
read_label(struct corpus *c, struct str line)
{
	struct label l = {.kernel = word(&line)};

	assert_true(launch_parse(word(&line), &l.launch));
	l.args = word(&line);
	l.expected = kind_word(&line);
	l.accept = word(&line);
	l.release = kind_word(&line);
	l.lines = word(&line);
	arena_grow(&c->a, c->v, c->n, c->cap);
	c->v[c->n++] = l;
}

static void
read_corpus(struct corpus *c)
{
	struct str text, line;

	assert_true(fs_try_read(
		&c->a, str_c(&c->a, corpus_path(&c->a, "launches.txt")), &text));
	while (str_line(&text, &line))
		if (line.n && line.s[0] != '#')
			read_label(c, line);
}

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
	path = str_c(&c->a, corpus_path(&c->a, str_c(&c->a, str_fmt(&c->a, "%.*s.ptx",
								    STR_ARG(name)))));
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

static unsigned
nibble(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* "1=03000000,2=..." */
static void
read_args(struct arena *a, struct str text, struct gate_arg args[ARGS_MAX])
{
	struct str one;

	if (str_is(text, "-"))
		return;
	while (str_split(&text, ',', &one)) {
		size_t eq = str_find(one, '=');
		struct str hex = str_sub(one, eq + 1, one.n);
		unsigned char *p = arena_alloc(a, hex.n / 2 + 1);
		int64_t at = 0;

		assert_true(str_to_i64(str_sub(one, 0, eq), &at) && at < ARGS_MAX);
		for (size_t i = 0; i < hex.n / 2; i++)
			p[i] = (unsigned char)(nibble(hex.s[2 * i]) << 4 |
					       nibble(hex.s[2 * i + 1]));
		args[at] = (struct gate_arg){GATE_ARG_BYTES, p, hex.n / 2};
	}
}

static struct verdict
check(struct corpus *c, const struct label *l, bool release)
{
	struct gate_arg args[ARGS_MAX] = {0};
	struct gate_query q = {.launch = l->launch,
		.args = args,
		.n_args = ARGS_MAX,
		.exit_release = release};

	read_args(&c->a, l->args, args);
	return gate_check(&c->a, kernel_of(c, l->kernel), &q);
}

static bool
has_word(struct str list, struct str w)
{
	struct str one;

	while (str_split(&list, ',', &one))
		if (str_eq(one, w))
			return true;
	return false;
}

static bool
is_opposite(enum verdict_kind a, enum verdict_kind b)
{
	return (a == VERDICT_CLEAN && b == VERDICT_REFUSED) ||
	       (a == VERDICT_REFUSED && b == VERDICT_CLEAN) || b == VERDICT_ERROR;
}

static bool
blames(struct arena *a, const struct verdict *v, const struct label *l)
{
	if (str_is(l->lines, "-"))
		return true;
	for (size_t i = 0; i < v->n_findings; i++)
		if (v->findings[i].kind == VERDICT_REFUSED &&
			has_word(l->lines,
				str_fmt(a, "%u", (unsigned)v->findings[i].line)))
			return true;
	return false;
}

static struct str
label_text(struct arena *a, const struct label *l)
{
	return str_fmt(a, "%.*s %.*s args %.*s", STR_ARG(l->kernel),
		STR_ARG(launch_text(a, &l->launch)), STR_ARG(l->args));
}

static void
test_strict(void **state)
{
	struct corpus *c = *state;
	unsigned needless = 0, wrong = 0, blamed = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct label *l = &c->v[i];
		struct verdict v = check(c, l, false);
		struct str name = str_of(verdict_name(v.kind));
		bool accepted = has_word(l->accept, name) || v.kind == l->expected;

		c->table[l->expected][v.kind]++;
		if (accepted && v.kind == VERDICT_REFUSED &&
			l->expected == VERDICT_REFUSED && !blames(&c->a, &v, l)) {
			print_error("%.*s: no finding at line %.*s\n",
				STR_ARG(label_text(&c->a, l)), STR_ARG(l->lines));
			blamed++;
		}
		if (accepted)
			continue;
		print_error("%.*s: %.*s instead of %s\n", STR_ARG(label_text(&c->a, l)),
			STR_ARG(name), verdict_name(l->expected));
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
	print_message("%zu launches; expected -> got:", c->n);
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

	for (size_t i = 0; i < c->n; i++) {
		const struct label *l = &c->v[i];
		struct verdict v = check(c, l, true);

		if (!has_word(l->accept, str_of(verdict_name(v.kind))) &&
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

	for (size_t i = 0; i < c->n; i += 7) {
		struct verdict v = check(c, &c->v[i], false),
			       w = check(c, &c->v[i], false);
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

	read_corpus(&c);
	*state = &c;
	return c.n < 300;
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
