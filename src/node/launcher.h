/*
 * Launchers: a command of the user's that runs a node elsewhere, such as `icecc`-style
 * wrappers, `ssh HOST`, or `srun --gres=gpu:1`.
 *
 * The graph writes which there are (LAUNCH_FILE); no node has that file as an input, so
 * another launcher neither runs anything again nor changes a key.  Look-up, event line
 * and outputs stay with the node that Ninja started; what it launches is
 *
 *     COMMAND lanewise node --entry OUT.launched NAME words...
 *
 * in the same folder, with the environment variables LANEWISE_NODE (its name),
 * LANEWISE_INPUTS and LANEWISE_OUTPUTS (paths, one a line) for wrappers that carry files.
 * The one output is an entry of the cache (cache/store.h): its key is compared and its
 * bytes are hashed, so a launcher that did nothing, or something else, is not believed.
 */
#ifndef NODE_LAUNCHER_H
#define NODE_LAUNCHER_H

#include "cache/store.h"
#include "node/node.h"

struct launcher {
	const char *command; /* for the shell */
	const char *program; /* lanewise, as the graph names it */
};

/* The launcher of this node as of `file` (lanewise/launch.v1); false when there is none,
 * or when `file` is NULL or not there.  Dies of a damaged file. */
bool launcher_find(
	struct arena *a, const char *file, const struct node *n, struct launcher *out);

/* Runs the call, whose words are these, and gives the parts of its entry; false after
 * printing. */
bool launcher_run(const struct node_call *c, const struct launcher *l,
	const char *const *words, size_t n_words, struct str key,
	struct store_part **parts, size_t *n);

#endif
