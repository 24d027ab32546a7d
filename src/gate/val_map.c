#include "gate/val_map.h"

#include "gate/affine.h"
#include "gate/symbol.h"

/* An operand: its cells in lanes 0, 1, ... */
struct view {
	const uint64_t *v; /* NULL: `first` in every lane, or as `step` says */
	const uint32_t *s; /* NULL: numbers */
	struct cell first;
	uint32_t step; /* 1: members of one row */
};

static struct view
view_of(struct domain *d, const struct val *a)
{
	struct view r = {0};

	if (a->kind == VAL_LANES)
		return (struct view){.v = a->l->v, .s = a->l->s};
	r.first = val_cell(d, a, 0);
	r.step = a->kind == VAL_SYM && sym_flags(d, a->s) & SYM_DIV;
	return r;
}

static struct cell
view_cell(const struct view *a, unsigned t)
{
	if (a->v)
		return (struct cell){a->v[t], a->s ? a->s[t] : 0};
	return (struct cell){a->first.v, a->first.s + a->step * t};
}

/* The first lane after t that does not have lane t's cell (step 0) or the next member of
 * its row (step 1); `end` if all before do. */
static unsigned
view_run(const struct view *a, unsigned t, unsigned end, uint32_t step)
{
	unsigned e = t + 1;

	if (!a->v)
		return a->step == step ? end : e;
	while (e < end && a->v[e] == a->v[t] &&
		(!a->s || a->s[e] == a->s[t] + step * (e - t)))
		e++;
	return e;
}

/* The lanes from t on that have the same operands. */
static unsigned
same_run(const struct domain *d, const struct view *a, unsigned n, unsigned t)
{
	unsigned end = d->n;

	for (unsigned i = 0; i < n && end > t + 1; i++)
		end = view_run(&a[i], t, end, 0);
	return end;
}

/* The lanes from t on, lane t having members k of rows, that have the next members, and
 * else the same. */
static unsigned
next_run(const struct domain *d, const struct view *a, const struct cell *x, unsigned n,
	unsigned t, unsigned k)
{
	unsigned end = t + SYM_PAGE - k < d->n ? t + SYM_PAGE - k : d->n;

	for (unsigned i = 0; i < n; i++)
		end = view_run(&a[i], t, end, sym_in_row(d, x[i].s));
	return end;
}

/* The result of lane t, and the lane after those that it is the result of: either the
 * operands stay the same, or they are the next members of the same rows, and then so is
 * the result, if fn saw nothing in which members of a row differ. */
static unsigned
lane_result(struct domain *d, lane_fn *fn, const void *how, const struct view *a,
	unsigned n, unsigned t, struct cell *c, uint32_t *step)
{
	struct cell x[VAL_MAP_ARGS];
	unsigned end = same_run(d, a, n, t), k;

	for (unsigned i = 0; i < n; i++)
		x[i] = view_cell(&a[i], t);
	k = sym_member(d, x, n);
	d->table->looked = false;
	sym_lanes_at(d, t, end == t + 1 && k == SYM_NO_ROW);
	*c = fn(d, how, x, n);
	*step = sym_in_row(d, c->s);
	if (end > t + 1) {
		*step = 0;
		return end;
	}
	bool astray = *step && (c->s & (SYM_PAGE - 1)) != k;
	if (k >= SYM_PAGE || d->table->looked || astray)
		return end;
	return next_run(d, a, x, n, t, k);
}

static struct val
map_flat(struct domain *d, lane_fn *fn, const void *how, const struct val *a, unsigned n,
	uint64_t keep)
{
	struct cell x[VAL_MAP_ARGS], c;

	for (unsigned i = 0; i < n; i++)
		x[i] = val_flat(&a[i]);
	domain_work(d, 1);
	c = fn(d, how, x, n);
	return val_of_cell(c.s ? c : cell_int(c.v & keep));
}

struct val
val_map(struct domain *d, lane_fn *fn, const void *how, const struct val *a, unsigned n,
	uint64_t keep)
{
	struct view x[VAL_MAP_ARGS];
	struct val b[VAL_MAP_ARGS];
	bool flat = true;

	for (unsigned i = 0; i < n; i++) {
		b[i] = affine_forget(d, &a[i]);
		flat = flat && (b[i].kind == VAL_INT || b[i].kind == VAL_SYM);
		x[i] = view_of(d, &b[i]);
	}
	if (flat)
		return map_flat(d, fn, how, b, n, keep);
	domain_work(d, d->n);
	sym_lanes_begin(d);
	for (unsigned t = 0, end; t < d->n; t = end) {
		struct cell c;
		uint32_t step;

		end = lane_result(d, fn, how, x, n, t, &c, &step);
		for (unsigned k = t; k < end; k++) {
			d->tv[k] = c.s ? 0 : c.v & keep;
			d->ts[k] = c.s + step * (k - t);
		}
	}
	sym_lanes_end(d);
	return val_pack(d, d->tv, d->ts);
}
