/*
 * A content-addressed store of finished work in a folder.
 *
 * Entry ROOT/ab/abcdef...  (hash of the key text):
 *
 *     lanewise-entry 2 xxh128:...    hash of everything below this line
 *     key BYTES
 *     part NAME BYTES                one line a part
 *     <empty line> then the key text and the parts' bytes, back to back
 *
 * On a hit the key text is compared and all of it is hashed again, so neither a collision
 * nor a damaged entry can pass: both are a miss, and of damage a warning says so. Entries
 * are written to a temporary file and renamed; what leaves the store is a copy, never a
 * link.  A store that cannot be written is a store that remembers nothing, never an
 * error.
 *
 * A hit sets the entry's modification time, which is so its last use (cache/quota.h).
 */
#ifndef CACHE_STORE_H
#define CACHE_STORE_H

#include "base/str.h"

struct store_part {
	struct str name;
	struct str bytes;
};

enum { STORE_ENTRY_MAX = 64 << 20 }; /* larger results are cheaper to make again */

/* True on a verified hit; the parts come back in the order they were stored. */
bool store_get(struct arena *a, const char *root, struct str key,
	struct store_part **parts, size_t *n);
void store_put(struct arena *a, const char *root, struct str key,
	const struct store_part *parts, size_t n);

/* The bytes of an entry, and back; store_put() and store_get() without the files.  Names
 * of parts have no spaces. */
struct str store_entry_text(
	struct arena *a, struct str key, const struct store_part *parts, size_t n);
bool store_entry_parse(struct arena *a, struct str text, struct str key,
	struct store_part **parts, size_t *n);
/* The key of an undamaged entry, whichever it is; false when it is damaged. */
bool store_entry_key(struct arena *a, struct str text, struct str *key);

/* Path of the entry with this name (32 hex digits). */
const char *store_path(struct arena *a, const char *root, const char *hex);
/* An entry with all that a hit verifies: a regular file that belongs to us, to root, or
 * to the owner of the store, or lies in a store that a group shares; undamaged, and the
 * entry that its name says.  False with *why: what is wrong with what is there, or NULL
 * when nothing is. */
bool store_check(struct arena *a, const char *root, const char *hex, struct str *text,
	struct str *key, const char **why);
/* Puts the bytes of an entry in place and counts them; false with errno set. */
bool store_write(struct arena *a, const char *root, const char *hex, struct str text);

#endif
