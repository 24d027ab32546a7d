#include "base/arena.h"
#include "base/die.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/cmd.h"
#include "worker/worker.h"

#include <stdio.h>

static const char *device_file;
static double idle_s;
static bool list, stop;

static const struct opt opts[] = {
	{"list", 'l', OPT_FLAG, &list, NULL,
		"print the running ones: device, pid, jobs done and waiting, what runs"},
	{"stop", 0, OPT_FLAG, &stop, NULL,
		"end all of this user's (or that of DEVICE) after the job that runs, "
		"wait "
		"for it, and print them"},
	{"device", 'd', OPT_STR, &device_file, "FILE",
		"be the worker of this device, in the foreground"},
	{"idle", 0, OPT_REAL, &idle_s, "SECONDS",
		"with --device: end when idle for so long (default 20)"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise worker --list\n"
		    "       lanewise worker --stop [DEVICE]\n"
		    "       lanewise worker --device FILE [--idle SECONDS]",
	.about = "Measuring is done by one worker a GPU, which is started when there is "
		 "something to\n"
		 "measure and ends when it was idle for a while.  This shows them, ends "
		 "them, or runs\n"
		 "one to be watched: its log then goes to standard error.  DEVICE is a "
		 "UUID or a name\n"
		 "as --list prints it.",
	.after = "Exit status: 0 done; 1 none is running; 2 trouble.",
};

static void
print_seen(struct arena *a, const struct worker_seen *w)
{
	printf("%s  %s  pid %lld  %lld done  %lld waiting  ", shown_c(a, w->uuid),
		shown_c(a, w->device), (long long)w->pid, (long long)w->n_done,
		(long long)w->n_waiting);
	if (w->running.n)
		printf("%s: %s for %.1f s\n", shown_c(a, w->running), shown_c(a, w->step),
			(double)w->running_ms * 1e-3);
	else if (w->trouble.n)
		puts(shown_c(a, w->trouble));
	else
		printf("idle for %lld s\n", (long long)w->idle_s);
}

static int
show_all(struct arena *a)
{
	struct worker_seen *v;
	struct str why = {0};
	size_t n = worker_list(a, &v, &why);

	if (why.n)
		die("%.*s", STR_ARG(why));
	for (size_t i = 0; i < n; i++)
		print_seen(a, &v[i]);
	if (n == 0)
		printf("no worker is running\n");
	return n ? EXIT_YES : EXIT_NO;
}

static int
stop_some(struct arena *a, const char *which)
{
	struct worker_seen *v;
	struct str why = {0};
	size_t n = worker_stop(a, which, &v, &why);

	if (why.n)
		die("%.*s", STR_ARG(why));
	for (size_t i = 0; i < n; i++)
		printf("ended: %s  %s  pid %lld  %lld done\n", shown_c(a, v[i].uuid),
			shown_c(a, v[i].device), (long long)v[i].pid,
			(long long)v[i].n_done);
	if (n == 0)
		printf("no worker is running%s%s\n", which ? " for " : "",
			which ? which : "");
	return n ? EXIT_YES : EXIT_NO;
}

static int
serve(struct arena *a)
{
	struct diag d = {0};
	struct worker_opts o = {.device = device_read(a, device_file, &d)};

	if (idle_s < 0 || idle_s > 1e6)
		opt_fail(&usage, "'--idle' wants 0 to 1000000 seconds");
	o.idle_ns = (int64_t)(idle_s * 1e9);
	return o.device ? worker_supervise(a, &o) : EXIT_TROUBLE;
}

static int
run(struct arena *a, int argc, char **argv)
{
	opt_parse(a, &usage, opts, &argc, &argv);
	if (list + stop + (device_file != NULL) != 1)
		opt_fail(&usage, "one of '--list', '--stop' and '--device FILE'");
	if (argc > stop)
		opt_fail(&usage, "'%s' is one word too many", argv[stop]);
	if (list)
		return show_all(a);
	return stop ? stop_some(a, argc ? argv[0] : NULL) : serve(a);
}

const struct command cmd_worker = {
	.name = "worker",
	.about = "show or end what measures in the background",
	.run = run,
};
