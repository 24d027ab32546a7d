/* What a search may spend, as people write it. */
#include "captured.h"

#include "model/budget.h"

static void
candidates_and_times_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum budget_kind kind;
		uint64_t candidates;
		double seconds;
	} good[] = {
		{"1", BUDGET_CANDIDATES, 1, 0},
		{"200", BUDGET_CANDIDATES, 200, 0},
		{"18446744073709551615", BUDGET_CANDIDATES, UINT64_MAX, 0},
		{"90s", BUDGET_WALL, 0, 90},
		{"10m", BUDGET_WALL, 0, 600},
		{"1.5h", BUDGET_WALL, 0, 5400},
		{"device:60s", BUDGET_DEVICE, 0, 60},
		{"device:2m", BUDGET_DEVICE, 0, 120},
	};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct budget b;
		if (!budget_parse(str_of(good[i].text), &b) || b.kind != good[i].kind ||
			b.candidates != good[i].candidates ||
			b.seconds != good[i].seconds || !str_is(b.text, good[i].text))
			fail_msg("'%s' is not taken for what it is", good[i].text);
	}
}

static void
what_is_neither_is_refused(void **state)
{
	static const char *const bad[] = {"", "0", "-1", "1.5", "s", "0s", "-3m", "10x",
		"10ms", "nan s", "infh", "1e10h", "device:", "device:60", "device:s",
		"device:0s", "Device:60s", "60s device", "18446744073709551616"};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct budget b;
		if (budget_parse(str_of(bad[i]), &b))
			fail_msg("'%s' is taken", bad[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(candidates_and_times_are_told_apart),
		cmocka_unit_test(what_is_neither_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
