#include "backend/cuda_run.h"

#include "base/clock.h"

#include <sched.h>

bool
cuda_stop(struct cuda *c, enum result_status s, struct str reason)
{
	c->r->status = s;
	c->r->reason = reason;
	return false;
}

static enum result_status
load_status(cu_result e)
{
	/* 200..223 are about the image; 300..303 about its source; 500: no such entry. */
	if ((e >= CU_INVALID_IMAGE && e <= 223) || (e >= 300 && e <= 303) ||
		e == CU_NOT_FOUND)
		return RESULT_UNLOADABLE;
	return e == CU_INVALID_VALUE ? RESULT_UNLOADABLE : RESULT_TROUBLE;
}

static bool
refuses_launch(cu_result e)
{
	return e == CU_INVALID_VALUE || e == CU_INVALID_IMAGE || e == CU_NO_BINARY ||
	       e == CU_OUT_OF_RESOURCES || e == CU_COOPERATIVE_TOO_LARGE ||
	       e == CU_NOT_SUPPORTED || e == CU_INVALID_CLUSTER;
}

/* Once the kernel ran, any error is its doing: 700, 702, 710, 714..719, 721, ... */
enum result_status
cuda_status(enum cuda_phase at, cu_result e)
{
	if (e == CU_OUT_OF_MEMORY)
		return RESULT_OOM;
	switch (at) {
	case CUDA_LOAD: return load_status(e);
	case CUDA_LAUNCH: return refuses_launch(e) ? RESULT_UNLAUNCHABLE : RESULT_CRASHED;
	case CUDA_RUN: return RESULT_CRASHED;
	case CUDA_SETUP:
	case CUDA_MEMORY: break;
	}
	return RESULT_TROUBLE;
}

bool
cuda_fail(struct cuda *c, enum cuda_phase at, cu_result e, const char *what)
{
	return cuda_stop(c, cuda_status(at, e),
		str_fmt(c->a, "%s: %s", what, cuda_error(c->a, &c->api, e)));
}

/* Spinning first: a short kernel is done before a sleep would end. */
static void
pause_for(int64_t waited_ns)
{
	if (waited_ns < 2000000)
		sched_yield();
	else
		clock_sleep_ns(waited_ns < 100000000 ? 50000 : 1000000);
}

static bool
wait_for(struct cuda *c, cu_event event)
{
	int64_t start = clock_ns();
	for (;;) {
		cu_result e = event ? c->api.event_query(event)
				    : c->api.stream_query(c->stream);
		if (e == CU_OK)
			return true;
		if (e != CU_NOT_READY)
			return cuda_fail(c, CUDA_RUN, e, "the kernel failed");
		int64_t now = clock_ns();
		if (c->deadline_ns && now > c->deadline_ns)
			return cuda_stop(c, RESULT_HUNG,
				str_fmt(c->a, "did not finish within %.3g s",
					(double)c->q->timeout_ns * 1e-9));
		pause_for(now - start);
	}
}

bool
cuda_wait(struct cuda *c)
{
	return wait_for(c, NULL);
}

bool
cuda_wait_event(struct cuda *c, cu_event e)
{
	return wait_for(c, e);
}
