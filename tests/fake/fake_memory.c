/* Device memory: host memory, with a table of what may be touched. */
#include "fake/fake.h"

#include <stdlib.h>
#include <sys/mman.h>

#define X(field, symbol, optional, parameters) FAKE_EXPORT cu_result symbol parameters;
CUDA_API(X)
#undef X

enum { AREAS = 4096, UNIT = 2 << 20 };

enum kind { AREA_NONE, AREA_RESERVED, AREA_MAPPED, AREA_PLAIN, AREA_PINNED, AREA_HANDLE };

static struct area {
	enum kind kind;
	cu_pointer at;
	size_t bytes;
} area[AREAS];

static struct area *
area_find(enum kind kind, cu_pointer at)
{
	for (size_t i = 0; i < AREAS; i++) {
		if (area[i].kind == kind && (kind == AREA_NONE || area[i].at == at))
			return &area[i];
	}
	return NULL;
}

static void
area_add(enum kind kind, cu_pointer at, size_t bytes)
{
	struct area *a = area_find(AREA_NONE, 0);
	if (!a)
		abort();
	*a = (struct area){kind, at, bytes};
}

bool
fake_accessible(cu_pointer p, size_t n)
{
	for (size_t i = 0; i < AREAS; i++) {
		bool memory = area[i].kind == AREA_MAPPED || area[i].kind == AREA_PLAIN;
		if (memory && p >= area[i].at && p + n <= area[i].at + area[i].bytes)
			return true;
	}
	return false;
}

bool
fake_is_pinned(const void *p)
{
	for (size_t i = 0; i < AREAS; i++) {
		if (area[i].kind == AREA_PINNED &&
			(uintptr_t)p - area[i].at < area[i].bytes)
			return true;
	}
	return false;
}

void
fake_memory_reset(void)
{
	for (size_t i = 0; i < AREAS; i++) {
		if (area[i].kind == AREA_RESERVED || area[i].kind == AREA_PLAIN ||
			area[i].kind == AREA_PINNED)
			munmap((void *)(uintptr_t)area[i].at, area[i].bytes);
		area[i] = (struct area){0};
	}
}

static cu_pointer
pages(size_t bytes, int rights)
{
	int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *p = mmap(NULL, bytes, rights, kind, -1, 0);
	return p == MAP_FAILED ? 0 : (cu_pointer)(uintptr_t)p;
}

static bool
take(size_t bytes)
{
	if (bytes > fake_word("memory", 1 << 30) - fake_seen.used_bytes)
		return false;
	fake_seen.used_bytes += bytes;
	return true;
}

FAKE_EXPORT cu_result
cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	*total = fake_word("memory", 1 << 30);
	*free_bytes = *total - fake_seen.used_bytes;
	return fake_call(500);
}

FAKE_EXPORT cu_result
cuMemAlloc_v2(cu_pointer *p, size_t bytes)
{
	cu_result e = fake_call(10000);
	if (e != CU_OK)
		return e;
	if (bytes == 0)
		return CU_INVALID_VALUE;
	if (!take(bytes))
		return CU_OUT_OF_MEMORY;
	*p = pages(bytes, PROT_READ | PROT_WRITE);
	area_add(AREA_PLAIN, *p, bytes);
	return CU_OK;
}

FAKE_EXPORT cu_result
cuMemFree_v2(cu_pointer p)
{
	struct area *a = area_find(AREA_PLAIN, p);
	fake_blocks();
	if (!a)
		return CU_INVALID_VALUE;
	munmap((void *)(uintptr_t)p, a->bytes);
	fake_seen.used_bytes -= a->bytes;
	*a = (struct area){0};
	return fake_call(10000);
}

FAKE_EXPORT cu_result
cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
	(void)flags;
	cu_pointer at = pages(bytes, PROT_READ | PROT_WRITE);
	*p = (void *)(uintptr_t)at;
	area_add(AREA_PINNED, at, bytes);
	return fake_call(10000);
}

#ifndef FAKE_BARE
FAKE_EXPORT cu_result
cuMemGetAllocationGranularity(size_t *bytes, const struct cu_memory_kind *k, cu_enum o)
{
	(void)k, (void)o;
	*bytes = UNIT;
	return CU_OK;
}

FAKE_EXPORT cu_result
cuMemAddressReserve(cu_pointer *p, size_t bytes, size_t align, cu_pointer at,
	unsigned long long flags)
{
	(void)align, (void)at, (void)flags;
	*p = pages(bytes, PROT_NONE);
	area_add(AREA_RESERVED, *p, bytes);
	return *p && bytes % UNIT == 0 ? fake_call(1000) : CU_INVALID_VALUE;
}

FAKE_EXPORT cu_result
cuMemAddressFree(cu_pointer p, size_t bytes)
{
	struct area *a = area_find(AREA_RESERVED, p);
	if (!a || a->bytes != bytes)
		return CU_INVALID_VALUE;
	munmap((void *)(uintptr_t)p, bytes);
	*a = (struct area){0};
	return fake_call(1000);
}

FAKE_EXPORT cu_result
cuMemCreate(cu_memory *h, size_t bytes, const struct cu_memory_kind *k,
	unsigned long long flags)
{
	static cu_memory next;
	(void)flags;
	if (k->type != CU_MEMORY_PINNED || bytes % UNIT)
		return CU_INVALID_VALUE;
	if (!take(bytes))
		return CU_OUT_OF_MEMORY;
	*h = ++next;
	area_add(AREA_HANDLE, *h, bytes);
	return fake_call(10000);
}

FAKE_EXPORT cu_result
cuMemRelease(cu_memory h)
{
	struct area *a = area_find(AREA_HANDLE, h);
	if (!a)
		return CU_INVALID_VALUE;
	fake_seen.used_bytes -= a->bytes;
	*a = (struct area){0};
	return fake_call(1000);
}

FAKE_EXPORT cu_result
cuMemMap(cu_pointer p, size_t bytes, size_t offset, cu_memory h, unsigned long long flags)
{
	(void)offset, (void)flags;
	if (!area_find(AREA_HANDLE, h))
		return CU_INVALID_VALUE;
	area_add(AREA_MAPPED, p, bytes);
	return fake_call(1000);
}

FAKE_EXPORT cu_result
cuMemUnmap(cu_pointer p, size_t bytes)
{
	struct area *a = area_find(AREA_MAPPED, p);
	fake_blocks();
	if (!a || a->bytes != bytes)
		return CU_INVALID_VALUE;
	mprotect((void *)(uintptr_t)p, bytes, PROT_NONE);
	*a = (struct area){0};
	return fake_call(1000);
}

FAKE_EXPORT cu_result
cuMemSetAccess(cu_pointer p, size_t bytes, const struct cu_access *d, size_t n)
{
	if (!area_find(AREA_MAPPED, p) || n != 1 || d->flags != CU_MEMORY_READ_WRITE)
		return CU_INVALID_VALUE;
	mprotect((void *)(uintptr_t)p, bytes, PROT_READ | PROT_WRITE);
	return fake_call(1000);
}
#endif

/* --- the L2 ------------------------------------------------------------------------- */

bool
fake_touch(cu_pointer p, size_t n)
{
	enum { SLOTS = 1024 };
	static struct {
		cu_pointer at;
		uint64_t total;
	} slot[SLOTS];
	static uint64_t total;
	size_t i = (size_t)(p / 256 * UINT64_C(0x9e3779b97f4a7c15) >> 54);
	uint64_t between = total - slot[i].total;
	bool cached = slot[i].at == p && between + n <= fake_word("l2", 1 << 20);
	total += n;
	slot[i].at = p;
	slot[i].total = total;
	return cached;
}

/* --- copies ------------------------------------------------------------------------- */

struct copy {
	void *to;
	const void *from;
	size_t n;
	void *taken; /* of memory that is not pinned: read at the call */
	int byte;
};

static cu_result
copy_run(const struct fake_op *op)
{
	struct copy c;
	memcpy(&c, op->data, sizeof c);
	if (c.from)
		memcpy(c.to, c.from, c.n);
	else
		memset(c.to, c.byte, c.n);
	free(c.taken);
	fake_changed();
	return CU_OK;
}

static cu_result
copy_queue(cu_stream s, struct copy c)
{
	struct fake_op op = {.run = copy_run,
		.ns = 1000 + (int64_t)c.n / 1000,
		.touches = (cu_pointer)(uintptr_t)c.to,
		.touches_bytes = c.n};
	cu_result e = fake_call(1000);
	if (e != CU_OK)
		return e;
	memcpy(op.data, &c, sizeof c);
	return fake_queue(s, &op);
}

FAKE_EXPORT cu_result
cuMemcpyDtoH_v2(void *to, cu_pointer from, size_t n)
{
	fake_blocks();
	if (!fake_accessible(from, n))
		return CU_INVALID_VALUE;
	memcpy(to, (const void *)(uintptr_t)from, n);
	return fake_call(10000);
}

FAKE_EXPORT cu_result
cuMemcpyDtoHAsync_v2(void *to, cu_pointer from, size_t n, cu_stream s)
{
	if (!fake_accessible(from, n))
		return CU_INVALID_VALUE;
	return copy_queue(
		s, (struct copy){to, (const void *)(uintptr_t)from, n, NULL, 0});
}

FAKE_EXPORT cu_result
cuMemcpyHtoDAsync_v2(cu_pointer to, const void *from, size_t n, cu_stream s)
{
	struct copy c = {(void *)(uintptr_t)to, from, n, NULL, 0};
	if (!fake_accessible(to, n))
		return CU_INVALID_VALUE;
	if (!fake_is_pinned(from)) {
		c.taken = malloc(n);
		memcpy(c.taken, from, n);
		c.from = c.taken;
	}
	return copy_queue(s, c);
}

FAKE_EXPORT cu_result
cuMemcpyDtoDAsync_v2(cu_pointer to, cu_pointer from, size_t n, cu_stream s)
{
	if (!fake_accessible(to, n) || !fake_accessible(from, n))
		return CU_INVALID_VALUE;
	return copy_queue(s, (struct copy){(void *)(uintptr_t)to,
				     (const void *)(uintptr_t)from, n, NULL, 0});
}

FAKE_EXPORT cu_result
cuMemsetD8Async(cu_pointer p, unsigned char v, size_t n, cu_stream s)
{
	if (!fake_accessible(p, n))
		return CU_INVALID_VALUE;
	return copy_queue(s, (struct copy){(void *)(uintptr_t)p, NULL, n, NULL, v});
}
