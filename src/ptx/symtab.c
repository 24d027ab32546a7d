#include "ptx/symtab.h"

#include "base/arena.h"

/* The hash is no secret: a text can be made whose names all have one.  Half-full tables
 * of names that were not made for it are far from this many steps. */
enum { FIRST_SLOTS = 64, STEPS_MAX = 1000 };

void
symtab_begin(struct symtab *t, uint32_t first_scope)
{
	t->first = first_scope;
	t->n_live = 0;
}

static bool
is_live(const struct symtab *t, const struct sym *s)
{
	return s->kind != SYM_FREE && s->scope >= t->first;
}

static uint32_t
first_slot(const struct symtab *t, uint32_t hash, uint32_t scope)
{
	return (hash + scope * 0x9e3779b1u) & (t->n_slots - 1);
}

static uint32_t
slot_of(const struct symtab *t, struct str name, uint32_t hash, uint32_t scope)
{
	uint32_t mask = t->n_slots - 1, i = first_slot(t, hash, scope);
	for (;; i = (i + 1) & mask) {
		const struct sym *s = &t->slots[i];
		if (!is_live(t, s))
			return i;
		if (s->hash == hash && s->scope == scope && str_eq(s->name, name))
			return i;
	}
}

static void
grow(struct symtab *t)
{
	struct sym *old = t->slots;
	uint32_t n = t->n_slots;
	t->n_slots = n ? n * 2 : FIRST_SLOTS;
	t->slots = arena_news(t->a, t->n_slots, struct sym);
	for (uint32_t i = 0; i < n; i++)
		if (is_live(t, &old[i]))
			t->slots[slot_of(t, old[i].name, old[i].hash, old[i].scope)] =
				old[i];
}

struct sym *
symtab_find(const struct symtab *t, struct str name, uint32_t hash, uint32_t scope)
{
	if (!t->n_slots)
		return NULL;
	struct sym *s = &t->slots[slot_of(t, name, hash, scope)];
	return is_live(t, s) ? s : NULL;
}

struct sym *
symtab_add(struct symtab *t, struct str name, uint32_t hash, uint32_t scope,
	enum sym_kind kind, uint32_t id)
{
	if ((t->n_live + 1) * 2 > t->n_slots)
		grow(t);
	uint32_t at = slot_of(t, name, hash, scope), from = first_slot(t, hash, scope);
	struct sym *s = &t->slots[at];
	t->flooded = t->flooded || ((at - from) & (t->n_slots - 1)) > STEPS_MAX;
	*s = (struct sym){name, hash, scope, kind, id};
	t->n_live++;
	return s;
}
