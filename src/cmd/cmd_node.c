#include "cmd/cmd.h"
#include "node/node.h"

/* Every node of the graph; one line each. */
#define NODES(X) \
	X(stage) \
	X(lower) \
	X(gate) \
	X(compile) \
	X(stamp) \
	X(oracle) \
	X(reference) \
	X(baseline) \
	X(bench) \
	X(estimate) \
	X(collect) \
	X(rank) \
	X(report) \
	X(show)

#define X(name) extern const struct node node_##name;
NODES(X)
#undef X

static const struct node *const nodes[] = {
#define X(name) &node_##name,
	NODES(X)
#undef X
		NULL};

static int
run(struct arena *a, int argc, char **argv)
{
	return node_main(a, nodes, argc, argv);
}

const struct command cmd_node = {
	.name = "node",
	.about = "run one node of the graph (Ninja calls this)",
	.run = run,
	.hidden = true,
};
