#include "base/die.h"
#include "cmd/cmd.h"
#include "cmd/node_table.h"
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
	X(expected) \
	X(baseline) \
	X(bench) \
	X(estimate) \
	X(collect) \
	X(shortlist) \
	X(final) \
	X(rank) \
	X(certify) \
	X(report) \
	X(results) \
	X(print)

#define X(name) extern const struct node node_##name;
NODES(X)
#undef X

const struct node *const node_table[] = {
#define X(name) &node_##name,
	NODES(X)
#undef X
		NULL};

static int
help(void)
{
	printf("usage: lanewise node [--events FILE] [--sums FILE] [--cache DIR] "
	       "[--launch FILE] "
	       "[--entry FILE]\n"
	       "       NAME [WORD]... -o OUT\n\n"
	       "Runs one node of the graph.  Ninja calls this; the words of each node "
	       "are what the\n"
	       "graph writes and may change with every version.\n\nnodes:\n");
	for (const struct node *const *n = node_table; *n; n++)
		printf("  %-10s %s\n", (*n)->name, (*n)->about);
	printf("\n@FILE in the place of a word stands for the words of FILE.  "
	       "LANEWISE_CACHE names\n"
	       "another cache, LANEWISE_REMOTE one on a server.  Exit status: 0 OUT is "
	       "in place (also when it says that a "
	       "candidate\n"
	       "failed), 2 trouble, and no output was touched.\n");
	return EXIT_YES;
}

static int
run(struct arena *a, int argc, char **argv)
{
	if (argc == 1 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0))
		return help();
	return node_main(a, node_table, argc, argv);
}

const struct command cmd_node = {
	.name = "node",
	.about = "run one node of the graph (Ninja calls this)",
	.run = run,
	.hidden = true,
};
