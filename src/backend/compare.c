#include "backend/compare.h"

#include "backend/parallel.h"
#include "base/buf.h"

#include <float.h>
#include <math.h>

/*
 * Sums of squares depend on how they are cut, so the pieces depend on the number of
 * elements alone, not on the number of cores.
 */
enum { GRAIN = 1 << 16, PIECES = 64, BLOCK = 256 };

/* --- one element -------------------------------------------------------------------- */

static bool
is_finite(double v)
{
	return fabs(v) <= DBL_MAX;
}

/* Order-preserving integers: neighbouring floats differ by 1; -0 and 0 are both 0. */
static int64_t
ordered(uint64_t bits, size_t bytes)
{
	uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static uint64_t
load(const unsigned char *p, size_t bytes)
{
	uint64_t eight;
	uint32_t four;
	uint16_t two;
	switch (bytes) {
	case 1: return *p;
	case 2: memcpy(&two, p, 2); return two;
	case 4: memcpy(&four, p, 4); return four;
	default: memcpy(&eight, p, 8); return eight;
	}
}

/* r as the type holds it, and the bits of that. */
static double
rounded(enum dtype t, double r, uint64_t *bits)
{
	float f;
	uint32_t word;
	if (t == DTYPE_F64) {
		memcpy(bits, &r, sizeof r);
		return r;
	}
	if (t != DTYPE_F32 && t != DTYPE_TF32) {
		*bits = dtype_convert(t, r, false);
		return dtype_decode(t, bits);
	}
	/* The machine's own conversion, which C leaves undefined beyond the range. */
	f = fabs(r) < 0x1.ffffffp127 ? (float)r
	    : r > 0                  ? (float)INFINITY
				     : -(float)INFINITY;
	if (isnan(r))
		f = (float)NAN;
	memcpy(&word, &f, sizeof word);
	*bits = word;
	return (double)f;
}

static uint64_t
units_apart(enum dtype t, uint64_t got, uint64_t want)
{
	int64_t a = ordered(got, dtype_bytes(t)), b = ordered(want, dtype_bytes(t));
	uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
	return t == DTYPE_TF32 ? (apart + (1 << 12) - 1) >> 13 : apart;
}

/* One of the two is not finite, or r does not fit the type. */
static bool
odd_passes(enum dtype t, double o, double r)
{
	uint64_t bits;
	bool beyond = !isnan(r) && !dtype_encode(t, r, &bits), same = (o > 0) == (r > 0);
	if (isnan(o))
		return isnan(r) || (beyond && !dtype_has_infinity(t));
	if (isinf(o))
		return beyond && same;
	return beyond && same && dtype_bytes(t) == 1 && fabs(o) == dtype_largest(t);
}

struct errors {
	double sum_error, sum_ref; /* of squares */
	double worst;              /* how far off the worst wrong one is */
};

static void
note_wrong(struct comparison *c, struct errors *e, struct difference at, double apart)
{
	if (c->n_wrong++ == 0)
		c->first = at;
	if (c->n_wrong == 1 || apart > e->worst) {
		c->worst = at;
		e->worst = apart;
	}
}

static void
note_error(struct comparison *c, struct errors *e, double apart, double size)
{
	e->sum_error += apart * apart;
	if (apart > c->max_abs)
		c->max_abs = apart;
	if (size > 0 && apart > c->max_rel * size)
		c->max_rel = apart / size;
}

static bool
tolerated(struct tolerance t, double apart, double size, uint64_t units)
{
	return apart <= t.abs + t.rel * size ||
	       units <= (uint64_t)(t.ulp > 0 ? t.ulp : 0);
}

struct compare_job {
	const unsigned char *got;
	const struct ref_output *r;
	struct tolerance tol;
	uint64_t each; /* elements of a piece */
	struct comparison piece[PIECES];
	struct errors errors[PIECES];
};

static struct difference
difference_at(const struct compare_job *j, uint64_t i)
{
	struct difference d = {.index = i};
	size_t bytes = dtype_bytes(j->r->type);
	d.got_bits = load(j->got + i * bytes, bytes);
	memcpy(&d.want_wide, (const char *)j->r->data + 8 * i, sizeof d.want_wide);
	return d;
}

/* o, r or r rounded is not finite. */
static void
compare_odd(const struct compare_job *j, struct comparison *c, struct errors *e,
	uint64_t i, double o, double r)
{
	c->n_odd_out += !is_finite(o);
	c->n_odd_ref += !is_finite(r);
	/* Near, though out of range, is near. */
	if (is_finite(o) && is_finite(r) &&
		fabs(o - r) <= j->tol.abs + j->tol.rel * fabs(r))
		return;
	if (!odd_passes(j->r->type, o, r))
		note_wrong(c, e, difference_at(j, i), (double)INFINITY);
}

/* o and r are not equal, or not finite. */
static void
compare_float(const struct compare_job *j, struct comparison *c, struct errors *e,
	uint64_t i, double o, double r)
{
	enum dtype t = j->r->type;
	size_t bytes = dtype_bytes(t);
	uint64_t want;
	double near = rounded(t, r, &want);
	if (!is_finite(o) || !is_finite(near)) {
		compare_odd(j, c, e, i, o, r);
		return;
	}
	double apart = fabs(o - near), size = fabs(near);
	uint64_t units = units_apart(t, load(j->got + i * bytes, bytes), want);
	e->sum_ref += near * near;
	note_error(c, e, apart, size);
	if (units > c->max_ulp)
		c->max_ulp = units;
	if (!tolerated(j->tol, apart, size, units))
		note_wrong(c, e, difference_at(j, i), apart);
}

static void
compare_floats(const struct compare_job *j, struct comparison *c, struct errors *e,
	uint64_t from, uint64_t to)
{
	double o[BLOCK], r[BLOCK];
	size_t bytes = dtype_bytes(j->r->type);
	for (uint64_t i = from; i < to; i += BLOCK) {
		size_t n = to - i < BLOCK ? (size_t)(to - i) : BLOCK;
		ref_widen(j->r->type, j->got + i * bytes, n, o);
		memcpy(r, (const char *)j->r->data + 8 * i, 8 * n);
		for (size_t k = 0; k < n; k++) {
			if (o[k] == r[k] && is_finite(r[k])) {
				e->sum_ref += r[k] * r[k];
				continue;
			}
			compare_float(j, c, e, i + k, o[k], r[k]);
		}
	}
}

static double
integer_size(enum dtype t, uint64_t r)
{
	return dtype_is_signed(t) ? fabs((double)(int64_t)r) : (double)r;
}

static void
compare_integer(const struct compare_job *j, struct comparison *c, struct errors *e,
	uint64_t i, uint64_t o, uint64_t r)
{
	bool is_signed = dtype_is_signed(j->r->type);
	bool less = is_signed ? (int64_t)o < (int64_t)r : o < r;
	uint64_t units = less ? r - o : o - r;
	double apart = (double)units, size = integer_size(j->r->type, r);
	note_error(c, e, apart, size);
	if (units > c->max_ulp)
		c->max_ulp = units;
	if (!tolerated(j->tol, apart, size, units))
		note_wrong(c, e, difference_at(j, i), apart);
}

static void
compare_integers(const struct compare_job *j, struct comparison *c, struct errors *e,
	uint64_t from, uint64_t to)
{
	uint64_t o[BLOCK], r[BLOCK];
	size_t bytes = dtype_bytes(j->r->type);
	for (uint64_t i = from; i < to; i += BLOCK) {
		size_t n = to - i < BLOCK ? (size_t)(to - i) : BLOCK;
		ref_widen(j->r->type, j->got + i * bytes, n, o);
		memcpy(r, (const char *)j->r->data + 8 * i, 8 * n);
		for (size_t k = 0; k < n; k++) {
			double size = integer_size(j->r->type, r[k]);
			e->sum_ref += size * size;
			if (o[k] != r[k])
				compare_integer(j, c, e, i + k, o[k], r[k]);
		}
	}
}

/* --- all of them -------------------------------------------------------------------- */

static void
compare_pieces(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	struct compare_job *j = ctx;
	(void)part;
	for (uint64_t p = from; p < to; p++) {
		struct comparison c = {0}; /* local: no shared cache lines */
		struct errors e = {0, 0, 0};
		uint64_t first = p * j->each, end = first + j->each;
		if (end > j->r->count)
			end = j->r->count;
		if (dtype_is_float(j->r->type))
			compare_floats(j, &c, &e, first, end);
		else
			compare_integers(j, &c, &e, first, end);
		j->piece[p] = c;
		j->errors[p] = e;
	}
}

static void
merge(struct comparison *all, struct errors *sum, const struct comparison *p,
	const struct errors *e)
{
	if (p->n_wrong && !all->n_wrong)
		all->first = p->first;
	if (p->n_wrong && (!all->n_wrong || e->worst > sum->worst)) {
		all->worst = p->worst;
		sum->worst = e->worst;
	}
	all->n_wrong += p->n_wrong;
	all->max_abs = fmax(all->max_abs, p->max_abs);
	all->max_rel = fmax(all->max_rel, p->max_rel);
	all->max_ulp = p->max_ulp > all->max_ulp ? p->max_ulp : all->max_ulp;
	all->n_odd_out += p->n_odd_out;
	all->n_odd_ref += p->n_odd_ref;
	sum->sum_error += e->sum_error;
	sum->sum_ref += e->sum_ref;
}

struct comparison
compare_output(const void *got, const struct ref_output *r, struct tolerance t)
{
	struct compare_job j = {.got = got, .r = r, .tol = r->own ? *r->own : t};
	struct comparison all = {.n = r->count};
	struct errors sum = {0, 0, 0};
	uint64_t pieces = r->count / GRAIN < PIECES ? r->count / GRAIN + 1 : PIECES;
	j.each = (r->count + pieces - 1) / pieces;
	parallel_for(pieces, 1, compare_pieces, &j);
	for (uint64_t p = 0; p < pieces; p++)
		merge(&all, &sum, &j.piece[p], &j.errors[p]);
	all.norm_ratio = sqrt(sum.sum_error) / sqrt(sum.sum_ref);
	if (!is_finite(all.norm_ratio))
		all.norm_ratio = (double)NAN;
	return all;
}

/* --- in words ----------------------------------------------------------------------- */

static void
put_wide(struct buf *b, enum dtype t, uint64_t wide)
{
	double v;
	memcpy(&v, &wide, sizeof v);
	if (dtype_is_float(t))
		buf_addf(b, "%.9g", v);
	else if (dtype_is_signed(t))
		buf_addf(b, "%lld", (long long)wide);
	else
		buf_addf(b, "%llu", (unsigned long long)wide);
}

static void
put_difference(struct buf *b, const char *what, const struct difference *d, enum dtype t)
{
	uint64_t got;
	ref_widen(t, &d->got_bits, 1, &got);
	buf_addf(b, "; %s is [%llu] = ", what, (unsigned long long)d->index);
	put_wide(b, t, got);
	buf_adds(b, ", expected ");
	put_wide(b, t, d->want_wide);
}

struct str
comparison_text(struct arena *a, const struct comparison *c, const struct ref_output *r)
{
	struct buf b = {.a = a};
	buf_addf(&b, "'%.*s': %llu of %llu elements differ", STR_ARG(r->name),
		(unsigned long long)c->n_wrong, (unsigned long long)c->n);
	put_difference(&b, "first", &c->first, r->type);
	if (c->worst.index != c->first.index)
		put_difference(&b, "worst", &c->worst, r->type);
	if (c->max_ulp && dtype_is_float(r->type))
		buf_addf(&b, "; up to %llu ulp", (unsigned long long)c->max_ulp);
	if (!isnan(c->norm_ratio))
		buf_addf(&b, "; error norm %.3g of the reference's", c->norm_ratio);
	if (c->n_odd_out || c->n_odd_ref)
		buf_addf(&b, "; not finite: %llu, expected %llu",
			(unsigned long long)c->n_odd_out,
			(unsigned long long)c->n_odd_ref);
	return buf_str(&b);
}

/* --- two runs ----------------------------------------------------------------------- */

struct rerun_job {
	const unsigned char *one, *two;
	size_t bytes;
	uint64_t p1, p2; /* an element full of poison */
	struct rerun part[PARALLEL_MAX];
};

static void
rerun_piece(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	struct rerun_job *j = ctx;
	struct rerun r = {0};
	for (uint64_t i = from; i < to; i++) {
		uint64_t a = 0, b = 0;
		memcpy(&a, j->one + i * j->bytes, j->bytes);
		memcpy(&b, j->two + i * j->bytes, j->bytes);
		if (a == b)
			continue;
		if (a == j->p1 && b == j->p2) {
			if (r.n_unwritten++ == 0)
				r.first_unwritten = i;
		} else if (r.n_differ++ == 0) {
			r.first_differ = i;
		}
	}
	j->part[part] = r;
}

struct rerun
compare_runs(const void *one, const void *two, uint64_t n, size_t bytes, unsigned char p1,
	unsigned char p2)
{
	struct rerun_job j = {.one = one, .two = two, .bytes = bytes};
	struct rerun all = {0};
	memset(&j.p1, p1, bytes);
	memset(&j.p2, p2, bytes);
	parallel_for(n, GRAIN, rerun_piece, &j);
	for (unsigned i = 0; i < PARALLEL_MAX; i++) {
		struct rerun *p = &j.part[i];
		if (p->n_unwritten && !all.n_unwritten)
			all.first_unwritten = p->first_unwritten;
		if (p->n_differ && !all.n_differ)
			all.first_differ = p->first_differ;
		all.n_unwritten += p->n_unwritten;
		all.n_differ += p->n_differ;
	}
	return all;
}
