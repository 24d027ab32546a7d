#include "backend/cuda_session.h"

static uint64_t
round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

bool
cuda_has_guards(struct session *s)
{
	int v = 0;
	const struct cuda_api *api = &s->api;
	return api->memory_reserve && api->memory_create && api->memory_map &&
	       api->memory_access && api->memory_granularity && api->memory_unmap &&
	       api->memory_release && api->memory_unreserve &&
	       api->device_attribute(&v, CU_ATTR_VMM, s->dev) == CU_OK && v;
}

static cu_result
make_plain(struct session *s, uint64_t bytes, struct cuda_area *out)
{
	cu_result e = s->api.memory_alloc(&out->at, (size_t)bytes);
	out->bytes = bytes;
	if (e != CU_OK)
		out->at = 0;
	return e;
}

/* Guard, mapped, guard: the ends of the middle fault when they are crossed. */
static cu_result
map_guarded(struct session *s, uint64_t bytes, size_t unit, struct cuda_area *out,
	const struct cu_memory_kind *kind)
{
	const struct cuda_api *api = &s->api;
	struct cu_access access = {kind->location, CU_MEMORY_READ_WRITE};
	out->bytes = round_up(bytes, unit);
	out->reserved_bytes = out->bytes + 2 * unit;
	cu_result e = api->memory_reserve(&out->reserved, out->reserved_bytes, 0, 0, 0);
	if (e != CU_OK) {
		out->reserved = 0;
		return e;
	}
	e = api->memory_create(&out->memory, out->bytes, kind, 0);
	if (e != CU_OK) {
		out->memory = 0;
		return e;
	}
	e = api->memory_map(out->reserved + unit, out->bytes, 0, out->memory, 0);
	if (e != CU_OK)
		return e;
	out->at = out->reserved + unit;
	return api->memory_access(out->at, out->bytes, &access, 1);
}

cu_result
cuda_area_make(struct session *s, uint64_t bytes, struct cuda_area *out)
{
	struct cu_memory_kind kind = {
		.type = CU_MEMORY_PINNED, .location = {CU_MEMORY_ON_DEVICE, s->dev}};
	size_t unit = 0;
	*out = (struct cuda_area){0};
	if (!s->guarded)
		return make_plain(s, bytes, out);
	cu_result e = s->api.memory_granularity(&unit, &kind, CU_GRANULARITY_MINIMUM);
	if (e == CU_OK)
		e = map_guarded(s, bytes, unit, out, &kind);
	if (e != CU_OK)
		cuda_area_free(s, out);
	return e;
}

/* What cannot be given back is lost until the process ends; nothing depends on it. */
void
cuda_area_free(struct session *s, struct cuda_area *m)
{
	if (!m->reserved) {
		if (m->at)
			(void)s->api.memory_free(m->at);
	} else {
		if (m->at)
			(void)s->api.memory_unmap(m->at, m->bytes);
		if (m->memory)
			(void)s->api.memory_release(m->memory);
		(void)s->api.memory_unreserve(m->reserved, m->reserved_bytes);
	}
	*m = (struct cuda_area){0};
}
