/* Screening: how long a candidate is timed, and between what. */
#include "measure_bench.h"

#define TIMES "\"time_ns\": \"1000*T\""
#define NOISE ", \"noise\": {\"sigma\": 0.0005, \"rho\": 0.3}"

static void
a_quiet_candidate_takes_seven_readings(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_int_equal(r->status, RESULT_OK);
	assert_int_equal(r->kind, RESULT_SIMULATED);
	assert_true(r->verified && str_is(r->verified_by, "oracle"));
	assert_int_equal(r->n_readings, SCREEN_MIN);
	assert_near(r->median_ns, 100e3, 0.001);
	assert_true(r->low_ns < r->median_ns && r->median_ns < r->high_ns);
	assert_int_equal(r->launches_per_batch, 20);
	assert_int_equal(r->window.launch, LAUNCH_STREAM);
	assert_true(r->window.floor_ns == 3650);
	assert_true(str_is(r->window.sharing, "exclusive"));
	assert_true(str_is(r->candidate, "T=100") && str_is(r->size, "1M"));
	assert_true(str_starts(r->device_uuid, "SIM-"));
	/* It is the first: there was nothing to be compared with. */
	assert_true(r->window.anchor.n == 0 && isnan(r->window.before_ns));
	assert_false(b->lost);
	/* Beside them, launches alone: by the host's clock with what a call costs it. */
	assert_int_equal(r->n_singles, SINGLES);
	for (size_t i = 0; i < r->n_singles; i++)
		assert_true(r->singles[i].host_ns > r->singles[i].ns);
}

static void
a_noisy_one_takes_thirty(void **state)
{
	struct mbench *b =
		mbench_open(*state, TIMES ", \"noise\": {\"sigma\": 0.03, \"rho\": 0.3}");
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_int_equal(r->status, RESULT_OK);
	assert_int_equal(r->n_readings, SCREEN_MAX);
	assert_true(r->window.noisy);
}

static void
slow_launches_are_readings(void **state)
{
	struct mbench *b =
		mbench_open(*state, TIMES ", \"noise\": {\"sigma\": 0.03, \"rho\": 0.3}");
	const struct result *r = mbench_screen(b, "T=300000@1M");

	assert_int_equal(r->status, RESULT_OK);
	assert_int_equal(r->launches_per_batch, 1);
	assert_int_equal(r->n_readings, BLOCK_READINGS);
	assert_int_equal(r->n_singles, 1);
	assert_true(r->window.noisy);
	/* The budget holds for those in between, too. */
	r = mbench_screen(b, "T=60000@2M");
	assert_true(r->n_readings >= BLOCK_READINGS && r->n_readings < SCREEN_MIN);
}

static void
brackets_are_chained(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE ", \"drift_per_s\": 0.01");
	const struct result *one, *two, *three;
	const struct sim_calls *calls = sim_calls(b->m->s);

	(void)mbench_screen(b, "T=100@1M");
	one = mbench_screen(b, "T=101@1M");
	int64_t times = calls->times;
	two = mbench_screen(b, "T=102@1M");
	times = calls->times - times;
	assert_true(str_is(one->window.anchor, "T=100@1M"));
	/* What was after the one is before the next. */
	assert_true(one->window.after_ns == two->window.before_ns);
	assert_near(two->window.after_ns, 100e3, 0.02);
	/* Two to calibrate, one thrown away, the readings, the anchor once, singles. */
	assert_int_equal(
		times, 2 + 1 + (int64_t)two->n_readings + BLOCK_READINGS + SINGLES);
	/* Not after a while. */
	b->m->ops->sleep(b->m->s, CHAIN_NS + 1);
	three = mbench_screen(b, "T=103@1M");
	assert_true(two->window.after_ns != three->window.before_ns);
}

/* What a job was made of is gone when the next one comes. */
static void
the_anchor_is_a_copy(void **state)
{
	static const char args[] =
		"in=f32*[64]:exact,out=f32*[64]:out,n=i32:64,w=f32*[4]:full:-3:3";
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	struct job *j = mbench_job(b, JOB_SCREEN, "T=100@1M");
	struct bench_request *q = &j->member[0].request;
	struct arena own = {0};
	struct str why, text, taps;
	struct arg *v;
	struct constant *c;

	assert_true(args_parse(&own, str_dup(&own, str_of(args)), &v, &q->n_args, &why));
	assert_true(constants_parse(&own, str_dup(&own, STR_LIT("taps=f32[3]:1;2;3")), &c,
		&q->n_constants, &why));
	text = args_text(&b->s->a, v, q->n_args);
	taps = constants_text(&b->s->a, c, q->n_constants);
	q->args = v, q->constants = c;
	q->point = str_dup(&own, STR_LIT("T=100@1M"));
	assert_int_equal(mbench_run(b, j)->status, RESULT_OK);
	memset((void *)(uintptr_t)c->bits, 0, 8 * 3);
	memset((void *)(uintptr_t)v[0].name.s, '?', v[0].name.n);
	memset((void *)(uintptr_t)c[0].name.s, '?', c[0].name.n);
	memset((void *)(uintptr_t)q->point.s, '?', q->point.n);
	memset(v, 0, q->n_args * sizeof *v);
	const struct bench_request *kept = &b->m->now->anchor.q;
	assert_true(str_eq(args_text(&b->s->a, kept->args, kept->n_args), text));
	assert_true(str_eq(
		constants_text(&b->s->a, kept->constants, kept->n_constants), taps));
	assert_true(str_is(kept->point, "T=100@1M"));
	arena_release(&own);
	const struct result *r = mbench_screen(b, "T=101@1M");
	assert_int_equal(r->status, RESULT_OK);
	assert_true(str_is(r->window.anchor, "T=100@1M"));
}

static void
clear_losers_are_stopped(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r;

	(void)mbench_screen(b, "T=100@1M");
	r = mbench_screen(b, "T=102@1M");
	assert_false(r->window.screened_out);
	r = mbench_screen(b, "T=110@1M");
	assert_true(r->window.screened_out);
	assert_int_equal(r->status, RESULT_OK);
	assert_int_equal(r->n_readings, 3);
	assert_true(str_is(r->window.incumbent, "T=100@1M"));
	assert_near(r->window.incumbent_ns, 100e3, 0.002);
	assert_true(r->window.race_margin == 0.05);
	/* A faster one is the incumbent from then on, the anchor stays. */
	r = mbench_screen(b, "T=90@1M");
	assert_false(r->window.screened_out);
	r = mbench_screen(b, "T=100@1M");
	assert_true(r->window.screened_out);
	assert_true(str_is(r->window.incumbent, "T=90@1M"));
	assert_true(str_is(r->window.anchor, "T=100@1M"));
	assert_near(r->window.incumbent_ns, 90e3, 0.002);
}

/* Between 3 % and 5 %: not after three readings, but after the fourth. */
static void
near_losers_are_stopped_later(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r;

	(void)mbench_screen(b, "T=100@1M");
	r = mbench_screen(b, "T=104.5@1M");
	assert_true(r->window.screened_out);
	assert_int_equal(r->n_readings, 4);
	assert_true(r->window.race_margin == 0.03);
}

static void
a_much_faster_one_becomes_the_anchor(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r;

	(void)mbench_screen(b, "T=1000@1M");
	(void)mbench_screen(b, "T=400@1M");
	r = mbench_screen(b, "T=401@1M");
	assert_true(str_is(r->window.anchor, "T=400@1M"));
	assert_near(r->window.before_ns, 400e3, 0.002);
	assert_false(r->window.screened_out);
	r = mbench_screen(b, "T=1000@1M");
	assert_true(r->window.screened_out);
	assert_true(str_is(r->window.incumbent, "T=400@1M"));
}

static void
problems_have_anchors_of_their_own(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r;

	(void)mbench_screen(b, "T=100@1M");
	r = mbench_screen(b, "T=500@2M");
	assert_true(r->window.anchor.n == 0 && !r->window.screened_out);
	r = mbench_screen(b, "T=510@2M");
	assert_true(str_is(r->window.anchor, "T=500@2M"));
	/* The first is not forgotten, nor what was the fastest there. */
	r = mbench_screen(b, "T=120@1M");
	assert_true(str_is(r->window.anchor, "T=100@1M"));
	assert_true(r->window.screened_out);
	struct job *warm = mbench_job(b, JOB_SCREEN, "T=120@1M");
	warm->cache = CACHE_WARM;
	assert_true(mbench_run(b, warm)->window.anchor.n == 0);
	struct job *elsewhere = mbench_job(b, JOB_SCREEN, "T=500@1M");
	elsewhere->project = STR_LIT("/another");
	r = mbench_run(b, elsewhere);
	assert_true(r->window.anchor.n == 0 && !r->window.screened_out);
}

/* --- graphs ------------------------------------------------------------------------ */

static void
short_launches_are_graphs(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r = mbench_screen(b, "T=2@1M");

	assert_int_equal(r->window.launch, LAUNCH_GRAPH);
	assert_near(r->median_ns, 2000, 0.002);
	assert_true(r->window.floor_ns == 506);
	assert_int_equal(r->launches_per_batch, 1024);
	/* All of the problem are, so that they can be compared. */
	r = mbench_screen(b, "T=200@1M");
	assert_int_equal(r->window.launch, LAUNCH_GRAPH);
	assert_true(r->window.screened_out);
	r = mbench_screen(b, "T=200@2M");
	assert_int_equal(r->window.launch, LAUNCH_STREAM);
}

static void
the_first_short_one_changes_the_way(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	const struct result *r;

	(void)mbench_screen(b, "T=25@1M");
	r = mbench_screen(b, "T=24@1M");
	assert_int_equal(r->window.launch, LAUNCH_STREAM);
	r = mbench_screen(b, "T=18@1M");
	assert_int_equal(r->window.launch, LAUNCH_GRAPH);
	assert_true(str_is(r->window.anchor, "T=25@1M"));
	assert_near(r->window.before_ns, 25e3, 0.002);
	r = mbench_screen(b, "T=24@1M");
	assert_int_equal(r->window.launch, LAUNCH_GRAPH);
	assert_true(str_is(r->window.incumbent, "T=18@1M"));
}

static void
what_cannot_be_captured_is_a_stream(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE);
	struct job *j = mbench_job(b, JOB_SCREEN, "T=12@1M");

	(void)mbench_screen(b, "T=10@1M");
	j->member[0].request.launch.cooperative = true;
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->window.launch, LAUNCH_STREAM);
	/* Others are not held against it: they are submitted in another way. */
	assert_false(r->window.screened_out);
	assert_near(r->window.before_ns, 10e3, 0.002);
	b = mbench_open(*state, TIMES ", \"graphs\": false");
	r = mbench_screen(b, "T=2@1M");
	assert_int_equal(r->window.launch, LAUNCH_STREAM);
	assert_true(r->median_ns > 3600 && r->window.floor_ns == 3650);
}

static void
batches_are_longer_than_the_step_of_events(void **state)
{
	assert_int_equal(calibrate_launches(1e6, SCREEN_BATCH_NS), 2);
	assert_int_equal(calibrate_launches(3e6, SCREEN_BATCH_NS), 1);
	/* 1.024 us are 0.1 % of 1.024 ms. */
	assert_int_equal(calibrate_launches(1e4, 0.1e6), 103);
	assert_int_equal(calibrate_launches(1e3, FINAL_BATCH_NS), 1024);
	assert_int_equal(calibrate_launches(1, SCREEN_BATCH_NS), LAUNCHES_MAX);
	assert_int_equal(calibrate_launches(7e3, SCREEN_BATCH_NS), 512);
}

/* --- the device changes ------------------------------------------------------------ */

/* The clock is at half when idle: the first thing is to bring it up. */
static void
clocks_are_brought_up_first(void **state)
{
	struct mbench *b = mbench_open(*state,
		TIMES ", \"clock\": {\"start\": 0.5, \"rise_ms\": 12, "
		      "\"fall_ms\": 500}");
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_near(r->median_ns, 100e3, 0.005);
	/* After a pause a little is enough. */
	b->m->ops->sleep(b->m->s, 300 * MEASURE_MS);
	double busy = sim_calls(b->m->s)->device_ns;
	r = mbench_screen(b, "T=99@1M");
	assert_true(r->n_readings <= 12);
	busy = sim_calls(b->m->s)->device_ns - busy;
	assert_true(busy > 65e6 && busy < 120e6);
}

static void
throttled_readings_are_void(void **state)
{
	struct mbench *b = mbench_open(*state,
		TIMES NOISE ", \"cost\": {\"open_ms\": 0}, \"events\": [{\"at_ms\": 213, "
			    "\"for_ms\": 60, \"clock\": 0.8, \"reasons\": 64}]");
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_int_equal(r->status, RESULT_OK);
	assert_true(with_cause(r, READING_THROTTLED) >= 1);
	assert_true(with_cause(r, READING_GOOD) >= SCREEN_MIN);
	assert_near(r->median_ns, 100e3, 0.002);
	assert_true(sim_calls(b->m->s)->sleeps >= 1);
}

static void
the_software_power_cap_is_normal(void **state)
{
	struct mbench *b =
		mbench_open(*state, TIMES NOISE ", \"events\": [{\"reasons\": 4}]");
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_int_equal(with_cause(r, READING_GOOD), r->n_readings);
	assert_int_equal(r->readings[0].reasons, 4);
}

static void
a_slow_clock_is_void_until_it_is_usual(void **state)
{
	struct mbench *b = mbench_open(*state,
		TIMES NOISE ", \"cost\": {\"open_ms\": 0}, \"events\": [{\"at_ms\": 300, "
			    "\"clock\": 0.7}]");
	const struct result *r = mbench_screen(b, "T=100@1M");
	size_t unstable = 0;

	assert_int_equal(r->status, RESULT_OK);
	b->m->ops->sleep(b->m->s, 90 * MEASURE_MS);
	for (int i = 0; i < 8; i++) {
		r = mbench_screen(b, "T=99@1M");
		if (r->status == RESULT_OK)
			break;
		assert_int_equal(r->status, RESULT_TROUBLE);
		assert_contains(reason_of(b, r), "unstable: ");
		assert_contains(reason_of(b, r), "slow-clock");
		assert_true(isnan(r->median_ns) && !b->lost);
		unstable++;
	}
	assert_true(unstable >= 1);
	assert_int_equal(r->status, RESULT_OK);
	assert_near(r->median_ns, 99e3 / 0.7, 0.002);
}

static void
always_throttled_is_unstable(void **state)
{
	struct mbench *b =
		mbench_open(*state, TIMES NOISE ", \"events\": [{\"reasons\": 8}]");
	const struct result *r = mbench_screen(b, "T=100@1M");

	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "unstable: 3 of 3 batches are void (throttled)");
}

static void
a_window_that_moved_is_measured_again(void **state)
{
	/* 5 % slower in the middle of the second candidate, and then for good. */
	struct mbench *b = mbench_open(*state,
		TIMES NOISE ", \"cost\": {\"open_ms\": 0}, \"events\": [{\"at_ms\": 255, "
			    "\"slow\": 1.05}]");
	const struct result *r = mbench_screen(b, "T=100@1M");
	size_t again = 0;

	while (again == 0 && b->m->ops->now(b->m->s) < 400 * MEASURE_MS) {
		r = mbench_screen(b, "T=99@1M");
		again = with_cause(r, READING_DRIFTED);
	}
	assert_true(again >= 3);
	assert_false(r->window.drifted);
	assert_near(r->window.before_ns, 105e3, 0.003);
	assert_near(r->window.after_ns, 105e3, 0.003);
	assert_near(r->median_ns, 99e3 * 1.05, 0.003);
}

static void
who_never_stands_still_drifted(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES NOISE ", \"drift_per_s\": 0.5");
	const struct result *r;

	(void)mbench_screen(b, "T=10000@1M");
	r = mbench_screen(b, "T=9900@1M");
	assert_int_equal(r->status, RESULT_OK);
	assert_true(r->window.drifted);
	/* The readings of the last window are those that count. */
	assert_true(with_cause(r, READING_GOOD) >= BLOCK_READINGS);
	assert_true(with_cause(r, READING_DRIFTED) >= 2 * BLOCK_READINGS);
}

/* The device becomes slower at any moment: what is said of the candidate as a multiple of
 * its anchor is right, or the window is marked. */
static void
a_step_at_any_moment(void **state)
{
	struct scratch *s = *state;
	size_t again = 0, raced = 0;

	for (int at = 200; at < 330; at++) {
		struct arena_mark mark = arena_mark(&s->a);
		struct mbench *b = mbench_open(s,
			str_c(&s->a, str_fmt(&s->a,
					     TIMES NOISE ", \"cost\": {\"open_ms\": 0}, "
							 "\"events\": [{\"at_ms\": %d, "
							 "\"slow\": %s}]",
					     at, at % 2 ? "1.05" : "1.018")));
		(void)mbench_screen(b, "T=100@1M");
		/* 5.2 % slower: out at once, unless the window has a drift. */
		const struct result *r = mbench_screen(b, "T=105.2@1M");
		const struct window *w = &r->window;
		double drift = fabs(w->after_ns / w->before_ns - 1);
		double ratio = 2 * r->median_ns / (w->before_ns + w->after_ns);
		assert_int_equal(r->status, RESULT_OK);
		again += with_cause(r, READING_DRIFTED) > 0;
		raced += w->screened_out;
		assert_true(w->drifted == (drift > BRACKET_CAUTION));
		if (!w->drifted)
			assert_near(ratio, 1.052, drift / 2 + 0.003);
		if (w->screened_out)
			assert_true(w->race_margin >= 3 * drift);
		arena_pop(&s->a, mark);
	}
	assert_true(again > 5 && raced > 100);
}

/* The race asks for more room while the device drifts. */
static void
drift_widens_the_race(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES ", \"drift_per_s\": 0.25");
	const struct result *r;

	(void)mbench_screen(b, "T=5000@1M");
	(void)mbench_screen(b, "T=5001@1M");
	r = mbench_screen(b, "T=5350@1M");
	double drift = fabs(r->window.after_ns / r->window.before_ns - 1);
	assert_true(drift > 0.005);
	assert_true(!r->window.screened_out || r->window.race_margin >= 3 * drift);
}

static void
others_on_the_device(void **state)
{
	struct mbench *b = mbench_open(*state,
		TIMES NOISE ", \"cost\": {\"open_ms\": 0}, \"events\": [{\"at_ms\": 215, "
			    "\"slow\": 1.3, \"sharing\": \"shared: 4711\"}]");
	const struct result *r = mbench_screen(b, "T=100@1M");

	/* They came while it was measured: again, and it says so. */
	assert_int_equal(r->status, RESULT_OK);
	assert_true(with_cause(r, READING_SHARED) >= 3);
	assert_true(str_is(r->window.sharing, "shared: 4711"));
	assert_near(r->median_ns, 130e3, 0.003);
	r = mbench_screen(b, "T=99@1M");
	assert_int_equal(with_cause(r, READING_SHARED), 0);
	assert_true(str_is(r->window.sharing, "shared: 4711"));
}

/* --- what may take long is told ---------------------------------------------------- */

static int64_t
allowed(const struct mbench *b, const char *name)
{
	for (size_t i = b->steps.n; i-- > 0;)
		if (strcmp(b->steps.names[i], name) == 0)
			return b->steps.allowed_ns[i];
	fail_msg("no step '%s'", name);
	return 0;
}

static void
deadlines(void **state)
{
	struct mbench *b = mbench_open(*state, TIMES);

	/* Who holds the process is told a second more than the session. */
	assert_int_equal(allowed(b, "open"), 61 * MEASURE_S);
	(void)mbench_screen(b, "T=100@1M");
	assert_true(allowed(b, "load") >= 60 * MEASURE_S);
	/* Nothing is known yet: the user's limit. */
	assert_int_equal(allowed(b, "first launch"), 11 * MEASURE_S);
	assert_in_range(allowed(b, "time"), 6008 * MEASURE_MS, 6009 * MEASURE_MS);
	/* However short the kernel is, its outputs may be large. */
	assert_true(allowed(b, "fetch") > 10 * MEASURE_S);
	assert_true(allowed(b, "compare") > 10 * MEASURE_S);
	assert_int_equal(measure_bytes_ns(1e9), 20 * MEASURE_S);
	(void)mbench_screen(b, "T=100@1M");
	assert_int_equal(allowed(b, "first launch"), 3 * MEASURE_S);
	(void)mbench_screen(b, "T=50000@2M");
	(void)mbench_screen(b, "T=50000@2M");
	assert_in_range(allowed(b, "first launch"), 5900 * MEASURE_MS, 6100 * MEASURE_MS);
	struct bench_request q = {.timeout_ns = MEASURE_S};
	assert_int_equal(measure_first_ns(&q, 1000), MEASURE_S);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_quiet_candidate_takes_seven_readings),
		scratch_test(a_noisy_one_takes_thirty),
		scratch_test(slow_launches_are_readings),
		scratch_test(brackets_are_chained),
		scratch_test(the_anchor_is_a_copy),
		scratch_test(clear_losers_are_stopped),
		scratch_test(near_losers_are_stopped_later),
		scratch_test(a_much_faster_one_becomes_the_anchor),
		scratch_test(problems_have_anchors_of_their_own),
		scratch_test(short_launches_are_graphs),
		scratch_test(the_first_short_one_changes_the_way),
		scratch_test(what_cannot_be_captured_is_a_stream),
		scratch_test(batches_are_longer_than_the_step_of_events),
		scratch_test(clocks_are_brought_up_first),
		scratch_test(throttled_readings_are_void),
		scratch_test(the_software_power_cap_is_normal),
		scratch_test(a_slow_clock_is_void_until_it_is_usual),
		scratch_test(always_throttled_is_unstable),
		scratch_test(a_window_that_moved_is_measured_again),
		scratch_test(who_never_stands_still_drifted),
		scratch_test(a_step_at_any_moment),
		scratch_test(drift_widens_the_race),
		scratch_test(others_on_the_device),
		scratch_test(deadlines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
