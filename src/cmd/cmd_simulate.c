#include "base/arena.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/cmd.h"
#include "search/simulate.h"

enum { SEEDS_MAX = 10000, BATCH_MAX = 10000, MANY = 26 };

static const char *names = "auto", *size;
static long budget, seeds = 20, first_seed = 1, batch = 1;
static bool as_json, list;

static const struct opt opts[] = {
	{"strategy", 's', OPT_STR, &names, "NAME[,NAME...]",
		"which strategies, or 'all'; default: auto"},
	{"budget", 'b', OPT_INT, &budget, "N",
		"evaluations; default: as many as random search needs for 95 % of the "
		"way from the median to the optimum"},
	{"seeds", 'k', OPT_INT, &seeds, "K", "runs of each strategy; default: 20"},
	{"seed", 0, OPT_INT, &first_seed, "S", "the seed of the first; default: 1"},
	{"batch", 0, OPT_INT, &batch, "N", "candidates asked for at once; default: 1"},
	{"list", 'l', OPT_FLAG, &list, NULL, "print the strategies and what they do"},
	{"size", 0, OPT_STR, &size, "NAME",
		"of our own results, when they are at several sizes"},
	{"json", 0, OPT_FLAG, &as_json, NULL, "print JSON"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise simulate RECORDED [--strategy NAME[,NAME...]|all] "
		    "[--budget N]\n"
		    "       [--seeds K] [--seed S] [--batch N] [--size NAME] [--json]\n"
		    "       lanewise simulate --list",
	.about = "Runs search strategies over a recorded space, without a GPU: our own "
		 "results\n"
		 "(.lanewise/KERNEL/results.json), a Kernel Tuner cache file or T4 "
		 "results.\n"
		 "Prints how far from the optimum the best candidate so far is, averaged "
		 "over the\n"
		 "seeds, and a score: 0 is as good as drawing at random, 1 has the "
		 "optimum from\n"
		 "the start.",
	.after = "Exit status: 0 printed, 2 trouble.",
};

static size_t
parse_strategies(const struct strategy **v)
{
	struct str rest = str_of(names), name, all[MANY];
	size_t n = 0, n_all = 0;
	while (strategies[n_all]) {
		all[n_all] = str_of(strategies[n_all]->name);
		n_all++;
	}
	if (str_is(rest, "all")) {
		for (size_t i = 0; i < n_all; i++)
			if (!strategies[i]->by_estimate)
				v[n++] = strategies[i];
		return n;
	}
	while (str_split(&rest, ',', &name)) {
		const struct strategy *s = strategy_find(name);
		struct str near = str_nearest(name, all, n_all);
		if (!s && near.n)
			opt_fail(&usage, "no strategy '%.*s' (did you mean '%.*s'?)",
				STR_ARG(name), STR_ARG(near));
		if (!s)
			opt_fail(&usage, "no strategy '%.*s'; --list prints them",
				STR_ARG(name));
		if (s->by_estimate)
			opt_fail(&usage,
				"'%s' goes by an estimate, which a recorded space has "
				"not: 'lanewise tune' takes it",
				s->name);
		if (n == MANY)
			opt_fail(&usage, "more than %d strategies", MANY);
		v[n++] = s;
	}
	if (!n)
		opt_fail(&usage, "--strategy takes a name");
	return n;
}

static void
print_strategies(void)
{
	for (size_t i = 0; strategies[i]; i++)
		printf("%-10s  %s\n", strategies[i]->name, strategies[i]->about);
}

static void
check_numbers(void)
{
	if (budget < 0)
		opt_fail(&usage, "--budget: %ld is negative", budget);
	if (seeds < 1 || seeds > SEEDS_MAX)
		opt_fail(&usage, "--seeds takes 1 to %d", SEEDS_MAX);
	if (batch < 1 || batch > BATCH_MAX)
		opt_fail(&usage, "--batch takes 1 to %d", BATCH_MAX);
}

static int
run(struct arena *a, int argc, char **argv)
{
	const struct strategy *v[MANY];
	struct diag d = {0};
	opt_parse(a, &usage, opts, &argc, &argv);
	if (list) {
		print_strategies();
		return EXIT_YES;
	}
	if (argc != 1)
		opt_fail(&usage, argc ? "one recorded space at a time"
				      : "a recorded space is needed: results.json, "
					"a Kernel Tuner cache file or T4 results");
	size_t n = parse_strategies(v);
	check_numbers();
	const struct recorded *r =
		recorded_read(a, argv[0], size ? str_of(size) : (struct str){0}, &d);
	if (!r)
		return EXIT_TROUBLE;
	bool timed = false;
	for (size_t i = 0; i < r->n; i++)
		timed = timed || !r->rows[i].fault;
	if (!timed)
		die("'%s' has no candidate with a time: there is nothing to find",
			argv[0]);
	struct simulate_ask ask = {r, v, n, (uint64_t)budget, (size_t)seeds,
		(uint64_t)first_seed, (size_t)batch};
	struct simulation s = simulate(a, &ask);
	struct str text = as_json ? simulation_json(a, &s) : simulation_text(a, &s);
	if (as_json)
		fwrite(text.s, 1, text.n, stdout);
	else
		shown_print_lines(stdout, text);
	return EXIT_YES;
}

const struct command cmd_simulate = {
	.name = "simulate",
	.about = "run search strategies over a recorded space, without a GPU",
	.run = run,
};
