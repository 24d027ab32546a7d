/* A function of cells applied to whole values, lane by lane. */
#ifndef VALUE_VAL_MAP_H
#define VALUE_VAL_MAP_H

#include "value/lanes.h"

enum { VAL_MAP_ARGS = 8 };

/* The result in one lane.  It depends on the cells and on what symbol.h says of their
 * symbols, and on nothing else: it is not called for every lane. */
typedef struct cell lane_fn(
	struct domain *d, const void *how, const struct cell *x, unsigned n);

/* fn of the n operands, numbers cut to `keep`.  No operand is NONE; a symbol stands for
 * all lanes. */
struct val val_map(struct domain *d, lane_fn *fn, const void *how, const struct val *a,
	unsigned n, uint64_t keep);

#endif
