#include "model/dtype.h"

#include <math.h>

static const struct {
	const char *name;
	size_t bytes;
	bool is_float, is_signed;
} dtypes[N_DTYPES] = {
#define X(id, name, bytes, fp, sgn) {name, bytes, fp, sgn},
	DTYPES(X)
#undef X
};

/*
 * Sign, exponent field, fraction: the code of a magnitude is field << fraction | rest, so
 * that codes are in the order of magnitudes.  `most` is the code of the largest number.
 */
struct format {
	int fraction, bias, shift;    /* shift: unused low bits of the storage */
	uint64_t most, infinity, nan; /* infinity 0: there is none */
};

static const struct format formats[] = {
	[DTYPE_F64] = {52, 1023, 0, UINT64_C(0x7fefffffffffffff),
		UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000)},
	[DTYPE_F32] = {23, 127, 0, 0x7f7fffff, 0x7f800000, 0x7fc00000},
	[DTYPE_TF32] = {10, 127, 13, 0x3fbff, 0x3fc00, 0x3fe00},
	[DTYPE_F16] = {10, 15, 0, 0x7bff, 0x7c00, 0x7e00},
	[DTYPE_BF16] = {7, 127, 0, 0x7f7f, 0x7f80, 0x7fc0},
	[DTYPE_E4M3] = {3, 7, 0, 0x7e, 0, 0x7f},
	[DTYPE_E5M2] = {2, 15, 0, 0x7b, 0x7c, 0x7e},
};

const char *
dtype_name(enum dtype t)
{
	return dtypes[t].name;
}

size_t
dtype_bytes(enum dtype t)
{
	return dtypes[t].bytes;
}

bool
dtype_is_float(enum dtype t)
{
	return dtypes[t].is_float;
}

bool
dtype_is_signed(enum dtype t)
{
	return dtypes[t].is_signed;
}

bool
dtype_find(struct str name, enum dtype *out)
{
	for (unsigned i = 0; i < N_DTYPES; i++) {
		if (str_is(name, dtypes[i].name)) {
			*out = (enum dtype)i;
			return true;
		}
	}
	return false;
}

int
dtype_precision(enum dtype t)
{
	return formats[t].fraction + 1;
}

int
dtype_least_exponent(enum dtype t)
{
	return 1 - formats[t].bias;
}

int
dtype_most_exponent(enum dtype t)
{
	return (int)(formats[t].most >> formats[t].fraction) - formats[t].bias;
}

bool
dtype_has_infinity(enum dtype t)
{
	return formats[t].infinity != 0;
}

double
dtype_largest(enum dtype t)
{
	uint64_t bits = formats[t].most << formats[t].shift;
	return dtype_decode(t, &bits);
}

/* --- encoding ----------------------------------------------------------------------- */

static uint64_t
sign_bit(enum dtype t)
{
	return (uint64_t)1 << (8 * dtypes[t].bytes - 1);
}

static uint64_t
bits_of(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/*
 * The code of a finite double's magnitude, rounded, as if there were exponents without
 * end: one above f->most is out of range.  Only whole numbers: the same on every machine,
 * and one rounding (by way of a float there would be two).
 */
static uint64_t
magnitude_code(const struct format *f, double v)
{
	uint64_t bits = bits_of(v) & ~((uint64_t)1 << 63);
	int exponent = (int)(bits >> 52) - 1023;
	uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
	int below = 1 - f->bias - exponent; /* binades below the least normal number */
	int drop = 52 - f->fraction + (below > 0 ? below : 0);
	if (drop == 0)
		return bits; /* f64 itself */
	if (drop > 54)
		return 0; /* less than half of the least number; doubles that have no
			     hidden bit are, too */
	uint64_t even = significand >> drop & 1;
	uint64_t code = (significand + ((uint64_t)1 << (drop - 1)) - 1 + even) >> drop;
	/* The hidden bit counts as one in the exponent's field. */
	return below > 0 ? code : code + ((uint64_t)-below << f->fraction);
}

static bool
float_encode(enum dtype t, double v, uint64_t *bits)
{
	const struct format *f = &formats[t];
	if (!isfinite(v))
		return false;
	uint64_t code = t == DTYPE_F64 ? bits_of(fabs(v)) : magnitude_code(f, v);
	if (code > f->most)
		return false;
	*bits = code << f->shift | (signbit(v) ? sign_bit(t) : 0);
	return true;
}

uint64_t
dtype_convert(enum dtype t, double v, bool saturate)
{
	const struct format *f = &formats[t];
	uint64_t bits, sign = signbit(v) ? sign_bit(t) : 0;
	if (isnan(v))
		return f->nan << f->shift;
	if (float_encode(t, v, &bits))
		return bits;
	if (saturate)
		return sign | f->most << f->shift;
	return sign | (f->infinity ? f->infinity : f->nan) << f->shift;
}

static uint64_t
storage_mask(enum dtype t)
{
	return UINT64_MAX >> (64 - 8 * dtypes[t].bytes);
}

bool
dtype_encode_i64(enum dtype t, int64_t v, uint64_t *bits)
{
	if (dtypes[t].is_float)
		return float_encode(t, (double)v, bits);
	uint64_t mask = storage_mask(t);
	int64_t top = (int64_t)(mask >> 1);
	if (dtypes[t].is_signed ? v > top || v < -top - 1 : v < 0 || (uint64_t)v > mask)
		return false;
	*bits = (uint64_t)v & mask;
	return true;
}

bool
dtype_encode(enum dtype t, double v, uint64_t *bits)
{
	if (dtypes[t].is_float)
		return float_encode(t, v, bits);
	if (!isfinite(v) || v != floor(v) || v < (double)INT64_MIN)
		return false;
	if (v < -(double)INT64_MIN)
		return dtype_encode_i64(t, (int64_t)v, bits);
	if (t != DTYPE_U64 || v >= 0x1p64)
		return false;
	*bits = (uint64_t)v;
	return true;
}

/* --- decoding ----------------------------------------------------------------------- */

int64_t
dtype_decode_i64(enum dtype t, const void *p)
{
	uint64_t bits = 0;
	memcpy(&bits, p, dtypes[t].bytes);
	unsigned unused = 64 - 8 * (unsigned)dtypes[t].bytes;
	if (dtypes[t].is_signed)
		return (int64_t)(bits << unused) >> unused;
	return (int64_t)bits;
}

/* A code of at most 16 bits, as a double made of the same parts. */
static double
small_decode(const struct format *f, uint64_t code, bool negative)
{
	uint64_t bits;
	double v = (double)NAN;
	if (code >> f->fraction == 0) /* no hidden bit: a multiple of the least number */
		bits = (uint64_t)(1024 - f->bias - f->fraction) << 52;
	else
		bits = (code + ((uint64_t)(1023 - f->bias) << f->fraction))
		       << (52 - f->fraction);
	if (code <= f->most)
		memcpy(&v, &bits, sizeof v);
	else if (code == f->infinity)
		v = (double)INFINITY;
	if (code >> f->fraction == 0)
		v *= (double)code;
	return negative ? -v : v;
}

double
dtype_decode(enum dtype t, const void *p)
{
	uint64_t bits = 0;
	float f;
	double v;
	if (t == DTYPE_F64) {
		memcpy(&v, p, sizeof v);
		return v;
	}
	if (t == DTYPE_F32 || t == DTYPE_TF32) {
		memcpy(&f, p, sizeof f);
		return (double)f;
	}
	if (dtypes[t].is_float) {
		memcpy(&bits, p, dtypes[t].bytes);
		uint64_t sign = sign_bit(t);
		return small_decode(&formats[t], bits & (sign - 1), bits & sign);
	}
	int64_t i = dtype_decode_i64(t, p);
	return t == DTYPE_U64 ? (double)(uint64_t)i : (double)i;
}

static void
small_decode_all(enum dtype t, const unsigned char *from, uint64_t n, unsigned char *to)
{
	size_t bytes = dtype_bytes(t);
	uint64_t sign = sign_bit(t);
	for (uint64_t i = 0; i < n; i++) {
		uint16_t two = from[bytes * i];
		if (bytes == 2)
			memcpy(&two, from + 2 * i, 2);
		double v = small_decode(&formats[t], two & (sign - 1), two & sign);
		memcpy(to + sizeof v * i, &v, sizeof v);
	}
}

void
dtype_decode_all(enum dtype t, const void *from, uint64_t n, void *to)
{
	unsigned char *out = to;
	if (dtype_bytes(t) <= 2) {
		small_decode_all(t, from, n, out);
		return;
	}
	if (t == DTYPE_F64) {
		memcpy(to, from, sizeof(double) * n);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		float f;
		memcpy(&f, (const unsigned char *)from + sizeof f * i, sizeof f);
		double v = (double)f;
		memcpy(out + sizeof v * i, &v, sizeof v);
	}
}
