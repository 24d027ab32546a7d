#include "captured.h"

#include "model/record.h"

static struct record
record_of(struct captured *c, const char *text)
{
	return record_open(
		json_parse(&c->a, captured_source(c, text), &c->d), NULL, &c->d);
}

static const char text[] =
	"{\"a\": 1, \"b\": \"x\", \"c\": null, \"d\": [2], \"e\": true}";

static void
members_are_found_in_any_order(void **state)
{
	static const char orders[][5] = {"abcde", "edcba", "cabed", "dbeac", "aabbc"};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		struct record r = record_of(c, text);
		for (int k = 0; k < 5; k++)
			switch (orders[i][k]) {
			case 'a': assert_int_equal(record_i64(&r, "a", 0, 9), 1); break;
			case 'b': assert_true(str_is(record_str(&r, "b"), "x")); break;
			case 'c': assert_true(record_f64(&r, "c") != 0); break;
			case 'd':
				assert_non_null(record_array(&r, "d", JSON_NUMBER));
				break;
			default: assert_true(record_bool(&r, "e"));
			}
		assert_true(r.ok);
	}
}

static void
the_first_that_is_wrong_is_told(void **state)
{
	struct captured *c = *state;
	struct record r = record_of(c, text);
	record_bool(&r, "e");
	assert_int_equal(record_i64(&r, "b", -1, 9), -1);
	assert_false(r.ok);
	assert_says(c, "'b' must be a number, not a string");
	assert_int_equal(record_str(&r, "b").n, 0);
	r = record_of(c, text);
	record_f64(&r, "a");
	record_f64(&r, "f");
	assert_false(r.ok);
	assert_says(c, "'f' is missing");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(members_are_found_in_any_order),
		captured_test(the_first_that_is_wrong_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
