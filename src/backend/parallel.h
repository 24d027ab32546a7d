/*
 * A loop over [0, n) on all cores, for work that is a plain map over bytes (fills and
 * comparisons of hundreds of megabytes).  The result must not depend on how the range is
 * cut, so that it is the same on every machine.
 */
#ifndef BACKEND_PARALLEL_H
#define BACKEND_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

enum { PARALLEL_MAX = 16 };

/* `part` is below PARALLEL_MAX and differs between calls that may run at once. */
typedef void parallel_body(void *ctx, unsigned part, uint64_t from, uint64_t to);

/* Calls body on pieces that cover [0, n) once; pieces have at least `grain` elements, so
 * that small work stays in the calling thread.  A thread that cannot start is not an
 * error: its piece runs here. */
void parallel_for(uint64_t n, uint64_t grain, parallel_body *body, void *ctx);

#endif
