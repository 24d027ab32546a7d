/*
 * Applying a ranking: its champions go into the project's wisdom (lanewise/wisdom.v1),
 * and what the wisdom has of the kernel as it is becomes a C and C++ header that the
 * project's own build includes.  docs/reference/apply.md describes the header.
 */
#ifndef APPLY_APPLY_H
#define APPLY_APPLY_H

#include "apply/wisdom.h"

/* True when at least one size has a champion. */
bool apply_ready(const struct ranking *r);

/*
 * Puts the champions of a ranking, with its pins, into w, dated `date`.  They take the
 * place of everything that w has of the kernel on the ranking's device, but
 *   - what was measured stays when the kernel is the same and now nothing was measured
 *     (`said` gets a line for each), unless the gate refuses it now, and
 *   - what is equal but for its date keeps that.
 * Warns of each that goes in, was measured and is not proven to be better than the
 * baseline.
 */
void apply_ranking(
	struct wisdom *w, const struct ranking *r, struct str date, struct buf *said);

/*
 * What w has of a kernel as `pins` (lanewise/pins.v1) say it is: sources and spec are
 * those.  A verdict of another source says nothing of this one, so the rest is not handed
 * out: `said` gets a line for each.
 */
struct wisdom apply_current(const struct wisdom *w, struct str kernel,
	const struct json *pins, struct buf *said);

/* The header of at least one entry of one kernel.  file: the name in its first line. */
struct str apply_header(struct arena *a, const struct wisdom *w, const char *file);

/* "reduce_tuned.h" for kernel "reduce"; `given` (may be empty) may hold {kernel}. */
const char *apply_path(
	struct arena *a, struct str kernel, struct str given, const char *suffix);

#endif
