#include "scratch.h"

#include "base/hash.h"
#include "graph/leaf.h"

#include <sys/stat.h>

/* A small project: {path, text} pairs. */
static void
project(const char *const (*files)[2])
{
	for (; (*files)[0]; files++)
		fs_write((*files)[0], str_of((*files)[1]), NULL);
}

#define PROJECT(...) project((const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

/* The deps of a file as "a.h b.h". */
static const char *
deps_of(struct scratch *s, const char *file, const char *const *dirs)
{
	struct leaves l = {.a = &s->a};
	struct diag d = {0};
	struct buf b = {.a = &s->a};
	size_t n = 0;
	struct leaf *f = leaf_add(&l, file, (struct place){0}, &d);
	assert_non_null(f);
	while (dirs && dirs[n])
		n++;
	assert_true(leaf_scan(&l, f, dirs, n, &d));
	for (size_t i = 0; i < f->n_deps; i++)
		buf_addf(&b, "%s%s", i ? " " : "", l.v[f->deps[i]]->path);
	return buf_c(&b);
}

#define DIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void
a_leaf_is_staged_and_hashed(void **state)
{
	struct scratch *s = *state;
	struct leaves l = {.a = &s->a};
	struct diag d = {0};
	PROJECT({"src/k.cu", "kernel"});
	struct leaf *f = leaf_add(&l, "./src//x/../k.cu", (struct place){0}, &d);
	assert_string_equal(f->path, "src/k.cu");
	assert_string_equal(f->staged, ".lanewise/in/src/k.cu");
	assert_false(f->outside);
	assert_true(str_is(f->text, "kernel"));
	assert_string_equal(f->hash, hash_short(&s->a, STR_LIT("kernel"), 16));
	assert_ptr_equal(leaf_add(&l, "src/k.cu", (struct place){0}, &d), f);
	assert_int_equal(l.n, 1);
}

static void
nested_includes_are_followed(void **state)
{
	struct scratch *s = *state;
	PROJECT({"k.cu", "#include \"a.h\"\n  #  include\t\"sub/b.h\"\n"},
		{"a.h", "#include \"c.h\""},
		{"sub/b.h", "#include \"d.h\"\n#include \"../c.h\"\n"}, {"c.h", ""},
		{"sub/d.h", "#include \"e.h\"\n"}, {"e.h", ""});
	assert_string_equal(deps_of(s, "k.cu", NULL), "a.h sub/b.h c.h sub/d.h e.h");
}

static void
cycles_end(void **state)
{
	struct scratch *s = *state;
	PROJECT({"k.cu", "#include \"k.cu\"\n#include \"a.h\"\n"},
		{"a.h", "#include \"b.h\"\n#include \"a.h\"\n"},
		{"b.h", "#include \"a.h\"\n#include \"k.cu\"\n"});
	assert_string_equal(deps_of(s, "k.cu", NULL), "a.h b.h");
}

static void
every_branch_of_a_conditional_counts(void **state)
{
	struct scratch *s = *state;
	PROJECT({"k.cu", "#ifdef A\n#include \"a.h\"\n#else\r\n#include \"b.h\" // "
			 "c\r\n#endif"},
		{"a.h", ""}, {"b.h", ""});
	assert_string_equal(deps_of(s, "k.cu", NULL), "a.h b.h");
}

static void
what_is_not_here_is_the_toolkits(void **state)
{
	struct scratch *s = *state;
	PROJECT({"k.cu", "#include <cuda_fp16.h>\n#include \"gone.h\"\n#include "
			 "\"folder\"\n"
			 "#include \"\"\n#include <>\n#include\n#include "
			 "\"unended.h\n#include MACRO\n"
			 "#define X \"a.h\"\n// #include \"a.h\"\n#included \"a.h\"\n#"},
		{"a.h", ""}, {"folder/x", ""});
	assert_string_equal(deps_of(s, "k.cu", NULL), "");
}

static void
folders_are_searched_like_a_compiler(void **state)
{
	struct scratch *s = *state;
	PROJECT({"src/k.cu", "#include \"x.h\"\n#include <y.h>\n#include \"in/z.h\"\n"},
		{"inc/x.h", "far"}, {"src/x.h", "near"}, {"inc/y.h", ""},
		{"more/y.h", ""},
		{"src/in/z.h", "#include <w.h>\n#include \"v.h\"\n#include \"u.h\"\n"},
		{"src/w.h", ""}, {"src/in/w.h", ""}, {"src/in/v.h", ""}, {"src/v.h", ""},
		{"src/u.h", ""});
	assert_string_equal(deps_of(s, "src/k.cu", DIRS("inc", "more")),
		"src/x.h inc/y.h src/in/z.h src/w.h src/in/v.h src/u.h");
	assert_string_equal(deps_of(s, "src/k.cu", DIRS("./more/", "inc")),
		"src/x.h more/y.h src/in/z.h src/w.h src/in/v.h src/u.h");
}

/* What lies outside is read where it is: through "..", or by an absolute path. */
static void
outside_headers_are_leaves_too(void **state)
{
	struct scratch *s = *state;
	PROJECT({"lib/far.h", ""}, {"abs.h", ""}, {"p/.keep", ""});
	const char *abs = fs_join(&s->a, fs_cwd(&s->a), "abs.h");
	assert_int_equal(chdir("p"), 0);
	const char *text =
		str_fmt(&s->a, "#include \"../lib/far.h\"\n#include \"%s\"\n", abs).s;
	fs_write("k.cu", str_of(text), NULL);
	assert_string_equal(
		deps_of(s, "k.cu", NULL), str_fmt(&s->a, "../lib/far.h %s", abs).s);
	struct leaves l = {.a = &s->a};
	struct diag d = {0};
	struct leaf *f = leaf_add(&l, "../lib/far.h", (struct place){0}, &d);
	assert_true(f->outside);
	assert_string_equal(f->staged, "../lib/far.h");
}

static void
one_leaf_serves_many(void **state)
{
	struct scratch *s = *state;
	struct leaves l = {.a = &s->a};
	struct diag d = {0};
	PROJECT({"a.cu", "#include \"c.h\"\n"}, {"b.cu", "#include \"./c.h\"\n"},
		{"c.h", ""});
	struct leaf *a = leaf_add(&l, "a.cu", (struct place){0}, &d);
	struct leaf *b = leaf_add(&l, "b.cu", (struct place){0}, &d);
	assert_true(leaf_scan(&l, a, NULL, 0, &d));
	assert_true(leaf_scan(&l, b, NULL, 0, &d));
	assert_int_equal(l.n, 3);
	assert_int_equal(a->n_deps, 1);
	assert_int_equal(b->n_deps, 1);
	assert_int_equal(a->deps[0], b->deps[0]);
}

static void
leaves_that_cannot_be_are_errors(void **state)
{
	struct scratch *s = *state;
	struct leaves l = {.a = &s->a};
	char *said;
	size_t n;
	struct diag d = {.to = open_memstream(&said, &n)};
	struct source src = {"lanewise.json", STR_LIT("x\n")};
	PROJECT({"a|b.cu", "x"}, {"a\nb.cu", "x"}, {"k.cu", "#include \"p|q.h\"\n"},
		{"p|q.h", ""});
	assert_null(leaf_add(&l, "gone.cu", (struct place){&src, 1, 1}, &d));
	assert_null(leaf_add(&l, "a|b.cu", (struct place){0}, &d));
	assert_null(leaf_add(&l, "a\nb.cu", (struct place){0}, &d));
	assert_null(leaf_add(&l, ".", (struct place){0}, &d));
	assert_int_equal(mkfifo("pipe.cu", 0600), 0);
	assert_null(leaf_add(&l, "pipe.cu", (struct place){0}, &d));
	assert_int_equal(d.errors, 5);
	fflush(d.to);
	assert_contains(said, "cannot read 'pipe.cu': it is a pipe");
	assert_contains(
		said, "lanewise.json:1:1: error: cannot read 'gone.cu': No such file");
	assert_contains(said, "rename 'a|b.cu'");
	fclose(d.to);
	free(said);
	assert_int_equal(l.n, 0);
	assert_string_equal(deps_of(s, "k.cu", NULL), "");
}

/* A compiler that opens one waits for ever. */
static void
pipes_and_devices_are_not_included(void **state)
{
	struct scratch *s = *state;
	struct leaves l = {.a = &s->a};
	char *said;
	size_t n;
	struct diag d = {.to = open_memstream(&said, &n)};
	PROJECT({"k.cl", "\n  #include \"sub/a.h\"\n"}, {"sub/a.h", "#include <p.h>\n"},
		{"z.cl", "#include \"/dev/zero\"\n"}, {"dir.cl", "#include \"sub\"\n"});
	assert_int_equal(mkfifo("p.h", 0600), 0);
	const char *const bad[] = {"k.cl", "z.cl"};
	for (int i = 0; i < 2; i++) {
		struct leaf *f = leaf_add(&l, bad[i], (struct place){0}, &d);
		assert_false(leaf_scan(&l, f, NULL, 0, &d));
	}
	fflush(d.to);
	assert_contains(said, "sub/a.h:1:1: error: 'p.h' is a pipe or a device");
	assert_contains(said, "z.cl:1:1: error: '/dev/zero' is a pipe or a device");
	fclose(d.to);
	free(said);
	assert_string_equal(deps_of(s, "dir.cl", NULL), ""); /* the compiler's error */
}

/* 3000 headers in a chain, with a long file before: no recursion, no quadratic blow-up
 * that a person would notice. */
static void
long_chains_are_fine(void **state)
{
	struct scratch *s = *state;
	enum { N = 3000 };
	for (int i = 0; i < N; i++) {
		struct str text =
			str_fmt(&s->a, "#include \"h%d.h\"\n#include \"h0.h\"\n", i + 1);
		fs_write(str_fmt(&s->a, "h%d.h", i).s, text, NULL);
	}
	fs_write("k.cu", STR_LIT("#include \"h0.h\"\n"), NULL);
	struct leaves l = {.a = &s->a};
	struct diag d = {0};
	struct leaf *f = leaf_add(&l, "k.cu", (struct place){0}, &d);
	assert_true(leaf_scan(&l, f, NULL, 0, &d));
	assert_int_equal(f->n_deps, N);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_leaf_is_staged_and_hashed),
		scratch_test(nested_includes_are_followed),
		scratch_test(cycles_end),
		scratch_test(every_branch_of_a_conditional_counts),
		scratch_test(what_is_not_here_is_the_toolkits),
		scratch_test(folders_are_searched_like_a_compiler),
		scratch_test(outside_headers_are_leaves_too),
		scratch_test(one_leaf_serves_many),
		scratch_test(leaves_that_cannot_be_are_errors),
		scratch_test(pipes_and_devices_are_not_included),
		scratch_test(long_chains_are_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
