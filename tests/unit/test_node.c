#include "scratch.h"

#include "node/event.h"
#include "node/node.h"

#include <fcntl.h>

/*
 * One node that has words of every kind: it writes what it was given, and counts its runs
 * in the file "runs" (which a real node may not).
 */
enum { IN, DEP, GUARD, DEFINE, NAME, LABEL, FLAG, EXTRA };

static const struct node_word words[] = {
	[IN] = {"in", NODE_INPUT, true, false},
	[DEP] = {"dep", NODE_INPUT, false, true},
	[GUARD] = {"guard", NODE_GUARD, false, false},
	[DEFINE] = {"define", NODE_PARAM, false, true},
	[NAME] = {"point", NODE_PARAM, false, false},
	[LABEL] = {"label", NODE_NOTE, false, false},
	[FLAG] = {"flag", NODE_FLAG, false, false},
	[EXTRA] = {"extra", NODE_OUTPUT, false, false},
	{0},
};

static bool
compute(struct node_call *c, struct diag *d)
{
	struct str in = node_file(c, IN)->bytes;
	fs_try_append("runs", STR_LIT("x"));
	if (str_starts(in, "BAD")) {
		diag_error(d, (struct place){0}, "bad input");
		return false;
	}
	buf_addf(&c->out, "in=%.*s", STR_ARG(in));
	for (size_t i = 0; i < c->n[DEP]; i++)
		buf_addf(&c->out, " dep=%s",
			c->file[DEP][i].present ? c->file[DEP][i].bytes.s : "-");
	for (size_t i = 0; i < c->n[DEFINE]; i++)
		buf_addf(&c->out, " [%.*s]", STR_ARG(c->word[DEFINE][i]));
	buf_addf(&c->out, "%s", node_flag(c, FLAG) ? " flag" : "");
	buf_addf(&c->extra[EXTRA], "extra of %.*s", STR_ARG(in));
	c->detail = STR_LIT("3 clean, 1 refused");
	c->told_ns = 812.5;
	if (str_starts(in, "SOFT"))
		c->status = STR_LIT("failed");
	c->no_cache = str_starts(in, "TRANSIENT");
	return true;
}

static const struct node node_probe = {.name = "probe",
	.about = "for tests",
	.revision = 1,
	.words = words,
	.compute = compute};
static const struct node node_later = {.name = "probe",
	.about = "for tests",
	.revision = 2,
	.words = words,
	.compute = compute};
static const struct node node_local = {.name = "local",
	.about = "for tests",
	.revision = 1,
	.words = words,
	.local = true,
	.compute = compute};

static bool
mark_recalled(struct node_call *c)
{
	buf_adds(&c->out, " (recalled)");
	return true;
}

static const struct node node_marked = {.name = "marked",
	.about = "for tests",
	.revision = 1,
	.words = words,
	.compute = compute,
	.recalled = mark_recalled};

static const struct node *const table[] = {&node_probe, &node_local, &node_marked, NULL};
static const struct node *const later[] = {&node_later, NULL};

static int
run_table(const struct node *const *t, const char *const *v)
{
	struct arena a = {0};
	char *argv[32];
	int argc = 0;
	for (; v[argc]; argc++)
		argv[argc] = arena_copy(&a, v[argc], strlen(v[argc]));
	int status = node_main(&a, t, argc, argv);
	arena_release(&a);
	return status;
}

#define RUN(...) run_table(table, (const char *const[]){__VA_ARGS__, NULL})
#define CACHED   "--cache", "cache", "--events", "events"

static int
node_setup(void **state)
{
	unsetenv("LANEWISE_CACHE");
	int bad = scratch_setup(state);
	if (!bad)
		fs_write("in", STR_LIT("text"), NULL);
	return bad;
}

#define node_test(f) cmocka_unit_test_setup_teardown(f, node_setup, scratch_teardown)

static size_t
runs(struct scratch *s)
{
	struct str text;
	return fs_try_read(&s->a, "runs", &text) ? text.n : 0;
}

static void
reads_words_and_writes_outputs(void **state)
{
	struct scratch *s = *state;
	fs_write("d1", STR_LIT("one"), NULL);
	assert_int_equal(RUN("probe", "--in", "in", "--dep=d1", "--dep", "absent",
				 "--define", "A=1", "--define=B=2", "--flag", "--extra",
				 "sub/x", "-o", "sub/o"),
		0);
	assert_string_equal(
		scratch_text(s, "sub/o"), "in=text dep=one dep=- [A=1] [B=2] flag");
	assert_string_equal(scratch_text(s, "sub/x"), "extra of text");
	assert_int_equal(RUN("probe", "--in", "in", "-o", "o"), 0);
	assert_string_equal(scratch_text(s, "o"), "in=text");
	assert_false(fs_exists("extra"));
}

static void
a_file_stands_for_its_words(void **state)
{
	struct scratch *s = *state;
	fs_write("rsp",
		STR_LIT(" --define  a \n\t--define\tb\r\n\n--define @c --define d"),
		NULL);
	assert_int_equal(RUN("probe", "--in", "in", "@rsp", "-o", "o"), 0);
	assert_string_equal(scratch_text(s, "o"), "in=text [a] [b] [@c] [d]");
	/* In the place of a value an '@' is a letter. */
	assert_int_equal(RUN("probe", "--in", "in", "--define", "@rsp", "-o", "@o"), 0);
	assert_string_equal(scratch_text(s, "@o"), "in=text [@rsp]");
	struct buf many = {.a = &s->a}, want = {.a = &s->a};
	buf_adds(&want, "in=text");
	for (int i = 0; i < 5000; i++) {
		buf_addf(&many, "--define %d\n", i);
		buf_addf(&want, " [%d]", i);
	}
	fs_write("rsp", buf_str(&many), NULL);
	assert_int_equal(RUN("probe", "@rsp", "--in", "in", "-o", "o"), 0);
	assert_string_equal(scratch_text(s, "o"), buf_c(&want));
	fs_write("rsp", (struct str){0}, NULL);
	assert_int_equal(RUN("probe", "@rsp", "--in", "in", "-o", "o"), 0);
}

static void
run_and_leave(void *v)
{
	_exit(run_table(table, v));
}

#define assert_refused(s, says, ...) \
	do { \
		const char *const v_[] = {__VA_ARGS__, NULL}; \
		struct ended e_ = scratch_run(s, run_and_leave, (void *)(uintptr_t)v_); \
		assert_int_equal(e_.status, 2); \
		assert_contains(e_.err, says); \
	} while (0)

static void
mistakes_are_trouble_and_write_nothing(void **state)
{
	struct scratch *s = *state;
	assert_refused(s, "there is no node 'prob'", "prob", "-o", "o");
	assert_refused(s, "which node?", "--cache", "c");
	assert_refused(s, "unknown option '--fast'", "--fast", "1", "probe", "-o", "o");
	assert_refused(
		s, "probe: unknown word '--inn'", "probe", "--inn", "in", "-o", "o");
	assert_refused(
		s, "run 'lanewise graph'", "probe", "--in", "in", "stray", "-o", "o");
	assert_refused(s, "unknown word '-in'", "probe", "-in", "in", "-o", "o");
	assert_refused(s, "unknown word ''", "probe", "--in", "in", "", "-o", "o");
	assert_refused(s, "'--in' is missing", "probe", "-o", "o");
	assert_refused(s, "'--in' wants a value", "probe", "-o", "o", "--in");
	assert_refused(s, "'--in' is given twice", "probe", "--in", "in", "--in", "in",
		"-o", "o");
	assert_refused(s, "'--flag' takes no value", "probe", "--in", "in", "--flag=0",
		"-o", "o");
	assert_refused(s, "'-o FILE' is missing", "probe", "--in", "in");
	assert_refused(s, "'-o' wants a file", "probe", "--in", "in", "-o");
	assert_refused(s, "cannot read 'nope'", "probe", "--in", "nope", "-o", "o");
	assert_refused(
		s, "cannot read '.'", "probe", "--in", "in", "--dep", ".", "-o", "o");
	assert_refused(s, "cannot read 'no-rsp'", "probe", "@no-rsp", "-o", "o");
	fs_write("rsp", STR_LIT("@in"), NULL);
	assert_refused(s, "unknown word '@in'", "probe", "@rsp", "--in", "in", "-o", "o");
	fs_write("rsp", STR_LIT("--define"), NULL);
	assert_refused(
		s, "'--define' wants a value", "probe", "@rsp", "--in", "in", "-o", "o");
	assert_false(fs_exists("o"));
	assert_int_equal(runs(s), 0);
}

static void
the_cache_remembers(void **state)
{
	struct scratch *s = *state;
	assert_int_equal(
		RUN(CACHED, "probe", "--in", "in", "--extra", "x", "-o", "o"), 0);
	assert_int_equal(runs(s), 1);
	fs_remove("o");
	fs_remove("x");
	fs_write("moved", STR_LIT("text"), NULL); /* another path, the same bytes */
	assert_int_equal(RUN(CACHED, "probe", "--in", "moved", "--label", "note",
				 "--extra", "x2", "-o", "o2"),
		0);
	assert_int_equal(runs(s), 1);
	assert_string_equal(scratch_text(s, "o2"), "in=text");
	assert_string_equal(scratch_text(s, "x2"), "extra of text");
}

static void
whatever_is_in_the_key_makes_it_work_again(void **state)
{
	struct scratch *s = *state;
	size_t n = 0;
	fs_write("d", STR_LIT("dep"), NULL);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(
		RUN(CACHED, "probe", "--in", "in", "--define", "A", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "--define", "A", "--define",
				 "B", "-o", "o"),
		0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "--define", "B", "--define",
				 "A", "-o", "o"),
		0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "--flag", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "--dep", "d", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	assert_int_equal(
		RUN(CACHED, "probe", "--in", "in", "--dep", "absent", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	fs_write("in", STR_LIT("edited"), NULL);
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "-o", "o"), 0);
	assert_int_equal(runs(s), ++n);
	const char *const v[] = {CACHED, "probe", "--in", "in", "-o", "o", NULL};
	assert_int_equal(run_table(later, v), 0);
	assert_int_equal(runs(s), ++n);
	fs_write("in", STR_LIT("text"), NULL); /* and back: all of it is remembered */
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "-o", "o"), 0);
	assert_int_equal(runs(s), n);
	fs_write("g", STR_LIT("guard"), NULL); /* a guard is a lock, not data */
	assert_int_equal(
		RUN(CACHED, "probe", "--in", "in", "--guard", "g", "-o", "o"), 0);
	assert_int_equal(runs(s), n);
}

static void
some_work_is_never_stored(void **state)
{
	struct scratch *s = *state;
	RUN(CACHED, "local", "--in", "in", "-o", "o");
	RUN(CACHED, "local", "--in", "in", "-o", "o");
	assert_int_equal(runs(s), 2);
	RUN("probe", "--in", "in", "-o", "o"); /* no --cache */
	RUN("probe", "--in", "in", "-o", "o");
	assert_int_equal(runs(s), 4);
	fs_write("in", STR_LIT("TRANSIENT"), NULL);
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	assert_int_equal(runs(s), 6);
	const char **names;
	assert_int_equal(fs_list(&s->a, "cache", &names), 0);
}

static void
another_cache_may_be_named(void **state)
{
	struct scratch *s = *state;
	setenv("LANEWISE_CACHE", "elsewhere", 1);
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	assert_true(fs_is_dir("elsewhere"));
	assert_false(fs_exists("cache"));
	setenv("LANEWISE_CACHE", "", 1);
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	assert_true(fs_is_dir("cache"));
	assert_int_equal(runs(s), 2);
	setenv("LANEWISE_CACHE", "/proc/no/such", 1); /* remembers nothing, is no error */
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "-o", "o"), 0);
	assert_int_equal(runs(s), 3);
	unsetenv("LANEWISE_CACHE");
}

static void
a_damaged_cache_is_work_to_do(void **state)
{
	struct scratch *s = *state;
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	const char **folder, **file;
	assert_int_equal(fs_list(&s->a, "cache", &folder), 2); /* the other is "count" */
	const char *dir =
		fs_join(&s->a, "cache", folder[strcmp(folder[0], "count") == 0]);
	assert_int_equal(fs_list(&s->a, dir, &file), 1);
	const char *path = fs_join(&s->a, dir, file[0]);
	struct str text = fs_read(&s->a, path);
	char *bytes = str_c(&s->a, text);
	char *name = strstr(bytes, "part out");
	assert_non_null(name);
	name[5] = 'O';
	fs_write(path, (struct str){bytes, text.n}, NULL);
	fs_remove("o");
	assert_int_equal(RUN(CACHED, "probe", "--in", "in", "-o", "o"), 0);
	assert_int_equal(runs(s), 2);
	assert_string_equal(scratch_text(s, "o"), "in=text");
}

static void
equal_outputs_keep_their_time(void **state)
{
	RUN("probe", "--in", "in", "-o", "o");
	struct timespec old[2] = {{1000000000, 5}, {1000000000, 5}};
	assert_int_equal(utimensat(AT_FDCWD, "o", old, 0), 0);
	RUN("probe", "--in", "in", "-o", "o");
	assert_true(fs_mtime_ns("o") == 1000000000ll * 1000000000 + 5);
	fs_write("in", STR_LIT("new"), NULL);
	RUN("probe", "--in", "in", "-o", "o");
	assert_true(fs_mtime_ns("o") > 1000000000ll * 1000000000 + 5);
}

static void
trouble_leaves_old_outputs(void **state)
{
	struct scratch *s = *state;
	RUN(CACHED, "probe", "--in", "in", "--extra", "x", "-o", "o");
	fs_write("in", STR_LIT("BAD"), NULL);
	const char *const v[] = {
		CACHED, "probe", "--in", "in", "--extra", "x", "-o", "o", NULL};
	struct ended e = scratch_run(s, run_and_leave, (void *)(uintptr_t)v);
	assert_int_equal(e.status, 2);
	assert_string_equal(e.err, "lanewise: error: bad input\n");
	assert_string_equal(scratch_text(s, "o"), "in=text");
	assert_string_equal(scratch_text(s, "x"), "extra of text");
	e = scratch_run(
		s, run_and_leave, (void *)(uintptr_t)v); /* and is not remembered */
	assert_int_equal(e.status, 2);
	assert_int_equal(runs(s), 3);
}

static void
run_with_little_disk(void *v)
{
	scratch_limit_files(4);
	run_and_leave(v);
}

static void
a_full_disk_is_trouble(void **state)
{
	struct scratch *s = *state;
	fs_write("o", STR_LIT("old"), NULL);
	const char *const v[] = {
		"--cache", "cache", "probe", "--in", "in", "-o", "o", NULL};
	struct ended e = scratch_run(s, run_with_little_disk, (void *)(uintptr_t)v);
	assert_int_equal(e.status, 2);
	assert_string_equal(scratch_text(s, "o"), "old");
}

/* The i-th event of the log. */
static struct event
event_at(struct scratch *s, size_t i)
{
	struct str rest = fs_read(&s->a, "events"), line;
	struct event e = {0};
	for (size_t k = 0; k <= i; k++)
		assert_true(str_line(&rest, &line));
	assert_true(event_parse(&s->a, line, &e));
	return e;
}

static void
every_run_tells_an_event(void **state)
{
	struct scratch *s = *state;
	RUN(CACHED, "probe", "--in", "in", "--point", "C@1M", "-o", "o");
	RUN(CACHED, "probe", "--in", "in", "--point", "C@1M", "-o", "o");
	fs_write("in", STR_LIT("SOFT"), NULL);
	RUN(CACHED, "probe", "--in", "in", "-o", "o");
	fs_write("in", STR_LIT("BAD"), NULL);
	const char *const v[] = {CACHED, "probe", "--in", "in", "-o", "o", NULL};
	scratch_run(s, run_and_leave, (void *)(uintptr_t)v);
	static const char *const want[][2] = {
		{"C@1M", "ok"}, {"C@1M", "cached"}, {"o", "failed"}, {"o", "trouble"}};
	for (size_t i = 0; i < 4; i++) {
		struct event e = event_at(s, i);
		assert_true(str_is(e.node, "probe"));
		assert_true(str_is(e.name, want[i][0]));
		assert_true(str_is(e.status, want[i][1]));
		assert_true(e.ms >= 0);
	}
	/* What a cached node tells is what it told when it ran. */
	assert_true(str_is(event_at(s, 1).detail, "3 clean, 1 refused"));
	assert_true(event_at(s, 1).ns == 812.5);
	/* A log that cannot be written does not fail the work. */
	fs_write("in", STR_LIT("text"), NULL);
	assert_int_equal(
		RUN("--events", "/dev/full", "probe", "--in", "in", "-o", "o"), 0);
}

static void
a_recalled_output_may_say_so(void **state)
{
	struct scratch *s = *state;
	for (int i = 0; i < 3; i++) {
		RUN(CACHED, "marked", "--in", "in", "-o", "o");
		assert_string_equal(
			scratch_text(s, "o"), i ? "in=text (recalled)" : "in=text");
	}
	assert_int_equal(runs(s), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		node_test(reads_words_and_writes_outputs),
		node_test(a_file_stands_for_its_words),
		node_test(mistakes_are_trouble_and_write_nothing),
		node_test(the_cache_remembers),
		node_test(whatever_is_in_the_key_makes_it_work_again),
		node_test(some_work_is_never_stored),
		node_test(another_cache_may_be_named),
		node_test(a_damaged_cache_is_work_to_do),
		node_test(equal_outputs_keep_their_time),
		node_test(trouble_leaves_old_outputs),
		node_test(a_full_disk_is_trouble),
		node_test(every_run_tells_an_event),
		node_test(a_recalled_output_may_say_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
