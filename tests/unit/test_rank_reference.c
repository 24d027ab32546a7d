#include "captured.h"

#include "base/arena.h"
#include "base/rng.h"
#include "model/record.h"
#include "perf/rank_final.h"
#include "perf/rank_reference.h"
#include "report/reference_text.h"

#include <math.h>

enum { ROUNDS = 20 };

/* Visits around ns, with noise of one part in a thousand, that end `drift` later. */
static struct final_member
member(struct arena *a, const char *point, enum final_role role, double ns, double drift)
{
	struct reading *v = arena_news(a, 2 * ROUNDS, struct reading);
	struct rng rng = {(uint64_t)role + (uint64_t)ns};

	for (size_t i = 0; i < 2 * ROUNDS; i++)
		v[i] = (struct reading){
			.ns = ns * (1 + 0.001 * (rng_unit(&rng) - 0.5) +
					   drift * (double)i / (2 * ROUNDS - 1))};
	return (struct final_member){.point = str_of(point),
		.role = role,
		.visits = v,
		.joules = (double)NAN,
		.joules_error = (double)NAN};
}

struct scene {
	struct arena a;
	struct rank_entry v[1];
	struct rank_size s;
	struct final_member m[3];
	struct final_record f;
	struct objective objective;
};

/* One candidate of 1000 ns, its control, and a library's function of 900 ns. */
static struct scene *
scene(void)
{
	static struct scene c;

	c = (struct scene){.v = {{.candidate = STR_LIT("P=1"),
				   .label = STR_LIT("P=1"),
				   .id = STR_LIT("1"),
				   .champion = true,
				   .median_ns = 1000,
				   .low_ns = 999,
				   .high_ns = 1001,
				   .flops = 1.8e6,
				   .bytes = (double)NAN,
				   .ratio = (double)NAN}}};
	c.s = (struct rank_size){.name = STR_LIT("s"),
		.any = true,
		.v = c.v,
		.n_ranked = 1,
		.state.drift = (double)NAN};
	c.m[0] = member(&c.a, "P=1@s", FINAL_CANDIDATE, 1000, 0);
	c.m[1] = member(&c.a, "P=1@s", FINAL_CONTROL, 1000, 0);
	c.m[2] = member(&c.a, "cublas", FINAL_REFERENCE, 900, 0);
	c.f = (struct final_record){.kernel = STR_LIT("k"),
		.size = STR_LIT("s"),
		.members = c.m,
		.n_members = 3,
		.n_rounds = ROUNDS,
		.sharing = STR_LIT("exclusive")};
	return &c;
}

static const struct rank_reference *
ranked(struct scene *c)
{
	rank_final(&c->a, &c->s, &c->f, 0, &c->objective);
	rank_reference(&c->a, &c->s, &c->f, 0);
	return &c->s.reference;
}

static bool
says(struct scene *c, const char *text)
{
	return str_has(reference_text(&c->a, &c->s), str_of(text));
}

static void
it_is_compared_and_never_chosen(void **state)
{
	struct scene *c = scene();
	const struct rank_reference *r = ranked(c);

	assert_true(r->exists && r->status == RESULT_OK && !r->drifted);
	assert_string_equal(r->name.s, "cublas");
	assert_true(fabs(r->median_ns - 900) < 1);
	assert_true(fabs(r->ratio - 10.0 / 9) < 0.001);
	assert_true(r->ratio_low < r->ratio && r->ratio < r->ratio_high);
	assert_true(fabs(rank_reference_gflops(r) - 2000) < 2);
	assert_true(isnan(rank_reference_gbps(r)));
	assert_true(c->v[0].champion && c->s.claim == CLAIM_PROVEN);
	assert_string_equal(c->v[0].standing.s, "best");
	assert_true(says(c, "reference cublas: 900") && says(c, " GFLOP/s"));
	assert_true(says(c, "; the champion takes 1.11"));
	assert_false(says(c, "GB/s") || says(c, "CHANGED"));
}

static void
its_drift_is_told(void **state)
{
	struct scene *c = scene();

	c->m[2] = member(&c->a, "cublas", FINAL_REFERENCE, 900, 0.004);
	assert_false(ranked(c)->drifted); /* within the margin of 0.5 % */
	c = scene();
	c->m[2] = member(&c->a, "cublas", FINAL_REFERENCE, 900, 0.05);
	assert_true(ranked(c)->drifted);
	assert_true(fabs(c->s.reference.drift - 0.0375) < 0.005);
	assert_true(says(c, "its own time CHANGED by +3."));
}

static void
what_failed_says_why(void **state)
{
	struct scene *c = scene();

	c->m[2] = (struct final_member){.point = STR_LIT("cublas"),
		.role = FINAL_REFERENCE,
		.status = RESULT_WRONG,
		.reason = STR_LIT("7 of 9 elements differ")};
	assert_true(isnan(ranked(c)->median_ns));
	assert_true(c->v[0].champion && c->s.final.ran);
	assert_string_equal(reference_text(&c->a, &c->s).s,
		"reference cublas: NO TIME: wrong: 7 of 9 elements differ");
	c = scene();
	c->m[1] = member(&c->a, "P=1@s", FINAL_CONTROL, 1020, 0);
	assert_true(isnan(ranked(c)->ratio) && c->s.reference.median_ns > 0);
	assert_true(says(c, "; not compared: the control failed"));
	c = scene();
	c->f.status = RESULT_TROUBLE;
	assert_true(isnan(ranked(c)->median_ns));
	assert_string_equal(reference_text(&c->a, &c->s).s,
		"reference cublas: NO TIME: there is no final");
	c = scene();
	c->f.n_members = 2;
	assert_false(ranked(c)->exists);
	assert_int_equal(reference_text(&c->a, &c->s).n, 0);
}

/* An objective over parameters has no value for a library; the final goes on without. */
static void
an_objective_does_not_look_at_it(void **state)
{
	struct scene *c = scene();
	struct diag d = {0};

	assert_true(objective_parse(&c->a, STR_LIT("time_s * 2"), &c->objective, &d));
	c->v[0].cost = c->v[0].cost_low = c->v[0].cost_high = 2e-6;
	assert_true(fabs(ranked(c)->ratio - 10.0 / 9) < 0.001);
	assert_int_equal(c->s.final.n_members, 2);
	assert_string_equal(c->v[0].standing.s, "best");
}

static void
it_is_written_and_read(void **state)
{
	struct scene *c = scene();
	struct json_out o = {.b = {.a = &c->a}};
	struct source *src = arena_new(&c->a, struct source);
	struct rank_reference back = {.exists = false};
	struct diag d = {0};
	struct record r;

	ranked(c);
	json_open_object(&o, NULL);
	rank_reference_put(&o, &c->s.reference);
	json_close_object(&o);
	*src = (struct source){"x", json_done(&o)};
	r = record_open(json_parse(&c->a, src, &d), NULL, &d);
	rank_reference_get(&r, &back);
	assert_true(r.ok && back.exists && back.ratio == c->s.reference.ratio &&
		    back.drift == c->s.reference.drift && back.flops == 1.8e6);
}

/* Batches that were void as the device drifted are counted, too. */
static void
batches_taken_again_are_counted(void **state)
{
	struct reading v[] = {{.cause = READING_DRIFTED}, {.ns = 1},
		{.cause = READING_DRIFTED}, {.cause = READING_SHARED}};
	struct rank_state s = {.n_readings = 0};

	rank_state_add(&s, v, 4);
	assert_true(s.n_readings == 4 && s.n_taken_again == 2 && s.n_shared == 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_compared_and_never_chosen),
		cmocka_unit_test(its_drift_is_told),
		cmocka_unit_test(what_failed_says_why),
		cmocka_unit_test(an_objective_does_not_look_at_it),
		cmocka_unit_test(it_is_written_and_read),
		cmocka_unit_test(batches_taken_again_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
