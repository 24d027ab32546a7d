/*
 * What somebody put below .lanewise where the graph has its files.  Ninja opens a .dd and
 * its log whatever they are, and waits for ever at a pipe; through a link a file outside
 * would be written.
 */
#ifndef GRAPH_OBSTACLE_H
#define GRAPH_OBSTACLE_H

#include "base/arena.h"

/* Dies when .lanewise is there and no folder. */
void obstacle_need_folder(void);
/* Removes links, pipes and what else is neither file nor folder, with a warning each.  A
 * folder in the place of a file may hold what somebody wants: dies.  .lanewise itself and
 * the cache may be links; a warning tells of a cache that is no folder, which nodes take
 * for one that cannot be written. */
void obstacles_remove(struct arena *a);

#endif
