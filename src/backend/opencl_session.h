/*
 * The OpenCL side of backend/session.h: what its files share.
 *
 *     opencl_session.c  open, the table of the port, faults, waiting
 *     opencl_program.c  the build and its log, the kernel and its limits, arguments
 *     opencl_pool.c     buffers in main memory as the runtime's, cold caches
 *     opencl_time.c     launches that are timed, the floor
 *
 * Buffers lie in memory of ours (CL_MEM_USE_HOST_PTR; mainmem.h).  A runtime that
 * computes on the CPU uses it where it is, so that a kernel that runs far out of a buffer
 * ends the process, and the next one takes over.  The host touches a buffer only while it
 * is mapped.
 */
#ifndef BACKEND_OPENCL_SESSION_H
#define BACKEND_OPENCL_SESSION_H

#include "backend/mainmem.h"
#include "backend/noise.h"
#include "backend/opencl_probe.h"

/* What was being done: the same error code is a different fact at each. */
enum opencl_step { OCL_OPEN, OCL_LOAD, OCL_MEMORY, OCL_LAUNCH, OCL_RUN };

enum {
	OCL_CANARY = 64 << 10, /* known bytes before a buffer */
};

/* A pointer argument. */
struct opencl_buffer {
	struct mainmem_buffer mainmem;
	ocl_memory whole, part; /* part: what the kernel gets */
};

struct loaded {
	struct arena *a;
	const struct bench_request *q;
	struct pool *pool;
	ocl_program program;
	ocl_kernel kernel;
	size_t global[3], local[3];
};

struct session {
	struct arena *a;
	struct opencl_api api;
	const struct device *dev;
	struct opencl_here here;
	ocl_context context;
	ocl_queue queue;
	bool on_cpu;       /* of this machine */
	bool cools;        /* it calls functions of ours, in this process's memory */
	size_t line_bytes; /* of a cache */
	struct noise_watch noise;
	struct mainmem mainmem;
	ocl_program empty; /* a kernel that does nothing; NULL: not built yet */
	struct call call;
};

/* --- opencl_session.c; the first two return false --- */
bool opencl_fault(struct session *s, enum opencl_step at, ocl_int e, const char *what);
bool opencl_refuse(struct session *s, enum result_status status, struct str reason);
/* One launch; *done is to be released. */
bool opencl_submit(struct session *s, struct loaded *l, ocl_event *done);
bool opencl_wait(struct session *s, ocl_event e, int64_t since_ns, int64_t deadline_ns);

/* --- opencl_program.c --- */
bool opencl_load_kernel(struct session *s, struct loaded *l);
bool opencl_build(
	struct session *s, struct str text, struct str options, ocl_program *out);
bool opencl_arguments(struct session *s, struct loaded *l);
void opencl_drop_kernel(struct session *s, struct loaded *l);

/* --- opencl_pool.c --- */
/* Of buffers whose parts are aligned so. */
void opencl_pools_begin(struct session *s, size_t align);
struct opencl_buffer *opencl_buffer(
	const struct session *s, const struct pool *p, size_t arg);
/* Before the next launch nothing of the buffers is in a cache: the device does that. */
bool opencl_pool_cool(struct session *s, struct pool *p);

/* --- opencl_time.c --- */
bool opencl_batch(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out);
double opencl_floor(struct session *s, struct loaded *l);

#endif
