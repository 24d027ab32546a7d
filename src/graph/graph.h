/*
 * `lanewise graph`: spec -> device -> space -> plan -> Ninja files.
 *
 * Writes only what changed: the manifest, one manifest and one points.json a kernel, the
 * rules, device.json, an empty .dd for each gate that never ran, and how far searches
 * are.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "graph/plan.h"

struct graph_opts {
	const char *spec; /* NULL: lanewise.json; its folder becomes the current one */
	const char
		*backend;   /* "cuda", "model"; NULL: cuda if a GPU is here, else model */
	const char *device; /* shipped name or file; NULL: the spec's, or the GPU here */
	const char *devices;  /* several: "0,1", "all", UUIDs, names, files; or NULL */
	const char *unsafe;   /* reason of --allow-unsafe; NULL: refused is refused */
	const char *launcher; /* runs lower, gate and compile; NULL: the spec's */
	const char *device_launcher; /* runs what measures; NULL: the spec's */
	bool remeasure; /* begin a new epoch: nothing measured before counts */
	bool estimates; /* measure only if a device or backend is named, also in the
			 * spec, or all kernels are in C, of which there is no model */
	bool no_worker; /* measure in processes of one's own, one at a time */
	bool replay;    /* device and tools as the cache says: nothing is measured */
	/* In the place of the spec's "search"; NULL or 0: as the spec says. */
	const char *strategy, *budget;
	long seed, batch;
};

struct graph {
	struct plan plan;
	const struct graph_opts *opts;
	const char *spec; /* file, in the current folder */
	const char
		*file; /* manifest: "build.ninja", or "lanewise.ninja" beside another's */
	const char *note; /* why there is no measuring, or NULL */
	struct str ptxas; /* path; empty: none */
};

/*
 * Reads the spec and decides what the graph is for; searches know what files know.
 * lock: under the project's lock, which is held until the process ends: a second tune of
 * the same project is told so at once (exit 2). NULL after diag_errors.
 */
struct graph *graph_open(
	struct arena *a, const struct graph_opts *o, bool lock, struct diag *d);
/* Writes the graph as of now; after a search moved on, again. waiting: with the batches
 * that have not run yet. False after diag_errors; nothing was written then. */
bool graph_write(struct arena *a, struct graph *g, bool waiting, struct diag *d);

/* What batches took is kept for budgets by the clock. */
void graph_save_wall(struct arena *a, const struct plan *p);

#endif
