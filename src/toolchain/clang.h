/* The clang that is here, and what it knows of NVPTX: for CUDA (clang.c) and OpenCL. */
#ifndef TOOLCHAIN_CLANG_H
#define TOOLCHAIN_CLANG_H

#include "toolchain/toolchain.h"

struct clang {
	char *program; /* path; NULL: none is here */
	struct str version;
	int major;
};

/* The newest one of clang++-30 .. clang++-9, else clang++. */
struct clang clang_find(struct arena *a);
struct toolchain_info clang_probe(struct arena *a);
/* The newest architecture that it knows and the device has: 86; 0: none. */
int clang_arch(int major, int cc);
/* The PTX version that it can be told to write: 75; 0: none. */
int clang_ptx(int major);

#endif
