/*
 * From an edge of the manifest to the node that it runs, without running it: the words of
 * the command line, and the list that Ninja would put into a file.
 */
#ifndef GRAPH_EDGE_H
#define GRAPH_EDGE_H

#include "format/ninja_read.h"
#include "node/node.h"

struct edge_call {
	const char **words; /* after "lanewise node" */
	size_t n;
	struct node_list list;
};

/* False for an edge that runs no node, or one whose purpose is to be seen. */
bool edge_call(struct arena *a, const struct ninja_statement *s, struct edge_call *c);

/* The key of the node that makes a file of the graph in the current folder; false after a
 * message in *why.  A warning tells of each source whose copy is older.  Dies when an
 * input of it is not there yet. */
bool edge_key(struct arena *a, const char *output, const struct node *const *nodes,
	struct str *key, struct str *why);

#endif
