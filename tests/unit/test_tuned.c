/*
 * The header, compiled and run: what it selects is what its rule, written down once more
 * here, says; in C and C++, without a warning.
 */
#include "wisdom_text.h"

#include "apply/apply.h"
#include "apply/tuned_text.h"
#include "base/rng.h"
#include "model/record.h"

/* False when there is no such compiler. */
static bool
compiled(struct scratch *s, const char *compiler, const char *standard, const char *file,
	const char *extra)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("compiler.log", "w", stderr))
			_exit(126);
		execlp(compiler, compiler, standard, "-Wall", "-Wextra", "-Wpedantic",
			"-Wshadow", "-Wconversion", "-Wundef", "-Werror", file, "-o",
			"asked", extra, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == 127)
		return false;
	if (status)
		fail_msg(
			"%s %s: %s", compiler, standard, scratch_text(s, "compiler.log"));
	return true;
}

/* Its exit status; what it prints is in `said`. */
static int
run_asked(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("said", "w", stdout))
			_exit(126);
		execl("./asked", "./asked", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void
write_header(struct scratch *s, struct wisdom *w)
{
	fs_write("k_tuned.h", apply_header(&s->a, w, "k_tuned.h"), NULL);
}

/* --- the rule, once more ----------------------------------------------------------- */

struct question {
	const char *device; /* NULL: any */
	int major, minor;
	long long m, n;
};

static double
times(double x, double y)
{
	x = x > 1 ? x : 1;
	y = y > 1 ? y : 1;
	return x > y ? x / y : y / x;
}

/* How well an entry answers, smaller is better, first to last. */
struct answer {
	int kind, steps; /* of the device; capabilities between */
	bool other_size;
	double apart;
	int unmeasured;
};

static struct answer
weigh(const struct wisdom_entry *e, const struct question *q)
{
	struct answer a = {0};
	int cc = 10 * q->major + q->minor;
	bool named = q->device && *q->device,
	     same = named && str_is(e->device, q->device);
	double m = json_get_f64(e->values, "m", 0), n = json_get_f64(e->values, "n", 0);

	if (same && (cc == 0 || cc == e->cc))
		a.kind = 0;
	else if (cc == e->cc)
		a.kind = named ? 1 : 0;
	else if (e->cc < cc)
		a.kind = 2, a.steps = cc - e->cc;
	else
		a.kind = 3, a.steps = e->cc - cc;
	a.other_size = !(m == (double)q->m && n == (double)q->n);
	a.apart = a.other_size ? times(m, (double)q->m) * times(n, (double)q->n) : 0;
	a.unmeasured = e->kind != RESULT_MEASURED;
	return a;
}

static int
compare(const struct answer *x, const struct answer *y)
{
	if (x->kind != y->kind)
		return x->kind - y->kind;
	if (x->steps != y->steps)
		return x->steps - y->steps;
	if (x->apart != y->apart)
		return x->apart < y->apart ? -1 : 1;
	return x->unmeasured - y->unmeasured;
}

static void
expected(struct buf *b, const struct wisdom *w, const struct question *q)
{
	size_t best = 0;
	struct answer a = weigh(&w->v[0], q);

	for (size_t i = 1; i < w->n; i++) {
		struct answer other = weigh(&w->v[i], q);
		if (compare(&other, &a) < 0) {
			a = other;
			best = i;
		}
	}
	buf_addf(b, "%zu %d\n", best,
		(a.kind == 0          ? 0
			: a.kind == 1 ? 2
				      : 4) +
			(a.other_size ? 1 : 0) + (a.unmeasured ? 8 : 0));
}

/* --- random tables and questions ---------------------------------------------------- */

enum { QUESTIONS = 200 };

static struct question
random_question(struct rng *r)
{
	static const char *const devices[] = {"A", "B", "C", "Z", "", NULL};
	static const int cc[][2] = {
		{8, 0}, {8, 6}, {9, 0}, {7, 5}, {10, 0}, {0, 0}, {8, 9}};
	static const long long sizes[] = {0, 1, 2, 3, 48, 64, 4096, -7, 1LL << 40};
	const int *at = cc[rng_below(r, 7)];

	return (struct question){devices[rng_below(r, 6)], at[0], at[1],
		sizes[rng_below(r, 9)], sizes[rng_below(r, 9)]};
}

static struct wisdom
random_wisdom(struct scratch *s, struct rng *r)
{
	static const char *const devices[] = {"A", "B", "C"};
	static const char *const cc[] = {"8.0", "9.0", "9.0"};
	static const char *const sizes[] = {"1", "2", "x", "64"};
	static const char *const values[] = {"{\"m\": 1, \"n\": 1}",
		"{\"m\": 64, \"n\": 2}", "{\"m\": 2, \"n\": 64}",
		"{\"m\": 4096, \"n\": 4096}", "{\"m\": 0, \"n\": 1}"};
	struct entry_text v[12] = {{0}};
	size_t n = 1 + rng_below(r, 12);

	for (size_t i = 0; i < n; i++) {
		size_t d = rng_below(r, 3), measured = rng_below(r, 2);
		v[i].device = devices[d];
		v[i].cc = cc[d];
		v[i].size = sizes[rng_below(r, 4)];
		v[i].values = values[rng_below(r, 5)];
		v[i].kind = measured ? "measured" : "estimated";
		v[i].claim = measured ? "observed" : "estimated";
	}
	return wisdom_of(&s->a, v, n);
}

/* A program that asks all questions and prints indices and matches. */
static struct str
program(struct scratch *s, const struct question *q, size_t n)
{
	struct buf b = {.a = &s->a};

	buf_adds(&b, "#include \"k_tuned.h\"\n#include \"k_tuned.h\"\n"
		     "#include <stdio.h>\n"
		     "static void ask(const char *d, int x, int y, long long m, long "
		     "long n)\n{\n"
		     "\tstruct k_size s = {0, 0};\n\tstruct k_pick p;\n"
		     "\ts.size_m = m;\n\ts.size_n = n;\n"
		     "\tp = k_select(d, x, y, s);\n"
		     "\tprintf(\"%d %d\\n\", (int)(p.choice - k_choices), p.match);\n}\n"
		     "int main(void)\n{\n");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "\task(%s%s%s, %d, %d, %lldLL, %lldLL);\n",
			q[i].device ? "\"" : "0", q[i].device ? q[i].device : "",
			q[i].device ? "\"" : "", q[i].major, q[i].minor, q[i].m, q[i].n);
	buf_adds(&b, "\treturn 0;\n}\n");
	return buf_str(&b);
}

static void
selects_by_its_rule(void **state)
{
	static const char *const builds[][3] = {{"cc", "-std=c11", "ask.c"},
		{"c++", "-std=c++17", "ask.cpp"}, {"cc", "-std=c99", "ask.c"},
		{"c++", "-std=c++11", "ask.cpp"}};
	struct scratch *s = *state;

	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct rng r = {seed};
		struct wisdom w = random_wisdom(s, &r);
		struct question q[QUESTIONS];
		struct buf want = {.a = &s->a};
		const char *const *build = builds[seed - 1];
		for (size_t i = 0; i < QUESTIONS; i++) {
			q[i] = random_question(&r);
			expected(&want, &w, &q[i]);
		}
		write_header(s, &w);
		fs_write(build[2], program(s, q, QUESTIONS), NULL);
		if (!compiled(s, build[0], build[1], build[2], NULL)) {
			print_message("%s is not here\n", build[0]);
			continue;
		}
		assert_int_equal(run_asked(), 0);
		assert_string_equal(scratch_text(s, "said"), buf_c(&want));
	}
}

/* Since C++14 it is a constant, so that a parameter can be a template's argument. */
static void
selects_at_compile_time(void **state)
{
	static const struct entry_text v[] = {{0},
		{.device = "NVIDIA A100", .cc = "8.0", .assignment = "{\"BLOCK\": 64}"}};
	static const char use[] =
		"#include \"k_tuned.h\"\n"
		"constexpr k_pick p = k_select(\"NVIDIA A100\", 8, 0, {1048576});\n"
		"static_assert(p.match == 0 && p.choice->param_BLOCK == 64, \"\");\n"
		"static_assert(k_select(\"NVIDIA H200\", 9, 0, {7}).match == "
		"LANEWISE_OTHER_SIZE, \"\");\n"
		"template <int N> int f() { return N; }\n"
		"int main() { return f<int(p.choice->param_BLOCK)>() == 64 ? 0 : 1; }\n";
	struct scratch *s = *state;
	struct wisdom w = wisdom_of(&s->a, v, 2);

	write_header(s, &w);
	fs_write("use.cpp", str_of(use), NULL);
	if (compiled(s, "c++", "-std=c++14", "use.cpp", NULL))
		assert_int_equal(run_asked(), 0);
	if (compiled(s, "c++", "-std=c++20", "use.cpp", NULL))
		assert_int_equal(run_asked(), 0);
}

/* A measured device of a capability goes before one that is not. */
static void
macros_of_the_device_that_is_named(void **state)
{
	static const struct entry_text v[] = {
		{.device = "A", .kind = "estimated", .claim = "estimated"},
		{.device = "B", .assignment = "{\"BLOCK\": 64}"},
		{.device = "C", .cc = "8.0", .assignment = "{\"BLOCK\": 128}"}};
	static const struct {
		const char *option;
		int block, match;
	} cases[] = {{"-DLANEWISE_CC=90", 64, 0}, {"-DLANEWISE_CC=100", 64, 4},
		{"-DLANEWISE_CC=89", 128, 4}, {"-DLANEWISE_CC=80", 128, 0},
		{"-DLANEWISE_CC=10", 128, 4}, {"-DK_TARGET=K_ON_A", 32, 8},
		{"-DK_TARGET=K_ON_C", 128, 0}};
	struct scratch *s = *state;
	struct wisdom w = wisdom_of(&s->a, v, 3);

	write_header(s, &w);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		fs_write("use.c",
			str_fmt(&s->a,
				"#include \"k_tuned.h\"\nint main(void) { return "
				"K_1M_BLOCK == %d && K_BLOCK == %d && K_TARGET_MATCH == "
				"%d ? 0 : 1; }\n",
				cases[i].block, cases[i].block, cases[i].match),
			NULL);
		if (compiled(s, "cc", "-std=c11", "use.c", cases[i].option))
			assert_int_equal(run_asked(), 0);
	}
}

/* Names that clash once they are identifiers, values of several types, sizes without
 * names: it still compiles. */
static void
odd_entries(void **state)
{
	static const struct entry_text v[] = {
		{.kernel = "my-kernel",
			.values = "{}",
			.device = "a-b",
			.size = "1-M",
			.assignment = "{\"TARGET\": 1, \"T\": 1.0, \"CHOICES\": 2}"},
		{.kernel = "my-kernel",
			.values = "{}",
			.device = "a_b",
			.size = "1.M",
			.assignment = "{\"T\": \"x\\\"\\\\\", \"B\": true}"},
		{.kernel = "my-kernel",
			.values = "{}",
			.device = "a_b",
			.size = "x",
			.assignment = "{\"T\": 1e300, \"int\": -9007199254740992}",
			.ns = "null"},
	};
	static const char use[] =
		"#include \"k_tuned.h\"\n"
		"int main(void)\n{\n\tstruct my_kernel_size s = {0};\n"
		"\treturn my_kernel_select(\"a_b\", 9, 0, s).match;\n}\n";
	struct scratch *s = *state;
	struct wisdom w = wisdom_of(&s->a, v, 3);

	write_header(s, &w);
	fs_write("use.c", str_of(use), NULL);
	fs_write("use.cpp", str_of(use), NULL);
	if (compiled(s, "cc", "-std=c11", "use.c", NULL))
		assert_int_equal(run_asked(), 0);
	if (compiled(s, "c++", "-std=c++17", "use.cpp", "-DLANEWISE_CC=90"))
		assert_int_equal(run_asked(), 0);
}

/* --- text ------------------------------------------------------------------------- */

static const char *
value(struct scratch *s, const char *json)
{
	struct buf b = {.a = &s->a};
	struct diag d = {0};
	struct source *src = arena_new(&s->a, struct source);

	*src = (struct source){"v", str_of(json)};
	tuned_add_value(&b, json_parse(&s->a, src, &d));
	return buf_c(&b);
}

static void
text_as_c(void **state)
{
	struct scratch *s = *state;
	struct buf b = {.a = &s->a};

	assert_string_equal(value(s, "1"), "1");
	assert_string_equal(value(s, "1.0"), "1.0");
	assert_string_equal(value(s, "1e300"), "1e+300");
	assert_string_equal(value(s, "0.1"), "0.1");
	assert_string_equal(value(s, "true"), "1");
	assert_string_equal(value(s, "\"a\\\"?\\n\""), "\"a\\\"\\077\\012\"");
	tuned_add_comment(&b, STR_LIT("*/ *\\ /* ?"
				      "?/ \\* \n"));
	assert_null(strstr(buf_c(&b), "*/"));
	assert_null(strstr(buf_c(&b), "/*"));
	assert_null(strchr(buf_c(&b), '\\'));
	assert_null(strchr(buf_c(&b), '\n'));
	assert_true(
		str_is(tuned_identifier(&s->a, STR_LIT("9\xc3\xa9-x"), true), "_9___X"));
	assert_true(str_is(tuned_identifier(&s->a, STR_LIT(""), false), "_"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(selects_by_its_rule),
		scratch_test(selects_at_compile_time),
		scratch_test(macros_of_the_device_that_is_named),
		scratch_test(odd_entries),
		scratch_test(text_as_c),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
