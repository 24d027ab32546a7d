/*
 * What the threads of one block may hold in a register, exactly.
 *
 *     INT     every lane holds this number
 *     SYM     unknown.  A uniform symbol is one unknown number for all lanes; a divergent
 *	       one (SYM_DIV) is a vector of unknowns that keeps its identity
 *     LANES   each lane has its own number or symbol
 *     AFFINE  base + cx*ctaid.x + cy*ctaid.y + cz*ctaid.z, exactly, for every block of
 *the class; base uniform or per lane NONE    never written
 *
 * Numbers are registers: unsigned, zero above their width.  Two lanes are "equal though
 * unknown" exactly when they hold the same symbol, so uniformity is a comparison and not
 *a property that has to be propagated.  Values are immutable.
 */
#ifndef VALUE_LANES_H
#define VALUE_LANES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES_MAX = 1024, LANES_WORDS = LANES_MAX / 64, WARPS_MAX = LANES_MAX / 32 };

/* The low `bits` bits. */
static inline uint64_t
bits_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A set of lanes of the block. */
struct lmask {
	uint64_t w[LANES_WORDS];
};

static inline bool
lmask_has(const struct lmask *m, unsigned t)
{
	return (m->w[t >> 6] >> (t & 63) & 1) != 0;
}

static inline void
lmask_add(struct lmask *m, unsigned t)
{
	m->w[t >> 6] |= UINT64_C(1) << (t & 63);
}

static inline struct lmask
lmask_or(struct lmask a, struct lmask b)
{
	for (int i = 0; i < LANES_WORDS; i++)
		a.w[i] |= b.w[i];
	return a;
}

static inline struct lmask
lmask_and(struct lmask a, struct lmask b)
{
	for (int i = 0; i < LANES_WORDS; i++)
		a.w[i] &= b.w[i];
	return a;
}

static inline struct lmask
lmask_minus(struct lmask a, struct lmask b)
{
	for (int i = 0; i < LANES_WORDS; i++)
		a.w[i] &= ~b.w[i];
	return a;
}

static inline bool
lmask_empty(const struct lmask *m)
{
	uint64_t x = 0;

	for (int i = 0; i < LANES_WORDS; i++)
		x |= m->w[i];
	return x == 0;
}

static inline bool
lmask_eq(const struct lmask *a, const struct lmask *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* a has a lane that b has not. */
static inline bool
lmask_exceeds(const struct lmask *a, const struct lmask *b)
{
	uint64_t x = 0;

	for (int i = 0; i < LANES_WORDS; i++)
		x |= a->w[i] & ~b->w[i];
	return x != 0;
}

static inline bool
lmask_meets(const struct lmask *a, const struct lmask *b)
{
	uint64_t x = 0;

	for (int i = 0; i < LANES_WORDS; i++)
		x |= a->w[i] & b->w[i];
	return x != 0;
}

/* The 32 lanes of a warp. */
static inline uint32_t
lmask_warp(const struct lmask *m, unsigned warp)
{
	return (uint32_t)(m->w[warp >> 1] >> (warp & 1 ? 32 : 0));
}

static inline void
lmask_add_warp(struct lmask *m, unsigned warp, uint32_t lanes)
{
	m->w[warp >> 1] |= (uint64_t)lanes << (warp & 1 ? 32 : 0);
}

/* These lanes of one warp. */
static inline struct lmask
lmask_of_warp(unsigned warp, uint32_t lanes)
{
	struct lmask m = {{0}};

	lmask_add_warp(&m, warp, lanes);
	return m;
}

/* The first lane at or after `from`; LANES_MAX if none. */
unsigned lmask_next(const struct lmask *m, unsigned from);
unsigned lmask_count(const struct lmask *m);
struct lmask lmask_first_n(unsigned n);
/* All lanes of the warps that have a lane in m. */
struct lmask lmask_whole_warps(const struct lmask *m);

/* NOLINTBEGIN(bugprone-macro-parentheses): t is declared here */
#define LMASK_EACH(t, m) \
	for (unsigned t = lmask_next((m), 0); t < LANES_MAX; t = lmask_next((m), t + 1))
/* NOLINTEND(bugprone-macro-parentheses) */

/* A number or, if s is not 0, a symbol. */
struct cell {
	uint64_t v;
	uint32_t s;
};

static inline struct cell
cell_int(uint64_t v)
{
	return (struct cell){v, 0};
}

static inline struct cell
cell_sym(uint32_t s)
{
	return (struct cell){0, s};
}

static inline bool
cell_eq(struct cell a, struct cell b)
{
	return a.v == b.v && a.s == b.s;
}

static inline bool
cell_is(struct cell a, uint64_t v)
{
	return a.s == 0 && a.v == v;
}

struct lanes {
	const uint64_t *v;
	const uint32_t *s; /* NULL: all lanes are numbers */
};

struct affine {
	int64_t base;   /* when lane is NULL */
	int64_t *lane;  /* base of each lane */
	int64_t c[3];   /* coefficients of ctaid.x .y .z */
	unsigned width; /* bits; the value is within [-2^(width-1), 2^(width-1)) */
};

enum val_kind { VAL_NONE, VAL_INT, VAL_SYM, VAL_LANES, VAL_AFFINE };

struct val {
	enum val_kind kind;
	uint32_t s; /* VAL_SYM */
	union {
		uint64_t i;
		const struct lanes *l;
		const struct affine *x;
	};
};

static inline struct val
val_int(uint64_t i)
{
	struct val v = {.kind = VAL_INT};

	v.i = i;
	return v;
}

static inline struct val
val_sym(uint32_t s)
{
	return (struct val){.kind = VAL_SYM, .s = s};
}

/* The number or whole symbol of an INT or SYM. */
static inline struct cell
val_flat(const struct val *v)
{
	return v->kind == VAL_INT ? cell_int(v->i) : cell_sym(v->s);
}

static inline struct val
val_of_cell(struct cell c)
{
	return c.s ? val_sym(c.s) : val_int(c.v);
}

/* Lane t of a value of numbers. */
static inline uint64_t
val_number(const struct val *v, unsigned t)
{
	return v->kind == VAL_INT ? v->i : v->l->v[t];
}

struct domain;

/* What lane t holds.  NONE reads as an unknown of its own. */
struct cell val_cell(struct domain *d, const struct val *v, unsigned t);
/* The value of n lanes given one by one; s may be NULL.  Copies. */
struct val val_pack(struct domain *d, const uint64_t *v, const uint32_t *s);
/* Lanes of m take a, the others b.  A NONE side gives way. */
struct val val_select(struct domain *d, const struct lmask *m, const struct val *a,
	const struct val *b);
/* The same known value (AFFINE and LANES compared by content). */
bool val_same(const struct domain *d, const struct val *a, const struct val *b);
/* A block-uniform value, though maybe unknown. */
bool val_uniform(const struct domain *d, const struct val *v);

#endif
