#include "value/symbol.h"

#include "value/intern.h"
#include "value/val_map.h"

void
domain_init(struct domain *d, struct arena *vals, struct arena *syms, unsigned n)
{
	memset(d, 0, sizeof *d);
	d->vals = vals;
	d->n = n;
	d->tv = arena_news(vals, n, uint64_t);
	d->ts = arena_news(vals, n, uint32_t);
	intern_init(d, syms);
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

unsigned
sym_div(const struct domain *d, const struct cell *x, uint32_t n)
{
	unsigned f = 0;

	for (uint32_t i = 0; i < n; i++)
		if (x[i].s)
			f |= sym_flags(d, x[i].s) & SYM_DIV;
	return f;
}

unsigned
val_taint(const struct domain *d, const struct val *v)
{
	unsigned f = 0;

	if (v->kind == VAL_SYM)
		f = sym_flags(d, v->s);
	if (v->kind == VAL_AFFINE)
		f = SYM_TAINT_CTAID;
	if (v->kind == VAL_LANES && v->l->s)
		for (unsigned t = 0; t < d->n; t++)
			if (v->l->s[t])
				f |= sym_flags(d, v->l->s[t]);
	return f & SYM_TAINTS;
}

bool
sym_is_bool(const struct domain *d, struct cell c)
{
	return c.s ? (sym_flags(d, c.s) & SYM_BOOL) != 0 : c.v <= 1;
}

struct cell
cell_not(struct domain *d, struct cell a)
{
	if (!a.s)
		return cell_int(a.v ^ 1);
	if (sym_op(d, a.s) == SYM_NOT)
		return sym_operand(d, a.s, 0);
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
	if (sym_op(d, p.s) == SYM_NOT) {
		struct cell c = a;

		p = sym_operand(d, p.s, 0);
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
	if (!c.s || !(sym_flags(d, c.s) & SYM_DIV))
		return c;
	if (sym_op(d, c.s) == SYM_NOT)
		return cell_not(d, cell_lane(d, sym_operand(d, c.s, 0), t));
	if (sym_op(d, c.s) == SYM_PHI) {
		struct cell a = sym_operand(d, c.s, 1), b = sym_operand(d, c.s, 2);

		/* masks are chosen so, and what is chosen has to be seen */
		if (!a.s && !b.s)
			return cell_phi(d, cell_lane(d, sym_operand(d, c.s, 0), t), a, b);
	}
	return cell_sym(sym_lane(d, c.s, t));
}

static struct cell
lane_not(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	(void)how;
	(void)n;
	return cell_not(d, x[0]);
}

struct val
val_not(struct domain *d, const struct val *a)
{
	if (a->kind == VAL_AFFINE || a->kind == VAL_NONE)
		return val_sym(sym_fresh(d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));
	return val_map(d, lane_not, NULL, a, 1, UINT64_MAX);
}

static struct cell
lane_phi(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	(void)how;
	(void)n;
	return cell_phi(d, x[0], x[1], x[2]);
}

struct val
val_phi(struct domain *d, const struct val *p, const struct val *a, const struct val *b)
{
	struct val x[3] = {*p, *a, *b};

	if (a->kind == VAL_NONE)
		return *b;
	if (b->kind == VAL_NONE || val_same(d, a, b))
		return *a;
	if (p->kind == VAL_INT)
		return p->i ? *a : *b;
	return val_map(d, lane_phi, NULL, x, 3, UINT64_MAX);
}
