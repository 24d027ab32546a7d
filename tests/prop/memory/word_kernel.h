/*
 * Random kernels whose branches hang on words of memory, and an interpreter that runs
 * each of their threads alone.
 */
#ifndef WORD_KERNEL_H
#define WORD_KERNEL_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	INS_MAX = 200,
	REGS = 6,     /* r0..r5 of statements; r6 and r7 count loops */
	COUNTERS = 6, /* the first of them */
	LANES = 96,
	SHARED_BYTES = 128, /* two arrays of half of it */
	LOCAL_BYTES = 32,
	SITES = 32,
};

enum op {
	SET,
	TID,
	ARG,
	DATA,
	ADD,
	AND,
	XOR,
	LESS,
	LOAD,
	STORE,
	COUNT,
	BAR,
	WARP,
	BRA,
	JUMP,
	LEAVE
};
enum space { FIRST, SECOND, LOCAL };

struct word_ins {
	enum op op;
	unsigned d, a, b, depth; /* registers; loops around it */
	uint32_t imm;            /* number, data site, bound of a branch, offset */
	unsigned target;
	enum space space;
	unsigned width, mask; /* bytes; of the index, 0: none */
	bool sign, generic, each, less;
};

struct word_kernel {
	struct word_ins v[INS_MAX];
	unsigned n, threads, depth, sites;
	bool uses_arg;
	struct rng r;
};

/* The first argument is a pointer, the second a number that may be given. */
enum { WORD_ARG = 2 };

void word_kernel_make(struct word_kernel *k, uint64_t seed, uint64_t serial);
struct str word_kernel_ptx(struct arena *a, const struct word_kernel *k);

/* FINE: every barrier is reached by all.  GREY: what other tests are for. */
enum truth { FINE, GREY, HAZARD };
/* One run: contents of memory, the argument if it is not given, and the schedule come
 * from the seed. */
enum truth word_run(const struct word_kernel *k, uint64_t seed, bool arg_given);

#endif
