#include "spec_text.h"

#include "model/space.h"

static struct buf
labels(struct captured *c, const struct space *s)
{
	struct buf b = {.a = &c->a};
	for (size_t i = 0; i < s->n; i++) {
		buf_addstr(&b, candidate_label(&c->a, s->kernel, &s->v[i]));
		buf_addf(&b, ":%x ", s->v[i].sizes);
	}
	return b;
}

static void
the_last_parameter_is_the_fastest(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": [3, 1]},"
			   "\"B\": {\"values\": [2, 1, 0]}}, \"constraints\": [\"A > "
			   "B\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	struct buf b = labels(c, s);
	assert_string_equal(buf_c(&b), "A=3,B=2:1 A=3,B=1:1 A=3,B=0:1 A=1,B=0:1 ");
	assert_true(s->raw == 6 && s->removed[0] == 2);
}

static void
constraints_on_sizes_are_judged_for_each(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": [1, 2, 4, 8]}},"
			   "\"sizes\": {\"s\": {\"n\": 6}, \"l\": {\"n\": 4}},"
			   "\"constraints\": [\"n % A == 0\", \"A > 1\"], \"launch\": "
			   "{\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	struct buf b = labels(c, s);
	assert_string_equal(buf_c(&b), "A=2:3 A=4:2 ");
	assert_int_equal(s->removed[0], 1);
	assert_int_equal(s->removed[1], 1);
}

static void
a_prefix_is_cut_off_early(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": {\"range\": [1, 100]}},"
			   "\"B\": {\"values\": {\"range\": [1, 1000]}}, \"C\": "
			   "{\"values\": {\"range\": [1, 4000]}},"
			   "\"D\": {\"values\": {\"range\": [1, 4000]}}},"
			   "\"constraints\": [\"A == 7\", \"B == A\", \"C == D\", \"C == "
			   "5\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	struct buf b = labels(c, s);
	assert_string_equal(buf_c(&b), "A=7,B=7,C=5,D=5:1 ");
	assert_true(s->raw == UINT64_C(1600000000000));
	assert_true(s->removed[0] == UINT64_C(99) * 1000 * 4000 * 4000);
}

static void
no_parameters_give_one_candidate(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"constraints\": [\"1 < 2\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_int_equal(s->n, 1);
	assert_non_null(space_find(&c->a, s, STR_LIT("default")));
}

static void
an_empty_space_says_why(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"A\": {\"values\": [1, 2, 3]}},"
		"\"constraints\": [\"A > 1\", \"A < 2\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	const char *said = captured_take(c);
	assert_non_null(strstr(said,
		"error: no candidate of 'k' satisfies its constraints (3 assignments)"));
	assert_non_null(strstr(said, "note: 'A > 1' removes 1"));
	assert_non_null(strstr(said, "note: 'A < 2' removes 2"));
	k = spec_of(c, "\"constraints\": [\"0\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "note: '0' removes 1");
}

static void
a_constraint_without_a_value_names_the_assignment(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"A\": {\"values\": [1]}, \"B\": {\"values\": [1, 0]}},"
		"\"sizes\": {\"s\": {\"n\": 6}}, \"constraints\": [\"(A + n) % B == "
		"0\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "constraint '(A + n) % B == 0' has no value at A=1,n=6,B=0: "
		       "division by zero");
}

static void
device_limits_need_a_device(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": [1, 200, 300]}},"
			   "\"constraints\": [\"A * 1024 <= device.max_shared\"], "
			   "\"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "'device.max_shared' needs a device: name one with --device");
	struct device dev;
	assert_true(device_of_cc(&c->a, 9, 0, &dev));
	const struct space *s = space_build(&c->a, k, &dev, &c->d);
	assert_non_null(s);
	assert_int_equal(s->n, 2);
}

static void
too_large_a_space_is_refused(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": {\"range\": [1, 2000]}},"
			   "\"B\": {\"values\": {\"range\": [1, 1001]}}}, \"launch\": "
			   "{\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c,
		"'k' has more than 2000000 candidates: add constraints or drop values");
}

static void
candidates_are_found_by_label_and_id(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c, "\"params\": {\"A\": {\"values\": [1, 2, "
					    "3]}}, \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_ptr_equal(space_find(&c->a, s, STR_LIT("A=2")), &s->v[1]);
	struct str id = candidate_id(&c->a, k, &s->v[2]);
	assert_ptr_equal(space_find(&c->a, s, id), &s->v[2]);
	assert_null(space_find(&c->a, s, STR_LIT("A=4")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(the_last_parameter_is_the_fastest),
		captured_test(constraints_on_sizes_are_judged_for_each),
		captured_test(a_prefix_is_cut_off_early),
		captured_test(no_parameters_give_one_candidate),
		captured_test(an_empty_space_says_why),
		captured_test(a_constraint_without_a_value_names_the_assignment),
		captured_test(device_limits_need_a_device),
		captured_test(too_large_a_space_is_refused),
		captured_test(candidates_are_found_by_label_and_id),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
