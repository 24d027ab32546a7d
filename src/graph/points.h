/*
 * What the graph knows of a kernel, for the nodes after it.
 *
 * points.json (schema lanewise/points.v1): every point, and the pins that measuring
 * depends on. pins.json (schema lanewise/pins.v1): all pins that an applied choice is
 * checked against; the hashes of sources are only here, so that an edit which changes no
 * code re-ranks nothing.
 */
#ifndef GRAPH_POINTS_H
#define GRAPH_POINTS_H

#include "graph/plan.h"

struct str points_text(
	struct arena *a, const struct plan *p, const struct plan_kernel *k);

struct str pins_json(struct arena *a, const struct plan *p, const struct plan_kernel *k);

#endif
