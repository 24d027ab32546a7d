#include "backend/fill.h"

#include "backend/parallel.h"
#include "base/rng.h"

#include <math.h>

enum { BLOCK = 256, GRAIN = 1 << 17 };

uint64_t
fill_stream(uint64_t seed, size_t position)
{
	return rng_at(seed, position);
}

/* Significant bits of a float type, the hidden one counted. */
static unsigned
significant_bits(enum dtype t)
{
	switch ((int)t) {
	case DTYPE_F64: return 53;
	case DTYPE_F32: return 24;
	case DTYPE_F16: return 11;
	default: return 8;
	}
}

/* [0, n) from a random word; the bias of 2^-32 * n is of no matter here. */
static int64_t
scaled(uint64_t word, uint64_t n)
{
	return (int64_t)((word >> 32) * n >> 32);
}

static void
draw_exact(enum dtype t, uint64_t stream, uint64_t first, size_t n, int64_t *k)
{
	bool symmetric = dtype_is_float(t) || dtype_is_signed(t);
	for (size_t i = 0; i < n; i++) {
		uint64_t word = rng_at(stream, first + i);
		k[i] = symmetric ? scaled(word, 129) - 64 : scaled(word, 128);
	}
}

static void
draw_uniform(enum dtype t, uint64_t stream, uint64_t first, size_t n, int64_t *k)
{
	unsigned drop = dtype_is_float(t) ? 64 - significant_bits(t) : 0;
	for (size_t i = 0; i < n; i++)
		k[i] = (int64_t)(rng_at(stream, first + i) >> drop);
}

static void
draw_iota(enum dtype t, uint64_t first, size_t n, int64_t *k)
{
	uint64_t mask = UINT64_MAX;
	if (dtype_is_float(t))
		mask = ((uint64_t)1 << significant_bits(t)) - 1;
	for (size_t i = 0; i < n; i++)
		k[i] = (int64_t)((first + i) & mask);
}

/* Small integers k; the value is k * 2^-exponent. */
static int
draw(enum dtype t, enum fill f, uint64_t stream, uint64_t first, size_t n, int64_t *k)
{
	switch (f) {
	case FILL_EXACT:
		draw_exact(t, stream, first, n, k);
		return dtype_is_float(t) ? 6 : 0;
	case FILL_UNIFORM:
		draw_uniform(t, stream, first, n, k);
		return dtype_is_float(t) ? (int)significant_bits(t) : 0;
	case FILL_IOTA: draw_iota(t, first, n, k); return 0;
	case FILL_ONES:
	case FILL_ZEROS:
	case FILL_NORMAL:
	case N_FILLS: break;
	}
	for (size_t i = 0; i < n; i++)
		k[i] = f == FILL_ONES;
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
store_doubles(enum dtype t, const double *v, size_t n, unsigned char *to)
{
	for (size_t i = 0; i < n; i++) {
		float f = (float)v[i];
		uint64_t bits = 0;
		if (t == DTYPE_F64) {
			memcpy(to + 8 * i, &v[i], 8);
		} else if (t == DTYPE_F32) {
			memcpy(to + 4 * i, &f, 4);
		} else {
			dtype_encode(t, v[i], &bits);
			memcpy(to + 2 * i, &bits, 2);
		}
	}
}

/* Halves hold few distinct values, and encoding one is slow: remember them. */
struct halves {
	uint16_t of[2048 + 128]; /* by k + 64 */
	bool known[2048 + 128];
};

static void
store_halves(enum dtype t, struct halves *h, const int64_t *k, size_t n, double unit,
	unsigned char *to)
{
	for (size_t i = 0; i < n; i++) {
		size_t slot = (size_t)(k[i] + 64);
		if (!h->known[slot]) {
			uint64_t bits = 0;
			dtype_encode(t, (double)k[i] * unit, &bits);
			h->of[slot] = (uint16_t)bits;
			h->known[slot] = true;
		}
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

static void
fill_block(enum dtype t, enum fill f, uint64_t stream, uint64_t first, size_t n,
	struct halves *h, unsigned char *to)
{
	int64_t k[BLOCK];
	double v[BLOCK];
	if (f == FILL_NORMAL) {
		fill_normal(t, stream, first, n, to);
		return;
	}
	double unit = ldexp(1, -draw(t, f, stream, first, n, k));
	if (!dtype_is_float(t)) {
		store_integers(t, k, n, to);
	} else if (dtype_bytes(t) == 2) {
		store_halves(t, h, k, n, unit, to);
	} else {
		for (size_t i = 0; i < n; i++)
			v[i] = (double)k[i] * unit;
		store_doubles(t, v, n, to);
	}
}

void
fill_range(
	enum dtype t, enum fill f, uint64_t stream, uint64_t first, uint64_t n, void *to)
{
	struct halves h = {{0}, {0}};
	unsigned char *p = to;
	for (uint64_t i = 0; i < n; i += BLOCK) {
		size_t m = n - i < BLOCK ? (size_t)(n - i) : BLOCK;
		fill_block(t, f, stream, first + i, m, &h, p + i * dtype_bytes(t));
	}
}

struct fill_job {
	enum dtype t;
	enum fill f;
	uint64_t stream, first;
	unsigned char *to;
};

static void
fill_piece(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	const struct fill_job *j = ctx;
	(void)part;
	fill_range(j->t, j->f, j->stream, j->first + from, to - from,
		j->to + from * dtype_bytes(j->t));
}

void
fill_all(enum dtype t, enum fill f, uint64_t stream, uint64_t first, uint64_t n, void *to)
{
	struct fill_job j = {t, f, stream, first, to};
	parallel_for(n, GRAIN, fill_piece, &j);
}
