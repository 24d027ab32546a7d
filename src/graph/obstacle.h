/*
 * What somebody put below .lanewise where the graph has its files.  Ninja opens a .dd and
 * its log whatever they are, and waits for ever at a pipe; through a link a file outside
 * would be written.
 */
#ifndef GRAPH_OBSTACLE_H
#define GRAPH_OBSTACLE_H

#include "base/arena.h"

/* Removes links, pipes and what else is neither file nor folder, with a warning each.  A
 * folder in the place of a file may hold what somebody wants: dies.  .lanewise itself and
 * the cache may be links. */
void obstacles_remove(struct arena *a);

#endif
