/*
 * The value domain of one run: hash-consed symbols, the classes of blocks, the budget.
 *
 * A symbol is an unknown number with a structure: the same operation on the same operands
 * is the same symbol.  That is what makes two warps that test one loaded flag agree.
 */
#ifndef VALUE_SYMBOL_H
#define VALUE_SYMBOL_H

#include "ptx/ptx.h"
#include "value/lanes.h"

#include <setjmp.h>

enum sym_op {
	SYM_FRESH,   /* tag: serial number; a: how many low bits are 0 */
	SYM_PARAM,   /* tag: variable and byte range of a kernel argument */
	SYM_ADDRESS, /* tag: variable, function or name */
	SYM_SREG,    /* tag: special register */
	SYM_LANE,    /* a: divergent symbol, b: lane */
	SYM_NOT,     /* a: boolean */
	SYM_AND,     /* booleans */
	SYM_OR,
	SYM_PHI,  /* a ? b : c */
	SYM_CMP,  /* tag: comparison, signedness and width */
	SYM_INS,  /* tag: ptx_form; the operands */
	SYM_PART, /* tag: index and width of a part of a packed register */
	SYM_PACK,
	SYM_OFFSET,  /* a + b of an address */
	SYM_LINEAR,  /* tag: width; a number, then coefficients with symbols: linear.h */
	SYM_PRODUCT, /* tag: width; two symbols */
	SYM_EXT,     /* tag: to << 16 | from << 8 | signed, in bits; a narrower number */
	SYM_TRIP,    /* tag: loop; how often it came round, times a if there is one */
	SYM_LOAD,    /* tag: instance; the address */
	SYM_BALLOT,  /* tag: warp; a list of lanes and their conditions: see mask.h */
	SYM_VOTE,
	SYM_CLASS, /* tag: the partition; the lane, a SYM_BALLOT, mask_kind: see mask.h */
	SYM_FOLLOWS, /* tag: a loop; see mask_loop.c */
	SYM_LEFT,    /* a: as it was when b, a lane or warp, left a loop */
	SYM_CASE,    /* a: switch value, b: target */
	SYM_STATE,   /* tag: mbarrier and phase; what an arrival returns */
	SYM_PEEK,    /* tag: mbarrier and phase; whether it is complete at some time */
	SYM_UNDEF,   /* tag: the shuffle that read a lane that is not there; the lane */
	SYM_OPS
};

enum {
	SYM_DIV = 1,         /* another unknown in every lane */
	SYM_BOOL = 2,        /* 0 or 1 */
	SYM_TAINT_ARG = 4,   /* depends on an argument that was not given */
	SYM_TAINT_CTAID = 8, /* depends on the block, within this class */
	SYM_TAINT_MEM = 16,  /* depends on memory or on another thread's work */
	SYM_TAINT_LOOP = 32, /* depends on how often a loop ran */
	SYM_UNDEFINED = 64,  /* depends on an undefined value */
	SYM_LOCAL = 128,     /* an address of memory that each thread has for itself */
	SYM_WORKSPACE = 256, /* depends on the grid's workspace, which is not there */
	SYM_TAINTS = SYM_TAINT_ARG | SYM_TAINT_CTAID | SYM_TAINT_MEM | SYM_TAINT_LOOP |
		     SYM_UNDEFINED | SYM_LOCAL | SYM_WORKSPACE,
	SYM_KEPT = SYM_UNDEFINED | SYM_WORKSPACE, /* whatever a loop makes of it */
};

struct sym {
	enum sym_op op;
	unsigned flags;
	uint64_t tag;
	uint32_t n; /* operands */
	struct cell *arg;
	/* A symbol that a loop made for a register: which loop (0: none) and register. */
	uint32_t widened_in, widened_slot;
	/* What undefined.c found out about it, once: symbols share operands, and a walk
	 * without this takes time exponential in their depth. */
	uint8_t undefined;     /* 1 + level; 0: not asked yet */
	uint32_t undefined_by; /* the SYM_UNDEF that it comes from, or 0 */
};

/*
 * Symbols are numbered by pages.  A page is a row, whose member t is what one operation
 * gave lane t, or a list of symbols that belong to no row.  An operation on members t of
 * rows and on what is the same for all lanes is member t of another row: a thousand lanes
 * that compute with unknowns of their own make one entry, not a thousand.
 */
enum { SYM_PAGE_BITS = 10, SYM_PAGE = 1 << SYM_PAGE_BITS };

struct sym_page {
	bool row;
	bool loose;          /* see intern.c */
	struct sym head;     /* row: of its members; operands as those of member 0 */
	struct sym **member; /* those written out; of a row only when somebody looks */
};

/* Where a symbol is found by what it is. */
struct sym_slot {
	uint32_t hash, s;
};

struct sym_table {
	struct arena *mem;
	struct domain *d;
	struct sym_page *page;
	size_t n_pages, cap_pages;
	uint32_t last, last_n; /* page of the newest symbols without a row */
	uint32_t row[SYM_OPS]; /* that the last operation on rows gave */
	struct sym_slot *slot;
	size_t n_slots, used;
	bool looked; /* at what differs between members of a row, see val_map.c */
	struct bound *bounds; /* what bounds.c remembers, or NULL */
};

/* Why a run was left before its end. */
enum stop_why {
	STOP_NONE,
	STOP_SPLIT,
	STOP_BUDGET,
	STOP_FOUND,
	STOP_UNMODELLED,
	STOP_UNFOLLOWED, /* a variable cannot be followed: run again without */
};

struct domain {
	struct arena *vals; /* lane vectors */
	unsigned n;         /* lanes: threads of the block */
	/* The class: numbers lo to hi (inclusive), ctaid being rank + step * number.
	 * Where clusters matter a number is a cluster, and rank the block's place in it.
	 */
	int64_t lo[3], hi[3], rank[3], step[3];

	struct sym_table *table;
	unsigned alone;      /* 1 + the lane that symbols are made for, or 0 */
	uint32_t lanes_page; /* the row that they get, or 0 */
	uint32_t serial;
	bool block_read; /* somebody asked which block it is */
	unsigned made;   /* flags of all symbols that were made */
	bool opaque;     /* ctaid is one unknown instead of a range */

	uint64_t work; /* lanes touched, the measure of time */
	uint64_t work_max;

	/* The run is left by longjmp: a split or a spent budget is found deep inside a
	 * comparison, and everything allocated is dropped at once by the arena. */
	jmp_buf *out;
	enum stop_why why;
	const char *cap;   /* STOP_BUDGET: which one; STOP_UNMODELLED: why */
	int split_dim;     /* STOP_SPLIT */
	int64_t *split_at; /* first ctaid of each further piece, ascending */
	size_t n_split;

	uint64_t *tv; /* scratch, of n lanes */
	uint32_t *ts;
	const uint64_t *zeros; /* of n lanes, or NULL: nobody needed them */
};

/* Sized for n lanes; the scratch and the table start empty. */
void domain_init(struct domain *d, struct arena *vals, struct arena *syms, unsigned n);
void domain_stop(struct domain *d, enum stop_why why, const char *cap)
	__attribute__((noreturn));
void domain_work(struct domain *d, uint64_t lanes);

static inline const struct sym_page *
sym_page(const struct domain *d, uint32_t s)
{
	return &d->table->page[s >> SYM_PAGE_BITS];
}

static inline unsigned
sym_flags(const struct domain *d, uint32_t s)
{
	const struct sym_page *p = sym_page(d, s);

	return p->row ? p->head.flags : p->member[s & (SYM_PAGE - 1)]->flags;
}

static inline enum sym_op
sym_op(const struct domain *d, uint32_t s)
{
	const struct sym_page *p = sym_page(d, s);

	return p->row ? p->head.op : p->member[s & (SYM_PAGE - 1)]->op;
}

/* Is it a member of a row? */
static inline bool
sym_in_row(const struct domain *d, uint32_t s)
{
	return s && sym_page(d, s)->row;
}

/* Stays valid as long as the domain.  Costs memory where the symbol is of a row: who
 * wants flags, the operation or an operand alone asks for that. */
struct sym *sym_at(const struct domain *d, uint32_t s);

/* One that was made alone. */
static inline const struct sym *
sym_alone(const struct domain *d, const struct sym_page *p, uint32_t s)
{
	if (p->row)
		d->table->looked = true;
	return p->member[s & (SYM_PAGE - 1)];
}

static inline const struct sym *
sym_of(const struct domain *d, uint32_t s)
{
	return sym_at(d, s);
}

/* Operation, tag, flags and number of operands: the same for all members of a row. */
static inline const struct sym *
sym_head(const struct domain *d, uint32_t s)
{
	const struct sym_page *p = sym_page(d, s);

	return p->head.arg ? &p->head : sym_alone(d, p, s);
}

/* A function of its operands and of nothing else. */
static inline bool
sym_is_computed(enum sym_op op)
{
	return op == SYM_INS || op == SYM_LINEAR || op == SYM_PRODUCT || op == SYM_EXT;
}

/* %ctaid, or what affine values are counted in; the axis is the low bits of the tag. */
static inline bool
sym_is_block_index(const struct sym *x)
{
	return x->op == SYM_SREG && !x->n &&
	       (x->tag >> 4 == PTX_SREG_CTAID || x->tag >> 4 == PTX_SREG_CLUSTERID);
}

/* Symbols that are there at some time. */
struct sym_time {
	size_t n_pages;
	uint32_t last, last_n;
};
struct sym_time sym_now(const struct domain *d);
bool sym_is_older(const struct domain *d, uint32_t s, const struct sym_time *than);

struct cell sym_row_operand(const struct domain *d, uint32_t s, uint32_t i);

/* Operand i. */
static inline struct cell
sym_operand(const struct domain *d, uint32_t s, uint32_t i)
{
	const struct sym_page *p = sym_page(d, s);

	return p->head.arg ? sym_row_operand(d, s, i) : sym_alone(d, p, s)->arg[i];
}

/* Which member of their rows the cells are. */
enum { SYM_NO_ROW = SYM_PAGE, SYM_MIXED };
unsigned sym_member(const struct domain *d, const struct cell *x, uint32_t n);
/* Around a loop over lanes: what is made in it and was not there before gets a row, where
 * it is for one lane alone. */
static inline void
sym_lanes_begin(struct domain *d)
{
	d->alone = 0;
	d->lanes_page = 0;
}

static inline void
sym_lanes_at(struct domain *d, unsigned t, bool alone)
{
	d->alone = alone ? 1 + t : 0;
}

static inline void
sym_lanes_end(struct domain *d)
{
	d->alone = 0;
}

/* Member t of a divergent symbol. */
uint32_t sym_lane(struct domain *d, uint32_t s, unsigned t);

/* The symbol of (op, tag, arguments); flags and the taint of the arguments are added when
 * it is made.  DIV must be given. */
uint32_t sym_make(struct domain *d, enum sym_op op, uint64_t tag, const struct cell *arg,
	uint32_t n, unsigned flags);
uint32_t sym_fresh(struct domain *d, unsigned flags);
/* SYM_DIV if one of the cells is a divergent symbol. */
unsigned sym_div(const struct domain *d, const struct cell *x, uint32_t n);
/* The taints of a value: of all its lanes. */
unsigned val_taint(const struct domain *d, const struct val *v);
bool sym_is_bool(const struct domain *d, struct cell c);

/* Boolean algebra on cells. */
struct cell cell_not(struct domain *d, struct cell a);
struct cell cell_and(struct domain *d, struct cell a, struct cell b);
struct cell cell_or(struct domain *d, struct cell a, struct cell b);
struct cell cell_phi(struct domain *d, struct cell p, struct cell a, struct cell b);
/* The value of a divergent symbol in one lane; others are themselves. */
struct cell cell_lane(struct domain *d, struct cell c, unsigned t);

struct val val_not(struct domain *d, const struct val *a);
struct val val_phi(
	struct domain *d, const struct val *p, const struct val *a, const struct val *b);

#endif
