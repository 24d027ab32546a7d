/* Concrete evaluation, shared by known.c and known_float.c. */
#ifndef VALUE_KNOWN_H
#define VALUE_KNOWN_H

#include "ptx/ptx.h"
#include "value/lanes.h"

static inline int64_t
known_sext(uint64_t v, unsigned bits)
{
	if (!bits || bits >= 64)
		return (int64_t)v;
	uint64_t top = UINT64_C(1) << (bits - 1);
	return (int64_t)(((v & bits_mask(bits)) ^ top) - top);
}

/* The operand as its type reads it: sign- or zero-extended to 64 bits. */
static inline uint64_t
known_read_as(uint64_t v, enum ptx_type t)
{
	unsigned bits = ptx_type_bits(t);

	return ptx_type_class(t) == 's' ? (uint64_t)known_sext(v, bits)
					: v & bits_mask(bits);
}

/* One number, not several packed ones and no float. */
static inline bool
known_is_integer(enum ptx_type t)
{
	return ptx_type_class(t) == 's' || ptx_type_class(t) == 'u' ||
	       (t >= PTX_T_b8 && t <= PTX_T_b128);
}

/* f32 and f64 bits as a number; false for other types. */
bool known_read_float(enum ptx_type t, uint64_t bits, double *out);
bool known_compare_floats(enum ptx_cmp cmp, double x, double y, bool *out);
bool known_float(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out);
bool known_cvt(const struct ptx_form *f, const uint64_t *a, uint64_t *out);

#endif
