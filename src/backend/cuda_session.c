#include "backend/cuda_session.h"

#include "backend/cuda_library.h"
#include "backend/cuda_probe.h"

/* --- open --------------------------------------------------------------------------- */

static bool
pattern_make(struct session *s)
{
	enum { N = CUDA_CANARY + CUDA_ALIGN };
	s->pattern = pool_pattern(s->a, N);
	cu_result e = cuda_area_make(s, N, &s->canary);
	if (e != CU_OK)
		return cuda_fault(s, STEP_MEMORY, e, "memory for guard zones");
	memcpy(s->stage[0], s->pattern, N);
	e = s->api.copy_in_async(s->canary.at, s->stage[0], N, s->stream);
	if (e != CU_OK)
		return cuda_fault(s, STEP_OPEN, e, "making guard zones");
	return cuda_wait_for(s, NULL, cuda_move_deadline(N));
}

static bool
memory_make(struct session *s)
{
	for (int i = 0; i < 2; i++) {
		void *p = NULL;
		cu_result e = s->api.memory_host(&p, CUDA_STAGE, 0);
		if (e != CU_OK)
			return cuda_fault(s, STEP_MEMORY, e, "pinned memory");
		s->stage[i] = p;
	}
	cu_result e = cuda_area_make(s, 2 * sizeof(struct cuda_clock), &s->clocks);
	if (e == CU_OK)
		e = cuda_area_make(s, CUDA_SUMS * sizeof(uint64_t), &s->sums);
	if (e != CU_OK)
		return cuda_fault(s, STEP_MEMORY, e, "memory of our own");
	return pattern_make(s);
}

static bool
events_make(struct session *s)
{
	cu_event *const events[] = {
		&s->first, &s->last, &s->queue[0], &s->queue[1], &s->queue[2]};
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		cu_result e = s->api.event_create(events[i], 0);
		if (e != CU_OK)
			return cuda_fault(s, STEP_OPEN, e, "making an event");
	}
	return true;
}

static bool
context_make(struct session *s)
{
	cu_context context;
	/* Failing to set the way of waiting changes nothing that counts. */
	(void)s->api.context_flags(s->dev, CU_SCHED_SPIN);
	cu_result e = s->api.context_retain(&context, s->dev);
	if (e == CU_OK)
		e = s->api.context_set(context);
	if (e == CU_OK)
		e = s->api.stream_create(&s->stream, CU_NON_BLOCKING);
	return e == CU_OK || cuda_fault(s, STEP_OPEN, e, "the GPU cannot be opened");
}

static bool
device_find_here(struct session *s, const struct device *dev)
{
	struct str why;
	const char *reason;
	if (!cuda_open(s->a, &s->api, &reason))
		return cuda_refuse(s, RESULT_TROUBLE, str_of(reason));
	const struct device *here = cuda_probe(s->a, &s->api, dev->uuid, &s->dev, &why);
	if (!here)
		return cuda_refuse(s, RESULT_TROUBLE, why);
	s->uuid = here->uuid;
	s->l2_bytes = (uint64_t)here->l2_bytes;
	s->guarded = cuda_has_guards(s);
	return true;
}

static struct session *
session_open(struct arena *a, const struct device *dev, struct fault *f)
{
	struct session *s = arena_new(a, struct session);
	s->a = a;
	s->lead_ns = 50000;
	cuda_pools_begin(s);
	s->call = (struct call){a, f};
	if (!device_find_here(s, dev) || !context_make(s) || !events_make(s) ||
		!memory_make(s))
		return NULL;
	cuda_helpers_load(s);
	s->nvml = nvml_open(a, s->uuid);
	return s;
}

/* --- a candidate -------------------------------------------------------------------- */

/* A driver that lost its device may wait for it for ever. */
static void
unload(struct session *s, struct loaded *l)
{
	struct fault unheard;
	if (s->dead)
		return;
	s->call = (struct call){l->a, &unheard};
	cuda_graphs_drop(s, l);
	if (l->module)
		(void)s->api.module_unload(l->module);
	cuda_pool_drop(s, l);
}

static bool
values_take(struct session *s, struct loaded *l)
{
	const struct bench_request *q = l->q;
	l->bits = arena_news(l->a, q->n_args + 1, uint64_t);
	for (size_t i = 0; i < q->n_args; i++) {
		const struct arg *v = &q->args[i];
		if (!v->pointer && !v->known)
			return cuda_refuse(s, RESULT_UNLAUNCHABLE,
				str_fmt(l->a,
					"argument '%.*s' has no value; give it one in "
					"the spec",
					STR_ARG(v->name)));
		l->bits[i] = v->bits;
	}
	return true;
}

static struct loaded *
load(struct session *s, struct arena *a, const struct bench_request *q, struct fault *f)
{
	struct loaded *l = arena_new(a, struct loaded);
	l->a = a;
	l->q = q;
	s->call = (struct call){a, f};
	bool ok = values_take(s, l) &&
		  (q->library.n ? cuda_library_open(s, l) : cuda_load_kernel(s, l)) &&
		  (l->pool = pool_get(&s->pools, q));
	if (!ok) {
		unload(s, l);
		return NULL;
	}
	cuda_params(l, 1);
	return l;
}

static bool
refill(struct session *s, struct loaded *l, unsigned char poison, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return cuda_pool_restore(s, l->pool, 1) && cuda_pool_poison(s, l->pool, poison);
}

static bool
run(struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return cuda_submit(s, l, 0) && cuda_wait_for(s, NULL, deadline_ns);
}

static bool
guards(struct session *s, struct loaded *l, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return pool_check(&s->pools, l->pool);
}

/* One half of the stage is emptied while the other is filled. */
static bool
fetch(struct session *s, struct loaded *l, size_t arg, void *to, struct fault *f)
{
	const struct cuda_buffer *b = cuda_buffer(l->pool, arg);
	uint64_t had = 0, n_had = 0;
	unsigned half = 0;
	s->call = (struct call){l->a, f};
	for (uint64_t at = 0; at < b->bytes || n_had; half ^= 1) {
		uint64_t n = b->bytes - at < CUDA_STAGE ? b->bytes - at : CUDA_STAGE;
		cu_result e = n ? s->api.copy_out_async(s->stage[half], b->at + at,
					  (size_t)n, s->stream)
				: CU_OK;
		if (e != CU_OK)
			return cuda_fault(s, STEP_RUN, e, "reading an output");
		memcpy((char *)to + had, s->stage[half ^ 1], (size_t)n_had);
		if (!cuda_wait_for(s, NULL, cuda_move_deadline(n)))
			return false;
		had = at;
		n_had = n;
		at += n;
	}
	return true;
}

static bool
graphs(struct session *s, struct loaded *l)
{
	struct fault unheard;
	s->call = (struct call){l->a, &unheard};
	return cuda_graphs(s, l);
}

static bool
batch_time(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out, struct fault *f)
{
	s->call = (struct call){l->a, f};
	return cuda_batch(s, l, b, deadline_ns, out);
}

static double
empty_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	struct fault unheard;
	s->call = (struct call){l->a, &unheard};
	return cuda_floor(s, l, mode);
}

/* --- the device --------------------------------------------------------------------- */

static void
state(struct session *s, struct arena *a, struct device_state *out)
{
	int mps = 0;
	*out = (struct device_state){0};
	nvml_state(s->nvml, out);
	(void)s->api.device_attribute(&mps, CU_ATTR_MPS, s->dev);
	out->sharing = mps ? STR_LIT("mps") : nvml_sharing(s->nvml, a);
}

const struct session_ops cuda_session = {
	.open = session_open,
	.load = load,
	.unload = unload,
	.refill = refill,
	.run = run,
	.guards = guards,
	.fetch = fetch,
	.graphs = graphs,
	.time = batch_time,
	.floor = empty_floor,
	.state = state,
	.now = session_now,
	.sleep = session_sleep,
};
