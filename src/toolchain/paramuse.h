/*
 * What a kernel does with its parameters, read from its PTX: which are pointers, of what,
 * and whether it loads or stores through them.  Flow-insensitive: every assignment of a
 * register counts, so a pointer that might be used is used.  Calls are not followed,
 * but for the one that clang puts between a kernel in OpenCL C and its code.
 */
#ifndef TOOLCHAIN_PARAMUSE_H
#define TOOLCHAIN_PARAMUSE_H

#include "model/arg.h"
#include "ptx/ptx.h"

struct param_use {
	bool pointer; /* an address is made from it */
	bool loaded, stored;
	bool typed; /* type is known, from the loads and stores */
	enum dtype type;
};

struct kernel_use {
	struct param_use *params;       /* of entry->n_params */
	unsigned block_dims, grid_dims; /* 1 to 3: how many of %tid, %ctaid it reads */
	/* One more than the parameter that blocks of each dimension are compared with, as
	 * in `blockIdx.x * 32 + threadIdx.x < n`; 0: none is. */
	unsigned grid_bound[3];
	bool dynamic_shared; /* the module has dynamic shared memory */
};

struct kernel_use kernel_use(
	struct arena *a, const struct ptx_module *m, const struct ptx_func *entry);

/* The type of a PTX scalar parameter: u32 -> u32; b32 and others by size. */
enum dtype ptx_param_type(enum ptx_type t, uint64_t bytes);

#endif
