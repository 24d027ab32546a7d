#include "base/arena.h"

#include "base/die.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif

#ifdef ASAN
/* Without poisoning, an overrun inside a chunk is invisible to the sanitizer. */
void __asan_poison_memory_region(void volatile *p, size_t n);
void __asan_unpoison_memory_region(void volatile *p, size_t n);
#define POISON(p, n)   __asan_poison_memory_region(p, n)
#define UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
enum { REDZONE = 16 };
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { REDZONE = 0 };
#endif

enum { ALIGN = 16, CHUNK_MIN = 64 << 10, CHUNK_MAX = 8 << 20 };

struct arena_chunk {
	struct arena_chunk *older;
	size_t cap;
	_Alignas(ALIGN) unsigned char data[];
};

static void
count(struct arena_cap *c, size_t bytes)
{
	if (!c)
		return;
	if (bytes > c->max_bytes || c->held_bytes > c->max_bytes - bytes) {
		c->full(c->ctx);
		BUG("an arena grows over its cap");
	}
	c->held_bytes += bytes;
}

static struct arena_chunk *
chunk_new(struct arena *a, size_t need)
{
	struct arena_chunk *older = a->top;
	size_t cap = older ? older->cap * 2 : CHUNK_MIN;
	if (cap > CHUNK_MAX)
		cap = CHUNK_MAX;
	if (cap < need)
		cap = need;
	if (cap > SIZE_MAX - sizeof(struct arena_chunk))
		die("out of memory");
	count(a->cap, cap);
	struct arena_chunk *c = malloc(sizeof *c + cap);
	if (!c)
		die("out of memory (%zu bytes)", cap);
	c->older = older;
	c->cap = cap;
	POISON(c->data, cap);
	return c;
}

static void *
take(struct arena *a, size_t n)
{
	if (n > SIZE_MAX / 2)
		die("out of memory");
	size_t need = (n + REDZONE + ALIGN - 1) / ALIGN * ALIGN;
	if (!a->top || need > a->top->cap - a->used_bytes) {
		a->top = chunk_new(a, need);
		a->used_bytes = 0;
	}
	unsigned char *p = a->top->data + a->used_bytes;
	a->used_bytes += need;
	UNPOISON(p, n);
	return p;
}

static size_t
product(size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		die("out of memory");
	return n * size;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return memset(take(a, n), 0, n);
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	return arena_alloc(a, product(n, size));
}

void *
arena_raw(struct arena *a, size_t n, size_t size)
{
	return take(a, product(n, size));
}

char *
arena_copy(struct arena *a, const void *src, size_t n)
{
	char *p = take(a, n + 1);
	if (n)
		memcpy(p, src, n);
	p[n] = 0;
	return p;
}

void *
arena_regrow(struct arena *a, const void *v, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;
	unsigned char *p = take(a, product(want, size));
	if (n)
		memcpy(p, v, n * size);
	memset(p + n * size, 0, (want - n) * size);
	*cap = want;
	return p;
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->top, a->used_bytes};
}

void
arena_pop(struct arena *a, struct arena_mark m)
{
	while (a->top != m.top) {
		struct arena_chunk *older = a->top->older;
		UNPOISON(a->top->data, a->top->cap);
		if (a->cap)
			a->cap->held_bytes -= a->top->cap;
		free(a->top);
		a->top = older;
	}
	a->used_bytes = m.used_bytes;
	if (a->top)
		POISON(a->top->data + a->used_bytes, a->top->cap - a->used_bytes);
}

void
arena_release(struct arena *a)
{
	arena_pop(a, (struct arena_mark){0});
}
