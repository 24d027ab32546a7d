/*
 * Outputs against a reference, element by element, on all cores.
 *
 * The reference r is rounded to the output's type first, so what remains is the kernel's
 * own error.  An element passes if |o - r| <= abs + rel * |r|, or if it lies within `ulp`
 * units in the last place of r (0: it is r).  tf32 stands in 32 bits: r is rounded to
 * these, a unit is 2^13 of their places, and what is nearer than half of one is equal.
 *
 * NaN matches NaN, an infinity one of the same sign, and what the type cannot hold is an
 * infinity.  In the 8-bit floats it may be what either conversion of OFP8 gives: the
 * largest number, or NaN (e4m3) or an infinity (e5m2).  No other non-finite value passes.
 * Integers are compared as integers; their unit is 1.
 */
#ifndef BACKEND_COMPARE_H
#define BACKEND_COMPARE_H

#include "backend/ref.h"

/* One element and its reference. */
struct difference {
	uint64_t index;
	uint64_t got_bits;  /* storage */
	uint64_t want_wide; /* 8-byte form, as in the reference */
};

/* Errors are of finite elements with a finite reference. */
struct comparison {
	uint64_t n, n_wrong;
	double max_abs;    /* largest |o - r| */
	double max_rel;    /* largest |o - r| / |r| over r that are not 0 */
	uint64_t max_ulp;  /* most units in the last place */
	double norm_ratio; /* ||o - r|| / ||r||; NaN if r is 0 everywhere or the squares
			      leave the range */
	uint64_t n_odd_out, n_odd_ref; /* not finite: in the output, in the reference */
	/* If n_wrong: the first one, and the one that is furthest off; one that is not
	 * finite is further off than any that is. */
	struct difference first, worst;
};

/* n elements of `got` in storage; r has as many.  The output's own tolerance, if it has
 * one, is in the place of t. */
struct comparison compare_output(
	const void *got, const struct ref_output *r, struct tolerance t);
/* "'out': 12 of 8192 elements differ; first is [5] = 3.25, expected 3.5; worst is ..." */
struct str comparison_text(
	struct arena *a, const struct comparison *c, const struct ref_output *r);

/*
 * Two runs on differently poisoned outputs (bytes `p1`, `p2`).  An element that holds the
 * poison in both was never written.
 */
struct rerun {
	uint64_t n_unwritten, first_unwritten;
	uint64_t n_differ, first_differ; /* written, but not the same bits twice */
};
struct rerun compare_runs(const void *one, const void *two, uint64_t n, size_t bytes,
	unsigned char p1, unsigned char p2);

#endif
