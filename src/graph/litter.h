/*
 * What killed processes leave below .lanewise: temporary files of base/fs.h, and entries
 * of launched nodes (node/launcher.h).
 */
#ifndef GRAPH_LITTER_H
#define GRAPH_LITTER_H

#include "base/str.h"

/* Now, for litter_remove(). */
int64_t litter_clock_ns(void);
/* Removes those last written before `before_ns`, of litter_clock_ns() when a run began
 * that has ended: whoever wrote them then is gone. */
void litter_remove(struct arena *a, int64_t before_ns);

#endif
