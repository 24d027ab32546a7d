/*
 * A time from arithmetic alone: waves of blocks, each bounded by bandwidth, arithmetic
 * and latency.  docs/explanation/model.md gives every formula and constant, and how far
 * to trust it.  What this gives is an estimate on every surface, never a measurement.
 */
#ifndef PERF_ESTIMATE_H
#define PERF_ESTIMATE_H

#include "model/result.h"
#include "perf/occupancy.h"

struct estimate_query {
	const struct device *dev;
	const struct facts *facts; /* NULL: nothing is known of the code */
	struct launch launch;
	double bytes; /* moved by one launch; NaN or negative: not declared */
	double flops; /* done by one launch; likewise */
};

struct estimate {
	bool ok;   /* false: the launch does not fit on an SM */
	double ns; /* per launch; NaN if not ok */
	const char
		*bound; /* the largest term: "bandwidth", "arithmetic", "latency", ... */
	double waves;   /* grid / blocks resident on the whole device */
	struct occupancy occupancy;
};

struct estimate estimate_of(const struct estimate_query *q);
/* "estimated: bound by bandwidth, 3.9 waves, occupancy 0.50 (blocks); registers not
 * known" */
struct str estimate_note(
	struct arena *a, const struct estimate_query *q, const struct estimate *e);
/* Fills status, kind, median_ns and estimate_note; the names are the caller's. */
void estimate_result(struct arena *a, const struct estimate_query *q, struct result *r);

#endif
