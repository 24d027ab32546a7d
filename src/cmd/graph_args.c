#include "cmd/graph_args.h"

struct graph_opts graph_opts;
bool graph_allow_unsafe;

void
graph_args(struct arena *a, const struct opt_usage *usage, const struct opt *opts,
	int argc, char **argv)
{
	opt_parse(a, usage, opts, &argc, &argv);
	if (argc > 1)
		opt_fail(usage, "one spec at a time, not '%s' too", argv[1]);
	if (graph_allow_unsafe != (graph_opts.unsafe != NULL))
		opt_fail(usage, "'--allow-unsafe' and '--reason TEXT' go together");
	graph_opts.spec = argc ? argv[0] : NULL;
}
