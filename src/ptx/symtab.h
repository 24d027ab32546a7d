/*
 * Names in scopes, for the parser: (text, scope) -> (kind, id).
 *
 * Scope numbers only grow.  When a function begins, `first` moves past all numbers used
 * so far, which empties the table without touching it.
 */
#ifndef PTX_SYMTAB_H
#define PTX_SYMTAB_H

#include "base/str.h"

struct arena;

enum sym_kind {
	SYM_FREE,
	SYM_REG,   /* id: register of the function */
	SYM_RANGE, /* id: register range */
	SYM_VAR,
	SYM_FUNC,
	SYM_LABEL,
	SYM_TABLE,
	SYM_PROTO,
	SYM_FORM,
	SYM_NAME,
};

struct sym {
	struct str name;
	uint32_t hash;
	uint32_t scope;
	uint32_t kind;
	uint32_t id;
};

struct symtab {
	struct arena *a;
	struct sym *slots;
	uint32_t n_slots; /* power of two */
	uint32_t n_live;
	uint32_t first; /* entries of smaller scopes are dead */
	bool flooded;   /* finding a name took too many steps: it was made for that */
};

void symtab_begin(struct symtab *t, uint32_t first_scope);
/* NULL if absent. */
struct sym *symtab_find(
	const struct symtab *t, struct str name, uint32_t hash, uint32_t scope);
/* Adds a name that is known to be absent. */
struct sym *symtab_add(struct symtab *t, struct str name, uint32_t hash, uint32_t scope,
	enum sym_kind kind, uint32_t id);

#endif
