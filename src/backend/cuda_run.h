/*
 * One candidate on one device, in a process that can be thrown away: the context, its
 * module, its buffers, its deadline.  A failure is written into the result, once, by
 * cuda_fail() or cuda_stop(); the functions then return false and the run ends.
 */
#ifndef BACKEND_CUDA_RUN_H
#define BACKEND_CUDA_RUN_H

#include "backend/backend.h"
#include "backend/cuda_api.h"
#include "backend/image.h"
#include "backend/ref.h"

/* What was being done: the same error code is a different fact at each. */
enum cuda_phase { CUDA_SETUP, CUDA_LOAD, CUDA_MEMORY, CUDA_LAUNCH, CUDA_RUN };

struct cuda_buffer {
	cu_pointer at; /* what the kernel gets; 256-byte aligned */
	uint64_t bytes;
	cu_pointer before; /* canaries right before and right after */
	size_t n_before;
	cu_pointer after;
	size_t n_after;
	unsigned char *first; /* outputs: what the first run wrote */
	unsigned char *again; /* outputs: what a later run wrote */
};

struct cuda {
	struct arena *a;
	struct cuda_api api;
	cu_device dev;
	cu_stream stream;
	cu_function function;
	const struct bench_request *q;
	struct result *r;
	struct cuda_buffer *buffer; /* per argument; scalars have none */
	void **params;              /* per argument: address of its value */
	struct cu_launch launch;
	struct cu_launch_attribute attribute[2];
	int64_t deadline_ns;     /* of device work; 0: not started */
	unsigned char *stage[2]; /* pinned, CUDA_STAGE_BYTES each */
};

enum { CUDA_STAGE_BYTES = 16 << 20, CUDA_CANARY_BYTES = 64 << 10 };

/* Both return false. */
bool cuda_fail(struct cuda *c, enum cuda_phase at, cu_result e, const char *what);
bool cuda_stop(struct cuda *c, enum result_status s, struct str reason);
/* The status of an error code in a phase. */
enum result_status cuda_status(enum cuda_phase at, cu_result e);

/* Until everything submitted (or an event) is done; past the deadline: hung. */
bool cuda_wait(struct cuda *c);
bool cuda_wait_event(struct cuda *c, cu_event e);

/* cuda_module.c: loads the artifact, finds the entry, prepares the launch. */
bool cuda_module_load(struct cuda *c);
bool cuda_launch(struct cuda *c);

/* cuda_buffer.c */
bool cuda_buffers_make(struct cuda *c);
/* Inputs of all buffers; outputs that are not inputs get the poison byte. */
bool cuda_buffers_fill(struct cuda *c);
bool cuda_buffers_poison(struct cuda *c, unsigned char byte);
bool cuda_buffers_refill_inout(struct cuda *c);
bool cuda_canaries_check(struct cuda *c);
/* Outputs to .first or .again. */
bool cuda_outputs_fetch(struct cuda *c, bool again);

/* cuda_verify.c: two runs on differently poisoned outputs, against the reference. */
bool cuda_verify(struct cuda *c, const struct ref *ref);
/* The outputs of the last launch again. */
bool cuda_verify_again(struct cuda *c, const struct ref *ref);

/* cuda_timing.c: fills readings_ns, median and interval. */
bool cuda_timing(struct cuda *c);

#endif
