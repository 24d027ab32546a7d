#include "scratch.h"

#include "perf/objective.h"

#include <math.h>

/* A candidate that took 2 us (1 to 4), 0.5 J (0.4 to 0.6), of 1e6 bytes, TILE=4. */
static struct rank_entry
entry(struct scratch *s)
{
	struct diag d = {0};
	struct source *src = arena_new(&s->a, struct source);

	*src = (struct source){
		"assignment", STR_LIT("{\"TILE\": 4, \"HALF\": 0.5, \"ON\": true, "
				      "\"KIND\": \"tree\"}")};
	return (struct rank_entry){.assignment = json_parse(&s->a, src, &d),
		.median_ns = 2000,
		.low_ns = 1000,
		.high_ns = 4000,
		.bytes = 1e6,
		.flops = (double)NAN,
		.joules = 0.5,
		.joules_error = 0.1};
}

static struct objective
parsed(struct scratch *s, const char *text)
{
	struct objective o;
	struct diag d = {0};

	assert_true(objective_parse(&s->a, str_of(text), &o, &d));
	return o;
}

static void
near(double x, double y)
{
	if (!(fabs(x - y) <= 1e-12 * fabs(y)))
		fail_msg("%.17g is not %.17g", x, y);
}

static void
time_is_no_expression(void **state)
{
	static const char *const texts[] = {"", "time"};
	struct scratch *s = *state;

	for (size_t i = 0; i < 2; i++) {
		struct objective o = parsed(s, texts[i]);
		struct rank_entry e = entry(s);
		assert_null(o.expr);
		assert_int_equal(o.text.n, 0);
		near(objective_value(&s->a, &o, &e, 123, (double)NAN, NULL), 123);
		assert_true(objective_fill(&s->a, &o, &e, NULL));
		near(e.cost, 0);
		near(rank_cost(&e), 2000);
	}
}

static void
of_time_work_and_parameters(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {{"time_s", 2e-6}, {"bytes / time_s", 5e11}, {"time_s * TILE", 8e-6},
		{"TILE", 4}, {"HALF + ON", 1.5}, {"1 if KIND == 'tree' else 2", 1},
		{"joules / bytes", 5e-7}, {"energy", 0.5}};
	struct scratch *s = *state;
	struct rank_entry e = entry(s);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct objective o = parsed(s, cases[i].text);
		near(objective_value(&s->a, &o, &e, e.median_ns, e.joules, NULL),
			cases[i].value);
	}
}

/* The interval is that of the time, also when less is made of more; or of the energy,
 * with its counter's error. */
static void
intervals(void **state)
{
	struct scratch *s = *state;
	struct rank_entry e = entry(s);
	struct objective o = parsed(s, "1 / time_s");

	assert_false(o.joules);
	assert_true(objective_fill(&s->a, &o, &e, NULL));
	near(e.cost, 5e5);
	near(e.cost_low, 2.5e5);
	near(e.cost_high, 1e6);
	o = parsed(s, "energy");
	assert_true(o.joules);
	assert_true(objective_fill(&s->a, &o, &e, NULL));
	near(e.cost, 0.5);
	near(e.cost_low, 0.4);
	near(e.cost_high, 0.6);
}

/* Energy is known of finalists only: the others have no cost, and that is no mistake. */
static void
unknown_energy(void **state)
{
	struct scratch *s = *state;
	struct rank_entry e = entry(s);
	struct objective o = parsed(s, "joules * time_s");

	e.joules = (double)NAN;
	assert_true(objective_fill(&s->a, &o, &e, NULL));
	near(e.cost, 0);
	near(rank_cost(&e), 2000);
}

static void
without_a_value(void **state)
{
	static const char *const texts[] = {"TILE - 4", "time_s - 1", "KIND", "flops",
		"1 / (TILE - 4)", "NOBODY", "2 ** 62 * TILE"};
	struct scratch *s = *state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct objective o = parsed(s, texts[i]);
		struct rank_entry e = entry(s);
		struct str why = {0};
		assert_false(objective_fill(&s->a, &o, &e, &why));
		assert_true(why.n > 0);
		near(e.cost, 0);
	}
}

static void
no_expression(void **state)
{
	struct scratch *s = *state;
	FILE *nowhere = fopen("/dev/null", "w");
	struct diag d = {.to = nowhere};
	struct objective o;

	assert_false(objective_parse(&s->a, STR_LIT("time_s +"), &o, &d));
	assert_int_equal(d.errors, 1);
	fclose(nowhere);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(time_is_no_expression),
		scratch_test(of_time_work_and_parameters),
		scratch_test(intervals),
		scratch_test(unknown_energy),
		scratch_test(without_a_value),
		scratch_test(no_expression),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
