/*
 * Sums of unknowns: k + c1*s1 + c2*s2 + ... modulo 2^width, in one normal form.
 *
 * A lane that holds "an unknown plus my index" holds such a sum, and its neighbour the
 * same sum with another k.  That is what makes lanes comparable whose values differ: what
 * all lanes share cancels, and what is left of the index below a known alignment of the
 * unknown part decides nothing.
 *
 * All rules are exact modulo 2^width, except one that docs/SAFETY.md states: where values
 * are compared, divided or widened as signed numbers, such a sum is taken not to
 * overflow.
 */
#ifndef VALUE_LINEAR_H
#define VALUE_LINEAR_H

#include "ptx/ptx.h"
#include "value/affine_parts.h"
#include "value/lanes.h"

enum { LINEAR_TERMS = 6 };

struct linear {
	unsigned width; /* bits */
	uint64_t k;
	unsigned n;
	struct cell term[LINEAR_TERMS]; /* v: coefficient, s: symbol; ascending by s */
};

/* ---- linear.c ---- */
/* Any cell but a divergent symbol: false for those. */
bool linear_of(const struct domain *d, struct cell c, unsigned width, struct linear *x);
/* The number, the symbol or SYM_LINEAR that a sum is. */
struct cell linear_cell(struct domain *d, const struct linear *x);
/* x += by*y; false, and x is of no use, if that has too many terms. */
bool linear_add(struct linear *x, const struct linear *y, uint64_t by);
/* One lane of an instruction with an unknown operand; false if it has no simpler form. */
bool linear_eval(struct domain *d, const struct ptx_form *f, const struct cell *x,
	unsigned n, struct cell *out);

/* ---- linear_compare.c ---- */
/* One lane of an integer comparison; false if it has no simpler form. */
bool linear_compare(struct domain *d, enum ptx_cmp cmp, bool is_signed, unsigned width,
	struct cell x, struct cell y, struct cell *out);

/* ---- bounds.c ---- */
/* Low bits that are 0 in a symbol's value whatever it is. */
unsigned bounds_align(const struct domain *d, uint32_t sym);
/* The same of all terms of a sum, its k left out; the width if there are none. */
unsigned bounds_align_terms(const struct domain *d, const struct linear *x);
/* Least and greatest value of a cell read as a number of the width. */
struct span bounds_of(
	const struct domain *d, struct cell c, unsigned width, bool is_signed);
/* The sum without any modulus, every symbol read as a number of the width. */
struct span bounds_sum(const struct domain *d, const struct linear *x, bool is_signed);
/* The value of the sum is the sum itself, without any modulus, perhaps only because
 * signed index arithmetic does not overflow.  *sum: its least and greatest value. */
bool bounds_exact(
	const struct domain *d, const struct linear *x, bool is_signed, struct span *sum);

#endif
