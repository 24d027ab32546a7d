#include "base/arena.h"
#include "base/shown.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/graph_args.h"
#include "graph/progress.h"
#include "graph/run.h"
#include "graph/sweep.h"
#include "report/certified.h"
#include "report/report.h"

#include <stdlib.h>

static const char *kernel;

static const struct opt opts[] = {
	{"kernel", 'k', OPT_STR, &kernel, "NAME", "only this kernel of the spec"},
	GRAPH_OPTS,
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise certify [SPEC] [--kernel NAME] [--backend NAME]\n"
		    "       [--device NAME|FILE] [--devices LIST] [--no-worker]",
	.about = "Runs the champion of every kernel and size under compute-sanitizer's "
		 "memcheck,\n"
		 "racecheck, initcheck and synccheck, and prints what each said.  Tunes "
		 "first what is\n"
		 "not tuned yet; the same as 'lanewise graph && ninja certify'.  A tool "
		 "that is not here\n"
		 "says nothing, and that is no pass.",
	.after = "Exit status: 0 every tool ran on every champion and found nothing; 1 "
		 "one found\n"
		 "something; 2 trouble; 3 one is not here, or did not finish.",
};

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct buf b = {.a = a};
	size_t n = 0;
	graph_args(a, &usage, opts, argc, argv);
	cache_remote_begin(a);
	struct graph *g = graph_open(a, &graph_opts, true, &d);
	if (!g || !graph_write(a, g, false, &d))
		return EXIT_TROUBLE;
	sweep(a, &g->plan);
	if (kernel && !spec_find_kernel(a, g->plan.spec, str_of(kernel), &d))
		return EXIT_TROUBLE;
	if (strcmp(g->plan.backend, "model") == 0)
		die("there is no device to run a champion on: times are estimated");
	if (strcmp(g->plan.backend, "host") == 0)
		die("compute-sanitizer checks kernels of a GPU; there is no certificate "
		    "for host code yet");
	const char *dir = kernel ? str_fmt(a, ".lanewise/%s", kernel).s : ".lanewise";
	const char *targets[] = {kernel ? str_fmt(a, "certify-%s", kernel).s : "certify",
		kernel ? str_fmt(a, "report-%s", kernel).s : "report", NULL};
	struct progress p = progress_begin(a, &g->plan, true);
	struct run_result r = run_ninja(a, &(struct run_opts){.file = g->file,
						   .targets = targets,
						   .tick = progress_tick,
						   .tick_arg = &p});
	progress_end(&p);
	cache_remote_push_made(a);
	shown_print_lines(stderr, r.said);
	struct ranking **v = r.ok ? report_load(a, dir, &n, &d) : NULL;
	if (!v || !certified_text(a, &b, v, n, dir, &d))
		return EXIT_TROUBLE;
	printf("%.*s", (int)b.n, b.n ? b.s : "");
	return certified_status(a, v, n, dir);
}

const struct command cmd_certify = {
	.name = "certify",
	.about = "run the champions under compute-sanitizer",
	.run = run,
};
