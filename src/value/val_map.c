#include "value/val_map.h"

#include "value/affine.h"
#include "value/symbol.h"

/* An operand: its cells in lanes 0, 1, ... */
struct view {
	const uint64_t *v; /* NULL: `first` in every lane, or as `step` says */
	const uint32_t *s; /* NULL: numbers */
	struct cell first;
	uint32_t step; /* 1: members of one row */
};

static struct view
view_each(struct domain *d, const struct val *a)
{
	uint64_t *v = arena_raw(d->vals, d->n, sizeof *v);
	uint32_t *s = arena_raw(d->vals, d->n, sizeof *s);

	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = val_cell(d, a, t);

		v[t] = c.v;
		s[t] = c.s;
	}
	return (struct view){.v = v, .s = s};
}

static struct view
view_of(struct domain *d, const struct val *a)
{
	struct view r = {0};

	if (a->kind == VAL_LANES)
		return (struct view){.v = a->l->v, .s = a->l->s};
	r.first = val_cell(d, a, 0);
	r.step = a->kind == VAL_SYM && sym_flags(d, a->s) & SYM_DIV;
	/* What a choice between numbers is in a lane may have been made alone. */
	if (r.step && !(sym_in_row(d, r.first.s) && sym_page(d, r.first.s)->head.arg))
		return view_each(d, a);
	return r;
}

static struct cell
view_cell(const struct view *a, unsigned t)
{
	if (a->v)
		return (struct cell){a->v[t], a->s ? a->s[t] : 0};
	return (struct cell){a->first.v, a->first.s + a->step * t};
}

enum { AHEAD = 32 }; /* lanes that are compared at once */

/* The first lane after t that does not have lane t's cell (step 0) or the next member of
 * its row (step 1); `end` if all before do. */
static unsigned
view_run(const struct view *a, unsigned t, unsigned end, uint32_t step)
{
	const uint64_t *v = a->v;
	const uint32_t *s = a->s;
	unsigned e = t + 1;

	if (!v)
		return a->step == step ? end : e;
	if (s && s[t]) {
		for (uint32_t next = s[t] + step; e < end && s[e] == next; e++)
			next += step;
		return e;
	}
	while (!s && e + AHEAD <= end && !memcmp(v + e, v + e - 1, AHEAD * sizeof *v))
		e += AHEAD;
	while (e < end && v[e] == v[t] && (!s || !s[e]))
		e++;
	return e;
}

/* What is mapped: a function and its operands. */
struct map {
	struct domain *d;
	lane_fn *fn;
	const void *how;
	struct view a[VAL_MAP_ARGS];
	unsigned n;
	bool symbols; /* an operand has some */
};

/* The lanes from t on that have the same operands. */
static unsigned
same_run(const struct map *m, unsigned t)
{
	unsigned end = m->d->n;

	for (unsigned i = 0; i < m->n && end > t + 1; i++)
		end = view_run(&m->a[i], t, end, 0);
	return end;
}

/* The lanes from t on, lane t having members k of rows, that have the next members, and
 * else the same. */
static unsigned
next_run(const struct map *m, const struct cell *x, unsigned t, unsigned k)
{
	unsigned last = t + SYM_PAGE - k, end = last < m->d->n ? last : m->d->n;

	for (unsigned i = 0; i < m->n; i++)
		end = view_run(&m->a[i], t, end, sym_in_row(m->d, x[i].s));
	return end;
}

/* A number that comes in is not that of the lane before or after. */
static bool
numbers_differ(const struct map *m, const struct cell *x, unsigned t)
{
	for (unsigned i = 0; i < m->n; i++) {
		const uint64_t *v = m->a[i].v;

		if (v && !x[i].s &&
			((t && v[t - 1] != v[t]) ||
				(t + 1 < m->d->n && v[t + 1] != v[t])))
			return true;
	}
	return false;
}

/* The result of lane t, and the lane after those that it is the result of: either the
 * operands stay the same, or they are the next members of the same rows, and then so is
 * the result (step 1), if fn saw nothing in which members of a row differ. */
static unsigned
lane_result(const struct map *m, unsigned t, struct cell *c, uint32_t *step)
{
	struct domain *d = m->d;
	struct cell x[VAL_MAP_ARGS];
	unsigned end = same_run(m, t), k;

	for (unsigned i = 0; i < m->n; i++)
		x[i] = view_cell(&m->a[i], t);
	k = sym_member(d, x, m->n);
	d->table->looked = false;
	sym_lanes_at(d, t, end == t + 1 && (k == SYM_NO_ROW || numbers_differ(m, x, t)));
	*c = m->fn(d, m->how, x, m->n);
	*step = 0;
	if (end > t + 1 || k >= SYM_PAGE || d->table->looked)
		return end;
	*step = sym_in_row(d, c->s);
	if (*step && (c->s & (SYM_PAGE - 1)) != k)
		return end;
	return next_run(m, x, t, k);
}

static struct val
map_flat(const struct map *m, const struct val *a, uint64_t keep)
{
	struct cell x[VAL_MAP_ARGS], c;

	for (unsigned i = 0; i < m->n; i++)
		x[i] = val_flat(&a[i]);
	domain_work(m->d, 1);
	c = m->fn(m->d, m->how, x, m->n);
	return val_of_cell(c.s ? c : cell_int(c.v & keep));
}

/* Numbers only. */
static struct val
map_numbers(const struct map *m, uint64_t keep)
{
	struct domain *d = m->d;
	struct cell x[2][VAL_MAP_ARGS] = {{{0}}}, c = {0};
	bool other = true, ahead;
	uint32_t any = 0;

	domain_work(d, d->n);
	sym_lanes_begin(d);
	for (unsigned i = 0; i < m->n; i++)
		x[0][i] = view_cell(&m->a[i], 0);
	for (unsigned t = 0; t < d->n; t++, other = ahead) {
		ahead = t + 1 == d->n;
		for (unsigned i = 0; i < m->n && t + 1 < d->n; i++) {
			x[~t & 1][i].v = m->a[i].v ? m->a[i].v[t + 1] : m->a[i].first.v;
			ahead = ahead || x[0][i].v != x[1][i].v;
		}
		if (other) {
			sym_lanes_at(d, t, ahead);
			c = m->fn(d, m->how, x[t & 1], m->n);
			any |= c.s;
		}
		d->tv[t] = c.s ? 0 : c.v & keep;
		d->ts[t] = c.s;
	}
	sym_lanes_end(d);
	return val_pack(d, d->tv, any ? d->ts : NULL);
}

static struct val
map_lanes(const struct map *m, uint64_t keep)
{
	struct domain *d = m->d;
	uint32_t step, any = 0;
	struct cell c;

	domain_work(d, d->n);
	sym_lanes_begin(d);
	for (unsigned t = 0, end; t < d->n; t = end) {
		end = lane_result(m, t, &c, &step);
		any |= c.s;
		c.v = c.s ? 0 : c.v & keep;
		for (unsigned k = t; k < end; k++, c.s += step) {
			d->tv[k] = c.v;
			d->ts[k] = c.s;
		}
	}
	sym_lanes_end(d);
	return val_pack(d, d->tv, any ? d->ts : NULL);
}

struct val
val_map(struct domain *d, lane_fn *fn, const void *how, const struct val *a, unsigned n,
	uint64_t keep)
{
	struct map m = {.d = d, .fn = fn, .how = how, .n = n};
	struct val b[VAL_MAP_ARGS];
	bool flat = true;

	for (unsigned i = 0; i < n; i++) {
		b[i] = affine_forget(d, &a[i]);
		flat = flat && (b[i].kind == VAL_INT || b[i].kind == VAL_SYM);
	}
	if (flat)
		return map_flat(&m, b, keep);
	for (unsigned i = 0; i < n; i++) {
		m.a[i] = view_of(d, &b[i]);
		m.symbols = m.symbols || m.a[i].s || m.a[i].first.s;
	}
	return m.symbols ? map_lanes(&m, keep) : map_numbers(&m, keep);
}
