/* Recorded spaces: what others write is read, what we write reads the same. */
#include "captured.h"

#include "base/fs.h"
#include "search/recorded.h"

static struct recorded *
parse(struct captured *c, const char *text)
{
	return recorded_parse(&c->a, captured_source(c, text), (struct str){0}, &c->d);
}

static struct str
file_of(struct captured *c, const char *name)
{
	const char *root = getenv("SRCDIR");
	return fs_read(
		&c->a, str_fmt(&c->a, "%s/tests/recorded/%s", root ? root : ".", name).s);
}

static struct recorded *
read_file(struct captured *c, const char *name)
{
	struct recorded *r = parse(c, str_c(&c->a, file_of(c, name)));
	if (!r)
		fail_msg("%s", captured_take(c));
	return r;
}

static void
assert_text(struct str got, struct str expected)
{
	if (!str_eq(got, expected))
		fail_msg("got:\n%.*s\nexpected:\n%.*s", STR_ARG(got), STR_ARG(expected));
}

/* A cache of one parameter, its entries given. */
static const char *
cache(struct captured *c, const char *entries)
{
	return str_fmt(&c->a,
		"{\"device_name\": \"d\", \"kernel_name\": \"k\", \"problem_size\": 1024,"
		" \"tune_params_keys\": [\"x\"], \"tune_params\": {\"x\": [4, 1, 2]}, "
		"\"cache\": {%s",
		entries)
		.s;
}

/* --- files that Kernel Tuner 1.5.0 wrote -------------------------------------------- */

static void
a_cache_that_is_still_open_is_read(void **state)
{
	struct captured *c = *state;
	struct recorded *r = read_file(c, "kernel_tuner_cache.json");
	double t;
	size_t n[4] = {0};
	assert_int_equal(r->n, 44);
	assert_int_equal(r->n_params, 4);
	assert_true(str_is(r->kernel, "scale") && str_is(r->device, "Example GPU"));
	assert_int_equal(r->n_problem, 2);
	assert_int_equal(r->problem[1].i, 4096);
	for (size_t i = 0; i < r->n; i++)
		n[recorded_outcome(r, i, &t)]++;
	assert_int_equal(n[SEARCH_TIMED], 38);
	assert_int_equal(n[SEARCH_FAILED], 4);
	assert_int_equal(n[SEARCH_REFUSED], 2);
	const struct recorded_row *first = r->order[0];
	assert_true(first->time_ms == 0.081168);
	assert_int_equal(first->n_times, 3);
	assert_true(first->phase_ms[PHASE_COMPILE] == 301.25);
	assert_true(str_is(first->timestamp, "2026-01-01 00:00:01.000000+00:00"));
}

/* The same run, as Kernel Tuner wrote it as T4. */
static void
its_t4_file_says_the_same(void **state)
{
	struct captured *c = *state;
	struct recorded *kt = read_file(c, "kernel_tuner_cache.json");
	struct recorded *t4 = read_file(c, "kernel_tuner_t4.json");
	assert_text(recorded_write_csv(&c->a, t4), recorded_write_csv(&c->a, kt));
}

static void
what_is_written_reads_the_same(void **state)
{
	struct captured *c = *state;
	struct recorded *r = read_file(c, "kernel_tuner_cache.json");
	struct str kt = recorded_write_kt(&c->a, r), t4 = recorded_write_t4(&c->a, r);
	struct recorded *again = parse(c, kt.s), *other = parse(c, t4.s);
	assert_non_null(again);
	assert_non_null(other);
	assert_text(recorded_write_kt(&c->a, again), kt);
	assert_text(recorded_write_t4(&c->a, other), t4);
	assert_text(recorded_write_t4(&c->a, again), t4);
	assert_text(recorded_write_csv(&c->a, other), recorded_write_csv(&c->a, r));
}

/* A writer that was killed anywhere leaves what it had finished. */
static void
a_cache_cut_anywhere_keeps_whole_entries(void **state)
{
	struct captured *c = *state;
	struct str whole = file_of(c, "kernel_tuner_cache.json");
	size_t most = 0, before = 0;
	for (size_t n = 0; n < whole.n; n += 7) {
		struct recorded *r =
			parse(c, str_c(&c->a, str_sub(whole, 0, whole.n - n)));
		size_t rows = r ? r->n : 0;
		assert_true(!before || rows <= before);
		assert_true(r || c->d.errors);
		most = rows > most ? rows : most;
		before = rows;
		captured_take(c);
		for (size_t i = 0; i < rows; i++)
			assert_true(r->rows[i].fault || r->rows[i].time_ms > 0);
	}
	assert_int_equal(most, 44);
	assert_int_equal(before, 0);
}

/* --- encodings ---------------------------------------------------------------------- */

static void
every_way_to_write_a_failure_is_known(void **state)
{
	static const struct {
		const char *members;
		enum recorded_fault fault;
	} v[] = {
		{"\"time\": \"InvalidConfig\"", FAULT_CONSTRAINTS},
		{"\"time\": \"CompilationFailedConfig\"", FAULT_COMPILE},
		{"\"time\": \"RuntimeFailedConfig\"", FAULT_RUNTIME},
		{"\"__error__\": \"InvalidConfig\"", FAULT_CONSTRAINTS},
		{"\"__error__\": \"CompilationFailedConfig\"", FAULT_COMPILE},
		{"\"__error__\": \"SomethingNew\"", FAULT_RUNTIME},
		{"\"__error__\": {\"a\": 1}", FAULT_RUNTIME},
		{"\"time\": 1e20", FAULT_RUNTIME},
		{"\"time\": 1.7976931348623157e+308", FAULT_RUNTIME},
		{"\"time\": NaN", FAULT_RUNTIME},
		{"\"time\": Infinity", FAULT_RUNTIME},
		{"\"time\": null", FAULT_RUNTIME},
		{"\"time\": -1", FAULT_RUNTIME},
		{"\"time\": 0.5", FAULT_NONE},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		const char *entry =
			str_fmt(&c->a, "\"4\": {\"x\": 4, %s}}}", v[i].members).s;
		struct recorded *r = parse(c, cache(c, entry));
		if (!r)
			fail_msg("%s: %s", v[i].members, captured_take(c));
		assert_int_equal(r->rows[0].fault, v[i].fault);
	}
}

static void
rows_are_in_the_order_of_values_as_written(void **state)
{
	struct captured *c = *state;
	struct recorded *r = parse(c,
		cache(c,
			"\"2\": {\"x\": 2, \"time\": 3}, \"4\": {\"x\": 4, \"time\": 2}, "
			"\"1\": {\"x\": 1, \"time\": 1},"));
	struct field f = recorded_field(r);
	uint16_t choice;
	uint64_t at;
	assert_int_equal(f.count, 3);
	for (uint16_t i = 0; i < 3; i++) {
		f.nth(f.of, i, &choice);
		assert_int_equal(choice, i);
		assert_true(f.find(f.of, &i, &at) && at == i);
	}
	choice = 3;
	assert_false(f.find(f.of, &choice, &at));
	assert_true(r->order[0]->time_ms == 3 && r->rows[0].time_ms == 2);
}

static void
t4_times_have_units(void **state)
{
	static const char form[] =
		"{\"results\": [{\"configuration\": {\"x\": 1}, \"times\": "
		"{\"compilation_time\": 2, \"runtimes\": [1, 3]}, \"measurements\": "
		"[%s]}], \"metadata\": {\"timeunit\": \"%s\"}}";
	struct captured *c = *state;
	struct recorded *r = parse(c, str_fmt(&c->a, form, "", "seconds").s);
	assert_non_null(r);
	assert_true(r->rows[0].time_ms == 2000 && r->rows[0].times_ms[1] == 3000);
	assert_true(r->rows[0].phase_ms[PHASE_COMPILE] == 2000);
	const char *us = "{\"name\": \"time\", \"value\": 7, \"unit\": \"us\"}";
	r = parse(c, str_fmt(&c->a, form, us, "miliseconds").s);
	assert_non_null(r);
	assert_true(r->rows[0].time_ms == 0.007 && r->rows[0].times_ms[0] == 1);
	assert_null(parse(c, str_fmt(&c->a, form, "", "fortnights").s));
	assert_says(c, "unknown unit of time");
}

static void
csv_cells_are_quoted(void **state)
{
	struct captured *c = *state;
	struct recorded *r = parse(c,
		"{\"results\": [{\"configuration\": {\"a,b\": \"say \\\"x\\\"\"}, "
		"\"invalidity\": \"timeout\"}]}");
	assert_non_null(r);
	assert_text(recorded_write_csv(&c->a, r),
		STR_LIT("\"a,b\",outcome,time_ms,compile_ms\n\"say "
			"\"\"x\"\"\",timeout,,\n"));
}

/* --- errors ------------------------------------------------------------------------- */

static void
mistakes_have_a_place(void **state)
{
	struct captured *c = *state;
	const struct {
		const char *text, *says;
	} v[] = {
		{"", "t.json:"},
		{"[]", "neither a Kernel Tuner cache"},
		{"{}", "neither a Kernel Tuner cache"},
		{"{\"schema\": \"lanewise/spec.v1\"}",
			"this is lanewise's own (lanewise/spec.v1)"},
		{"{\"cache\": 1}", "t.json:1:11: error: \"cache\" is an object"},
		{"{\"cache\": {}}", "there is no \"tune_params_keys\""},
		{cache(c, "}}"), "no candidate is recorded"},
		{cache(c, "\"3\": {\"x\": 3, \"time\": 1}}}"),
			"none of the values of 'x'"},
		{cache(c, "\"4\": {\"time\": 1}}}"), "parameter 'x' has no value"},
		{cache(c, "\"4\": {\"x\": 4}}}"), "neither \"time\" nor \"__error__\""},
		{cache(c, "\"4\": {\"x\": 4, \"time\": \"fast\"}}}"),
			"a time is a number"},
		{cache(c, "\"4\": {\"x\": 4, \"time\": 1, \"times\": 3}}}"),
			"a list of times"},
		{cache(c, "\"4\": 7}}"), "an entry of the cache is an object"},
		{cache(c, "\"4\": {\"x\": 4, \"time\": 1}, \"04\": {\"x\": 4, \"time\": "
			  "2}}}"),
			"x=4 is recorded twice"},
		{"{\"results\": 1}", "\"results\" is an array"},
		{"{\"results\": [1]}", "an object \"configuration\""},
		{"{\"results\": [{\"configuration\": {\"x\": 1}, \"invalidity\": "
		 "\"correct\"}]}",
			"a measurement \"time\" or \"runtimes\""},
		{"{\"results\": [{\"configuration\": {\"x\": 1}, \"invalidity\": "
		 "\"compile\"}, {\"configuration\": {\"y\": 1}}]}",
			"no parameter 'y'"},
		{"{\"results\": [{\"configuration\": {\"x\": [1]}}]}", "a value is"},
		{"{\"results\": [{\"configuration\": {\"time\": 1}}]}",
			"cannot be called 'time'"},
		{"{\"results\": [{\"configuration\": {\"x\": 1}, \"invalidity\": "
		 "\"meh\"}]}",
			"\"invalidity\" is one of"},
	};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		if (parse(c, v[i].text))
			fail_msg("read: %s", v[i].text);
		assert_says(c, v[i].says);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(a_cache_that_is_still_open_is_read),
		captured_test(its_t4_file_says_the_same),
		captured_test(what_is_written_reads_the_same),
		captured_test(a_cache_cut_anywhere_keeps_whole_entries),
		captured_test(every_way_to_write_a_failure_is_known),
		captured_test(rows_are_in_the_order_of_values_as_written),
		captured_test(t4_times_have_units),
		captured_test(csv_cells_are_quoted),
		captured_test(mistakes_have_a_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
