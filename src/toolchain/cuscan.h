/*
 * A light look at CUDA C++, OpenCL C or C, for `lanewise init`: kernels with the names
 * and types of their parameters, and macros that could be parameters.  It is no parser:
 * what it does not understand it leaves out, and the PTX, where there is one, has the
 * last word.
 */
#ifndef TOOLCHAIN_CUSCAN_H
#define TOOLCHAIN_CUSCAN_H

#include "model/arg.h"

struct scan_param {
	struct str name; /* may be empty */
	bool pointer;
	bool constant; /* const T * */
	bool known;    /* type and width are */
	enum dtype type;
	unsigned width; /* elements of type in one of these: 4 for float4 */
	/* In C, of a pointer: what the body does with its elements; neither: not seen. */
	bool loaded, stored;
};

struct scan_kernel {
	struct str name;
	struct scan_param *params;
	size_t n_params;
	uint32_t reqd[3]; /* of reqd_work_group_size; 0: none */
	bool open;        /* of a function in C: it returns nothing and is not static */
};

/* #ifndef NAME / #define NAME 128 / #endif */
struct scan_macro {
	struct str name;
	int64_t value;
};

struct scan {
	struct scan_kernel *kernels; /* in order of writing; in C: functions with a body
				      */
	size_t n_kernels, cap_kernels;
	struct scan_macro *macros;
	size_t n_macros, cap_macros;
	size_t dynamic_shared_bytes; /* of an element of `extern __shared__ T s[]`; 0:
					none */
};

/* language: "cuda", "opencl" or "c". */
struct scan source_scan(struct arena *a, struct str text, struct str language);
/* The definition of a name with so many parameters, or NULL. */
const struct scan_kernel *scan_find(
	const struct scan *s, struct str name, size_t n_params);

/* The unqualified name in a mangled one (Itanium C++ ABI): "reduce" of
 * _Z6reduceILi3EEvPi, "k" of _ZN2ns1kEPf; anything else is returned as it is. */
struct str mangled_base(struct str symbol);

#endif
