/* The processors of this machine: what they are, and which of them a thread runs on. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include "base/str.h"

enum { CPUS_MAX = 1024 };

struct cpu {
	struct str name; /* "AMD EPYC"; the architecture where there is no name */
	/* 16 hex digits of model, stepping and features: code that was compiled for this
	 * very processor is for processors with the same. */
	struct str identity;
	int64_t l2_bytes; /* of one of them; 0: not told */
	int64_t max_mhz;  /* 0: not told */
};

struct cpu cpu_here(struct arena *a);

/* How many are up; at least 1. */
unsigned cpu_online(void);
/* The processors that the calling thread may run on, in order; returns how many. */
size_t cpu_allowed(int v[CPUS_MAX]);
/* The calling thread, and those it starts from now on, run on these only. */
bool cpu_bind(const int *v, size_t n);

#endif
