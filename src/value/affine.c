#include "value/affine.h"

#include "value/affine_parts.h"
#include "value/eval.h"
#include "value/linear.h"
#include "value/symbol.h"

struct span
affine_span(const struct domain *d, const struct affine *x)
{
	struct span s = {x->base, x->base};

	if (x->lane) {
		s = (struct span){x->lane[0], x->lane[0]};
		for (unsigned t = 1; t < d->n; t++) {
			if (x->lane[t] < s.lo)
				s.lo = x->lane[t];
			if (x->lane[t] > s.hi)
				s.hi = x->lane[t];
		}
	}
	for (int i = 0; i < 3; i++) {
		i128 p = (i128)x->c[i] * d->lo[i], q = (i128)x->c[i] * d->hi[i];

		s.lo += p < q ? p : q;
		s.hi += p < q ? q : p;
	}
	return s;
}

static i128
limit_of(unsigned width)
{
	return (i128)1 << (width - 1);
}

static bool
span_fits(struct span s, unsigned width)
{
	return s.lo >= -limit_of(width) && s.hi < limit_of(width);
}

bool
affine_is_flat(const struct affine *x)
{
	return !x->c[0] && !x->c[1] && !x->c[2];
}

static int64_t *
draft_lanes(struct domain *d, const i128 *lane)
{
	bool varied = false;

	for (unsigned t = 1; t < d->n && !varied; t++)
		varied = lane[t] != lane[0];
	if (!varied)
		return NULL;
	int64_t *v = arena_news(d->vals, d->n, int64_t);
	for (unsigned t = 0; t < d->n; t++)
		v[t] = (int64_t)lane[t];
	return v;
}

static bool
draft_small(const struct domain *d, const struct draft *f)
{
	const i128 most = (i128)1 << 63;

	for (int i = 0; i < 3; i++)
		if (f->c[i] >= most || f->c[i] < -most)
			return false;
	for (unsigned t = 0; f->lane && t < d->n; t++)
		if (f->lane[t] >= most || f->lane[t] < -most)
			return false;
	return f->lane || (f->base < most && f->base >= -most);
}

/* The finished value; false if it leaves its register anywhere in the class. */
static bool
affine_done(struct domain *d, const struct draft *f, unsigned width, struct val *out)
{
	if (!d->n || !draft_small(d, f))
		return false;
	struct affine *x = arena_new(d->vals, struct affine);

	x->width = width;
	for (int i = 0; i < 3; i++)
		x->c[i] = (int64_t)f->c[i];
	x->base = f->lane ? (int64_t)f->lane[0] : (int64_t)f->base;
	if (f->lane)
		x->lane = draft_lanes(d, f->lane);
	domain_work(d, f->lane ? d->n : 1);
	if (!span_fits(affine_span(d, x), width))
		return false;
	*out = (struct val){.kind = VAL_AFFINE};
	out->x = x;
	return true;
}

static int64_t
sign_extend(uint64_t v, unsigned width)
{
	if (width >= 64)
		return (int64_t)v;
	uint64_t top = UINT64_C(1) << (width - 1);
	v &= (UINT64_C(1) << width) - 1;
	return (int64_t)((v ^ top) - top);
}

/* An affine or fully known value as an affine one of the width. */
bool
affine_as(struct domain *d, const struct val *v, unsigned width, struct affine *x)
{
	*x = (struct affine){.width = width};
	switch (v->kind) {
	case VAL_AFFINE: *x = *v->x; return true;
	case VAL_INT: x->base = sign_extend(v->i, width); return true;
	case VAL_LANES:
		if (v->l->s)
			return false;
		x->lane = arena_news(d->vals, d->n, int64_t);
		for (unsigned t = 0; t < d->n; t++)
			x->lane[t] = sign_extend(v->l->v[t], width);
		x->base = x->lane[0];
		return true;
	case VAL_SYM:
	case VAL_NONE: break;
	}
	return false;
}

int64_t
affine_base(const struct affine *x, unsigned t)
{
	return x->lane ? x->lane[t] : x->base;
}

/* x*k + y*j, y may be NULL. */
static bool
combine(struct domain *d, const struct affine *x, i128 k, const struct affine *y, i128 j,
	unsigned width, struct val *out)
{
	i128 lane[LANES_MAX];
	struct draft f = {0};

	for (int i = 0; i < 3; i++)
		f.c[i] = x->c[i] * k + (y ? y->c[i] * j : 0);
	if (x->lane || (y && y->lane)) {
		for (unsigned t = 0; t < d->n; t++)
			lane[t] = affine_base(x, t) * k + (y ? affine_base(y, t) * j : 0);
		f.lane = lane;
	} else {
		f.base = x->base * k + (y ? y->base * j : 0);
	}
	return affine_done(d, &f, width, out);
}

static uint32_t
class_symbol(struct domain *d, int axis, enum ptx_sreg what)
{
	return sym_make(
		d, SYM_SREG, (uint64_t)what << 4 | axis, NULL, 0, SYM_TAINT_CTAID);
}

static struct val
of_class(struct domain *d, int axis, int64_t rank, int64_t step, enum ptx_sreg what)
{
	struct draft f = {.base = rank};
	struct val v;

	d->block_read = true;
	if (d->lo[axis] == d->hi[axis])
		return val_int((uint64_t)(rank + step * d->lo[axis]));
	f.c[axis] = step;
	if (!d->opaque && affine_done(d, &f, 32, &v))
		return v;
	return val_sym(class_symbol(d, axis, what));
}

struct val
affine_ctaid(struct domain *d, int axis)
{
	return of_class(d, axis, d->rank[axis], d->step[axis], PTX_SREG_CTAID);
}

struct val
affine_number(struct domain *d, int axis)
{
	return of_class(d, axis, 0, 1, PTX_SREG_CLUSTERID);
}

struct cell
affine_cell(struct domain *d, const struct affine *x, unsigned t)
{
	struct linear y = {.width = x->width};

	y.k = (uint64_t)affine_base(x, t) & bits_mask(x->width);
	for (int i = 0; i < 3; i++) {
		uint64_t c = (uint64_t)x->c[i] & bits_mask(x->width);

		if (c)
			y.term[y.n++] =
				(struct cell){c, class_symbol(d, i, PTX_SREG_CLUSTERID)};
	}
	for (unsigned i = 1; i < y.n; i++)
		for (unsigned k = i; k && y.term[k].s < y.term[k - 1].s; k--) {
			struct cell c = y.term[k];

			y.term[k] = y.term[k - 1];
			y.term[k - 1] = c;
		}
	return linear_cell(d, &y);
}

bool
affine_same(const struct domain *d, const struct affine *a, const struct affine *b)
{
	if (a == b)
		return true;
	if (memcmp(a->c, b->c, sizeof a->c) != 0 || a->width != b->width ||
		!a->lane != !b->lane)
		return false;
	if (!a->lane)
		return a->base == b->base;
	return !memcmp(a->lane, b->lane, d->n * sizeof *a->lane);
}

struct val
affine_forget(struct domain *d, const struct val *v)
{
	if (v->kind != VAL_AFFINE)
		return *v;
	if (!v->x->lane)
		return val_of_cell(affine_cell(d, v->x, 0));
	sym_lanes_begin(d);
	for (unsigned t = 0; t < d->n; t++) {
		sym_lanes_at(d, t, true);
		struct cell c = affine_cell(d, v->x, t);

		d->tv[t] = c.v;
		d->ts[t] = c.s;
	}
	sym_lanes_end(d);
	domain_work(d, d->n);
	return val_pack(d, d->tv, d->ts);
}

static bool
select_bases(struct domain *d, const struct affine *x, const struct affine *y,
	const bool *take, unsigned width, struct val *out)
{
	i128 lane[LANES_MAX];
	struct draft f = {.lane = lane};

	if (memcmp(x->c, y->c, sizeof x->c) != 0)
		return false;
	for (int i = 0; i < 3; i++)
		f.c[i] = x->c[i];
	for (unsigned t = 0; t < d->n; t++)
		lane[t] = affine_base(take[t] ? x : y, t);
	return affine_done(d, &f, width, out);
}

bool
affine_select(struct domain *d, const struct lmask *m, const struct val *a,
	const struct val *b, struct val *out)
{
	unsigned width = a->kind == VAL_AFFINE ? a->x->width : b->x->width;
	struct affine x, y;
	bool take[LANES_MAX];

	if (!affine_as(d, a, width, &x) || !affine_as(d, b, width, &y) ||
		x.width != y.width)
		return false;
	for (unsigned t = 0; t < d->n; t++)
		take[t] = lmask_has(m, t);
	return select_bases(d, &x, &y, take, width, out);
}

/* ---- operations ---- */

static bool
eval_convert(struct domain *d, const struct ptx_form *f, const struct affine *x,
	struct val *out)
{
	enum ptx_type to = f->type[0], from = f->type[1];
	struct span s = affine_span(d, x);

	if (f->n_types != 2 || ptx_type_class(to) == 'f' || ptx_type_class(from) == 'f')
		return false;
	unsigned width = ptx_type_bits(to);
	/* a narrowing source type would drop bits first */
	if (!span_fits(s, ptx_type_bits(from)) || PTX_HAS(f, SAT))
		return false;
	if (ptx_type_class(from) != 's' && s.lo < 0 && width > ptx_type_bits(from))
		return false;
	return span_fits(s, width) && combine(d, x, 1, NULL, 0, width, out);
}

static bool
eval_product(struct domain *d, const struct ptx_form *f, const struct val *a,
	struct val *out, unsigned width, bool wide)
{
	const struct val *p = &a[0], *q = &a[1];
	struct affine x;

	if (p->kind != VAL_AFFINE) {
		p = &a[1];
		q = &a[0];
	}
	if (p->kind != VAL_AFFINE || q->kind != VAL_INT || p->x->width != width)
		return false;
	bool is_signed = ptx_type_class(f->type[0]) == 's';
	x = *p->x;
	if (wide && !is_signed && affine_span(d, &x).lo < 0)
		return false;
	i128 k =
		is_signed || !wide
			? sign_extend(q->i, width)
			: (i128)(width < 64 ? q->i & ((UINT64_C(1) << width) - 1) : q->i);
	return combine(d, &x, k, NULL, 0, wide ? 2 * width : width, out);
}

static bool
eval_mul(struct domain *d, const struct ptx_form *f, const struct val *a, struct val *out)
{
	unsigned width = ptx_type_bits(f->type[0]);
	bool wide = PTX_HAS(f, WIDE);
	unsigned result = wide ? 2 * width : width;
	struct affine x, y;
	struct val p;

	if (PTX_HAS(f, HI) || PTX_HAS(f, SAT) || PTX_HAS(f, CC) || result > 64)
		return false;
	if (f->op == PTX_MUL)
		return eval_product(d, f, a, out, width, wide);
	if (a[0].kind == VAL_AFFINE || a[1].kind == VAL_AFFINE) {
		if (!eval_product(d, f, a, &p, width, wide))
			return false;
	} else if (!eval_mul_known(d, f, a, &p)) {
		return false;
	}
	return affine_as(d, &p, result, &x) && affine_as(d, &a[2], result, &y) &&
	       x.width == result && y.width == result &&
	       combine(d, &x, 1, &y, 1, result, out);
}

static bool
eval_sum(struct domain *d, const struct ptx_form *f, const struct val *a, struct val *out)
{
	unsigned width = ptx_type_bits(f->type[0]);
	struct affine x, y;

	if (PTX_HAS(f, SAT) || PTX_HAS(f, CC))
		return false;
	if (!affine_as(d, &a[0], width, &x) || !affine_as(d, &a[1], width, &y) ||
		x.width != width || y.width != width)
		return false;
	return combine(d, &x, 1, &y, f->op == PTX_SUB ? -1 : 1, width, out);
}

/* All coefficients and bases are multiples of 2^bits. */
static bool
low_clear(const struct domain *d, const struct affine *x, unsigned bits, bool bases)
{
	uint64_t m = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	for (int i = 0; i < 3; i++)
		if ((uint64_t)x->c[i] & m)
			return false;
	if (!bases)
		return true;
	for (unsigned t = 0; t < (x->lane ? d->n : 1); t++)
		if ((uint64_t)affine_base(x, t) & m)
			return false;
	return true;
}

static unsigned
bit_length(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* OR of bits below everything affine is an addition. */
static bool
eval_or(struct domain *d, const struct val *a, unsigned width, struct val *out)
{
	const struct val *p = a[0].kind == VAL_AFFINE ? &a[0] : &a[1];
	const struct val *q = p == &a[0] ? &a[1] : &a[0];
	struct affine y;
	uint64_t all = 0;

	if (q->kind == VAL_INT)
		all = q->i;
	else if (q->kind == VAL_LANES && !q->l->s)
		for (unsigned t = 0; t < d->n; t++)
			all |= q->l->v[t];
	else
		return false;
	unsigned bits = bit_length(all);
	return p->x->width == width && bits < width && low_clear(d, p->x, bits, true) &&
	       affine_as(d, q, width, &y) && combine(d, p->x, 1, &y, 1, width, out);
}

static struct val
base_bits(struct domain *d, const struct affine *x, uint64_t m)
{
	if (!x->lane)
		return val_int((uint64_t)x->base & m);
	for (unsigned t = 0; t < d->n; t++)
		d->tv[t] = (uint64_t)x->lane[t] & m;
	domain_work(d, d->n);
	return val_pack(d, d->tv, NULL);
}

static bool
eval_and(struct domain *d, const struct val *a, unsigned width, struct val *out)
{
	const struct val *p = a[0].kind == VAL_AFFINE ? &a[0] : &a[1];
	const struct val *q = p == &a[0] ? &a[1] : &a[0];
	uint64_t full = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;

	if (q->kind != VAL_INT || p->x->width != width)
		return false;
	if (low_clear(d, p->x, bit_length(q->i & full), false)) {
		*out = base_bits(d, p->x, q->i & full);
		return true;
	}
	uint64_t gone = ~q->i & full;
	unsigned bits = bit_length(gone);
	if (gone != (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX) ||
		!low_clear(d, p->x, bits, false))
		return false;
	i128 lane[LANES_MAX];
	struct draft f = {.base = p->x->base & ~(int64_t)gone};
	for (int i = 0; i < 3; i++)
		f.c[i] = p->x->c[i];
	if (p->x->lane) {
		for (unsigned t = 0; t < d->n; t++)
			lane[t] = p->x->lane[t] & ~(int64_t)gone;
		f.lane = lane;
	}
	return affine_done(d, &f, width, out);
}

static bool
eval_divide(struct domain *d, const struct ptx_form *f, const struct val *a,
	unsigned width, struct val *out)
{
	if (a[0].kind != VAL_AFFINE || a[1].kind != VAL_INT || a[0].x->width != width)
		return false;
	const struct affine *x = a[0].x;
	struct span s = affine_span(d, x);
	uint64_t k = f->op == PTX_SHR ? a[1].i & UINT32_MAX : a[1].i;
	if (f->op == PTX_SHR && k >= 63)
		return false;
	int64_t by = f->op == PTX_SHR ? INT64_C(1) << k : sign_extend(k, width);
	bool even = true;

	if (by <= 0 || s.lo < 0)
		return false;
	for (int i = 0; i < 3; i++)
		even = even && x->c[i] % by == 0;
	for (unsigned t = 0; even && t < (x->lane ? d->n : 1); t++)
		even = affine_base(x, t) >= 0;
	if (!even) {
		if (f->op == PTX_REM && s.hi < by) {
			*out = a[0];
			return true;
		}
		if (f->op != PTX_REM && s.lo / by == s.hi / by) {
			*out = val_int((uint64_t)(s.lo / by));
			return true;
		}
		return false;
	}
	i128 lane[LANES_MAX];
	struct draft g = {.base = f->op == PTX_REM ? x->base % by : x->base / by};
	for (int i = 0; i < 3; i++)
		g.c[i] = f->op == PTX_REM ? 0 : x->c[i] / by;
	if (x->lane) {
		for (unsigned t = 0; t < d->n; t++)
			lane[t] = f->op == PTX_REM ? x->lane[t] % by : x->lane[t] / by;
		g.lane = lane;
	}
	return affine_done(d, &g, width, out);
}

static bool
eval_minmax(struct domain *d, const struct ptx_form *f, const struct val *a,
	unsigned width, struct val *out)
{
	struct val less;
	char class = ptx_type_class(f->type[0]);

	if ((class != 's' && class != 'u') || f->n_types != 1 || PTX_HAS(f, RELU) ||
		!affine_compare(
			d, PTX_CMP_LT, class == 's', width, &a[0], &a[1], &less) ||
		less.kind != VAL_INT)
		return false;
	*out = (less.i != 0) == (f->op == PTX_MIN) ? a[0] : a[1];
	return true;
}

static bool
eval_select(struct domain *d, const struct val *a, unsigned width, struct val *out)
{
	bool take[LANES_MAX];
	struct affine x, y;

	if (a[2].kind == VAL_INT) {
		*out = a[2].i ? a[0] : a[1];
		return true;
	}
	if (a[2].kind != VAL_LANES || a[2].l->s || !affine_as(d, &a[0], width, &x) ||
		!affine_as(d, &a[1], width, &y) || x.width != y.width)
		return false;
	for (unsigned t = 0; t < d->n; t++)
		take[t] = a[2].l->v[t] != 0;
	return select_bases(d, &x, &y, take, x.width, out);
}

static bool
eval_not(struct domain *d, const struct val *a, unsigned width, struct val *out)
{
	struct affine one = {.base = -1, .width = width};

	/* ~x is -1 - x */
	return a->x->width == width && combine(d, &one, 1, a->x, -1, width, out);
}

bool
affine_eval(struct domain *d, const struct ptx_form *f, const struct val *a, unsigned n,
	struct val *out)
{
	unsigned width = f->n_types ? ptx_type_bits(f->type[0]) : 0;

	if (!width || width > 64 || n == 0)
		return false;
	switch ((int)f->op) {
	case PTX_MOV:
		if (a[0].kind != VAL_AFFINE || a[0].x->width != width)
			return false;
		*out = a[0];
		return true;
	case PTX_CVTA: *out = a[0]; return true;
	case PTX_CVT: return eval_convert(d, f, a[0].x, out);
	case PTX_ADD:
	case PTX_SUB: return eval_sum(d, f, a, out);
	case PTX_MUL:
	case PTX_MAD: return eval_mul(d, f, a, out);
	case PTX_NEG:
		return a[0].x->width == width &&
		       combine(d, a[0].x, -1, NULL, 0, width, out);
	case PTX_NOT: return eval_not(d, &a[0], width, out);
	case PTX_SHL:
		return a[0].kind == VAL_AFFINE && a[1].kind == VAL_INT &&
		       a[1].i < width && a[0].x->width == width &&
		       combine(d, a[0].x, (i128)1 << a[1].i, NULL, 0, width, out);
	case PTX_OR: return eval_or(d, a, width, out);
	case PTX_AND: return eval_and(d, a, width, out);
	case PTX_SHR:
	case PTX_DIV:
	case PTX_REM: return eval_divide(d, f, a, width, out);
	case PTX_MIN:
	case PTX_MAX: return eval_minmax(d, f, a, width, out);
	case PTX_SELP: return eval_select(d, a, width, out);
	default: return false;
	}
}
