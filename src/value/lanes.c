#include "value/lanes.h"

#include "value/affine.h"
#include "value/symbol.h"

unsigned
lmask_next(const struct lmask *m, unsigned from)
{
	if (from >= LANES_MAX)
		return LANES_MAX;
	unsigned i = from >> 6;
	uint64_t x = m->w[i] & (UINT64_MAX << (from & 63));

	while (!x) {
		if (++i == LANES_WORDS)
			return LANES_MAX;
		x = m->w[i];
	}
	return i * 64 + (unsigned)__builtin_ctzll(x);
}

unsigned
lmask_count(const struct lmask *m)
{
	unsigned n = 0;

	for (int i = 0; i < LANES_WORDS; i++)
		n += (unsigned)__builtin_popcountll(m->w[i]);
	return n;
}

struct lmask
lmask_first_n(unsigned n)
{
	struct lmask m = {{0}};

	for (unsigned i = 0; i < LANES_WORDS && n; i++) {
		unsigned k = n < 64 ? n : 64;

		m.w[i] = k == 64 ? UINT64_MAX : (UINT64_C(1) << k) - 1;
		n -= k;
	}
	return m;
}

struct lmask
lmask_whole_warps(const struct lmask *m)
{
	struct lmask r = {{0}};

	for (unsigned i = 0; i < LANES_WORDS; i++) {
		if (m->w[i] & UINT32_MAX)
			r.w[i] |= UINT32_MAX;
		if (m->w[i] >> 32)
			r.w[i] |= (uint64_t)UINT32_MAX << 32;
	}
	return r;
}

struct cell
val_cell(struct domain *d, const struct val *v, unsigned t)
{
	switch (v->kind) {
	case VAL_INT: return cell_int(v->i);
	case VAL_SYM: return cell_lane(d, cell_sym(v->s), t);
	case VAL_LANES: return (struct cell){v->l->v[t], v->l->s ? v->l->s[t] : 0};
	case VAL_AFFINE: return affine_cell(d, v->x, t);
	case VAL_NONE: break;
	}
	return cell_sym(sym_fresh(d, SYM_TAINT_MEM));
}

/* A copy; of zeros, which all lanes with symbols have, the same one each time. */
static const uint64_t *
numbers_of(struct domain *d, const uint64_t *v)
{
	size_t bytes = d->n * sizeof *v;

	if (!d->zeros)
		d->zeros = arena_news(d->vals, d->n, uint64_t);
	if (!memcmp(v, d->zeros, bytes))
		return d->zeros;
	return memcpy(arena_raw(d->vals, d->n, sizeof *v), v, bytes);
}

struct val
val_pack(struct domain *d, const uint64_t *v, const uint32_t *s)
{
	unsigned same = 1, numbers = 0;

	while (same < d->n && v[same] == v[0] && (!s || s[same] == s[0]))
		same++;
	if (same == d->n)
		return s && s[0] ? val_sym(s[0]) : val_int(v[0]);

	struct lanes *l = arena_new(d->vals, struct lanes);
	l->v = numbers_of(d, v);
	while (s && numbers < d->n && !s[numbers])
		numbers++;
	if (s && numbers < d->n)
		l->s = memcpy(arena_raw(d->vals, d->n, sizeof *s), s, d->n * sizeof *s);
	struct val r = {.kind = VAL_LANES};
	r.l = l;
	return r;
}

static bool
is_number(const struct val *v)
{
	return v->kind == VAL_INT || (v->kind == VAL_LANES && !v->l->s);
}

static struct val
select_cells(
	struct domain *d, const struct lmask *m, const struct val *a, const struct val *b)
{
	domain_work(d, d->n);
	if (is_number(a) && is_number(b)) {
		for (unsigned t = 0; t < d->n; t++)
			d->tv[t] = val_number(lmask_has(m, t) ? a : b, t);
		return val_pack(d, d->tv, NULL);
	}
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = val_cell(d, lmask_has(m, t) ? a : b, t);

		d->tv[t] = c.v;
		d->ts[t] = c.s;
	}
	return val_pack(d, d->tv, d->ts);
}

struct val
val_select(
	struct domain *d, const struct lmask *m, const struct val *a, const struct val *b)
{
	if (a->kind == VAL_NONE)
		return *b;
	if (b->kind == VAL_NONE || val_same(d, a, b))
		return *a;
	if (a->kind == VAL_AFFINE || b->kind == VAL_AFFINE) {
		struct val r;

		if (affine_select(d, m, a, b, &r))
			return r;
		struct val p = affine_forget(d, a), q = affine_forget(d, b);
		return select_cells(d, m, &p, &q);
	}
	return select_cells(d, m, a, b);
}

static bool
lanes_same(const struct domain *d, const struct lanes *a, const struct lanes *b)
{
	if (a == b)
		return true;
	if (!a->s != !b->s || memcmp(a->v, b->v, d->n * sizeof *a->v) != 0)
		return false;
	return !a->s || !memcmp(a->s, b->s, d->n * sizeof *a->s);
}

bool
val_same(const struct domain *d, const struct val *a, const struct val *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case VAL_INT: return a->i == b->i;
	case VAL_SYM: return a->s == b->s;
	case VAL_LANES: return lanes_same(d, a->l, b->l);
	case VAL_AFFINE: return affine_same(d, a->x, b->x);
	case VAL_NONE: break;
	}
	return true;
}

bool
val_uniform(const struct domain *d, const struct val *v)
{
	switch (v->kind) {
	case VAL_INT: return true;
	case VAL_SYM: return !(sym_flags(d, v->s) & SYM_DIV);
	case VAL_AFFINE: return !v->x->lane;
	case VAL_LANES:
	case VAL_NONE: break;
	}
	return false;
}
