/*
 * Verdicts of many launches that differ in their block, put together: for which blocks
 * does the same hold?  One group for each verdict and what it blames, in it the blocks in
 * the order they were judged.
 */
#ifndef REPORT_SHAPES_H
#define REPORT_SHAPES_H

#include "base/buf.h"
#include "model/verdict.h"

struct shape_group {
	enum verdict_kind kind;
	struct finding blame; /* the worst finding of its first block; zero when clean */
	size_t *at;           /* which blocks: indices in order */
	size_t n, cap;
};

struct shapes {
	struct arena *a;
	const struct dim *blocks; /* all of them, in order */
	size_t n_blocks;
	/* The blocks are first, first + step, ... in x: shown as ranges.  0: a list. */
	uint64_t step;
	struct shape_group *v;
	size_t n, cap;
};

/* v: of block number `at`, added in increasing order; what is kept of it is copied. */
void shapes_add(struct shapes *s, size_t at, const struct verdict *v);
/* Clean first, then refused, caveat, error; each in the order of its first block. */
void shapes_sort(struct shapes *s);
/* "1..32, 64, 96, ..., 1024 (multiples of 32)"; "16x16, 32x8" of a list. */
struct str shapes_blocks_text(const struct shapes *s, const struct shape_group *g);
/* A line for each group ("clean: 1..32"), one more with the message of what is not clean,
 * and "clean: none" where none is. */
void shapes_text(struct buf *b, const struct shapes *s);
/* The member "groups" (docs/reference/shapes.md). */
void shapes_write(struct json_out *o, const struct shapes *s);

#endif
