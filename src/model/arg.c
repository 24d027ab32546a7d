#include "model/arg.h"

#include "base/arena.h"
#include "base/buf.h"

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

static const char *const fills[N_FILLS] = {
#define X(id, name) name,
	FILLS(X)
#undef X
};

/* More than any machine has; keeps count * bytes far from overflow. */
static const uint64_t COUNT_MAX = (uint64_t)1 << 48;

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

const char *
fill_name(enum fill f)
{
	return fills[f];
}

bool
fill_find(struct str name, enum fill *out)
{
	for (unsigned i = 0; i < N_FILLS; i++) {
		if (str_is(name, fills[i])) {
			*out = (enum fill)i;
			return true;
		}
	}
	return false;
}

/* --- numbers in storage ------------------------------------------------------------- */

/* An IEEE-like 16-bit format: sign, exponent bits, fraction bits. */
struct half {
	int fraction, bias;
};

static const struct half F16 = {10, 15}, BF16 = {7, 127};

/* One rounding, straight from the double: via float it would be two. */
static bool
half_encode(struct half h, double v, uint64_t *bits)
{
	int exponent, least = 1 - h.bias;
	uint64_t sign = signbit(v) ? 0x8000u : 0;
	double magnitude = fabs(v);
	frexp(magnitude, &exponent);
	exponent = exponent - 1 < least ? least : exponent - 1;
	/* In units of the last place; rint() is to nearest even in the default mode. */
	double units = rint(ldexp(magnitude, h.fraction - exponent));
	double whole = ldexp(1, h.fraction);
	if (units == 2 * whole)
		units = whole, exponent++;
	if (exponent > h.bias)
		return false;
	uint64_t field = units < whole ? 0 : (uint64_t)(exponent + h.bias);
	uint64_t fraction = (uint64_t)(units < whole ? units : units - whole);
	*bits = sign | field << h.fraction | fraction;
	return true;
}

static double
half_decode(struct half h, uint16_t bits)
{
	int fraction = bits & ((1 << h.fraction) - 1);
	int field = (bits & 0x7fff) >> h.fraction;
	double sign = bits & 0x8000 ? -1 : 1;
	if (field == 2 * h.bias + 1)
		return fraction ? (double)NAN : sign * (double)INFINITY;
	if (field == 0)
		return sign * ldexp(fraction, 1 - h.bias - h.fraction);
	return sign * ldexp(fraction + (1 << h.fraction), field - h.bias - h.fraction);
}

static bool
float_encode(enum dtype t, double v, uint64_t *bits)
{
	float f = 0;
	uint32_t word;
	if (!isfinite(v))
		return false;
	if (t == DTYPE_F16 || t == DTYPE_BF16)
		return half_encode(t == DTYPE_F16 ? F16 : BF16, v, bits);
	if (t == DTYPE_F64) {
		memcpy(bits, &v, sizeof v);
		return true;
	}
	/* The conversion of a value beyond the range is undefined in C. */
	if (fabs(v) >= 0x1.ffffffp127)
		return false;
	f = (float)v;
	memcpy(&word, &f, sizeof word);
	*bits = word;
	return true;
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

static int64_t
decode_i64(enum dtype t, const void *p)
{
	uint64_t bits = 0;
	memcpy(&bits, p, dtypes[t].bytes);
	unsigned unused = 64 - 8 * (unsigned)dtypes[t].bytes;
	if (dtypes[t].is_signed)
		return (int64_t)(bits << unused) >> unused;
	return (int64_t)bits;
}

double
dtype_decode(enum dtype t, const void *p)
{
	uint16_t half;
	float f;
	double v;
	if (t == DTYPE_F64) {
		memcpy(&v, p, sizeof v);
		return v;
	}
	if (t == DTYPE_F32) {
		memcpy(&f, p, sizeof f);
		return (double)f;
	}
	if (t == DTYPE_F16 || t == DTYPE_BF16) {
		memcpy(&half, p, sizeof half);
		return half_decode(t == DTYPE_F16 ? F16 : BF16, half);
	}
	int64_t i = decode_i64(t, p);
	return t == DTYPE_U64 ? (double)(uint64_t)i : (double)i;
}

/* --- text --------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same bits. */
static void
float_text(struct buf *b, enum dtype t, uint64_t bits)
{
	char text[40];
	double v = dtype_decode(t, &bits);
	for (int digits = 1; digits <= 17; digits++) {
		uint64_t back;
		double again;
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (str_to_f64(str_of(text), &again) && float_encode(t, again, &back) &&
			back == bits)
			break;
	}
	buf_adds(b, text);
}

static void
scalar_text(struct buf *b, const struct arg *v)
{
	buf_addf(b, "%s:", dtype_name(v->type));
	if (!v->known)
		buf_adds(b, "unknown");
	else if (dtypes[v->type].is_float)
		float_text(b, v->type, v->bits);
	else if (dtypes[v->type].is_signed)
		buf_addf(b, "%lld", (long long)decode_i64(v->type, &v->bits));
	else
		buf_addf(b, "%llu", (unsigned long long)v->bits);
}

static void
pointer_text(struct buf *b, const struct arg *v)
{
	buf_addf(b, "%s*[%llu]:", dtype_name(v->type), (unsigned long long)v->count);
	if (v->output)
		buf_adds(b, v->input ? "inout/" : "out");
	if (v->input)
		buf_adds(b, fill_name(v->fill));
}

struct str
args_text(struct arena *a, const struct arg *v, size_t n)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++) {
		buf_addf(&b, "%s%.*s=", i ? "," : "", STR_ARG(v[i].name));
		if (v[i].pointer)
			pointer_text(&b, &v[i]);
		else
			scalar_text(&b, &v[i]);
	}
	return (struct str){buf_c(&b), b.n};
}

static bool
wrong(struct arena *a, struct str *why, struct str where, const char *what)
{
	*why = str_fmt(a, "argument '%.*s': %s", STR_ARG(where), what);
	return false;
}

static bool
fill_parse(struct str s, struct arg *out)
{
	out->input = !str_is(s, "out");
	out->output = !out->input || str_starts(s, "inout/");
	if (!out->input)
		return true;
	return fill_find(out->output ? str_sub(s, strlen("inout/"), s.n) : s, &out->fill);
}

static bool
scalar_parse(struct str s, struct arg *out)
{
	int64_t i;
	double f;
	out->known = !str_is(s, "unknown");
	if (!out->known)
		return true;
	if (out->type == DTYPE_U64)
		return str_to_u64(s, &out->bits);
	if (dtypes[out->type].is_float)
		return str_to_f64(s, &f) && float_encode(out->type, f, &out->bits);
	return str_to_i64(s, &i) && dtype_encode_i64(out->type, i, &out->bits);
}

static bool
name_is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.s[i] <= ' ' || strchr("=,:|/*[]\x7f", s.s[i]))
			return false;
	}
	return s.n > 0;
}

/* TYPE*[COUNT]:FILL or TYPE:VALUE */
static bool
arg_parse(struct arena *a, struct str s, struct arg *out, struct str *why)
{
	size_t equals = str_find(s, '='), colon = str_find(s, ':');
	if (equals == s.n || colon == s.n || colon < equals)
		return wrong(
			a, why, s, "expected NAME=TYPE:VALUE or NAME=TYPE*[COUNT]:FILL");
	struct str type = str_sub(s, equals + 1, colon),
		   value = str_sub(s, colon + 1, s.n);
	size_t star = str_find(type, '*');
	out->name = str_sub(s, 0, equals);
	out->pointer = star < type.n;
	if (!name_is_plain(out->name))
		return wrong(a, why, s, "the name is not plain");
	if (!dtype_find(str_sub(type, 0, star), &out->type))
		return wrong(a, why, s, "unknown type");
	if (!out->pointer)
		return scalar_parse(value, out) ||
		       wrong(a, why, s, "the value does not fit");
	struct str count = str_sub(type, star + 1, type.n);
	if (count.n < 3 || count.s[0] != '[' || count.s[count.n - 1] != ']' ||
		!str_to_u64(str_sub(count, 1, count.n - 1), &out->count) ||
		out->count > COUNT_MAX)
		return wrong(a, why, s, "expected a count between '[' and ']'");
	return fill_parse(value, out) || wrong(a, why, s, "unknown fill");
}

bool
args_parse(struct arena *a, struct str s, struct arg **v, size_t *n, struct str *why)
{
	size_t cap = 0;
	struct str rest = s, piece;
	*v = NULL;
	*n = 0;
	if (s.n && s.s[s.n - 1] == ',')
		return wrong(a, why, s, "ends in a comma");
	while (str_split(&rest, ',', &piece)) {
		arena_grow(a, *v, *n, cap);
		(*v)[*n] = (struct arg){0};
		if (!arg_parse(a, piece, &(*v)[*n], why))
			return false;
		for (size_t i = 0; i < *n; i++) {
			if (str_eq((*v)[i].name, (*v)[*n].name))
				return wrong(a, why, piece, "the name is used twice");
		}
		(*n)++;
	}
	return true;
}
