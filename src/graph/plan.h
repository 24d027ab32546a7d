/*
 * The plan: everything the graph will do, as plain data.  Spec, space and device go in;
 * manifest.c and points.c only print it.
 *
 *     kernel -> specializations (what the compiler sees) -> points (candidate x size)
 */
#ifndef GRAPH_PLAN_H
#define GRAPH_PLAN_H

#include "graph/leaf.h"
#include "graph/point_files.h"
#include "space/space.h"
#include "toolchain/toolchain.h"

struct plan_point {
	struct str name; /* "BLOCK=64,TILE=128@1M": candidate name, size */
	const struct candidate *candidate;
	const struct size *size;
	size_t specialization; /* index */
	struct str launch;     /* launch_text */
	struct str args;       /* args_text */
	struct str inputs;     /* args_input_text: for references */
	struct str shape;      /* args_shape_text: for the gate */
	struct point_files files;
	double bytes, flops; /* declared work; NaN when not declared */
	long reference;      /* index in references, or -1: unverified */
};

struct plan_specialization {
	struct str name;
	struct str defines;                /* "TILE=128 UNROLL=4" */
	const struct candidate *candidate; /* one of it */
	struct leaf *source;
	size_t *points; /* indices */
	size_t n_points, cap_points;
};

/* One set of expected outputs: those of one list of arguments. */
struct plan_reference {
	const char *file; /* ".lanewise/K/ref/HASH.ref" */
	struct str args;  /* args_input_text */
	long baseline;    /* index of the baseline's point that makes it, or -1 */
	long point;       /* a point that wants it: its files are the reference's */
};

struct plan_kernel {
	const struct kernel *k;
	const struct space *space;
	const struct candidate *candidates; /* of the graph: all of the space, or what its
					       searches asked for */
	size_t n_candidates;
	struct searching *searches; /* by size (graph/searching.h); NULL: none */
	const struct toolchain *toolchain;
	struct str toolchain_version;
	struct str toolchain_path; /* file of the tool; its change rewrites the graph */
	const char *dir;           /* ".lanewise/K" */
	struct leaf *oracle;       /* NULL: none */
	struct leaf *library;      /* shared object of the reference; NULL: none */
	struct str *libraries;     /* by size: model/library.h; empty: no reference */
	const char **includes;     /* -I folders as given to the compiler */
	size_t n_includes;
	struct plan_specialization *specializations;
	size_t n_specializations, cap_specializations;
	struct plan_point *points;
	size_t n_points;
	struct plan_reference *references;
	size_t n_references, cap_references;
	size_t *device_of; /* by size: index in plan.devices (graph/devices.h) */
};

enum { DEVICES_MAX = 64 };

struct plan {
	const struct spec *spec;
	const struct device *device; /* of limits and architecture: the first of */
	const struct device **devices;
	size_t n_devices;
	const char *backend;  /* "cuda", "host", "sim" or "model" */
	const char *unsafe;   /* reason of --allow-unsafe, or NULL */
	long epoch;           /* of measurements: a new one measures everything again */
	struct str assembler; /* "ptxas 13.0.88", or "none" */
	const struct json *replay; /* tools by kernel, when nothing is looked for here */
	struct toolchain_info checker; /* compute-sanitizer, when it measures */
	struct str compiler;           /* of oracles: first line of `cc --version` */
	struct leaves leaves;
	struct leaves
		aside; /* looked at, but nothing of the graph: the model backend's */
	struct plan_kernel *kernels;
	size_t n_kernels;
	struct search_spec search; /* of the command line: 0 and empty: the spec's */
	double *wall_s;            /* seconds that each batch of a search took */
	size_t n_wall;
};

/* Toolchains, spaces and searches of p->kernels, from the other fields; once. False after
 * diag_errors. */
bool plan_open(struct arena *a, struct plan *p, struct diag *d);
/* What the graph has now: leaves, points, references. May be called again after a search
 * moved on; what an earlier call gave is gone then. waiting: also the candidates that a
 * search asked for and that have not run. */
bool plan_fill(struct arena *a, struct plan *p, bool waiting, struct diag *d);

/* True for the candidate that the spec names as the baseline. */
bool plan_is_baseline(const struct kernel *k, const struct candidate *c);

/* Hash of what the spec says of one kernel, for pins: changes in formatting do not count.
 */
const char *plan_kernel_hash(struct arena *a, const struct plan_kernel *k);

#endif
