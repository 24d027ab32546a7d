/* The proof of a finding: a block, its lanes, and what they do. */
#ifndef GATE_WITNESS_H
#define GATE_WITNESS_H

#include "gate/grid.h"
#include "model/verdict.h"

struct witness witness_make(
	struct arena *a, const struct grid_finding *f, unsigned threads);

#endif
