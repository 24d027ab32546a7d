/*
 * A map from places of a space (64-bit numbers) to 64-bit numbers: base/map.h for keys
 * that are numbers.  `struct place_map m = {.a = arena}` is ready.
 */
#ifndef SEARCH_PLACE_MAP_H
#define SEARCH_PLACE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct place_map {
	struct arena *a;
	struct place_entry {
		uint64_t key, value;
		bool used;
	} * slots;         /* open addressing */
	size_t n, n_slots; /* n_slots is a power of two */
};

/* False if the key is absent; value may be NULL. */
bool place_map_get(const struct place_map *m, uint64_t key, uint64_t *value);
/* Adds the key or changes its value. */
void place_map_put(struct place_map *m, uint64_t key, uint64_t value);

#endif
