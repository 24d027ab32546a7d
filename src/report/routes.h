/*
 * One problem by several routes: the runs of several specs, each in its own folder, side
 * by side.  A row is a kernel of a run, and everything in it comes from that run's own
 * windows: rows are never ranked or pooled, as they may be of other devices and times.
 */
#ifndef REPORT_ROUTES_H
#define REPORT_ROUTES_H

#include "base/diag.h"
#include "perf/ranking.h"

struct route {
	const char *dir;    /* of the spec, as given, but no slash at its end */
	struct ranking **v; /* NULL: there is no finished run, or there is trouble */
	size_t n;
	const char *trouble; /* what keeps it from being read, or NULL */
};

struct routes {
	struct route *v;
	size_t n;
};

/* The runs in DIR/.lanewise; kernel: only that one (empty: all).  False after
 * diag_errors: some are damaged or no folders, and the others are there. */
bool routes_read(struct arena *a, char *const *dirs, size_t n, struct str kernel,
	struct routes *out, struct diag *d);
/* Whether any of them has a run. */
bool routes_any(const struct routes *r);

/* A section a size, in the order of first sight; a row a kernel. */
struct str routes_text(struct arena *a, const struct routes *r);
/* Schema lanewise/routes.v1 (docs/reference/report.md). */
struct str routes_json(struct arena *a, const struct routes *r);

#endif
