/* What makes a random kernel: shared by the files that do; see random_kernel.h. */
#ifndef PROP_RANDOM_MAKER_H
#define PROP_RANDOM_MAKER_H

#include "random_kernel.h"

struct maker {
	struct arena *a;
	struct rng r;
	struct random_kernel *k;
	struct code *code; /* of the function that is being made */
	unsigned func, depth;
	uint32_t loops;           /* around this place */
	uint32_t to_end, to_next; /* labels of the innermost loop, or 0 */
	int budget;               /* statements that are left */
	bool calls, memory, wide, plain;
};

/* A number below n. */
uint32_t maker_pick(struct maker *m, uint32_t n);

/* ---- random_expr.c ---- */
const struct expr *maker_leaf(struct maker *m, enum expr_op op, uint32_t k);
const struct expr *maker_two(
	struct maker *m, enum expr_op op, const struct expr *a, const struct expr *b);
/* An argument; functions have none. */
const struct expr *maker_argument(struct maker *m);
/* depth: of what it is an operand of. */
const struct expr *maker_expr(struct maker *m, unsigned depth);
struct cond maker_cond(struct maker *m);
struct mask maker_mask(struct maker *m);

/* ---- random_memory.c ---- */
/* Words that are written, and read after everybody has met. */
void maker_memory(struct maker *m);

/* ---- random_mask.c ---- */
/* Masks that follow the lanes that are there, most of them rightly. */
void maker_masks(struct maker *m);

/* ---- random_kernel.c ---- */
void maker_emit(struct maker *m, struct ins i);
uint32_t maker_label(struct maker *m);
void maker_put_label(struct maker *m, uint32_t k);

#endif
