/*
 * One arena holds everything a run allocates; nothing is freed before it ends.
 *
 * A function allocates if and only if it takes a `struct arena *`; what it
 * returns lives as long as that arena.  Memory is zeroed, and zero is a valid
 * empty value of every struct in this program.  A loop that would grow without
 * bound takes a mark and pops back to it.  `struct arena a = {0}` is ready.
 * Running out of memory is die(), never NULL.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* What several arenas may hold together, for work whose size a stranger's input decides.
 */
struct arena_cap {
	size_t held_bytes, max_bytes;
	void (*full)(void *ctx); /* must not return: it leaves by longjmp or ends */
	void *ctx;
};

struct arena {
	struct arena_chunk *top; /* newest chunk; chunks link to older ones */
	size_t used_bytes;       /* used in the newest chunk */
	struct arena_cap *cap;   /* NULL: none; counts chunks while it is set */
};

struct arena_mark {
	struct arena_chunk *top;
	size_t used_bytes;
};

/* n zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *a, size_t n);
/* n elements of size bytes each, zeroed; dies on overflow. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* The same, not zeroed: for large arrays that the caller fills at once. */
void *arena_raw(struct arena *a, size_t n, size_t size);
/* A copy of n bytes with a NUL after them. */
char *arena_copy(struct arena *a, const void *src, size_t n);

struct arena_mark arena_mark(const struct arena *a);
void arena_pop(struct arena *a, struct arena_mark m);
/* Releases every chunk; the arena is then empty and usable again. */
void arena_release(struct arena *a);

#define arena_new(a, T)     ((T *)arena_alloc((a), sizeof(T)))
#define arena_news(a, n, T) ((T *)arena_array((a), (n), sizeof(T)))

/*
 * Grows a dynamic array in an arena: `v` is a pointer lvalue, `n` its length
 * and `cap` its capacity.  After it v[n] exists.  Old storage is abandoned to
 * the arena (amortised to at most twice the final size).
 */
#define arena_grow(a, v, n, cap) \
	((n) < (cap) ? (void)0 \
		     : (void)((v) = arena_regrow((a), (v), (n), &(cap), sizeof *(v))))
void *arena_regrow(struct arena *a, const void *v, size_t n, size_t *cap, size_t size);

#endif
