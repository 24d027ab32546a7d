/*
 * The backward slice: everything that decides who reaches a site, and nothing else.
 *
 * Seeds are barrier numbers and counts, membermasks, shuffle lanes, the guard of every
 * branch whose region (the blocks up to its post-dominator) holds a site, an exit or a
 * definition that matters, and targets of indirect calls.  The slice is closed over
 * definitions (flow-insensitive), parameter slots and return values.  A branch that is
 * not in it is jumped over to its post-dominator.
 *
 * Memory is left out at first, which is enough for most kernels.  Where it is not, the
 * slice is built again with the stores and atomics that may write what is loaded
 * (pointee.h).
 */
#ifndef SLICE_SLICE_H
#define SLICE_SLICE_H

#include "base/arena.h"
#include "ptx/cfg.h"
#include "ptx/ptx.h"

/* A piece of a .param variable of a function, used as a register. */
struct slice_piece {
	uint32_t var;   /* module vars */
	int64_t offset; /* bytes */
	uint32_t bytes;
	bool mixed; /* overlaps another piece: its loads are unknown */
};

struct slice_func {
	const struct ptx_func *f;
	const struct cfg *c;
	bool used; /* reachable from the entry by calls */
	bool has_site;
	bool mask_is_group; /* see slice_active.c */

	/* Values: registers [0, f->n_regs), then pieces. */
	uint32_t n_values;
	struct slice_piece *piece;
	uint32_t n_pieces;
	uint32_t *slot; /* of a value, or PTX_NONE when it does not matter */
	uint32_t n_slots;
	uint32_t *value; /* by slot */

	uint32_t *meet; /* by block: where lanes that part at its end meet again */
	bool *ins;      /* relevant instructions */
	bool *branch;   /* relevant branches, by block */
	bool *grid_bar; /* barriers that are the start of a grid's */
	/* By block: its branch is only in the slice because one side can only trap, which
	 * is how grid.sync() asks whether the launch is cooperative; or NULL. */
	bool *grid_check;
	bool *blocks;    /* waits for an mbarrier in a loop that only waits; see below */
	uint32_t *first; /* by block, n + 1: relevant instructions of a block */
	uint32_t *list;  /* instruction indices */
	/* By block: a relevant write to memory, or a call, is reachable from here; NULL
	 * where memory is not followed. */
	bool *writes;
};

struct points;

struct slice {
	const struct ptx_module *m;
	const struct cfg *cfgs;
	const struct ptx_func *entry;
	struct slice_func *funcs; /* by function index */
	bool *taken;         /* by function: its address is; NULL: no indirect call */
	const char *too_big; /* a cap that was hit: nothing else is valid */
	const struct ptx_ins *mbarrier_wait; /* NULL: nobody waits for one */
	/* A loop reads what others write meanwhile: it may order threads. */
	const struct ptx_ins *flag_read;
	const struct ptx_ins *grid_sync; /* cooperative launch's barrier: its first
					    instruction that is known */
	const struct ptx_ins *not_sync;  /* a warp collective without .sync */
	const struct points *points;     /* SLICE_MEMORY, else NULL */
	uint32_t n_relevant, n_ins;
	bool has_site;       /* in a function that is used */
	bool callable_sites; /* a function that is no entry has a site */
	bool mbarriers;      /* they are sites, as the graphs say */
	bool remote;         /* mbarriers of other blocks of the cluster may be used */
	bool brings_bytes;   /* something may complete transactions of an mbarrier */
	bool clusters;   /* what a block does may depend on its place in the cluster */
	bool workspace;  /* somebody asks for the grid's (slice_is_workspace) */
	bool grid_bars;  /* there are grid barriers: see grid_bar */
	bool grid_guess; /* none was recognised: any barrier may be the grid's */
	bool loads; /* a value that matters comes from memory that could be followed */
};

enum slice_extent {
	SLICE_REGISTERS, /* what is loaded from memory is taken as unknown */
	SLICE_MEMORY,    /* and the writes that such loads of words may see */
	SLICE_WHOLE,     /* every instruction and branch; loads as in SLICE_REGISTERS */
};
struct slice *slice_build(struct arena *a, const struct ptx_module *m,
	const struct cfg *cfgs, const struct ptx_func *entry, enum slice_extent extent);

/* Index in `piece` of (var, offset, bytes), or PTX_NONE. */
uint32_t slice_piece_find(
	const struct slice_func *s, uint32_t var, int64_t offset, uint32_t bytes);
/* A load or store of a .param variable by name: *var, *offset and the bytes of one part.
 */
bool slice_param_access(
	const struct ptx_ins *ins, uint32_t *var, int64_t *offset, uint32_t *bytes);
/* How many registers a load or store moves. */
unsigned slice_parts(const struct ptx_ins *ins);
/* Of the two sides of the branch that ends block bb, `waiting` does nothing but wait for
 * one phase of an mbarrier until they meet, and `other` nothing at all. */
bool slice_only_waits(
	const struct slice_func *f, uint32_t bb, uint32_t waiting, uint32_t other);
/* The call, through a register, may be one of this function. */
bool slice_may_call(const struct slice *s, const struct ptx_ins *ins, uint32_t func);
/* The function that a call names directly, or NULL. */
const struct ptx_func *slice_callee(
	const struct ptx_module *m, const struct ptx_ins *ins);
/* %envreg1 or %envreg2: halves of the address of what the driver gives a cooperative
 * launch to synchronise its grid with (cooperative_groups/details/driver_abi.h); 0 in
 * others, as grid_group::is_valid() has it. */
bool slice_is_workspace(const struct ptx_module *m, const struct ptx_operand *o);

#endif
