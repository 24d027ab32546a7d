#include "backend/compare.h"

#include "backend/parallel.h"
#include "base/buf.h"

#include <math.h>

enum { GRAIN = 1 << 16 };

/* Order-preserving integers: neighbouring floats differ by 1; -0 and 0 are both 0. */
static int64_t
ordered(uint64_t bits, size_t bytes)
{
	uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

/* The bits of r in the type, infinite beyond its range. */
static bool
rounded(enum dtype t, double r, uint64_t *bits)
{
	return isfinite(r) && dtype_encode(t, r, bits);
}

static bool
within_ulp(enum dtype t, uint64_t got, double r, int64_t ulp)
{
	uint64_t want;
	if (!rounded(t, r, &want))
		return false;
	int64_t a = ordered(got, dtype_bytes(t)), b = ordered(want, dtype_bytes(t));
	uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
	return apart <= (uint64_t)(ulp > 0 ? ulp : 0);
}

static bool
float_passes(enum dtype t, uint64_t got, double o, double r, struct tolerance tol)
{
	uint64_t bits;
	if (isnan(r) || isnan(o))
		return isnan(r) && isnan(o);
	if (isinf(o))
		/* A finite r that the type cannot hold rounds to infinity. */
		return (isinf(r) || !rounded(t, r, &bits)) && (o > 0) == (r > 0);
	if (isinf(r))
		return false;
	return fabs(o - r) <= tol.abs + tol.rel * fabs(r) ||
	       within_ulp(t, got, r, tol.ulp);
}

static double
integer_distance(enum dtype t, uint64_t o, uint64_t r)
{
	bool less = dtype_is_signed(t) ? (int64_t)o < (int64_t)r : o < r;
	return (double)(less ? r - o : o - r);
}

static double
integer_size(enum dtype t, uint64_t r)
{
	return dtype_is_signed(t) ? fabs((double)(int64_t)r) : (double)r;
}

static void
note_errors(struct comparison *c, double apart, double size)
{
	if (!isfinite(apart))
		return;
	if (apart > c->max_abs)
		c->max_abs = apart;
	if (size > 0 && apart / size > c->max_rel)
		c->max_rel = apart / size;
}

static void
note_wrong(struct comparison *c, uint64_t i, uint64_t got, uint64_t want)
{
	if (c->n_wrong++ > 0)
		return;
	c->first = i;
	c->got_bits = got;
	c->want_wide = want;
}

struct compare_job {
	const unsigned char *got;
	const struct ref_output *r;
	struct tolerance tol;
	struct comparison part[PARALLEL_MAX];
};

static void
compare_float(const struct compare_job *j, struct comparison *c, uint64_t i, uint64_t got)
{
	double r, o = dtype_decode(j->r->type, &got);
	memcpy(&r, (const char *)j->r->data + 8 * i, sizeof r);
	if (o == r)
		return;
	note_errors(c, fabs(o - r), fabs(r));
	if (float_passes(j->r->type, got, o, r, j->tol))
		return;
	uint64_t want;
	memcpy(&want, &r, sizeof want);
	note_wrong(c, i, got, want);
}

static void
compare_integer(
	const struct compare_job *j, struct comparison *c, uint64_t i, uint64_t got)
{
	uint64_t want, wide;
	memcpy(&want, (const char *)j->r->data + 8 * i, sizeof want);
	ref_widen(j->r->type, &got, 1, &wide);
	if (wide == want)
		return;
	double apart = integer_distance(j->r->type, wide, want);
	double size = integer_size(j->r->type, want);
	note_errors(c, apart, size);
	if (apart > j->tol.abs + j->tol.rel * size && apart > (double)j->tol.ulp)
		note_wrong(c, i, got, want);
}

static void
compare_piece(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	struct compare_job *j = ctx;
	size_t bytes = dtype_bytes(j->r->type);
	bool is_float = dtype_is_float(j->r->type);
	struct comparison c = {.n = to - from}; /* local: no shared cache lines */
	for (uint64_t i = from; i < to; i++) {
		uint64_t got = 0;
		memcpy(&got, j->got + i * bytes, bytes);
		if (is_float)
			compare_float(j, &c, i, got);
		else
			compare_integer(j, &c, i, got);
	}
	j->part[part] = c;
}

struct comparison
compare_output(const void *got, const struct ref_output *r, struct tolerance t)
{
	struct compare_job j = {.got = got, .r = r, .tol = t};
	struct comparison all = {0};
	parallel_for(r->count, GRAIN, compare_piece, &j);
	for (unsigned i = 0; i < PARALLEL_MAX; i++) {
		struct comparison *p = &j.part[i];
		if (p->n_wrong && !all.n_wrong) {
			all.first = p->first;
			all.got_bits = p->got_bits;
			all.want_wide = p->want_wide;
		}
		all.n += p->n;
		all.n_wrong += p->n_wrong;
		all.max_abs = fmax(all.max_abs, p->max_abs);
		all.max_rel = fmax(all.max_rel, p->max_rel);
	}
	return all;
}

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

struct str
comparison_text(struct arena *a, const struct comparison *c, const struct ref_output *r)
{
	struct buf b = {.a = a};
	uint64_t got;
	ref_widen(r->type, &c->got_bits, 1, &got);
	buf_addf(&b, "'%.*s': %llu of %llu elements differ; first is [%llu] = ",
		STR_ARG(r->name), (unsigned long long)c->n_wrong,
		(unsigned long long)c->n, (unsigned long long)c->first);
	put_wide(&b, r->type, got);
	buf_adds(&b, ", expected ");
	put_wide(&b, r->type, c->want_wide);
	return buf_str(&b);
}

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
