/*
 * Words of shared and local memory that are followed (SLICE_MEMORY).
 *
 * A word is a byte range of a variable, known by its offset, and its content is a value
 * in a slot of the world beside the registers: uniform for a word of shared memory, one a
 * lane for local memory.  NONE is "not known".  What is written where the offset is not
 * known makes every word it may touch unknown.
 *
 * Shared words are followed only as long as barriers order all that is done to them: a
 * read and a write by different lanes that nothing orders stop the run (STOP_UNFOLLOWED),
 * which is begun again without that variable.  So which of two lanes comes first never
 * matters, and nothing new is assumed about races (order.c).
 */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "simt/simt.h"

/* A variable; of local memory, as one activation of its function has it. */
struct region {
	uint32_t var, frame;
	bool shared;
	bool mixed;     /* words of different sizes, or out of step: some overlap */
	uint32_t bytes; /* of its words, unless mixed; 0: none yet */
	uint32_t rest;  /* shared: a word of no bytes, for what has no word */
	uint32_t first; /* word + 1 */
};

struct word {
	uint32_t region;
	int64_t off;
	uint32_t bytes, slot;
	uint32_t next; /* of the region; word + 1 */
};

/* What lanes did to a shared word since all threads met last. */
struct touch {
	uint64_t epoch;                     /* of the world; else nothing was done */
	uint64_t wrote, read;               /* when last; 0: not at all */
	uint64_t learnt;                    /* when `known` or `seen` changed last */
	bool several;                       /* writes that nothing orders */
	const struct lmask *known;          /* lanes that come after all writes */
	const struct lmask *readers, *seen; /* seen: lanes that come after all reads */
};

struct memory {
	struct region *region;
	uint32_t n_regions, cap_regions;
	struct word *word;
	uint32_t n_words, cap_words;
	uint32_t *of_slot; /* word + 1, by slot */
	uint32_t n_of_slot;
	uint32_t *hash; /* word + 1, by region, offset and size */
	uint32_t n_hash;
	const struct lmask **lane; /* {t} */
	uint64_t tick;
};

/* Which bytes an address names: [lo, hi + size of the access). */
struct spot {
	uint32_t region; /* PTX_NONE: not known */
	bool exact;      /* lo == hi and that is the offset */
	int64_t lo, hi;
};

/* ---- memory.c ---- */
void memory_begin(struct sim *s);
/* False: the variable is not followed. */
bool memory_follows(const struct sim *s, uint32_t var);
uint32_t memory_region(struct sim *s, uint32_t var, uint32_t frame);
uint32_t memory_word(struct sim *s, uint32_t region, int64_t off, uint32_t bytes);
struct val memory_content(struct sim *s, struct world *w, uint32_t word);
/* Flags of what is not known of a word: debug code keeps the address of the grid's
 * workspace in local memory. */
unsigned memory_stray(const struct sim *s);
/* The set {t}; one for the whole run. */
const struct lmask *memory_lane(struct sim *s, unsigned t);
/* v: of all lanes of the world. */
void memory_put(struct sim *s, struct world *w, uint32_t word, const struct val *v);
/* The number of lane `c` cut or extended to its type and the register. */
struct cell memory_extend(
	struct sim *s, struct cell c, enum ptx_type type, unsigned reg_bits);
/* Writes that are not known, by these lanes, to what the place names. */
void memory_forget(struct sim *s, struct world *w, const struct spot *p, uint32_t bytes,
	const struct lmask *who);
/* The same for all that may be pointed to (pointee.h), and for all there is. */
void memory_forget_class(
	struct sim *s, struct world *w, uint32_t class, const struct lmask *who);
void memory_forget_all(struct sim *s, struct world *w, const struct lmask *who);
/* A function is entered: its local variables hold nothing yet. */
void memory_enter(
	struct sim *s, struct world *w, uint32_t frame, const struct lmask *who);
/* Slot i is a word, not a register. */
bool memory_is_slot(const struct sim *s, uint32_t slot);
/* Of the word in slot i. */
uint32_t memory_bytes(const struct sim *s, uint32_t slot);
/* What a word holds where one of two worlds was real, or lanes went either way: a where
 * p, else b.  p NULL: not known where. */
struct val memory_merge(struct sim *s, uint32_t slot, const struct val *p,
	const struct val *a, const struct val *b);

/* ---- address.c ---- */
struct spot address_spot(struct sim *s, struct cell c, int64_t off);

/* The symbol that an address is counted from (0: none) and the bytes from there, modulo
 * 2^32 for addresses of 32 bits. */
struct anchor {
	uint32_t root;
	int64_t offset;
};
struct anchor address_anchor(struct sim *s, struct cell c);

/* ---- memory_access.c ---- */
/* False: nothing is known of that memory, and the load is what any load is. */
bool memory_load(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
/* The effect of ld, st, red or atom on memory. */
void memory_write(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);

/* ---- agree.c ---- */
struct agreement;
struct agreement *agree_begin(struct sim *s);
/* A register that counts rounds: that says more. */
bool agree_leaves(struct sim *s, const struct entry *e, const struct val *v);
/* The content *out of a slot at a loop's head that covers its old one and what came back;
 * false: not for such values. */
bool agree_widen(struct sim *s, struct agreement *a, const struct entry *e, uint32_t slot,
	uint32_t back, const struct val *head, const struct val *now, struct val *out);

/* ---- order.c ---- */
/* These lanes read the word. */
void order_read(struct sim *s, struct world *w, uint32_t word, const struct lmask *who);
/* These lanes write it.  False: nothing orders that after an earlier write, so either may
 * be the last. */
enum order_value {
	ORDER_SAME,  /* the value that it has */
	ORDER_ALIKE, /* one value, all of them */
	ORDER_ANY,
};
bool order_write(struct sim *s, struct world *w, uint32_t word, const struct lmask *who,
	enum order_value v);

#endif
