#include "base/map.h"

#include "base/arena.h"

/* FNV-1a, 64 bits (Fowler, Noll, Vo): in-memory tables only, never a content key. */
static uint64_t
hash_key(struct str s)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.s[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

static size_t
slot_of(const struct map *m, struct str key)
{
	size_t i = hash_key(key) & (m->n_slots - 1);
	while (m->slots[i] && !str_eq(m->keys[m->slots[i] - 1], key))
		i = (i + 1) & (m->n_slots - 1);
	return i;
}

static void
rehash(struct map *m)
{
	m->n_slots = m->n_slots ? m->n_slots * 2 : 16;
	m->slots = arena_news(m->a, m->n_slots, uint32_t);
	for (size_t k = 0; k < m->n; k++)
		m->slots[slot_of(m, m->keys[k])] = (uint32_t)k + 1;
}

long
map_find(const struct map *m, struct str key)
{
	if (!m->n_slots)
		return MAP_NONE;
	return (long)m->slots[slot_of(m, key)] - 1;
}

size_t
map_put(struct map *m, struct str key, bool *added)
{
	if ((m->n + 1) * 4 > m->n_slots * 3)
		rehash(m);
	size_t i = slot_of(m, key);
	if (added)
		*added = !m->slots[i];
	if (m->slots[i])
		return m->slots[i] - 1;
	arena_grow(m->a, m->keys, m->n, m->cap);
	m->keys[m->n++] = key;
	m->slots[i] = (uint32_t)m->n;
	return m->n - 1;
}
