/* Comparing the applied choice of one kernel with what it would be now; for `apply
 * --check` and `ci`. */
#ifndef CMD_APPLIED_CHECK_H
#define CMD_APPLIED_CHECK_H

#include "base/buf.h"
#include "base/diag.h"
#include "node/pointlist.h"

struct ranking;
struct spec;

/* Of the run in `dir` (".lanewise"): DIR/KERNEL/NAME; what it holds, NULL after a
 * diag_error. */
const char *applied_file(
	struct arena *a, const char *dir, struct str kernel, const char *name);
struct ranking *applied_ranking(
	struct arena *a, const char *dir, struct str kernel, struct diag *d);
const struct json *applied_pins(struct arena *a, const char *dir, struct str kernel,
	const char *name, struct diag *d);

/* The spec that the run in `dir` is of, as it is now; empty when its file is not there;
 * NULL after a diag_error. */
const struct spec *applied_spec(
	struct arena *a, const char *dir, const struct json *pins, struct diag *d);
/* True when a kernel's source or spec is not what was ranked; why: the first
 * difference.  ranked and now: ranked.json and pins.json. */
bool applied_is_edited(struct arena *a, const char *dir, struct str kernel,
	const struct spec *spec, const struct json *ranked, const struct json *now,
	struct str *why);

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
