/*
 * Types of arguments: how a number lies in memory, little endian.
 *
 *     f64 f32 f16   IEEE 754 binary64, binary32, binary16
 *     bf16          the upper half of a binary32
 *     tf32          a binary32 of which tensor cores read 10 fraction bits (PTX ISA,
 *                   "Alternate Floating Point Data Formats"); encoding rounds to these,
 *                   decoding reads all 23, since outputs may have them
 *     e4m3 e5m2     OCP 8-bit Floating Point Specification (OFP8), revision 1.0, tables 1
 *                   and 2.  e4m3 has no infinity, NaN is S.1111.111 alone, and its
 *                   largest number is S.1111.110, 448; e5m2 is as IEEE's, up to 57344.
 *     i8 to i64, u8 to u64
 *
 * Every conversion rounds once, to nearest, ties to even.
 */
#ifndef MODEL_DTYPE_H
#define MODEL_DTYPE_H

#include "base/str.h"

/* name, bytes, is floating point, is signed */
#define DTYPES(X) \
	X(F64, "f64", 8, 1, 1) \
	X(F32, "f32", 4, 1, 1) \
	X(TF32, "tf32", 4, 1, 1) \
	X(F16, "f16", 2, 1, 1) \
	X(BF16, "bf16", 2, 1, 1) \
	X(E4M3, "e4m3", 1, 1, 1) \
	X(E5M2, "e5m2", 1, 1, 1) \
	X(I8, "i8", 1, 0, 1) \
	X(I16, "i16", 2, 0, 1) \
	X(I32, "i32", 4, 0, 1) \
	X(I64, "i64", 8, 0, 1) \
	X(U8, "u8", 1, 0, 0) \
	X(U16, "u16", 2, 0, 0) \
	X(U32, "u32", 4, 0, 0) \
	X(U64, "u64", 8, 0, 0)

enum dtype {
#define X(id, name, bytes, fp, sgn) DTYPE_##id,
	DTYPES(X)
#undef X
		N_DTYPES
};

const char *dtype_name(enum dtype t);
bool dtype_find(struct str name, enum dtype *out);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
bool dtype_is_signed(enum dtype t);

/* Of a floating type: significant bits, the hidden one counted; exponents of the least
 * normal number and of the largest one; the largest number. */
int dtype_precision(enum dtype t);
int dtype_least_exponent(enum dtype t);
int dtype_most_exponent(enum dtype t);
double dtype_largest(enum dtype t);
bool dtype_has_infinity(enum dtype t);

/* Storage bits of a number in a type; false if it does not fit (beyond the largest after
 * rounding; integers: not exactly) or is not finite. */
bool dtype_encode(enum dtype t, double v, uint64_t *bits);
bool dtype_encode_i64(enum dtype t, int64_t v, uint64_t *bits);
/*
 * The storage bits that a conversion to a floating type gives for any double.  Beyond the
 * range: saturating, the largest number; else an infinity, or NaN where the type has none
 * (OFP8, 5.2).  A NaN becomes the type's quiet one.
 */
uint64_t dtype_convert(enum dtype t, double v, bool saturate);

/* The value of an element in storage; integers up to 64 bits lose bits above 2^53. */
double dtype_decode(enum dtype t, const void *p);
/* n elements of a floating type; `to` is double[], aligned or not. */
void dtype_decode_all(enum dtype t, const void *from, uint64_t n, void *to);
/* Of an integer type; u64 as its bits. */
int64_t dtype_decode_i64(enum dtype t, const void *p);

#endif
