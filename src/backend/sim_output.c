#include "backend/sim_session.h"

#include "backend/fill.h"

#include <string.h>

/* The reference of an output: they are in the order of the outputs. */
static const struct ref_output *
reference_of(const struct loaded *l, size_t arg)
{
	size_t k = 0;

	for (size_t i = 0; i < arg; i++)
		k += l->q->args[i].output;
	return k < l->ref.n ? &l->ref.v[k] : NULL;
}

/* 8-byte form to storage. */
static void
narrow(const struct ref_output *r, void *to)
{
	size_t bytes = dtype_bytes(r->type);
	const char *from = r->data;
	unsigned char *p = to;

	for (uint64_t i = 0; i < r->count; i++, p += bytes, from += 8) {
		uint64_t bits;
		memcpy(&bits, from, sizeof bits);
		if (dtype_is_float(r->type)) {
			double v;
			memcpy(&v, &bits, sizeof v);
			/* What has no finite storage keeps a wrong one, and is found. */
			(void)dtype_encode(r->type, v, &bits);
		}
		memcpy(p, &bits, bytes);
	}
}

static void
right(const struct loaded *l, size_t arg, void *to)
{
	const struct ref_output *r = reference_of(l, arg);
	const struct arg *v = &l->q->args[arg];

	struct arg plain = *v;

	plain.fill = FILL_EXACT;
	if (r)
		narrow(r, to);
	else
		fill_all(&plain, fill_stream(l->q->seed + 1, arg), 0, v->count, to);
}

/* A number that is far off in every type. */
static void
spoil(const struct arg *v, uint64_t i, unsigned char *to)
{
	size_t bytes = dtype_bytes(v->type);

	for (size_t k = 0; k < bytes; k++)
		to[i * bytes + k] ^= 0x41;
}

static void
spoil_outputs(const struct loaded *l, const struct arg *v, unsigned char *to)
{
	size_t bytes = dtype_bytes(v->type);
	uint64_t half = v->count / 2;
	bool late = l->has[SIM_LATE] && l->batches > 0;

	if (l->has[SIM_WRONG] || late)
		spoil(v, 0, to);
	if (l->has[SIM_WRONG_LAST])
		spoil(v, v->count - 1, to);
	if (l->has[SIM_UNWRITTEN])
		memset(to + half * bytes, l->poison, (size_t)(v->count - half) * bytes);
	if (l->has[SIM_UNINITIALISED])
		to[0] ^= l->poison;
	if (l->has[SIM_NONDETERMINISTIC] && l->runs % 2)
		to[0] ^= 1;
}

void
sim_output(const struct session *s, const struct loaded *l, size_t arg, void *to)
{
	const struct arg *v = &l->q->args[arg];
	size_t bytes = (size_t)v->count * dtype_bytes(v->type);
	/* Buffers are shared: without a launch since, they hold another's. */
	bool ours = s->last == l && l->since_refill > 0;

	if (v->count == 0)
		return;
	if (!ours && v->input)
		fill_all(v, fill_stream(l->q->seed, arg), 0, v->count, to);
	else if (!ours)
		memset(to, l->poison, bytes);
	if (!ours)
		return;
	right(l, arg, to);
	/* What goes in and out has gone in again. */
	if (v->input && l->since_refill > 1)
		spoil(v, 0, to);
	spoil_outputs(l, v, to);
}
