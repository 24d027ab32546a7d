/*
 * What the measuring protocol itself costs: candidates of a short kernel are screened on
 * a simulated device, whose clock counts what a GPU and its driver would take (costs of
 * calls as an H200 has them, docs/reference/sim.md), and calls are counted.
 *
 *     measure [CANDIDATES]
 */
#include "backend/sim.h"
#include "backend/sim_session.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "measure/measure_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* A space with few near the best, and one where all are within 2 % of it. */
static const struct space {
	const char *name, *time_ns;
} spaces[] = {
	{"5 to 20 us", "5000 + 15 * ((I * 7919) % 1000)"},
	{"all within 2 %", "10000 + ((I * 7919) % 200)"},
};

#define SCRIPT \
	"{\"schema\": \"lanewise/sim.v1\", \"device\": \"h200\", " \
	"\"time_ns\": \"%s\", " \
	"\"noise\": {\"sigma\": 0.001, \"rho\": 0.4}, " \
	"\"clock\": {\"start\": 0.6, \"rise_ms\": 10}}"
#define ARGS "in=f32*[1048576]:exact,out=f32*[8192]:out,n=i32:1048576"

struct seen {
	size_t ok, out, drifted, readings;
};

static struct measure *
open_device(struct arena *a, const char *time_ns, const struct sim_calls **calls)
{
	struct fault f = {.fatal = false};
	struct str why = {0};
	struct measure_watch quiet = {0};

	fs_write("sim.json", str_fmt(a, SCRIPT, time_ns), NULL);
	struct device *dev = backend_sim.probe(a, STR_LIT("sim.json"), &why);
	if (!dev)
		die("%.*s", STR_ARG(why));
	struct measure *m = measure_open(a, &backend_sim, dev, quiet, &f);
	if (!m)
		die("%.*s", STR_ARG(f.reason));
	*calls = sim_calls(m->s);
	return m;
}

static struct job_member
member(struct arena *a, long i)
{
	struct job_member x = {.point = str_fmt(a, "I=%ld@1M", i)};
	struct arg *v;
	struct str why;

	if (!args_parse(a, STR_LIT(ARGS), &v, &x.request.n_args, &why))
		die("%.*s", STR_ARG(why));
	x.request.args = v;
	x.request.launch = (struct launch){
		.block = {128, 1, 1}, .grid = {8192, 1, 1}, .cluster = {1, 1, 1}};
	x.request.timeout_ns = 10000000000;
	return x;
}

static void
screen_one(struct measure *m, long i, struct seen *seen)
{
	struct arena a = {0};
	struct job_member x = member(&a, i);
	struct job j = {.kind = JOB_SCREEN,
		.kernel = STR_LIT("k"),
		.size = STR_LIT("1M"),
		.member = &x,
		.n = 1};
	struct result r;

	(void)measure_candidate(m, &a, &j, &r);
	seen->ok += r.status == RESULT_OK;
	seen->out += r.window.screened_out;
	seen->drifted += r.window.drifted;
	seen->readings += r.n_readings;
	arena_release(&a);
}

static void
line(const char *what, double all, double n)
{
	printf("  %-44s %10.2f\n", what, all / n);
}

/* False when one of them could not be measured. */
static bool
measure_space(const struct space *space, long n)
{
	struct arena a = {0};
	struct seen seen = {0};
	const struct sim_calls *c;
	struct measure *m = open_device(&a, space->time_ns, &c);
	int64_t host = clock_ns();

	for (long i = 0; i < n; i++)
		screen_one(m, i, &seen);
	host = clock_ns() - host;
	double total_s = sim_now_ns(m->s) * 1e-9, k = (double)n;
	printf("%ld candidates, %s: %zu measured, %zu of them stopped by the race, %zu "
	       "drifted\n",
		n, space->name, seen.ok, seen.out, seen.drifted);
	line("loads (candidate, anchor), each", (double)c->loads, k);
	line("single launches", (double)c->runs, k);
	line("outputs fetched", (double)c->fetches, k);
	line("batches", (double)c->times, k);
	line("readings kept", (double)seen.readings, k);
	line("launches", (double)c->launches, k);
	line("states read", (double)c->states, k);
	line("device busy, ms", c->device_ns * 1e-6, k);
	line("in all on its clock, ms", total_s * 1e3, k);
	line("of the protocol's own, on this host, ms", (double)host * 1e-6, k);
	printf("  in all %.1f s on its clock, %.1f s of them with the device busy\n",
		total_s, c->device_ns * 1e-9);
	arena_release(&a);
	return seen.ok == (size_t)n;
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	bool all = true;

	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		all = measure_space(&spaces[i], n) && all;
	return all ? 0 : 1;
}
