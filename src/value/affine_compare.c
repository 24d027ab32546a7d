/* Comparisons of affine values, and where to cut a class of blocks. */
#include "value/affine.h"
#include "value/affine_parts.h"
#include "value/symbol.h"

static bool
cmp_holds(enum ptx_cmp cmp, i128 x)
{
	switch ((int)cmp) {
	case PTX_CMP_EQ: return x == 0;
	case PTX_CMP_NE: return x != 0;
	case PTX_CMP_LT: return x < 0;
	case PTX_CMP_LE: return x <= 0;
	case PTX_CMP_GT: return x > 0;
	default: return x >= 0;
	}
}

static void
split_at(struct domain *d, int dim, const int64_t *at, size_t n)
{
	d->split_dim = dim;
	d->split_at = arena_news(d->table->mem, n, int64_t);
	memcpy(d->split_at, at, n * sizeof *at);
	d->n_split = n;
	domain_stop(d, STOP_SPLIT, NULL);
}

static void
split_half(struct domain *d, int dim)
{
	int64_t mid = d->lo[dim] + (d->hi[dim] - d->lo[dim] + 1) / 2;

	split_at(d, dim, &mid, 1);
}

/* In an unsigned comparison a negative value stands for a large one. */
static bool
make_unsigned(struct domain *d, struct affine *x, unsigned width)
{
	struct span s = affine_span(d, x);
	int64_t *lane = NULL;

	if (s.lo >= 0)
		return true;
	if (width >= 64)
		return false;
	if (s.hi >= 0 && !affine_is_flat(x)) {
		for (int i = 0; i < 3; i++)
			if (x->c[i] && d->lo[i] != d->hi[i])
				split_half(d, i);
		return false;
	}
	if (x->lane) {
		lane = arena_news(d->vals, d->n, int64_t);
		for (unsigned t = 0; t < d->n; t++)
			lane[t] = x->lane[t] +
				  (s.hi < 0 || x->lane[t] < 0 ? INT64_C(1) << width : 0);
	}
	x->base += s.hi < 0 || x->base < 0 ? INT64_C(1) << width : 0;
	x->lane = lane;
	return true;
}

static i128
floor_div(i128 a, i128 b)
{
	i128 q = a / b;

	return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* First k in the class at which cmp(q + c*k, 0) changes its answer. */
static i128
crossing(enum ptx_cmp cmp, i128 q, i128 c)
{
	bool strict = cmp == PTX_CMP_LT || cmp == PTX_CMP_GE;

	if (c > 0)
		return strict ? -floor_div(q, c) : floor_div(-q, c) + 1;
	return strict ? floor_div(q, -c) + 1 : -floor_div(-q, -c);
}

static int
int64_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

struct points {
	int64_t at[2 * LANES_MAX];
	size_t n;
};

static void
point_add(const struct domain *d, struct points *p, int dim, i128 k)
{
	bool seen = p->n && p->at[p->n - 1] == k; /* as for the lane before */

	if (k > d->lo[dim] && k <= d->hi[dim] && !seen)
		p->at[p->n++] = (int64_t)k;
}

static void
points_split(struct domain *d, struct points *p, int dim)
{
	size_t n = 0;

	if (!p->n)
		return;
	qsort(p->at, p->n, sizeof p->at[0], int64_order);
	for (size_t i = 0; i < p->n; i++)
		if (!n || p->at[n - 1] != p->at[i])
			p->at[n++] = p->at[i];
	split_at(d, dim, p->at, n);
}

/* One varying axis: cut exactly where a lane's answer changes. */
static void
split_exactly(struct domain *d, enum ptx_cmp cmp, const struct draft *f, int dim)
{
	struct points p; /* large: not cleared */
	i128 c = f->c[dim];

	p.n = 0;
	for (unsigned t = 0; t < (f->lane ? d->n : 1); t++) {
		i128 q = f->lane ? f->lane[t] : f->base;

		if (f->lane && t && f->lane[t] == f->lane[t - 1])
			continue;
		if (cmp == PTX_CMP_EQ || cmp == PTX_CMP_NE) {
			if (-q % c == 0) {
				point_add(d, &p, dim, -q / c);
				point_add(d, &p, dim, -q / c + 1);
			}
		} else {
			point_add(d, &p, dim, crossing(cmp, q, c));
		}
	}
	points_split(d, &p, dim);
}

/* Several varying axes: halve the one that moves the value most, if some lane is
 * undecided. */
static void
split_widest(struct domain *d, enum ptx_cmp cmp, const struct draft *f)
{
	i128 lo = 0, hi = 0, most = -1;
	int dim = 0;

	for (int i = 0; i < 3; i++) {
		i128 p = f->c[i] * d->lo[i], q = f->c[i] * d->hi[i];
		i128 move = p < q ? q - p : p - q;

		lo += p < q ? p : q;
		hi += p < q ? q : p;
		if (move > most) {
			most = move;
			dim = i;
		}
	}
	for (unsigned t = 0; t < (f->lane ? d->n : 1); t++) {
		i128 q = f->lane ? f->lane[t] : f->base;
		bool sure = cmp == PTX_CMP_EQ || cmp == PTX_CMP_NE
				    ? q + lo > 0 || q + hi < 0
				    : cmp_holds(cmp, q + lo) == cmp_holds(cmp, q + hi);

		if (!sure)
			split_half(d, dim);
	}
}

static struct val
compare_lanes(struct domain *d, enum ptx_cmp cmp, const struct draft *f)
{
	i128 at = 0;

	for (int i = 0; i < 3; i++)
		at += f->c[i] * d->lo[i];
	if (!f->lane)
		return val_int(cmp_holds(cmp, f->base + at));
	for (unsigned t = 0; t < d->n; t++)
		d->tv[t] = cmp_holds(cmp, f->lane[t] + at);
	domain_work(d, d->n);
	return val_pack(d, d->tv, NULL);
}

static enum ptx_cmp
signed_form(enum ptx_cmp cmp)
{
	switch ((int)cmp) {
	case PTX_CMP_LO: return PTX_CMP_LT;
	case PTX_CMP_LS: return PTX_CMP_LE;
	case PTX_CMP_HI: return PTX_CMP_GT;
	case PTX_CMP_HS: return PTX_CMP_GE;
	default: return cmp;
	}
}

bool
affine_compare(struct domain *d, enum ptx_cmp cmp, bool is_signed, unsigned width,
	const struct val *a, const struct val *b, struct val *out)
{
	i128 lane[LANES_MAX];
	struct draft f = {0};
	struct affine x, y;
	int varied = 0, dim = 0;

	if (!affine_as(d, a, width, &x) || !affine_as(d, b, width, &y))
		return false;
	if (cmp >= PTX_CMP_LO && cmp <= PTX_CMP_HS)
		is_signed = false;
	cmp = signed_form(cmp);
	if (cmp < PTX_CMP_EQ || cmp > PTX_CMP_GE || x.width != width || y.width != width)
		return false;
	if (!is_signed && cmp != PTX_CMP_EQ && cmp != PTX_CMP_NE &&
		(!make_unsigned(d, &x, width) || !make_unsigned(d, &y, width)))
		return false;
	for (int i = 0; i < 3; i++) {
		f.c[i] = (i128)x.c[i] - y.c[i];
		if (f.c[i] && d->lo[i] != d->hi[i]) {
			varied++;
			dim = i;
		}
	}
	f.base = (i128)x.base - y.base;
	if (x.lane || y.lane) {
		f.lane = lane;
		for (unsigned t = 0; t < d->n; t++)
			lane[t] = (i128)affine_base(&x, t) - affine_base(&y, t);
	}
	if (varied == 1) {
		struct draft g = f;

		for (int i = 0; i < 3; i++)
			if (i != dim) {
				i128 k = f.c[i] * d->lo[i];

				g.base += k;
				for (unsigned t = 0; f.lane && t < d->n; t++)
					lane[t] += k;
				g.c[i] = 0;
				f.c[i] = 0;
			}
		f.base = g.base;
		split_exactly(d, cmp, &f, dim);
	} else if (varied > 1) {
		split_widest(d, cmp, &f);
		/* decided in every lane, whatever the block: the first block tells */
	}
	*out = compare_lanes(d, cmp, &f);
	return true;
}
