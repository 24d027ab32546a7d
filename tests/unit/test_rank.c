#include "captured.h"

#include "perf/rank.h"

#include <math.h>

static struct rank_entry
entry(const char *id, double low, double median, double high)
{
	return (struct rank_entry){.candidate = str_of(id),
		.label = str_of(id),
		.id = str_of(id),
		.median_ns = median,
		.low_ns = low,
		.high_ns = high,
		.registers = 32,
		.threads = 128,
		.verified = true,
		.off_baseline = 1};
}

static const char *
champion(const struct rank_entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].champion)
			return v[i].id.s;
	return "none";
}

static void
orders_by_median(void **state)
{
	struct rank_entry v[] = {entry("b", 190, 200, 210), entry("c", 290, 300, 310),
		entry("a", 98, 100, 102)};

	rank_order(v, 3);
	assert_string_equal(v[0].id.s, "a");
	assert_string_equal(v[2].id.s, "c");
	assert_true(v[0].champion && v[0].tie && !v[1].tie && !v[2].tie);
	rank_order(v, 0);
}

static void
touching_intervals_tie(void **state)
{
	struct rank_entry x = entry("x", 95, 100, 105), y = entry("y", 105, 110, 115);

	assert_true(rank_tie(&x, &y) && rank_tie(&y, &x));
	assert_false(rank_faster(&x, &y));
	y.low_ns = 105.01;
	assert_false(rank_tie(&x, &y) || rank_tie(&y, &x));
	assert_true(rank_faster(&x, &y));
	assert_false(rank_faster(&y, &x));
}

/* However sharp the intervals: half a percent is no win. */
static void
margin(void **state)
{
	struct rank_entry x = entry("x", 99.9, 100, 100.1),
			  y = entry("y", 100.3, 100.4, 100.7);

	assert_true(rank_tie(&x, &y));
	y.median_ns = 100.6;
	assert_false(rank_tie(&x, &y));
}

static void
no_interval_is_a_wide_one(void **state)
{
	struct rank_entry x = entry("x", (double)NAN, 100, (double)NAN), y = x;

	y.median_ns = 109;
	assert_true(rank_tie(&x, &y));
	y.median_ns = 112;
	assert_false(rank_tie(&x, &y));
	/* Estimates have no noise: only the margin counts. */
	x.kind = y.kind = RESULT_ESTIMATED;
	y.median_ns = 101;
	assert_false(rank_tie(&x, &y));
}

/* Each step of the preference among ties, the earlier ones held equal. */
static void
preference(void **state)
{
	struct rank_entry v[2];

#define PREFERS_SECOND(change_first) \
	v[0] = entry("a", 95, 100, 105); \
	v[1] = entry("b", 96, 101, 106); \
	change_first; \
	rank_order(v, 2); \
	assert_true(v[0].tie &&v[1].tie); \
	assert_string_equal(champion(v, 2), "b")

	PREFERS_SECOND(v[0].verdict = VERDICT_CAVEAT);
	PREFERS_SECOND(v[0].verified = false);
	PREFERS_SECOND(v[0].spill_bytes = 8);
	PREFERS_SECOND(v[0].registers = 33);
	PREFERS_SECOND(v[0].threads = 129);
	PREFERS_SECOND(v[0].shared_bytes = 4);
	PREFERS_SECOND(v[0].off_baseline = 2);
	PREFERS_SECOND(v[0].id = STR_LIT("c"));
	PREFERS_SECOND(v[0].registers = -1);
#undef PREFERS_SECOND
	v[0] = entry("a", 95, 100, 105);
	v[1] = entry("b", 96, 101, 106);
	v[0].registers = 40;
	v[0].shared_bytes = 0;
	v[1].registers = 32;
	v[1].shared_bytes = 128 * 4 * 8 + 1; /* more than the registers saved */
	rank_order(v, 2);
	assert_string_equal(champion(v, 2), "a");
}

/* The choice among ties does not depend on the order in which they come. */
static void
deterministic(void **state)
{
	struct rank_entry v[] = {entry("d", 99, 100, 101), entry("b", 99, 100, 101),
		entry("c", 99, 100, 101), entry("a", 99, 100, 101)};

	for (int turn = 0; turn < 4; turn++) {
		struct rank_entry first = v[0];
		memmove(v, v + 1, 3 * sizeof *v);
		v[3] = first;
		rank_order(v, 4);
		assert_string_equal(champion(v, 4), "a");
		for (int i = 0; i < 4; i++)
			assert_int_equal(v[i].id.s[0], 'a' + i);
	}
}

static void
speedup(void **state)
{
	struct rank_entry v[] = {entry("a", 95, 100, 105), entry("b", 190, 200, 210)};
	struct rank_size s = {.v = v, .n_ranked = 2};

	rank_order(v, 2);
	rank_speedup(&s);
	assert_true(isnan(s.speedup));
	v[1].baseline = true;
	rank_speedup(&s);
	assert_true(s.speedup == 2 && s.speedup_low == 190.0 / 105 &&
		    s.speedup_high == 210.0 / 95);
	v[1].status = RESULT_WRONG;
	rank_speedup(&s);
	assert_true(isnan(s.speedup));
}

static void
exit_status(void **state)
{
	struct rank_entry v[] = {entry("a", 95, 100, 105), entry("r", 40, 50, 60)};
	struct rank_size s = {.v = v, .n_ranked = 1, .n_refused = 1};
	struct ranking r = {.sizes = &s, .n_sizes = 1}, *all[] = {&r};

	assert_int_equal(rank_exit_status(all, 1), EXIT_YES);
	v[1].faster = true; /* by estimate only */
	assert_int_equal(rank_exit_status(all, 1), EXIT_YES);
	v[1].unsafe = true;
	assert_int_equal(rank_exit_status(all, 1), EXIT_NO);
	s.kind = RESULT_ESTIMATED;
	assert_int_equal(rank_exit_status(all, 1), EXIT_YES);
	s.n_ranked = 0;
	s.n_failed = 1;
	assert_int_equal(rank_exit_status(all, 1), EXIT_UNSURE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_by_median),
		cmocka_unit_test(touching_intervals_tie),
		cmocka_unit_test(margin),
		cmocka_unit_test(no_interval_is_a_wide_one),
		cmocka_unit_test(preference),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(speedup),
		cmocka_unit_test(exit_status),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
