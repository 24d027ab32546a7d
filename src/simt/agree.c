/*
 * Loops: registers, lanes and words that agree at the head and whenever control comes
 * back go on agreeing.  A tile number that one thread stores and all load is then still
 * one number at the head, wherever it is.
 *
 * Cells that were x and have become y get one symbol for that pair.  Later rounds keep a
 * symbol for the cells that come back as the first of them did, and give the others
 * another one; so at the fixed point every symbol is one number for all that hold it.
 */
#include "simt/memory.h"
#include "value/affine.h"

enum { DEPTH_MAX = 8, OPERANDS_MAX = 4 };

/* old, now: a pair and its symbol; now absent (s == UINT32_MAX): what `old` came back as.
 */
struct agree_pair {
	struct cell old, now, is;
	uint32_t back;
	bool used;
};

struct agreement {
	struct agree_pair *v;
	size_t n, cap; /* a power of two */
};

struct agreement *
agree_begin(struct sim *s)
{
	struct agreement *a = sim_alloc(s, 1, sizeof *a);

	a->cap = 64;
	a->v = sim_alloc(s, a->cap, sizeof *a->v);
	return a;
}

static struct agree_pair *
pair_at(struct agreement *a, struct cell old, struct cell now, uint32_t back)
{
	uint64_t h = (old.v ^ (uint64_t)old.s << 32) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ now.v ^ (uint64_t)now.s << 32) * UINT64_C(0xff51afd7ed558ccd);
	for (size_t k = (h >> 32) + back;; k++) {
		struct agree_pair *p = &a->v[k & (a->cap - 1)];

		if (!p->used ||
			(cell_eq(p->old, old) && cell_eq(p->now, now) && p->back == back))
			return p;
	}
}

static struct agree_pair *
pair_find(struct sim *s, struct agreement *a, struct cell old, struct cell now,
	uint32_t back)
{
	if (a->n * 2 >= a->cap) {
		struct agreement b = {
			sim_alloc(s, a->cap * 4, sizeof *b.v), a->n, a->cap * 4};

		for (size_t i = 0; i < a->cap; i++)
			if (a->v[i].used)
				*pair_at(&b, a->v[i].old, a->v[i].now, a->v[i].back) =
					a->v[i];
		*a = b;
	}
	struct agree_pair *p = pair_at(a, old, now, back);
	domain_work(&s->d, 1);
	if (!p->used) {
		*p = (struct agree_pair){.old = old, .now = now, .back = back};
		a->n++;
	}
	return p;
}

static bool
is_ours(const struct sim *s, struct cell c, const struct entry *e)
{
	return c.s && sym_op(&s->d, c.s) == SYM_FRESH && !sym_head(&s->d, c.s)->n &&
	       !(sym_flags(&s->d, c.s) & SYM_DIV) &&
	       sym_of(&s->d, c.s)->widened_in == e->id;
}

/* One slot while it is compared with one state that came back. */
struct round {
	struct sim *s;
	struct agreement *a;
	const struct entry *e;
	uint32_t slot, back;
};

static struct cell agreed(struct round *r, struct cell x, struct cell y, unsigned depth);

static bool
is_function(enum sym_op op)
{
	return op == SYM_CMP || op == SYM_NOT || op == SYM_AND || op == SYM_OR ||
	       op == SYM_PHI || op == SYM_INS || op == SYM_PART || op == SYM_OFFSET;
}

/* The same function of operands that agree: f(x) and f(y) are f of what x and y are. */
static bool
agreed_function(
	struct round *r, struct cell x, struct cell y, unsigned depth, struct cell *out)
{
	struct domain *d = &r->s->d;
	struct cell arg[OPERANDS_MAX] = {{0}};

	if (!x.s || !y.s || depth > DEPTH_MAX || !is_function(sym_op(d, x.s)) ||
		sym_op(d, x.s) != sym_op(d, y.s) ||
		sym_head(d, x.s)->tag != sym_head(d, y.s)->tag)
		return false;
	uint32_t n = sym_head(d, x.s)->n;
	if (n > OPERANDS_MAX || sym_head(d, y.s)->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		arg[i] = agreed(
			r, sym_operand(d, x.s, i), sym_operand(d, y.s, i), depth + 1);
	switch ((int)sym_op(d, x.s)) {
	case SYM_NOT: *out = cell_not(d, arg[0]); break;
	case SYM_AND: *out = cell_and(d, arg[0], arg[1]); break;
	case SYM_OR: *out = cell_or(d, arg[0], arg[1]); break;
	case SYM_PHI: *out = cell_phi(d, arg[0], arg[1], arg[2]); break;
	default:
		*out = cell_sym(sym_make(d, sym_op(d, x.s), sym_head(d, x.s)->tag, arg, n,
			sym_flags(d, x.s) & sym_flags(d, y.s) & SYM_BOOL));
	}
	return true;
}

static struct cell
agreed(struct round *r, struct cell x, struct cell y, unsigned depth)
{
	struct sim *s = r->s;
	struct domain *d = &s->d;
	struct agreement *a = r->a;
	const struct entry *e = r->e;
	uint32_t back = r->back;
	struct cell both;
	const struct cell any = {0, UINT32_MAX};
	bool boolean = sym_is_bool(d, x) && sym_is_bool(d, y);

	if (is_ours(s, x, e)) {
		struct agree_pair *p = pair_find(s, a, x, any, back);

		if (!p->used) {
			p->used = true;
			p->is = y;
		}
		if (cell_eq(p->is, y) && (boolean || !sym_is_bool(d, x)))
			return x;
	} else if (agreed_function(r, x, y, depth, &both)) {
		return both;
	} else if (cell_eq(x, y)) {
		return x;
	}
	struct agree_pair *p = pair_find(s, a, x, y, back);
	if (!p->used) {
		unsigned f =
			(x.s ? sym_flags(d, x.s) : 0) | (y.s ? sym_flags(d, y.s) : 0);
		uint32_t id = sym_fresh(d, (f & SYM_KEPT) | SYM_TAINT_LOOP |
						   (boolean ? (unsigned)SYM_BOOL : 0));

		sym_at(d, id)->widened_in = e->id;
		sym_at(d, id)->widened_slot = r->slot;
		p->used = true;
		p->is = cell_sym(id);
	}
	return p->is;
}

static bool
is_vector(const struct sim *s, const struct val *v)
{
	return v->kind == VAL_SYM && sym_flags(&s->d, v->s) & SYM_DIV;
}

/* A count of rounds, and nothing that is different every time round. */
static bool
is_counted(const struct sim *s, const struct entry *e, struct cell c, bool *counts)
{
	const struct domain *d = &s->d;

	if (!c.s)
		return true;
	if (sym_op(d, c.s) == SYM_TRIP && sym_head(d, c.s)->tag == e->id)
		*counts = true;
	if (sym_op(d, c.s) == SYM_FRESH && sym_of(d, c.s)->widened_in == e->id)
		return false;
	for (uint32_t i = 0; sym_op(d, c.s) == SYM_LINEAR && i < sym_head(d, c.s)->n;
		i++) {
		struct cell x = cell_sym(sym_operand(d, c.s, i).s);

		if (!is_counted(s, e, x, counts))
			return false;
	}
	return true;
}

bool
agree_leaves(struct sim *s, const struct entry *e, const struct val *v)
{
	bool counts = false;

	if (v->kind != VAL_LANES)
		return v->kind == VAL_SYM && is_counted(s, e, val_flat(v), &counts) &&
		       counts;
	for (unsigned t = 0; t < s->d.n; t++)
		if (!is_counted(s, e, val_cell(&s->d, v, t), &counts))
			return false;
	return counts;
}

bool
agree_widen(struct sim *s, struct agreement *a, const struct entry *e, uint32_t slot,
	uint32_t back, const struct val *head, const struct val *now, struct val *out)
{
	struct domain *d = &s->d;
	struct val h = affine_forget(d, head), b = affine_forget(d, now);
	struct round r = {s, a, e, slot, back};
	bool changed = false;
	uint64_t v[LANES_MAX];
	uint32_t sy[LANES_MAX];

	*out = *head;
	if (h.kind == VAL_NONE || b.kind == VAL_NONE)
		return false;
	/* such a slot gets a vector of its own */
	if (is_vector(s, &h) || (h.kind != VAL_LANES && is_vector(s, &b)))
		return false;
	if (h.kind != VAL_LANES && b.kind != VAL_LANES) {
		struct cell c = agreed(&r, val_flat(&h), val_flat(&b), 0);

		if (!cell_eq(c, val_flat(&h)))
			*out = val_of_cell(c);
		return true;
	}
	for (unsigned t = 0; t < d->n; t++) {
		struct cell x = val_cell(d, &h, t);
		struct cell c = agreed(&r, x, val_cell(d, &b, t), 0);

		changed = changed || !cell_eq(c, x);
		v[t] = c.v;
		sy[t] = c.s;
	}
	domain_work(d, d->n);
	if (changed)
		*out = val_pack(d, v, sy);
	return true;
}
