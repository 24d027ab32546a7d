/*
 * Where an address may point: which variable of shared or local memory a register's value
 * was formed from, whatever the flow of control; and whose words can be followed.
 *
 * An address is taken to point into the variable that it was formed from (see
 * docs/SAFETY.md): base plus index is still that variable, whatever the index.  A kernel
 * argument points to global memory: CUDA C++ Programming Guide, "Memory Hierarchy": the
 * host has no address of shared or local memory.  An address that was itself read from
 * memory points to global memory or to a variable whose address was stored somewhere.
 */
#ifndef SLICE_POINTEE_H
#define SLICE_POINTEE_H

#include "slice/slice.h"

enum {
	POINTS_NOWHERE, /* a number */
	POINTS_GLOBAL,  /* not shared or local memory */
	POINTS_ANY,     /* any variable that escaped, or global memory */
	POINTS_VAR,     /* POINTS_VAR + v: into this variable of the module */
};

/* An instruction that may write words that are followed. */
struct points_writer {
	uint32_t func, bb, ins;
	uint32_t to; /* POINTS_ANY or a variable */
};

struct points {
	uint32_t **at;   /* by function (NULL: not used) and value */
	bool *escaped;   /* by variable: its address was stored, passed on or mangled */
	bool *follow;    /* by variable: all that writes it is understood */
	uint32_t *first; /* by variable: the one that stands for all at its address:
			    arrays of dynamic shared memory begin together */
	struct points_writer *writer;
	size_t n_writers, cap_writers;
	bool any; /* some variable is followed */
};

/* For the functions in use; their pieces have been found. */
struct points *points_find(struct arena *a, const struct slice *s);
/* Where the memory operand of a load, store or atomic points. */
uint32_t points_of(const struct points *p, const struct slice *s, uint32_t func,
	const struct ptx_ins *ins);
/* The same for an address operand. */
uint32_t points_of_operand(const struct points *p, const struct slice *s, uint32_t func,
	const struct ptx_operand *o);
/* Fills follow, writer and any, when the rest is there. */
void points_follow(struct arena *a, struct points *p, const struct slice *s);
/* ld, st, red or atom of one to eight bytes a part, whose address is its operand
 * *address. */
bool points_is_access(const struct ptx_ins *ins, unsigned *address);
/* Writes memory by itself. */
bool points_is_write(const struct ptx_ins *ins);

#endif
