/*
 * Kernel arguments, resolved for one candidate and size.
 *
 * Text form of a list, used in the graph (no spaces):
 *     in=f32*[1048576]:exact,out=f32*[8192]:out,n=i32:1048576,alpha=f32:1.5
 * A pointer is TYPE*[COUNT]:FILL with FILL one of the fills below, `out` (written,
 * poisoned before) or `inout/FILL`; a scalar is TYPE:VALUE, VALUE decimal or `unknown`.
 */
#ifndef MODEL_ARG_H
#define MODEL_ARG_H

#include "base/str.h"

/* name, bytes, is floating point, is signed */
#define DTYPES(X) \
	X(F64, "f64", 8, 1, 1) \
	X(F32, "f32", 4, 1, 1) \
	X(F16, "f16", 2, 1, 1) \
	X(BF16, "bf16", 2, 1, 1) \
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

/* exact: multiples of 1/64 in [-1, 1] (integers: [-64, 64], unsigned [0, 127]), so that
 * sums of up to 2^17 of them are exact in f32; uniform: [0, 1) or the full range of an
 * integer type; normal: standard normal; iota: 0, 1, 2, ...; zeros; ones. */
#define FILLS(X) \
	X(EXACT, "exact") \
	X(UNIFORM, "uniform") \
	X(NORMAL, "normal") \
	X(IOTA, "iota") \
	X(ZEROS, "zeros") \
	X(ONES, "ones")

enum fill {
#define X(id, name) FILL_##id,
	FILLS(X)
#undef X
		N_FILLS
};

struct arg {
	struct str name;
	enum dtype type; /* of the scalar, or of the elements */
	bool pointer;
	bool output; /* the kernel writes it: compared */
	bool input;  /* pointer: filled before; an output that is also input is inout */
	enum fill fill; /* if input */
	uint64_t count; /* pointer: elements */
	bool known;     /* scalar: value is known */
	uint64_t bits;  /* scalar: value in its storage type, zero-extended */
};

const char *dtype_name(enum dtype t);
bool dtype_find(struct str name, enum dtype *out);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
bool dtype_is_signed(enum dtype t);
const char *fill_name(enum fill f);
bool fill_find(struct str name, enum fill *out);

/* Storage bits of a number in a type; false if it does not fit (integers) or is not
 * finite. f16 and bf16 round to nearest even. */
bool dtype_encode(enum dtype t, double v, uint64_t *bits);
bool dtype_encode_i64(enum dtype t, int64_t v, uint64_t *bits);
/* The value of an element in storage; integers up to 64 bits lose bits above 2^53. */
double dtype_decode(enum dtype t, const void *p);

struct str args_text(struct arena *a, const struct arg *v, size_t n);
/* False with a reason in *why if malformed. */
bool args_parse(
	struct arena *a, struct str s, struct arg **v, size_t *n, struct str *why);

#endif
