/*
 * A GPU, or what else kernels run on: its limits and identity, read from the driver or
 * described in a file (devices/NAME.json, schema lanewise/device.v1).  Pure data: nothing
 * here touches a device.
 */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "base/diag.h"
#include "format/expr.h"

struct json;

struct device {
	struct str name;   /* "NVIDIA H200" */
	struct str uuid;   /* "GPU-..."; empty when described */
	struct str driver; /* driver version, "580.159.04"; empty when described */
	bool described;    /* from a file: the GPU is not here */
	struct str script; /* text of a lanewise/sim.v1; empty unless it is simulated */
	/* Name of the backend that it was found by; empty: "cuda", or "sim" by its
	 * script. What is no NVIDIA GPU and is no stand-in for one has no compute
	 * capability, and 0 for every number that it does not have. */
	struct str backend;
	int cc_major, cc_minor; /* compute capability */
	int64_t sm_count;       /* streaming multiprocessors */
	int64_t warp_size;      /* 32 */
	int64_t max_threads_per_block;
	int64_t max_block_dim[3];
	int64_t max_grid_dim[3];
	int64_t max_threads_per_sm;
	int64_t max_blocks_per_sm;
	int64_t registers_per_sm; /* 32-bit registers */
	int64_t max_registers_per_thread;
	int64_t register_alloc_unit; /* registers, per warp */
	int64_t shared_per_sm_bytes;
	int64_t shared_per_block_bytes;       /* without opt-in: 48 KiB */
	int64_t shared_per_block_optin_bytes; /* dynamic shared memory opt-in limit */
	int64_t reserved_shared_per_block_bytes;
	int64_t l2_bytes;
	int64_t sm_clock_mhz;
	int64_t memory_clock_mhz;
	int64_t memory_bus_bits;
	/* GB/s (1e9 bytes), the vendor's peak; 0: not known, where `backend` is named */
	double memory_bandwidth_gbps;
	int64_t fp32_lanes_per_sm;
	int64_t max_cluster_blocks;
};

/* A lanewise/device.v1; NULL after a diag_error naming the key. v may be NULL. */
struct device *device_get(struct arena *a, const struct json *v, struct diag *d);
struct device *device_read(struct arena *a, const char *path, struct diag *d);
/* A shipped description by short name ("h200"), or a path if it has a slash or ends in
 * .json; NULL after a diag_error that lists what is shipped. */
struct device *device_find(struct arena *a, const char *name, struct diag *d);
/* The JSON text (deterministic; device_read reads it back equal). */
struct str device_write(struct arena *a, const struct device *dev);
/* What bounds a launch and nothing else: neither identity nor speed, so that it has the
 * same bytes for two boards or drivers that allow the same. */
struct device device_limits(const struct device *dev);
/* "device.NAME" in expressions: max_shared, max_threads, sm_count, cc, warp_size, ... */
bool device_value(const struct device *dev, struct str name, struct value *out);
/* The limits for a compute capability alone (for `check --cc 9.0`): block, grid, cluster
 * and shared memory limits are filled, the rest is zero. False if the cc is unknown. */
bool device_of_cc(struct arena *a, int major, int minor, struct device *out);

#endif
