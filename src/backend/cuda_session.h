/*
 * The CUDA side of backend/session.h: what its files share.
 *
 *     cuda_session.c  open, the table of the port, run, fetch, state
 *     cuda_fault.c    error codes -> faults; waiting with a deadline
 *     cuda_load.c     module, entry, launch shape
 *     cuda_area.c     device memory between guard pages
 *     cuda_pool.c     buffers by argument list, their guard zones, inputs, copies
 *     cuda_time.c     batches, graphs, the SM clock, the floor
 *     cuda_helper.c   small kernels of our own
 *     cuda_library.c  library functions in place of kernels; cuda_blas.c: cuBLAS
 *
 * Every entry of the port notes where a failure is to be told (session.call); below it a
 * failure is told once, by cuda_fault() or cuda_refuse(), and false is passed up.  The
 * host never waits for the device without a deadline.
 */
#ifndef BACKEND_CUDA_SESSION_H
#define BACKEND_CUDA_SESSION_H

#include "backend/cuda_api.h"
#include "backend/nvml_state.h"
#include "backend/pool.h"

/* What was being done: the same error code is a different fact at each. */
enum cuda_step { STEP_OPEN, STEP_LOAD, STEP_MEMORY, STEP_LAUNCH, STEP_RUN };

enum {
	CUDA_ALIGN = 256,       /* of buffers, as cuMemAlloc aligns them */
	CUDA_CANARY = 64 << 10, /* known bytes before a buffer */
	CUDA_MARGIN = 4 << 10,  /* known bytes before each of its copies */
	CUDA_STAGE = 16 << 20,  /* bytes of each of the two pinned buffers */
	CUDA_GRAPH_MAX = 256,   /* launches in one graph */
	CUDA_SUMS = POOL_ARGS_MAX * POOL_COPIES_MAX,
	CUDA_QUEUE = 192, /* launches between two looks at the device */
};

/* Device memory of one's own; with guard pages where the driver has them. */
struct cuda_area {
	cu_pointer at; /* 0: none */
	uint64_t bytes;
	cu_pointer reserved; /* 0: plain memory */
	uint64_t reserved_bytes;
	cu_memory memory;
};

/* A pointer argument.  Layout of `home`: canary, buffer, canary up to the end. */
struct cuda_buffer {
	struct cuda_area home, copies,
		pristine; /* pristine: what an in-out holds first */
	cu_pointer at;
	uint64_t bytes, stride; /* stride: of the copies */
	uint64_t sum;           /* of an input, as lanewise_sum makes it */
};

struct cuda_helpers {
	cu_function empty, clock, sum; /* NULL: the driver took no PTX of ours */
};

enum { GRAPH_MAIN, GRAPH_REST, N_GRAPHS };

struct cuda_graph {
	cu_graph_exec exec; /* NULL: none */
	int64_t launches;
	unsigned copies;
};

struct cuda_library; /* cuda_library.c */
struct cuda_blas;    /* cuda_blas.c */

struct loaded {
	struct arena *a;
	const struct bench_request *q;
	struct pool *pool;
	cu_module module;
	cu_function function;
	struct cuda_library *library; /* NULL: a kernel */
	struct cu_launch launch;
	struct cu_launch_attribute attribute[3];
	uint64_t *bits; /* values of the scalars */
	void **params;  /* per copy and argument: address of its value */
	cu_pointer *at; /* per copy and argument */
	unsigned params_copies;
	struct cuda_graph graph[N_GRAPHS];
	bool no_graphs, graphs_known;
};

struct session {
	struct arena *a;
	struct cuda_api api;
	cu_device dev;
	struct str uuid;
	cu_stream stream;
	bool guarded; /* there are guard pages */
	uint64_t l2_bytes;
	unsigned char *stage[2];
	struct cuda_area canary; /* the pattern, on the device */
	unsigned char *pattern;  /* and here; CUDA_CANARY + CUDA_ALIGN bytes */
	struct cuda_area clocks; /* samples of lanewise_clock */
	struct cuda_area sums;   /* of inputs, by lanewise_sum; CUDA_SUMS of them */
	struct cuda_area flush;  /* read to push everything else out of L2 */
	struct cuda_helpers helper;
	cu_event first, last;
	cu_event queue[3]; /* one after each CUDA_QUEUE launches */
	struct pools pools;
	bool dead;       /* a fatal fault was told */
	int64_t lead_ns; /* how long the device is kept busy before a batch */
	struct nvml *nvml;
	struct cuda_blas *blas; /* NULL: not opened */
	struct call call;
};

/* --- cuda_fault.c; the first two return false --- */
bool cuda_fault(struct session *s, enum cuda_step at, cu_result e, const char *what);
bool cuda_refuse(struct session *s, enum result_status status, struct str reason);
/* Until the event (NULL: all that was submitted) is done. */
bool cuda_wait_for(struct session *s, cu_event e, int64_t deadline_ns);
/* A time by which n bytes have been moved, or something is wrong. */
int64_t cuda_move_deadline(uint64_t bytes);
/* The status of an error code, and whether the process is of no more use after it. */
enum result_status cuda_step_status(enum cuda_step at, cu_result e);
bool cuda_is_fatal(enum cuda_step at, cu_result e);

/* --- cuda_area.c; an error leaves *out zero --- */
bool cuda_has_guards(struct session *s);
cu_result cuda_area_make(struct session *s, uint64_t bytes, struct cuda_area *out);
void cuda_area_free(struct session *s, struct cuda_area *m);

/* --- cuda_pool.c --- */
/* cuda_area_make(); what nobody uses any more is given back before memory is short. */
cu_result cuda_area_get(struct session *s, uint64_t bytes, struct cuda_area *out);
void cuda_pools_begin(struct session *s);
void cuda_pool_drop(struct session *s, struct loaded *l);
struct cuda_buffer *cuda_buffer(const struct pool *p, size_t arg);
cu_pointer cuda_buffer_at(const struct cuda_buffer *b, unsigned copy);
/* Makes the copies that cold batches rotate over; fewer, or none, when memory is short.
 */
bool cuda_pool_rotate(struct session *s, struct pool *p);
/* In-out arguments of `copies` copies hold their inputs again. */
bool cuda_pool_restore(struct session *s, struct pool *p, unsigned copies);
bool cuda_pool_poison(struct session *s, struct pool *p, unsigned char byte);

/* --- cuda_load.c --- */
bool cuda_load_kernel(struct session *s, struct loaded *l);
/* Addresses for launches on the first `copies` copies. */
void cuda_params(struct loaded *l, unsigned copies);
bool cuda_submit(struct session *s, struct loaded *l, unsigned copy);

/* --- cuda_time.c --- */
bool cuda_graphs(struct session *s, struct loaded *l);
void cuda_graphs_drop(struct session *s, struct loaded *l);
bool cuda_batch(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out);
double cuda_floor(struct session *s, struct loaded *l, enum launch_mode mode);

/* --- cuda_helper.c --- */
void cuda_helpers_load(struct session *s);
/* %globaltimer, %clock64 and %smid, after spinning; as lanewise_clock writes them. */
struct cuda_clock {
	uint64_t ns, cycles;
	uint32_t sm, unused;
};
cu_result cuda_clock_submit(struct session *s, cu_pointer to, uint64_t spin_ns);
/* Adds the sum of n bytes (rounded up to words) to *to. */
cu_result cuda_sum_submit(
	struct session *s, cu_pointer from, uint64_t bytes, cu_pointer to);

#endif
