/*
 * Outputs against a reference, element by element, on all cores.
 *
 * An element passes if |o - r| <= abs + rel * |r|, or if it lies within `ulp` units in
 * the last place of r rounded to the output's type (so a correctly rounded result always
 * passes, also with tolerance 0).  NaN matches NaN, an infinity one of the same sign; no
 * other non-finite value passes.  Integers are compared as integers.
 */
#ifndef BACKEND_COMPARE_H
#define BACKEND_COMPARE_H

#include "backend/ref.h"

struct tolerance {
	double abs, rel;
	int64_t ulp;
};

struct comparison {
	uint64_t n, n_wrong;
	double max_abs;     /* largest finite |o - r| */
	double max_rel;     /* largest finite |o - r| / |r| over r that are not 0 */
	uint64_t first;     /* index of the first wrong element, if n_wrong */
	uint64_t got_bits;  /* its storage */
	uint64_t want_wide; /* its reference, 8-byte form */
};

/* n elements of `got` in storage; r has as many. */
struct comparison compare_output(
	const void *got, const struct ref_output *r, struct tolerance t);
/* "'out': 12 of 8192 elements differ; first is [5] = 3.25, expected 3.5". */
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
