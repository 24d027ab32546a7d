/* Concrete results: one lane, numbers in, number out. */
#include "value/known.h"
#include "value/eval.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static i128
exact(uint64_t v, enum ptx_type t)
{
	return ptx_type_class(t) == 's' ? (i128)known_sext(v, ptx_type_bits(t))
					: (i128)(v & bits_mask(ptx_type_bits(t)));
}

static bool
known_mul(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	enum ptx_type t = f->type[0];
	unsigned bits = ptx_type_bits(t);
	u128 p = (u128)exact(a[0], t) * (u128)exact(a[1], t);
	uint64_t add = n > 2 ? a[2] : 0;

	if (PTX_HAS(f, SAT) || PTX_HAS(f, CC) || bits > 64 || bits < 8)
		return false;
	if (PTX_HAS(f, HI))
		*out = (uint64_t)((i128)p >> bits) + add;
	else
		*out = (uint64_t)p + add;
	/* the high half of an unsigned 64-bit product has its top bit in the sign */
	if (PTX_HAS(f, HI) && ptx_type_class(t) != 's')
		*out = (uint64_t)(p >> bits) + add;
	return true;
}

static bool
known_mul24(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	bool is_signed = ptx_type_class(f->type[0]) == 's';
	int64_t x = is_signed ? known_sext(a[0], 24) : (int64_t)(a[0] & bits_mask(24));
	int64_t y = is_signed ? known_sext(a[1], 24) : (int64_t)(a[1] & bits_mask(24));

	if (PTX_HAS(f, SAT))
		return false;
	*out = (uint64_t)((x * y) >> (PTX_HAS(f, HI) ? 16 : 0)) + (n > 2 ? a[2] : 0);
	return true;
}

static bool
known_divide(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	enum ptx_type t = f->type[0];
	i128 x = exact(a[0], t), y = exact(a[1], t);

	/* division by zero gives an unspecified value */
	if (y == 0)
		return false;
	*out = (uint64_t)(f->op == PTX_DIV ? x / y : x % y);
	return true;
}

static uint64_t
known_bfe(const struct ptx_form *f, const uint64_t *a)
{
	unsigned bits = ptx_type_bits(f->type[0]);
	bool is_signed = ptx_type_class(f->type[0]) == 's';
	unsigned pos = a[1] & 255, len = a[2] & 255, msb = bits - 1;
	uint64_t v = a[0] & bits_mask(bits), r = 0;
	uint64_t fill = 0;

	if (is_signed && len) {
		unsigned at = pos + len - 1;

		fill = v >> (at < msb ? at : msb) & 1;
	}
	for (unsigned i = 0; i <= msb; i++) {
		uint64_t bit = i < len && pos + i <= msb ? v >> (pos + i) & 1 : fill;

		r |= bit << i;
	}
	return r;
}

static uint64_t
known_bfi(const struct ptx_form *f, const uint64_t *a)
{
	unsigned bits = ptx_type_bits(f->type[0]);
	unsigned pos = a[2] & 255, len = a[3] & 255;
	uint64_t r = a[1];

	for (unsigned i = 0; i < len && pos + i < bits; i++) {
		r &= ~(UINT64_C(1) << (pos + i));
		r |= (a[0] >> i & 1) << (pos + i);
	}
	return r;
}

static bool
known_bfind(const struct ptx_form *f, uint64_t v, uint64_t *out)
{
	enum ptx_type t = f->type[0];
	unsigned bits = ptx_type_bits(t);

	if (ptx_type_class(t) == 's' && known_sext(v, bits) < 0)
		v = ~v;
	v &= bits_mask(bits);
	if (!v) {
		*out = UINT32_MAX;
		return true;
	}
	unsigned top = 63 - (unsigned)__builtin_clzll(v);
	*out = PTX_HAS(f, SHIFTAMT) ? bits - 1 - top : top;
	return true;
}

static uint64_t
reversed(uint64_t v, unsigned bits)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < bits; i++)
		r |= (v >> i & 1) << (bits - 1 - i);
	return r;
}

/* The n-th set bit (PTX ISA "fns"). */
static uint64_t
known_fns(uint64_t mask, uint64_t base, uint64_t offset)
{
	int64_t off = known_sext(offset, 32), p = (int64_t)(base & UINT32_MAX);

	if (p > 31)
		return UINT32_MAX;
	if (off == 0)
		return mask >> p & 1 ? (uint64_t)p : UINT32_MAX;
	int64_t left = off < 0 ? -off : off;
	for (; p >= 0 && p < 32; p += off < 0 ? -1 : 1)
		if (mask >> p & 1 && --left == 0)
			return (uint64_t)p;
	return UINT32_MAX;
}

static uint64_t
known_lop3(const uint64_t *a)
{
	uint64_t r = 0;

	for (unsigned k = 0; k < 8; k++)
		if (a[3] >> k & 1)
			r |= (k & 4 ? a[0] : ~a[0]) & (k & 2 ? a[1] : ~a[1]) &
			     (k & 1 ? a[2] : ~a[2]);
	return r;
}

static uint64_t
known_shf(const struct ptx_form *f, const uint64_t *a)
{
	uint64_t v = (a[1] & UINT32_MAX) << 32 | (a[0] & UINT32_MAX);
	uint64_t n = a[2] & UINT32_MAX;

	n = PTX_HAS(f, WRAP) ? n & 31 : n < 32 ? n : 32;
	return f->sub == PTX_SUB_LEFT ? (v << n) >> 32 : v >> n;
}

static bool
known_prmt(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	uint64_t v = (a[1] & UINT32_MAX) << 32 | (a[0] & UINT32_MAX), r = 0;

	if (f->sub != PTX_SUB_NONE)
		return false;
	for (unsigned k = 0; k < 4; k++) {
		unsigned sel = (unsigned)(a[2] >> (4 * k)) & 15;
		uint64_t byte = v >> (8 * (sel & 7)) & 255;

		if (sel & 8)
			byte = byte & 128 ? 255 : 0;
		r |= byte << (8 * k);
	}
	*out = r;
	return true;
}

static bool
known_shift(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	unsigned bits = ptx_type_bits(f->type[0]);
	uint64_t n = a[1] & UINT32_MAX;

	if (f->op == PTX_SHL)
		*out = n < bits ? a[0] << n : 0;
	else if (ptx_type_class(f->type[0]) == 's')
		*out = (uint64_t)(known_sext(a[0], bits) >> (n < bits ? n : bits - 1));
	else
		*out = n < bits ? (a[0] & bits_mask(bits)) >> n : 0;
	return true;
}

static bool
known_bmsk(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	uint64_t pos = a[0] & UINT32_MAX, len = a[1] & UINT32_MAX;

	if (PTX_HAS(f, CLAMP)) {
		pos = pos < 32 ? pos : 32;
		len = len < 32 ? len : 32;
	} else {
		pos &= 31;
		len &= 31;
	}
	*out = ((UINT64_C(1) << len) - 1) << pos & UINT32_MAX;
	return true;
}

bool
eval_compare(enum ptx_cmp cmp, enum ptx_type type, uint64_t a, uint64_t b, bool *out)
{
	char class = ptx_type_class(type);
	unsigned bits = ptx_type_bits(type);
	double x, y;

	if (class == 'f')
		return known_read_float(type, a, &x) && known_read_float(type, b, &y) &&
		       known_compare_floats(cmp, x, y, out);
	if (bits > 64 || !known_is_integer(type))
		return false;
	/* in signed order, or with the sign bit turned over */
	bool is_signed = class == 's' && (cmp < PTX_CMP_LO || cmp > PTX_CMP_HS);
	uint64_t turn = is_signed ? 0 : UINT64_C(1) << (bits - 1);
	int64_t p = known_sext(a ^ turn, bits), q = known_sext(b ^ turn, bits);
	switch ((int)cmp) {
	case PTX_CMP_EQ: *out = p == q; return true;
	case PTX_CMP_NE: *out = p != q; return true;
	case PTX_CMP_LT:
	case PTX_CMP_LO: *out = p < q; return true;
	case PTX_CMP_LE:
	case PTX_CMP_LS: *out = p <= q; return true;
	case PTX_CMP_GT:
	case PTX_CMP_HI: *out = p > q; return true;
	case PTX_CMP_GE:
	case PTX_CMP_HS: *out = p >= q; return true;
	default: return false;
	}
}

static bool
known_set(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	bool r;

	if (f->n_types != 2 || f->sub != PTX_SUB_NONE || n != 2 || PTX_HAS(f, FTZ) ||
		!eval_compare(f->cmp, f->type[1], a[0], a[1], &r))
		return false;
	if (ptx_type_class(f->type[0]) == 'f')
		*out = r ? 0x3f800000 : 0;
	else
		*out = r ? UINT64_MAX : 0;
	return true;
}

static bool
known_int(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	enum ptx_type t = f->type[0];
	unsigned bits = ptx_type_bits(t);

	if (PTX_HAS(f, SAT) || PTX_HAS(f, CC) || PTX_HAS(f, RELU))
		return false;
	switch ((int)f->op) {
	case PTX_ADD: *out = a[0] + a[1]; return true;
	case PTX_SUB: *out = a[0] - a[1]; return true;
	case PTX_MUL:
	case PTX_MAD: return known_mul(f, a, n, out);
	default: break;
	}
	i128 x = exact(a[0], t), y = n > 1 ? exact(a[1], t) : 0;
	switch ((int)f->op) {
	case PTX_DIV:
	case PTX_REM: return known_divide(f, a, out);
	case PTX_ABS: *out = (uint64_t)(x < 0 ? -x : x); return true;
	case PTX_NEG: *out = -a[0]; return true;
	case PTX_MIN: *out = (uint64_t)(x < y ? x : y); return true;
	case PTX_MAX: *out = (uint64_t)(x > y ? x : y); return true;
	case PTX_SAD: *out = (uint64_t)(x < y ? y - x : x - y) + a[2]; return true;
	case PTX_POPC:
		*out = (uint64_t)__builtin_popcountll(a[0] & bits_mask(bits));
		return true;
	case PTX_CLZ:
		*out = a[0] & bits_mask(bits)
			       ? (uint64_t)__builtin_clzll(a[0] & bits_mask(bits)) -
					 (64 - bits)
			       : bits;
		return true;
	default: return false;
	}
}

static bool
known_bits(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	unsigned bits = ptx_type_bits(f->type[0]);

	switch ((int)f->op) {
	case PTX_AND: *out = a[0] & a[1]; return true;
	case PTX_OR: *out = a[0] | a[1]; return true;
	case PTX_XOR: *out = a[0] ^ a[1]; return true;
	case PTX_NOT: *out = ~a[0]; return true;
	case PTX_CNOT: *out = (a[0] & bits_mask(bits)) == 0; return true;
	case PTX_BREV: *out = reversed(a[0], bits); return true;
	case PTX_BFE: *out = known_bfe(f, a); return true;
	case PTX_BFI: *out = known_bfi(f, a); return true;
	case PTX_SHF: *out = known_shf(f, a); return true;
	case PTX_LOP3: *out = known_lop3(a); return f->sub == PTX_SUB_NONE;
	default: return false;
	}
}

/* How many operands; 0: not evaluated here. */
static const unsigned char arity[PTX_OP_COUNT] = {[PTX_ADD] = 2,
	[PTX_SUB] = 2,
	[PTX_MUL] = 2,
	[PTX_MAD] = 3,
	[PTX_MUL24] = 2,
	[PTX_MAD24] = 3,
	[PTX_SAD] = 3,
	[PTX_DIV] = 2,
	[PTX_REM] = 2,
	[PTX_ABS] = 1,
	[PTX_NEG] = 1,
	[PTX_MIN] = 2,
	[PTX_MAX] = 2,
	[PTX_POPC] = 1,
	[PTX_CLZ] = 1,
	[PTX_BFIND] = 1,
	[PTX_FNS] = 3,
	[PTX_BREV] = 1,
	[PTX_BFE] = 3,
	[PTX_BFI] = 4,
	[PTX_BMSK] = 2,
	[PTX_FMA] = 3,
	[PTX_RCP] = 1,
	[PTX_SQRT] = 1,
	[PTX_SET] = 2,
	[PTX_SELP] = 3,
	[PTX_SLCT] = 3,
	[PTX_AND] = 2,
	[PTX_OR] = 2,
	[PTX_XOR] = 2,
	[PTX_NOT] = 1,
	[PTX_CNOT] = 1,
	[PTX_LOP3] = 4,
	[PTX_SHF] = 3,
	[PTX_SHL] = 2,
	[PTX_SHR] = 2,
	[PTX_PRMT] = 3,
	[PTX_MOV] = 1,
	[PTX_CVT] = 1,
	[PTX_CVTA] = 1};

/* Moves a value, or one of two. */
static bool
known_choice(const struct ptx_form *f, const uint64_t *a, uint64_t *out)
{
	switch ((int)f->op) {
	case PTX_MOV:
	case PTX_CVTA: *out = a[0]; return true;
	case PTX_SELP: *out = a[2] ? a[0] : a[1]; return true;
	default:
		if (f->n_types != 2 || f->type[1] != PTX_T_s32)
			return false;
		*out = known_sext(a[2], 32) >= 0 ? a[0] : a[1];
		return true;
	}
}

bool
eval_known(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out)
{
	enum ptx_type t = f->type[0];

	if (!arity[f->op] || n != arity[f->op] || f->odd || !f->n_types)
		return false;
	switch ((int)f->op) {
	case PTX_MOV:
	case PTX_CVTA:
	case PTX_SELP:
	case PTX_SLCT: return known_choice(f, a, out);
	case PTX_CVT: return known_cvt(f, a, out);
	case PTX_SET: return known_set(f, a, n, out);
	case PTX_SHL:
	case PTX_SHR: return known_shift(f, a, out);
	case PTX_PRMT: return known_prmt(f, a, out);
	case PTX_BFIND: return known_bfind(f, a[0], out);
	case PTX_FNS: *out = known_fns(a[0] & UINT32_MAX, a[1], a[2]); return true;
	case PTX_BMSK: return known_bmsk(f, a, out);
	case PTX_MUL24:
	case PTX_MAD24: return known_mul24(f, a, n, out);
	default: break;
	}
	if (ptx_type_class(t) == 'f')
		return known_float(f, a, n, out);
	if (ptx_type_bits(t) > 64 || (!known_is_integer(t) && t != PTX_T_pred))
		return false;
	return known_bits(f, a, out) || known_int(f, a, n, out);
}
