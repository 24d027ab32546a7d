#include "finished_run.h"

#include "base/shown.h"
#include "perf/rank.h"
#include "report/hazard.h"
#include "report/report.h"
#include "report/show.h"
#include "report/table_text.h"

#include <stdlib.h>

/* tests/golden/report/NAME; BLESS=1 rewrites it. */
static void
assert_golden(struct scratch *s, const char *name, struct str text)
{
	const char *root = getenv("SRCDIR");
	const char *path = str_c(&s->a,
		str_fmt(&s->a, "%s/tests/golden/report/%s", root ? root : ".", name));
	struct str want = {0};

	if (getenv("BLESS"))
		fs_write(path, text, NULL);
	fs_try_read(&s->a, path, &want);
	if (!str_eq(want, text))
		fail_msg("%s differs (BLESS=1 rewrites it):\n%.*s", name, STR_ARG(text));
}

static struct str
finished_text(struct scratch *s, const struct run_opts *opts)
{
	struct str text;

	run_finish(&s->a, opts);
	assert_true(fs_try_read(&s->a, ".lanewise/report.txt", &text));
	return text;
}

static void
measured(void **state)
{
	struct scratch *s = *state;
	struct str json;

	assert_golden(s, "measured.txt", finished_text(s, &(struct run_opts){0}));
	assert_true(fs_try_read(&s->a, ".lanewise/report.json", &json));
	assert_golden(s, "measured.json", json);
}

static void
estimated(void **state)
{
	struct scratch *s = *state;
	struct str text = finished_text(s, &(struct run_opts){.estimated = true});

	assert_golden(s, "estimated.txt", text);
	assert_true(str_has(text, STR_LIT("ESTIMATED by a model: nothing was run")));
	assert_false(str_has(text, STR_LIT("MEASURED:")));
}

static void
unsafe(void **state)
{
	struct scratch *s = *state;
	struct str text = finished_text(s, &(struct run_opts){.unsafe = true});
	struct diag d = {0};
	struct ranking **v;
	size_t n = 0;

	assert_golden(s, "unsafe.txt", text);
	assert_true(str_has(text, STR_LIT("how much would a repaired kernel gain?")));
	v = report_load(&s->a, ".lanewise", &n, &d);
	assert_non_null(v);
	assert_int_equal(n, 2);
	assert_int_equal(rank_exit_status(v, n), EXIT_NO);
	/* Never among what may be chosen. */
	for (size_t z = 0; z < v[0]->n_sizes; z++)
		for (size_t i = 0; i < v[0]->sizes[z].n_ranked; i++)
			assert_true(v[0]->sizes[z].v[i].verdict < VERDICT_REFUSED &&
				    !v[0]->sizes[z].v[i].unsafe);
}

static void
ends(void *dir)
{
	struct arena a = {0};

	exit(report_show(&a, dir));
}

static void
shown_with_its_status(void **state)
{
	struct scratch *s = *state;
	struct str text = finished_text(s, &(struct run_opts){.unsafe = true});
	char dir[] = ".lanewise", nowhere[] = "nowhere";
	struct ended e = scratch_run(s, ends, dir);

	assert_int_equal(e.status, 1);
	assert_string_equal(e.out, str_c(&s->a, text));
	e = scratch_run(s, ends, nowhere);
	assert_int_equal(e.status, 2);
	assert_contains(e.err, "run 'lanewise tune' first");
	fs_write(".lanewise/report.json", str_sub(text, 0, 100), NULL);
	e = scratch_run(s, ends, dir);
	assert_int_equal(e.status, 2);
}

/* Lines of 100 columns at most, whatever the names. */
static void
narrow(void **state)
{
	struct scratch *s = *state;
	struct str rest = finished_text(s, &(struct run_opts){.unsafe = true}), line;

	while (str_line(&rest, &line))
		if (line.n > REPORT_COLUMNS)
			fail_msg("%zu columns: %.*s", line.n, STR_ARG(line));
}

/* A caveat is of no use where another rule refuses the candidate. */
static void
caveats_of_the_admitted(void **state)
{
	struct scratch *s = *state;
	struct places p = places_begin(&s->a, ".lanewise");
	struct diag d = {0};
	struct ranking **v;
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	assert_int_equal(hazards_of(&p, v[1], VERDICT_CAVEAT).n, 1);
	for (size_t i = 0; i < rank_size_n(&v[1]->sizes[0]); i++)
		if (v[1]->sizes[0].v[i].verdict == VERDICT_CAVEAT)
			v[1]->sizes[0].v[i].verdict = VERDICT_REFUSED;
	assert_int_equal(hazards_of(&p, v[1], VERDICT_CAVEAT).n, 0);
}

/* The legend is of the rows above it. */
static void
marks_of_the_rows_shown(void **state)
{
	struct scratch *s = *state;
	struct buf some = {.a = &s->a}, all = {.a = &s->a};
	struct diag d = {0};
	struct ranking **v;
	struct rank_size *z;
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	z = &v[0]->sizes[0];
	z->n_ranked = 3;
	for (size_t i = 0; i < 3; i++) {
		z->v[i].baseline = false;
		z->v[i].spill_bytes = i == 2 ? 8 : 0;
		z->v[i].screened_out = i == 2;
		z->v[i].ratio = i == 2 ? 1.25 : (double)NAN;
	}
	table_text(&some, z, 2);
	assert_false(str_has(buf_str(&some), STR_LIT("S spills")));
	assert_false(str_has(buf_str(&some), STR_LIT("O out of")));
	assert_false(str_has(buf_str(&some), STR_LIT("pairs side by side")));
	table_text(&all, z, 0);
	assert_true(str_has(buf_str(&all), STR_LIT("S spills")));
	assert_true(str_has(buf_str(&all), STR_LIT("O out of")));
	assert_true(str_has(buf_str(&all), STR_LIT("pairs side by side")));
}

/* Two kinds of numbers in one column are told apart. */
static void
where_the_times_are_from(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	struct ranking **v;
	struct rank_size *z;
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	z = &v[0]->sizes[0];
	z->n_ranked = 3;
	for (size_t finalists = 0; finalists < 4; finalists++) {
		struct buf b = {.a = &s->a};
		struct str rest, line;
		size_t marked = 0;

		for (size_t i = 0; i < 3; i++)
			z->v[i].standing =
				i < finalists ? STR_LIT("slower") : (struct str){0};
		table_text(&b, z, 0);
		rest = buf_str(&b);
		while (str_line(&rest, &line))
			marked += str_ends(line, " F");
		assert_int_equal(marked, finalists < 3 ? finalists : 0);
		assert_int_equal(str_has(buf_str(&b), STR_LIT("   F timed in the final")),
			marked > 0);
	}
}

/* One outside the final is compared in the screening, where both were timed. */
static void
who_was_not_in_the_final(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	struct ranking **v;
	struct rank_size *z;
	struct buf b = {.a = &s->a};
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	z = &v[0]->sizes[0];
	z->v[0].median_ns = 1000;
	z->v[0].screening_ns = 2000;
	z->v[1].standing = (struct str){0};
	z->v[1].ratio = (double)NAN;
	z->v[1].median_ns = 2200;
	table_text(&b, z, 0);
	assert_true(str_has(buf_str(&b), STR_LIT("+10.0%")));
}

/* Names that do not fit a column leave their values, under the parameters' names. */
static void
long_labels(void **state)
{
	struct scratch *s = *state;
	struct str text, line;
	struct diag d = {0};
	struct ranking **v;
	struct report r;
	size_t n;

	finished_text(s, &(struct run_opts){.unsafe = true});
	v = report_load(&s->a, ".lanewise", &n, &d);
	v[0]->sizes[0].v[1].label = str_fmt(&s->a, "%090d", 1);
	r = report_build(&s->a, v, 1, ".lanewise");
	text = report_text(&s->a, &r, 0);
	assert_true(str_has(text, STR_LIT("#  BLOCK,TILE ")));
	assert_true(str_has(text, STR_LIT("2  32,256 ")));
	while (str_line(&text, &line))
		if (line.n > REPORT_COLUMNS && !str_has(line, STR_LIT("00000000")))
			fail_msg("%zu columns: %.*s", line.n, STR_ARG(line));
}

/* A finished run in other circumstances: set(), then its text with one line a table. */
static const char *
told(struct scratch *s, const struct run_opts *opts, void (*set)(struct ranking *r))
{
	struct diag d = {0};
	struct ranking **v;
	struct report r;
	size_t n;

	finished_text(s, opts);
	v = report_load(&s->a, ".lanewise", &n, &d);
	assert_non_null(v);
	set(v[0]);
	r = report_build(&s->a, v, 1, ".lanewise");
	return str_c(&s->a, report_text(&s->a, &r, 1));
}

static void
set_tie(struct ranking *r)
{
	for (int z = 0; z < 2; z++) {
		r->sizes[z].v[0].baseline = false;
		r->sizes[z].v[1].baseline = z == 1;
	}
	r->sizes[1].v[1].median_ns = r->sizes[1].v[0].median_ns;
}

/* Wherever a time stands. */
static void
estimates_are_marked(void **state)
{
	const char *text = told(*state, &(struct run_opts){.estimated = true}, set_tie);

	assert_contains(text, "and 1 more, up to ~4.432 us ESTIMATED");
	assert_contains(text, "the baseline BLOCK=32,TILE=512 (~78.83 us ESTIMATED)");
	assert_contains(text, ", the champion ~3.216 us");
}

static void
set_cached(struct ranking *r)
{
	for (int z = 0; z < 2; z++) {
		r->sizes[z].kind = RESULT_CACHED;
		for (size_t i = 0; i < r->sizes[z].n_ranked; i++)
			r->sizes[z].v[i].kind = RESULT_CACHED;
	}
}

static void
set_some_cached(struct ranking *r)
{
	set_cached(r);
	r->sizes[0].v[1].kind = RESULT_MEASURED;
}

static void
what_was_cached_is_told(void **state)
{
	const char *text = told(*state, &(struct run_opts){0}, set_cached);

	assert_contains(text, "MEASURED EARLIER (cached): median of batches");
	assert_contains(text, "TILE=512, 116.1 us measured earlier (cached)\n");
	assert_contains(text, "~65.98 us, the champion's estimate ~79.79 us");
	text = told(*state, &(struct run_opts){0}, set_some_cached);
	assert_contains(text, "MEASURED, some EARLIER (cached): median of batches");
}

static void
set_no_claim(struct ranking *r)
{
	r->sizes[0].claim = CLAIM_NONE;
	r->sizes[0].faster = false;
	r->sizes[0].claim_why = STR_LIT("its control failed");
}

static void
no_claim_comes_first(void **state)
{
	const char *text = told(*state, &(struct run_opts){0}, set_no_claim);
	const char *claim = strstr(text, "NO CLAIM: its control failed");
	const char *speed = strstr(text, "not claimed: 1.119 x its speed");

	assert_true(claim && speed && claim < speed);
}

static void
set_opencl(struct ranking *r)
{
	r->backend = STR_LIT("opencl");
	for (int z = 0; z < 2; z++)
		for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
			r->sizes[z].v[i].registers = -1;
			r->sizes[z].v[i].spill_bytes = -1;
			r->sizes[z].v[i].occupancy = (double)NAN;
		}
}

/* It may be no GPU at all. */
static void
opencl_has_no_facts_of_a_gpu(void **state)
{
	static const char *const words[] = {"compute capability", "ptxas", "regs", " occ",
		"registers", "footprint on an SM"};
	const char *text = told(*state, &(struct run_opts){0}, set_opencl);

	assert_contains(text, "block 32, grid 2048, 128 B shared\n");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i]))
			fail_msg("'%s' in:\n%s", words[i], text);
}

static void
text_cannot_drive_the_terminal(void **state)
{
	struct scratch *s = *state;
	struct buf b = {.a = &s->a};

	shown_add(&b, STR_LIT("a\033[31mb\rc\177"));
	show_cell(&b, STR_LIT("0123456789"), 6);
	assert_string_equal(buf_c(&b), "a\\x1b[31mb\\rc\\x7f0123..");
}

static void
times(void **state)
{
	struct scratch *s = *state;
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0.5, "0.500 ns"}, {999, "999.0 ns"}, {1000, "1.000 us"},
		{3412.4, "3.412 us"}, {65432, "65.43 us"}, {1.5e6, "1.500 ms"},
		{2e12, "2000.0 s"}, {(double)NAN, "- ns"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(
			str_c(&s->a, time_text(&s->a, cases[i].ns)), cases[i].text);
}

/* Without line maps and sources a report is poorer, but there is one. */
static void
places_unknown(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	struct ranking **v;
	struct report r;
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	r = report_build(&s->a, v, n, "nowhere");
	assert_true(str_has(
		report_text(&s->a, &r, 1), STR_LIT("PTX line 52: __syncthreads()")));
	fs_write(".lanewise/reduce/ptx/TILE=256.lines", STR_LIT("garbage\n"), NULL);
	r = report_build(&s->a, v, n, ".lanewise");
	assert_true(str_has(report_text(&s->a, &r, 1), STR_LIT("PTX line 52")));
}

/* What people read and what programs read name one place. */
static void
json_has_places_in_the_source(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	struct ranking **v;
	const struct rank_size *z;
	struct rank_entry *e;
	struct report r;
	struct str text;
	size_t n;

	finished_text(s, &(struct run_opts){0});
	v = report_load(&s->a, ".lanewise", &n, &d);
	z = &v[0]->sizes[0];
	e = &z->v[z->n_ranked + z->n_failed];
	assert_int_equal(e->n_findings, 1);
	e->findings->message = STR_LIT("as at PTX line 40");
	r = report_build(&s->a, v, n, ".lanewise");
	text = report_json(&s->a, &r);
	assert_contains(str_c(&s->a, text), "as at reduce.cu:8");
	assert_false(str_has(text, STR_LIT("\"file\": \"\"")));
}

static void
a_damaged_ranking_hands_out_nothing(void **state)
{
	static const char *const cases[][2] = {
		{"\"verdict\": \"clean\"", "\"verdict\": \"refused\""},
		{"\"status\": \"ok\"", "\"status\": \"wrong\""},
		{"\"champion\": true", "\"champion\": false"},
		{"\"champion\": false", "\"champion\": true"},
		{"\"unsafe\": false", "\"unsafe\": true"},
		{"\"median_ns\": ", "\"median_ns\": -"},
		{"lanewise/rank.v1", "lanewise/rank.v9"},
	};
	struct scratch *s = *state;
	FILE *nowhere = fopen("/dev/null", "w");
	struct str text;

	finished_text(s, &(struct run_opts){0});
	assert_true(fs_try_read(&s->a, ".lanewise/reduce/rank.json", &text));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag d = {.to = nowhere};
		const char *at = strstr(text.s, cases[i][0]);
		struct source src = {"rank.json", {0}};
		assert_non_null(at);
		src.text = str_fmt(&s->a, "%.*s%s%s", (int)(at - text.s), text.s,
			cases[i][1], at + strlen(cases[i][0]));
		if (ranking_read(&s->a, json_parse(&s->a, &src, &d), &d))
			fail_msg("accepted %s", cases[i][1]);
		assert_true(d.errors > 0);
	}
	fclose(nowhere);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(measured),
		scratch_test(estimated),
		scratch_test(unsafe),
		scratch_test(shown_with_its_status),
		scratch_test(narrow),
		scratch_test(caveats_of_the_admitted),
		scratch_test(marks_of_the_rows_shown),
		scratch_test(where_the_times_are_from),
		scratch_test(who_was_not_in_the_final),
		scratch_test(long_labels),
		scratch_test(estimates_are_marked),
		scratch_test(what_was_cached_is_told),
		scratch_test(no_claim_comes_first),
		scratch_test(opencl_has_no_facts_of_a_gpu),
		scratch_test(text_cannot_drive_the_terminal),
		scratch_test(times),
		scratch_test(places_unknown),
		scratch_test(json_has_places_in_the_source),
		scratch_test(a_damaged_ranking_hands_out_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
