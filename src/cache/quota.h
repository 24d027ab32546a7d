/*
 * How large a store may get, and what leaves it then: what was used longest ago.
 *
 * A store has 16 groups, by the first digit of its entries' names.  ROOT/count/X holds
 * what group X has, "ENTRIES BYTES"; a write adds to it under a lock on that file, and
 * looks into no folder.  A group that has more than a sixteenth of the limit is brought
 * down to 80 % of that by whoever made it so, so a store may exceed its limit by what is
 * being written.  A count that is absent or malformed is made by looking; one that is
 * wrong is put right whenever something leaves, and by `lanewise cache prune`.
 *
 * The limit is in ROOT/limit, so that all who share a store agree on it.
 */
#ifndef CACHE_QUOTA_H
#define CACHE_QUOTA_H

#include "base/str.h"

struct quota {
	uint64_t entries, bytes;
};

/* 5 GiB, as ccache has it. */
#define QUOTA_DEFAULT ((uint64_t)5 << 30)

/* "512M", "5G", "1.5G", "100k", bytes; powers of 1024. */
bool quota_parse(struct str text, uint64_t *bytes);

uint64_t quota_limit(const char *root);
/* An entry larger than this would empty its group. */
uint64_t quota_entry_max(const char *root);
/* Writes ROOT/limit; false with errno set. */
bool quota_set_limit(struct arena *a, const char *root, uint64_t bytes);

/* Entry `hex` came, went or changed: counts that, and removes others when there are too
 * many. */
void quota_add(const char *root, const char *hex, int entries, int64_t bytes);

/* What the counts say; no folder is read. */
struct quota quota_counted(const char *root);

/* Removes what was used longest ago until no more than `keep` bytes are left, and the
 * temporary files of killed writers; counts all anew.  *left may be NULL.  Returns what
 * was removed. */
struct quota quota_prune(const char *root, uint64_t keep, struct quota *left);

#endif
