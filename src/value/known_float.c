/* Concrete floating point: IEEE 754, round to nearest even; the rest is not known. */
#include "value/eval.h"
#include "value/known.h"

#include <math.h>

static bool
is_tiny(double x)
{
	return x != 0 && fabs(x) < 1.17549435082228750797e-38; /* 2^-126 */
}

bool
known_read_float(enum ptx_type t, uint64_t bits, double *out)
{
	if (t == PTX_T_f32) {
		uint32_t b = (uint32_t)bits;
		float x;

		memcpy(&x, &b, sizeof x);
		*out = (double)x;
		return true;
	}
	if (t != PTX_T_f64)
		return false;
	memcpy(out, &bits, sizeof *out);
	return true;
}

/* A NaN's payload is not specified, so its bits are not known. */
static bool
write_f32(float x, bool ftz, uint64_t *out)
{
	uint32_t b;

	if (isnan(x) || (ftz && is_tiny((double)x)))
		return false;
	memcpy(&b, &x, sizeof b);
	*out = b;
	return true;
}

static bool
write_f64(double x, uint64_t *out)
{
	if (isnan(x))
		return false;
	memcpy(out, &x, sizeof x);
	return true;
}

static bool
float_op(enum ptx_op op, const double *x, double *out)
{
	switch ((int)op) {
	case PTX_ADD: *out = x[0] + x[1]; return true;
	case PTX_SUB: *out = x[0] - x[1]; return true;
	case PTX_MUL: *out = x[0] * x[1]; return true;
	case PTX_DIV: *out = x[0] / x[1]; return true;
	case PTX_RCP: *out = 1 / x[0]; return true;
	case PTX_SQRT: *out = sqrt(x[0]); return true;
	case PTX_FMA:
	case PTX_MAD: *out = fma(x[0], x[1], x[2]); return true;
	case PTX_NEG: *out = -x[0]; return true;
	case PTX_ABS: *out = fabs(x[0]); return true;
	default: return false;
	}
}

static bool
float_op32(enum ptx_op op, const double *x, float *out)
{
	float a = (float)x[0], b = (float)x[1], c = (float)x[2];

	switch ((int)op) {
	case PTX_ADD: *out = a + b; return true;
	case PTX_SUB: *out = a - b; return true;
	case PTX_MUL: *out = a * b; return true;
	case PTX_DIV: *out = a / b; return true;
	case PTX_RCP: *out = 1 / a; return true;
	case PTX_SQRT: *out = sqrtf(a); return true;
	case PTX_FMA:
	case PTX_MAD: *out = fmaf(a, b, c); return true;
	case PTX_NEG: *out = -a; return true;
	case PTX_ABS: *out = fabsf(a); return true;
	default: return false;
	}
}

/* min and max with one NaN give the other operand. */
static bool
float_minmax(const struct ptx_form *f, const double *x, double *out)
{
	if (PTX_HAS(f, NAN) || PTX_HAS(f, XORSIGN) || isnan(x[0]) || isnan(x[1]) ||
		(x[0] == 0 && x[1] == 0))
		return false;
	*out = (x[0] < x[1]) == (f->op == PTX_MIN) ? x[0] : x[1];
	return true;
}

static bool
float_rounds_to_even(const struct ptx_form *f)
{
	bool sign_only = f->op == PTX_NEG || f->op == PTX_ABS;

	if (PTX_HAS(f, SAT) || PTX_HAS(f, APPROX) || PTX_HAS(f, FULL))
		return false;
	if (f->round != PTX_ROUND_NONE && f->round != PTX_ROUND_RN)
		return false;
	bool must = f->op == PTX_DIV || f->op == PTX_RCP || f->op == PTX_SQRT;
	return sign_only || !must || f->round == PTX_ROUND_RN;
}

bool
known_float(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	enum ptx_type t = f->type[0];
	double x[3] = {0}, r;
	float r32;

	if (n > 3 || f->n_types != 1 || !float_rounds_to_even(f))
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!known_read_float(t, a[i], &x[i]))
			return false;
		if (PTX_HAS(f, FTZ) && is_tiny(x[i]))
			return false;
	}
	if (f->op == PTX_MIN || f->op == PTX_MAX) {
		if (!float_minmax(f, x, &r))
			return false;
		return t == PTX_T_f32 ? write_f32((float)r, PTX_HAS(f, FTZ), out)
				      : write_f64(r, out);
	}
	if (t == PTX_T_f32)
		return float_op32(f->op, x, &r32) && write_f32(r32, PTX_HAS(f, FTZ), out);
	return float_op(f->op, x, &r) && write_f64(r, out);
}

static bool
float_to_int(const struct ptx_form *f, double x, uint64_t *out)
{
	enum ptx_type to = f->type[0];
	unsigned bits = ptx_type_bits(to);
	bool is_signed = ptx_type_class(to) == 's';
	double lo = is_signed ? -ldexp(1, (int)bits - 1) : 0;
	double end = ldexp(1, is_signed ? (int)bits - 1 : (int)bits);

	switch ((int)f->round) {
	case PTX_ROUND_RZI: x = trunc(x); break;
	case PTX_ROUND_RMI: x = floor(x); break;
	case PTX_ROUND_RPI: x = ceil(x); break;
	case PTX_ROUND_RNI: x = nearbyint(x); break;
	default: return false;
	}
	if (isnan(x))
		return false;
	if (x < lo)
		*out = is_signed ? UINT64_C(1) << (bits - 1) : 0;
	else if (x >= end)
		*out = is_signed ? bits_mask(bits - 1) : bits_mask(bits);
	else
		*out = is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
	return true;
}

static bool
int_to_float(const struct ptx_form *f, uint64_t a, uint64_t *out)
{
	enum ptx_type from = f->type[1];
	uint64_t v = known_read_as(a, from);

	if (f->round != PTX_ROUND_RN)
		return false;
	if (f->type[0] == PTX_T_f32)
		return write_f32(
			ptx_type_class(from) == 's' ? (float)(int64_t)v : (float)v, false,
			out);
	return write_f64(
		ptx_type_class(from) == 's' ? (double)(int64_t)v : (double)v, out);
}

bool
known_cvt(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	enum ptx_type to, from;
	double x;

	if (f->n_types != 2 || PTX_HAS(f, SAT) || PTX_HAS(f, RELU) ||
		PTX_HAS(f, SATFINITE))
		return false;
	to = f->type[0];
	from = f->type[1];
	bool to_float = ptx_type_class(to) == 'f',
	     from_float = ptx_type_class(from) == 'f';
	if (!to_float && !from_float) {
		*out = known_read_as(a[0], from);
		/* the result is cut to its type, then extended into the register */
		*out = known_read_as(*out, to);
		return true;
	}
	if ((to_float && to != PTX_T_f32 && to != PTX_T_f64) ||
		(from_float && !known_read_float(from, a[0], &x)))
		return false;
	if (from_float && PTX_HAS(f, FTZ) && is_tiny(x))
		return false;
	if (!from_float)
		return int_to_float(f, a[0], out);
	if (!to_float)
		return float_to_int(f, x, out);
	if (f->round >= PTX_ROUND_RNI ||
		(f->round != PTX_ROUND_NONE && f->round != PTX_ROUND_RN))
		return false;
	return to == PTX_T_f32 ? write_f32((float)x, PTX_HAS(f, FTZ), out)
			       : write_f64(x, out);
}

bool
known_compare_floats(enum ptx_cmp cmp, double x, double y, bool *out)
{
	bool nan = isnan(x) || isnan(y);

	switch ((int)cmp) {
	case PTX_CMP_NUM: *out = !nan; return true;
	case PTX_CMP_NAN: *out = nan; return true;
	case PTX_CMP_EQ:
	case PTX_CMP_EQU: *out = nan ? cmp == PTX_CMP_EQU : x == y; return true;
	case PTX_CMP_NE:
	case PTX_CMP_NEU: *out = nan ? cmp == PTX_CMP_NEU : x != y; return true;
	case PTX_CMP_LT:
	case PTX_CMP_LTU: *out = nan ? cmp == PTX_CMP_LTU : x < y; return true;
	case PTX_CMP_LE:
	case PTX_CMP_LEU: *out = nan ? cmp == PTX_CMP_LEU : x <= y; return true;
	case PTX_CMP_GT:
	case PTX_CMP_GTU: *out = nan ? cmp == PTX_CMP_GTU : x > y; return true;
	case PTX_CMP_GE:
	case PTX_CMP_GEU: *out = nan ? cmp == PTX_CMP_GEU : x >= y; return true;
	default: return false;
	}
}
