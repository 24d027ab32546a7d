/*
 * A search, run: a batch, Ninja, what it gave, the next batch, until every search is
 * over.
 *
 * Files of earlier runs are believed when Ninja finds nothing to do for them. Otherwise
 * something changed since, and the searches begin anew: Ninja brings batch after batch up
 * to date, most of it at once, and as soon as a result differs a search goes another way.
 * So what is asked for follows from the spec and the sources as they are, never from what
 * was asked for before.
 */
#ifndef GRAPH_ROUNDS_H
#define GRAPH_ROUNDS_H

#include "graph/graph.h"
#include "graph/run.h"

/* Moves the searches of one kernel (empty: of all) to their ends, and leaves a graph of
 * all that they asked for; without searches it only writes the graph. `o` is what
 * run_ninja() is given, targets apart. False: *said is what there is to say besides
 * diagnostics; what was done is kept. */
bool rounds_run(struct graph *g, struct str kernel, const struct run_opts *o,
	struct arena *a, struct str *said, struct diag *d);

#endif
