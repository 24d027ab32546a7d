/*
 * Constants of a module (CUDA's __constant__ variables), set before a kernel runs.
 *
 * Text form of a list, used in the graph (no spaces):
 *     weights=f32*[4]:uniform,taps=f32*[3]:0.25;0.5;0.25
 * as the pointers of model/arg.h, or with as many values as there are elements.
 */
#ifndef MODEL_CONSTANT_H
#define MODEL_CONSTANT_H

#include "model/arg.h"

struct constant {
	struct arg
		v; /* name of the symbol in the machine code, type, count, fill; input */
	const uint64_t *bits; /* v.count values in storage type; NULL: by the fill */
};

/* One bank of constant memory (CUDA C++ Programming Guide 13, technical specifications).
 */
enum { CONSTANT_BYTES_MAX = 64 << 10 };

/* Their fills differ from those of the arguments. */
#define CONSTANT_SEED_OFFSET 1000

struct str constants_text(struct arena *a, const struct constant *v, size_t n);
/* False with a reason in *why if malformed. */
bool constants_parse(
	struct arena *a, struct str s, struct constant **v, size_t *n, struct str *why);

#endif
