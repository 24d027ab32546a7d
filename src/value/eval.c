#include "value/eval.h"

#include "value/affine.h"
#include "value/known.h"
#include "value/linear.h"
#include "value/symbol.h"
#include "value/val_map.h"

/* ---- comparisons with unknowns: one normal form with a negation ---- */

struct normal {
	enum ptx_cmp cmp;
	bool negated;
};

static struct normal
normal_form(enum ptx_cmp cmp)
{
	switch ((int)cmp) {
	case PTX_CMP_NE: return (struct normal){PTX_CMP_EQ, true};
	case PTX_CMP_GE: return (struct normal){PTX_CMP_LT, true};
	case PTX_CMP_GT: return (struct normal){PTX_CMP_LE, true};
	case PTX_CMP_HS: return (struct normal){PTX_CMP_LO, true};
	case PTX_CMP_HI: return (struct normal){PTX_CMP_LS, true};
	default: return (struct normal){cmp, false};
	}
}

/* In floating point the inverse of an ordered comparison is the unordered opposite. */
static struct normal
normal_float(enum ptx_cmp cmp)
{
	switch ((int)cmp) {
	case PTX_CMP_LTU: return (struct normal){PTX_CMP_GE, true};
	case PTX_CMP_LEU: return (struct normal){PTX_CMP_GT, true};
	case PTX_CMP_GTU: return (struct normal){PTX_CMP_LE, true};
	case PTX_CMP_GEU: return (struct normal){PTX_CMP_LT, true};
	case PTX_CMP_NEU: return (struct normal){PTX_CMP_EQ, true};
	case PTX_CMP_EQU: return (struct normal){PTX_CMP_NE, true};
	case PTX_CMP_NAN: return (struct normal){PTX_CMP_NUM, true};
	default: return (struct normal){cmp, false};
	}
}

static enum ptx_cmp
mirrored(enum ptx_cmp cmp)
{
	switch ((int)cmp) {
	case PTX_CMP_LT: return PTX_CMP_GT;
	case PTX_CMP_GT: return PTX_CMP_LT;
	case PTX_CMP_LE: return PTX_CMP_GE;
	case PTX_CMP_GE: return PTX_CMP_LE;
	case PTX_CMP_LO: return PTX_CMP_HI;
	case PTX_CMP_HI: return PTX_CMP_LO;
	case PTX_CMP_LS: return PTX_CMP_HS;
	case PTX_CMP_HS: return PTX_CMP_LS;
	default: return cmp;
	}
}

static struct cell
symbol_of_compare(
	struct domain *d, struct normal n, unsigned kind, struct cell x, struct cell y)
{
	struct cell arg[2] = {x, y};
	uint64_t tag = (uint64_t)n.cmp << 16 | kind;
	struct cell c = cell_sym(
		sym_make(d, SYM_CMP, tag, arg, 2, SYM_BOOL | sym_div(d, arg, 2)));

	return n.negated ? cell_not(d, c) : c;
}

static struct cell compare_cells(struct domain *d, enum ptx_cmp cmp, enum ptx_type type,
	struct cell x, struct cell y);

/* x is a symbol, y a number. */
static bool
compare_with_number(struct domain *d, enum ptx_cmp cmp, enum ptx_type type, struct cell x,
	struct cell y, struct cell *out)
{
	uint64_t v = y.v & bits_mask(ptx_type_bits(type));

	if (sym_flags(d, x.s) & SYM_BOOL) {
		bool same =
			(cmp == PTX_CMP_NE && v == 0) || (cmp == PTX_CMP_EQ && v == 1);
		bool flip =
			(cmp == PTX_CMP_EQ && v == 0) || (cmp == PTX_CMP_NE && v == 1);

		if (same || flip) {
			*out = same ? x : cell_not(d, x);
			return true;
		}
	}
	if (sym_op(d, x.s) != SYM_PHI)
		return false;
	struct cell a = sym_operand(d, x.s, 1), b = sym_operand(d, x.s, 2);
	if (a.s || b.s)
		return false;
	*out = cell_phi(d, sym_operand(d, x.s, 0), compare_cells(d, cmp, type, a, y),
		compare_cells(d, cmp, type, b, y));
	return true;
}

/* x <= 4 is x < 5, and an unsigned x < 1 is x == 0: one symbol for one condition.  True:
 * the answer is known. */
static bool
compare_form(enum ptx_cmp *cmp, enum ptx_type type, uint64_t *y, bool *answer)
{
	unsigned bits = ptx_type_bits(type);
	bool sign =
		ptx_type_class(type) == 's' && (*cmp == PTX_CMP_LE || *cmp == PTX_CMP_GT);
	uint64_t v = *y & bits_mask(bits), max = bits_mask(sign ? bits - 1 : bits);
	bool le = *cmp == PTX_CMP_LE || *cmp == PTX_CMP_LS;

	if (le || *cmp == PTX_CMP_GT || *cmp == PTX_CMP_HI) {
		*answer = le;
		if (v == max)
			return true;
		*y = v = (v + 1) & bits_mask(bits);
		*cmp = *cmp == PTX_CMP_LE   ? PTX_CMP_LT
		       : *cmp == PTX_CMP_LS ? PTX_CMP_LO
		       : *cmp == PTX_CMP_GT ? PTX_CMP_GE
					    : PTX_CMP_HS;
	}
	bool is_signed = ptx_type_class(type) == 's';
	if (v == 1 && (*cmp == PTX_CMP_LO || (*cmp == PTX_CMP_LT && !is_signed)))
		*cmp = PTX_CMP_EQ, *y = 0;
	if (v == 1 && (*cmp == PTX_CMP_HS || (*cmp == PTX_CMP_GE && !is_signed)))
		*cmp = PTX_CMP_NE, *y = 0;
	return false;
}

static struct cell
compare_symbols(struct domain *d, enum ptx_cmp cmp, enum ptx_type type, struct cell x,
	struct cell y)
{
	struct cell out;
	bool r;

	if (ptx_type_class(type) == 'f')
		return symbol_of_compare(d, normal_float(cmp), 0x8000u | type, x, y);
	bool div = sym_div(d, &x, 1) != 0;
	if (cell_eq(x, y) && x.s && !div)
		return cell_int(cmp == PTX_CMP_EQ || cmp == PTX_CMP_LE ||
				cmp == PTX_CMP_GE || cmp == PTX_CMP_LS ||
				cmp == PTX_CMP_HS);
	if (!x.s) {
		struct cell c = x;

		x = y;
		y = c;
		cmp = mirrored(cmp);
	}
	if (!y.s && x.s && compare_form(&cmp, type, &y.v, &r))
		return cell_int(r);
	if (!y.s && x.s && compare_with_number(d, cmp, type, x, y, &out))
		return out;
	if (known_is_integer(type) && linear_compare(d, cmp, ptx_type_class(type) == 's',
					      ptx_type_bits(type), x, y, &out))
		return out;
	struct normal n = normal_form(cmp);
	bool sign = ptx_type_class(type) == 's' && n.cmp != PTX_CMP_EQ &&
		    n.cmp != PTX_CMP_LO && n.cmp != PTX_CMP_LS;
	if (!y.s)
		y.v &= bits_mask(ptx_type_bits(type));
	return symbol_of_compare(d, n, ptx_type_bits(type) << 1 | sign, x, y);
}

static struct cell
compare_cells(struct domain *d, enum ptx_cmp cmp, enum ptx_type type, struct cell x,
	struct cell y)
{
	bool r;

	if (!x.s && !y.s && eval_compare(cmp, type, x.v, y.v, &r))
		return cell_int(r);
	return compare_symbols(d, cmp, type, x, y);
}

/* ---- other operations with unknowns ---- */

static bool
simple_logic(struct domain *d, const struct ptx_form *f, const struct cell *x,
	struct cell *out)
{
	switch ((int)f->op) {
	case PTX_NOT: *out = cell_not(d, x[0]); return true;
	case PTX_AND: *out = cell_and(d, x[0], x[1]); return true;
	case PTX_OR: *out = cell_or(d, x[0], x[1]); return true;
	case PTX_XOR:
		if (x[0].s && x[1].s)
			return false;
		*out = x[0].s ? (x[1].v ? cell_not(d, x[0]) : x[0])
			      : (x[0].v ? cell_not(d, x[1]) : x[1]);
		return true;
	default: return false;
	}
}

/* Neutral and absorbing numbers, and conversions that leave a 0 or 1 alone. */
static bool
simple_number(struct domain *d, const struct ptx_form *f, const struct cell *x,
	unsigned n, struct cell *out)
{
	bool is_float = ptx_type_class(f->type[0]) == 'f';

	if (f->op == PTX_CVT && sym_is_bool(d, x[0]) && f->n_types == 2 && !is_float &&
		ptx_type_class(f->type[1]) != 'f' && !PTX_HAS(f, SAT)) {
		*out = x[0];
		return true;
	}
	if (n != 2 || is_float)
		return false;
	if ((f->op == PTX_MUL || f->op == PTX_AND) &&
		(cell_is(x[0], 0) || cell_is(x[1], 0))) {
		*out = cell_int(0);
		return true;
	}
	bool same_width = !PTX_HAS(f, WIDE) && !PTX_HAS(f, CC) && !PTX_HAS(f, SAT);
	bool neutral = f->op == PTX_ADD || f->op == PTX_SUB || f->op == PTX_OR ||
		       f->op == PTX_XOR || f->op == PTX_SHL || f->op == PTX_SHR;
	if (neutral && same_width && cell_is(x[1], 0)) {
		*out = x[0];
		return true;
	}
	if ((f->op == PTX_ADD || f->op == PTX_OR || f->op == PTX_XOR) && same_width &&
		cell_is(x[0], 0)) {
		*out = x[1];
		return true;
	}
	if (f->op == PTX_AND && !x[1].s && x[1].v & 1 && sym_is_bool(d, x[0])) {
		*out = x[0];
		return true;
	}
	return false;
}

static struct cell
apply_cells(struct domain *d, const struct ptx_form *f, const struct cell *x, unsigned n)
{
	uint64_t v[EVAL_ARGS_MAX] = {0}, r;
	struct cell out;
	bool known = true;

	for (unsigned i = 0; i < n; i++) {
		known = known && !x[i].s;
		v[i] = x[i].v;
	}
	if (known && eval_known(f, v, n, &r))
		return cell_int(r);
	if ((f->op == PTX_MOV || f->op == PTX_CVTA) && n == 1)
		return x[0];
	if (f->op == PTX_SELP && n == 3)
		return cell_phi(d, x[2], x[0], x[1]);
	if (f->n_types && f->type[0] == PTX_T_pred && simple_logic(d, f, x, &out))
		return out;
	if (f->n_types && simple_number(d, f, x, n, &out))
		return out;
	if (linear_eval(d, f, x, n, &out))
		return out;
	unsigned flags = sym_div(d, x, n);
	if (f->op == PTX_TESTP || (f->n_types && f->type[0] == PTX_T_pred) ||
		f->op == PTX_ISSPACEP)
		flags |= SYM_BOOL;
	return cell_sym(sym_make(d, SYM_INS, (uint64_t)(uintptr_t)f, x, n, flags));
}

/* ---- whole values ---- */

static bool
any_affine(const struct val *a, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (a[i].kind == VAL_AFFINE)
			return true;
	return false;
}

static struct cell
lane_apply(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	return apply_cells(d, how, x, n);
}

/* ---- index arithmetic ---- */

/* No number is wider. */
static bool
fits(const struct domain *d, const struct val *v, unsigned bits)
{
	uint64_t all = v->kind == VAL_INT ? v->i : 0;

	for (unsigned t = 0; v->kind == VAL_LANES && t < d->n; t++)
		all |= v->l->v[t];
	return (all & ~bits_mask(bits)) == 0;
}

/* Numbers that grow by the same step from lane to lane. */
static bool
is_even(const struct domain *d, const struct val *v)
{
	if (v->kind == VAL_INT)
		return true;
	if (v->kind != VAL_LANES || v->l->s)
		return false;
	for (unsigned t = 2; t < d->n; t++)
		if (v->l->v[t] - v->l->v[t - 1] != v->l->v[1] - v->l->v[0])
			return false;
	return true;
}

/* Neither the operand nor its steps are negative as the type reads it. */
static bool
is_natural(const struct domain *d, const struct val *v, enum ptx_type type)
{
	uint64_t a = val_number(v, 0), b = val_number(v, d->n - 1);

	return (a | b) >> (ptx_type_bits(type) - 1) == 0;
}

/* With operands that are even, the result is, modulo the width of its register. */
static bool
is_linear(const struct domain *d, const struct ptx_form *f, const struct val *a)
{
	bool scaled = a[0].kind == VAL_INT || a[1].kind == VAL_INT;

	if (PTX_HAS(f, SAT) || PTX_HAS(f, CC) || PTX_HAS(f, HI) || f->odd ||
		f->n_types != 1 || ptx_type_bits(f->type[0]) > 64 ||
		ptx_type_class(f->type[0]) == 'f')
		return false;
	switch ((int)f->op) {
	case PTX_ADD:
	case PTX_SUB: return true;
	case PTX_SHL: return a[1].kind == VAL_INT;
	case PTX_MUL:
	case PTX_MAD:
		return scaled &&
		       (!PTX_HAS(f, WIDE) || (is_natural(d, &a[0], f->type[0]) &&
						     is_natural(d, &a[1], f->type[0])));
	default: return false;
	}
}

/* The first two lanes tell. */
static bool
eval_even(struct domain *d, const struct ptx_form *f, const struct val *a, unsigned n,
	uint64_t keep, struct val *out)
{
	uint64_t x[2][EVAL_ARGS_MAX], r[2];
	bool lanes = false;

	if (n < 2 || n > 3 || d->n < 3)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!is_even(d, &a[i]))
			return false;
		lanes = lanes || a[i].kind == VAL_LANES;
		x[0][i] = val_number(&a[i], 0);
		x[1][i] = val_number(&a[i], 1);
	}
	if (!lanes || !is_linear(d, f, a) || !eval_known(f, x[0], n, &r[0]) ||
		!eval_known(f, x[1], n, &r[1]))
		return false;
	for (unsigned t = 0; t < d->n; t++)
		d->tv[t] = (r[0] + t * (r[1] - r[0])) & keep;
	domain_work(d, d->n);
	*out = val_pack(d, d->tv, NULL);
	return true;
}

struct val
eval_value(struct domain *d, const struct ptx_form *f, const struct val *a, unsigned n,
	unsigned bits)
{
	struct val b[EVAL_ARGS_MAX], r;

	if (n > EVAL_ARGS_MAX || n == 0)
		return val_sym(sym_fresh(d, SYM_DIV | SYM_TAINT_MEM));
	if (any_affine(a, n) && affine_eval(d, f, a, n, &r))
		return r;
	for (unsigned i = 0; i < n; i++) {
		b[i] = affine_forget(d, &a[i]);
		if (b[i].kind == VAL_NONE)
			b[i] = val_sym(sym_fresh(d, SYM_DIV | SYM_TAINT_MEM));
	}
	if (n == 1 && (f->op == PTX_MOV || f->op == PTX_CVTA) && fits(d, &b[0], bits))
		return b[0];
	if (eval_even(d, f, b, n, bits_mask(bits), &r))
		return r;
	return val_map(d, lane_apply, f, b, n, bits_mask(bits));
}

bool
eval_mul_known(
	struct domain *d, const struct ptx_form *f, const struct val *a, struct val *out)
{
	unsigned width = ptx_type_bits(f->type[0]);

	if (any_affine(a, 2))
		return false;
	struct ptx_form mul = *f;
	mul.op = PTX_MUL;
	for (unsigned i = 0; i < 2; i++)
		if ((a[i].kind == VAL_LANES && a[i].l->s) || a[i].kind == VAL_SYM ||
			a[i].kind == VAL_NONE)
			return false;
	*out = val_map(d, lane_apply, &mul, a, 2,
		bits_mask(PTX_HAS(f, WIDE) ? 2 * width : width));
	return out->kind != VAL_LANES || !out->l->s;
}

static struct cell
lane_setp(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	const struct ptx_form *f = how;
	struct cell y[2] = {x[0], x[1]};

	(void)n;
	for (unsigned i = 0; PTX_HAS(f, FTZ) && i < 2; i++)
		if (!y[i].s && !(y[i].v & 0x7f800000))
			y[i].v &= 0x80000000; /* a subnormal operand is flushed */
	return compare_cells(d, f->cmp, f->type[0], y[0], y[1]);
}

struct val
eval_setp(struct domain *d, const struct ptx_form *f, const struct val *a)
{
	enum ptx_type t = f->type[0];
	char class = ptx_type_class(t);
	struct val b[2], r;

	if (class != 'f' && any_affine(a, 2) &&
		affine_compare(
			d, f->cmp, class == 's', ptx_type_bits(t), &a[0], &a[1], &r))
		return r;
	for (unsigned i = 0; i < 2; i++) {
		b[i] = affine_forget(d, &a[i]);
		if (b[i].kind == VAL_NONE)
			b[i] = val_sym(sym_fresh(d, SYM_DIV | SYM_TAINT_MEM));
	}
	return val_map(d, lane_setp, f, b, 2, 1);
}

static struct cell
lane_combine(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	const enum ptx_sub *sub = how;

	(void)n;
	if (*sub == PTX_SUB_AND)
		return cell_and(d, x[0], x[1]);
	if (*sub == PTX_SUB_OR)
		return cell_or(d, x[0], x[1]);
	/* xor */
	return cell_phi(d, x[0], cell_not(d, x[1]), x[1]);
}

struct val
eval_combine(struct domain *d, enum ptx_sub sub, const struct val *c, const struct val *p)
{
	struct val a[2] = {*c, *p};

	for (unsigned i = 0; i < 2; i++)
		if (a[i].kind == VAL_NONE || a[i].kind == VAL_AFFINE)
			a[i] = val_sym(sym_fresh(d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));
	return val_map(d, lane_combine, &sub, a, 2, 1);
}

struct offset {
	int64_t by;
};

static struct cell
lane_offset(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	const struct offset *o = how;
	struct cell arg[2] = {x[0], cell_int((uint64_t)o->by)};

	(void)n;
	if (!x[0].s)
		return cell_int(x[0].v + (uint64_t)o->by);
	return cell_sym(sym_make(d, SYM_OFFSET, 0, arg, 2, sym_div(d, x, 1)));
}

struct val
eval_offset(struct domain *d, const struct val *a, int64_t offset)
{
	struct offset o = {offset};
	struct val b = affine_forget(d, a);

	if (!offset || b.kind == VAL_NONE)
		return b;
	return val_map(d, lane_offset, &o, &b, 1, UINT64_MAX);
}
