/* Runs that are not timed: for a reference, or under a checker. */
#include "measure/measure_parts.h"

#include "base/arena.h"

enum { RUNS = 3 };

static bool
run_some(struct measure *m, const struct bench_request *q, struct loaded *l,
	struct fault *f)
{
	int64_t allowed = measure_first_ns(q, 0);

	for (int i = 0; i < RUNS; i++) {
		measure_step(m, "run", allowed);
		if (!m->ops->refill(m->s, l, 0, f) ||
			!m->ops->run(m->s, l, measure_now(m) + allowed, f))
			return false;
	}
	return m->ops->guards(m->s, l, f);
}

/* Outputs are a reference only if they are the same twice. */
static bool
outputs(struct measure *m, struct arena *a, const struct bench_request *q,
	struct loaded *l, struct result *r, struct fault *f)
{
	struct verify v = {.m = m, .a = a, .q = q, .l = l, .r = r};

	bool ok = verify_open(&v, f) && verify_runs(&v, 0, f) &&
		  verify_write_outputs(&v, f);

	verify_close(&v);
	return ok;
}

bool
once(struct measure *m, struct arena *a, const struct job *j, struct result *r,
	struct fault *f)
{
	struct bench_request *q = arena_new(a, struct bench_request);

	*q = j->member[0].request;
	q->point = j->member[0].point;
	if (m->now)
		anchor_unload(m);
	struct loaded *l = measure_load(m, a, q, f);
	if (!l)
		return false;
	bool ok =
		j->kind == JOB_OUTPUTS ? outputs(m, a, q, l, r, f) : run_some(m, q, l, f);
	if (ok || !f->fatal)
		m->ops->unload(m->s, l);
	return ok;
}
