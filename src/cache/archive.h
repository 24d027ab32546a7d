/*
 * A store in one file, to be carried:
 *
 *     lanewise-archive 1 xxh128:HASH    of everything below this line
 *     entry BYTES                       and so many bytes, which are an entry
 *     ...
 *
 * An archive names no files: an entry goes where the hash of its own key says.  All of it
 * is verified before anything is written, and when something cannot be written, what was
 * new is taken out again: all or nothing comes in.
 */
#ifndef CACHE_ARCHIVE_H
#define CACHE_ARCHIVE_H

#include "cache/quota.h"

enum { ARCHIVE_MAX = 1 << 30 };

/* Damaged entries are left out (*damaged); false after a message in *why. */
bool archive_export(struct arena *a, const char *root, const char *file,
	struct quota *out, size_t *damaged, struct str *why);
/* Entries that are here already stay as they are and are not in *in. */
bool archive_import(struct arena *a, const char *root, const char *file, struct quota *in,
	struct str *why);

#endif
