/*
 * Values that depend on the block: base + cx*ctaid.x + cy*ctaid.y + cz*ctaid.z.
 *
 * Affine values are exact over the whole class of blocks; whatever would leave the range
 * of its register somewhere in the class is not affine.  A comparison whose answer
 * changes inside the class stops the run (STOP_SPLIT) and names the crossing points: the
 * class is cut there and each piece is run again.
 */
#ifndef VALUE_AFFINE_H
#define VALUE_AFFINE_H

#include "ptx/ptx.h"
#include "value/lanes.h"

/* ctaid.x, .y or .z (axis 0, 1, 2). */
struct val affine_ctaid(struct domain *d, int axis);
/* The number in the class: of the cluster. */
struct val affine_number(struct domain *d, int axis);
struct cell affine_cell(struct domain *d, const struct affine *x, unsigned t);
bool affine_same(const struct domain *d, const struct affine *a, const struct affine *b);
/* An affine value as one unknown (uniform base) or one a lane; others unchanged. */
struct val affine_forget(struct domain *d, const struct val *v);
bool affine_select(struct domain *d, const struct lmask *m, const struct val *a,
	const struct val *b, struct val *out);
/* Evaluates an instruction with an affine operand; false if its result is not affine. */
bool affine_eval(struct domain *d, const struct ptx_form *f, const struct val *a,
	unsigned n, struct val *out);
/* A comparison of affine or known values; false if it cannot be decided here. */
bool affine_compare(struct domain *d, enum ptx_cmp cmp, bool is_signed, unsigned width,
	const struct val *a, const struct val *b, struct val *out);

#endif
