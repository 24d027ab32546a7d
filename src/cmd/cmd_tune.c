#include "base/arena.h"
#include "base/fs.h"
#include "base/shown.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/graph_args.h"
#include "cmd/node_table.h"
#include "graph/litter.h"
#include "graph/progress.h"
#include "graph/restore.h"
#include "graph/rounds.h"
#include "node/sums.h"
#include "report/misfit.h"
#include "report/report.h"

#include <limits.h>

/* Ninja takes what does not fit its counter as no limit at all. */
enum { JOBS_MAX = 4096 };

static bool no_progress;
static long jobs = LONG_MIN; /* not given */
static const char *kernel;

static const struct opt opts[] = {
	{"kernel", 'k', OPT_STR, &kernel, "NAME", "only this kernel of the spec"},
	{"jobs", 'j', OPT_INT, &jobs, "N",
		"processes at once; default: the cores less one"},
	GRAPH_OPTS,
	{"remeasure", 0, OPT_FLAG, &graph_opts.remeasure, NULL,
		"measure again what was measured before"},
	{"no-progress", 0, OPT_FLAG, &no_progress, NULL,
		"no live line, even on a terminal"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise tune [SPEC] [--kernel NAME] [--jobs N] [--backend NAME]\n"
		    "       [--device NAME|FILE] [--devices LIST] [--allow-unsafe "
		    "--reason TEXT]\n"
		    "       [--strategy NAME] [--budget N|TIME] [--seed N] [--batch N]\n"
		    "       [--launcher COMMAND] [--device-launcher COMMAND] "
		    "[--remeasure]\n"
		    "       [--replay] [--no-worker] [--no-progress]",
	.about = "Writes the graph of a spec (default: lanewise.json), runs it, and "
		 "prints the report.\n"
		 "The same as 'lanewise graph && ninja tune', with live progress.  What "
		 "is already\n"
		 "done is not done again; interrupt it at any time and run it again to "
		 "go on.",
	.after = "Exit status: 0 a safe configuration was found; 1 it was, but a refused "
		 "one is\n"
		 "measured to be faster; 2 trouble; 3 at some size no candidate is "
		 "admissible.",
};

static void
say_device(struct arena *a, const struct graph *g)
{
	const char *name = shown_c(a, g->plan.device->name),
		   *uuid = shown_c(a, g->plan.device->uuid);
	char others[32] = "";
	if (g->plan.n_devices > 1)
		snprintf(others, sizeof others, " and %zu more", g->plan.n_devices - 1);
	if (graph_opts.replay)
		fprintf(stderr,
			"nothing is measured: replaying what was measured on %s "
			"(%s%s)\n",
			name, uuid, others);
	else if (strcmp(g->plan.backend, "sim") == 0)
		fprintf(stderr, "nothing is measured: times are SIMULATED (%s%s)\n", uuid,
			others);
	else if (!g->note)
		fprintf(stderr, "measuring on %s (%s%s)\n", name, uuid, others);
	else
		fprintf(stderr, "nothing is measured (%s): times are ESTIMATED for %s\n",
			shown_c(a, str_of(g->note)), name);
}

static const char *
report_dir(struct arena *a, const struct graph *g, struct diag *d)
{
	if (!kernel)
		return ".lanewise";
	if (!spec_find_kernel(a, g->plan.spec, str_of(kernel), d))
		return NULL;
	return str_fmt(a, ".lanewise/%s", kernel).s;
}

/* Where Ninja knows nothing, the cache may know everything. */
static void
restore(struct arena *a, const struct graph *g, const char *target)
{
	if (!restore_is_due(a))
		return;
	struct restored r = restore_graph(a, g->file, target, node_table);
	if (r.edges)
		fprintf(stderr, "recalled from the cache: %s\n",
			cache_remote_said(a, &r));
}

/* What a kernel is not is told where the spec says that it is. */
static int
finish(struct arena *a, const struct graph *g, const char *dir, struct diag *d)
{
	int status = report_show(a, dir);
	size_t n = 0;

	if (status != EXIT_TROUBLE)
		return status;
	fflush(stdout);
	struct ranking **v = report_load(a, dir, &n, d);
	if (v)
		misfit_tell(a, g->plan.spec, v, n, d);
	return status;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	int64_t start_ns = litter_clock_ns();
	graph_args(a, &usage, opts, argc, argv);
	if (jobs != LONG_MIN && (jobs < 1 || jobs > JOBS_MAX))
		opt_fail(&usage, "'--jobs' wants 1 to %d", JOBS_MAX);
	cache_remote_begin(a);
	struct graph *g = graph_open(a, &graph_opts, true, &d);
	if (!g)
		return EXIT_TROUBLE;
	const char *dir = report_dir(a, g, &d);
	if (!dir)
		return EXIT_TROUBLE;
	const char *target = kernel ? str_fmt(a, "tune-%s", kernel).s : "tune";
	const char *targets[] = {target, NULL};
	struct str said = {0};
	say_device(a, g);
	sums_check(a, SUMS_FILE);
	struct progress p = progress_begin(a, &g->plan, !no_progress);
	struct run_opts o = {.file = g->file,
		.targets = targets,
		.jobs = jobs,
		.tick = progress_tick,
		.tick_arg = &p};
	struct run_result r = {0};
	if (rounds_run(g, kernel ? str_of(kernel) : (struct str){0}, &o, a, &said, &d)) {
		restore(a, g, target);
		r = run_ninja(a, &o);
		said = r.said;
	}
	progress_end(&p);
	cache_remote_push_made(a);
	litter_remove(a, start_ns);
	shown_print_lines(stderr, said);
	if (d.errors)
		return EXIT_TROUBLE;
	if (!r.ok) {
		warn("the run did not finish; what was done is kept, run it again to go "
		     "on");
		return EXIT_TROUBLE;
	}
	if (r.no_work)
		fprintf(stderr, "nothing to do: everything is up to date\n");
	return finish(a, g, dir, &d);
}

const struct command cmd_tune = {
	.name = "tune",
	.about = "tune the kernels of a spec and print the report",
	.run = run,
};
