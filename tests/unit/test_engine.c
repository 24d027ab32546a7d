/* Jobs of every kind through what an executor runs, as the texts that it sends. */
#include "measure_bench.h"

#include "worker/execute.h"

struct open {
	struct scratch *s;
	void *opened;
	struct mbench bench; /* for its jobs */
};

static struct open
opened(struct scratch *s, const char *members)
{
	struct open o = {.s = s, .bench = {.s = s}};
	struct fault f;
	struct measure_watch quiet = {0};

	o.opened = engine_measure.open(&s->a, sim_device(s, members), quiet, &f);
	assert_non_null(o.opened);
	return o;
}

static const struct json *
answer(struct open *o, const struct job *j, enum result_status *status, bool *usable)
{
	struct diag d = {0};
	struct source *src = arena_new(&o->s->a, struct source);

	src->name = "answer";
	*usable = engine_measure.run(o->opened, &o->s->a, j, &src->text, status);
	return json_parse(&o->s->a, src, &d);
}

static void
a_candidate_is_a_result(void **state)
{
	struct open o = opened(*state, "\"time_ns\": \"1000*T\"");
	struct result r;
	struct diag d = {0};
	enum result_status status;
	bool usable;
	const struct json *v =
		answer(&o, mbench_job(&o.bench, JOB_SCREEN, "T=50@1M"), &status, &usable);

	assert_true(result_get(&o.s->a, v, &r, &d));
	assert_true(usable && status == RESULT_OK && r.status == RESULT_OK);
	assert_int_equal(r.kind, RESULT_SIMULATED);
	assert_near(r.median_ns, 50e3, 0.001);
}

static void
a_final_is_a_record(void **state)
{
	struct open o = opened(*state, "\"time_ns\": \"1000*T\", \"faults\": [{\"when\": "
				       "\"T == 7\", \"fault\": \"crash\"}]");
	struct job *j = mbench_job(&o.bench, JOB_FINAL, "T=50@1M");
	struct job_member two[2] = {j->member[0], j->member[0]};
	struct diag d = {0};
	enum result_status status;
	bool usable;

	two[1].point = STR_LIT("T=51@1M");
	j->member = two, j->n = 2, j->margin = 0.005;
	const struct final_record *f =
		final_record_read(&o.s->a, answer(&o, j, &status, &usable), &d);
	assert_non_null(f);
	assert_true(usable && status == RESULT_OK && f->n_members == 2);
	assert_true(f->n_rounds >= 10 && f->members[1].visits);
	/* A member that costs the process: the record is whole, the process is not. */
	two[1].point = STR_LIT("T=7@1M");
	f = final_record_read(&o.s->a, answer(&o, j, &status, &usable), &d);
	assert_non_null(f);
	assert_false(usable);
	assert_int_equal(status, RESULT_CRASHED);
	assert_int_equal(f->members[1].status, RESULT_CRASHED);
	assert_int_equal(f->members[0].status, RESULT_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_candidate_is_a_result),
		scratch_test(a_final_is_a_record),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
