/*
 * The remote cache as commands show it: what `tune` stores there at its end, and the
 * parts of `lanewise cache` and `lanewise doctor` that speak of it.
 */
#ifndef CMD_CACHE_REMOTE_H
#define CMD_CACHE_REMOTE_H

#include "graph/restore.h"
#include "toolchain/inventory.h"

/* Begins a run that may use it: dies of malformed settings before any work. */
void cache_remote_begin(struct arena *a);

/* "120 nodes", "120 nodes (80 entries from the remote cache)". */
const char *cache_remote_said(struct arena *a, const struct restored *r);

/* Stores what was made in this checkout since the last time; says so on standard error.
 */
void cache_remote_push_made(struct arena *a);

/* Lines of `lanewise cache stats` and `why`; nothing when there is no remote. */
void cache_remote_stats(struct arena *a);
void cache_remote_why(struct arena *a, const char *hex);

/* Exit statuses of `lanewise cache verify --remote` and `push`; die without a remote. */
int cache_remote_verify(struct arena *a, const char *root);
int cache_remote_push(struct arena *a, const char *root, bool all);

/* Tries it: reads, and where it is to be written, stores a small entry and reads that. */
struct inventory_item cache_remote_probe(struct arena *a);

#endif
