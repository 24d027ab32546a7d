#include "search/place_map.h"

#include "base/arena.h"
#include "base/rng.h"

static struct place_entry *
slot_of(const struct place_map *m, uint64_t key)
{
	size_t i = rng_at(key, 0) & (m->n_slots - 1);
	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

bool
place_map_get(const struct place_map *m, uint64_t key, uint64_t *value)
{
	if (!m->n)
		return false;
	const struct place_entry *e = slot_of(m, key);
	if (e->used && value)
		*value = e->value;
	return e->used;
}

static void
grow(struct place_map *m)
{
	enum { FIRST = 64 };
	struct place_map old = *m;
	m->n_slots = old.n_slots ? old.n_slots * 2 : FIRST;
	m->slots = arena_news(m->a, m->n_slots, struct place_entry);
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slots[i].used)
			*slot_of(m, old.slots[i].key) = old.slots[i];
}

void
place_map_put(struct place_map *m, uint64_t key, uint64_t value)
{
	if (2 * (m->n + 1) > m->n_slots)
		grow(m);
	struct place_entry *e = slot_of(m, key);
	m->n += !e->used;
	*e = (struct place_entry){key, value, true};
}
