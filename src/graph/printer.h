/* What the printers of manifests share: a buffer, the plan, and paths in it. */
#ifndef GRAPH_PRINTER_H
#define GRAPH_PRINTER_H

#include "base/buf.h"
#include "graph/plan.h"

#define DEVICE_FILE ".lanewise/device.json"
#define LIMITS_FILE ".lanewise/limits.json"
#define EVENTS_FILE ".lanewise/events.jsonl"
#define CACHE_DIR   ".lanewise/cache"
#define COPIES_DIR  ".lanewise/in"     /* of leaves */
#define REMOTE_DIR  ".lanewise/remote" /* beside EVENTS_FILE; cache/remote_state.h */

/* A NULL-terminated list of paths. */
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

struct paths {
	const char **v; /* NULL-terminated once something was added */
	size_t n, cap;
};

struct printer {
	struct arena *a;
	struct buf b;
	const struct plan *p;
	const struct plan_kernel *k; /* the one being printed */
};

void paths_add(struct arena *a, struct paths *l, const char *path);
/* "  name = value", and the same with the value as one word of the shell. */
void print_var(struct printer *o, const char *name, struct str value);
void print_word_var(
	struct printer *o, const char *indent, const char *name, struct str value);
/* " --name value" at the end of a command line under construction. */
void add_option(struct buf *words, const char *name, struct str value);
struct str number_word(struct printer *o, double v);
/* --abs, --rel and --ulp */
void add_tolerances(struct printer *o, struct buf *w, const struct verify_spec *v);
/* What the expected outputs of a point come from: "oracle", "baseline", "npy". */
struct str reference_by(struct printer *o, const struct plan_point *pt);
/* --constants; nothing when there are none */
void add_constants(struct printer *o, struct buf *w);
/* --cache warm; nothing for the default */
void add_cache(struct printer *o, struct buf *w);
/* ".lanewise/K/SUB/NAME.EXT" */
const char *file_of(struct printer *o, const char *sub, struct str name, const char *ext);
/* False: estimates stand in for measurements. */
bool plan_measures(const struct plan *p);

/* device.json; of several: device-1.json ... for all but the first. */
const char *device_file(struct arena *a, size_t i);
/* The device that measures a size, and its pool: " pool = gpu1" for an edge of it. */
const char *device_of(struct printer *o, const struct size *size);
void print_device(struct printer *o, const struct size *size);
/* ".lanewise/K/SUB/SIZE.json" */
const char *of_size(struct printer *o, const char *sub, const struct size *size);

/* ".lanewise/K/NAME" */
const char *kernel_file(struct printer *o, const char *name);

/* manifest_rank.c */
void print_finals(struct printer *o);
void print_rank(struct printer *o);
void print_certify(struct printer *o);
void print_ranked(struct printer *o);
void print_apply(struct printer *o);

void print_report_edge(
	struct printer *o, const char *dir, struct paths ranks, struct paths lines);

#endif
