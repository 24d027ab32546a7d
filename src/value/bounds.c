/* What is known of an unknown number: low bits that are 0, least and greatest value. */
#include "value/known.h"
#include "value/linear.h"
#include "value/symbol.h"

enum {
	DEPTH_MAX = 8,
	/* Strides and offsets of index arithmetic; larger ones are hashes and the like,
	 * which are meant to wrap. */
	STRIDE_BITS = 26,
	OFFSET_BITS = 30,
	COUNT_BITS = 62, /* how often a loop may run */
};

static unsigned
zeros_of(uint64_t v)
{
	return v ? (unsigned)__builtin_ctzll(v) : 64;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned align_of(const struct domain *d, struct cell c, unsigned depth);

static unsigned
align_of_form(const struct domain *d, uint32_t s, unsigned depth)
{
	const struct sym *x = sym_head(d, s);
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	bool lower = f->op == PTX_OR || f->op == PTX_XOR || f->op == PTX_MIN ||
		     f->op == PTX_MAX;
	unsigned a, b;

	if (!f->n_types || ptx_type_class(f->type[0]) == 'f' || x->n != 2 ||
		(!lower && f->op != PTX_AND))
		return 0;
	a = align_of(d, sym_operand(d, s, 0), depth + 1);
	if (lower && !a)
		return 0;
	b = align_of(d, sym_operand(d, s, 1), depth + 1);
	return lower == (a < b) ? a : b;
}

static unsigned
align_of_operand(const struct domain *d, uint32_t s, unsigned i, unsigned depth)
{
	return align_of(d, sym_operand(d, s, i), depth + 1);
}

static unsigned
align_of_sum(const struct domain *d, uint32_t s, unsigned depth)
{
	unsigned r = zeros_of(sym_operand(d, s, 0).v), n = sym_head(d, s)->n;

	for (uint32_t i = 1; r && i < n; i++) {
		struct cell c = sym_operand(d, s, i);

		r = least(r, zeros_of(c.v) + align_of(d, cell_sym(c.s), depth + 1));
	}
	return r;
}

/* Looks at operands only where they matter: in them members of a row may differ. */
static unsigned
align_of_symbol(const struct domain *d, uint32_t s, unsigned depth)
{
	unsigned a;

	switch ((int)sym_op(d, s)) {
	case SYM_LINEAR: return align_of_sum(d, s, depth);
	case SYM_FRESH: return sym_head(d, s)->n ? (unsigned)sym_operand(d, s, 0).v : 0;
	case SYM_TRIP: return sym_head(d, s)->n ? align_of_operand(d, s, 0, depth) : 0;
	case SYM_EXT: return align_of_operand(d, s, 0, depth);
	case SYM_PHI:
		a = align_of_operand(d, s, 1, depth);
		return a ? least(a, align_of_operand(d, s, 2, depth)) : 0;
	case SYM_PRODUCT:
		return align_of_operand(d, s, 0, depth) +
		       align_of_operand(d, s, 1, depth);
	case SYM_INS: return align_of_form(d, s, depth);
	default: return 0;
	}
}

static unsigned
align_of(const struct domain *d, struct cell c, unsigned depth)
{
	if (!c.s)
		return zeros_of(c.v);
	return depth > DEPTH_MAX ? 0 : least(64, align_of_symbol(d, c.s, depth));
}

unsigned
bounds_align(const struct domain *d, uint32_t sym)
{
	return align_of(d, cell_sym(sym), 0);
}

unsigned
bounds_align_terms(const struct domain *d, const struct linear *x)
{
	unsigned r = x->width;

	for (unsigned i = 0; r && i < x->n; i++)
		r = least(r, zeros_of(x->term[i].v) + bounds_align(d, x->term[i].s));
	return r;
}

/* ---- least and greatest ---- */

static const struct span nothing = {-((i128)1 << 100), (i128)1 << 100};

static struct span
full(unsigned width, bool is_signed)
{
	i128 all = (i128)1 << width;

	return is_signed ? (struct span){-all / 2, all / 2 - 1}
			 : (struct span){0, all - 1};
}

static bool
within(struct span a, struct span b)
{
	return a.lo >= b.lo && a.hi <= b.hi;
}

static struct span range_of(const struct domain *d, struct cell c, unsigned width,
	bool is_signed, unsigned depth);

/* The operand of a form as its type reads it. */
static struct span
range_of_operand(const struct domain *d, uint32_t s, unsigned i, unsigned depth)
{
	const struct ptx_form *f =
		(const struct ptx_form *)(uintptr_t)sym_head(d, s)->tag;

	return range_of(d, sym_operand(d, s, i), ptx_type_bits(f->type[0]),
		ptx_type_class(f->type[0]) == 's', depth + 1);
}

static struct span
range_of_shift(struct span a, i128 by)
{
	return (struct span){a.lo >> (int)by, a.hi >> (int)by};
}

/* Division and remainder by a positive number. */
static struct span
range_of_divide(enum ptx_op op, struct span a, i128 by)
{
	if (op == PTX_DIV)
		return (struct span){a.lo / by, a.hi / by};
	return (struct span){
		a.lo < 0 ? 1 - by : 0, a.hi < by ? (a.hi > 0 ? a.hi : 0) : by - 1};
}

static struct span
range_of_form(const struct domain *d, uint32_t s, unsigned depth)
{
	const struct sym *x = sym_head(d, s);
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	unsigned width = ptx_type_bits(f->type[0]);
	struct span a, b;

	if (x->n == 1 && (f->op == PTX_POPC || f->op == PTX_CLZ))
		return (struct span){0, width};
	if (x->n != 2)
		return nothing;
	a = range_of_operand(d, s, 0, depth);
	b = range_of_operand(d, s, 1, depth);
	bool fixed = b.lo == b.hi;
	switch ((int)f->op) {
	case PTX_AND:
		/* bits are read without a sign */
		if (fixed && b.lo >= 0)
			return (struct span){0, b.lo};
		return a.lo == a.hi && a.lo >= 0 ? (struct span){0, a.lo} : nothing;
	case PTX_SHR:
		return fixed && b.lo >= 0 && b.lo < width ? range_of_shift(a, b.lo)
							  : nothing;
	case PTX_DIV:
	case PTX_REM:
		return fixed && b.lo > 0 ? range_of_divide(f->op, a, b.lo) : nothing;
	case PTX_MIN:
		return (struct span){
			a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
	case PTX_MAX:
		return (struct span){
			a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
	default: return nothing;
	}
}

static struct span
range_of_argument(const struct domain *d, uint32_t s)
{
	enum ptx_type type = (enum ptx_type)(sym_operand(d, s, 2).v & 255);
	char class = ptx_type_class(type);

	return class == 's' || class == 'u' ? full(ptx_type_bits(type), class == 's')
					    : nothing;
}

static struct span
range_of_block(const struct domain *d, uint64_t tag)
{
	unsigned i = tag & 3;
	struct span r = {d->lo[i], d->hi[i]};

	if (tag >> 4 == PTX_SREG_CTAID)
		r = (struct span){
			d->rank[i] + d->step[i] * r.lo, d->rank[i] + d->step[i] * r.hi};
	return r;
}

/* A sum without its modulus. */
static struct span
range_of_sum(
	const struct domain *d, const struct linear *x, bool is_signed, unsigned depth)
{
	int64_t k = known_sext(x->k, x->width);
	struct span r = {k, k};

	for (unsigned i = 0; i < x->n; i++) {
		struct span s = {0, (i128)1 << COUNT_BITS};
		int64_t c = known_sext(x->term[i].v, x->width);

		if (c > INT32_MAX || c < -INT32_MAX)
			return nothing;
		if (sym_op(d, x->term[i].s) != SYM_TRIP || sym_head(d, x->term[i].s)->n)
			s = range_of(d, cell_sym(x->term[i].s), x->width, is_signed,
				depth + 1);
		r.lo += c * (c > 0 ? s.lo : s.hi);
		r.hi += c * (c > 0 ? s.hi : s.lo);
	}
	return r;
}

/* What an instruction gives, if it works on numbers of the width alone. */
static struct span
range_of_ins(const struct domain *d, uint32_t s, unsigned width, unsigned depth)
{
	const struct ptx_form *f =
		(const struct ptx_form *)(uintptr_t)sym_head(d, s)->tag;
	bool whole = f->n_types == 1 && ptx_type_class(f->type[0]) != 'f' &&
		     ptx_type_bits(f->type[0]) == width;

	return whole ? range_of_form(d, s, depth) : nothing;
}

static struct span
range_of_ext(const struct domain *d, uint32_t s, unsigned width, unsigned depth)
{
	uint64_t tag = sym_head(d, s)->tag;

	return tag >> 16 == width
		       ? range_of(d, sym_operand(d, s, 0), (unsigned)(tag >> 8) & 255,
				 tag & 1, depth + 1)
		       : nothing;
}

/* The number that the symbol stands for, where every reading of it is the same.  Looks at
 * operands only where they matter, as align_of_symbol does. */
static struct span
range_of_symbol(const struct domain *d, uint32_t self, unsigned width, bool is_signed,
	unsigned depth)
{
	struct linear y;
	struct span a, b;

	if (sym_flags(d, self) & SYM_BOOL)
		return (struct span){0, 1};
	switch ((int)sym_op(d, self)) {
	case SYM_EXT: return range_of_ext(d, self, width, depth);
	case SYM_PHI:
		a = range_of(d, sym_operand(d, self, 1), width, is_signed, depth + 1);
		b = range_of(d, sym_operand(d, self, 2), width, is_signed, depth + 1);
		return (struct span){
			a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
	case SYM_SREG:
		return sym_is_block_index(sym_head(d, self))
			       ? range_of_block(d, sym_head(d, self)->tag)
			       : nothing;
	case SYM_PARAM:
		return sym_head(d, self)->n == 3 ? range_of_argument(d, self) : nothing;
	case SYM_INS: return range_of_ins(d, self, width, depth);
	case SYM_LINEAR:
		return sym_head(d, self)->tag == width &&
				       linear_of(d, cell_sym(self), width, &y)
			       ? range_of_sum(d, &y, is_signed, depth)
			       : nothing;
	default: return nothing;
	}
}

static struct span
range_in(const struct domain *d, uint32_t s, unsigned width, bool is_signed,
	unsigned depth)
{
	struct span all = full(width, is_signed),
		    r = range_of_symbol(d, s, width, is_signed, depth);

	return within(r, all) ? r : all;
}

/*
 * What was found out last about symbols.  They share operands: a sum of sums of sums
 * would be looked at as often as there are ways to it.  The depth is part of the key, so
 * that every answer is the same as without.
 */
enum {
	MEMO_BITS = 12,
	MEMO_DEPTH = 2, /* most symbols end above it, and need no memo */
};

struct bound {
	uint64_t lo, hi;
	uint32_t s;
	uint8_t how; /* width << 1 | signed */
	uint8_t depth;
	bool looked; /* as in sym_table */
};

static struct span
range_kept(const struct domain *d, uint32_t s, unsigned width, bool is_signed,
	unsigned depth)
{
	struct sym_table *t = d->table;
	struct bound now = {.s = s, .depth = (uint8_t)depth}, *b;
	bool looked = t->looked;

	now.how = (uint8_t)(width << 1 | is_signed);
	uint64_t h = ((uint64_t)s << 16 | (unsigned)now.how << 8 | depth) *
		     UINT64_C(0x9e3779b97f4a7c15);
	if (!t->bounds)
		t->bounds = arena_news(t->mem, (size_t)1 << MEMO_BITS, struct bound);
	b = &t->bounds[h >> (64 - MEMO_BITS)];
	if (b->s != s || b->how != now.how || b->depth != depth) {
		t->looked = false;
		struct span r = range_in(d, s, width, is_signed, depth);
		now.lo = (uint64_t)r.lo;
		now.hi = (uint64_t)r.hi;
		now.looked = t->looked;
		*b = now;
	}
	t->looked = looked || b->looked;
	return is_signed ? (struct span){(int64_t)b->lo, (int64_t)b->hi}
			 : (struct span){b->lo, b->hi};
}

static struct span
range_of(const struct domain *d, struct cell c, unsigned width, bool is_signed,
	unsigned depth)
{
	if (!c.s) {
		i128 v = is_signed ? (i128)known_sext(c.v, width)
				   : (i128)(c.v & bits_mask(width));
		return (struct span){v, v};
	}
	if (depth > DEPTH_MAX)
		return full(width, is_signed);
	enum sym_op op = sym_op(d, c.s);
	bool parts = op == SYM_PHI || sym_is_computed(op);
	return parts && depth >= MEMO_DEPTH && width <= 64
		       ? range_kept(d, c.s, width, is_signed, depth)
		       : range_in(d, c.s, width, is_signed, depth);
}

struct span
bounds_of(const struct domain *d, struct cell c, unsigned width, bool is_signed)
{
	return range_of(d, c, width, is_signed, 0);
}

struct span
bounds_sum(const struct domain *d, const struct linear *x, bool is_signed)
{
	return range_of_sum(d, x, is_signed, 0);
}

static bool
is_index(const struct linear *x)
{
	const int64_t most = INT64_C(1) << STRIDE_BITS, far = INT64_C(1) << OFFSET_BITS;
	int64_t k = known_sext(x->k, x->width);

	for (unsigned i = 0; i < x->n; i++) {
		int64_t c = known_sext(x->term[i].v, x->width);

		if (c > most || c < -most)
			return false;
	}
	return k <= far && k >= -far;
}

bool
bounds_exact(
	const struct domain *d, const struct linear *x, bool is_signed, struct span *sum)
{
	if (!x->n) {
		*sum = bounds_of(d, cell_int(x->k), x->width, is_signed);
		return true;
	}
	*sum = bounds_sum(d, x, is_signed);
	return within(*sum, full(x->width, is_signed)) ||
	       (is_signed && x->width >= 32 && is_index(x));
}
