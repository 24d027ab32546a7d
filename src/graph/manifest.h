/* Prints a plan as Ninja manifests: text, no decisions. */
#ifndef GRAPH_MANIFEST_H
#define GRAPH_MANIFEST_H

#include "graph/plan.h"

struct manifest_names {
	const char *file;     /* "build.ninja" or "lanewise.ninja" */
	const char *spec;     /* "lanewise.json" */
	const char *lanewise; /* how to call this program from the project's folder */
	const char *options;  /* of `lanewise graph`, to write the same graph again */
	const char *const
		*tools; /* NULL-terminated: files whose change rewrites the graph */
};

/* The top: settings, leaves, targets. kernel_texts: one a kernel, see below; only their
 * hashes are used, so that a change in one changes the top, which is what Ninja watches.
 */
struct str manifest_text(struct arena *a, const struct plan *p,
	const struct manifest_names *names, const struct str *kernel_texts);
/* One kernel's own file, read by subninja: its variables are scoped to it. */
struct str manifest_kernel_text(
	struct arena *a, const struct plan *p, const struct plan_kernel *k);
/* ".lanewise/K/build.ninja" */
const char *manifest_kernel_file(struct arena *a, const struct plan_kernel *k);

/* What a .dd says before its gate ever ran: nothing is admitted.  Ninja -n needs one. */
struct str manifest_seed_dyndep(struct arena *a, const struct plan *p,
	const struct plan_kernel *k, const struct plan_specialization *s);

#endif
