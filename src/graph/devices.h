/*
 * Which devices a graph is for, and whether it measures, simulates or estimates: from the
 * command line, else the spec, else what is here.
 */
#ifndef GRAPH_DEVICES_H
#define GRAPH_DEVICES_H

#include "graph/graph.h"

/* Fills plan.backend, plan.device, plan.devices and note; false after a diag_error.
 * Several devices must be of one model: one judgement and one machine code are for all.
 */
bool devices_choose(
	struct arena *a, struct graph *g, const struct graph_opts *o, struct diag *d);

/* True: all kernels are in C, so the device is the host when none is named. C needs no
 * GPU, and nothing else runs without one. */
bool devices_host_alone(const struct spec *spec);

/*
 * Which device measures which problem (kernel at a size): fills device_of of each kernel.
 * All candidates of a problem are on one device, since times of two are no ranking.
 *
 * Each problem ranks the devices by a hash of both their names and takes the first that
 * has fewer than ceil(problems / devices): so all are used, and a problem that comes or
 * goes moves few others (Mirrokni, Thorup, Zadimoghaddam: consistent hashing with bounded
 * loads, 2018).
 */
void devices_shard(struct arena *a, struct plan *p);

#endif
