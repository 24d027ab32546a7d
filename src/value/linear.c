#include "value/linear.h"

#include "value/known.h"
#include "value/symbol.h"

bool
linear_of(const struct domain *d, struct cell c, unsigned width, struct linear *x)
{
	/* terms beyond n are not read */
	x->width = width;
	x->k = c.s ? 0 : c.v & bits_mask(width);
	x->n = 0;
	if (!c.s)
		return true;
	if (sym_flags(d, c.s) & SYM_DIV)
		return false;
	if (sym_op(d, c.s) == SYM_LINEAR && sym_head(d, c.s)->tag == width) {
		x->k = sym_operand(d, c.s, 0).v;
		x->n = sym_head(d, c.s)->n - 1;
		for (unsigned i = 0; i < x->n; i++)
			x->term[i] = sym_operand(d, c.s, i + 1);
		return true;
	}
	x->n = 1;
	x->term[0] = (struct cell){1, c.s};
	return true;
}

struct cell
linear_cell(struct domain *d, const struct linear *x)
{
	struct cell arg[LINEAR_TERMS + 1];

	if (!x->n)
		return cell_int(x->k);
	/* how often a loop ran is a number of any size, not a register's content */
	if (x->n == 1 && x->term[0].v == 1 && !x->k &&
		sym_op(d, x->term[0].s) != SYM_TRIP)
		return cell_sym(x->term[0].s);
	arg[0] = cell_int(x->k);
	memcpy(arg + 1, x->term, x->n * sizeof arg[0]);
	return cell_sym(sym_make(d, SYM_LINEAR, x->width, arg, x->n + 1, 0));
}

bool
linear_add(struct linear *x, const struct linear *y, uint64_t by)
{
	struct cell term[LINEAR_TERMS];
	uint64_t mask = bits_mask(x->width);
	unsigned n = 0, i = 0, j = 0;

	x->k = (x->k + by * y->k) & mask;
	if (!y->n)
		return true;
	while (i < x->n || j < y->n) {
		struct cell t;

		if (j == y->n || (i < x->n && x->term[i].s < y->term[j].s)) {
			t = x->term[i++];
		} else if (i == x->n || y->term[j].s < x->term[i].s) {
			t = (struct cell){by * y->term[j].v & mask, y->term[j].s};
			j++;
		} else {
			t = (struct cell){
				(x->term[i].v + by * y->term[j].v) & mask, x->term[i].s};
			i++;
			j++;
		}
		if (!t.v)
			continue;
		if (n == LINEAR_TERMS)
			return false;
		term[n++] = t;
	}
	x->n = n;
	memcpy(x->term, term, n * sizeof term[0]);
	return true;
}

/* ---- bits below an alignment ---- */

/* x = the result + *low, where the result is a multiple of 2^bits; x has terms. */
static struct linear
aligned_part(
	const struct domain *d, const struct linear *x, unsigned *bits, uint64_t *low)
{
	struct linear r = *x;

	*bits = bounds_align_terms(d, x);
	if (*bits >= x->width)
		*bits = x->width - 1;
	*low = x->k & bits_mask(*bits);
	r.k -= *low;
	return r;
}

static struct cell
apply(struct domain *d, const struct ptx_form *f, struct cell a, struct cell b)
{
	struct cell x[2] = {a, b};

	return cell_sym(sym_make(d, SYM_INS, (uint64_t)(uintptr_t)f, x, 2, 0));
}

static bool
add_number(struct domain *d, struct cell c, unsigned width, uint64_t k, struct cell *out)
{
	struct linear x;

	if (!linear_of(d, c, width, &x))
		return false;
	x.k = (x.k + k) & bits_mask(width);
	*out = linear_cell(d, &x);
	return true;
}

/* The aligned part and what is below do not share bits, so each is treated alone. */
static bool
eval_bits(struct domain *d, const struct ptx_form *f, const struct linear *x, uint64_t m,
	struct cell *out)
{
	unsigned bits;
	uint64_t low, all = bits_mask(x->width), below, high;
	struct linear a = aligned_part(d, x, &bits, &low);
	struct cell top;

	m &= all;
	below = bits_mask(bits);
	high = all & ~below;
	if (!bits)
		return false;
	if (f->op == PTX_AND) {
		low &= m;
		if (!(m & high))
			top = cell_int(0);
		else if ((m & high) == high)
			top = linear_cell(d, &a);
		else
			top = apply(d, f, linear_cell(d, &a), cell_int(m & high));
	} else {
		if (m & high)
			return false;
		low = f->op == PTX_OR ? low | m : low ^ m;
		top = linear_cell(d, &a);
	}
	return add_number(d, top, x->width, low, out);
}

/* Divides a sum that does not wrap by a number whose multiples its terms are. */
static bool
divide_exactly(struct domain *d, const struct linear *x, bool is_signed, int64_t by,
	bool rest, struct cell *out)
{
	struct linear r = *x;
	struct span sum;

	if (by <= 0 || !bounds_exact(d, x, is_signed, &sum) || sum.lo < 0)
		return false;
	int64_t k = known_sext(x->k, x->width);
	int64_t q = k / by - (k % by < 0);
	for (unsigned i = 0; i < x->n; i++) {
		int64_t c = known_sext(x->term[i].v, x->width);

		if (c % by)
			return false;
		r.term[i].v = (uint64_t)(c / by) & bits_mask(x->width);
	}
	r.k = (uint64_t)q & bits_mask(x->width);
	*out = rest ? cell_int((uint64_t)(k - q * by)) : linear_cell(d, &r);
	return true;
}

static bool
never_negative(const struct domain *d, const struct linear *x)
{
	struct span sum;

	return bounds_exact(d, x, true, &sum) && sum.lo >= 0;
}

/* Down, towards minus infinity. */
static bool
eval_shift_down(struct domain *d, const struct ptx_form *f, const struct linear *x,
	bool is_signed, uint64_t by, struct cell *out)
{
	unsigned bits;
	uint64_t low;
	struct linear a = aligned_part(d, x, &bits, &low);

	if (by >= x->width)
		return false;
	if (by == x->width - 1 && is_signed && never_negative(d, x)) {
		*out = cell_int(0);
		return true;
	}
	if (by <= 62 && divide_exactly(d, x, is_signed, INT64_C(1) << by, false, out))
		return true;
	if (!bits || !low)
		return false;
	struct cell top = apply(d, f, linear_cell(d, &a), cell_int(by));
	return add_number(d, top, x->width, by < bits ? low >> by : 0, out);
}

static bool
eval_divide(struct domain *d, const struct ptx_form *f, const struct linear *x,
	bool is_signed, int64_t by, struct cell *out)
{
	unsigned bits;
	uint64_t low;
	bool rest = f->op == PTX_REM, power = by > 0 && !(by & (by - 1));
	struct linear a = aligned_part(d, x, &bits, &low);

	if (divide_exactly(d, x, is_signed, by, rest, out))
		return true;
	if (!power || !low || (is_signed && !never_negative(d, x)))
		return false;
	unsigned shift = (unsigned)__builtin_ctzll((uint64_t)by);
	if (rest && shift <= bits) {
		*out = cell_int(low & ((uint64_t)by - 1));
		return true;
	}
	struct cell top = apply(d, f, linear_cell(d, &a), cell_int((uint64_t)by));
	uint64_t k = rest ? low : shift < bits ? low >> shift : 0;
	return add_number(d, top, x->width, k, out);
}

/* ---- widths ---- */

/* The same at every width that it fits. */
static bool
is_number(const struct domain *d, uint32_t s)
{
	enum sym_op op = sym_op(d, s);

	return op == SYM_TRIP || sym_flags(d, s) & SYM_BOOL ||
	       (op == SYM_SREG && sym_is_block_index(sym_head(d, s)));
}

/* A number of which `from` bits are read is still that number. */
static bool
fits_reading(const struct domain *d, uint32_t s, unsigned from, bool is_signed)
{
	enum sym_op op = sym_op(d, s);

	/* the rest of a symbol is looked at where it matters: it may differ in its row */
	if (op == SYM_SREG && sym_is_block_index(sym_head(d, s)))
		return !(bounds_of(d, cell_sym(s), 64, true).hi >> (from - is_signed));
	/* what a loop added: sums that are signed do not wrap */
	return op != SYM_TRIP || !sym_head(d, s)->n || (is_signed && from >= 32);
}

/* One symbol as a number of more bits. */
static uint32_t
extend_symbol(struct domain *d, uint32_t s, unsigned from, unsigned to, bool is_signed)
{
	struct cell c = cell_sym(s);

	if (is_number(d, s) && fits_reading(d, s, from, is_signed))
		return s;
	return sym_make(d, SYM_EXT, (uint64_t)to << 16 | from << 8 | (is_signed ? 1 : 0),
		&c, 1, 0);
}

static bool
extend_terms(struct domain *d, const struct linear *x, unsigned to, bool is_signed,
	struct linear *out)
{
	*out = (struct linear){.width = to};
	out->k = (uint64_t)known_sext(x->k, x->width) & bits_mask(to);
	for (unsigned i = 0; i < x->n; i++) {
		int64_t c = known_sext(x->term[i].v, x->width);
		struct linear t = {.width = to, .n = 1};

		t.term[0].v = 1;
		t.term[0].s = extend_symbol(d, x->term[i].s, x->width, to, is_signed);
		if (!linear_add(out, &t, (uint64_t)c))
			return false;
	}
	return true;
}

static bool
extend(struct domain *d, const struct linear *x, unsigned to, bool is_signed,
	struct linear *out)
{
	unsigned bits;
	uint64_t low;
	struct linear a = aligned_part(d, x, &bits, &low);
	struct cell top;
	struct span sum;

	if (!x->n) {
		*out = (struct linear){.width = to};
		out->k = (is_signed ? (uint64_t)known_sext(x->k, x->width) : x->k) &
			 bits_mask(to);
		return true;
	}
	if (bounds_exact(d, x, is_signed, &sum))
		return extend_terms(d, x, to, is_signed, out);
	top = linear_cell(d, &a);
	*out = (struct linear){.width = to, .k = low, .n = 1};
	out->term[0].v = 1;
	out->term[0].s = extend_symbol(d, top.s, x->width, to, is_signed);
	return true;
}

/* The low bits of a sum are the sum of the low bits. */
static bool
truncate(struct domain *d, const struct ptx_form *f, const struct linear *x, unsigned to,
	struct linear *out)
{
	*out = (struct linear){.width = to, .k = x->k & bits_mask(to)};
	for (unsigned i = 0; i < x->n; i++) {
		struct cell c = cell_sym(x->term[i].s);
		struct linear t;

		if (sym_op(d, c.s) == SYM_EXT && (sym_head(d, c.s)->tag >> 8 & 255) == to)
			c = sym_operand(d, c.s, 0);
		else if (!is_number(d, c.s))
			c = cell_sym(
				sym_make(d, SYM_INS, (uint64_t)(uintptr_t)f, &c, 1, 0));
		if (!linear_of(d, c, to, &t) || !linear_add(out, &t, x->term[i].v))
			return false;
	}
	return true;
}

static bool
eval_convert(struct domain *d, const struct ptx_form *f, struct cell c, struct cell *out)
{
	enum ptx_type to = f->type[0], from = f->type[1];
	unsigned to_bits = ptx_type_bits(to), from_bits = ptx_type_bits(from);
	struct linear x, y;

	if (f->n_types != 2 || ptx_type_class(to) == 'f' || ptx_type_class(from) == 'f' ||
		(to_bits != 32 && to_bits != 64) || from_bits < 8 || from_bits > 64 ||
		!linear_of(d, c, from_bits, &x))
		return false;
	if (to_bits == from_bits)
		y = x;
	else if (to_bits < from_bits
			 ? !truncate(d, f, &x, to_bits, &y)
			 : !extend(d, &x, to_bits, ptx_type_class(from) == 's', &y))
		return false;
	*out = linear_cell(d, &y);
	return true;
}

/* ---- products ---- */

static uint32_t
product_symbol(struct domain *d, unsigned width, uint32_t a, uint32_t b)
{
	struct cell x[2] = {cell_sym(a < b ? a : b), cell_sym(a < b ? b : a)};

	return sym_make(d, SYM_PRODUCT, width, x, 2, 0);
}

/* A sum times a symbol, term by term. */
static bool
multiply_terms(struct domain *d, const struct linear *x, uint32_t s, struct linear *out)
{
	*out = (struct linear){.width = x->width, .n = x->k ? 1u : 0};
	out->term[0] = (struct cell){x->k, s};
	for (unsigned i = 0; i < x->n; i++) {
		struct linear t = {.width = x->width, .n = 1};

		if (sym_op(d, x->term[i].s) == SYM_TRIP)
			return false;
		t.term[0].v = 1;
		t.term[0].s = product_symbol(d, x->width, x->term[i].s, s);
		if (!linear_add(out, &t, x->term[i].v))
			return false;
	}
	return true;
}

static bool
is_symbol(const struct domain *d, const struct linear *x)
{
	return x->n == 1 && x->term[0].v == 1 && !x->k &&
	       sym_op(d, x->term[0].s) != SYM_TRIP;
}

static bool
multiply(struct domain *d, const struct linear *x, const struct linear *y,
	struct linear *out)
{
	struct cell a, b;

	*out = (struct linear){.width = x->width};
	if (!x->n)
		return linear_add(out, y, x->k);
	if (!y->n)
		return linear_add(out, x, y->k);
	if (is_symbol(d, y) && multiply_terms(d, x, y->term[0].s, out))
		return true;
	if (is_symbol(d, x) && multiply_terms(d, y, x->term[0].s, out))
		return true;
	a = linear_cell(d, x);
	b = linear_cell(d, y);
	*out = (struct linear){.width = x->width, .n = 1};
	out->term[0] = (struct cell){1, product_symbol(d, x->width, a.s, b.s)};
	return true;
}

static bool
eval_product(struct domain *d, const struct ptx_form *f, const struct cell *x, unsigned n,
	struct cell *out)
{
	unsigned width = ptx_type_bits(f->type[0]);
	bool is_signed = ptx_type_class(f->type[0]) == 's';
	struct linear a, b, c, p;

	if (!linear_of(d, x[0], width, &a) || !linear_of(d, x[1], width, &b))
		return false;
	if (PTX_HAS(f, WIDE)) {
		struct linear wa, wb;

		width *= 2;
		if (width > 64 || !extend(d, &a, width, is_signed, &wa) ||
			!extend(d, &b, width, is_signed, &wb))
			return false;
		a = wa;
		b = wb;
	}
	if (!multiply(d, &a, &b, &p))
		return false;
	if (n == 3 && (!linear_of(d, x[2], width, &c) || !linear_add(&p, &c, 1)))
		return false;
	*out = linear_cell(d, &p);
	return true;
}

/* ---- instructions ---- */

static bool
eval_sum(struct domain *d, struct linear *x, const struct linear *y, uint64_t by,
	struct cell *out)
{
	if (!linear_add(x, y, by))
		return false;
	*out = linear_cell(d, x);
	return true;
}

/* Of two, one is a number. */
static bool
eval_with_number(struct domain *d, const struct ptx_form *f, const struct linear *x,
	uint64_t m, struct cell *out)
{
	bool is_signed = ptx_type_class(f->type[0]) == 's';
	struct linear r;

	switch ((int)f->op) {
	case PTX_AND:
	case PTX_OR:
	case PTX_XOR: return eval_bits(d, f, x, m, out);
	case PTX_SHL:
		m &= UINT32_MAX;
		r = (struct linear){.width = x->width};
		return eval_sum(d, &r, x, m < x->width ? UINT64_C(1) << m : 0, out);
	case PTX_SHR: return eval_shift_down(d, f, x, is_signed, m & UINT32_MAX, out);
	case PTX_DIV:
	case PTX_REM:
		return eval_divide(d, f, x, is_signed,
			is_signed ? known_sext(m, x->width)
				  : (int64_t)(m & bits_mask(x->width)),
			out);
	default: return false;
	}
}

static bool
eval_two(struct domain *d, const struct ptx_form *f, const struct cell *x,
	struct cell *out)
{
	unsigned width = ptx_type_bits(f->type[0]);
	bool commutes = f->op == PTX_AND || f->op == PTX_OR || f->op == PTX_XOR;
	struct linear a, b;

	if (!linear_of(d, x[0], width, &a) || !linear_of(d, x[1], width, &b))
		return false;
	if (f->op == PTX_ADD || f->op == PTX_SUB)
		return eval_sum(d, &a, &b, f->op == PTX_ADD ? 1 : UINT64_MAX, out);
	if (!b.n)
		return eval_with_number(d, f, &a, b.k, out);
	return commutes && !a.n && eval_with_number(d, f, &b, a.k, out);
}

static bool
eval_minmax(struct domain *d, const struct ptx_form *f, const struct cell *x,
	struct cell *out)
{
	char class = ptx_type_class(f->type[0]);
	struct cell less;

	if ((class != 's' && class != 'u') || f->n_types != 1 || PTX_HAS(f, RELU) ||
		!linear_compare(d, PTX_CMP_LE, class == 's', ptx_type_bits(f->type[0]),
			x[0], x[1], &less) ||
		less.s)
		return false;
	*out = (less.v != 0) == (f->op == PTX_MIN) ? x[0] : x[1];
	return true;
}

bool
linear_eval(struct domain *d, const struct ptx_form *f, const struct cell *x, unsigned n,
	struct cell *out)
{
	unsigned width = f->n_types ? ptx_type_bits(f->type[0]) : 0;
	struct linear a, minus;

	if (width < 16 || width > 64 || PTX_HAS(f, SAT) || PTX_HAS(f, CC) ||
		PTX_HAS(f, HI) || f->vec != 1 || f->odd || !known_is_integer(f->type[0]))
		return false;
	switch ((int)f->op) {
	case PTX_CVT: return n == 1 && eval_convert(d, f, x[0], out);
	case PTX_NEG:
	case PTX_NOT:
		minus = (struct linear){.width = width};
		minus.k = f->op == PTX_NOT ? bits_mask(width) : 0;
		return n == 1 && linear_of(d, x[0], width, &a) &&
		       eval_sum(d, &minus, &a, UINT64_MAX, out);
	case PTX_MUL: return n == 2 && eval_product(d, f, x, n, out);
	case PTX_MAD: return n == 3 && eval_product(d, f, x, n, out);
	case PTX_MIN:
	case PTX_MAX: return n == 2 && eval_minmax(d, f, x, out);
	case PTX_ADD:
	case PTX_SUB:
	case PTX_AND:
	case PTX_OR:
	case PTX_XOR:
	case PTX_SHL:
	case PTX_SHR:
	case PTX_DIV:
	case PTX_REM: return n == 2 && f->n_types == 1 && eval_two(d, f, x, out);
	default: return false;
	}
}
