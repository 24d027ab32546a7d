/* Simulation: the baseline by counting, the score at its ends. */
#include "captured.h"

#include "search/simulate.h"

#include <math.h>

/* A recorded space of one parameter 0..n-1 with these times; 0: failed, below: refused.
 */
static struct recorded *
record(struct captured *c, const double *ms, size_t n)
{
	struct buf b = {.a = &c->a};
	buf_adds(&b, "{\"kernel_name\": \"k\", \"tune_params_keys\": [\"x\"], "
		     "\"tune_params\": {\"x\": [");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%d", i ? "," : "", (int)i);
	buf_adds(&b, "]}, \"cache\": {");
	for (size_t i = 0; i < n; i++) {
		buf_addf(&b, "\"%d\": {\"x\": %d, ", (int)i, (int)i);
		if (ms[i] > 0)
			buf_addf(&b, "\"time\": %.17g},", ms[i]);
		else
			buf_addf(&b, "\"__error__\": \"%s\"},",
				ms[i] < 0 ? "InvalidConfig" : "RuntimeFailedConfig");
	}
	struct recorded *r = recorded_parse(
		&c->a, captured_source(c, buf_c(&b)), (struct str){0}, &c->d);
	if (!r)
		fail_msg("%s", captured_take(c));
	return r;
}

static struct simulation
run(struct captured *c, const struct recorded *r, const char *name, uint64_t budget,
	size_t seeds)
{
	const struct strategy **v = arena_new(&c->a, const struct strategy *);
	*v = strategy_find(str_of(name));
	struct simulate_ask ask = {r, v, 1, budget, seeds, 1, 1};
	return simulate(&c->a, &ask);
}

/* The mean of the smallest of all subsets of 3 out of 6. */
static void
the_random_curve_is_the_mean_over_all_subsets(void **state)
{
	static const double ms[] = {5, 1, 0, 9, -1, 2, 4};
	static const double counted[] = {5, 1, 9, 9, 2, 4}; /* failed: the worst */
	struct captured *c = *state;
	struct simulation s = run(c, record(c, ms, 7), "random", 6, 2);
	double sum = 0, n = 0;
	for (int i = 0; i < 6; i++)
		for (int j = i + 1; j < 6; j++)
			for (int k = j + 1; k < 6; k++) {
				sum += fmin(counted[i], fmin(counted[j], counted[k]));
				n++;
			}
	assert_true(fabs(s.random_ms[2] - sum / n) < 1e-12);
	assert_true(fabs(s.random_ms[0] - 5) < 1e-12);
	assert_true(fabs(s.random_ms[5] - 1) < 1e-12);
	assert_int_equal(s.n_timed, 5);
	assert_int_equal(s.n_failed, 1);
	assert_int_equal(s.n_refused, 1);
	assert_true(s.random_near == 3.5);
}

static void
the_score_of_random_is_nothing(void **state)
{
	struct captured *c = *state;
	double ms[200];
	for (size_t i = 0; i < 200; i++)
		ms[i] = 1 + (double)(i * 37 % 200) / 50;
	struct simulation s = run(c, record(c, ms, 200), "random", 0, 2000);
	assert_true(fabs(s.curves[0].score) < 0.02);
	assert_true(s.ask.budget > 5 && s.ask.budget < 100);
}

/* Exhaustive search has the optimum at once when it comes first, and last when last. */
static void
the_score_has_two_ends(void **state)
{
	struct captured *c = *state;
	double up[50], down[50];
	for (int i = 0; i < 50; i++) {
		up[i] = 1 + i;
		down[i] = 50 - i;
	}
	struct simulation s = run(c, record(c, up, 50), "exhaustive", 20, 3);
	assert_true(s.curves[0].score == 1 && s.curves[0].near == 1);
	assert_int_equal(s.curves[0].n_near, 3);
	s = run(c, record(c, down, 50), "exhaustive", 20, 3);
	assert_true(s.curves[0].score < 0 && s.curves[0].near == 20);
	assert_int_equal(s.curves[0].n_near, 0);
}

static void
equal_seeds_give_equal_text(void **state)
{
	struct captured *c = *state;
	double ms[60];
	for (size_t i = 0; i < 60; i++)
		ms[i] = i % 7 ? 1 + (double)(i * 31 % 60) : 0;
	const struct recorded *r = record(c, ms, 60);
	struct simulation s = run(c, r, "auto", 0, 5), t = run(c, r, "auto", 0, 5);
	assert_true(str_eq(simulation_text(&c->a, &s), simulation_text(&c->a, &t)));
	struct str json = simulation_json(&c->a, &s);
	assert_true(str_eq(json, simulation_json(&c->a, &t)));
	assert_non_null(json_parse(&c->a, captured_source(c, json.s), &c->d));
}

static void
one_candidate_is_enough(void **state)
{
	static const double ms[] = {3};
	struct captured *c = *state;
	struct simulation s = run(c, record(c, ms, 1), "auto", 0, 1);
	assert_int_equal(s.ask.budget, 1);
	assert_true(s.curves[0].best_ms[0] == 3);
	assert_true(simulation_text(&c->a, &s).n > 0);
}

/* Where all is within a percent, too. */
static void
the_axis_names_each_row_once(void **state)
{
	struct captured *c = *state;
	double ms[40];
	struct str text, line, last = {0};
	size_t rows = 0;

	for (size_t i = 0; i < 40; i++)
		ms[i] = 1 + 0.0001 * (double)i;
	struct simulation s = run(c, record(c, ms, 40), "auto", 0, 3);
	text = simulation_text(&c->a, &s);
	while (str_line(&text, &line)) {
		size_t bar = str_find(line, '|');
		if (bar == line.n)
			continue;
		line = str_sub(line, 0, bar);
		assert_false(str_eq(line, last));
		last = line;
		rows++;
	}
	assert_int_equal(rows, 12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(the_random_curve_is_the_mean_over_all_subsets),
		captured_test(the_score_of_random_is_nothing),
		captured_test(the_score_has_two_ends),
		captured_test(equal_seeds_give_equal_text),
		captured_test(one_candidate_is_enough),
		captured_test(the_axis_names_each_row_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
