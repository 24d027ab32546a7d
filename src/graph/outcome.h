/*
 * What the files of the graph say of one candidate at one size: its verdict, and behind
 * that its result.
 */
#ifndef GRAPH_OUTCOME_H
#define GRAPH_OUTCOME_H

#include "graph/searching.h"

struct outcome {
	enum search_outcome kind;
	double cost;     /* SEARCH_TIMED: the objective, or the time in ns; NaN: none */
	double device_s; /* spent on its timed launches */
};

/* False when there is neither a verdict that decides nor a result that can be read, whose
 * point is *missing then. Where the size does not admit it, it is refused. */
bool outcome_read(struct arena *a, const struct searching *q, uint64_t place,
	struct outcome *out, struct str *missing);

#endif
