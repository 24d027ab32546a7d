#include "finished_run.h"

#include "node/rows.h"
#include "perf/ranking.h"

#define COLLECT \
	"collect --kernel scan --specialization MODE=fast --verdict " \
	".lanewise/scan/gate/MODE=fast.verdict.json --dir .lanewise/scan -o rows.json"
#define RANK \
	"rank --kernel scan --points .lanewise/scan/points.json --device " \
	".lanewise/device.json -o rank.json"

static int
node(struct arena *a, const char *words)
{
	char *argv[64];
	int argc = 0;
	struct str rest = str_of(words), word;

	while (str_split(&rest, ' ', &word))
		argv[argc++] = str_c(a, word);
	return node_main(a, run_nodes, argc, argv);
}

static void
in_child(void *words)
{
	struct arena a = {0};

	exit(node(&a, words));
}

/* The exit status, and what it said on stderr. */
static int
ended(struct scratch *s, const char *words, const char **said)
{
	struct ended e =
		scratch_run(s, in_child, arena_copy(&s->a, words, strlen(words)));

	*said = e.err;
	return e.status;
}

static struct rows *
rows_of(struct scratch *s, const char *path)
{
	struct diag d = {0};
	struct str text;

	assert_true(fs_try_read(&s->a, path, &text));
	return rows_read(&s->a, path, text, &d);
}

static const struct rank_size *
ranked(struct scratch *s)
{
	struct diag d = {0};
	struct ranking *r =
		ranking_read(&s->a, json_parse_file(&s->a, "rank.json", &d), &d);

	assert_non_null(r);
	return &r->sizes[0];
}

static void
written_and_read_back(void **state)
{
	struct scratch *s = *state;
	struct rows *r;
	struct str text;

	run_finish(&s->a, &(struct run_opts){.unsafe = true});
	r = rows_of(s, ".lanewise/reduce/unsafe/rows/TILE=512.json");
	assert_non_null(r);
	assert_true(
		r->unsafe && !r->has_facts && r->n_verdicts == 6 && r->n_results == 4);
	r = rows_of(s, ".lanewise/reduce/rows/TILE=512.json");
	assert_true(
		!r->unsafe && r->has_facts && r->n_verdicts == 6 && r->n_results == 2);
	text = rows_write(&s->a, r);
	assert_string_equal(str_c(&s->a, text),
		scratch_text(s, ".lanewise/reduce/rows/TILE=512.json"));
}

static void
a_missing_result_is_trouble(void **state)
{
	struct scratch *s = *state;
	const char *said;

	run_finish(&s->a, &(struct run_opts){0});
	assert_int_equal(ended(s, COLLECT, &said), 0);
	fs_remove(".lanewise/scan/bench/MODE=fast@default.json");
	fs_remove("rows.json");
	assert_int_equal(ended(s, COLLECT, &said), 2);
	assert_contains(said, "MODE=fast@default.json");
	assert_false(fs_exists("rows.json"));
}

static void
a_result_of_something_else_is_trouble(void **state)
{
	struct scratch *s = *state;
	struct result r = run_result("scan", STR_LIT("MODE=fast"), "1M", 10);
	const char *said;

	run_finish(&s->a, &(struct run_opts){0});
	fs_write(".lanewise/scan/bench/MODE=fast@default.json", result_write(&s->a, &r),
		NULL);
	assert_int_equal(ended(s, COLLECT, &said), 2);
	assert_contains(said, "at size '1M'");
}

/* "admit": "clean": a caveat needs no result, and is among the refused. */
static void
caveats_that_are_not_admitted(void **state)
{
	struct scratch *s = *state;
	const char *said;

	run_finish(&s->a, &(struct run_opts){0});
	fs_remove(".lanewise/scan/bench/MODE=fast@default.json");
	assert_int_equal(ended(s, COLLECT " --admit clean", &said), 0);
	assert_int_equal(ended(s, RANK " --row rows.json", &said), 0);
	assert_int_equal(ranked(s)->n_ranked, 0);
	assert_int_equal(ranked(s)->n_refused, 1);
	assert_int_equal(ranked(s)->v[2].verdict, VERDICT_CAVEAT);
}

/* A point of which nothing is known failed; it is not left out, and not admitted. */
static void
points_without_rows(void **state)
{
	struct scratch *s = *state;
	const char *said;

	run_finish(&s->a, &(struct run_opts){0});
	assert_int_equal(ended(s, RANK, &said), 0);
	assert_int_equal(ranked(s)->n_failed, 3);
	assert_int_equal(ranked(s)->v[0].status, RESULT_TROUBLE);
	assert_int_equal(ranked(s)->counts.error, 3);
}

static void
rows_of_another_kind(void **state)
{
	struct scratch *s = *state;
	const char *said;

	run_finish(&s->a, &(struct run_opts){.unsafe = true});
	assert_int_equal(
		ended(s, RANK " --row .lanewise/reduce/rows/TILE=256.json", &said), 2);
	assert_contains(said, "not the rows of kernel 'scan'");
	assert_int_equal(
		ended(s, RANK " --unsafe-row .lanewise/scan/rows/MODE=fast.json", &said),
		2);
	assert_contains(said, "not the unsafe rows");
}

/* One measured result puts every estimate out of the ranking. */
static void
estimates_never_stand_beside_measurements(void **state)
{
	struct scratch *s = *state;
	struct result r = run_result("scan", STR_LIT("MODE=wrong"), "default", 5);
	const char *said;

	r.kind = RESULT_ESTIMATED;
	run_finish(&s->a, &(struct run_opts){0});
	fs_write(".lanewise/scan/bench/MODE=wrong@default.json", result_write(&s->a, &r),
		NULL);
	assert_int_equal(
		ended(s,
			"collect --kernel scan --specialization MODE=wrong --verdict "
			".lanewise/scan/gate/MODE=wrong.verdict.json --dir "
			".lanewise/scan "
			"-o wrong.json",
			&said),
		0);
	assert_int_equal(ended(s,
				 RANK " --row wrong.json --row "
				      ".lanewise/scan/rows/MODE=fast.json",
				 &said),
		0);
	assert_int_equal(ranked(s)->n_ranked, 1);
	assert_true(str_is(ranked(s)->v[0].label, "MODE=fast"));
	assert_true(str_has(ranked(s)->v[1].reason, STR_LIT("only estimated")));
	/* Alone, they are ranked, as estimates. */
	assert_int_equal(ended(s, RANK " --row wrong.json", &said), 0);
	assert_int_equal(ranked(s)->n_ranked, 1);
	assert_int_equal(ranked(s)->kind, RESULT_ESTIMATED);
}

static void
damaged_rows(void **state)
{
	struct scratch *s = *state;
	struct str text;

	run_finish(&s->a, &(struct run_opts){0});
	assert_true(fs_try_read(&s->a, ".lanewise/reduce/rows/TILE=256.json", &text));
	for (size_t n = 0; n + 2 < text.n; n += 11) {
		struct diag d = {.to = fopen("/dev/null", "w")};
		assert_null(rows_read(&s->a, "rows.json", str_sub(text, 0, n), &d));
		assert_true(d.errors > 0);
		fclose(d.to);
	}
}

static void
a_point_twice(void **state)
{
	struct scratch *s = *state;
	const char *said, *at;
	struct str text;

	run_finish(&s->a, &(struct run_opts){0});
	assert_true(fs_try_read(&s->a, ".lanewise/scan/points.json", &text));
	at = strstr(text.s, "MODE=wrong@default");
	fs_write(".lanewise/scan/points.json",
		str_fmt(&s->a, "%.*sMODE=fast@default%s", (int)(at - text.s), text.s,
			at + strlen("MODE=wrong@default")),
		NULL);
	assert_int_equal(ended(s, RANK, &said), 2);
	assert_contains(said, "point 'MODE=fast@default' is listed twice");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(written_and_read_back),
		scratch_test(a_missing_result_is_trouble),
		scratch_test(a_result_of_something_else_is_trouble),
		scratch_test(caveats_that_are_not_admitted),
		scratch_test(points_without_rows),
		scratch_test(rows_of_another_kind),
		scratch_test(estimates_never_stand_beside_measurements),
		scratch_test(damaged_rows),
		scratch_test(a_point_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
