/* Which bytes an address names. */
#include "gate/known.h"
#include "gate/memory.h"
#include "gate/pointee.h"

enum { DEPTH_MAX = 24 };

struct span {
	bool known;
	int64_t lo, hi;
};

struct base {
	uint32_t var, frame;
	bool exact;
	int64_t lo, hi; /* within the variable */
};

static uint64_t
tag_of(const struct domain *d, uint32_t s)
{
	const struct sym_page *p = sym_page(d, s);

	return p->head.arg ? p->head.tag : p->member[s & (SYM_PAGE - 1)]->tag;
}

static const struct ptx_form *
form_of(const struct domain *d, uint32_t s)
{
	return (const struct ptx_form *)(uintptr_t)tag_of(d, s);
}

static struct span
span_int(uint64_t v, unsigned bits)
{
	int64_t x = known_sext(v, bits);

	return (struct span){true, x, x};
}

/* Small spans only: sums of them cannot overflow. */
static struct span
checked(struct span s)
{
	const int64_t far = INT64_C(1) << 40;

	s.known = s.known && s.lo >= -far && s.hi <= far;
	return s;
}

static struct span
span_scaled(struct span s, int64_t by)
{
	s = checked(s);
	if (!s.known || by > 1 << 20 || by < -(1 << 20))
		return (struct span){0};
	if (by < 0)
		return checked((struct span){true, s.hi * by, s.lo * by});
	return checked((struct span){true, s.lo * by, s.hi * by});
}

static struct span span_of(
	const struct domain *d, struct cell c, unsigned bits, unsigned depth);

static struct span
span_and(const struct domain *d, uint32_t s, unsigned bits, unsigned depth)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct cell k = sym_operand(d, s, i);

		if (!k.s && known_sext(k.v, bits) >= 0)
			return checked((struct span){true, 0, (int64_t)k.v});
	}
	(void)depth;
	return (struct span){0};
}

static struct span
span_ins(const struct domain *d, uint32_t s, unsigned depth)
{
	const struct ptx_form *f = form_of(d, s);
	unsigned bits = ptx_type_bits(f->type[0]);
	struct cell a = sym_operand(d, s, 0);
	struct cell b = sym_at(d, s)->n > 1 ? sym_operand(d, s, 1) : cell_int(0);

	switch ((int)f->op) {
	case PTX_AND: return span_and(d, s, bits, depth);
	case PTX_SHL:
		if (b.s || b.v > 20)
			break;
		return span_scaled(span_of(d, a, bits, depth + 1), INT64_C(1) << b.v);
	case PTX_MUL:
		if (PTX_HAS(f, HI))
			break;
		if (!b.s)
			return span_scaled(
				span_of(d, a, bits, depth + 1), known_sext(b.v, bits));
		if (!a.s)
			return span_scaled(
				span_of(d, b, bits, depth + 1), known_sext(a.v, bits));
		break;
	case PTX_REM:
		if (b.s || ptx_type_class(f->type[0]) != 'u' || !b.v)
			break;
		return checked((struct span){true, 0, (int64_t)b.v - 1});
	case PTX_CVT: {
		/* a small span is the same number at any width */
		struct span x =
			span_of(d, a, ptx_type_bits(f->type[f->n_types - 1]), depth + 1);

		if (f->n_types == 2 && ptx_type_class(f->type[1]) == 'u' && x.lo < 0)
			break;
		return x.known && x.hi <= INT32_MAX && x.lo >= INT32_MIN
			       ? x
			       : (struct span){0};
	}
	default: break;
	}
	return (struct span){0};
}

static struct span
span_of(const struct domain *d, struct cell c, unsigned bits, unsigned depth)
{
	if (!c.s)
		return checked(span_int(c.v, bits));
	if (sym_is_bool(d, c))
		return (struct span){true, 0, 1};
	if (depth < DEPTH_MAX && sym_op(d, c.s) == SYM_PHI) {
		struct span a = span_of(d, sym_operand(d, c.s, 1), bits, depth + 1);
		struct span b = span_of(d, sym_operand(d, c.s, 2), bits, depth + 1);

		return (struct span){a.known && b.known, a.lo < b.lo ? a.lo : b.lo,
			a.hi > b.hi ? a.hi : b.hi};
	}
	if (depth >= DEPTH_MAX || sym_op(d, c.s) != SYM_INS)
		return (struct span){0};
	return span_ins(d, c.s, depth);
}

static void
shift(struct base *b, struct cell by, struct span s)
{
	b->exact = b->exact && !by.s;
	if (!s.known) {
		/* anywhere in the variable */
		b->exact = false;
		b->lo = INT32_MIN;
		b->hi = INT32_MAX;
		return;
	}
	b->lo += s.lo;
	b->hi += s.hi;
}

static bool base_of(struct sim *s, struct cell c, unsigned depth, struct base *b);

static bool
base_of_mad(struct sim *s, uint32_t sym, unsigned depth, struct base *b)
{
	struct domain *d = &s->d;
	const struct ptx_form *f = form_of(d, sym);
	unsigned bits = ptx_type_bits(f->type[0]);
	struct cell x = sym_operand(d, sym, 0), y = sym_operand(d, sym, 1);
	struct span p = {0};

	if (PTX_HAS(f, HI) || !base_of(s, sym_operand(d, sym, 2), depth + 1, b))
		return false;
	if (!x.s)
		p = span_scaled(span_of(d, y, bits, 0), known_sext(x.v, bits));
	else if (!y.s)
		p = span_scaled(span_of(d, x, bits, 0), known_sext(y.v, bits));
	shift(b, x.s ? x : y, p);
	return true;
}

static bool
base_of_ins(struct sim *s, uint32_t sym, unsigned depth, struct base *b)
{
	struct domain *d = &s->d;
	const struct ptx_form *f = form_of(d, sym);
	unsigned bits = f->n_types ? ptx_type_bits(f->type[0]) : 0;
	struct cell x = sym_operand(d, sym, 0), y;

	switch ((int)f->op) {
	case PTX_MOV:
	case PTX_CVTA:
	case PTX_CVT: return base_of(s, x, depth + 1, b);
	case PTX_MAD: return base_of_mad(s, sym, depth, b);
	case PTX_ADD:
		y = sym_operand(d, sym, 1);
		if (!base_of(s, x, depth + 1, b)) {
			x = y;
			y = sym_operand(d, sym, 0);
			if (!base_of(s, x, depth + 1, b))
				return false;
		}
		shift(b, y, span_of(d, y, bits, 0));
		return true;
	case PTX_SUB:
		y = sym_operand(d, sym, 1);
		if (!base_of(s, x, depth + 1, b))
			return false;
		shift(b, y, span_scaled(span_of(d, y, bits, 0), -1));
		return true;
	default: return false;
	}
}

static bool
base_of(struct sim *s, struct cell c, unsigned depth, struct base *b)
{
	struct domain *d = &s->d;
	struct base x, y;

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
		shift(b, cell_int(0), span_int(sym_operand(d, c.s, 1).v, 64));
		return true;
	case SYM_INS: return base_of_ins(s, c.s, depth, b);
	case SYM_PHI:
		if (!base_of(s, sym_operand(d, c.s, 1), depth + 1, &x) ||
			!base_of(s, sym_operand(d, c.s, 2), depth + 1, &y) ||
			x.var != y.var || x.frame != y.frame)
			return false;
		*b = x;
		b->exact = false;
		b->lo = x.lo < y.lo ? x.lo : y.lo;
		b->hi = x.hi > y.hi ? x.hi : y.hi;
		return true;
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
strip(const struct sim *s, struct cell *c, int64_t *offset)
{
	const struct sym *x = sym_of(&s->d, c->s);
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	enum ptx_op op = x->op == SYM_INS ? f->op : PTX_UNKNOWN;

	if (x->op == SYM_OFFSET || (op == PTX_ADD && x->n == 2)) {
		unsigned k = x->arg[0].s == 0;

		if (x->arg[!k].s)
			return false;
		*offset += (int64_t)x->arg[!k].v;
		*c = x->arg[k];
		return true;
	}
	if (op == PTX_SUB && x->n == 2 && !x->arg[1].s) {
		*offset -= (int64_t)x->arg[1].v;
		*c = x->arg[0];
		return true;
	}
	if (op == PTX_MAD && x->n == 3 && !x->arg[0].s && !x->arg[1].s) {
		*offset += (int64_t)(x->arg[0].v * x->arg[1].v);
		*c = x->arg[2];
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
address_anchor(const struct sim *s, struct cell c)
{
	struct anchor p = {0};

	for (int i = 0; c.s && i < 256; i++)
		if (!strip(s, &c, &p.offset))
			break;
	p.root = c.s;
	p.offset += c.s ? 0 : (int64_t)c.v;
	return p;
}
