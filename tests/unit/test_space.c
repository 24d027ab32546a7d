#include "spec_text.h"

#include "model/candidate_text.h"
#include "space/space.h"

#include <inttypes.h>

static const char *
labels(struct captured *c, const struct space *s)
{
	struct buf b = {.a = &c->a};
	const struct candidate *v = space_candidates(&c->a, s);
	for (size_t i = 0; i < s->count; i++) {
		buf_addstr(&b, candidate_label(&c->a, s->kernel, &v[i]));
		buf_addf(&b, ":%x ", v[i].sizes);
	}
	return buf_c(&b);
}

static const struct space_why *
explain(struct captured *c, const struct kernel *k)
{
	struct space_ask ask = {0};
	const struct space_why *w = space_explain(&c->a, k, &ask, &c->d);
	assert_non_null(w);
	return w;
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
	assert_string_equal(labels(c, s), "A=3,B=2:1 A=3,B=1:1 A=3,B=0:1 A=1,B=0:1 ");
	assert_true(s->raw == 6 && explain(c, k)->removed[0] == 2);
}

/* A and C are one part, B and D another: the order is still that of the spec. */
static void
parts_may_interleave(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"A\": {\"values\": [1, 2]}, \"B\": {\"values\": [1, 2]},"
		"\"C\": {\"values\": [1, 2]}, \"D\": {\"values\": [1, 2]}},"
		"\"constraints\": [\"A >= C\", \"B <= D\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_int_equal(s->n_parts, 2);
	assert_string_equal(labels(c, s),
		"A=1,B=1,C=1,D=1:1 A=1,B=1,C=1,D=2:1 A=1,B=2,C=1,D=2:1 "
		"A=2,B=1,C=1,D=1:1 A=2,B=1,C=1,D=2:1 A=2,B=1,C=2,D=1:1 "
		"A=2,B=1,C=2,D=2:1 A=2,B=2,C=1,D=2:1 A=2,B=2,C=2,D=2:1 ");
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
	assert_string_equal(labels(c, s), "A=2:3 A=4:2 ");
	const struct space_why *w = explain(c, k);
	assert_true(w->removed[0] == 1 && w->removed[1] == 1);
	assert_true(w->broken[0] == 1 && w->broken[1] == 1);
	assert_true(w->without[0] == 3 && w->without[1] == 3);
	assert_true(space_points(s, 0) == 1 && space_points(s, 1) == 2);
}

/* What two constraints say of a size, they say together. */
static void
sizes_tie_parameters_together(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": [2, 3]}, \"B\": "
			   "{\"values\": [2, 3]}}, \"sizes\": {\"s\": {\"n\": 4}, \"l\": "
			   "{\"n\": 9}}, \"constraints\": [\"n % A == 0\", \"n % B == "
			   "0\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_string_equal(labels(c, s), "A=2,B=2:1 A=3,B=3:2 ");
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
	assert_string_equal(labels(c, s), "A=7,B=7,C=5,D=5:1 ");
	assert_true(s->raw == UINT64_C(1600000000000));
	assert_true(explain(c, k)->removed[0] == UINT64_C(99) * 1000 * 4000 * 4000);
}

static void
no_parameters_give_one_candidate(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"constraints\": [\"1 < 2\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_string_equal(labels(c, s), "default:1 ");
	assert_int_equal(space_specializations(s), 1);
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
	assert_non_null(
		strstr(said, "note: 'A > 1' removes 1; without it 1 would be left"));
	assert_non_null(
		strstr(said, "note: 'A < 2' removes 2; without it 2 would be left"));
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
	k = spec_of(c, "\"constraints\": [\"2 ** 63 > 1\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "constraint '2 ** 63 > 1' has no value: integer overflow");
	k = spec_of(c, "\"params\": {\"S\": {\"values\": [\"a\", \"b\"]}}, "
		       "\"constraints\": [\"S < 1\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "'S < 1' has no value at S=a: cannot compare a string with a "
		       "number");
}

/* Whichever is written first, and also when they have no parameter in common. */
static void
what_another_constraint_removes_needs_no_value(void **state)
{
	static const char *const rules[] = {"\"12 % A == 0\", \"A > 0\"",
		"\"A > 0\", \"12 % A == 0\"", "\"12 % A == B - B\", \"A > B - B\"",
		"\"12 % A == 0 and B > 0\", \"A * B != 0\""};
	struct captured *c = *state;
	for (size_t i = 0; i < 4; i++) {
		const char *text = str_fmt(&c->a,
			"\"params\": {\"A\": {\"values\": [0, 1, 5]}, \"B\": "
			"{\"values\": [1, 2]}}, \"constraints\": [%s], \"launch\": "
			"{\"block\": 1}",
			rules[i])
					   .s;
		const struct space *s = space_build(&c->a, spec_of(c, text), NULL, &c->d);
		assert_non_null(s);
		assert_string_equal(labels(c, s), "A=1,B=1:1 A=1,B=2:1 ");
	}
	const struct kernel *k = spec_of(c, "\"params\": {\"A\": {\"values\": [0, 1]}, "
					    "\"B\": {\"values\": [1, 2]}}, "
					    "\"constraints\": [\"1 % A == 0\", \"B > "
					    "2\"], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, k, NULL, &c->d));
	assert_says(c, "no candidate of 'k' satisfies its constraints (4 assignments)");
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
	assert_int_equal(s->count, 2);
}

/* 4096^6 does not fit: still candidates can be named. */
static void
a_space_of_any_size_has_an_order(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	uint16_t choice[6];
	uint64_t at;
	buf_adds(&b, "\"params\": {");
	for (int i = 0; i < 6; i++)
		buf_addf(&b, "%s\"P%d\": {\"values\": {\"range\": [1, 4096]}}",
			i ? ", " : "", i);
	buf_adds(&b, "}, \"launch\": {\"block\": 1}");
	const struct kernel *k = spec_of(c, buf_c(&b));
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_true(s->count == SPACE_MANY && s->raw == SPACE_MANY);
	assert_int_equal(space_nth(s, UINT64_C(1234567890123456789), choice), 1);
	assert_int_equal(space_find(s, choice, &at), 1);
	assert_true(at == UINT64_C(1234567890123456789));
	choice[0] = 4095;
	assert_int_equal(space_find(s, choice, &at), 1);
	assert_true(at == SPACE_MANY);
}

static void
too_entangled_a_space_is_refused(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	buf_adds(&b, "\"params\": {");
	for (int i = 0; i < 12; i++)
		buf_addf(&b, "%s\"P%d\": {\"values\": {\"range\": [1, 100]}}",
			i ? ", " : "", i);
	buf_adds(&b, "}, \"constraints\": [\"");
	for (int i = 0; i < 12; i++)
		buf_addf(&b, "%sP%d * P%d", i ? " + " : "", i, (i * 5 + 7) % 12);
	buf_adds(&b, " == 77777\"], \"launch\": {\"block\": 1}");
	struct space_ask ask = {.steps = 1000000};
	assert_null(space_ask(&c->a, spec_of(c, buf_c(&b)), &ask, &c->d));
	assert_says(c, "the space of 'k' is too large to count: its constraints tie P0, "
		       "P1, ");
}

/* Sums that differ at every size take more operations than there may be. */
static void
too_long_constraints_are_refused(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	buf_adds(&b, "\"params\": {\"A\": {\"values\": [1, 2]}, \"B\": {\"values\": [1, "
		     "2]}}, \"sizes\": {");
	for (int i = 0; i < 32; i++)
		buf_addf(&b, "%s\"s%d\": {\"n\": %d}", i ? ", " : "", i, i + 5);
	buf_adds(&b, "}, \"constraints\": [");
	for (int i = 0; i < 60; i++) {
		buf_addf(&b, "%s\"%d < n", i ? ", " : "", -i);
		for (int j = 0; j < 400; j++)
			buf_addf(&b, " - %s / %d", j % 2 ? "A" : "B", i + 3);
		buf_adds(&b, "\"");
	}
	buf_adds(&b, "], \"launch\": {\"block\": 1}");
	assert_null(space_build(&c->a, spec_of(c, buf_c(&b)), NULL, &c->d));
	assert_says(c, "the constraints up to this one are too long together: shorten "
		       "them, or write fewer sizes");
}

/* Written in an order in which all of A0 to A3 must be remembered up to the B's. */
static const struct kernel *
far_apart(struct captured *c)
{
	struct buf b = {.a = &c->a};
	buf_adds(&b, "\"params\": {");
	for (int i = 0; i < 4; i++)
		buf_addf(&b, "%s\"A%d\": {\"values\": {\"range\": [1, 14]}}",
			i ? ", " : "", i);
	for (int i = 0; i < 4; i++)
		buf_addf(&b, ", \"B%d\": {\"values\": {\"range\": [1, 14]}}", i);
	buf_adds(&b, "}, \"constraints\": [");
	for (int i = 0; i < 4; i++)
		buf_addf(&b, "\"A%d %% B%d == 0\", ", i, i);
	buf_adds(&b, "\"B0 + B1 + B2 + B3 <= 40\"], \"launch\": {\"block\": 1}");
	return spec_of(c, buf_c(&b));
}

/* How many candidates are before one: those that first differ from it by a lower value.
 */
static uint64_t
count_before(struct captured *c, const struct kernel *k, const uint16_t *choice)
{
	long only[SPEC_PARAMS_MAX];
	struct space_ask ask = {.only = only};
	uint64_t n = 0;
	for (size_t i = 0; i < k->n_params; i++)
		only[i] = -1;
	for (size_t i = 0; i < k->n_params; only[i] = choice[i], i++)
		for (uint16_t v = 0; v < choice[i]; v++) {
			only[i] = v;
			n += space_ask(&c->a, k, &ask, &c->d)->count;
		}
	return n;
}

static void
places_do_not_depend_on_the_order_of_counting(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = far_apart(c);
	struct space_ask ask = {.steps = 200000};
	const struct space *s = space_ask(&c->a, k, &ask, &c->d);
	const struct space *slow = space_build(&c->a, k, NULL, &c->d);
	uint16_t choice[SPEC_PARAMS_MAX], same[SPEC_PARAMS_MAX];
	assert_non_null(s);
	assert_non_null(slow);
	assert_true(s->count == slow->count && s->count > SPACE_CANDIDATES_MAX);
	for (uint64_t i = 0; i < s->count; i += s->count / 7) {
		uint64_t at = 0;
		assert_int_equal(space_nth(s, i, choice), 1);
		assert_int_equal(space_nth(slow, i, same), 1);
		assert_memory_equal(choice, same, k->n_params * sizeof *choice);
		assert_int_equal(space_find(s, choice, &at), 1);
		assert_true(at == i && count_before(c, k, choice) == i);
	}
	struct space_walk w, v;
	space_walk_start(&w, s);
	space_walk_start(&v, slow);
	assert_true(w.unordered && !v.unordered);
	for (int i = 0; i < 300; i++) {
		assert_true(space_next(&w) && space_next(&v));
		assert_memory_equal(w.choice, v.choice, k->n_params * sizeof *choice);
		assert_true(!i || w.changed == v.changed);
	}
}

static void
candidates_have_places(void **state)
{
	struct captured *c = *state;
	uint64_t at;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"A\": {\"values\": [1, 2, 3]}, \"B\": "
			   "{\"values\": [5]}}, \"constraints\": [\"A != 2\"], "
			   "\"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_int_equal(space_find(s, (uint16_t[]){2, 0}, &at), 1);
	assert_int_equal(at, 1);
	assert_int_equal(space_find(s, (uint16_t[]){1, 0}, &at), 0);
	assert_int_equal(space_find(s, (uint16_t[]){2, 1}, NULL), 0);
}

static void
neighbours_differ_in_one_parameter(void **state)
{
	struct captured *c = *state;
	size_t n;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"A\": {\"values\": [1, 2, 3, 4, 5]}, \"B\": {\"values\": "
		"[1, 2]}}, \"constraints\": [\"A != 2\", \"A != 5 or B == 2\"], "
		"\"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	const uint16_t from[] = {2, 0};
	const struct candidate *v = space_neighbours(&c->a, s, from, SPACE_ANY_VALUE, &n);
	assert_int_equal(n, 3);
	assert_string_equal(candidate_label(&c->a, k, &v[0]).s, "A=1,B=1");
	assert_string_equal(candidate_label(&c->a, k, &v[1]).s, "A=4,B=1");
	assert_string_equal(candidate_label(&c->a, k, &v[2]).s, "A=3,B=2");
	const uint16_t low[] = {0, 1};
	v = space_neighbours(&c->a, s, low, SPACE_NEXT_VALUE, &n);
	assert_int_equal(n, 2);
	assert_string_equal(candidate_label(&c->a, k, &v[0]).s, "A=3,B=2");
	assert_string_equal(candidate_label(&c->a, k, &v[1]).s, "A=1,B=1");
}

/* The compiler sees A and C: B decides only whether there is one. */
static void
specializations_are_counted_without_launch_parameters(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"A\": {\"values\": [1, 2, 3]}, \"B\": {\"values\": [1, 2, "
		"3], \"role\": \"launch\"}, \"C\": {\"values\": [1, 2, 3]}},"
		"\"constraints\": [\"A < B\", \"B < C\"], \"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_int_equal(s->count, 1);
	assert_int_equal(space_specializations(s), 1);
	k = spec_of(c,
		"\"params\": {\"B\": {\"values\": [1, 2, 3], \"role\": \"launch\"}, "
		"\"A\": {\"values\": [1, 2, 3]}, \"C\": {\"values\": [1, 2]}},"
		"\"constraints\": [\"A <= B\"], \"launch\": {\"block\": 1}");
	s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	assert_int_equal(s->count, 12);
	assert_int_equal(space_specializations(s), 6);
}

static void
texts_of_many_are_those_of_one(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"params\": {\"Z\": {\"values\": [8, 9, 10, 11]}, \"A\": {\"values\": "
		"[1.0, 0.25]}, \"M\": {\"values\": [\"tree\", \"up\"]}, \"B\": "
		"{\"values\": [true, false]}}, \"constraints\": [\"Z > 8 or A < 1\"], "
		"\"launch\": {\"block\": 1}");
	const struct space *s = space_build(&c->a, k, NULL, &c->d);
	assert_non_null(s);
	struct candidate_text *label = candidate_text_new(&c->a, k, CANDIDATE_LABEL);
	struct candidate_text *id = candidate_text_new(&c->a, k, CANDIDATE_ID);
	struct space_walk w;
	size_t n = 0;
	for (space_walk_start(&w, s); space_next(&w); n++) {
		struct candidate one = {w.choice, w.sizes};
		struct str text = candidate_text_label(label, w.choice, w.changed);
		uint64_t number = candidate_text_id(id, w.choice, w.changed);
		assert_true(str_eq(text, candidate_label(&c->a, k, &one)));
		assert_true(str_eq(str_fmt(&c->a, "%016" PRIx64, number),
			candidate_id(&c->a, k, &one)));
	}
	assert_int_equal(n, 28);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(the_last_parameter_is_the_fastest),
		captured_test(parts_may_interleave),
		captured_test(constraints_on_sizes_are_judged_for_each),
		captured_test(sizes_tie_parameters_together),
		captured_test(a_prefix_is_cut_off_early),
		captured_test(no_parameters_give_one_candidate),
		captured_test(an_empty_space_says_why),
		captured_test(a_constraint_without_a_value_names_the_assignment),
		captured_test(what_another_constraint_removes_needs_no_value),
		captured_test(device_limits_need_a_device),
		captured_test(a_space_of_any_size_has_an_order),
		captured_test(too_entangled_a_space_is_refused),
		captured_test(too_long_constraints_are_refused),
		captured_test(places_do_not_depend_on_the_order_of_counting),
		captured_test(candidates_have_places),
		captured_test(neighbours_differ_in_one_parameter),
		captured_test(specializations_are_counted_without_launch_parameters),
		captured_test(texts_of_many_are_those_of_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
