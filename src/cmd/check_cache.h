/*
 * PTX files by path and kernels by file and entry, each read and made ready once.  What
 * failed is remembered too.  When the files held get too large all are forgotten.
 */
#ifndef CMD_CHECK_CACHE_H
#define CMD_CHECK_CACHE_H

#include "base/arena.h"
#include "base/map.h"
#include "cmd/check_kernel.h"

struct check_cache {
	struct arena a; /* of all that is held */
	struct map files, kernels;
	struct cached_file *file;
	struct cached_kernel *kernel;
	size_t cap_files, cap_kernels;
	size_t held_bytes; /* of PTX */
};

/* The kernel, until the next call; NULL with *why in the arena of the cache. */
const struct check_kernel *check_cache_find(
	struct check_cache *c, const char *path, const char *entry, struct str *why);
void check_cache_end(struct check_cache *c);

#endif
