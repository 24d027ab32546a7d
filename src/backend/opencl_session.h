/*
 * The OpenCL side of backend/session.h: what its files share.
 *
 *     opencl_session.c  open, the table of the port, faults, waiting
 *     opencl_program.c  the build and its log, the kernel and its limits, arguments
 *     opencl_pool.c     buffers by argument list, their guard zones, inputs
 *     opencl_time.c     launches that are timed, cold caches, the floor
 *
 * Buffers lie in memory of ours (CL_MEM_USE_HOST_PTR) between pages that nobody may
 * touch.  A runtime that computes on the CPU uses it where it is, so that a kernel that
 * runs far out of a buffer ends the process, and the next one takes over; what lies
 * between is a guard zone and is looked at on every device.  The host touches a buffer
 * only while it is mapped.
 */
#ifndef BACKEND_OPENCL_SESSION_H
#define BACKEND_OPENCL_SESSION_H

#include "backend/noise.h"
#include "backend/opencl_probe.h"
#include "backend/session.h"
#include "base/arena.h"
#include "base/hash.h"

/* What was being done: the same error code is a different fact at each. */
enum opencl_step { OCL_OPEN, OCL_LOAD, OCL_MEMORY, OCL_LAUNCH, OCL_RUN };

enum {
	OCL_CANARY = 64 << 10, /* known bytes before a buffer */
	OCL_ARGS_MAX = 256,    /* as the spec's */
};

/* A pointer argument: no-access page, canary, buffer, canary up to the page's end,
 * no-access page. */
struct opencl_buffer {
	unsigned char *pages; /* with the two outer ones */
	size_t pages_bytes;
	unsigned char *home; /* what `whole` stands for */
	size_t home_bytes;
	size_t at; /* of the buffer in home */
	size_t bytes;
	ocl_memory whole, part;  /* part: what the kernel gets */
	unsigned char *pristine; /* what an in-out argument holds first */
	struct hash sum;         /* of an input */
};

/* Buffers of one argument list; inputs stay in them. */
struct opencl_pool {
	struct opencl_pool *next;
	struct arena a;
	struct str key;
	const struct arg *args;
	size_t n_args;
	uint64_t seed;
	struct opencl_buffer *buffer; /* per argument; scalars have none */
	unsigned users;
	bool used;   /* by a launch, since guards() looked */
	bool filled; /* inputs are what they should be */
};

struct loaded {
	struct arena *a;
	const struct bench_request *q;
	struct opencl_pool *pool;
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
	bool on_cpu;            /* of this machine */
	bool cools;             /* it calls functions of ours, in this process's memory */
	size_t align;           /* of the parts of a buffer */
	size_t line_bytes;      /* of a cache */
	unsigned char *pattern; /* of guard zones; OCL_CANARY bytes */
	struct noise_watch noise;
	struct opencl_pool *pools;
	ocl_program empty; /* a kernel that does nothing; NULL: not built yet */
	struct {
		struct arena *a;
		struct fault *f;
	} call;
};

/* --- opencl_session.c; the first three return false --- */
bool opencl_fault(struct session *s, enum opencl_step at, ocl_int e, const char *what);
bool opencl_refuse(struct session *s, enum result_status status, struct str reason);
bool opencl_hung(struct session *s, int64_t since_ns);
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
bool opencl_pool_get(struct session *s, struct loaded *l);
void opencl_pool_drop(struct loaded *l);
/* In-out arguments hold their inputs again. */
bool opencl_pool_restore(struct session *s, struct opencl_pool *p);
bool opencl_pool_poison(struct session *s, struct opencl_pool *p, unsigned char byte);
bool opencl_pool_check(struct session *s, struct opencl_pool *p);
bool opencl_pool_read(struct session *s, struct opencl_pool *p, size_t arg, void *to);
/* Before the next launch nothing of the buffers is in a cache: the device does that. */
bool opencl_pool_cool(struct session *s, struct opencl_pool *p);

/* --- opencl_time.c --- */
bool opencl_batch(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out);
double opencl_floor(struct session *s, struct loaded *l);

#endif
