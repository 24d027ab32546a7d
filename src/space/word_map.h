/*
 * A map from rows of 64-bit words to small integers in insertion order: base/map.h for
 * keys that are numbers.  Keys are copied.  `struct word_map m = {.a = arena}` is ready.
 */
#ifndef SPACE_WORD_MAP_H
#define SPACE_WORD_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct word_map {
	struct arena *a;
	uint64_t *words; /* of all keys */
	size_t n_words, cap_words;
	struct word_key {
		size_t from;
		uint32_t n, hash;
	} * keys;
	size_t n, cap;
	uint32_t *slots; /* open addressing: index + 1 */
	size_t n_slots;
};

/* Index of the key, adding it if absent; *added says which. */
size_t word_map_put(struct word_map *m, const uint64_t *key, size_t n, bool *added);

#endif
