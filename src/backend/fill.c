#include "backend/fill.h"

#include "backend/datafile.h"
#include "backend/parallel.h"
#include "backend/shuffle.h"
#include "base/rng.h"
#include "model/exact.h"

#include <math.h>

enum { BLOCK = 256, GRAIN = 1 << 17 };

/* What one call of fill_range() goes by. */
struct filling {
	const struct arg *v;
	uint64_t stream;
	struct shuffle shuffle; /* cancelling */
};

uint64_t
fill_stream(uint64_t seed, size_t position)
{
	return rng_at(seed, position);
}

/* [0, n) from a random word; the bias of 2^-32 * n is of no matter here. */
static int64_t
scaled(uint64_t word, uint64_t n)
{
	return (int64_t)((word >> 32) * n >> 32);
}

static void
draw_exact(const struct arg *v, uint64_t stream, uint64_t first, size_t n, int64_t *k)
{
	int64_t most = v->most ? v->most : exact_most(v->type);
	int64_t least = dtype_is_signed(v->type) ? -most : 0;
	for (size_t i = 0; i < n; i++)
		k[i] = scaled(rng_at(stream, first + i), (uint64_t)(most - least + 1)) +
		       least;
}

static void
draw_uniform(enum dtype t, uint64_t stream, uint64_t first, size_t n, int64_t *k)
{
	int drop = dtype_is_float(t) ? 64 - dtype_precision(t) : 0;
	for (size_t i = 0; i < n; i++)
		k[i] = (int64_t)(rng_at(stream, first + i) >> drop);
}

static void
draw_iota(enum dtype t, uint64_t first, size_t n, int64_t *k)
{
	uint64_t mask = UINT64_MAX;
	if (dtype_is_float(t))
		mask = ((uint64_t)1 << dtype_precision(t)) - 1;
	for (size_t i = 0; i < n; i++)
		k[i] = (int64_t)((first + i) & mask);
}

/* Small integers k; the value is k * 2^-exponent. */
static int
draw(const struct filling *f, uint64_t first, size_t n, int64_t *k)
{
	enum dtype t = f->v->type;
	switch (f->v->fill) {
	case FILL_EXACT: draw_exact(f->v, f->stream, first, n, k); return exact_shift(t);
	case FILL_UNIFORM:
		draw_uniform(t, f->stream, first, n, k);
		return dtype_is_float(t) ? dtype_precision(t) : 0;
	case FILL_IOTA: draw_iota(t, first, n, k); return 0;
	case FILL_ONES:
	case FILL_ZEROS:
	case FILL_NORMAL:
	case FILL_CANCELLING:
	case FILL_SPECIAL:
	case FILL_FULL:
	case FILL_FILE:
	case N_FILLS: break;
	}
	for (size_t i = 0; i < n; i++)
		k[i] = f->v->fill == FILL_ONES;
	return 0;
}

/* Irwin-Hall: 12 uniform words have variance 12/12; a 13th makes the low bits. */
static double
normal_at(uint64_t stream, uint64_t i)
{
	uint64_t sum = 0;
	for (unsigned w = 0; w < 3; w++) {
		uint64_t word = rng_at(stream, 4 * i + w);
		sum += (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) +
		       (word >> 48);
	}
	double low = (double)(rng_at(stream, 4 * i + 3) >> 11) * 0x1p-53;
	return ((double)sum + 12 * low) * 0x1p-16 - 6;
}

static void
store_integers(enum dtype t, const int64_t *k, size_t n, unsigned char *to)
{
	size_t bytes = dtype_bytes(t);
	if (bytes == 4) {
		for (size_t i = 0; i < n; i++) {
			uint32_t word = (uint32_t)k[i];
			memcpy(to + 4 * i, &word, 4);
		}
		return;
	}
	/* Little-endian: the low bytes come first. */
	for (size_t i = 0; i < n; i++)
		memcpy(to + bytes * i, &k[i], bytes);
}

static void
store_f32(const double *v, size_t n, unsigned char *to)
{
	for (size_t i = 0; i < n; i++) {
		float f = (float)v[i]; /* in range, as all fills are */
		memcpy(to + 4 * i, &f, 4);
	}
}

/* The value in place of one that the type rounds to infinity is its largest. */
static void
store_doubles(enum dtype t, const double *v, size_t n, unsigned char *to)
{
	size_t bytes = dtype_bytes(t);
	bool saturate = !dtype_has_infinity(t);
	if (t == DTYPE_F64) {
		memcpy(to, v, 8 * n);
		return;
	}
	if (t == DTYPE_F32) {
		store_f32(v, n, to);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = dtype_convert(t, v[i], saturate);
		memcpy(to + bytes * i, &bits, bytes);
	}
}

/* Narrow floats hold few distinct values, and encoding one is slow: remember them. */
struct narrow {
	uint16_t of[2048 + 128]; /* by k + 64 */
	bool known[2048 + 128];
};

static void
remember(enum dtype t, struct narrow *h, size_t slot, double v)
{
	uint64_t bits = 0;
	dtype_encode(t, v, &bits);
	h->of[slot] = (uint16_t)bits;
	h->known[slot] = true;
}

static void
store_narrow(enum dtype t, struct narrow *h, const int64_t *k, size_t n, double unit,
	unsigned char *to)
{
	size_t bytes = dtype_bytes(t);
	for (size_t i = 0; i < n; i++) {
		size_t slot = (size_t)(k[i] + 64);
		if (!h->known[slot])
			remember(t, h, slot, (double)k[i] * unit);
		if (bytes == 1)
			to[i] = (unsigned char)h->of[slot];
		else
			memcpy(to + 2 * i, &h->of[slot], 2);
	}
}

static void
fill_normal(enum dtype t, uint64_t stream, uint64_t first, size_t n, unsigned char *to)
{
	double v[BLOCK];
	int64_t k[BLOCK];
	for (size_t i = 0; i < n; i++)
		v[i] = normal_at(stream, first + i);
	if (dtype_is_float(t)) {
		store_doubles(t, v, n, to);
		return;
	}
	for (size_t i = 0; i < n; i++)
		k[i] = (int64_t)rint(dtype_is_signed(t) ? 16 * v[i] : fabs(16 * v[i]));
	store_integers(t, k, n, to);
}

/* --- floats made of their parts ------------------------------------------------------
 */

/* Not the numbers of normal_at(): up to three words an element. */
static uint64_t
word_at(uint64_t stream, uint64_t i, unsigned which)
{
	return rng_at(stream, 4 * i + which);
}

static double
from_parts(bool negative, int exponent, uint64_t fraction52)
{
	double v;
	uint64_t bits =
		(uint64_t)negative << 63 | (uint64_t)(exponent + 1023) << 52 | fraction52;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static double
full_at(enum dtype t, int from, int to, uint64_t stream, uint64_t i)
{
	uint64_t word = word_at(stream, i, 0);
	int unused = 53 - dtype_precision(t);
	int exponent = from + (int)scaled(word_at(stream, i, 1),
				      (uint64_t)to - (uint64_t)from + 1);
	return from_parts(
		word >> 63, exponent, (word & UINT64_MAX >> 12) >> unused << unused);
}

static double
denormal_at(enum dtype t, uint64_t stream, uint64_t i)
{
	int fraction = dtype_precision(t) - 1;
	uint64_t k = word_at(stream, i, 1) % (((uint64_t)1 << fraction) - 1) + 1;
	return ldexp((double)k, dtype_least_exponent(t) - fraction);
}

static double
special_at(enum dtype t, uint64_t stream, uint64_t i)
{
	uint64_t word = word_at(stream, i, 2);
	double sign = word >> 60 & 1 ? -1 : 1;
	switch (word >> 61) {
	case 0: return sign * 0.0;
	case 1: return sign * denormal_at(t, stream, i);
	case 2: return sign * dtype_largest(t);
	case 3: return sign * (double)INFINITY;
	case 4: return (double)NAN;
	case 5: return sign * ldexp(1, dtype_least_exponent(t));
	default: return full_at(t, -4, 4, stream, i);
	}
}

/* x has p - k bits and 1 + 2^-k has k + 1: the product fits p, since p - k <= k. */
static double
cancelling_at(const struct filling *f, uint64_t i)
{
	int p = dtype_precision(f->v->type), k = (p + 1) / 2;
	uint64_t at = shuffle_at(&f->shuffle, i);
	if (at == f->v->count - 1 && at % 2 == 0)
		return 0;
	uint64_t word = word_at(f->stream, at / 2, 0);
	int unused = 53 - (p - k);
	double x = from_parts(word >> 63, (int)(word >> 60 & 3) - 2,
		(word & UINT64_MAX >> 12) >> unused << unused);
	return at % 2 ? -x * (1 + ldexp(1, -k)) : x;
}

static bool
is_of_parts(enum fill f)
{
	return f == FILL_CANCELLING || f == FILL_SPECIAL || f == FILL_FULL;
}

static void
fill_of_parts(const struct filling *f, uint64_t first, size_t n, unsigned char *to)
{
	double v[BLOCK];
	enum dtype t = f->v->type;
	for (size_t i = 0; i < n; i++) {
		if (f->v->fill == FILL_CANCELLING)
			v[i] = cancelling_at(f, first + i);
		else if (f->v->fill == FILL_SPECIAL)
			v[i] = special_at(t, f->stream, first + i);
		else
			v[i] = full_at(t, f->v->from, f->v->to, f->stream, first + i);
	}
	store_doubles(t, v, n, to);
}

/* --- ranges --------------------------------------------------------------------------
 */

static void
fill_block(const struct filling *f, uint64_t first, size_t n, struct narrow *h,
	unsigned char *to)
{
	int64_t k[BLOCK];
	double v[BLOCK];
	enum dtype t = f->v->type;
	if (f->v->fill == FILL_NORMAL) {
		fill_normal(t, f->stream, first, n, to);
		return;
	}
	if (is_of_parts(f->v->fill)) {
		fill_of_parts(f, first, n, to);
		return;
	}
	double unit = ldexp(1, -draw(f, first, n, k));
	if (!dtype_is_float(t)) {
		store_integers(t, k, n, to);
	} else if (dtype_bytes(t) <= 2) {
		store_narrow(t, h, k, n, unit, to);
	} else {
		for (size_t i = 0; i < n; i++)
			v[i] = (double)k[i] * unit;
		/* No more bits than the type's: nothing to round in tf32. */
		store_doubles(t == DTYPE_TF32 ? DTYPE_F32 : t, v, n, to);
	}
}

void
fill_range(const struct arg *v, uint64_t stream, uint64_t first, uint64_t n, void *to)
{
	struct filling f = {.v = v, .stream = stream};
	struct narrow h = {{0}, {0}};
	unsigned char *p = to;
	if (v->fill == FILL_FILE) {
		datafile_fill(v, first, n, to);
		return;
	}
	if (v->fill == FILL_CANCELLING && v->count)
		f.shuffle = shuffle_make(rng_at(stream, UINT64_MAX), v->count);
	for (uint64_t i = 0; i < n; i += BLOCK) {
		size_t m = n - i < BLOCK ? (size_t)(n - i) : BLOCK;
		fill_block(&f, first + i, m, &h, p + i * dtype_bytes(v->type));
	}
}

struct fill_job {
	const struct arg *v;
	uint64_t stream, first;
	unsigned char *to;
};

static void
fill_piece(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	const struct fill_job *j = ctx;
	(void)part;
	fill_range(j->v, j->stream, j->first + from, to - from,
		j->to + from * dtype_bytes(j->v->type));
}

void
fill_all(const struct arg *v, uint64_t stream, uint64_t first, uint64_t n, void *to)
{
	struct fill_job j = {v, stream, first, to};
	if (v->fill == FILL_FILE && first == 0)
		datafile_check(v);
	parallel_for(n, GRAIN, fill_piece, &j);
}
