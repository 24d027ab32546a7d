#include "captured.h"

#include "base/arena.h"
#include "base/rng.h"
#include "perf/rank.h"
#include "perf/rank_final.h"

#include <math.h>

enum { ROUNDS = 20 };

static struct rank_entry
entry(const char *id, double median)
{
	return (struct rank_entry){.candidate = str_of(id),
		.label = str_of(id),
		.id = str_of(id),
		.median_ns = median,
		.low_ns = median * 0.999,
		.high_ns = median * 1.001,
		.registers = 32,
		.threads = 128,
		.verified = true,
		.off_baseline = 1,
		.ratio = (double)NAN,
		.ratio_low = (double)NAN,
		.ratio_high = (double)NAN,
		.p = (double)NAN,
		.joules = (double)NAN,
		.joules_error = (double)NAN};
}

/* Visits around ns, with noise of one part in a thousand. */
static struct final_member
member(struct arena *a, const char *point, enum final_role role, double ns, uint64_t seed)
{
	struct reading *v = arena_news(a, 2 * ROUNDS, struct reading);
	struct rng rng = {seed};

	for (size_t i = 0; i < 2 * ROUNDS; i++)
		v[i] = (struct reading){.ns = ns * (1 + 0.001 * (rng_unit(&rng) - 0.5))};
	return (struct final_member){.point = str_of(point),
		.role = role,
		.visits = v,
		.joules = (double)NAN,
		.joules_error = (double)NAN};
}

struct scene {
	struct arena a;
	struct rank_entry v[4];
	struct rank_size s;
	struct final_member m[6];
	struct final_record f;
};

/* fast and even are equally fast; slow is 10 % slower, the baseline 20 %. */
static struct scene *
scene(void)
{
	static struct scene c;

	c = (struct scene){.v = {entry("even", 1001), entry("fast", 1000),
				   entry("slow", 1100), entry("base", 1200)}};
	c.v[3].baseline = true;
	c.v[3].off_baseline = 0;
	c.v[0].registers = 24; /* even is preferred */
	rank_order(c.v, 4);
	c.s = (struct rank_size){.name = STR_LIT("1M"),
		.any = true,
		.v = c.v,
		.n_ranked = 4,
		.state.drift = (double)NAN};
	c.m[0] = member(&c.a, "even@1M", FINAL_CANDIDATE, 1000, 1);
	c.m[1] = member(&c.a, "fast@1M", FINAL_CANDIDATE, 1000, 2);
	c.m[2] = member(&c.a, "base@1M", FINAL_BASELINE, 1200, 3);
	c.m[3] = member(&c.a, "base@1M", FINAL_CONTROL, 1200, 4);
	c.f = (struct final_record){.kernel = STR_LIT("k"),
		.size = STR_LIT("1M"),
		.members = c.m,
		.n_members = 4,
		.n_rounds = ROUNDS,
		.sharing = STR_LIT("exclusive")};
	return &c;
}

static const struct rank_entry *
named(const struct scene *c, const char *id)
{
	for (size_t i = 0; i < 4; i++)
		if (str_is(c->v[i].id, id))
			return &c->v[i];
	return NULL;
}

static void
a_final_proves(void **state)
{
	struct scene *c = scene();

	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_PROVEN);
	assert_true(c->s.faster);
	assert_true(fabs(c->s.speedup - 1.2) < 0.002);
	assert_true(c->s.speedup_low > 1.195 && c->s.speedup_high < 1.205);
	/* Two are as good; the one with the smaller footprint is chosen. */
	assert_string_equal(rank_champion(&c->s)->id.s, "even");
	assert_true(named(c, "fast")->tie && named(c, "even")->tie);
	assert_false(named(c, "base")->tie || named(c, "slow")->tie);
	assert_string_equal(named(c, "base")->standing.s, "slower");
	assert_true(named(c, "base")->p < c->s.final.alpha);
	assert_true(c->s.final.ran && c->s.final.control_exists && c->s.final.control_ok);
	/* Who was not in it has its place by the screening: before the baseline. */
	assert_int_equal(named(c, "slow")->standing.n, 0);
	assert_string_equal(c->v[2].id.s, "slow");
	assert_string_equal(c->v[3].id.s, "base");
	assert_int_equal(c->s.state.n_readings, 4 * 2 * ROUNDS);
}

static void
a_failed_control_claims_nothing(void **state)
{
	struct scene *c = scene();

	c->m[3] = member(&c->a, "base@1M", FINAL_CONTROL, 1220, 4);
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_NONE);
	assert_false(c->s.faster);
	assert_true(str_starts(c->s.claim_why, "the control failed: "));
	/* The final still orders: it was measured side by side. */
	assert_string_equal(rank_champion(&c->s)->id.s, "even");
	assert_true(named(c, "fast")->tie && !named(c, "base")->tie);
	assert_string_equal(named(c, "base")->standing.s, "slower");
}

static void
sharing_is_only_observed(void **state)
{
	struct scene *c = scene();

	c->f.sharing = STR_LIT("shared: process 7");
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_OBSERVED);
	assert_false(c->s.faster);
	assert_true(str_has(c->s.claim_why, STR_LIT("process 7")));
	c = scene();
	c->f.sharing = STR_LIT("mig");
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_PROVEN);
}

static void
an_audit_may_fail(void **state)
{
	struct scene *c = scene();

	c->m[4] = member(&c->a, "slow@1M", FINAL_AUDIT, 1000, 5);
	c->f.n_members = 5;
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_OBSERVED);
	assert_string_equal(c->s.final.audit_failed.s, "slow@1M");
	c = scene();
	c->m[4] = member(&c->a, "slow@1M", FINAL_AUDIT, 1100, 5);
	c->f.n_members = 5;
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_PROVEN);
	assert_false(named(c, "slow")->tie);
}

/* Where few finish the race, those that lost it fill the final: it has the last word. */
static void
a_loser_of_the_race_may_win(void **state)
{
	struct scene *c = scene();

	((struct rank_entry *)(uintptr_t)named(c, "fast"))->screened_out = true;
	((struct rank_entry *)(uintptr_t)named(c, "even"))->screened_out = true;
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_string_equal(rank_champion(&c->s)->id.s, "even");
	assert_true(named(c, "fast")->screened_out && named(c, "even")->screened_out);
	assert_true(named(c, "fast")->tie);
	assert_true(named(c, "fast") < named(c, "base"));
	/* But then others may have lost it without being slower, too. */
	assert_int_equal(c->s.claim, CLAIM_OBSERVED);
	assert_true(c->s.final.audit_failed.n > 0);
}

static void
simulated_stays_simulated(void **state)
{
	struct scene *c = scene();

	c->s.kind = RESULT_SIMULATED;
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_SIMULATED);
	assert_true(c->s.faster);
	c = scene();
	c->s.kind = RESULT_SIMULATED;
	rank_final(&c->a, &c->s, NULL, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_SIMULATED);
}

static void
without_a_final(void **state)
{
	struct scene *c = scene();

	rank_final(&c->a, &c->s, NULL, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_OBSERVED);
	assert_false(c->s.faster);
	c = scene();
	c->f.status = RESULT_TROUBLE;
	c->f.reason = STR_LIT("the lease is taken");
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_string_equal(
		c->s.claim_why.s, "there is no final: trouble: the lease is taken");
	c = scene();
	c->f.n_rounds = 2; /* two rounds decide nothing */
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_int_equal(c->s.claim == CLAIM_PROVEN && c->s.faster, false);
	c = scene();
	c->s.kind = RESULT_ESTIMATED;
	rank_final(&c->a, &c->s, NULL, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_ESTIMATED);
	c = scene();
	c->s.n_ranked = 0;
	rank_final(&c->a, &c->s, NULL, 0, &(struct objective){0});
	assert_int_equal(c->s.claim, CLAIM_NONE);
}

/* However the best are ordered by the screening: who is slower in the final is not
 * chosen. */
static void
the_final_overrules_the_screening(void **state)
{
	struct scene *c = scene();

	c->m[0] = member(&c->a, "even@1M", FINAL_CANDIDATE, 1030, 1);
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_string_equal(rank_champion(&c->s)->id.s, "fast");
	assert_string_equal(c->v[0].id.s, "fast");
	assert_string_equal(c->v[1].id.s, "even");
	assert_false(named(c, "even")->tie);
	assert_true(fabs(named(c, "even")->ratio - 1.03) < 0.001);
}

/* What is shown is what was compared; the control is no second candidate. */
static void
the_members_have_the_times_of_the_final(void **state)
{
	struct scene *c = scene();
	const struct rank_entry *base, *slow;

	c->m[2] = member(&c->a, "base@1M", FINAL_BASELINE, 1500, 3);
	c->m[3] = member(&c->a, "base@1M", FINAL_CONTROL, 1501, 4);
	rank_final(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	assert_true(named(c, "base")->median_ns == 1200);
	rank_final_times(&c->a, &c->s, &c->f, 0, &(struct objective){0});
	base = named(c, "base");
	slow = named(c, "slow");
	assert_true(fabs(base->median_ns - 1500) < 1);
	assert_true(base->low_ns < base->median_ns && base->median_ns < base->high_ns);
	assert_true(base->high_ns - base->low_ns < 2);
	assert_true(base->screening_ns == 1200 && rank_screening_ns(base) == 1200);
	assert_true(slow->median_ns == 1100 && slow->screening_ns == 0);
	assert_true(rank_screening_ns(slow) == 1100);
	c = scene();
	rank_final(&c->a, &c->s, NULL, 0, &(struct objective){0});
	rank_final_times(&c->a, &c->s, NULL, 0, &(struct objective){0});
	assert_true(named(c, "base")->median_ns == 1200);
}

static void
the_worst_sharing_counts(void **state)
{
	static const char *const order[] = {
		"", "exclusive", "unknown: no list", "mig", "mps", "shared: pid 1"};

	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 6; k++) {
			struct str w = rank_sharing(str_of(order[i]), str_of(order[k]));
			assert_string_equal(w.s, order[i > k ? i : k]);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_final_proves),
		cmocka_unit_test(a_failed_control_claims_nothing),
		cmocka_unit_test(a_loser_of_the_race_may_win),
		cmocka_unit_test(sharing_is_only_observed),
		cmocka_unit_test(an_audit_may_fail),
		cmocka_unit_test(simulated_stays_simulated),
		cmocka_unit_test(without_a_final),
		cmocka_unit_test(the_final_overrules_the_screening),
		cmocka_unit_test(the_members_have_the_times_of_the_final),
		cmocka_unit_test(the_worst_sharing_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
