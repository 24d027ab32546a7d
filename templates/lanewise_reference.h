/*
 * The interface between lanewise and a reference: a C function, yours, that does what a
 * kernel does with another library, to be timed beside it. It is compiled by you, to a
 * shared object, and runs in the process that has the kernel's context.
 *
 * It gets the arguments of the kernel in the order of the spec and submits its work to
 * the stream. Nothing is waited for, nothing is allocated for each call: the call is
 * repeated thousands of times, and recorded into a CUDA graph where that works. Return 0,
 * or non-zero when these arguments cannot be handled.
 */
#ifndef LANEWISE_REFERENCE_H
#define LANEWISE_REFERENCE_H

#include <stddef.h>

struct lanewise_arg {
	const char *name; /* as in the spec */
	const char *type; /* element type: "f32", "f64", "i32", "u32", ... */
	size_t count;     /* elements; 1 for a scalar */
	void *data;       /* of a buffer: on the device; of a scalar: its value, here */
	int is_output;    /* 1: it is to be written */
};

#ifdef __cplusplus
extern "C"
#endif
	int
	lanewise_reference(const struct lanewise_arg *args, int n_args,
		void *stream); /* a CUstream, which is a cudaStream_t */

#endif
