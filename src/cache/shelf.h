/*
 * What lies in a store's folders: the entries by name, size and last use.  Whatever else
 * is there (a foreign file, a folder, a link) is not an entry and is let be; only the
 * temporary files of writers that were killed are told of, and what has the name of an
 * entry.
 */
#ifndef CACHE_SHELF_H
#define CACHE_SHELF_H

#include "base/hash.h"

enum { SHELF_GROUPS = 16, SHELF_ALL = -1 };

struct shelf_entry {
	char hex[HASH_HEX + 1];
	uint64_t bytes;
	int64_t used_ns; /* modification time */
};

struct shelf {
	struct shelf_entry *v; /* in the order of their names */
	size_t n, cap;
	const char **strays; /* paths of temporary files */
	size_t n_strays, cap_strays;
	const char **others; /* names of entries where no regular file is */
	size_t n_others, cap_others;
};

/* The entries whose name begins with this hex digit (0 to 15), or SHELF_ALL. */
struct shelf shelf_read(struct arena *a, const char *root, int group);
/* The one used longest ago first. */
void shelf_sort_by_use(struct shelf *s);
/* Is it the name of an entry: 32 lower-case hex digits? */
bool shelf_is_name(struct str name);

#endif
