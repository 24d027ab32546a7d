/* Parts of affine values, shared by affine.c and affine_compare.c. */
#ifndef VALUE_AFFINE_PARTS_H
#define VALUE_AFFINE_PARTS_H

#include "value/lanes.h"

/* Wide enough for coefficient times block number without overflow. */
__extension__ typedef __int128 i128;

/* Least and greatest value over the lanes and the class. */
struct span {
	i128 lo, hi;
};

/* An affine value under construction. */
struct draft {
	i128 base;
	i128 *lane;
	i128 c[3];
};

struct span affine_span(const struct domain *d, const struct affine *x);
/* Does not depend on the block. */
bool affine_is_flat(const struct affine *x);
int64_t affine_base(const struct affine *x, unsigned t);
/* An affine or fully known value as an affine one of the width; false if it is neither.
 */
bool affine_as(struct domain *d, const struct val *v, unsigned width, struct affine *x);

#endif
