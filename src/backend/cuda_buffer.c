#include "backend/cuda_run.h"

#include "backend/fill.h"
#include "base/arena.h"
#include "base/rng.h"

enum { ALIGN = 256 };

static uint64_t
round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static bool
has_vmm(const struct cuda *c)
{
	int v = 0;
	const struct cuda_api *api = &c->api;
	return api->memory_reserve && api->memory_create && api->memory_map &&
	       api->memory_access && api->memory_granularity &&
	       api->device_attribute(&v, CU_ATTR_VMM, c->dev) == CU_OK && v;
}

/* Guard, mapped, guard: the ends of the middle fault when they are crossed. */
static cu_result
map_guarded(struct cuda *c, uint64_t bytes, cu_pointer *mapped, uint64_t *mapped_bytes)
{
	struct cu_memory_kind kind = {
		.type = CU_MEMORY_PINNED, .location = {CU_MEMORY_ON_DEVICE, c->dev}};
	struct cu_access access = {kind.location, CU_MEMORY_READ_WRITE};
	size_t unit = 0;
	cu_memory memory;
	cu_pointer base;
	cu_result e = c->api.memory_granularity(&unit, &kind, CU_GRANULARITY_MINIMUM);
	if (e != CU_OK)
		return e;
	uint64_t n = round_up(bytes, unit);
	e = c->api.memory_reserve(&base, n + 2 * unit, 0, 0, 0);
	if (e == CU_OK)
		e = c->api.memory_create(&memory, n, &kind, 0);
	if (e == CU_OK)
		e = c->api.memory_map(base + unit, n, 0, memory, 0);
	if (e == CU_OK)
		e = c->api.memory_access(base + unit, n, &access, 1);
	*mapped = base + unit;
	*mapped_bytes = n;
	return e;
}

/* The buffer's end lies at the end of the mapping, up to its alignment. */
static cu_result
make_guarded(struct cuda *c, struct cuda_buffer *b)
{
	cu_pointer mapped = 0;
	uint64_t room = round_up(b->bytes, ALIGN), n = 0;
	cu_result e = map_guarded(c, CUDA_CANARY_BYTES + room, &mapped, &n);
	b->at = mapped + n - room;
	b->n_after = (size_t)(room - b->bytes);
	return e;
}

static cu_result
make_plain(struct cuda *c, struct cuda_buffer *b)
{
	cu_pointer base = 0;
	uint64_t room = round_up(b->bytes, ALIGN);
	cu_result e = c->api.memory_alloc(&base, room + UINT64_C(2) * CUDA_CANARY_BYTES);
	b->at = base + CUDA_CANARY_BYTES;
	b->n_after = (size_t)(room - b->bytes) + CUDA_CANARY_BYTES;
	return e;
}

/* Any fixed bytes that a kernel does not write by accident. */
static unsigned char *
canary_pattern(struct arena *a)
{
	enum { N = CUDA_CANARY_BYTES + ALIGN };
	unsigned char *p = arena_alloc(a, N);
	for (size_t i = 0; i < N; i += 8) {
		uint64_t word = rng_at(0x6c616e65, i);
		memcpy(p + i, &word, 8);
	}
	return p;
}

static bool
buffer_make(struct cuda *c, const struct arg *v, struct cuda_buffer *b, bool guarded,
	const unsigned char *canary)
{
	b->bytes = v->count * dtype_bytes(v->type);
	cu_result e = guarded ? make_guarded(c, b) : make_plain(c, b);
	b->before = b->at - CUDA_CANARY_BYTES;
	b->n_before = CUDA_CANARY_BYTES;
	b->after = b->at + b->bytes;
	if (e == CU_OK)
		e = c->api.copy_in_async(b->before, canary, b->n_before, c->stream);
	if (e == CU_OK && b->n_after)
		e = c->api.copy_in_async(b->after, canary, b->n_after, c->stream);
	if (e != CU_OK)
		return cuda_fail(c, CUDA_MEMORY, e,
			str_fmt(c->a, "argument '%.*s' (%llu bytes)", STR_ARG(v->name),
				(unsigned long long)b->bytes)
				.s);
	if (v->output) {
		b->first = arena_alloc(c->a, b->bytes);
		b->again = arena_alloc(c->a, b->bytes);
	}
	return true;
}

bool
cuda_buffers_make(struct cuda *c)
{
	const unsigned char *canary = canary_pattern(c->a);
	bool guarded = has_vmm(c);
	for (size_t i = 0; i < c->q->n_args; i++) {
		if (c->q->args[i].pointer &&
			!buffer_make(c, &c->q->args[i], &c->buffer[i], guarded, canary))
			return false;
	}
	return true;
}

static bool
stage_make(struct cuda *c)
{
	for (int i = 0; i < 2 && !c->stage[i]; i++) {
		void *p = NULL;
		cu_result e = c->api.memory_host(&p, CUDA_STAGE_BYTES, 0);
		if (e != CU_OK)
			return cuda_fail(c, CUDA_MEMORY, e, "pinned memory");
		c->stage[i] = p;
	}
	return true;
}

/* One half is filled while the other is copied. */
static bool
buffer_fill(struct cuda *c, size_t position)
{
	const struct arg *v = &c->q->args[position];
	const struct cuda_buffer *b = &c->buffer[position];
	size_t bytes = dtype_bytes(v->type);
	uint64_t each = CUDA_STAGE_BYTES / bytes,
		 stream = fill_stream(c->q->seed, position);
	unsigned half = 0;
	for (uint64_t i = 0; i < v->count; i += each, half ^= 1) {
		uint64_t n = v->count - i < each ? v->count - i : each;
		fill_all(v, stream, i, n, c->stage[half]);
		if (!cuda_wait(c))
			return false;
		cu_result e = c->api.copy_in_async(b->at + i * bytes, c->stage[half],
			(size_t)(n * bytes), c->stream);
		if (e != CU_OK)
			return cuda_fail(c, CUDA_RUN, e, "copying an input");
	}
	/* The next buffer starts with half 0, which may be in flight. */
	return cuda_wait(c);
}

bool
cuda_buffers_fill(struct cuda *c)
{
	if (!stage_make(c))
		return false;
	for (size_t i = 0; i < c->q->n_args; i++) {
		if (c->q->args[i].pointer && c->q->args[i].input && !buffer_fill(c, i))
			return false;
	}
	return true;
}

bool
cuda_buffers_refill_inout(struct cuda *c)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		if (v->pointer && v->input && v->output && !buffer_fill(c, i))
			return false;
	}
	return true;
}

bool
cuda_buffers_poison(struct cuda *c, unsigned char byte)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		if (!v->pointer || v->input || c->buffer[i].bytes == 0)
			continue;
		cu_result e = c->api.set_bytes(
			c->buffer[i].at, byte, (size_t)c->buffer[i].bytes, c->stream);
		if (e != CU_OK)
			return cuda_fail(c, CUDA_RUN, e, "poisoning an output");
	}
	return true;
}

/* How many bytes of a zone are not what was put there. */
static bool
zone_check(struct cuda *c, const struct arg *v, cu_pointer at, size_t n,
	const char *where, const unsigned char *canary, unsigned char *scratch)
{
	size_t changed = 0;
	if (n == 0)
		return true;
	cu_result e = c->api.copy_out(scratch, at, n);
	if (e != CU_OK)
		return cuda_fail(c, CUDA_RUN, e, "reading a guard zone");
	for (size_t i = 0; i < n; i++)
		changed += scratch[i] != canary[i];
	if (changed == 0)
		return true;
	return cuda_stop(c, RESULT_WRONG,
		str_fmt(c->a, "wrote outside '%.*s': %zu bytes %s it changed",
			STR_ARG(v->name), changed, where));
}

bool
cuda_canaries_check(struct cuda *c)
{
	struct arena_mark mark = arena_mark(c->a);
	const unsigned char *canary = canary_pattern(c->a);
	unsigned char *scratch = arena_alloc(c->a, CUDA_CANARY_BYTES + ALIGN);
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		const struct cuda_buffer *b = &c->buffer[i];
		if (!v->pointer)
			continue;
		if (!zone_check(
			    c, v, b->before, b->n_before, "before", canary, scratch) ||
			!zone_check(c, v, b->after, b->n_after, "after", canary, scratch))
			return false; /* the reason lives in the arena: no pop */
	}
	arena_pop(c->a, mark);
	return true;
}

bool
cuda_outputs_fetch(struct cuda *c, bool again)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct cuda_buffer *b = &c->buffer[i];
		if (!c->q->args[i].output || b->bytes == 0)
			continue;
		cu_result e = c->api.copy_out(
			again ? b->again : b->first, b->at, (size_t)b->bytes);
		if (e != CU_OK)
			return cuda_fail(c, CUDA_RUN, e, "reading an output");
	}
	return true;
}
