/*
 * Rounds: batch after batch until the search is over, with a Ninja that is this program
 * (answered.h), and kills.
 *
 * What the Ninja does is told by files: `fuel` is how many candidates it answers before
 * it kills who started it, `stale` that what is there has to be made again, `broken` that
 * it fails, `idle` that it makes nothing. `answers` gets a line for each answer.
 */
#include "answered.h"

#include "graph/rounds.h"
#include "graph/searching.h"

/* --- the Ninja -------------------------------------------------------------------------
 */

static void
append(const char *path, const char *line)
{
	FILE *f = fopen(path, "a");
	fprintf(f, "%s\n", line);
	fclose(f);
}

static void
burn(struct arena *a)
{
	struct str text;
	int64_t left;
	if (!fs_try_read(a, "fuel", &text) || !str_to_i64(str_trim(text), &left))
		return;
	if (left == 0) {
		kill(getppid(), SIGKILL);
		_exit(1);
	}
	fs_write("fuel", str_fmt(a, "%d\n", (int)left - 1), NULL);
}

/* Answers the candidates that the graph has an edge for; how many. */
static int
make(struct arena *a, bool again, bool dry)
{
	static const char start[] = "build .lanewise/k/rows/";
	struct str text = fs_read(a, ".lanewise/k/build.ninja"), line;
	int n = 0;
	while (str_line(&text, &line)) {
		struct str name = str_sub(line, sizeof start - 1, line.n);
		if (!str_starts(line, start) || !str_split(&name, '.', &line))
			continue;
		const char *c = str_c(a, line);
		if (!again &&
			fs_exists(str_fmt(a, ".lanewise/k/gate/%s.verdict.json", c).s))
			continue;
		n++;
		if (dry)
			continue;
		burn(a);
		answer(a, c);
		append("answers", c);
	}
	return n;
}

static int
play_ninja(int argc, char **argv)
{
	struct arena a = {0};
	bool dry = false, again = fs_exists("stale");
	for (int i = 1; i < argc; i++) {
		dry = dry || !strcmp(argv[i], "-n");
		if (!strcmp(argv[i], "--version"))
			return puts("1.11.1"), 0;
	}
	if (fs_exists("broken"))
		return puts("FAILED: it is broken"), 1;
	int n = fs_exists("idle") ? 0 : make(&a, again, dry);
	if (again && !dry)
		fs_remove("stale");
	puts(n ? "[1/1] done" : "ninja: no work to do.");
	arena_release(&a);
	return 0;
}

/* --- rounds ----------------------------------------------------------------------------
 */

static int
setup(void **state)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0 || scratch_setup(state) != 0)
		return -1;
	self[n] = 0;
	struct scratch *s = *state;
	if (mkdir("bin", 0700) != 0 || symlink(self, "bin/ninja") != 0)
		return -1;
	return setenv("PATH", str_fmt(&s->a, "%s/bin:/usr/bin:/bin", s->dir).s, 1);
}

static void
run_rounds(void *arg)
{
	struct arena a = {0};
	struct diag d = {.to = stderr};
	struct graph_opts o = {.backend = "model", .device = "h200"};
	struct run_opts r = {.jobs = 1};
	struct str said;
	(void)arg;
	struct graph *g = graph_open(&a, &o, false, &d);
	if (!g)
		_exit(2);
	r.file = g->file;
	bool ok = rounds_run(g, (struct str){0}, &r, &a, &said, &d);
	fprintf(stderr, "%.*s", STR_ARG(said));
	for (size_t z = 0; ok && z < 2; z++) {
		const struct searching *q = &g->plan.kernels[0].searches[z];
		printf("%zu timed or failed, %s\n", q->n_timed + q->n_failed,
			q->over ? q->over : "goes on");
	}
	if (!ok)
		exit(1);
}

static struct ended
rounds(struct scratch *s)
{
	return scratch_run(s, run_rounds, NULL);
}

static void
clear(void)
{
	nftw(".lanewise", scratch_forget, 16, FTW_DEPTH | FTW_PHYS);
	fs_remove("build.ninja");
	fs_remove("answers");
}

static size_t
lines(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

#define SEARCH ".lanewise/k/search.json"

static void
they_end_with_the_budget(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "\"search\": {\"budget\": 20, \"batch\": 6},");
	struct ended e = rounds(s);
	assert_int_equal(e.status, 0);
	assert_string_equal(e.out, "20 timed or failed, its budget is spent\n"
				   "20 timed or failed, its budget is spent\n");
	assert_null(strstr(scratch_text(s, SEARCH), "pending"));
	/* Everything is there: nothing is made again, and the same is said. */
	size_t n = lines(scratch_text(s, "answers"));
	const char *asked = scratch_text(s, SEARCH);
	struct ended again = rounds(s);
	assert_string_equal(again.out, e.out);
	assert_int_equal(lines(scratch_text(s, "answers")), n);
	assert_string_equal(scratch_text(s, SEARCH), asked);
}

static void
after_kills_they_ask_for_the_same(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = {"auto", "genetic"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		answered_spec(
			s, str_fmt(&s->a,
				   "\"search\": {\"strategy\": \"%s\", \"budget\": 24, "
				   "\"batch\": 5},",
				   names[i])
				   .s);
		assert_int_equal(rounds(s).status, 0);
		const char *whole = scratch_text(s, SEARCH);
		size_t n = lines(scratch_text(s, "answers"));
		clear();
		/* Before the first, within a batch, again at the same place, late. */
		static const char *const fuel[] = {"0", "7", "0", "3", "9"};
		for (size_t k = 0; k < sizeof fuel / sizeof *fuel; k++) {
			fs_write("fuel", str_of(fuel[k]), NULL);
			assert_int_equal(rounds(s).signal, SIGKILL);
		}
		fs_remove("fuel");
		assert_int_equal(rounds(s).status, 0);
		assert_string_equal(scratch_text(s, SEARCH), whole);
		/* The one that was being answered when the kill came, twice at most. */
		assert_true(lines(scratch_text(s, "answers")) >= n);
		assert_true(lines(scratch_text(s, "answers")) <= n + 5);
		clear();
	}
}

/* Files of before an edit are not believed: the search begins anew, and Ninja makes batch
 * after batch again. */
static void
what_is_stale_is_asked_for_anew(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "\"search\": {\"budget\": 20, \"batch\": 6},");
	assert_int_equal(rounds(s).status, 0);
	const char *whole = scratch_text(s, SEARCH);
	/* Times of before: the best was elsewhere. */
	answer_result(&s->a, "A=15,B=9", 9, 4, false);
	fs_remove("answers");
	fs_write("stale", STR_LIT(""), NULL);
	struct ended e = rounds(s);
	assert_int_equal(e.status, 0);
	assert_string_equal(scratch_text(s, SEARCH), whole);
	assert_true(lines(scratch_text(s, "answers")) > 0);
	assert_false(fs_exists("stale"));
}

static void
a_failure_of_ninja_is_passed_on(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "\"search\": {\"budget\": 20, \"batch\": 6},");
	fs_write("broken", STR_LIT(""), NULL);
	struct ended e = rounds(s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, "FAILED: it is broken");
}

static void
a_result_that_nobody_made_is_named(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "\"search\": {\"strategy\": \"exhaustive\", \"budget\": 20, "
			 "\"batch\": 6},");
	fs_write("idle", STR_LIT(""), NULL);
	struct ended e = rounds(s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, "'A=0,B=0@s' of 'k' has no result that can be read");
	assert_contains(e.err, "remove .lanewise/k and run again");
}

/* What batches took is kept, and is not had again after a kill. */
static void
time_that_was_spent_stays_so(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "\"search\": {\"budget\": \"0.000001s\", \"batch\": 6},");
	fs_write("fuel", STR_LIT("4"), NULL);
	assert_int_equal(rounds(s).signal, SIGKILL);
	assert_false(fs_exists(".lanewise/wall"));
	fs_remove("fuel");
	struct ended e = rounds(s);
	assert_int_equal(e.status, 0);
	assert_contains(e.out, "its time is spent");
	const char *asked = scratch_text(s, SEARCH);
	size_t n = lines(scratch_text(s, "answers"));
	assert_int_equal(lines(scratch_text(s, ".lanewise/wall")), 1);
	assert_int_equal(rounds(s).status, 0);
	assert_string_equal(scratch_text(s, SEARCH), asked);
	assert_int_equal(lines(scratch_text(s, "answers")), n);
}

/* Without a search there is only a graph to write. */
static void
without_a_search_no_ninja_is_started(void **state)
{
	struct scratch *s = *state;
	answered_spec(s, "");
	fs_write("broken", STR_LIT(""), NULL);
	struct arena a = {0};
	struct diag d = {.to = stderr};
	struct graph_opts o = {.backend = "model", .device = "h200"};
	struct run_opts r = {.jobs = 1};
	struct str said;
	struct graph *g = graph_open(&a, &o, false, &d);
	assert_non_null(g);
	r.file = g->file;
	assert_true(rounds_run(g, (struct str){0}, &r, &a, &said, &d));
	assert_int_equal(g->plan.kernels[0].n_points, 320);
	assert_false(fs_exists(SEARCH));
	arena_release(&a);
}

#define rounds_test(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)

int
main(int argc, char **argv)
{
	if (!strcmp(fs_basename(argv[0]), "ninja"))
		return play_ninja(argc, argv);
	const struct CMUnitTest tests[] = {
		rounds_test(they_end_with_the_budget),
		rounds_test(after_kills_they_ask_for_the_same),
		rounds_test(what_is_stale_is_asked_for_anew),
		rounds_test(a_failure_of_ninja_is_passed_on),
		rounds_test(a_result_that_nobody_made_is_named),
		rounds_test(time_that_was_spent_stays_so),
		rounds_test(without_a_search_no_ninja_is_started),
	};
	return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
