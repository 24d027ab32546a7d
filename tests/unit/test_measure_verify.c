/* What is wrong with a candidate, and that nothing wrong has a time. */
#include "measure_bench.h"

static struct mbench *
with_faults(struct scratch *s, const char *faults)
{
	return mbench_open(s,
		str_c(&s->a,
			str_fmt(&s->a, "\"time_ns\": 30000, \"faults\": [%s]", faults)));
}

static struct mbench *
with_fault(struct scratch *s, const char *fault)
{
	return with_faults(s,
		str_c(&s->a, str_fmt(&s->a, "{\"when\": \"T == 1\", \"fault\": \"%s\"}",
				     fault)));
}

static void
assert_no_time(const struct result *r)
{
	assert_true(isnan(r->median_ns) && isnan(r->low_ns) && isnan(r->high_ns));
	assert_false(r->verified);
	assert_int_equal(r->n_readings, 0);
	assert_int_equal(r->launches_per_batch, -1);
	assert_true(isnan(r->window.before_ns) && isnan(r->window.floor_ns));
}

/* Each fault has its status and reason; the healthy ones around it are measured. */
static void
every_fault_has_its_status(void **state)
{
	static const struct {
		const char *fault;
		enum result_status status;
		const char *reason;
		bool lost;
	} cases[] = {
		{"wrong", RESULT_WRONG, "'out': 1 of 64 elements differ; first is [0]",
			false},
		{"wrong-last", RESULT_WRONG,
			"'out': 1 of 64 elements differ; first is "
			"[63]",
			false},
		{"unwritten", RESULT_WRONG,
			"'out': 32 of 64 elements were never written; the first is [32] "
			"(or "
			"they are still what was there before: if the kernel is to leave "
			"or "
			"to update them, say \"inout\": true",
			false},
		{"uninitialised", RESULT_WRONG,
			"two runs on the same inputs differ in 1 of 64", false},
		{"nondeterministic", RESULT_WRONG,
			"two runs on the same inputs differ in 1 of 64", false},
		{"oob-one", RESULT_WRONG, "wrote outside 'out'", false},
		{"late", RESULT_WRONG, "two runs on the same inputs differ", false},
		{"oom", RESULT_OOM, "do not fit", false},
		{"unloadable", RESULT_UNLOADABLE, "refuses the module", false},
		{"unlaunchable", RESULT_UNLAUNCHABLE, "refuses the launch", false},
		{"crash", RESULT_CRASHED, "the kernel failed", true},
		{"oob-far", RESULT_CRASHED, "illegal memory access", true},
		{"overdue", RESULT_HUNG, "did not finish", true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mbench *b = with_fault(*state, cases[i].fault);
		assert_int_equal(mbench_screen(b, "T=2@1M")->status, RESULT_OK);
		const struct result *r = mbench_screen(b, "T=1@1M");
		assert_int_equal(r->status, cases[i].status);
		assert_contains(reason_of(b, r), cases[i].reason);
		assert_no_time(r);
		assert_int_equal(b->lost, cases[i].lost);
		if (!b->lost) {
			r = mbench_screen(b, "T=3@1M");
			assert_int_equal(r->status, RESULT_OK);
			assert_true(str_is(r->window.anchor, "T=2@1M"));
		}
	}
}

static void
errors_are_counted(void **state)
{
	struct mbench *b = with_fault(*state, "wrong");
	const struct result *r = mbench_screen(b, "T=1@1M");

	assert_int_equal(r->n_wrong, 1);
	assert_true(r->max_abs_error > 0);
	r = mbench_screen(b, "T=2@1M");
	assert_int_equal(r->n_wrong, 0);
	assert_true(r->max_abs_error == 0 && r->max_rel_error == 0);
	/* Runs that disagree have no distance from anything. */
	b = with_fault(*state, "uninitialised");
	r = mbench_screen(b, "T=1@1M");
	assert_int_equal(r->n_wrong, -1);
	assert_true(isnan(r->max_abs_error));
}

/* The low bit of an element may change when the spec says so and the tolerance has room.
 */
static void
nondeterminism_that_is_meant(void **state)
{
	struct mbench *b = with_fault(*state, "nondeterministic");
	struct job *j = mbench_job(b, JOB_SCREEN, "T=1@1M");

	j->member[0].request.nondeterministic = true;
	j->member[0].request.ulp = 1;
	assert_int_equal(mbench_run(b, j)->status, RESULT_OK);
	j->member[0].request.ulp = 0;
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_WRONG);
	/* Without tolerance it is one of the runs that is wrong. */
	assert_contains(reason_of(b, r), "1 of 64 elements differ");
	b = with_fault(*state, "late");
	j->member[0].request.ulp = 1;
	r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_WRONG);
	assert_contains(reason_of(b, r), "after the timing: 'out': 1 of 64");
}

static void
arguments_that_go_in_and_out(void **state)
{
	struct mbench *b = with_faults(*state, "");
	struct job *j = mbench_job(b, JOB_SCREEN, "T=1@1M");
	const char *args = "x=f32*[64]:inout/exact";

	/* It accumulates while it is timed, and is run anew for the comparison. */
	j->member[0].request = *sim_request(*state, "", args);
	sim_reference(*state, &j->member[0].request);
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_OK);
	assert_true(r->verified);
	assert_true(sim_calls(b->m->s)->runs == 3);
	b = with_fault(*state, "late");
	r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_WRONG);
}

static void
without_a_reference(void **state)
{
	struct mbench *b = with_fault(*state, "uninitialised");
	struct job *j = mbench_job(b, JOB_SCREEN, "T=2@1M");

	j->member[0].request.reference_path = NULL;
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_OK);
	assert_false(r->verified);
	assert_true(str_is(r->verified_by, "nothing: there is no reference"));
	assert_int_equal(r->n_wrong, -1);
	/* Two runs are compared all the same. */
	j->member[0].point = STR_LIT("T=1@1M");
	assert_int_equal(mbench_run(b, j)->status, RESULT_WRONG);
	j->member[0].request = *sim_request(*state, "", "in=f32*[64]:exact");
	sim_reference(*state, &j->member[0].request);
	r = mbench_run(b, j);
	assert_true(str_is(r->verified_by, "nothing: no argument is an output"));
	assert_false(r->verified);
}

static void
references_that_are_not_there(void **state)
{
	struct scratch *s = *state;
	struct mbench *b = with_faults(s, "");
	struct job *j = mbench_job(b, JOB_SCREEN, "T=2@1M");

	j->member[0].request.reference_path = "absent";
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "reference 'absent'");
	assert_false(b->lost);
	fs_write("failed", ref_failure(&s->a, "oracle", STR_LIT("it crashed")), NULL);
	j->member[0].request.reference_path = "failed";
	r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "there is no reference: it crashed");
	assert_no_time(r);
}

/* --- outputs and single runs ------------------------------------------------------- */

static void
outputs_become_a_reference(void **state)
{
	struct scratch *s = *state;
	struct mbench *b = with_fault(s, "uninitialised");
	struct job *j = mbench_job(b, JOB_OUTPUTS, "T=2@1M");
	struct ref ref;
	struct str why;

	j->member[0].request.reference_path = NULL;
	j->member[0].request.outputs_path = "made";
	const struct result *r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_OK);
	assert_true(isnan(r->median_ns) && r->n_readings == 0);
	assert_true(ref_open(&s->a, "made", j->member[0].request.args,
		j->member[0].request.n_args, &ref, &why));
	assert_true(str_is(ref.by, "baseline"));
	/* Others agree with it. */
	struct job *k = mbench_job(b, JOB_SCREEN, "T=3@1M");
	k->member[0].request.reference_path = "made";
	k->member[0].request.reference_by = STR_LIT("baseline");
	r = mbench_run(b, k);
	/* The device takes outputs from the reference: what differs is what it says. */
	assert_int_equal(r->status, RESULT_OK);
	assert_true(str_is(r->verified_by, "baseline"));
	/* One that is not the same twice is none. */
	j->member[0].point = STR_LIT("T=1@1M");
	j->member[0].request.outputs_path = "unmade";
	assert_int_equal(mbench_run(b, j)->status, RESULT_WRONG);
	assert_false(fs_exists("unmade"));
	fs_write("file", STR_LIT("x"), NULL);
	j->member[0].point = STR_LIT("T=2@1M");
	j->member[0].request.outputs_path = "/dev/null/x";
	r = mbench_run(b, j);
	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "cannot write '/dev/null/x'");
}

static void
run_a_few_times(void **state)
{
	struct mbench *b = with_fault(*state, "crash");
	const struct result *r = mbench_run(b, mbench_job(b, JOB_ONCE, "T=2@1M"));

	assert_int_equal(r->status, RESULT_OK);
	assert_true(isnan(r->median_ns));
	assert_int_equal(sim_calls(b->m->s)->runs, 3);
	assert_int_equal(sim_calls(b->m->s)->times, 0);
	r = mbench_run(b, mbench_job(b, JOB_ONCE, "T=1@1M"));
	assert_int_equal(r->status, RESULT_CRASHED);
	assert_true(b->lost);
}

/* --- the session is lost ----------------------------------------------------------- */

/* A fault while it is timed, after it was verified. */
static void
a_fault_in_the_middle_of_timing(void **state)
{
	struct mbench *b = with_faults(
		*state, "{\"when\": \"T == 1\", \"fault\": \"crash\", \"after\": 5}");
	const struct result *r;

	(void)mbench_screen(b, "T=2@1M");
	r = mbench_screen(b, "T=1@1M");
	assert_int_equal(r->status, RESULT_CRASHED);
	assert_no_time(r);
	assert_true(b->lost);
}

/* What happens to the anchor is not the candidate's fault, and is said. */
static void
the_anchor_fails(void **state)
{
	struct mbench *b = with_faults(
		*state, "{\"when\": \"T == 2\", \"fault\": \"crash\", \"after\": 250}");
	const struct result *r = mbench_screen(b, "T=2@1M");

	for (int i = 0; i < 200 && r->status == RESULT_OK; i++)
		r = mbench_screen(b, "T=3@1M");
	assert_int_equal(r->status, RESULT_TROUBLE);
	assert_contains(reason_of(b, r), "the candidate 'T=2@1M' that others are "
					 "measured against failed");
	assert_true(b->lost);
}

static void
an_anchor_that_does_not_fit(void **state)
{
	/* Each fits alone. */
	struct mbench *b =
		mbench_open(*state, "\"time_ns\": 30000, \"memory_bytes\": 1000");
	struct job *j = mbench_job(b, JOB_SCREEN, "T=2@1M");
	const struct result *r = mbench_run(b, j);

	assert_int_equal(r->status, RESULT_OK);
	j = mbench_job(b, JOB_SCREEN, "T=3@1M");
	j->member[0].request =
		*sim_request(*state, "", "in=f32*[128]:exact,out=f32*[64]:out");
	sim_reference(*state, &j->member[0].request);
	r = mbench_run(b, j);
	/* It has no bracket then. */
	assert_int_equal(r->status, RESULT_OK);
	assert_true(r->window.anchor.n == 0);
}

static void
a_device_that_cannot_be_opened(void **state)
{
	struct scratch *s = *state;
	struct device dev = *sim_device(s, "\"time_ns\": 1");
	struct fault f;
	struct measure_watch quiet = {0};

	dev.script = STR_LIT("{");
	assert_null(measure_open(&s->a, &backend_sim, &dev, quiet, &f));
	assert_int_equal(f.status, RESULT_TROUBLE);
	assert_true(f.fatal && f.reason.n > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(every_fault_has_its_status),
		scratch_test(errors_are_counted),
		scratch_test(nondeterminism_that_is_meant),
		scratch_test(arguments_that_go_in_and_out),
		scratch_test(without_a_reference),
		scratch_test(references_that_are_not_there),
		scratch_test(outputs_become_a_reference),
		scratch_test(run_a_few_times),
		scratch_test(a_fault_in_the_middle_of_timing),
		scratch_test(the_anchor_fails),
		scratch_test(an_anchor_that_does_not_fit),
		scratch_test(a_device_that_cannot_be_opened),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
