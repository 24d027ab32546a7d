/*
 * All blocks of the grid: it starts as one class and is cut where blocks differ.
 */
#ifndef GATE_GRID_H
#define GATE_GRID_H

#include "simt/simt.h"

/* Blocks lo..hi (inclusive) of the grid. */
struct grid_class {
	int64_t lo[3], hi[3];
	/* Where clusters matter these are clusters, and the class is the blocks at one
	 * place in them: ctaid is rank + step * number. */
	int64_t rank[3], step[3];
};

/* What was found, and the blocks it holds for. */
struct grid_finding {
	struct breach r;
	struct grid_class first; /* the first class it was found in */
	uint64_t n_blocks; /* of all classes it was found in; 0: not all were tried */
};

struct grid_result {
	struct grid_finding *v;
	size_t n, cap;
	const char *cap_hit; /* a budget that was spent, or NULL */
	/* Of a slice with mbarriers: why what was found is no answer, where, and on what
	 * that depends; NULL: it is one. */
	const char *unmodelled;
	const struct ptx_ins *unmodelled_at;
	unsigned unmodelled_taint;
	struct grid_class where; /* the class in which it was */
	unsigned classes;
	uint64_t spent; /* lanes and instructions run */
};

/* Findings go to `out`; everything else is released.  trace: follow undefined values to
 * their uses (sl is then a whole slice). */
struct grid_result grid_run(struct arena *out, const struct slice *sl,
	const struct gate_query *q, bool trace);

#endif
