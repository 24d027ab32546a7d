/*
 * The launchers that nodes run under (node/launcher.h): an option's, or the spec's.
 */
#ifndef GRAPH_LAUNCHERS_H
#define GRAPH_LAUNCHERS_H

#include "graph/graph.h"

#define LAUNCH_FILE ".lanewise/launch.json"

/* Writes LAUNCH_FILE, or removes it when there is no launcher.  `program`: lanewise, as
 * the graph names it. */
void launchers_write(struct arena *a, const struct graph_opts *o, const struct spec *spec,
	const char *program);
/* True when measurements are launched: no worker of this machine has a part in them. */
bool launchers_measure(const struct graph_opts *o, const struct spec *spec);

#endif
