/*
 * points.json: what the graph knows of every point of a kernel, for rank, report and apply
 * (schema lanewise/points.v1), with the pins that an applied choice is checked against.
 */
#ifndef GRAPH_POINTS_H
#define GRAPH_POINTS_H

#include "graph/plan.h"

struct str points_text(struct arena *a, const struct plan *p, const struct plan_kernel *k);

#endif
