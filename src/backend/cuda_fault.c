#include "backend/cuda_session.h"

#include "base/arena.h"
#include "base/clock.h"

#include <sched.h>

/* About the image (200..223), its source (300..303), or no such name. */
static bool
is_about_image(cu_result e)
{
	return (e >= CU_INVALID_IMAGE && e <= 223) || (e >= 300 && e <= 303) ||
	       e == CU_NOT_FOUND || e == CU_INVALID_VALUE;
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
cuda_step_status(enum cuda_step at, cu_result e)
{
	if (e == CU_OUT_OF_MEMORY)
		return RESULT_OOM;
	switch (at) {
	case STEP_LOAD: return is_about_image(e) ? RESULT_UNLOADABLE : RESULT_TROUBLE;
	case STEP_LAUNCH: return refuses_launch(e) ? RESULT_UNLAUNCHABLE : RESULT_CRASHED;
	case STEP_RUN: return RESULT_CRASHED;
	case STEP_OPEN:
	case STEP_MEMORY: break;
	}
	return RESULT_TROUBLE;
}

/*
 * cuda.h says of 700, 702, 714 to 719 and others that they leave the process in an
 * inconsistent state.  Of an error that is not known to be harmless the same is assumed.
 */
bool
cuda_is_fatal(enum cuda_step at, cu_result e)
{
	if (e == CU_OUT_OF_MEMORY || e == CU_INVALID_VALUE)
		return false;
	return !(at == STEP_LOAD ? is_about_image(e) : refuses_launch(e));
}

static bool
tell(struct session *s, enum result_status status, struct str reason, bool fatal)
{
	*s->call.f = (struct fault){status, reason, fatal};
	s->dead |= fatal;
	return false;
}

bool
cuda_fault(struct session *s, enum cuda_step at, cu_result e, const char *what)
{
	return tell(s, cuda_step_status(at, e),
		str_fmt(s->call.a, "%s: %s", what, cuda_error(s->call.a, &s->api, e)),
		cuda_is_fatal(at, e));
}

bool
cuda_refuse(struct session *s, enum result_status status, struct str reason)
{
	return tell(s, status, reason, false);
}

static bool
cuda_hung(struct session *s, int64_t since_ns)
{
	return tell(s, RESULT_HUNG,
		str_fmt(s->call.a, "did not finish within %.3g s",
			(double)(clock_ns() - since_ns) * 1e-9),
		true);
}

int64_t
cuda_move_deadline(uint64_t bytes)
{
	/* 0.1 GB/s is far below every bus; ten seconds are for a machine that swaps. */
	return clock_ns() + INT64_C(10000000000) + (int64_t)bytes * 10;
}

/* Spinning first: a short kernel is done before a sleep would end. */
static void
pause_for(int64_t waited_ns)
{
	if (waited_ns < 5000000)
		sched_yield();
	else
		clock_sleep_ns(waited_ns < 100000000 ? 50000 : 1000000);
}

bool
cuda_wait_for(struct session *s, cu_event event, int64_t deadline_ns)
{
	int64_t start = clock_ns();
	for (;;) {
		cu_result e = event ? s->api.event_query(event)
				    : s->api.stream_query(s->stream);
		if (e == CU_OK)
			return true;
		if (e != CU_NOT_READY)
			return cuda_fault(s, STEP_RUN, e, "the kernel failed");
		int64_t now = clock_ns();
		if (now > deadline_ns)
			return cuda_hung(s, start);
		pause_for(now - start);
	}
}
