/* The measuring protocol on a scripted device. */
#ifndef TESTS_UNIT_MEASURE_BENCH_H
#define TESTS_UNIT_MEASURE_BENCH_H

#include "sim_bench.h"

#include "measure/measure_parts.h"

#include <math.h>

#define MEASURE_ARGS "in=f32*[64]:exact,out=f32*[64]:out,n=i32:64"

struct steps {
	size_t n;
	char names[4096][16];
	int64_t allowed_ns[4096];
};

static inline void
note_step(void *arg, const char *name, int64_t allowed_ns)
{
	struct steps *s = arg;

	assert_true(allowed_ns > 0);
	if (s->n == 4096)
		return;
	snprintf(s->names[s->n], sizeof s->names[0], "%s", name);
	s->allowed_ns[s->n++] = allowed_ns;
}

struct mbench {
	struct scratch *s;
	struct measure *m;
	struct steps steps;
	bool lost; /* the last job ended the session */
};

static inline struct mbench *
mbench_open(struct scratch *s, const char *members)
{
	struct mbench *b = arena_new(&s->a, struct mbench);
	struct fault f = {.fatal = false};

	b->s = s;
	b->m = measure_open(&s->a, &backend_sim, sim_device(s, members),
		(struct measure_watch){note_step, &b->steps}, &f);
	if (!b->m)
		fail_msg("%.*s", STR_ARG(f.reason));
	return b;
}

static inline struct job *
mbench_job(struct mbench *b, enum job_kind kind, const char *point)
{
	struct job *j = arena_new(&b->s->a, struct job);
	const char *at = strrchr(point, '@');

	*j = (struct job){.kind = kind,
		.kernel = STR_LIT("k"),
		.size = str_of(at ? at + 1 : ""),
		.n = 1};
	j->member = arena_new(&b->s->a, struct job_member);
	j->member[0].point = str_of(point);
	j->member[0].request = *sim_request(b->s, "", MEASURE_ARGS);
	sim_reference(b->s, &j->member[0].request);
	return j;
}

static inline struct result *
mbench_run(struct mbench *b, const struct job *j)
{
	struct result *r = arena_new(&b->s->a, struct result);

	b->lost = !measure_candidate(b->m, &b->s->a, j, r);
	return r;
}

static inline struct result *
mbench_screen(struct mbench *b, const char *point)
{
	return mbench_run(b, mbench_job(b, JOB_SCREEN, point));
}

static inline const char *
reason_of(struct mbench *b, const struct result *r)
{
	return str_c(&b->s->a, r->reason);
}

/* Readings of r with this cause. */
static inline size_t
with_cause(const struct result *r, enum reading_void cause)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_readings; i++)
		n += r->readings[i].cause == cause;
	return n;
}

static inline void
assert_near(double got, double want, double relative)
{
	if (!(fabs(got / want - 1) <= relative))
		fail_msg("%.9g is not within %g of %.9g", got, relative, want);
}

#endif
