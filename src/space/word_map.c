#include "space/word_map.h"

#include "base/arena.h"

#include <string.h>

/* In memory only; the constants are those of splitmix64 (base/rng.h). */
static uint32_t
hash_words(const uint64_t *key, size_t n)
{
	uint64_t h = n;
	for (size_t i = 0; i < n; i++) {
		h = (h ^ key[i]) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 31;
	}
	return (uint32_t)(h ^ h >> 32);
}

static void
rehash(struct word_map *m)
{
	m->n_slots = m->n_slots ? m->n_slots * 2 : 64;
	m->slots = arena_news(m->a, m->n_slots, uint32_t);
	for (size_t k = 0; k < m->n; k++) {
		size_t i = m->keys[k].hash & (m->n_slots - 1);
		while (m->slots[i])
			i = (i + 1) & (m->n_slots - 1);
		m->slots[i] = (uint32_t)k + 1;
	}
}

static bool
same(const struct word_map *m, size_t k, const uint64_t *key, size_t n, uint32_t hash)
{
	const struct word_key *w = &m->keys[k];
	return w->hash == hash && w->n == n &&
	       (!n || memcmp(&m->words[w->from], key, n * sizeof *key) == 0);
}

static void
copy(struct word_map *m, const uint64_t *key, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		arena_grow(m->a, m->words, m->n_words, m->cap_words);
		m->words[m->n_words++] = key[i];
	}
}

size_t
word_map_put(struct word_map *m, const uint64_t *key, size_t n, bool *added)
{
	uint32_t hash = hash_words(key, n);
	if ((m->n + 1) * 4 > m->n_slots * 3)
		rehash(m);
	size_t i = hash & (m->n_slots - 1);
	for (; m->slots[i]; i = (i + 1) & (m->n_slots - 1))
		if (same(m, m->slots[i] - 1, key, n, hash)) {
			*added = false;
			return m->slots[i] - 1;
		}
	arena_grow(m->a, m->keys, m->n, m->cap);
	m->keys[m->n] = (struct word_key){m->n_words, (uint32_t)n, hash};
	copy(m, key, n);
	m->slots[i] = (uint32_t)++m->n;
	*added = true;
	return m->n - 1;
}
