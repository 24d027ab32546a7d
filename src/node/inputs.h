/*
 * Files that several nodes of one process take as inputs, each read and hashed once.
 *
 * Only those that inputs_share() names are kept, and once one was read nobody may write
 * it: it is a leaf of the graph, or its edge is done.  What is kept is bounded: when it
 * is too much, all of it is forgotten, and read again.
 */
#ifndef NODE_INPUTS_H
#define NODE_INPUTS_H

#include "base/arena.h"
#include "base/map.h"

struct inputs_file {
	struct str bytes;
	const char *hex; /* hash of the bytes; NULL: it is not read */
};

/* Zero shares nothing. */
struct inputs {
	struct map shared;         /* paths */
	struct inputs_file *files; /* by index in `shared` */
	size_t cap;
	struct arena kept; /* what `files` points to */
	size_t kept_bytes;
};

enum { INPUTS_BYTES = 64 << 20 };

/* The path is not copied; the table of paths is in `a`. */
void inputs_share(struct inputs *in, struct arena *a, struct str path);
/* A shared file, until inputs_trim(); NULL when it is not shared, or cannot be read. */
const struct inputs_file *inputs_read(struct inputs *in, const char *path);
/* Forgets all bytes when they are more than `most`. */
void inputs_trim(struct inputs *in, size_t most);

#endif
