/* Comparisons of sums: what both sides share cancels. */
#include "value/known.h"
#include "value/linear.h"
#include "value/symbol.h"

enum {
	SIDES_TERMS = 2 * LINEAR_TERMS,
	KIND_SUM = 0x4000, /* of SYM_CMP: sums without a modulus, not registers */
};

/* The difference of two sums without a modulus. */
struct gap {
	unsigned n;
	i128 k, c[SIDES_TERMS];
	uint32_t s[SIDES_TERMS];
};

/* How a comparison reads its operands. */
struct reading {
	unsigned width;
	bool is_signed;
};

static i128
floor_to(i128 v, i128 by)
{
	if (!(by & (by - 1)))
		return v & -by; /* a power of two */
	i128 r = v % by;

	return r < 0 ? v - r - by : v - r;
}

/* Not negative; b is not. */
static i128
greatest_divisor(i128 a, i128 b)
{
	a = a < 0 ? -a : a;
	if (b == 1)
		return 1;
	while (a && b) {
		i128 r = b % a;

		b = a;
		a = r;
	}
	return a + b; /* one of them is 0 */
}

static struct gap
gap_of(const struct linear *a, const struct linear *b, bool is_signed)
{
	const struct linear *side[2] = {a, b};
	struct gap g; /* terms beyond n are not read */
	unsigned at[2] = {0, 0};

	g.n = 0;
	g.k = 0;
	for (int i = 0; i < 2; i++) {
		const struct linear *x = side[i];
		i128 k =
			x->n || is_signed ? (i128)known_sext(x->k, x->width) : (i128)x->k;

		g.k += i ? -k : k;
	}
	while (at[0] < a->n || at[1] < b->n) {
		uint32_t p = at[0] < a->n ? a->term[at[0]].s : UINT32_MAX;
		uint32_t q = at[1] < b->n ? b->term[at[1]].s : UINT32_MAX;
		i128 c = 0;

		if (p <= q)
			c += known_sext(a->term[at[0]++].v, a->width);
		if (q <= p)
			c -= known_sext(b->term[at[1]++].v, b->width);
		if (!c)
			continue;
		g.s[g.n] = p < q ? p : q;
		g.c[g.n++] = c;
	}
	return g;
}

static struct cell
symbol_of(struct domain *d, enum ptx_cmp cmp, struct reading r, unsigned kind,
	struct cell a, struct cell b)
{
	struct cell arg[2] = {a, b};
	unsigned sign = r.is_signed && cmp != PTX_CMP_EQ;

	return cell_sym(sym_make(d, SYM_CMP,
		(uint64_t)cmp << 16 | kind | r.width << 1 | sign, arg, 2, SYM_BOOL));
}

/* The terms of one sign, as a sum. */
static bool
gap_side(const struct gap *g, bool positive, unsigned width, struct linear *x)
{
	x->width = width;
	x->k = 0;
	x->n = 0;
	for (unsigned i = 0; i < g->n; i++) {
		i128 c = positive ? g->c[i] : -g->c[i];

		if (c < 0)
			continue;
		if (x->n == LINEAR_TERMS || c >> (width - 1))
			return false;
		x->term[x->n++] = (struct cell){(uint64_t)c, g->s[i]};
	}
	return true;
}

static bool
fits(i128 v, struct reading r)
{
	i128 half = (i128)1 << (r.width - 1);

	return r.is_signed ? v >= -half && v < half : v >= 0 && v < 2 * half;
}

static bool
is_one_symbol(const struct linear *x)
{
	return x->n == 1 && x->term[0].v == 1 && !x->k;
}

/* The terms of g are at most `most`; both are multiples of step. */
static bool
emit_at_most(struct domain *d, const struct gap *g, i128 most, i128 step,
	struct reading r, struct cell *out)
{
	struct linear p, n;

	if (!gap_side(g, true, r.width, &p) || !gap_side(g, false, r.width, &n))
		return false;
	bool plain = r.is_signed || (is_one_symbol(&p) && (!n.n || is_one_symbol(&n)));
	/* beside a sum the number has a sign */
	if (!fits(most, n.n ? (struct reading){r.width, true} : r))
		return false;
	if (n.n && most == -step) {
		*out = symbol_of(d, PTX_CMP_LT, r, plain ? 0 : KIND_SUM,
			linear_cell(d, &p), linear_cell(d, &n));
		return true;
	}
	plain = plain && (!n.n || r.is_signed || !most);
	n.k = (uint64_t)most & bits_mask(r.width);
	*out = symbol_of(d, PTX_CMP_LE, r, plain ? 0 : KIND_SUM, linear_cell(d, &p),
		linear_cell(d, &n));
	return true;
}

/* Terms that are all multiples of a number cannot fall between two of them. */
static bool
at_most(struct domain *d, struct gap *g, i128 most, struct reading r, struct cell *out)
{
	i128 step = 0, common = 0;
	bool flip;

	for (unsigned i = 0; i < g->n; i++) {
		common = greatest_divisor(g->c[i], common);
		step = greatest_divisor(
			g->c[i] * ((i128)1 << (bounds_align(d, g->s[i]) & 63)), step);
	}
	if (!g->n || common <= 0 || step < common) {
		*out = cell_int(most >= 0);
		return !g->n;
	}
	if (step > 1)
		most = floor_to(most, step);
	if (common > 1) {
		most /= common;
		step /= common;
		for (unsigned i = 0; i < g->n; i++)
			g->c[i] /= common;
	}
	flip = g->c[0] < 0;
	if (flip) {
		/* not above is the negation of below */
		most = -most - step;
		for (unsigned i = 0; i < g->n; i++)
			g->c[i] = -g->c[i];
	}
	if (!emit_at_most(d, g, most, step, r, out))
		return false;
	if (flip)
		*out = cell_not(d, *out);
	return true;
}

/* Decided by the least and greatest values alone. */
static bool
decided(struct span p, struct span q, bool or_equal, struct cell *out)
{
	if (or_equal ? p.hi <= q.lo : p.hi < q.lo)
		*out = cell_int(1);
	else if (or_equal ? p.lo > q.hi : p.lo >= q.hi)
		*out = cell_int(0);
	else
		return false;
	return true;
}

/* a < b or a <= b of numbers that are multiples of 2^bits and some more below that. */
static bool
ordered_aligned(struct domain *d, const struct linear *a, const struct linear *b,
	bool or_equal, struct reading r, struct cell *out)
{
	unsigned m = bounds_align_terms(d, a), o = bounds_align_terms(d, b);
	struct linear x = *a, y = *b;
	struct cell p, q;

	m = m < o ? m : o;
	if (!m || m >= r.width)
		return false;
	uint64_t low = bits_mask(m), c = a->k & low, e = b->k & low;
	or_equal = or_equal ? c <= e : c < e;
	x.k -= c;
	y.k -= e;
	p = linear_cell(d, &x);
	q = linear_cell(d, &y);
	if (cell_eq(p, q)) {
		*out = cell_int(or_equal);
		return true;
	}
	if (p.s && q.s) {
		bool flip = p.s > q.s; /* a < b is not b <= a */

		*out = symbol_of(d, or_equal != flip ? PTX_CMP_LE : PTX_CMP_LT, r, 0,
			flip ? q : p, flip ? p : q);
		if (flip)
			*out = cell_not(d, *out);
		return true;
	}
	/* one is a number: not above it, or not above the multiple before it */
	bool flip = !p.s;
	i128 most = r.is_signed ? (i128)known_sext(flip ? p.v : q.v, r.width)
				: (i128)(flip ? p.v : q.v);
	if (or_equal == flip)
		most -= (i128)1 << m;
	if (!fits(most, r)) {
		*out = cell_int(flip);
		return true;
	}
	*out = symbol_of(d, PTX_CMP_LE, r, 0, flip ? q : p,
		cell_int((uint64_t)most & bits_mask(r.width)));
	if (flip)
		*out = cell_not(d, *out);
	return true;
}

static bool
ordered(struct domain *d, const struct linear *a, const struct linear *b, bool or_equal,
	struct reading r, struct cell *out)
{
	struct span p, q;

	if (bounds_exact(d, a, r.is_signed, &p) && bounds_exact(d, b, r.is_signed, &q)) {
		if (decided(p, q, or_equal, out))
			return true;
		struct gap g = gap_of(a, b, r.is_signed);
		if (at_most(d, &g, -g.k - (or_equal ? 0 : 1), r, out))
			return true;
	}
	return ordered_aligned(d, a, b, or_equal, r, out);
}

static bool
equal(struct domain *d, const struct linear *a, const struct linear *b, unsigned width,
	struct cell *out)
{
	struct linear x = *a, p = {.width = width}, n = p;
	struct reading r = {width, false};
	unsigned m;

	if (!linear_add(&x, b, UINT64_MAX))
		return false;
	if (!x.n) {
		*out = cell_int(x.k == 0);
		return true;
	}
	m = bounds_align_terms(d, &x);
	if (m && x.k & bits_mask(m < width ? m : width - 1)) {
		*out = cell_int(0);
		return true;
	}
	bool flip = known_sext(x.term[0].v, width) < 0;
	for (unsigned i = 0; i < x.n; i++) {
		int64_t c = known_sext(x.term[i].v, width);
		bool left = (c < 0) == flip;
		struct linear *side = left ? &p : &n;
		uint64_t v = (uint64_t)(c < 0 ? -(uint64_t)c : (uint64_t)c);

		side->term[side->n++] = (struct cell){v & bits_mask(width), x.term[i].s};
	}
	n.k = (flip ? x.k : -x.k) & bits_mask(width);
	*out = symbol_of(d, PTX_CMP_EQ, r, 0, linear_cell(d, &p), linear_cell(d, &n));
	return true;
}

bool
linear_compare(struct domain *d, enum ptx_cmp cmp, bool is_signed, unsigned width,
	struct cell x, struct cell y, struct cell *out)
{
	struct linear a, b;
	struct reading r = {width, is_signed};
	bool ok;

	if (width < 16 || width > 64 || !linear_of(d, x, width, &a) ||
		!linear_of(d, y, width, &b))
		return false;
	switch ((int)cmp) {
	case PTX_CMP_EQ:
	case PTX_CMP_NE:
		ok = equal(d, &a, &b, width, out);
		if (ok && cmp == PTX_CMP_NE)
			*out = cell_not(d, *out);
		return ok;
	case PTX_CMP_LO:
	case PTX_CMP_LS:
	case PTX_CMP_HI:
	case PTX_CMP_HS: r.is_signed = false; break;
	default: break;
	}
	switch ((int)cmp) {
	case PTX_CMP_LT:
	case PTX_CMP_LO: return ordered(d, &a, &b, false, r, out);
	case PTX_CMP_LE:
	case PTX_CMP_LS: return ordered(d, &a, &b, true, r, out);
	case PTX_CMP_GT:
	case PTX_CMP_HI: return ordered(d, &b, &a, false, r, out);
	case PTX_CMP_GE:
	case PTX_CMP_HS: return ordered(d, &b, &a, true, r, out);
	default: return false;
	}
}
