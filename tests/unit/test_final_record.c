#include "captured.h"

#include "model/final_record.h"

#include <math.h>

static struct reading visits[] = {{.ns = 100, .sm_mhz = 1980}, {.ns = 101},
	{.ns = 99, .cause = READING_THROTTLED, .reasons = 8}, {.ns = 100.5}};

static struct final_record
sample(struct arena *a)
{
	struct final_member *m = arena_news(a, 2, struct final_member);

	m[0] = (struct final_member){.point = STR_LIT("B=32@1M"),
		.role = FINAL_CANDIDATE,
		.visits = visits,
		.joules = 0.5,
		.joules_error = 0.01};
	m[1] = (struct final_member){.point = STR_LIT("B=64@1M"),
		.role = FINAL_AUDIT,
		.status = RESULT_HUNG,
		.reason = STR_LIT("the deadline passed"),
		.joules = (double)NAN,
		.joules_error = (double)NAN};
	return (struct final_record){.kernel = STR_LIT("reduce"),
		.size = STR_LIT("1M"),
		.launch = LAUNCH_GRAPH,
		.cache = CACHE_WARM,
		.seed = UINT64_MAX,
		.members = m,
		.n_members = 2,
		.n_rounds = 2,
		.device = STR_LIT("NVIDIA H200")};
}

static struct final_record *
read_back(struct captured *c, struct str text)
{
	struct source *src = arena_new(&c->a, struct source);

	*src = (struct source){"final.json", text};
	return final_record_read(&c->a, json_parse(&c->a, src, &c->d), &c->d);
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct final_record f = sample(&c->a), *back;
	struct str text = final_record_write(&c->a, &f);

	back = read_back(c, text);
	assert_non_null(back);
	assert_int_equal(back->n_members, 2);
	assert_true(back->seed == UINT64_MAX && back->launch == LAUNCH_GRAPH);
	assert_true(back->members[0].visits[3].ns == 100.5);
	assert_int_equal(back->members[0].visits[2].cause, READING_THROTTLED);
	assert_int_equal(back->members[1].status, RESULT_HUNG);
	assert_null(back->members[1].visits);
	assert_true(str_eq(final_record_write(&c->a, back), text));
}

/* One word for another of the same length. */
static struct str
with(struct captured *c, struct str text, const char *old, const char *new)
{
	char *copy = arena_copy(&c->a, text.s, text.n);
	char *at = strstr(copy, old);

	assert_non_null(at);
	memcpy(at, new, strlen(new));
	return (struct str){copy, text.n};
}

/* A damaged file must not pass for a comparison. */
static void
damaged(void **state)
{
	struct captured *c = *state;
	struct final_record f = sample(&c->a);
	struct str text = final_record_write(&c->a, &f);

	assert_null(read_back(c, with(c, text, "\"rounds\": 2", "\"rounds\": 1")));
	assert_says(c, "two readings a round");
	assert_null(read_back(c, with(c, text, "\"audit\"", "\"judge\"")));
	assert_says(c, "unknown role");
	assert_null(read_back(c, with(c, text, "\"throttled\"", "\"feverish.\"")));
	assert_says(c, "unknown cause");
	assert_null(read_back(c, with(c, text, "100,", "-10,")));
	assert_says(c, "a reading is not positive");
	assert_null(read_back(c, with(c, text, "\"graph\"", "\"grape\"")));
	assert_says(c, "'launch' is stream or graph");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(written_and_read_back),
		captured_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
