#include "base/arena.h"
#include "base/shown.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/graph_args.h"
#include "cmd/node_table.h"
#include "graph/restore.h"
#include "graph/sweep.h"
#include "node/sums.h"

#include <inttypes.h>

static bool quiet, restore;

static const struct opt opts[] = {
	GRAPH_OPTS,
	{"restore", 0, OPT_FLAG, &restore, NULL,
		"put in place what the cache has, so that ninja need not"},
	{"quiet", 'q', OPT_FLAG, &quiet, NULL, "say nothing when all is well"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise graph [SPEC] [--backend NAME] [--device NAME|FILE]\n"
		    "       [--devices LIST] [--allow-unsafe --reason TEXT] "
		    "[--no-worker]\n"
		    "       [--strategy NAME] [--budget N|TIME] [--seed N] [--batch N]\n"
		    "       [--launcher COMMAND] [--device-launcher COMMAND] [--replay]\n"
		    "       [--restore] [--quiet]",
	.about = "Writes the Ninja graph of a spec (default: lanewise.json) next to it: "
		 "build.ninja,\n"
		 "or lanewise.ninja when the project has a build.ninja of its own.  "
		 "After that,\n"
		 "'ninja tune' tunes, and the graph keeps itself up to date.  Without a "
		 "GPU, and\n"
		 "without --device or \"device\" in the spec, it estimates for an H200.",
	.after = "Targets: tune gate compile bench rank report apply check, and "
		 "TARGET-KERNEL.\n"
		 "Exit status: 0 written or up to date, 2 trouble.",
};

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	graph_args(a, &usage, opts, argc, argv);
	/* Ninja asks for it in the middle of a run of the front end, which has just
	 * written it and knows better how far searches are. */
	if (quiet && getenv("LANEWISE_FRONT_END"))
		return EXIT_YES;
	if (restore)
		cache_remote_begin(a);
	struct graph *g = graph_open(a, &graph_opts, restore, &d);
	if (!g || !graph_write(a, g, true, &d))
		return EXIT_TROUBLE;
	sweep(a, &g->plan);
	struct restored recalled = {0};
	if (restore) {
		sums_check(a, SUMS_FILE);
		recalled = restore_graph(a, g->file, "tune", node_table);
	}
	if (quiet)
		return EXIT_YES;
	for (size_t i = 0; i < g->plan.n_kernels; i++) {
		const struct plan_kernel *k = &g->plan.kernels[i];
		printf("%.*s: %" PRIu64
		       " candidate%s, %zu specialization%s, %zu point%s, "
		       "lowered "
		       "by %s\n",
			STR_ARG(k->k->name), k->space->count, str_plural(k->space->count),
			k->n_specializations, str_plural(k->n_specializations),
			k->n_points, str_plural(k->n_points),
			shown_c(a, k->toolchain_version));
	}
	printf("%s: %s %s%s%s\n", shown_c(a, str_of(g->file)),
		strcmp(g->plan.backend, "model") == 0 ? "estimated for"
		: strcmp(g->plan.backend, "sim") == 0 ? "SIMULATED, by a"
						      : "measured on",
		shown_c(a, g->plan.device->name), g->note ? "; not measured: " : "",
		g->note ? g->note : "");
	if (restore)
		printf("recalled from the cache: %s\n", cache_remote_said(a, &recalled));
	return EXIT_YES;
}

const struct command cmd_graph = {
	.name = "graph",
	.about = "write the Ninja graph of a spec",
	.run = run,
};
