/*
 * Constants of a module (CUDA's __constant__ variables), set before a kernel runs.
 *
 * Text form of a list, used in the graph (no spaces):
 *     taps=f32[3]:0.25;0.5;0.25,n=i32[1]:7
 */
#ifndef MODEL_CONSTANT_H
#define MODEL_CONSTANT_H

#include "model/arg.h"

struct constant {
	struct str name; /* of the symbol in the machine code */
	enum dtype type;
	uint64_t count;
	const uint64_t *bits; /* count values in storage type, zero-extended */
};

/* One bank of constant memory (CUDA C++ Programming Guide 13, technical specifications).
 */
enum { CONSTANT_BYTES_MAX = 64 << 10 };

struct str constants_text(struct arena *a, const struct constant *v, size_t n);
/* False with a reason in *why if malformed. */
bool constants_parse(
	struct arena *a, struct str s, struct constant **v, size_t *n, struct str *why);

#endif
