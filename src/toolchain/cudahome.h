/*
 * Where CUDA toolkits are: $CUDA_HOME, $CUDA_PATH, the toolkit of the nvcc or ptxas on
 * PATH, /usr/local/cuda, /opt/cuda, and the layouts of the vendor's Python packages
 * (site-packages/nvidia/cu13/..., site-packages/nvidia/cuda_nvrtc/...) in the active
 * virtual environment, the user's and the system's Python.
 */
#ifndef TOOLCHAIN_CUDAHOME_H
#define TOOLCHAIN_CUDAHOME_H

#include "base/str.h"
#include "toolchain/toolchain.h"

/* Roots that exist, the preferred first; each holds some of bin/, lib/, lib64/, include/.
 */
size_t cuda_roots(struct arena *a, const char ***roots);
/* A program: on PATH, else in a root's bin/; NULL if there is none. */
char *cuda_program(struct arena *a, const char *name);
/* Folders for -I: the first root's include/ that has cuda_runtime.h and, if it is there,
 * the CUDA C++ core libraries' (include/cccl since CUDA 13).  NULL-terminated. */
const char *const *cuda_includes(struct arena *a);
/* The program `name` of a toolkit asked for its version; `absent` is what to say when
 * there is none. */
struct toolchain_info cuda_program_probe(
	struct arena *a, const char *name, const char *absent);
/* "13.0.88" of the "V13.0.88" that nvcc and ptxas print with --version; empty if none. */
struct str cuda_version_word(struct str text);

#endif
