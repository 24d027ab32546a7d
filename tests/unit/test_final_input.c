#include "captured.h"

#include "perf/final_input.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3 };

static struct final_member
member(struct arena *a, const char *point, enum final_role role, double ns)
{
	struct final_member m = {.point = str_of(point), .role = role};

	m.visits = arena_news(a, 2 * ROUNDS, struct reading);
	for (size_t i = 0; i < 2 * ROUNDS; i++)
		m.visits[i].ns = ns + (double)i;
	return m;
}

/* The control stands before its twin; one candidate failed. */
static struct final_record
sample(struct arena *a)
{
	struct final_member *m = arena_news(a, 5, struct final_member);

	m[0] = member(a, "B=32@1M", FINAL_CONTROL, 100);
	m[1] = (struct final_member){.point = STR_LIT("B=64@1M"),
		.role = FINAL_CANDIDATE,
		.status = RESULT_HUNG};
	m[2] = member(a, "B=32@1M", FINAL_BASELINE, 200);
	m[3] = member(a, "B=16@1M", FINAL_CANDIDATE, 300);
	m[4] = member(a, "B=32@1M", FINAL_AUDIT, 400);
	return (struct final_record){.members = m, .n_members = 5, .n_rounds = ROUNDS};
}

static void
members_and_rounds_in_order(void **state)
{
	static const size_t record[] = {2, 3, 4, 0};
	static const double ns[] = {200, 300, 400, 100};
	struct captured *c = *state;
	struct final_record f = sample(&c->a);
	struct final_readings r;

	assert_null(final_input(&c->a, &f, 0.01, &r));
	assert_true(r.n_members == 4 && r.n_rounds == ROUNDS && r.margin == 0.01);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(r.members[i].record, record[i]);
		for (size_t k = 0; k < 2 * ROUNDS; k++)
			assert_true(r.ns[final_index(&r, k / 2, k % 2, i)] ==
				    ns[i] + (double)k);
	}
	assert_true(r.members[3].role == FINAL_CONTROL && r.members[3].of == 0);
	assert_true(str_is(r.members[1].label, "B=16@1M"));
	assert_int_equal(final_decide(&c->a, &r)->n_members, 4);
}

static void
a_void_visit_leaves_its_round_out(void **state)
{
	struct captured *c = *state;
	struct final_record f = sample(&c->a);
	struct final_readings r;

	f.members[3].visits[3].cause = READING_THROTTLED;
	assert_null(final_input(&c->a, &f, 0, &r));
	assert_int_equal(r.n_rounds, 2);
	assert_true(r.ns[final_index(&r, 0, 1, 0)] == 201);
	assert_true(r.ns[final_index(&r, 1, 0, 0)] == 204);
	f.members[2].visits[0].cause = f.members[2].visits[4].cause = READING_SHARED;
	assert_non_null(strstr(final_input(&c->a, &f, 0, &r), "rounds"));
}

static void
a_control_without_its_twin_is_none(void **state)
{
	struct captured *c = *state;
	struct final_record f = sample(&c->a);
	struct final_readings r;

	f.members[2].status = RESULT_CRASHED;
	assert_null(final_input(&c->a, &f, 0, &r));
	assert_true(r.n_members == 2 && r.members[0].record == 3);
	assert_false(final_decide(&c->a, &r)->control_exists);
	f.members[3].status = RESULT_CRASHED;
	assert_non_null(strstr(final_input(&c->a, &f, 0, &r), "has a candidate"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(members_and_rounds_in_order),
		captured_test(a_void_visit_leaves_its_round_out),
		captured_test(a_control_without_its_twin_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
