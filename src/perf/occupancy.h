/*
 * Occupancy: how many blocks of a launch one SM holds at once, by CUDA's own rules.
 *
 * Source: cudaOccMaxActiveBlocksPerMultiprocessor() in cuda_occupancy.h (CUDA 13.0),
 * compute capability 7.0 and newer, default carve-out (the launch may use all shared
 * memory of an SM); tests/unit/test_occupancy.c compares thousands of cases with that
 * header when it is there.
 *
 *     warps      floor(max_threads_per_sm / 32) / warps per block
 *     registers  per warp: registers * 32, rounded up to register_alloc_unit; each of
 *                the 4 sub-partitions of an SM holds a quarter of the registers
 *     shared     static + dynamic + reserved, rounded up to 128 bytes (256 before 8.0)
 *     blocks     max_blocks_per_sm
 *     barriers   9.0 and newer: 2 * max_blocks_per_sm of them where 32 blocks fit on
 *                an SM, else max_blocks_per_sm
 */
#ifndef PERF_OCCUPANCY_H
#define PERF_OCCUPANCY_H

#include "model/device.h"
#include "model/facts.h"
#include "model/launch.h"

enum occupancy_limit {
	OCCUPANCY_BLOCKS,
	OCCUPANCY_WARPS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_BARRIERS
};

struct occupancy {
	int64_t warps_per_block;
	int64_t blocks_per_sm; /* 0: the launch cannot run */
	enum occupancy_limit limit;
	double fraction;      /* resident warps / warps an SM can hold */
	bool registers_known; /* false: they were left out, blocks_per_sm is an upper
				 bound */
	bool shared_known;    /* false: the static part was taken as 0, likewise */
};

/* f may be NULL: nothing is known of the code. */
struct occupancy occupancy_of(
	const struct device *dev, const struct facts *f, const struct launch *l);
const char *occupancy_limit_name(enum occupancy_limit l); /* "registers" */

#endif
