/* Finals: mirrored rounds of several, who is out, and what is recorded. */
#include "measure_bench.h"

#include "perf/final_input.h"

#define NOISE "\"noise\": {\"sigma\": 0.001, \"rho\": 0.5}"
#define TIMES "\"time_ns\": \"1000*T\", " NOISE

struct entry {
	const char *point;
	enum final_role role;
};

static struct job *
final_job(struct mbench *b, const struct entry *v, size_t n)
{
	struct job *j = mbench_job(b, JOB_FINAL, v[0].point);
	struct bench_request q = j->member[0].request;

	j->member = arena_news(&b->s->a, n, struct job_member);
	j->n = n;
	j->margin = 0.005;
	for (size_t i = 0; i < n; i++) {
		j->member[i].point = str_of(v[i].point);
		j->member[i].role = v[i].role;
		j->member[i].request = q;
	}
	return j;
}

static const struct entry four[] = {
	{"T=100@1M", FINAL_CANDIDATE},
	{"T=102@1M", FINAL_CANDIDATE},
	{"T=110@1M", FINAL_BASELINE},
	{"T=110@1M", FINAL_CONTROL},
};

static struct final_record *
play(struct mbench *b, const struct job *j)
{
	struct final_record *f = arena_new(&b->s->a, struct final_record);

	b->lost = !measure_final(b->m, &b->s->a, j, f);
	return f;
}

static struct final_decision *
decided(struct mbench *b, const struct final_record *f)
{
	struct final_readings r;
	const char *why = final_input(&b->s->a, f, 0.005, &r);

	if (why)
		fail_msg("%s", why);
	return final_decide(&b->s->a, &r);
}

static void
a_clear_final_is_decided_at_once(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES);
	const struct final_record *f = play(b, final_job(b, four, 4));
	const struct final_decision *d;

	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->kind, RESULT_SIMULATED);
	assert_int_equal(f->n_rounds, final_rounds(3, 0));
	assert_int_equal(f->batches_per_visit, 3);
	assert_int_equal(f->launches_per_batch, 11); /* 1.024 ms */
	assert_int_equal(f->launch, LAUNCH_STREAM);
	assert_true(str_is(f->sharing, "exclusive") && f->seed != 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(f->members[i].status, RESULT_OK);
		assert_true(isnan(f->members[i].joules));
		for (size_t k = 0; k < 2 * f->n_rounds; k++) {
			const struct reading *v = &f->members[i].visits[k];
			assert_int_equal(v->cause, READING_GOOD);
			assert_true(v->ns > 95e3 && v->ns < 115e3 && v->sm_mhz == 1980);
		}
	}
	d = decided(b, f);
	assert_int_equal(d->best, 0);
	assert_int_equal(d->claim, FINAL_PROVEN);
	assert_int_equal(d->v[1].verdict, FINAL_SLOWER);
	assert_near(d->v[2].to_best.ratio, 1.1, 0.002);
	/* One thrown away, and three batches, each visit. */
	const struct sim_calls *c = sim_calls(b->m->s);
	assert_int_equal(c->loads, 4);
	assert_int_equal(c->runs, 4 * (int64_t)(2 * f->n_rounds + 4));
}

/* What cannot be told apart is looked at twice more. */
static void
twins_are_looked_at_three_times(void **state)
{
	static const struct entry v[] = {
		{"T=100,U=1@1M", FINAL_CANDIDATE},
		{"T=100,U=2@1M", FINAL_CANDIDATE},
		{"T=100.4,U=2@1M", FINAL_CANDIDATE},
	};
	struct mbench *b = mbench_open(*state,
		"\"time_ns\": \"1000*T\", \"noise\": {\"sigma\": 0.02, \"rho\": 0.3}");
	const struct final_record *f = play(b, final_job(b, v, 3));
	const struct final_decision *d = decided(b, f);

	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->n_rounds, 40);
	assert_int_equal(d->next_rounds, 0);
	assert_int_equal(d->n_in_set, 3);
}

static void
the_same_final_has_the_same_schedule(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES), *c = mbench_open(*state, TIMES);
	struct str one = final_record_write(&b->s->a, play(b, final_job(b, four, 4)));
	struct str two = final_record_write(&b->s->a, play(c, final_job(c, four, 4)));
	struct job *other = final_job(c, four, 4);

	assert_true(str_eq(one, two));
	other->size = STR_LIT("2M");
	assert_true(play(c, other)->seed != play(c, final_job(c, four, 4))->seed);
}

/* --- modes ------------------------------------------------------------------------- */

static const struct entry mixed[] = {
	{"T=12@1M", FINAL_CANDIDATE},
	{"T=40@1M", FINAL_CANDIDATE},
};

static void
one_short_one_makes_all_graphs(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES);
	const struct final_record *f = play(b, final_job(b, mixed, 2));

	assert_int_equal(f->launch, LAUNCH_GRAPH);
	assert_int_equal(f->launches_per_batch, 86);
	/* Unless one of them cannot be: cooperative launches are not captured. */
	struct job *j = final_job(b, mixed, 2);
	j->member[1].request.launch.cooperative = true;
	f = play(b, j);
	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->launch, LAUNCH_STREAM);
}

static void
slow_ones_have_one_batch_a_visit(void **state)
{
	static const struct entry v[] = {
		{"T=60000@1M", FINAL_CANDIDATE},
		{"T=70000@1M", FINAL_CANDIDATE},
	};
	struct mbench *b = mbench_open(*state, TIMES);
	const struct final_record *f = play(b, final_job(b, v, 2));

	assert_int_equal(f->batches_per_visit, 1);
	assert_int_equal(f->launches_per_batch, 1);
	assert_int_equal(f->status, RESULT_OK);
}

/* --- who is out -------------------------------------------------------------------- */

static struct mbench *
with_faults(struct scratch *s, const char *more)
{
	return mbench_open(s, str_c(&s->a, str_fmt(&s->a, TIMES ", %s", more)));
}

static void
who_fails_is_out_and_the_others_go_on(void **state)
{
	static const char *const faults[] = {
		"wrong-last", "unloadable", "unlaunchable", "oob-one", "late"};

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct scratch *s = *state;
		struct mbench *b =
			with_faults(s, str_c(&s->a, str_fmt(&s->a,
							    "\"faults\": [{\"when\": \"T "
							    "== 102\", \"fault\": "
							    "\"%s\"}]",
							    faults[i])));
		const struct final_record *f = play(b, final_job(b, four, 4));
		assert_false(b->lost);
		assert_int_equal(f->status, RESULT_OK);
		assert_int_not_equal(f->members[1].status, RESULT_OK);
		assert_true(f->members[1].reason.n > 0);
		assert_null(f->members[1].visits);
		assert_int_equal(decided(b, f)->n_members, 3);
		/* It is a record that can be read back. */
		struct diag d = {0};
		struct source *src = arena_new(&s->a, struct source);
		*src = (struct source){"f", final_record_write(&s->a, f)};
		assert_non_null(final_record_read(&s->a, json_parse(&s->a, src, &d), &d));
	}
}

static void
a_refusal_in_the_middle(void **state)
{
	struct mbench *b = with_faults(*state, "\"faults\": [{\"when\": \"T == 102\", "
					       "\"fault\": \"unlaunchable\", \"after\": "
					       "150}]");
	const struct final_record *f = play(b, final_job(b, four, 4));

	/* Each has some 130 batches of warming up at most, and six a round. */
	assert_false(b->lost);
	assert_int_equal(f->status, RESULT_OK);
	assert_true(f->n_rounds >= 10);
	assert_int_equal(decided(b, f)->best, 0);
}

static void
a_crash_ends_the_session(void **state)
{
	struct mbench *b = with_faults(*state, "\"faults\": [{\"when\": \"T == 102\", "
					       "\"fault\": \"crash\", \"after\": 30}]");
	const struct final_record *f = play(b, final_job(b, four, 4));

	assert_true(b->lost);
	assert_int_equal(f->status, RESULT_CRASHED);
	assert_int_equal(f->members[1].status, RESULT_CRASHED);
	assert_int_equal(f->members[0].status, RESULT_OK);
	assert_contains(str_c(&b->s->a, f->reason), "the device was lost with "
						    "'T=102@1M'");
	/* Who asks again leaves it out. */
	static const struct entry rest[] = {
		{"T=100@1M", FINAL_CANDIDATE},
		{"T=110@1M", FINAL_BASELINE},
	};
	b = with_faults(*state, "\"faults\": [{\"when\": \"T == 102\", \"fault\": "
				"\"crash\"}]");
	assert_int_equal(play(b, final_job(b, rest, 2))->status, RESULT_OK);
}

static void
nobody_to_compare_with(void **state)
{
	struct mbench *b = with_faults(*state, "\"faults\": [{\"when\": \"T > 100\", "
					       "\"fault\": \"wrong\"}]");
	const struct final_record *f = play(b, final_job(b, four, 4));

	assert_int_equal(f->status, RESULT_WRONG);
	assert_contains(str_c(&b->s->a, f->reason),
		"fewer than two members are left; 'T=102@1M': 'out': 1 of 64 elements");
	assert_false(b->lost);
}

static void
members_that_do_not_fit_together(void **state)
{
	struct mbench *b = with_faults(*state, "\"memory_bytes\": 1100");
	struct job *j = final_job(b, four, 4);

	j->member[1].request =
		*sim_request(*state, "", "in=f32*[65]:exact,out=f32*[64]:out");
	sim_reference(*state, &j->member[1].request);
	sim_reference(*state, &j->member[0].request);
	const struct final_record *f = play(b, j);
	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->members[1].status, RESULT_OK);
	assert_int_equal(sim_calls(b->m->s)->loads, 4);
	b = with_faults(*state, "\"memory_bytes\": 600");
	f = play(b, j);
	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->members[1].status, RESULT_OK);
	assert_int_equal(decided(b, f)->best, 0);
	/* Loaded for each visit. */
	assert_true(sim_calls(b->m->s)->loads > 2 * 4 * (int64_t)f->n_rounds);
	/* One that does not fit alone is out. */
	j->member[1].request =
		*sim_request(*state, "", "in=f32*[650]:exact,out=f32*[64]:out");
	f = play(b, j);
	assert_int_equal(f->members[1].status, RESULT_OOM);
	assert_int_equal(f->status, RESULT_OK);
}

/* --- the device -------------------------------------------------------------------- */

static void
rounds_that_are_disturbed_do_not_count(void **state)
{
	struct mbench *b = with_faults(*state,
		"\"events\": [{\"at_ms\": 700, \"for_ms\": 400, \"clock\": 0.8, "
		"\"reasons\": 64}]");
	const struct final_record *f = play(b, final_job(b, four, 4));
	const struct final_decision *d = decided(b, f);

	assert_int_equal(f->status, RESULT_OK);
	assert_true(f->n_rounds > final_rounds(3, 0));
	assert_int_equal(d->n_rounds, final_rounds(3, 0));
	assert_near(d->v[2].to_best.ratio, 1.1, 0.002);
}

static void
somebody_else_comes(void **state)
{
	struct mbench *b = with_faults(
		*state, "\"events\": [{\"at_ms\": 700, \"sharing\": \"shared: 4711\"}]");
	const struct final_record *f = play(b, final_job(b, four, 4));

	assert_int_equal(f->status, RESULT_OK);
	assert_int_equal(f->n_rounds, final_rounds(3, 0) + 1);
	assert_true(str_is(f->sharing, "shared: 4711"));
}

static void
a_device_that_is_never_well(void **state)
{
	struct mbench *b =
		with_faults(*state, "\"events\": [{\"at_ms\": 700, \"reasons\": 128}]");
	const struct final_record *f = play(b, final_job(b, four, 4));

	assert_int_equal(f->status, RESULT_TROUBLE);
	assert_contains(str_c(&b->s->a, f->reason), "unstable: ");
	assert_false(b->lost);
}

/* A slope that screening could not bear cancels in a mirrored round. */
static void
drift_cancels(void **state)
{
	struct mbench *b = with_faults(*state, "\"drift_per_s\": 0.02");
	const struct final_decision *d = decided(b, play(b, final_job(b, four, 4)));

	assert_true(d->control_ok);
	assert_near(d->v[1].to_best.ratio, 1.02, 0.002);
}

/* --- energy ------------------------------------------------------------------------ */

static void
joules_of_a_launch(void **state)
{
	struct mbench *b = with_faults(*state,
		"\"power_w\": \"400 if T == 102 else 200\", \"energy_step_ms\": 25");
	struct job *j = final_job(b, four, 4);

	j->energy = true;
	const struct final_record *f = play(b, j);
	assert_int_equal(f->status, RESULT_OK);
	assert_true(fabs(f->members[0].joules - 0.020) <= f->members[0].joules_error);
	assert_true(fabs(f->members[1].joules - 0.0408) <= f->members[1].joules_error);
	assert_true(f->members[0].joules_error < 0.03 * f->members[0].joules);
	assert_true(f->members[0].joules_error > 0.01 * f->members[0].joules);
	/* The control is the baseline again. */
	assert_true(isnan(f->members[3].joules));
	/* One second and a half for each, three times. */
	assert_true(sim_calls(b->m->s)->device_ns > 3 * 3 * 1.5e9);
}

static void
a_counter_that_stands_still(void **state)
{
	struct mbench *b = with_faults(*state, "\"energy_step_ms\": 60000");
	struct job *j = final_job(b, four, 2);

	j->energy = true;
	const struct final_record *f = play(b, j);
	assert_int_equal(f->status, RESULT_OK);
	assert_true(isnan(f->members[0].joules) && isnan(f->members[0].joules_error));
}

/* A final does not disturb what screening knows. */
static void
screening_goes_on_afterwards(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES);

	(void)mbench_screen(b, "T=100@1M");
	(void)play(b, final_job(b, four, 4));
	const struct result *r = mbench_screen(b, "T=120@1M");
	assert_int_equal(r->status, RESULT_OK);
	assert_true(r->window.screened_out);
	assert_true(str_is(r->window.anchor, "T=100@1M"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_clear_final_is_decided_at_once),
		scratch_test(twins_are_looked_at_three_times),
		scratch_test(the_same_final_has_the_same_schedule),
		scratch_test(one_short_one_makes_all_graphs),
		scratch_test(slow_ones_have_one_batch_a_visit),
		scratch_test(who_fails_is_out_and_the_others_go_on),
		scratch_test(a_refusal_in_the_middle),
		scratch_test(a_crash_ends_the_session),
		scratch_test(nobody_to_compare_with),
		scratch_test(members_that_do_not_fit_together),
		scratch_test(rounds_that_are_disturbed_do_not_count),
		scratch_test(somebody_else_comes),
		scratch_test(a_device_that_is_never_well),
		scratch_test(drift_cancels),
		scratch_test(joules_of_a_launch),
		scratch_test(a_counter_that_stands_still),
		scratch_test(screening_goes_on_afterwards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
