/*
 * The verdicts that a guard holds, parsed once for many calls of one process: those of a
 * specialization are asked for by each of its points in turn.
 */
#ifndef NODE_JUDGED_H
#define NODE_JUDGED_H

#include "model/verdict.h"
#include "node/node.h"

/* NULL when the bytes are no verdicts; said through *d.  What is returned is good until
 * the next call with other bytes. */
const struct verdict_file *judged_read(const struct node_file *f, struct diag *d);

#endif
