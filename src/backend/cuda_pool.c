#include "backend/cuda_session.h"

#include "backend/fill.h"

static uint64_t
round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

struct cuda_buffer *
cuda_buffer(const struct pool *p, size_t arg)
{
	return (struct cuda_buffer *)p->buffers + arg;
}

cu_pointer
cuda_buffer_at(const struct cuda_buffer *b, unsigned copy)
{
	return copy ? b->copies.at + (copy - 1) * b->stride + CUDA_MARGIN : b->at;
}

/* --- guard zones -------------------------------------------------------------------- */

struct zone {
	size_t arg;
	bool after;
	cu_pointer at;
	size_t n;
};

/* Two a pointer and copy; false behind the last one. */
static bool
zone_get(const struct pool *p, unsigned copies, size_t i, struct zone *z)
{
	size_t copy = i / (2 * p->n_args);
	*z = (struct zone){.arg = i / 2 % p->n_args, .after = i % 2};
	if (copy >= copies)
		return false;
	const struct cuda_buffer *b = cuda_buffer(p, z->arg);
	if (!p->args[z->arg].pointer)
		return true;
	cu_pointer at = cuda_buffer_at(b, (unsigned)copy);
	uint64_t room = round_up(b->bytes, CUDA_ALIGN);
	if (!z->after) {
		z->n = copy ? CUDA_MARGIN : CUDA_CANARY;
		z->at = at - z->n;
		return true;
	}
	z->at = at + b->bytes;
	z->n = (size_t)(copy ? room - b->bytes : b->home.at + b->home.bytes - z->at);
	return true;
}

static bool
zones_set(struct session *s, const struct pool *p, unsigned from, unsigned copies)
{
	struct zone z;
	for (size_t i = 2 * p->n_args * from; p->n_args && zone_get(p, copies, i, &z);
		i++) {
		cu_result e = z.n ? s->api.copy_async(z.at, s->canary.at, z.n, s->stream)
				  : CU_OK;
		if (e != CU_OK)
			return cuda_fault(s, STEP_RUN, e, "making a guard zone");
	}
	return true;
}

static bool
zone_check(struct session *s, const struct pool *p, const struct zone *z,
	const unsigned char *holds)
{
	size_t changed = 0;
	for (size_t i = 0; i < z->n; i++)
		changed += holds[i] != s->pattern[i];
	if (changed == 0)
		return true;
	return pool_wrote_outside(&s->call, &p->args[z->arg], changed, z->after);
}

/* As many zones as the stage holds are fetched and compared at a time. */
static bool
zones_check(struct session *s, const struct pool *p, unsigned copies)
{
	struct zone z;
	for (size_t i = 0, next; p->n_args && zone_get(p, copies, i, &z); i = next) {
		size_t used = 0;
		for (next = i; zone_get(p, copies, next, &z); next++) {
			if (used + z.n > CUDA_STAGE)
				break;
			cu_result e = z.n ? s->api.copy_out_async(s->stage[0] + used,
						    z.at, z.n, s->stream)
					  : CU_OK;
			if (e != CU_OK)
				return cuda_fault(s, STEP_RUN, e, "reading a guard zone");
			used += z.n;
		}
		if (!cuda_wait_for(s, NULL, cuda_move_deadline(used)))
			return false;
		used = 0;
		for (size_t j = i; j < next && zone_get(p, copies, j, &z); j++) {
			if (!zone_check(s, p, &z, s->stage[0] + used))
				return false;
			used += z.n;
		}
	}
	return true;
}

/* --- inputs ------------------------------------------------------------------------- */

/* One half of the stage is filled while the other is copied. */
static bool
input_fill(struct session *s, const struct pool *p, size_t i, cu_pointer to)
{
	const struct arg *v = &p->args[i];
	uint64_t stream = fill_stream(p->seed, i), bytes = dtype_bytes(v->type);
	uint64_t each = CUDA_STAGE / bytes;
	unsigned half = 0;
	for (uint64_t at = 0; at < v->count; at += each, half ^= 1) {
		uint64_t n = v->count - at < each ? v->count - at : each;
		fill_all(v, stream, at, n, s->stage[half]);
		if (!cuda_wait_for(s, NULL, cuda_move_deadline(CUDA_STAGE)))
			return false;
		cu_result e = s->api.copy_in_async(
			to + at * bytes, s->stage[half], (size_t)(n * bytes), s->stream);
		if (e != CU_OK)
			return cuda_fault(s, STEP_RUN, e, "copying an input");
	}
	/* The next one starts with half 0, which may be in flight. */
	return cuda_wait_for(s, NULL, cuda_move_deadline(CUDA_STAGE));
}

static bool
copy_buffer(struct session *s, cu_pointer to, cu_pointer from, uint64_t bytes)
{
	cu_result e =
		bytes ? s->api.copy_async(to, from, (size_t)bytes, s->stream) : CU_OK;
	return e == CU_OK || cuda_fault(s, STEP_RUN, e, "copying an input");
}

/*
 * The sums of all inputs in all copies, copies first, as lanewise_sum makes them; none
 * when we have no kernel for it.
 */
static bool
inputs_sum(struct session *s, const struct pool *p, unsigned copies, uint64_t *sum)
{
	uint64_t moved = 0;
	size_t n = 0;
	if (!s->helper.sum)
		return true;
	cu_result e = s->api.set_bytes(s->sums.at, 0, CUDA_SUMS * sizeof *sum, s->stream);
	for (size_t i = 0; i < p->n_args; i++) {
		const struct cuda_buffer *b = cuda_buffer(p, i);
		for (unsigned c = 0; pool_is_input(&p->args[i]) && c < copies; c++) {
			if (e == CU_OK)
				e = cuda_sum_submit(s, cuda_buffer_at(b, c), b->bytes,
					s->sums.at + n * sizeof *sum);
			moved += b->bytes;
			n++;
		}
	}
	if (e == CU_OK && n)
		e = s->api.copy_out_async(
			s->stage[0], s->sums.at, n * sizeof *sum, s->stream);
	if (e != CU_OK)
		return cuda_fault(s, STEP_RUN, e, "summing the inputs");
	if (!cuda_wait_for(s, NULL, cuda_move_deadline(moved)))
		return false;
	memcpy(sum, s->stage[0], n * sizeof *sum);
	return true;
}

/* What the inputs are, from now on. */
static bool
inputs_know(struct session *s, struct pool *p)
{
	uint64_t sum[POOL_ARGS_MAX] = {0};
	size_t n = 0;
	if (!inputs_sum(s, p, 1, sum))
		return false;
	for (size_t i = 0; i < p->n_args; i++) {
		if (pool_is_input(&p->args[i]))
			cuda_buffer(p, i)->sum = sum[n++];
	}
	return true;
}

static bool
pool_fill(struct session *s, struct pool *p)
{
	for (size_t i = 0; i < p->n_args; i++) {
		struct cuda_buffer *b = cuda_buffer(p, i);
		if (pool_is_inout(&p->args[i]) && b->pristine.at &&
			!input_fill(s, p, i, b->pristine.at))
			return false;
		if (!pool_is_input(&p->args[i]))
			continue;
		if (!input_fill(s, p, i, b->at))
			return false;
		for (unsigned copy = 1; copy < p->copies; copy++) {
			if (!copy_buffer(s, cuda_buffer_at(b, copy), b->at, b->bytes))
				return false;
		}
	}
	return inputs_know(s, p);
}

static bool
inputs_check(struct session *s, struct pool *p, unsigned copies)
{
	struct arena_mark mark = arena_mark(s->call.a);
	uint64_t *sum = arena_news(s->call.a, p->n_args * copies + 1, uint64_t);
	size_t n = 0, damaged = SIZE_MAX;
	if (!inputs_sum(s, p, copies, sum))
		return false; /* the reason lives in the arena: no pop */
	for (size_t i = 0; s->helper.sum && i < p->n_args; i++) {
		for (unsigned c = 0; pool_is_input(&p->args[i]) && c < copies; c++) {
			if (sum[n++] != cuda_buffer(p, i)->sum)
				damaged = i;
		}
	}
	arena_pop(s->call.a, mark);
	if (damaged == SIZE_MAX)
		return true;
	return pool_wrote_input(&s->call, &p->args[damaged]);
}

bool
cuda_pool_restore(struct session *s, struct pool *p, unsigned copies)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct cuda_buffer *b = cuda_buffer(p, i);
		if (!pool_is_inout(&p->args[i]))
			continue;
		if (!b->pristine.at && !input_fill(s, p, i, b->at))
			return false;
		cu_pointer from = b->pristine.at ? b->pristine.at : b->at;
		for (unsigned copy = b->pristine.at ? 0 : 1; copy < copies; copy++) {
			if (!copy_buffer(s, cuda_buffer_at(b, copy), from, b->bytes))
				return false;
		}
	}
	return true;
}

bool
cuda_pool_poison(struct session *s, struct pool *p, unsigned char byte)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct arg *v = &p->args[i];
		if (!v->pointer || v->input || v->count == 0)
			continue;
		cu_result e = s->api.set_bytes(cuda_buffer(p, i)->at, byte,
			(size_t)cuda_buffer(p, i)->bytes, s->stream);
		if (e != CU_OK)
			return cuda_fault(s, STEP_RUN, e, "poisoning an output");
	}
	return true;
}

/* Who wrote beside a buffer may have written into the next one: zones are set anew at
 * once, and inputs when the next candidate is loaded. */
static bool
pool_look(struct session *s, struct pool *p)
{
	unsigned copies = p->rotated ? p->copies : 1;
	if (!zones_check(s, p, copies)) {
		struct fault told = *s->call.f;
		if (!told.fatal && zones_set(s, p, 0, p->copies))
			*s->call.f = told;
		return false;
	}
	return inputs_check(s, p, copies);
}

/* --- memory ------------------------------------------------------------------------- */

static void
buffers_free(struct session *s, struct pool *p)
{
	for (size_t i = 0; i < p->n_args; i++) {
		cuda_area_free(s, &cuda_buffer(p, i)->home);
		cuda_area_free(s, &cuda_buffer(p, i)->copies);
		cuda_area_free(s, &cuda_buffer(p, i)->pristine);
	}
}

cu_result
cuda_area_get(struct session *s, uint64_t bytes, struct cuda_area *out)
{
	cu_result e = cuda_area_make(s, bytes, out);
	if (e == CU_OUT_OF_MEMORY && pools_evict(&s->pools))
		e = cuda_area_make(s, bytes, out);
	return e;
}

/* The buffer's end lies at the end of the mapping, up to its alignment. */
static bool
buffer_make(struct session *s, const struct arg *v, struct cuda_buffer *b)
{
	b->bytes = v->count * dtype_bytes(v->type);
	b->stride = CUDA_MARGIN + round_up(b->bytes, CUDA_ALIGN);
	uint64_t room = round_up(b->bytes, CUDA_ALIGN) + (s->guarded ? 0 : CUDA_CANARY);
	cu_result e = cuda_area_get(s, CUDA_CANARY + room, &b->home);
	if (e != CU_OK)
		return cuda_fault(s, STEP_MEMORY, e,
			str_fmt(s->call.a, "argument '%.*s' (%llu bytes)",
				STR_ARG(v->name), (unsigned long long)b->bytes)
				.s);
	b->at = b->home.at + b->home.bytes - room;
	/* Without a second copy its inputs are made by the host each time. */
	if (pool_is_inout(v))
		(void)cuda_area_get(s, b->bytes, &b->pristine);
	return true;
}

static bool
buffers_make(struct session *s, struct pool *p)
{
	for (size_t i = 0; i < p->n_args; i++) {
		if (p->args[i].pointer && !buffer_make(s, &p->args[i], cuda_buffer(p, i)))
			return false;
	}
	return zones_set(s, p, 0, 1);
}

void
cuda_pools_begin(struct session *s)
{
	static const struct pool_ops ops = {sizeof(struct cuda_buffer), buffers_make,
		buffers_free, pool_fill, pool_look};
	s->pools = (struct pools){s, &ops, &s->call, NULL};
}

/* Without our kernel nobody knows whether the inputs are still what they were. */
void
cuda_pool_drop(struct session *s, struct loaded *l)
{
	if (l->pool && !s->helper.sum)
		l->pool->filled = false;
	pool_drop(&l->pool);
}

/* --- copies ------------------------------------------------------------------------- */

/* At most half of the free memory, so that others have some. */
static unsigned
copies_that_fit(struct session *s, uint64_t stride, unsigned wanted)
{
	size_t free_bytes = 0, total;
	if (wanted < 2 || stride == 0 || s->api.memory_info(&free_bytes, &total) != CU_OK)
		return 1;
	uint64_t n = 1 + free_bytes / 2 / stride;
	return n < wanted ? (unsigned)n : wanted;
}

static bool
copies_make(struct session *s, struct pool *p, unsigned copies)
{
	for (size_t i = 0; i < p->n_args; i++) {
		struct cuda_buffer *b = cuda_buffer(p, i);
		cu_result e =
			p->args[i].pointer
				? cuda_area_make(s, b->stride * (copies - 1), &b->copies)
				: CU_OK;
		if (e == CU_OK)
			continue;
		for (size_t j = 0; j < i; j++)
			cuda_area_free(s, &cuda_buffer(p, j)->copies);
		/* Cold batches are then as cold as one buffer makes them. */
		return e == CU_OUT_OF_MEMORY ||
		       cuda_fault(s, STEP_MEMORY, e, "copies of the buffers");
	}
	p->copies = copies;
	if (!zones_set(s, p, 1, copies))
		return false;
	for (size_t i = 0; i < p->n_args; i++) {
		struct cuda_buffer *b = cuda_buffer(p, i);
		for (unsigned c = 1; p->args[i].pointer && c < copies; c++) {
			if (!copy_buffer(s, cuda_buffer_at(b, c), b->at, b->bytes))
				return false;
		}
	}
	return true;
}

bool
cuda_pool_rotate(struct session *s, struct pool *p)
{
	uint64_t bytes = 0, stride = 0;
	if (p->copies > 1)
		return true;
	for (size_t i = 0; i < p->n_args; i++) {
		bytes += cuda_buffer(p, i)->bytes;
		stride += p->args[i].pointer ? cuda_buffer(p, i)->stride : 0;
	}
	unsigned wanted = pool_copies_wanted(s->l2_bytes, bytes);
	unsigned copies = copies_that_fit(s, stride, wanted);
	if (copies < wanted && pools_evict(&s->pools))
		copies = copies_that_fit(s, stride, wanted);
	return copies < 2 || copies_make(s, p, copies);
}
