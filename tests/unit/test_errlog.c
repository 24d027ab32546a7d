#include "captured.h"

#include "toolchain/errlog.h"

#include "base/fs.h"

static const struct {
	const char *log;
	const char *file;
	unsigned line, col;
	const char *message;
} cases[] = {
	{"k.cu(3): error: identifier \"y\" is undefined\n  x = y;\n      ^\n\n", "k.cu",
		3, 0, "identifier \"y\" is undefined"},
	{"a (1)/k.cu(12): error #20: expected a \";\"\n", "a (1)/k.cu", 12, 0,
		"expected a \";\""},
	{"k.cu(1): catastrophic error: cannot open source file \"no.h\"\n", "k.cu", 1, 0,
		"cannot open source file \"no.h\""},
	{"k.cu(2): warning #177-D: unused\nk.cu(9): error: bad\n", "k.cu", 9, 0, "bad"},
	{"k.cu:3:45: error: use of undeclared identifier 'y'\n", "k.cu", 3, 45,
		"use of undeclared identifier 'y'"},
	{"In file included from k.cu:1:\nh.cuh:7:2: fatal error: 'x.h' file not found\n",
		"h.cuh", 7, 2, "'x.h' file not found"},
	{"k.cl:5: error: no\n", "k.cl", 5, 0, "no"},
	{"ptxas k.ptx, line 7; error   : Unknown symbol 'x'\n", "k.ptx", 7, 0,
		"Unknown symbol 'x'"},
	{"ptxas in.ptx, line 1; fatal   : Missing .version directive\n", "in.ptx", 1, 0,
		"Missing .version directive"},
	{"error[E0425]: cannot find value `x`\n  --> src/lib.rs:4:9\n", "src/lib.rs", 4,
		9, "cannot find value `x`"},
	{"nvcc fatal   : Unsupported gpu architecture 'compute_1'\n", "", 0, 0,
		"Unsupported gpu architecture 'compute_1'"},
	{"clang: error: unknown argument: '-x9'\n", "", 0, 0, "unknown argument: '-x9'"},
	{"nvrtc: error: invalid value\nk.cu(1): error: real\n", "k.cu", 1, 0, "real"},
	{"k.cu(99999999999): error: x\n", "", 0, 0, "x"},
	{"ld: errors were many\nerror: plain\n", "", 0, 0, "plain"},
};

static void
finds_the_first_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct log_error e;
		print_message("%s", cases[i].log);
		assert_true(log_find_error(str_of(cases[i].log), &e));
		assert_true(str_is(e.file, cases[i].file));
		assert_int_equal(e.line, cases[i].line);
		assert_int_equal(e.col, cases[i].col);
		assert_true(str_is(e.message, cases[i].message));
	}
}

static void
finds_none_where_there_is_none(void **state)
{
	static const char *const logs[] = {"", "k.cu(3): warning: x\n", "0 errors\n",
		"k.cu:3:4: note: error here\n", "terror: x\n", "error\n",
		"the last error: x\n", "k.cu:3:4: errors: x\n"};
	struct log_error e;
	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		if (log_find_error(str_of(logs[i]), &e))
			fail_msg("took \"%s\" for an error: %.*s", logs[i],
				STR_ARG(e.message));
}

static struct lower_result
explain(struct captured *c, const char *log)
{
	struct lower_request q = {.source = STR_LIT("int a;\n\tx = y;\n"),
		.name = "sub/k.cu",
		.path = ".lanewise/in/sub/k.cu"};
	struct lower_result r = {.log = str_of(log)};
	log_explain(&c->a, &q, "it: exit status 1", &r);
	return r;
}

static void
speaks_of_the_users_file(void **state)
{
	struct captured *c = *state;
	struct lower_result r = explain(c, ".lanewise/in/sub/k.cu(2): error: no y\n");
	assert_true(str_is(r.err_file, "sub/k.cu"));
	assert_true(str_is(r.log, "sub/k.cu(2): error: no y\n"));
	r = explain(c,
		str_fmt(&c->a, "%s/.lanewise/in/sub/h.cuh:4:1: error: z\n", fs_cwd(&c->a))
			.s);
	assert_true(str_is(r.err_file, "sub/h.cuh"));
	assert_int_equal(r.err_line, 4);
	assert_false(str_has(r.log, str_of(fs_cwd(&c->a))));
}

static void
says_something_when_the_log_does_not(void **state)
{
	struct lower_result r = explain(*state, "");
	assert_true(str_is(r.err_file, "sub/k.cu"));
	assert_int_equal(r.err_line, 0);
	assert_true(str_is(r.err_message, "it: exit status 1"));
}

static void
takes_the_column_from_the_caret(void **state)
{
	struct lower_result r =
		explain(*state, "sub/k.cu(2): error: no y\n  \tx = y;\n  \t    ^\n");
	assert_int_equal(r.err_col, 6);
	/* a macro was expanded in the line that is shown: the caret means nothing */
	r = explain(*state, "sub/k.cu(2): error: no y\n  xx = y;\n       ^\n");
	assert_int_equal(r.err_col, 0);
}

static void
replaces_text(void **state)
{
	struct captured *c = *state;
	struct str s = text_replace(&c->a, STR_LIT("aXbXX"), STR_LIT("X"), STR_LIT("--"));
	assert_true(str_is(s, "a--b----"));
	s = text_replace(&c->a, STR_LIT("abc"), STR_LIT("abcd"), STR_LIT("-"));
	assert_true(str_is(s, "abc"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_error),
		cmocka_unit_test(finds_none_where_there_is_none),
		captured_test(speaks_of_the_users_file),
		captured_test(says_something_when_the_log_does_not),
		captured_test(takes_the_column_from_the_caret),
		captured_test(replaces_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
