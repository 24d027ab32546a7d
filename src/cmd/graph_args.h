/*
 * What `graph` and `tune` ask for alike: rows of their option tables, and the spec's
 * name. The options are the process's, so they are here once.
 */
#ifndef CMD_GRAPH_ARGS_H
#define CMD_GRAPH_ARGS_H

#include "base/opt.h"
#include "graph/graph.h"

extern struct graph_opts graph_opts;
extern bool graph_allow_unsafe;

/* clang-format off */
#define GRAPH_OPTS \
	{"backend", 0, OPT_STR, &graph_opts.backend, "NAME", \
		"cuda or host (measure) or model (estimate); default: cuda if a GPU is " \
		"here, host for kernels in C"}, \
	{"device", 0, OPT_STR, &graph_opts.device, "NAME|FILE", \
		"host: measure kernels in C on this machine's processors; or estimate " \
		"for a described device: h200, a100, ... or a JSON file; or simulate " \
		"with a script (lanewise/sim.v1)"}, \
	{"devices", 0, OPT_STR, &graph_opts.devices, "LIST", \
		"several of one model, each for problems of its own: 0,1 or all or " \
		"UUIDs; or as for --device"}, \
	{"replay", 0, OPT_FLAG, &graph_opts.replay, NULL, \
		"measure nothing: device and tools as they were where the cache's " \
		"measurements were made"}, \
	{"strategy", 0, OPT_STR, &graph_opts.strategy, "NAME", \
		"who chooses candidates when not all are looked at; default: auto"}, \
	{"budget", 0, OPT_STR, &graph_opts.budget, "N|TIME", \
		"candidates measured at each size, beside the baseline, 200; or time, " \
		"10m, or device:60s"}, \
	{"seed", 0, OPT_INT, &graph_opts.seed, "N", "of the strategy; default: 1"}, \
	{"batch", 0, OPT_INT, &graph_opts.batch, "N", \
		"candidates looked at together; default: 8 to 64, by the budget"}, \
	{"no-worker", 0, OPT_FLAG, &graph_opts.no_worker, NULL, \
		"measure in a process each, without one that stays"}, \
	{"launcher", 0, OPT_STR, &graph_opts.launcher, "COMMAND", \
		"runs lower, gate and compile (say, on another machine)"}, \
	{"device-launcher", 0, OPT_STR, &graph_opts.device_launcher, "COMMAND", \
		"runs what measures, as 'srun --gres=gpu:1' does"}, \
	{"allow-unsafe", 0, OPT_FLAG, &graph_allow_unsafe, NULL, \
		"also measure refused candidates, each in a process of its own"}, \
	{"reason", 0, OPT_STR, &graph_opts.unsafe, "TEXT", \
		"why; printed in every report"}
/* clang-format on */

/* Parses the options and the spec's name into graph_opts; exits 2 after a message. */
void graph_args(struct arena *a, const struct opt_usage *usage, const struct opt *opts,
	int argc, char **argv);

#endif
