/*
 * An interpreter of random kernels, the reference that the gate is compared with: every
 * thread runs alone from one place where it has to wait to the next, and the rules of
 * docs/SAFETY.md are written down once more, in the plainest way.  It shares no code
 * with the gate.
 */
#ifndef PROP_LANE_RUN_H
#define PROP_LANE_RUN_H

#include "random_kernel.h"

/* What the kernel reads. */
struct memory {
	uint32_t word[UNIFORM_WORDS];
	uint32_t lane[THREADS_MAX][LANE_WORDS];
	uint32_t shared[SHARED_WORDS];
	uint64_t atomics; /* a stream of numbers */
	int atomic;       /* what all of them give, or -1 */
};

/*
 * GREY: right or wrong by how one reads the texts (lanes that a mask names have exited;
 * lanes meet at different instructions, or in different rounds of a loop; an undefined
 * value is used).  HAZARD: wrong in some block.  TOO_LONG: no answer.
 */
enum truth { FINE, GREY, HAZARD, TOO_LONG };

/* Warps arrive at counted barriers in an order that `order` (0, 1, ...) chooses. */
enum truth lane_run(
	const struct random_kernel *k, const struct memory *mem, unsigned order);

#endif
