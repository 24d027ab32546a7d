/*
 * A map from strings to small integers that remembers insertion order, so that
 * iterating is deterministic: keys[0..n) in the order they were added, and the
 * value of a key is its index unless the caller keeps a parallel array.
 * Keys are not copied.  `struct map m = {.a = arena}` is ready.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/str.h"

struct map {
	struct arena *a;
	struct str *keys; /* in insertion order */
	size_t n;         /* number of keys */
	size_t cap;       /* allocated keys */
	uint32_t *slots;  /* open addressing: index + 1, 0 is empty */
	size_t n_slots;   /* power of two */
};

enum { MAP_NONE = -1 };

/* Index of the key, or MAP_NONE. */
long map_find(const struct map *m, struct str key);
/* Index of the key, adding it if absent; *added (may be NULL) says which. */
size_t map_put(struct map *m, struct str key, bool *added);

#endif
