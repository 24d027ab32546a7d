/* Between grid.c and grid_sync.c. */
#ifndef GATE_GRID_PARTS_H
#define GATE_GRID_PARTS_H

#include "gate/grid.h"

/* How often the blocks of a class met others. */
struct sync_record {
	struct grid_class c;
	struct sync sync[SYNC_KINDS];
	unsigned taint;
	bool block_read;           /* they may behave otherwise than other blocks */
	const struct ptx_ins *cat; /* a cluster barrier, or NULL */
};

/* Adds a finding for each kind of barrier that two of them do not share alike: of one
 * cluster, or of the grid. */
void grid_compare_sync(struct grid_result *r, struct arena *out, const struct slice *sl,
	const struct sync_record *v, size_t n);

#endif
