/*
 * Applying a ranking: the champions of a kernel as a C and C++ header that the project's
 * own build includes, and as JSON (lanewise/applied.v1) that records what they were
 * chosen with, so that `check` can say whether the choice is still current.
 * docs/reference/apply.md describes both files.
 */
#ifndef APPLY_APPLY_H
#define APPLY_APPLY_H

#include "base/buf.h"
#include "perf/ranking.h"

/* Both need at least one size with a champion (apply_ready). */
bool apply_ready(const struct ranking *r);
/* file: the name to show in its first line. */
struct str apply_header(struct arena *a, const struct ranking *r, const char *file);
struct str apply_json(struct arena *a, const struct ranking *r);

/* "reduce_tuned.h" for kernel "reduce"; `given` (may be empty) may hold {kernel}. */
const char *apply_path(
	struct arena *a, struct str kernel, struct str given, const char *suffix);

#endif
