/* Comparing the applied choice of one kernel with what it would be now; for `apply
 * --check` and `ci`. */
#ifndef CMD_APPLIED_CHECK_H
#define CMD_APPLIED_CHECK_H

#include "base/buf.h"
#include "base/diag.h"
#include "node/pointlist.h"

struct ranking;

/* Of the run in `dir` (".lanewise"); the first is NULL after a diag_error. */
struct ranking *applied_ranking(
	struct arena *a, const char *dir, struct str kernel, struct diag *d);
const struct json *applied_pins(struct arena *a, const char *dir, struct str kernel,
	const char *name, struct diag *d);

/* The record: `option`, else the spec's, else KERNEL_tuned.json. */
const char *applied_path(struct arena *a, const struct pointlist *p, const char *option);
/* The header, likewise. */
const char *applied_header(
	struct arena *a, const struct pointlist *p, const char *option);

/* EXIT_YES current, EXIT_NO stale, with a line a difference; EXIT_TROUBLE after a
 * diag_error. */
int applied_check(struct arena *a, const char *dir, const struct pointlist *p,
	const char *path, const char *header, struct buf *lines, struct diag *d);

#endif
