#include "backend/opencl_session.h"

#include "base/clock.h"

#include <math.h>

/*
 * A launch is timed by its own event, from the start of the command to its end, so that
 * what lies between launches is not in it.  A reading is the mean over its batch: all is
 * submitted, and then waited for.  Warm, a launch that is not counted goes before; cold,
 * before each the device is told to throw the buffers out of its caches.
 */

static bool
event_ns(struct session *s, ocl_event e, double *sum_ns)
{
	uint64_t start = 0, end = 0;
	ocl_int x = s->api.event_time(e, OCL_TIME_START, sizeof start, &start, NULL);
	if (x == OCL_OK)
		x = s->api.event_time(e, OCL_TIME_END, sizeof end, &end, NULL);
	if (x != OCL_OK)
		return opencl_fault(s, OCL_RUN, x, "reading an event's times");
	*sum_ns += end > start ? (double)(end - start) : 0;
	return true;
}

/* *n of done are to be released. */
static bool
submit_all(struct session *s, struct loaded *l, const struct batch *b, ocl_event *done,
	int64_t *n)
{
	bool cold = b->cache == CACHE_COLD && !b->alone;
	if (!cold && b->launches > 1) {
		ocl_event unheard;
		if (!opencl_submit(s, l, &unheard))
			return false;
		(void)s->api.event_release(unheard);
	}
	for (; *n < b->launches; ++*n) {
		if (cold && !opencl_pool_cool(s, l->pool))
			return false;
		if (!opencl_submit(s, l, &done[*n]))
			return false;
	}
	return true;
}

/* Launches of one queue are in order: when the last is done, all are. */
static bool
run_all(struct session *s, struct loaded *l, const struct batch *b, int64_t deadline_ns,
	double *sum_ns)
{
	struct arena scratch = {0};
	int64_t n = 0, start = clock_ns();
	ocl_event *done = arena_news(&scratch, (size_t)b->launches, ocl_event);
	bool ok = submit_all(s, l, b, done, &n) &&
		  opencl_wait(s, done[n - 1], start, deadline_ns);
	for (int64_t i = 0; i < n; i++) {
		ok = ok && event_ns(s, done[i], sum_ns);
		(void)s->api.event_release(done[i]);
	}
	arena_release(&scratch);
	return ok;
}

/* Before a launch that is alone; what was submitted is known to end. */
static bool
idle(struct session *s, struct loaded *l, const struct batch *b)
{
	if (b->cache == CACHE_COLD && !opencl_pool_cool(s, l->pool))
		return false;
	ocl_int e = s->api.finish(s->queue);
	return e == OCL_OK || opencl_fault(s, OCL_RUN, e, "emptying the caches");
}

bool
opencl_batch(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out)
{
	double sum_ns = 0, n = (double)b->launches;
	if (b->launch != LAUNCH_STREAM)
		return opencl_refuse(s, RESULT_TROUBLE,
			STR_LIT("launches cannot be recorded on an OpenCL device"));
	if (!mainmem_restore(&s->mainmem, l->pool, 1) || (b->alone && !idle(s, l, b)))
		return false;
	int64_t start = clock_ns();
	if (!run_all(s, l, b, deadline_ns, &sum_ns))
		return false;
	double host_ns = (double)(clock_ns() - start);
	if (!(sum_ns > 0))
		return opencl_refuse(
			s, RESULT_TROUBLE, STR_LIT("the device's clock did not move"));
	*out = (struct reading){.ns = sum_ns / n,
		.host_ns = host_ns / n,
		.sm_mhz = (double)NAN,
		.power_w = (double)NAN,
		.celsius = (double)NAN};
	return true;
}

/* --- the floor ---------------------------------------------------------------------- */

static double
middle(const double v[3])
{
	return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

/* An empty kernel in the shape of l: the middle of three batches. */
double
opencl_floor(struct session *s, struct loaded *l)
{
	enum { LAUNCHES = 16, ROUNDS = 3 };
	static const int64_t ALLOWED_NS = 10 * INT64_C(1000000000);
	struct pool none = {0};
	struct bench_request q = *l->q;
	struct loaded empty = *l;
	struct batch b = {LAUNCHES, LAUNCH_STREAM, CACHE_WARM, false};
	double v[ROUNDS] = {0};
	ocl_int e = OCL_OK;
	q.n_args = 0;
	empty.q = &q;
	empty.pool = &none;
	if (!s->empty &&
		!opencl_build(s, STR_LIT("__kernel void lanewise_empty(void) {}\n"),
			(struct str){0}, &s->empty))
		return (double)NAN;
	empty.kernel = s->api.kernel_create(s->empty, "lanewise_empty", &e);
	if (e != OCL_OK)
		return (double)NAN;
	bool ok = true;
	for (int i = 0; ok && i < ROUNDS; i++) {
		struct reading r = {.ns = 0};
		ok = opencl_batch(s, &empty, &b, clock_ns() + ALLOWED_NS, &r);
		v[i] = r.ns;
	}
	(void)s->api.kernel_release(empty.kernel);
	return ok ? middle(v) : (double)NAN;
}
