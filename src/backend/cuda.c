/*
 * The CUDA backend, from probe to result:
 *
 *     open the driver -> context -> module -> buffers -> inputs
 *       -> two verified runs -> timing -> the outputs once more
 */
#include "backend/backend.h"
#include "backend/cuda_probe.h"
#include "backend/cuda_run.h"
#include "backend/session.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"

#include <math.h>

static struct device *
probe(struct arena *a, struct str which, struct str *why)
{
	struct cuda_api api;
	const char *reason;
	cu_device dev;
	if (!cuda_open(a, &api, &reason)) {
		*why = str_of(reason);
		return NULL;
	}
	return cuda_probe(a, &api, which, &dev, why);
}

static bool
open_device(struct cuda *c, const struct device *dev)
{
	struct str why;
	const char *reason;
	cu_context context;
	if (!cuda_open(c->a, &c->api, &reason))
		return cuda_stop(c, RESULT_TROUBLE, str_of(reason));
	const struct device *here = cuda_probe(c->a, &c->api, dev->uuid, &c->dev, &why);
	if (!here)
		return cuda_stop(c, RESULT_TROUBLE, why);
	c->r->device = here->name;
	c->r->device_uuid = here->uuid;
	c->r->driver = here->driver;
	/* Failing to set the way of waiting changes nothing that counts. */
	(void)c->api.context_flags(c->dev, CU_SCHED_SPIN);
	cu_result e = c->api.context_retain(&context, c->dev);
	if (e == CU_OK)
		e = c->api.context_set(context);
	if (e == CU_OK)
		e = c->api.stream_create(&c->stream, CU_NON_BLOCKING);
	return e == CU_OK || cuda_fail(c, CUDA_SETUP, e, "the GPU cannot be opened");
}

static bool
open_reference(struct cuda *c, struct ref *ref, const struct ref **use)
{
	struct str why;
	*use = NULL;
	c->r->verified_by = STR_LIT("nothing: there is no reference");
	if (!c->q->reference_path)
		return true;
	if (!ref_open(c->a, c->q->reference_path, c->q->args, c->q->n_args, ref, &why))
		return cuda_stop(c, RESULT_TROUBLE, why);
	if (ref->failed.n)
		return cuda_stop(c, RESULT_TROUBLE,
			str_fmt(c->a, "there is no reference: %.*s",
				STR_ARG(ref->failed)));
	if (ref->n == 0) {
		c->r->verified_by = STR_LIT("nothing: no argument is an output");
		return true;
	}
	*use = ref;
	return true;
}

static bool
write_outputs(struct cuda *c)
{
	struct buf b = {.a = c->a};
	buf_addstr(&b, ref_header(c->a, "baseline", c->q->args, c->q->n_args));
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		if (!v->output)
			continue;
		size_t bytes = (size_t)v->count * 8;
		char *wide = arena_alloc(c->a, bytes);
		ref_widen(v->type, c->buffer[i].first, v->count, wide);
		buf_add(&b, wide, bytes);
	}
	if (fs_try_write(c->q->outputs_path, buf_str(&b), NULL))
		return true;
	return cuda_stop(c, RESULT_TROUBLE,
		str_fmt(c->a, "cannot write '%s'", c->q->outputs_path));
}

/* What was claimed on the way holds only if the end was reached. */
static void
withdraw(struct result *r)
{
	r->median_ns = r->low_ns = r->high_ns = (double)NAN;
	r->n_readings = 0;
	r->launches_per_batch = -1;
	r->verified = false;
}

static bool
measure(struct cuda *c, const struct device *dev)
{
	struct ref ref;
	const struct ref *use;
	if (!open_device(c, dev) || !open_reference(c, &ref, &use))
		return false;
	if (!cuda_module_load(c) || !cuda_buffers_make(c) || !cuda_buffers_fill(c))
		return false;
	c->deadline_ns = clock_ns() + c->q->timeout_ns;
	if (!cuda_verify(c, use))
		return false;
	if (c->q->outputs_only)
		return write_outputs(c);
	if (!cuda_timing(c) || !cuda_verify_again(c, use))
		return false;
	c->r->verified = use != NULL;
	if (use)
		c->r->verified_by = c->q->reference_by;
	return true;
}

static void
run(struct arena *a, const struct device *dev, const struct bench_request *q,
	struct result *r)
{
	struct cuda *c = arena_new(a, struct cuda);
	c->a = a;
	c->q = q;
	c->r = r;
	r->kind = RESULT_MEASURED;
	r->status = RESULT_TROUBLE; /* until something better is known */
	if (measure(c, dev)) {
		r->status = RESULT_OK;
		return;
	}
	withdraw(r);
	if (!r->reason.n)
		r->reason = STR_LIT("the device told no time");
}

const struct backend backend_cuda = {.name = "cuda",
	.about = "NVIDIA GPUs, through the driver",
	.probe = probe,
	.run = run,
	.ops = &cuda_session,
	.kind = RESULT_MEASURED};
