/* Which bytes an address names. */
#include "simt/memory.h"
#include "slice/pointee.h"
#include "value/known.h"
#include "value/linear.h"

enum { DEPTH_MAX = 24 };

struct base {
	uint32_t var, frame;
	bool exact;
	int64_t lo, hi; /* within the variable */
};

static bool base_of(struct sim *s, struct cell c, unsigned depth, struct base *b);

/* Moves it by a sum. */
static void
shift(const struct domain *d, struct base *b, const struct linear *by)
{
	const i128 far = (i128)1 << 40;
	struct span x = bounds_sum(d, by, true);

	b->exact = b->exact && !by->n;
	if (x.lo < -far || x.hi > far) {
		/* anywhere in the variable */
		b->exact = false;
		b->lo = INT32_MIN;
		b->hi = INT32_MAX;
		return;
	}
	b->lo += (int64_t)x.lo;
	b->hi += (int64_t)x.hi;
}

/* One term is an address, the others count from it. */
static bool
base_of_sum(struct sim *s, uint32_t sym, unsigned depth, struct base *b)
{
	struct linear x;
	unsigned i = 0;

	if (!linear_of(&s->d, cell_sym(sym), (unsigned)sym_head(&s->d, sym)->tag, &x))
		return false;
	while (i < x.n &&
		(x.term[i].v != 1 || !base_of(s, cell_sym(x.term[i].s), depth + 1, b)))
		i++;
	if (i == x.n)
		return false;
	memmove(&x.term[i], &x.term[i + 1], (x.n - i - 1) * sizeof x.term[0]);
	x.n--;
	shift(&s->d, b, &x);
	return true;
}

static bool
base_of_ins(struct sim *s, uint32_t sym, unsigned depth, struct base *b)
{
	const struct ptx_form *f =
		(const struct ptx_form *)(uintptr_t)sym_head(&s->d, sym)->tag;

	return (f->op == PTX_MOV || f->op == PTX_CVTA || f->op == PTX_CVT) &&
	       base_of(s, sym_operand(&s->d, sym, 0), depth + 1, b);
}

static bool
base_of_either(struct sim *s, uint32_t sym, unsigned depth, struct base *b)
{
	struct base x, y;

	if (!base_of(s, sym_operand(&s->d, sym, 1), depth + 1, &x) ||
		!base_of(s, sym_operand(&s->d, sym, 2), depth + 1, &y) ||
		x.var != y.var || x.frame != y.frame)
		return false;
	*b = x;
	b->exact = false;
	b->lo = x.lo < y.lo ? x.lo : y.lo;
	b->hi = x.hi > y.hi ? x.hi : y.hi;
	return true;
}

static bool
base_of(struct sim *s, struct cell c, unsigned depth, struct base *b)
{
	struct domain *d = &s->d;
	struct linear by = {.width = 64};

	if (!c.s || depth > DEPTH_MAX)
		return false;
	domain_work(d, 1);
	switch ((int)sym_op(d, c.s)) {
	case SYM_ADDRESS: {
		uint32_t id = (uint32_t)sym_operand(d, c.s, 1).v;

		if (sym_operand(d, c.s, 0).v != PTX_O_VAR)
			return false;
		*b = (struct base){.var = s->s->points->first[id],
			.frame = (uint32_t)sym_operand(d, c.s, 2).v,
			.exact = true};
		return s->m->vars[id].space == PTX_SPACE_SHARED ||
		       s->m->vars[id].space == PTX_SPACE_LOCAL;
	}
	case SYM_OFFSET:
		if (!base_of(s, sym_operand(d, c.s, 0), depth + 1, b))
			return false;
		by.k = sym_operand(d, c.s, 1).v;
		shift(d, b, &by);
		return true;
	case SYM_LINEAR: return base_of_sum(s, c.s, depth, b);
	case SYM_EXT: return base_of(s, sym_operand(d, c.s, 0), depth + 1, b);
	case SYM_INS: return base_of_ins(s, c.s, depth, b);
	case SYM_PHI: return base_of_either(s, c.s, depth, b);
	default: return false;
	}
}

struct spot
address_spot(struct sim *s, struct cell c, int64_t off)
{
	struct base b;

	if (!base_of(s, c, 0, &b) || !memory_follows(s, b.var))
		return (struct spot){.region = PTX_NONE};
	return (struct spot){
		memory_region(s, b.var, b.frame), b.exact, b.lo + off, b.hi + off};
}

/* ---- addresses of anything ---- */

static bool
is_own_rank(const struct sim *s, struct cell rank)
{
	const struct dim *c = &s->q->launch.cluster;
	const int64_t *r = s->d.rank;

	return !rank.s &&
	       (rank.v & UINT32_MAX) ==
		       (uint64_t)r[0] + c->x * ((uint64_t)r[1] + c->y * (uint64_t)r[2]);
}

/* One step towards what an address is counted from; false: c is it. */
static bool
strip(struct sim *s, struct cell *c, int64_t *offset)
{
	const struct sym *x = sym_of(&s->d, c->s);
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	enum ptx_op op = x->op == SYM_INS ? f->op : PTX_UNKNOWN;
	struct linear y;

	if (x->op == SYM_OFFSET && !x->arg[1].s) {
		*offset += (int64_t)x->arg[1].v;
		*c = x->arg[0];
		return true;
	}
	if (x->op == SYM_EXT) {
		*c = x->arg[0];
		return true;
	}
	if (x->op == SYM_LINEAR && linear_of(&s->d, *c, (unsigned)x->tag, &y) && y.k) {
		*offset += known_sext(y.k, y.width);
		y.k = 0;
		*c = linear_cell(&s->d, &y);
		return true;
	}
	if ((op == PTX_CVT && f->n_types == 2 && ptx_type_bits(f->type[0]) >= 32 &&
		    ptx_type_bits(f->type[1]) >= 32) ||
		(op == PTX_MAPA && x->n == 2 && is_own_rank(s, x->arg[1]))) {
		*c = x->arg[0];
		return true;
	}
	return false;
}

struct anchor
address_anchor(struct sim *s, struct cell c)
{
	struct anchor p = {0};

	for (int i = 0; c.s && i < 256; i++)
		if (!strip(s, &c, &p.offset))
			break;
	p.root = c.s;
	p.offset += c.s ? 0 : (int64_t)c.v;
	return p;
}
