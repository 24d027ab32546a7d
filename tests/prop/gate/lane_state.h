/* The state of a block that the interpreter runs; see lane_run.h. */
#ifndef PROP_LANE_STATE_H
#define PROP_LANE_STATE_H

#include "lane_run.h"

enum { WARPS = THREADS_MAX / 32 };

struct frame {
	unsigned func, pc;
	uint32_t v[SLOTS], undefined; /* registers; bits: they hold no defined value */
	uint32_t round[LOOPS_MAX], local[LOCAL_WORDS];
	uint32_t into; /* register of the caller that takes the result */
};

struct thread {
	struct frame f[FUNCS_MAX];
	unsigned depth, steps; /* f[depth] runs */
	bool ended;
	uint64_t serial; /* of its atomics */
};

/* A counted barrier: warps that arrived in this phase, and those of them that wait. */
struct counted {
	uint32_t count, warps, waiting;
};

struct run {
	const struct random_kernel *k;
	const struct memory *mem;
	unsigned label[LABELS_MAX];
	struct thread t[THREADS_MAX];
	unsigned n;
	uint32_t cta[2];
	uint32_t shared[SHARED_WORDS];
	struct counted bar[NAMED_MAX];
	unsigned warp[WARPS]; /* in order of preference */
	bool grey, bad, long_run;
};

struct value {
	uint32_t v;
	bool undefined;
};

/* ---- lane_run.c ---- */
struct value lane_value(struct run *r, unsigned t, const struct expr *e);
/* The same of what decides something: an undefined value makes the run grey. */
uint32_t lane_used(struct run *r, unsigned t, const struct expr *e);
bool lane_holds(struct run *r, unsigned t, const struct cond *c);
void lane_set(struct run *r, unsigned t, uint32_t var, struct value v);
uint32_t lane_mask(struct run *r, unsigned t, const struct mask *m);
/* Past the instruction that it waits at, to the next. */
void lane_go_on(struct run *r, unsigned t);
/* The instruction that a thread waits at; NULL: it has ended. */
const struct ins *lane_site(const struct run *r, unsigned t);
/* Two threads that wait: at the same instruction, called from the same places.  In
 * different rounds of a loop it is grey. */
bool lane_same_place(struct run *r, unsigned a, unsigned b);

/* ---- lane_collective.c ---- */
bool lane_is_collective(const struct ins *i);
/* Completes the collectives that can be; false: none. */
bool lane_run_collectives(struct run *r);

#endif
