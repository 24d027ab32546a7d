#include "captured.h"

#include "base/rng.h"
#include "perf/final.h"
#include "perf/tost.h"

#include <math.h>
#include <string.h>

/* --- readings made by hand
 * -------------------------------------------------------------- */

enum { MAX = 12 };

struct field {
	struct final_entry members[MAX];
	double ns[2 * FINAL_MAX_ROUNDS * MAX];
	struct final_readings r;
};

static void
enter(struct field *f, enum final_role role, size_t of)
{
	f->members[f->r.n_members++] = (struct final_entry){.role = role, .of = of};
}

/* Every member takes its time, times 1 +- noise, n rounds long. */
static void
fill(struct field *f, const double *time, double noise, size_t n_rounds, uint64_t seed)
{
	struct rng r = {seed};

	f->r.members = f->members;
	f->r.ns = f->ns;
	f->r.n_rounds = n_rounds;
	for (size_t k = 0; k < n_rounds; k++)
		for (size_t visit = 0; visit < 2; visit++)
			for (size_t i = 0; i < f->r.n_members; i++)
				f->ns[final_index(&f->r, k, visit, i)] =
					time[i] * (1 + noise * (2 * rng_unit(&r) - 1));
}

/* Baseline, its control, and n candidates. */
static struct field
usual(size_t n)
{
	struct field f = {0};

	enter(&f, FINAL_BASELINE, 0);
	enter(&f, FINAL_CONTROL, 0);
	for (size_t i = 0; i < n; i++)
		enter(&f, FINAL_CANDIDATE, 0);
	return f;
}

/* --- the plan
 * ---------------------------------------------------------------------------- */

static void
a_round_is_a_permutation_and_its_mirror(void **state)
{
	size_t order[2 * MAX], again[2 * MAX], first[MAX] = {0};

	for (size_t round = 0; round < 600; round++) {
		unsigned seen = 0;
		final_schedule(5, round, MAX, order);
		final_schedule(5, round, MAX, again);
		assert_memory_equal(order, again, sizeof order);
		for (size_t i = 0; i < MAX; i++) {
			seen |= 1u << order[i];
			assert_int_equal(order[i], order[2 * MAX - 1 - i]);
		}
		assert_int_equal(seen, (1u << MAX) - 1);
		first[order[0]]++;
	}
	/* Expected 50 each, s = 6.8: anybody may be first. */
	for (size_t i = 0; i < MAX; i++)
		assert_true(first[i] > 20 && first[i] < 80);
	final_schedule(6, 0, MAX, order);
	final_schedule(5, 0, MAX, again);
	assert_true(memcmp(order, again, sizeof order) != 0);
}

static void
looks(void **state)
{
	double spent = 0;

	assert_int_equal(final_rounds(2, 0), 10);
	assert_int_equal(final_rounds(5, 0), 10); /* 10 pairs: 10 / 512 <= 0.02 */
	assert_int_equal(final_rounds(6, 0), 11); /* 15 / 1024 */
	assert_int_equal(final_rounds(9, 0), 12); /* 36 / 2048 */
	assert_int_equal(final_rounds(11, 0), 13);
	assert_true(final_rounds(11, 1) == 20 && final_rounds(11, 2) == 40);
	assert_int_equal(final_rounds(1000, 0), 19);
	for (size_t i = 0; i < FINAL_LOOKS; i++)
		spent += final_alpha(i);
	assert_true(fabs(spent - 0.05) < 1e-12);
}

/* --- decisions
 * --------------------------------------------------------------------------- */

static void
a_clear_difference(void **state)
{
	static const double time[] = {110, 110, 100, 103};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.001, 10, 1);
	d = final_decide(&c->a, &f.r);
	assert_int_equal(d->best, 2);
	assert_int_equal(d->v[2].verdict, FINAL_BEST);
	assert_int_equal(d->v[0].verdict, FINAL_SLOWER);
	assert_int_equal(d->v[3].verdict, FINAL_SLOWER);
	assert_true(d->n_in_set == 1 && d->v[2].in_set && !d->v[0].in_set);
	assert_true(d->v[0].to_best.low < 1.1 && 1.1 < d->v[0].to_best.high);
	assert_true(fabs(d->v[3].to_best.ratio - 1.03) < 0.001);
	assert_true(d->v[2].to_best.ratio == 1 && d->v[2].to_best.high == 1);
	assert_true(d->v[0].to_best.p == ldexp(1, -9));
	assert_true(d->v[0].to_best.adjusted == 3 * ldexp(1, -9)); /* of three pairs */
	assert_true(d->control_exists && d->control_ok && d->claim == FINAL_PROVEN);
	assert_int_equal(d->next_rounds, 0);
	assert_true(final_slower(d, 0, 3) && !final_slower(d, 3, 0));
	assert_false(final_slower(d, 1, 2) || final_slower(d, 2, 2)); /* the control */
}

static void
pairs_are_seen_from_both_sides(void **state)
{
	static const double time[] = {110, 110, 100, 103};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.02, 20, 2);
	d = final_decide(&c->a, &f.r);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++) {
			const struct final_pair *p = final_pair(d, i, j),
						*q = final_pair(d, j, i);
			assert_true(fabs(p->ratio * q->ratio - 1) < 1e-12);
			assert_true(fabs(p->low * q->high - 1) < 1e-12);
			assert_true(p->p == q->p && p->low <= p->ratio);
			assert_true(i == j || i == 1 || j == 1 || p->adjusted >= p->p);
			assert_true((i == 1 || j == 1 || i == j) == isnan(p->adjusted));
		}
	assert_true(fabs(final_pair(d, 0, 3)->ratio - 110.0 / 103) < 0.02);
}

static void
equals_are_tied_or_looked_at_again(void **state)
{
	static const double time[] = {100, 100, 100, 100};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.001, 10, 3);
	d = final_decide(&c->a, &f.r);
	assert_true(d->n_in_set == 3 && d->next_rounds == 0);
	for (size_t i = 0; i < 4; i++)
		assert_true(d->v[i].verdict == FINAL_TIED || i == d->best);

	fill(&f, time, 0.05, 10, 3);
	d = final_decide(&c->a, &f.r);
	assert_true(d->n_in_set == 3 && d->next_rounds == 20);
	fill(&f, time, 0.05, 20, 3);
	assert_int_equal(final_decide(&c->a, &f.r)->next_rounds, 40);
	fill(&f, time, 0.05, 40, 3);
	assert_int_equal(final_decide(&c->a, &f.r)->next_rounds, 0);
	fill(&f, time, 0.05, 4, 3); /* too few for anything */
	d = final_decide(&c->a, &f.r);
	assert_true(d->next_rounds == 10 && isinf(d->v[d->best ? 0 : 2].to_best.high));
}

static void
rounds_decide_which_look_it_is(void **state)
{
	static const double time[] = {100, 100, 100, 100, 100, 100};
	static const size_t rounds[] = {4, 10, 19, 20, 39, 40, 64};
	static const size_t look[] = {0, 0, 0, 1, 1, 2, 2};
	static const size_t next[] = {10, 20, 20, 40, 40, 0, 0};
	struct captured *c = *state;
	struct field f = usual(4); /* five that are compared */

	for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
		struct final_decision *d;
		fill(&f, time, 0.05, rounds[i], 3);
		d = final_decide(&c->a, &f.r);
		assert_int_equal(d->look, look[i]);
		assert_true(d->alpha == final_alpha(look[i]));
		assert_int_equal(d->next_rounds, next[i]);
	}
}

/* A clock too coarse: p is small enough, as zeros are left out, but the interval is not
 * above 1. */
static void
an_interval_that_touches_1_is_no_difference(void **state)
{
	struct captured *c = *state;
	struct field f = {0};
	struct final_decision *d;

	enter(&f, FINAL_CANDIDATE, 0);
	enter(&f, FINAL_CANDIDATE, 0);
	fill(&f, (double[]){100, 110}, 0, 10, 1);
	for (size_t k = 0; k < 3; k++)
		f.ns[final_index(&f.r, k, 0, 1)] = f.ns[final_index(&f.r, k, 1, 1)] = 100;
	d = final_decide(&c->a, &f.r);
	assert_true(d->v[1].to_best.adjusted == ldexp(1, -6)); /* 2 / 2^7 */
	assert_true(d->v[1].to_best.adjusted <= d->alpha && d->v[1].to_best.low == 1);
	assert_int_equal(d->v[1].verdict, FINAL_UNRESOLVED);
	fill(&f, (double[]){100, 100}, 0, 10, 1); /* the same in every bit */
	d = final_decide(&c->a, &f.r);
	assert_true(d->best == 0 && d->v[1].verdict == FINAL_TIED);
}

static void
slower_within_the_margin_stays(void **state)
{
	static const double time[] = {110, 110, 100, 100.2};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.0002, 10, 4);
	d = final_decide(&c->a, &f.r);
	assert_int_equal(d->v[3].verdict, FINAL_WITHIN);
	assert_true(d->v[3].in_set && d->n_in_set == 2);
	assert_true(d->v[3].to_best.low > 1 && d->v[3].to_best.high < 1.005);
	f.r.margin = 0.001;
	d = final_decide(&c->a, &f.r);
	assert_int_equal(d->v[3].verdict, FINAL_SLOWER);
	assert_true(!d->v[3].in_set && d->margin == 1.001);
}

static void
drift_within_a_round_cancels(void **state)
{
	static const double time[] = {100, 100, 99, 101};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	/* The card slows by 1 % a visit; only what is steady is taken out. */
	fill(&f, time, 0, 10, 1);
	for (size_t k = 0; k < 10; k++) {
		size_t order[8];
		final_schedule(9, k, 4, order);
		for (size_t at = 0; at < 8; at++)
			f.ns[final_index(&f.r, k, at / 4, order[at])] *=
				exp(0.01 * (double)(k * 8 + at));
	}
	d = final_decide(&c->a, &f.r);
	assert_true(fabs(d->v[0].to_best.ratio - 100.0 / 99) < 1e-12);
	assert_true(fabs(d->v[3].to_best.ratio - 101.0 / 99) < 1e-12);
	assert_true(d->control_ok && fabs(d->control.ratio - 1) < 1e-12);
}

/* --- control, audit, reference
 * ----------------------------------------------------------- */

static void
a_control_that_differs_ends_it(void **state)
{
	static const double beyond[] = {110, 110.7, 100, 100},
			    far[] = {110, 112, 100, 100};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, beyond, 0.0005, 10, 5); /* told apart, and beyond the margin */
	d = final_decide(&c->a, &f.r);
	assert_true(!d->control_ok && d->claim == FINAL_NO_CLAIM && !d->next_rounds);
	assert_true(d->control.ratio > 1.005 && d->control.p <= 0.02);

	fill(&f, far, 0.06, 10,
		5); /* not told apart, but beyond the margin: look again */
	d = final_decide(&c->a, &f.r);
	assert_true(d->control.p > 0.02 && d->control.ratio > 1.005);
	assert_true(!d->control_ok && d->claim == FINAL_NO_CLAIM && d->next_rounds == 20);
}

/* A file may say that there were fewer rounds than are ever planned. */
static void
a_short_final_proves_nothing(void **state)
{
	static const double time[] = {110, 110, 100, 100};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.0005, 9, 5);
	d = final_decide(&c->a, &f.r);
	assert_true(d->is_short && d->control_ok && d->claim == FINAL_OBSERVED);
	fill(&f, time, 0.0005, 10, 5);
	d = final_decide(&c->a, &f.r);
	assert_true(!d->is_short && d->claim == FINAL_PROVEN);
}

/* What happens to equals is less than the margin: no difference up to that is claimed. */
static void
a_control_told_apart_raises_the_floor(void **state)
{
	static const double time[] = {100.4, 100.43, 100, 101};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.00005, 10, 5);
	d = final_decide(&c->a, &f.r);
	assert_true(d->control.p <= d->alpha && d->control.ratio < 1.001);
	assert_true(d->control_ok && d->control_apart && d->claim == FINAL_PROVEN);
	assert_true(d->floor == d->margin);
	assert_true(d->v[0].to_best.adjusted <= d->alpha && d->v[0].to_best.low > 1.003);
	assert_int_equal(d->v[0].verdict, FINAL_TIED);
	assert_true(d->v[0].in_set);
	assert_int_equal(d->v[3].verdict, FINAL_SLOWER);
	assert_false(d->v[3].in_set);
}

static void
the_floor_is_where_and_how_wide_the_control_is(void **state)
{
	static const double time[] = {110, 110.02, 100, 100};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	for (int faster = 0; faster < 2; faster++) {
		fill(&f, (double[]){time[faster], time[!faster], 100, 100}, 0.001, 10, 5);
		d = final_decide(&c->a, &f.r);
		assert_true((d->control.ratio < 1) == faster);
		assert_true(fabs(log(d->floor) - fabs(log(d->control.ratio)) -
				    log(d->control.high / d->control.low) / 2) < 1e-12);
	}
}

/* A gain less than what the control differs by is none. */
static void
gains_below_the_floor_are_not_claimed(void **state)
{
	static const double time[] = {100.4, 100.4, 100, 101};
	struct captured *c = *state;
	struct field f = usual(2);
	struct final_decision *d;

	fill(&f, time, 0.001, 10, 6);
	/* Only the control is noisy. */
	for (size_t k = 0; k < 10; k++)
		for (size_t visit = 0; visit < 2; visit++)
			f.ns[final_index(&f.r, k, visit, 1)] *= k % 2 ? 1.006 : 0.994;
	d = final_decide(&c->a, &f.r);
	assert_true(d->v[0].to_best.adjusted <= d->alpha && d->v[0].to_best.low > 1);
	assert_true(d->floor > d->v[0].to_best.ratio && d->floor < d->v[3].to_best.ratio);
	assert_true(!final_slower(d, 0, 2) && final_slower(d, 3, 2));
	assert_true(d->v[0].verdict != FINAL_SLOWER && d->v[0].in_set);
	assert_int_equal(d->v[3].verdict, FINAL_SLOWER);
}

static void
an_audit_must_be_slower(void **state)
{
	static const double slow[] = {110, 110, 100, 106}, fast[] = {110, 110, 100, 95},
			    near[] = {110, 110, 100, 100.1};
	struct captured *c = *state;
	struct field f = usual(1);
	struct final_decision *d;

	enter(&f, FINAL_AUDIT, 0);
	fill(&f, slow, 0.001, 10, 7);
	d = final_decide(&c->a, &f.r);
	assert_true(!d->audit_failed && d->claim == FINAL_PROVEN && d->n_in_set == 1);

	fill(&f, fast, 0.001, 10, 7);
	d = final_decide(&c->a, &f.r);
	assert_int_equal(d->v[3].verdict, FINAL_FASTER);
	assert_true(d->best == 2 && d->audit_failed && d->claim == FINAL_OBSERVED);

	fill(&f, near, 0.001, 10, 7);
	d = final_decide(&c->a, &f.r);
	assert_true(d->audit_failed && !d->v[3].in_set && d->n_in_set == 1);
}

static void
a_reference_is_compared_and_never_chosen(void **state)
{
	static const double time[] = {110, 110, 100, 90};
	struct captured *c = *state;
	struct field f = usual(1);
	struct final_decision *d;

	enter(&f, FINAL_REFERENCE, 0);
	fill(&f, time, 0.001, 10, 8);
	d = final_decide(&c->a, &f.r);
	assert_int_equal(d->best, 2);
	assert_int_equal(d->v[3].verdict, FINAL_FASTER);
	assert_true(fabs(d->v[3].to_best.ratio - 0.9) < 0.001 && !d->v[3].in_set);
	assert_true(!d->audit_failed && d->claim == FINAL_PROVEN);
}

static void
without_a_baseline_or_a_control(void **state)
{
	static const double time[] = {100, 105, 100}, alone[] = {100};
	struct captured *c = *state;
	struct field f = {0}, one = {0};
	struct final_decision *d;

	enter(&f, FINAL_CANDIDATE, 0);
	enter(&f, FINAL_CANDIDATE, 0);
	fill(&f, time, 0.001, 10, 9);
	d = final_decide(&c->a, &f.r);
	assert_true(!d->control_exists && d->claim == FINAL_OBSERVED && d->floor == 1);
	assert_int_equal(d->v[1].verdict, FINAL_SLOWER);
	enter(&f, FINAL_CONTROL, 0); /* the fastest again */
	fill(&f, time, 0.001, 10, 9);
	d = final_decide(&c->a, &f.r);
	assert_true(d->control_ok && d->claim == FINAL_PROVEN);

	enter(&one, FINAL_BASELINE, 0);
	fill(&one, alone, 0.001, 10, 9);
	d = final_decide(&c->a, &one.r);
	assert_true(d->best == 0 && d->n_in_set == 1 && d->next_rounds == 0);
}

/* --- random fields against the definitions --------------------------------------- */

/* Whose nearest rival is the farthest behind. */
static size_t
expected_best(const struct field *f, const struct final_decision *d)
{
	size_t best = MAX;
	double most = 0;

	for (size_t b = 0; b < d->n_members; b++) {
		double lead = (double)INFINITY;
		for (size_t i = 0; i < d->n_members; i++)
			if (i != b && f->members[i].role <= FINAL_BASELINE)
				lead = fmin(lead, final_pair(d, i, b)->ratio);
		if (f->members[b].role <= FINAL_BASELINE && lead > most) {
			most = lead;
			best = b;
		}
	}
	return best;
}

static enum final_verdict
expected_verdict(const struct field *f, const struct final_decision *d, size_t i)
{
	const struct final_pair *p = final_pair(d, i, d->best);
	double diff[FINAL_MAX_ROUNDS];
	struct walsh w;

	if (p->adjusted <= d->alpha && p->low > 1 && p->ratio > d->floor)
		return p->high <= d->margin ? FINAL_WITHIN : FINAL_SLOWER;
	if (p->adjusted <= d->alpha && p->high < 1 && p->ratio < 1 / d->floor)
		return FINAL_FASTER;
	for (size_t k = 0; k < d->n_rounds; k++) {
		const double *at = &f->ns[final_index(&f->r, k, 0, 0)];
		size_t n = d->n_members;
		diff[k] = log(at[i] * at[n + i] / at[d->best] / at[n + d->best]) / 2;
	}
	walsh_set(&w, diff, d->n_rounds);
	assert_true(fabs(exp(walsh_median(&w)) - p->ratio) < 1e-9);
	assert_true(fabs(exp(walsh_interval(&w, d->alpha).low) - p->low) < 1e-9);
	return tost_equivalent(&w, log(d->margin), d->alpha) ? FINAL_TIED
							     : FINAL_UNRESOLVED;
}

static void
verdicts_are_the_defined_ones(void **state)
{
	static const size_t rounds[] = {10, 13, 20, 40};
	struct captured *c = *state;
	struct rng r = {23};
	int seen[FINAL_FASTER + 1] = {0};

	for (int t = 0; t < 400; t++) {
		struct arena_mark m = arena_mark(&c->a);
		struct field f = usual(2);
		double time[] = {100, 100, 0, 0, 0, 0}, spread = 6 * rng_unit(&r);
		struct final_decision *d;
		enter(&f, FINAL_AUDIT, 0);
		enter(&f, FINAL_REFERENCE, 0);
		for (size_t i = 2; i < 6; i++)
			time[i] = 100 + spread * (rng_unit(&r) - 0.5);
		fill(&f, time, (t % 5 ? 0.03 : 0.95) * rng_unit(&r), rounds[t % 4],
			rng_next(&r));
		f.r.margin = (t % 5 ? 0.03 : 0.95) * rng_unit(&r) * (t % 3 != 0);
		d = final_decide(&c->a, &f.r);
		assert_int_equal(d->best, expected_best(&f, d));
		for (size_t i = 0; i < 6; i++) {
			seen[d->v[i].verdict]++;
			if (i != d->best)
				assert_int_equal(
					d->v[i].verdict, expected_verdict(&f, d, i));
		}
		arena_pop(&c->a, m);
	}
	for (int i = 0; i <= FINAL_FASTER; i++)
		assert_true(seen[i] > 20);
}

/* The margin is a ratio, not its logarithm. */
static void
a_wide_margin(void **state)
{
	struct captured *c = *state;
	struct field f = usual(1);

	f.r.margin = 0.5;
	fill(&f, (double[]){145, 145, 100}, 0.001, 10, 1);
	assert_int_equal(final_decide(&c->a, &f.r)->v[0].verdict, FINAL_WITHIN);
	fill(&f, (double[]){145, 145, 100}, 0.001, 4, 1);
	assert_int_equal(final_decide(&c->a, &f.r)->v[0].verdict, FINAL_UNRESOLVED);
	fill(&f, (double[]){145, 145, 100}, 0.3, 10, 2);
	assert_int_equal(final_decide(&c->a, &f.r)->v[0].verdict, FINAL_SLOWER);
}

/* --- what is refused
 * --------------------------------------------------------------------- */

static void
readings_with_a_problem(void **state)
{
	static const double time[] = {110, 110, 100, 103};
	static const double odd[] = {0, -1, (double)NAN, (double)INFINITY};
	struct field f = usual(2), g = {0};

	fill(&f, time, 0.001, 10, 1);
	assert_null(final_problem(&f.r));
	for (size_t i = 0; i < 4; i++) {
		double was = f.ns[17];
		f.ns[17] = odd[i];
		assert_non_null(strstr(final_problem(&f.r), "positive"));
		f.ns[17] = was;
	}
	f.r.n_rounds = 0;
	assert_non_null(strstr(final_problem(&f.r), "rounds"));
	f.r.n_rounds = FINAL_MAX_ROUNDS + 1;
	assert_non_null(strstr(final_problem(&f.r), "rounds"));
	f.r.n_rounds = 10;
	f.members[1].of = 1;
	assert_non_null(strstr(final_problem(&f.r), "again"));
	f.members[1].of = 4;
	assert_non_null(strstr(final_problem(&f.r), "again"));
	f.members[1] = f.members[0];
	assert_non_null(strstr(final_problem(&f.r), "at most one"));
	f.members[1].role = FINAL_CANDIDATE;
	f.r.margin = -0.1;
	assert_non_null(strstr(final_problem(&f.r), "margin"));
	enter(&g, FINAL_AUDIT, 0);
	fill(&g, time, 0, 10, 1);
	assert_non_null(strstr(final_problem(&g.r), "has a candidate"));
}

static void
names(void **state)
{
	assert_string_equal(final_verdict_name(FINAL_FASTER), "faster");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_is_a_permutation_and_its_mirror),
		cmocka_unit_test(looks),
		captured_test(a_clear_difference),
		captured_test(pairs_are_seen_from_both_sides),
		captured_test(equals_are_tied_or_looked_at_again),
		captured_test(rounds_decide_which_look_it_is),
		captured_test(an_interval_that_touches_1_is_no_difference),
		captured_test(slower_within_the_margin_stays),
		captured_test(drift_within_a_round_cancels),
		captured_test(a_control_that_differs_ends_it),
		captured_test(a_control_told_apart_raises_the_floor),
		captured_test(a_short_final_proves_nothing),
		captured_test(the_floor_is_where_and_how_wide_the_control_is),
		captured_test(gains_below_the_floor_are_not_claimed),
		captured_test(an_audit_must_be_slower),
		captured_test(a_reference_is_compared_and_never_chosen),
		captured_test(without_a_baseline_or_a_control),
		captured_test(verdicts_are_the_defined_ones),
		captured_test(a_wide_margin),
		cmocka_unit_test(readings_with_a_problem),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
