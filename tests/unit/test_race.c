#include "captured.h"

#include "perf/bracket.h"
#include "perf/race.h"

#include <math.h>

static bool
near(double x, double y)
{
	return fabs(x - y) <= 1e-12 * fabs(y);
}

static void
room_grows_with_drift(void **state)
{
	assert_true(race_room(3, 0, 1) == 0.05 && race_room(4, 0, 1) == 0.03);
	assert_true(race_room(3, 0.01, 1) == 0.05 && near(race_room(4, 0.011, 1), 0.033));
	assert_true(near(race_room(3, 0.02, 1), 0.06));
	assert_true(near(race_room(3, 0, 2), 0.1) && near(race_room(9, 0.02, 4), 0.24));
}

static void
only_the_fastest_reading_counts(void **state)
{
	static const double spikes[] = {900, 104, 5000, 700};
	static const double slow[] = {107, 106, 109, 108};

	assert_false(race_out(spikes, 3, 100, 0, 1));
	assert_true(race_out(slow, 3, 100, 0, 1));
	assert_false(race_out(slow, 3, 100, 0.02, 1)); /* not beyond 3 drifts */
	assert_false(race_out(slow, 3, 100, 0, 2));
}

static void
stricter_with_more_readings(void **state)
{
	static const double v[] = {104, 104, 104, 104};

	assert_false(race_out(v, 3, 100, 0, 1));
	assert_true(race_out(v, 4, 100, 0, 1));
	assert_false(race_out(v, 4, 101, 0, 1));
}

static void
nobody_is_out_early_or_alone(void **state)
{
	static const double v[] = {500, 500, 500};

	assert_false(race_out(v, 0, 100, 0, 1) || race_out(v, 2, 100, 0, 1));
	assert_false(race_out(v, 3, 0, 0, 1) || race_out(v, 3, (double)NAN, 0, 1));
	assert_false(
		race_out(v, 3, 100, (double)INFINITY, 1)); /* the bracket is broken */
	assert_true(race_out(v, 3, 100, 0, 1));
}

static void
drift_and_its_classes(void **state)
{
	struct bracket b = {.before_ns = 200, .after_ns = 199};

	assert_true(near(bracket_drift(&b), 0.005));
	b.after_ns = 204;
	assert_true(near(bracket_drift(&b), 0.02));
	assert_int_equal(bracket_class(0), BRACKET_IS_STABLE);
	assert_int_equal(bracket_class(0.005), BRACKET_IS_STABLE);
	assert_int_equal(bracket_class(0.0051), BRACKET_IS_CAUTION);
	assert_int_equal(bracket_class(0.02), BRACKET_IS_CAUTION);
	assert_int_equal(bracket_class(0.021), BRACKET_IS_UNSTABLE);
	assert_string_equal(bracket_class_name(BRACKET_IS_CAUTION), "caution");
}

static void
a_bracket_without_a_time_is_unstable(void **state)
{
	static const struct bracket broken[] = {
		{.before_ns = 0, .after_ns = 100},
		{.before_ns = 100, .after_ns = 0},
		{.before_ns = (double)NAN, .after_ns = 100},
		{.before_ns = 100, .after_ns = (double)INFINITY},
		{.before_ns = -100, .after_ns = -100},
		{.before_ns = -100, .after_ns = 100},
		{.before_ns = (double)INFINITY, .after_ns = 100},
	};

	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		assert_true(isinf(bracket_drift(&broken[i])));
	assert_int_equal(bracket_class((double)INFINITY), BRACKET_IS_UNSTABLE);
}

static void
normalised_along_the_line(void **state)
{
	struct bracket b = {
		.before_ns = 100, .after_ns = 110, .before_at = 20, .after_at = 30};

	assert_true(bracket_anchor(&b, 20) == 100 && bracket_anchor(&b, 30) == 110);
	assert_true(near(bracket_anchor(&b, 25), 105));
	assert_true(bracket_anchor(&b, 0) == 100 && bracket_anchor(&b, 99) == 110);
	b.after_at = b.before_at;
	assert_true(bracket_anchor(&b, 20) == 100 && bracket_anchor(&b, 25) == 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_grows_with_drift),
		cmocka_unit_test(only_the_fastest_reading_counts),
		cmocka_unit_test(stricter_with_more_readings),
		cmocka_unit_test(nobody_is_out_early_or_alone),
		cmocka_unit_test(drift_and_its_classes),
		cmocka_unit_test(a_bracket_without_a_time_is_unstable),
		cmocka_unit_test(normalised_along_the_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
