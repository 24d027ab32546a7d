/* Starts Ninja: the only file that does. */
#ifndef GRAPH_RUN_H
#define GRAPH_RUN_H

#include "base/str.h"

struct run_opts {
	const char *file;           /* manifest */
	const char *const *targets; /* NULL-terminated */
	long jobs; /* below 1: one less than the cores (a bench always has one), at least
		      1 */
	bool dry;  /* ninja -n: is there something to do? */
	void (*tick)(void *);
	void *tick_arg;
};

struct run_result {
	bool ok;         /* every target is up to date */
	bool no_work;    /* there was nothing to do */
	struct str said; /* what Ninja and failed nodes printed, without progress */
};

/* Version of the ninja on PATH as major * 100 + minor, or 0 with a reason in *why. */
int run_ninja_version(struct arena *a, struct str *why);
/* Files of the graph that turn out to be damaged are removed, and the run is tried again.
 * Sets NINJA_STATUS. */
struct run_result run_ninja(struct arena *a, const struct run_opts *o);

#endif
