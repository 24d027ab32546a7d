/* What growing a slice looks things up in: definitions, callers, controlling branches. */
#ifndef SLICE_SLICE_INDEX_H
#define SLICE_SLICE_INDEX_H

#include "slice/slice.h"

/* A definition: block and instruction. */
struct def {
	uint32_t bb, ins;
};

struct caller {
	uint32_t func, bb, ins;
	uint32_t next; /* index + 1 */
};

/* What a function needs while the slice grows. */
struct slice_work {
	uint32_t *def_first; /* by value, n_values + 1 */
	struct def *def;
	uint32_t *ctrl_first; /* by block: branches whose region holds it */
	uint32_t *ctrl;
	uint32_t callers; /* index + 1 */
	bool *marked;     /* blocks whose controlling branches are in */
	bool needed;      /* its calls are in, for what it writes */
};

struct item {
	uint32_t func, what;
};

struct slice_builder {
	struct arena *a;
	struct slice *s;
	struct slice_work *w;
	struct caller *caller;
	size_t n_callers, cap_callers;
	struct item *values; /* work list of relevant values */
	size_t n_values, cap_values;
	struct item *blocks; /* work list of blocks to mark */
	size_t n_blocks, cap_blocks;
	uint64_t visits;
	bool *needed; /* by variable: its writes are in */
};

typedef void slice_value_fn(void *ctx, uint32_t value);

/* Marks the functions that the root may call, and notes what is not modelled. */
void slice_reach(struct slice_builder *b, uint32_t root);
/* The first indirect call: fills `taken` of the slice, and puts what may be called on the
 * stack of functions to look at. */
size_t slice_reach_taken(
	struct slice_builder *b, const struct ptx_ins *ins, uint32_t *stack, size_t n);
/* Notes the calls that a function makes. */
void slice_find_callers(struct slice_builder *b, uint32_t index);
/* Fills the index of one function. */
void slice_prepare(struct slice_builder *b, uint32_t i);
/* Fills `meet` of a function. */
void slice_find_meets(struct slice_builder *b, struct slice_func *f);
/* Fills `grid_bar` of a function. */
void slice_find_grid_bars(struct slice_builder *b, struct slice_func *f);
/* Where a grid is said to meet and no such barrier was found: any may be one. */
void slice_guess_grid_bars(struct slice_builder *b);
/* Fills `blocks` of a function. */
void slice_find_waits(struct slice_builder *b, struct slice_func *f);
/* A branch or switch with more than one way. */
bool slice_is_decision(const struct bb *bb);
void slice_each_piece(
	const struct slice_func *f, uint32_t var, slice_value_fn *fn, void *ctx);
void slice_each_read(const struct slice_func *f, const struct ptx_ins *ins,
	slice_value_fn *fn, void *ctx);

/* slice_active.c */
void slice_note_groups(struct slice_builder *b, struct slice_func *f);

#endif
