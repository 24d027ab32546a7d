/*
 * A kernel that `lanewise init` describes, inside of starter.h: what is known of it, and
 * what becomes of that.
 *
 *     starter.c         the text of the spec
 *     starter_launch.c  parameters, block, grid, constraints
 */
#ifndef TOOLCHAIN_DRAFT_H
#define TOOLCHAIN_DRAFT_H

#include "base/arena.h"
#include "base/buf.h"
#include "toolchain/paramuse.h"
#include "toolchain/starter.h"

enum { DRAFT_SIZES_MAX = 8 };

/* One kernel being described. */
struct draft {
	struct arena *a;
	const struct starter *s;
	const struct starter_kernel *k;
	const struct ptx_func *f;         /* NULL: a function in C */
	const struct scan_kernel *source; /* NULL: not found in the source */
	uint32_t n_params;
	struct kernel_use use;
	struct str kernel; /* name in the spec */
	struct str entry;  /* as the spec has to say it */
	struct str sizes[DRAFT_SIZES_MAX];
	unsigned size_param[DRAFT_SIZES_MAX]; /* one more than its parameter; 0: none */
	size_t n_sizes;
	struct str block[3]; /* expressions */
	unsigned n_block;
	int64_t block_base[3]; /* what they are in the baseline */
	struct buf params, baseline, constraints;
};

struct draft_type {
	bool pointer;
	enum dtype type;
	unsigned width;
	bool sure;
};

/* --- starter.c; of parameter i --- */
struct draft_type draft_type(const struct draft *d, uint32_t i);
/* A __local parameter of OpenCL C: no argument of the spec, but its memory. */
bool draft_is_local(const struct draft *d, uint32_t i);

/* --- starter_launch.c --- */
/* A function in C has no launch: it is called. */
void draft_params(struct draft *d);
/* The lines of "launch"; empty: none. */
struct str draft_launch(const struct draft *d);
/* The name is that of a parameter. */
bool draft_is_macro(const struct draft *d, struct str name);

#endif
