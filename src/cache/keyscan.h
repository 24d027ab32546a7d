/*
 * The keys of the entries of a store, to count and to compare; only the head of an entry
 * is read, and nothing is verified: good enough to explain, not to work with.
 */
#ifndef CACHE_KEYSCAN_H
#define CACHE_KEYSCAN_H

#include "cache/shelf.h"

/* The key text of an entry; empty when it cannot be read. */
struct str keyscan_read(struct arena *a, const char *root, const char *hex);
/* "lower" of "node lower 3"; empty when there is no such line. */
struct str keyscan_node(struct str key);

/* The entry of the same node whose key differs in the fewest lines; the last used of
 * several.  False when there is none.  An entry with this very key is not looked at. */
bool keyscan_nearest(struct arena *a, const char *root, struct str key,
	struct shelf_entry *entry, struct str *found);

/* Lines of a key in their order: what only `was` has begins with '-', what only `is` has
 * with '+'. */
struct str keyscan_diff(struct arena *a, struct str was, struct str is);

#endif
