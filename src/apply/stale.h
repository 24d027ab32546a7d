/* Is an applied choice still what the project would choose? */
#ifndef APPLY_STALE_H
#define APPLY_STALE_H

#include "base/buf.h"
#include "perf/ranking.h"

struct stale_query {
	struct str kernel;
	const char *applied;       /* path of the applied JSON */
	const struct json *pins;   /* the current ones, from points.json */
	const struct ranking *now; /* of the last run; NULL: there is none */
	const char *root; /* folder that source names are relative to; NULL: the cwd */
};

/*
 * Adds to `to` every pin that differs, one a line, and returns EXIT_YES (current),
 * EXIT_NO (stale), or EXIT_TROUBLE after a diag_error (no applied file, a damaged one).
 *
 * What was measured is not stale because the GPU is not here: identity is compared only
 * as far as both sides know it, and another board of the same model is a note.
 */
int stale_check(
	struct arena *a, const struct stale_query *q, struct buf *to, struct diag *d);

#endif
