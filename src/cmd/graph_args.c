#include "cmd/graph_args.h"

#include <limits.h>

struct graph_opts graph_opts;
bool graph_allow_unsafe;

/* What numbers are before they are given. */
static const long NOT_GIVEN = LONG_MIN;

static bool
is_number(long *v, long most)
{
	if (*v == NOT_GIVEN)
		*v = 0;
	else if (*v < 1 || *v > most)
		return false;
	return true;
}

void
graph_args(struct arena *a, const struct opt_usage *usage, const struct opt *opts,
	int argc, char **argv)
{
	graph_opts.seed = graph_opts.batch = NOT_GIVEN;
	opt_parse(a, usage, opts, &argc, &argv);
	if (!is_number(&graph_opts.seed, LONG_MAX) ||
		!is_number(&graph_opts.batch, SEARCH_BATCH_MAX))
		opt_fail(usage, "'--seed' wants 1 or more, '--batch' 1 to %d",
			SEARCH_BATCH_MAX);
	if (argc > 1)
		opt_fail(usage, "one spec at a time, not '%s' too", argv[1]);
	if (graph_allow_unsafe != (graph_opts.unsafe != NULL))
		opt_fail(usage, "'--allow-unsafe' and '--reason TEXT' go together");
	graph_opts.spec = argc ? argv[0] : NULL;
}
