/*
 * The words of a node's command line, after its name: which option is which, what each
 * is worth, and the files that they name, read.
 */
#ifndef NODE_WORDS_H
#define NODE_WORDS_H

#include "node/node.h"

/* Index of an option in n->words, or -1. */
long words_index(const struct node *n, struct str name);
/* Into c, of which a, node, list and inputs are set.  Dies of a word that is unknown,
 * missing or out of place, and of an input that cannot be read. */
void words_parse(struct node_call *c, size_t n, const char *const *v);

#endif
