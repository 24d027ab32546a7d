/* Devices that say little, or fail in odd places: the simulated one with some of its
 * operations replaced. */
#include "measure_bench.h"

static struct session_ops odd;

static struct mbench *
odd_bench(struct scratch *s, const char *members)
{
	struct mbench *b = mbench_open(s, members);

	odd = *backend_sim.ops;
	b->m->ops = &odd;
	return b;
}

#define QUIET "\"time_ns\": \"1000*T\""

/* --- says little
 * --------------------------------------------------------------------------- */

static bool
bare_time(struct session *s, struct loaded *l, const struct batch *b, int64_t deadline_ns,
	struct reading *out, struct fault *f)
{
	bool ok = backend_sim.ops->time(s, l, b, deadline_ns, out, f);

	out->sm_mhz = out->power_w = out->celsius = out->host_ns = (double)NAN;
	out->reasons = 0;
	return ok;
}

static void
bare_state(struct session *s, struct arena *a, struct device_state *out)
{
	(void)s, (void)a;
	*out = (struct device_state){.energy_j = (double)NAN,
		.sm_mhz = (double)NAN,
		.sharing = STR_LIT("unknown: the driver does not tell")};
}

static double
no_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	return (double)NAN;
}

static void
a_device_without_nvml(void **state)
{
	struct mbench *b = odd_bench(*state, QUIET);

	odd.time = bare_time;
	odd.state = bare_state;
	odd.floor = no_floor;
	const struct result *r = mbench_screen(b, "T=100@1M");
	assert_int_equal(r->status, RESULT_OK);
	assert_int_equal(with_cause(r, READING_GOOD), r->n_readings);
	assert_true(isnan(r->readings[0].sm_mhz) && isnan(r->window.floor_ns));
	assert_true(str_starts(r->window.sharing, "unknown"));
	r = mbench_screen(b, "T=120@1M");
	assert_true(r->window.screened_out);

	struct job *j = mbench_job(b, JOB_FINAL, "T=100@1M");
	struct job_member two[2] = {j->member[0], j->member[0]};
	struct final_record f;
	two[1].point = STR_LIT("T=101@1M");
	j->member = two, j->n = 2, j->energy = true, j->margin = 0.005;
	assert_true(measure_final(b->m, &b->s->a, j, &f));
	assert_int_equal(f.status, RESULT_OK);
	assert_true(isnan(f.members[0].joules));
}

/* --- fails in odd places
 * ----------------------------------------------------------------------- */

static int left; /* calls until it fails */
static bool fatal;

static bool
fails_now(struct fault *f)
{
	if (left-- > 0)
		return false;
	*f = (struct fault){RESULT_CRASHED, STR_LIT("odd"), fatal};
	return true;
}

static bool
odd_refill(struct session *s, struct loaded *l, unsigned char poison, struct fault *f)
{
	return !fails_now(f) && backend_sim.ops->refill(s, l, poison, f);
}

static bool
odd_guards(struct session *s, struct loaded *l, struct fault *f)
{
	return !fails_now(f) && backend_sim.ops->guards(s, l, f);
}

static bool
odd_fetch(struct session *s, struct loaded *l, size_t arg, void *to, struct fault *f)
{
	return !fails_now(f) && backend_sim.ops->fetch(s, l, arg, to, f);
}

static bool
odd_time(struct session *s, struct loaded *l, const struct batch *b, int64_t deadline_ns,
	struct reading *out, struct fault *f)
{
	return !fails_now(f) && backend_sim.ops->time(s, l, b, deadline_ns, out, f);
}

static bool
odd_run(struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	return !fails_now(f) && backend_sim.ops->run(s, l, deadline_ns, f);
}

/* Wherever it fails, the result is that failure, has no time, and the session is lost if
 * and only if the failure was fatal. */
static void
any_operation_may_fail_at_any_time(void **state)
{
	struct session_ops replaced[5];

	for (int i = 0; i < 5; i++)
		replaced[i] = *backend_sim.ops;
	replaced[0].refill = odd_refill;
	replaced[1].guards = odd_guards;
	replaced[2].fetch = odd_fetch;
	replaced[3].time = odd_time;
	replaced[4].run = odd_run;
	for (int k = 0; k < 10; k++)
		for (int at = 0; at < 200; at = at < 4 ? at + 1 : at + 40) {
			struct mbench *b = odd_bench(*state, QUIET);
			odd = replaced[k / 2];
			left = at;
			fatal = k % 2;
			const struct result *r = mbench_screen(b, "T=100@1M");
			if (left >= 0) {
				assert_int_equal(r->status, RESULT_OK);
				continue;
			}
			assert_int_equal(r->status, RESULT_CRASHED);
			assert_true(str_is(r->reason, "odd") && isnan(r->median_ns));
			assert_int_equal(b->lost, fatal);
		}
}

static bool
no_clock(struct session *s, struct loaded *l, const struct batch *b, int64_t deadline_ns,
	struct reading *out, struct fault *f)
{
	bool ok = backend_sim.ops->time(s, l, b, deadline_ns, out, f);

	out->ns = 0;
	return ok;
}

static void
a_clock_that_stands_still(void **state)
{
	struct mbench *b = odd_bench(*state, QUIET);

	odd.time = no_clock;
	const struct result *r = mbench_screen(b, "T=100@1M");
	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "clock did not move");
	assert_false(b->lost);
}

/* Fails when the anchor is loaded for good, after its result is whole. */
static int loads;

static struct loaded *
odd_load(struct session *s, struct arena *a, const struct bench_request *q,
	struct fault *f)
{
	if (++loads != 2)
		return backend_sim.ops->load(s, a, q, f);
	*f = (struct fault){RESULT_CRASHED, STR_LIT("odd"), fatal};
	return NULL;
}

static void
an_anchor_that_cannot_be_loaded(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct mbench *b = odd_bench(*state, QUIET);
		odd.load = odd_load;
		loads = 0;
		fatal = k;
		const struct result *r = mbench_screen(b, "T=100@1M");
		/* The result holds; whether more can be measured is another question. */
		assert_int_equal(r->status, RESULT_OK);
		assert_int_equal(b->lost, fatal);
		if (fatal)
			continue;
		r = mbench_screen(b, "T=101@1M");
		assert_true(r->window.anchor.n == 0);
		r = mbench_screen(b, "T=102@1M");
		assert_true(str_is(r->window.anchor, "T=101@1M"));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_device_without_nvml),
		scratch_test(any_operation_may_fail_at_any_time),
		scratch_test(a_clock_that_stands_still),
		scratch_test(an_anchor_that_cannot_be_loaded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
