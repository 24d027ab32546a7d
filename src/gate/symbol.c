#include "gate/symbol.h"

enum { SLOTS_MIN = 256, SYM_ARGS_MAX = 4096 };

void
domain_init(struct domain *d, struct arena *vals, struct arena *syms, unsigned n)
{
	memset(d, 0, sizeof *d);
	d->vals = vals;
	d->syms = syms;
	d->n = n;
	d->n_slots = SLOTS_MIN;
	d->slots = arena_news(syms, d->n_slots, uint32_t);
	d->cap_sym = SLOTS_MIN / 2;
	d->sym = arena_news(syms, d->cap_sym, struct sym);
	d->n_sym = 1;
}

void
domain_stop(struct domain *d, enum stop_why why, const char *cap)
{
	d->why = why;
	d->cap = cap;
	longjmp(*d->out, 1);
}

void
domain_work(struct domain *d, uint64_t lanes)
{
	d->work += lanes;
	if (d->work > d->work_max)
		domain_stop(d, STOP_BUDGET, "work");
}

static uint32_t
key_hash(enum sym_op op, uint64_t tag, const struct cell *arg, uint32_t n)
{
	uint64_t h = (uint64_t)op * UINT64_C(0x9e3779b97f4a7c15) ^ tag;

	h *= UINT64_C(0xff51afd7ed558ccd);
	for (uint32_t i = 0; i < n; i++) {
		h ^= h >> 29;
		h = (h + arg[i].v) * UINT64_C(0xc4ceb9fe1a85ec53);
		h = (h ^ arg[i].s) * UINT64_C(0xff51afd7ed558ccd);
	}
	return (uint32_t)(h ^ h >> 32);
}

static bool
key_same(const struct sym *s, enum sym_op op, uint64_t tag, const struct cell *arg,
	uint32_t n)
{
	if (s->op != op || s->tag != tag || s->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!cell_eq(s->arg[i], arg[i]))
			return false;
	return true;
}

static void
slots_grow(struct domain *d)
{
	d->n_slots *= 4;
	d->slots = arena_news(d->syms, d->n_slots, uint32_t);
	for (size_t i = 1; i < d->n_sym; i++) {
		size_t k = d->sym[i].hash & (d->n_slots - 1);

		while (d->slots[k])
			k = (k + 1) & (d->n_slots - 1);
		d->slots[k] = (uint32_t)i;
	}
}

static uint32_t
sym_add(struct domain *d, struct sym s, const struct cell *arg, size_t slot)
{
	if (d->n_sym >= d->sym_max)
		domain_stop(d, STOP_BUDGET, "symbols");
	arena_grow(d->syms, d->sym, d->n_sym, d->cap_sym);
	if (s.n) {
		s.arg = arena_news(d->syms, s.n, struct cell);
		memcpy(s.arg, arg, s.n * sizeof *arg);
	}
	for (uint32_t i = 0; i < s.n; i++)
		if (s.arg[i].s)
			s.flags |= d->sym[s.arg[i].s].flags & SYM_TAINTS;
	d->sym[d->n_sym] = s;
	d->slots[slot] = (uint32_t)d->n_sym;
	d->n_sym++;
	if (d->n_sym * 2 > d->n_slots)
		slots_grow(d);
	return (uint32_t)d->n_sym - 1;
}

uint32_t
sym_make(struct domain *d, enum sym_op op, uint64_t tag, const struct cell *arg,
	uint32_t n, unsigned flags)
{
	uint32_t h = key_hash(op, tag, arg, n);
	size_t k = h & (d->n_slots - 1);

	for (; d->slots[k]; k = (k + 1) & (d->n_slots - 1))
		if (d->sym[d->slots[k]].hash == h &&
			key_same(&d->sym[d->slots[k]], op, tag, arg, n))
			return d->slots[k];
	domain_work(d, 1 + n / 8);
	return sym_add(d,
		(struct sym){.op = op, .flags = flags, .tag = tag, .n = n, .hash = h},
		arg, k);
}

uint32_t
sym_fresh(struct domain *d, unsigned flags)
{
	return sym_make(d, SYM_FRESH, ++d->serial, NULL, 0, flags);
}

unsigned
sym_div(const struct domain *d, const struct cell *x, uint32_t n)
{
	unsigned f = 0;

	for (uint32_t i = 0; i < n; i++)
		if (x[i].s)
			f |= d->sym[x[i].s].flags & SYM_DIV;
	return f;
}

unsigned
val_taint(const struct domain *d, const struct val *v)
{
	unsigned f = 0;

	if (v->kind == VAL_SYM)
		f = d->sym[v->s].flags;
	if (v->kind == VAL_AFFINE)
		f = SYM_TAINT_CTAID;
	if (v->kind == VAL_LANES && v->l->s)
		for (unsigned t = 0; t < d->n; t++)
			if (v->l->s[t])
				f |= d->sym[v->l->s[t]].flags;
	return f & SYM_TAINTS;
}

bool
sym_is_bool(const struct domain *d, struct cell c)
{
	return c.s ? (d->sym[c.s].flags & SYM_BOOL) != 0 : c.v <= 1;
}

struct cell
cell_not(struct domain *d, struct cell a)
{
	if (!a.s)
		return cell_int(a.v ^ 1);
	const struct sym *s = &d->sym[a.s];
	if (s->op == SYM_NOT)
		return s->arg[0];
	return cell_sym(sym_make(d, SYM_NOT, 0, &a, 1, SYM_BOOL | sym_div(d, &a, 1)));
}

/* The same pair in either order is one symbol. */
static struct cell
cell_pair(struct domain *d, enum sym_op op, struct cell a, struct cell b)
{
	struct cell x[2] = {a.s < b.s ? a : b, a.s < b.s ? b : a};

	return cell_sym(sym_make(d, op, 0, x, 2, SYM_BOOL | sym_div(d, x, 2)));
}

struct cell
cell_and(struct domain *d, struct cell a, struct cell b)
{
	if (cell_is(a, 0) || cell_is(b, 0))
		return cell_int(0);
	if (!a.s)
		return b;
	if (!b.s || cell_eq(a, b))
		return a;
	if (cell_eq(cell_not(d, a), b) && !sym_div(d, &a, 1))
		return cell_int(0);
	return cell_pair(d, SYM_AND, a, b);
}

struct cell
cell_or(struct domain *d, struct cell a, struct cell b)
{
	if (cell_is(a, 1) || cell_is(b, 1))
		return cell_int(1);
	if (!a.s)
		return b;
	if (!b.s || cell_eq(a, b))
		return a;
	if (cell_eq(cell_not(d, a), b) && !sym_div(d, &a, 1))
		return cell_int(1);
	return cell_pair(d, SYM_OR, a, b);
}

struct cell
cell_phi(struct domain *d, struct cell p, struct cell a, struct cell b)
{
	if (!p.s)
		return p.v ? a : b;
	if (cell_eq(a, b))
		return a;
	if (d->sym[p.s].op == SYM_NOT) {
		struct cell c = a;

		p = d->sym[p.s].arg[0];
		a = b;
		b = c;
	}
	if (!a.s && !b.s) {
		if (a.v == 1 && b.v == 0)
			return p;
		if (a.v == 0 && b.v == 1)
			return cell_not(d, p);
	}
	struct cell x[3] = {p, a, b};
	unsigned f = sym_is_bool(d, a) && sym_is_bool(d, b) ? SYM_BOOL : 0;
	return cell_sym(sym_make(d, SYM_PHI, 0, x, 3, f | sym_div(d, x, 3)));
}

struct cell
cell_lane(struct domain *d, struct cell c, unsigned t)
{
	if (!c.s || !(d->sym[c.s].flags & SYM_DIV))
		return c;
	const struct sym *s = &d->sym[c.s];
	if (s->op == SYM_NOT)
		return cell_not(d, cell_lane(d, s->arg[0], t));
	struct cell x[2] = {c, cell_int(t)};
	return cell_sym(sym_make(d, SYM_LANE, 0, x, 2, s->flags & SYM_BOOL));
}

struct val
val_not(struct domain *d, const struct val *a)
{
	switch (a->kind) {
	case VAL_INT:
	case VAL_SYM: return val_of_cell(cell_not(d, val_flat(a)));
	case VAL_LANES:
		for (unsigned t = 0; t < d->n; t++) {
			struct cell c = cell_not(d, val_cell(d, a, t));

			d->tv[t] = c.v;
			d->ts[t] = c.s;
		}
		domain_work(d, d->n);
		return val_pack(d, d->tv, d->ts);
	case VAL_AFFINE:
	case VAL_NONE: break;
	}
	return val_sym(sym_fresh(d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));
}

struct val
val_phi(struct domain *d, const struct val *p, const struct val *a, const struct val *b)
{
	if (a->kind == VAL_NONE)
		return *b;
	if (b->kind == VAL_NONE || val_same(d, a, b))
		return *a;
	if (p->kind == VAL_INT)
		return p->i ? *a : *b;
	bool flat = p->kind == VAL_SYM && (a->kind == VAL_INT || a->kind == VAL_SYM) &&
		    (b->kind == VAL_INT || b->kind == VAL_SYM);
	if (flat)
		return val_of_cell(cell_phi(d, val_flat(p), val_flat(a), val_flat(b)));
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = cell_phi(
			d, val_cell(d, p, t), val_cell(d, a, t), val_cell(d, b, t));

		d->tv[t] = c.v;
		d->ts[t] = c.s;
	}
	domain_work(d, d->n);
	return val_pack(d, d->tv, d->ts);
}
