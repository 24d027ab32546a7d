/*
 * The interface between lanewise and an oracle: a C function, yours, that computes
 * what a kernel ought to have written. Every output of a candidate is compared with
 * what the oracle wrote. An oracle should be slow, obvious and right.
 *
 * The oracle is compiled once and runs in a process of its own, with a time limit.
 * It gets the arguments of the kernel in the order of the spec:
 *
 *   inputs and scalars   in their storage type ("f32": float[], "i32": int32_t[], ...),
 *                        rounded to it already; "tf32" as float[]; "f16", "bf16" as bits
 *                        in uint16_t[], "e4m3", "e5m2" in uint8_t[]: lanewise_value()
 *                        gives an element of any type as a double
 *   outputs              to be written; double[] for floating types, int64_t[] for
 *                        integer types, `count` elements; zero on entry, or, when the
 *                        argument is an input too, what the kernel finds in it
 *
 * Sums belong in double: the oracle has to be more exact than the kernel. Return 0,
 * or non-zero when these arguments cannot be handled; then no candidate is measured
 * with them.
 */
#ifndef LANEWISE_ORACLE_H
#define LANEWISE_ORACLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct lanewise_arg {
	const char *name; /* as in the spec */
	const char *type; /* element type: "f32", "f64", "i32", "u32", ... */
	size_t count;     /* elements; 1 for a scalar */
	void *data;       /* see above; never NULL when count > 0 */
	int is_output;    /* 1: the oracle writes it, 0: it only reads it */
};

int lanewise_oracle(const struct lanewise_arg *args, int n_args);

/* The argument of that name and type, or NULL. */
static inline const struct lanewise_arg *
lanewise_find(const struct lanewise_arg *args, int n_args, const char *name,
	const char *type, int is_output)
{
	for (int i = 0; i < n_args; i++)
		if (strcmp(args[i].name, name) == 0 && strcmp(args[i].type, type) == 0 &&
			args[i].is_output == is_output)
			return &args[i];
	return NULL;
}

/* An f32 input of at least `count` elements, or NULL. */
static inline const float *
lanewise_f32(const struct lanewise_arg *args, int n_args, const char *name, size_t count)
{
	const struct lanewise_arg *arg = lanewise_find(args, n_args, name, "f32", 0);

	return arg && arg->count >= count ? arg->data : NULL;
}

/* An i32 input of at least `count` elements, or NULL. */
static inline const int32_t *
lanewise_i32(const struct lanewise_arg *args, int n_args, const char *name, size_t count)
{
	const struct lanewise_arg *arg = lanewise_find(args, n_args, name, "i32", 0);

	return arg && arg->count >= count ? arg->data : NULL;
}

/* sign, exponent and fraction bits: the value of a 16-bit or 8-bit float */
static inline double
lanewise_narrow(unsigned code, int exponent_bits, int fraction_bits, int has_infinity)
{
	int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
	int fraction = (int)(code & ((1u << fraction_bits) - 1));
	int field = (int)(code >> fraction_bits) & top;
	double v = fraction + (field ? 1 << fraction_bits : 0);

	if (field == top && (has_infinity || fraction == (1 << fraction_bits) - 1))
		v = fraction ? 0.0 / 0.0 : 1e308 * 10;
	for (int e = (field ? field : 1) - bias - fraction_bits; e; e += e < 0 ? 1 : -1)
		v = e < 0 ? v / 2 : v * 2;
	return code >> (exponent_bits + fraction_bits) & 1 ? -v : v;
}

/* An element of an input or a scalar of any type; 64-bit integers are rounded. */
static inline double
lanewise_value(const struct lanewise_arg *arg, size_t i)
{
	const char *t = arg->type;

	if (strcmp(t, "f32") == 0 || strcmp(t, "tf32") == 0)
		return ((const float *)arg->data)[i];
	if (strcmp(t, "f64") == 0)
		return ((const double *)arg->data)[i];
	if (strcmp(t, "f16") == 0)
		return lanewise_narrow(((const uint16_t *)arg->data)[i], 5, 10, 1);
	if (strcmp(t, "bf16") == 0)
		return lanewise_narrow(((const uint16_t *)arg->data)[i], 8, 7, 1);
	if (strcmp(t, "e4m3") == 0)
		return lanewise_narrow(((const uint8_t *)arg->data)[i], 4, 3, 0);
	if (strcmp(t, "e5m2") == 0)
		return lanewise_narrow(((const uint8_t *)arg->data)[i], 5, 2, 1);
	if (strcmp(t, "i8") == 0)
		return ((const int8_t *)arg->data)[i];
	if (strcmp(t, "u8") == 0)
		return ((const uint8_t *)arg->data)[i];
	if (strcmp(t, "i16") == 0)
		return ((const int16_t *)arg->data)[i];
	if (strcmp(t, "u16") == 0)
		return ((const uint16_t *)arg->data)[i];
	if (strcmp(t, "i32") == 0)
		return ((const int32_t *)arg->data)[i];
	if (strcmp(t, "u32") == 0)
		return ((const uint32_t *)arg->data)[i];
	if (strcmp(t, "i64") == 0)
		return (double)((const int64_t *)arg->data)[i];
	return (double)((const uint64_t *)arg->data)[i];
}

/* The value of an i32 scalar; -1 when there is none, so ask for sizes only. */
static inline int64_t
lanewise_size(const struct lanewise_arg *args, int n_args, const char *name)
{
	const int32_t *value = lanewise_i32(args, n_args, name, 1);

	return value ? *value : -1;
}

/* Where to write a floating output, and its length through `count`; or NULL. */
static inline double *
lanewise_out_f32(
	const struct lanewise_arg *args, int n_args, const char *name, size_t *count)
{
	const struct lanewise_arg *arg = lanewise_find(args, n_args, name, "f32", 1);

	*count = arg ? arg->count : 0;
	return arg ? arg->data : NULL;
}

/* Where to write an i32 output, and its length through `count`; or NULL. */
static inline int64_t *
lanewise_out_i32(
	const struct lanewise_arg *args, int n_args, const char *name, size_t *count)
{
	const struct lanewise_arg *arg = lanewise_find(args, n_args, name, "i32", 1);

	*count = arg ? arg->count : 0;
	return arg ? arg->data : NULL;
}

#endif
