/*
 * stage: a leaf (source, header, description) becomes a file of the build.
 *
 * Modification times lie (checkouts, archives, clocks), so the leaf's content hash stands
 * on the command line, where Ninja compares it, and equal bytes keep the staged file's
 * own time.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "node/node.h"

enum { IN, SHA };

static const struct node_word words[] = {
	[IN] = {"in", NODE_INPUT, true, false},
	[SHA] = {"sha", NODE_PARAM, true, false},
	{0},
};

static bool
compute(struct node_call *c, struct diag *d)
{
	(void)d;
	buf_addstr(&c->out, node_file(c, IN)->bytes);
	/* A leaf edited since the graph was written is staged as it is now: the graph is
	 * rewritten on the next run, and everything below follows the bytes, not the
	 * hash. */
	return true;
}

const struct node node_stage = {
	.name = "stage",
	.about = "copy a leaf into the build when its bytes changed",
	.revision = 1,
	.words = words,
	.local = true,
	.compute = compute,
};
