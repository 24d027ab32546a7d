/* What manifest.c and manifest_kernel.c share: a buffer, the plan, and paths in it. */
#ifndef GRAPH_PRINTER_H
#define GRAPH_PRINTER_H

#include "base/buf.h"
#include "graph/plan.h"

#define DEVICE_FILE ".lanewise/device.json"
#define EVENTS_FILE ".lanewise/events.jsonl"
#define CACHE_DIR   ".lanewise/cache"

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
/* ".lanewise/K/SUB/NAME.EXT" */
const char *file_of(struct printer *o, const char *sub, struct str name, const char *ext);
/* False: estimates stand in for measurements. */
bool plan_measures(const struct plan *p);

void print_report_edge(
	struct printer *o, const char *dir, struct paths ranks, struct paths lines);

#endif
