#include "scratch.h"

#include "base/die.h"
#include "base/opt.h"

static struct values {
	const char *file;
	bool json;
	long jobs;
	double rate;
	struct opt_list define;
} v;

static const struct opt opts[] = {
	{"file", 'f', OPT_STR, &v.file, "FILE", "read FILE"},
	{"json", 0, OPT_FLAG, &v.json, NULL, "print JSON"},
	{"jobs", 'j', OPT_INT, &v.jobs, "N", "processes at once"},
	{"rate", 0, OPT_REAL, &v.rate, "X", "a rate"},
	{"define", 'D', OPT_LIST, &v.define, "NAME=VALUE-OF-A-CONSIDERABLE-LENGTH",
		"define"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise x [FILE]\n       [--json]",
	.about = "Does x.",
	.after = "Exit status: 0.",
};

enum { MAX = 16 };

struct line {
	int argc;
	char **argv;
	char *words[MAX];
};

static struct line *
parse(struct arena *a, const char *const *words)
{
	struct line *l = arena_new(a, struct line);
	for (; words[l->argc]; l->argc++)
		l->words[l->argc] = arena_copy(a, words[l->argc], strlen(words[l->argc]));
	l->argv = l->words;
	v = (struct values){0};
	opt_parse(a, &usage, opts, &l->argc, &l->argv);
	return l;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void
takes_values_in_every_form(void **state)
{
	struct scratch *s = *state;
	struct line *l = parse(&s->a, WORDS("one", "--file", "a", "--jobs=4", "two",
					      "--json", "--rate", "2.5"));
	assert_string_equal(v.file, "a");
	assert_int_equal(v.jobs, 4);
	assert_true(v.json);
	assert_true(v.rate == 2.5);
	assert_int_equal(l->argc, 2);
	assert_string_equal(l->argv[0], "one");
	assert_string_equal(l->argv[1], "two");
	parse(&s->a, WORDS("-f", "b", "-j8"));
	assert_string_equal(v.file, "b");
	assert_int_equal(v.jobs, 8);
	parse(&s->a, WORDS("-f=c", "-j=0x10"));
	assert_string_equal(v.file, "c");
	assert_int_equal(v.jobs, 16);
}

static void
values_may_look_like_anything(void **state)
{
	struct scratch *s = *state;
	parse(&s->a, WORDS("-DTILE=128", "--define=A=B", "-D", "-h", "--file", "--json",
			     "-D="));
	assert_int_equal(v.define.n, 4);
	assert_string_equal(v.define.v[0], "TILE=128");
	assert_string_equal(v.define.v[1], "A=B");
	assert_string_equal(v.define.v[2], "-h");
	assert_string_equal(v.define.v[3], "");
	assert_null(v.define.v[4]);
	assert_string_equal(v.file, "--json");
	assert_false(v.json);
	parse(&s->a, WORDS("--file="));
	assert_string_equal(v.file, "");
	parse(&s->a, WORDS("--jobs", "-3"));
	assert_int_equal(v.jobs, -3);
}

static void
two_dashes_end_options(void **state)
{
	struct scratch *s = *state;
	struct line *l = parse(&s->a, WORDS("a", "-", "--", "--json", "--", "-x"));
	const char *const want[] = {"a", "-", "--json", "--", "-x"};
	assert_int_equal(l->argc, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(l->argv[i], want[i]);
	assert_false(v.json);
}

static void
parse_and_leave(void *words)
{
	struct arena a = {0};
	parse(&a, words);
	_exit(42);
}

static void
assert_refused(struct scratch *s, const char *const *words, const char *says)
{
	struct ended e = scratch_run(s, parse_and_leave, (void *)(uintptr_t)words);
	assert_int_equal(e.status, EXIT_TROUBLE);
	assert_string_equal(e.err, str_fmt(&s->a,
					   "lanewise: error: %s\nusage: lanewise x "
					   "[FILE]\n       [--json]\n",
					   says)
					   .s);
	assert_string_equal(e.out, "");
}

static void
mistakes_are_named(void **state)
{
	struct scratch *s = *state;
	assert_refused(
		s, WORDS("--jsn"), "unknown option '--jsn' (did you mean '--json'?)");
	assert_refused(
		s, WORDS("--jsn=3"), "unknown option '--jsn' (did you mean '--json'?)");
	assert_refused(s, WORDS("--verbosity"), "unknown option '--verbosity'");
	assert_refused(s, WORDS("-q"), "unknown option '-q'");
	assert_refused(s, WORDS("--="), "unknown option '--'");
	assert_refused(s, WORDS("--json=yes"), "option '--json' takes no value");
	assert_refused(s, WORDS("--file"), "option '--file' wants a value");
	assert_refused(s, WORDS("-j"), "option '--jobs' wants a value");
	assert_refused(
		s, WORDS("-j", "4x"), "option '--jobs' wants a whole number, not '4x'");
	assert_refused(
		s, WORDS("--jobs="), "option '--jobs' wants a whole number, not ''");
	assert_refused(s, WORDS("--jobs=9223372036854775808"),
		"option '--jobs' wants a whole number below 2^63, not "
		"'9223372036854775808'");
	assert_refused(
		s, WORDS("--rate", "fast"), "option '--rate' wants a number, not 'fast'");
	assert_refused(
		s, WORDS("--rate", "nan"), "option '--rate' wants a number, not 'nan'");
}

static void
help_is_the_table(void **state)
{
	struct scratch *s = *state;
	struct ended e = scratch_run(
		s, parse_and_leave, (void *)(uintptr_t)WORDS("a", "--json", "-h"));
	assert_int_equal(e.status, EXIT_YES);
	assert_string_equal(e.err, "");
	assert_string_equal(e.out,
		"usage: lanewise x [FILE]\n       [--json]\n\nDoes x.\n\noptions:\n"
		"  -f, --file FILE             read FILE\n"
		"      --json                  print JSON\n"
		"  -j, --jobs N                processes at once\n"
		"      --rate X                a rate\n"
		"  -D, --define NAME=VALUE-OF-A-CONSIDERABLE-LENGTH\n"
		"                              define\n"
		"  -h, --help                  print this help\n\nExit status: 0.\n");
}

static void
help_to_a_full_disk(void *arg)
{
	if (!freopen("/dev/full", "w", stdout))
		_exit(126);
	parse_and_leave((void *)(uintptr_t)WORDS("--help"));
}

static void
help_that_cannot_be_written_is_trouble(void **state)
{
	struct ended e = scratch_run(*state, help_to_a_full_disk, NULL);
	assert_int_equal(e.status, EXIT_TROUBLE);
	assert_contains(e.err, "cannot write to standard output");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(takes_values_in_every_form),
		scratch_test(values_may_look_like_anything),
		scratch_test(two_dashes_end_options),
		scratch_test(mistakes_are_named),
		scratch_test(help_is_the_table),
		scratch_test(help_that_cannot_be_written_is_trouble),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
