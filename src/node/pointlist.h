/*
 * points.json: every point of one kernel, as the graph step wrote it.  Schema
 * lanewise/points.v1; what rank, apply and `apply --check` know of the spec.
 */
#ifndef NODE_POINTLIST_H
#define NODE_POINTLIST_H

#include "format/json.h"
#include "model/launch.h"

struct point {
	struct str name; /* "C@SIZE" */
	struct str candidate, label, id, size, specialization;
	const struct json *assignment; /* object */
	struct str launch_text, args;  /* launch.h, arg.h */
	struct str reference;          /* path; empty: outputs are not compared */
	struct launch launch;
	double bytes, flops; /* NaN: not declared */
};

struct pointlist {
	struct str kernel;
	const struct json *sources, *params; /* arrays */
	const struct json *sizes;            /* array of {"name", "values"} */
	const struct json *pins;             /* object; an empty one when absent */
	const struct json *search;           /* object; NULL: there is none */
	struct str baseline;                 /* candidate; empty: none */
	struct str unsafe_reason;            /* of --allow-unsafe; empty: not given */
	struct str header, json; /* "apply": {"header", "json"}; empty: default */
	struct point *v;
	size_t n;
};

/* NULL after a diag_error. */
struct pointlist *pointlist_read(
	struct arena *a, const char *path, struct str bytes, struct diag *d);
/* The same, from a file. */
struct pointlist *pointlist_load(struct arena *a, const char *path, struct diag *d);

#endif
