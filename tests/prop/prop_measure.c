/*
 * Finals through the whole protocol on a simulated device, many times: how often a
 * difference is claimed where there is none, how often one of 0.5 % is found, beside what
 * plain comparison of intervals, one candidate after the other, would have said.
 *
 * prop_measure [FINALS]: of each kind on each device; 100 are run without a number.
 */
#include "unit/measure_bench.h"

#include "perf/final_input.h"
#include "perf/stats.h"

static const struct world {
	const char *name, *members;
} worlds[] = {
	{"quiet", "\"noise\": {\"sigma\": 0.001, \"rho\": 0.4}"},
	{"drifting",
		"\"noise\": {\"sigma\": 0.0015, \"rho\": 0.7}, \"drift_per_s\": 0.01"},
	{"clock ramp",
		"\"noise\": {\"sigma\": 0.001, \"rho\": 0.4}, \"clock\": {\"start\": "
		"0.9, \"rise_ms\": 1500}"},
};
enum { WORLDS = sizeof worlds / sizeof *worlds, BATCHES = 20, OTHERS = 50 };

static size_t finals = 100;

static struct mbench *
bench(struct scratch *s, const struct world *w, size_t seed)
{
	return mbench_open(s,
		str_c(&s->a, str_fmt(&s->a, "\"time_ns\": \"1000*T\", \"seed\": %zu, %s",
				     seed, w->members)));
}

/* A baseline, itself again, and a candidate that takes `t` of its 100 us. */
static struct job *
pair(struct mbench *b, const char *candidate)
{
	static const enum final_role roles[] = {
		FINAL_BASELINE, FINAL_CANDIDATE, FINAL_CONTROL};
	struct job *j = mbench_job(b, JOB_FINAL, "T=100@1M");
	struct bench_request q = j->member[0].request;

	j->n = 3;
	j->member = arena_news(&b->s->a, j->n, struct job_member);
	for (size_t i = 0; i < j->n; i++)
		j->member[i] = (struct job_member){
			.point = str_of(i == 1 ? candidate : "T=100@1M"),
			.role = roles[i],
			.request = q};
	return j;
}

/* Whether the final says that the candidate and the baseline differ, and which way. */
static int
final_says(struct mbench *b, const char *candidate)
{
	struct final_record f;
	struct final_readings r;

	assert_true(measure_final(b->m, &b->s->a, pair(b, candidate), &f));
	if (f.status != RESULT_OK)
		fail_msg("%.*s", STR_ARG(f.reason));
	assert_null(final_input(&b->s->a, &f, 0.005, &r));
	const struct final_decision *d = final_decide(&b->s->a, &r);
	const struct final_pair *p = final_pair(d, 1, 0);
	if (d->claim == FINAL_NO_CLAIM || !(p->adjusted <= d->alpha))
		return 0;
	return p->ratio > 1 ? 1 : -1;
}

/* --- the comparison ---------------------------------------------------------------- */

static int
ascending(const void *x, const void *y)
{
	const double *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

static struct timed
timed(struct mbench *b, const char *point)
{
	struct fault f;
	struct timed t = {.batch = {.launches = 20}, .ns = 100e3};

	t.l = b->m->ops->load(
		b->m->s, &b->s->a, sim_request(b->s, point, MEASURE_ARGS), &f);
	assert_non_null(t.l);
	return t;
}

static void
take(struct mbench *b, const char *point, double v[BATCHES])
{
	struct timed t = timed(b, point);
	struct reading r;
	struct fault f;

	for (int i = 0; i < BATCHES; i++) {
		assert_true(take_one(b->m, &t, &r, &f));
		v[i] = r.ns;
	}
	qsort(v, BATCHES, sizeof *v, ascending);
}

/* Twenty batches of the one, other work, twenty of the other; they differ when the 95 %
 * order-statistic intervals of their medians, the 6th to the 15th of 20, do not meet. */
static int
intervals_say(struct mbench *b, const char *candidate)
{
	struct timed warm = timed(b, "T=100@1M");
	struct fault f;
	struct reading r;
	double x[BATCHES], y[BATCHES];

	assert_true(warm_up(b->m, &warm, &f));
	take(b, "T=100@1M", x);
	for (int i = 0; i < OTHERS; i++)
		assert_true(take_one(b->m, &warm, &r, &f));
	take(b, candidate, y);
	return y[5] > x[14] ? 1 : y[14] < x[5] ? -1 : 0;
}

/* --- rates ------------------------------------------------------------------------- */

typedef int says(struct mbench *b, const char *candidate);

/* How often something (want 0) or the right thing is said. */
static size_t
count(void **state, const struct world *w, says *f, const char *candidate, int want)
{
	struct scratch *s = *state;
	size_t n = 0;

	for (size_t i = 0; i < finals; i++) {
		struct arena_mark mark = arena_mark(&s->a);
		int said = f(bench(s, w, i + 1), candidate);
		n += want ? said == want : said != 0;
		arena_pop(&s->a, mark);
	}
	return n;
}

static void
rates(void **state)
{
	printf("%zu finals each         false claims        0.5 %% found\n"
	       "                      final  intervals    final  intervals\n",
		finals);
	for (int i = 0; i < WORLDS; i++) {
		const struct world *w = &worlds[i];
		size_t wrong = count(state, w, final_says, "T=100,U=2@1M", 0);
		size_t plain = count(state, w, intervals_say, "T=100,U=2@1M", 0);
		size_t found = count(state, w, final_says, "T=100.5@1M", 1);
		size_t seen = count(state, w, intervals_say, "T=100.5@1M", 1);
		printf("%-18s %8zu %10zu %8zu %10zu\n", w->name, wrong, plain, found,
			seen);
		assert_true(wrong * 20 <= finals);
		assert_true(found * 20 >= finals * 19);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {scratch_test(rates)};
	uint64_t n;

	if (argc > 1 && str_to_u64(str_of(argv[1]), &n))
		finals = (size_t)n;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
