/*
 * A launch shape, what the driver sees: grid, block, cluster, dynamic shared bytes.
 * Text form, used in the graph and in verdicts:  BLOCK/GRID/CLUSTER/SHARED[/coop][/pdl],
 * each triple as X,Y,Z:  "64,1,1/8192,1,1/1,1,1/0".
 */
#ifndef MODEL_LAUNCH_H
#define MODEL_LAUNCH_H

#include "base/str.h"

struct dim {
	uint64_t x, y,
		z; /* a launch that is too big is a finding, so they may exceed limits */
};

struct launch {
	struct dim block;      /* threads per CTA */
	struct dim grid;       /* CTAs */
	struct dim cluster;    /* CTAs per cluster; 1,1,1: no cluster launch */
	uint64_t shared_bytes; /* dynamic shared memory */
	bool cooperative;
	bool programmatic; /* may begin before the launch in front of it has ended */
};

struct str launch_text(struct arena *a, const struct launch *l);
bool launch_parse(struct str s, struct launch *out);
/* "X", "X,Y" or "X,Y,Z" (also with 'x' between), missing ones 1; false if malformed or 0.
 */
bool dim_parse(struct str s, struct dim *out);
struct str dim_text(struct arena *a, struct dim d);
/* Threads of a block; saturates at UINT64_MAX. */
uint64_t dim_volume(struct dim d);

#endif
