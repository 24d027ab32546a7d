#include "backend/opencl_session.h"

#include "base/clock.h"

#include <sched.h>
#include <string.h>

/* --- faults ------------------------------------------------------------------------- */

static bool
is_out_of_memory(ocl_int e)
{
	return e == OCL_NO_MEMORY || e == OCL_NO_HOST_MEMORY ||
	       e == OCL_INVALID_BUFFER_SIZE;
}

/* A launch that is refused names what does not fit (clEnqueueNDRangeKernel). */
static enum result_status
status_of(enum opencl_step at, ocl_int e)
{
	if (is_out_of_memory(e))
		return RESULT_OOM;
	switch (at) {
	case OCL_LOAD: return RESULT_UNLOADABLE;
	case OCL_LAUNCH: return RESULT_UNLAUNCHABLE;
	case OCL_RUN: return RESULT_CRASHED;
	case OCL_OPEN:
	case OCL_MEMORY: break;
	}
	return RESULT_TROUBLE;
}

static bool
tell(struct session *s, enum result_status status, struct str reason, bool fatal)
{
	*s->call.f = (struct fault){status, reason, fatal};
	return false;
}

bool
opencl_fault(struct session *s, enum opencl_step at, ocl_int e, const char *what)
{
	return tell(s, status_of(at, e),
		str_fmt(s->call.a, "%s: %s", what, opencl_error(s->call.a, e)),
		at == OCL_RUN || at == OCL_OPEN);
}

bool
opencl_refuse(struct session *s, enum result_status status, struct str reason)
{
	return tell(s, status, reason, false);
}

static bool
opencl_hung(struct session *s, int64_t since_ns)
{
	return tell(s, RESULT_HUNG,
		str_fmt(s->call.a, "did not finish within %.3g s",
			(double)(clock_ns() - since_ns) * 1e-9),
		true);
}

/* --- launches ----------------------------------------------------------------------- */

bool
opencl_submit(struct session *s, struct loaded *l, ocl_event *done)
{
	l->pool->used = true;
	ocl_int e = s->api.launch(
		s->queue, l->kernel, 3, NULL, l->global, l->local, 0, NULL, done);
	return e == OCL_OK || opencl_fault(s, OCL_LAUNCH, e, "the launch was refused");
}

/* The core that the host spins on may be the one that the kernel waits for. */
static void
pause_for(int64_t waited_ns)
{
	if (waited_ns < 100000)
		sched_yield();
	else
		clock_sleep_ns(waited_ns < 100000000 ? 50000 : 1000000);
}

bool
opencl_wait(struct session *s, ocl_event event, int64_t since_ns, int64_t deadline_ns)
{
	ocl_int e = s->api.flush(s->queue);
	for (;;) {
		ocl_int status = 0;
		if (e == OCL_OK)
			e = s->api.event_info(
				event, OCL_EVENT_STATUS, sizeof status, &status, NULL);
		if (e == OCL_OK && status < 0)
			e = status;
		if (e != OCL_OK)
			return opencl_fault(s, OCL_RUN, e, "the kernel failed");
		if (status == OCL_COMPLETE)
			return true;
		int64_t now = clock_ns();
		if (now > deadline_ns)
			return opencl_hung(s, since_ns);
		pause_for(now - since_ns);
	}
}

/* --- open --------------------------------------------------------------------------- */

static uint64_t
device_number(struct session *s, ocl_uint what)
{
	uint64_t v = 0;
	(void)s->api.device_info(s->here.device, what, sizeof v, &v, NULL);
	return v;
}

static bool
context_make(struct session *s)
{
	struct opencl_pin pin;
	ocl_int e = OCL_OK;
	opencl_pin(&pin);
	s->context = s->api.context_create(NULL, 1, &s->here.device, NULL, NULL, &e);
	if (e == OCL_OK)
		s->queue = s->api.queue_create(
			s->context, s->here.device, OCL_PROFILING, &e);
	opencl_unpin(&pin);
	return e == OCL_OK ||
	       opencl_fault(s, OCL_OPEN, e, "the OpenCL device cannot be opened");
}

static struct session *
session_open(struct arena *a, const struct device *dev, struct fault *f)
{
	struct session *s = arena_new(a, struct session);
	const char *reason;
	struct str why;
	s->a = a;
	s->dev = dev;
	s->call = (struct call){a, f};
	if (!opencl_open(a, &s->api, &reason)) {
		tell(s, RESULT_TROUBLE, str_of(reason), true);
		return NULL;
	}
	if (!opencl_pick(a, &s->api, dev->uuid, &s->here, &why)) {
		tell(s, RESULT_TROUBLE, why, true);
		return NULL;
	}
	if (!context_make(s))
		return NULL;
	s->on_cpu = device_number(s, OCL_DEVICE_TYPE) & OCL_TYPE_CPU;
	s->cools = s->on_cpu && (device_number(s, OCL_DEVICE_CAN) & OCL_CAN_NATIVE);
	size_t align = (size_t)device_number(s, OCL_DEVICE_ALIGN_BITS) / 8;
	s->line_bytes = (size_t)device_number(s, OCL_DEVICE_LINE);
	if (s->line_bytes < 16)
		s->line_bytes = 64;
	opencl_pools_begin(s, align < 128 ? 128 : align); /* long16, the largest type */
	return s;
}

/* --- a candidate -------------------------------------------------------------------- */

static void
unload(struct session *s, struct loaded *l)
{
	opencl_drop_kernel(s, l);
	pool_drop(&l->pool);
}

static struct loaded *
load(struct session *s, struct arena *a, const struct bench_request *q, struct fault *f)
{
	struct loaded *l = arena_new(a, struct loaded);
	l->a = a;
	l->q = q;
	s->call = (struct call){a, f};
	if (opencl_load_kernel(s, l) && (l->pool = pool_get(&s->mainmem.pools, q)) &&
		opencl_arguments(s, l))
		return l;
	unload(s, l);
	return NULL;
}

static bool
refill(struct session *s, struct loaded *l, unsigned char poison, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return mainmem_restore(&s->mainmem, l->pool, 1) &&
	       mainmem_poison(&s->mainmem, l->pool, poison);
}

static bool
run(struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	ocl_event done;
	int64_t start = clock_ns();
	s->call = (struct call){l->a, f};
	if (!opencl_submit(s, l, &done))
		return false;
	bool ok = opencl_wait(s, done, start, deadline_ns);
	(void)s->api.event_release(done);
	return ok;
}

static bool
guards(struct session *s, struct loaded *l, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return pool_check(&s->mainmem.pools, l->pool);
}

static bool
fetch(struct session *s, struct loaded *l, size_t arg, void *to, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return mainmem_read(&s->mainmem, l->pool, arg, to);
}

static bool
batch_time(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return opencl_batch(s, l, b, deadline_ns, out);
}

static double
empty_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	struct fault unheard;
	(void)mode;
	s->call = (struct call){l->a, &unheard};
	return opencl_floor(s, l);
}

/* --- the device --------------------------------------------------------------------- */

static void
state(struct session *s, struct arena *a, struct device_state *out)
{
	struct noise others;
	*out = session_untold(STR_LIT("unknown: OpenCL does not tell"));
	if (!s->on_cpu)
		return;
	noise_look(a, &s->noise, &others);
	out->sharing = noise_text(a, &s->noise, &others);
}

const struct session_ops opencl_session = {
	.open = session_open,
	.load = load,
	.unload = unload,
	.refill = refill,
	.run = run,
	.guards = guards,
	.fetch = fetch,
	.graphs = session_no_graphs,
	.time = batch_time,
	.floor = empty_floor,
	.state = state,
	.now = session_now,
	.sleep = session_sleep,
};
