/*
 * Pools in the main memory of this process, between pages that nobody may touch: for the
 * processors themselves, and for OpenCL runtimes, which get the address.
 *
 *     no-access | known bytes | buffer | known bytes up to its alignment | no-access
 *
 * Who runs far out of a buffer ends the process; known bytes are looked at, and so are
 * the inputs, by their sum: no right that a page has keeps code in this process off it.
 */
#ifndef BACKEND_MAINMEM_H
#define BACKEND_MAINMEM_H

#include "backend/pool.h"
#include "base/hash.h"

enum { MAINMEM_GUARD = 1 << 20 }; /* bytes on both sides that cannot be touched */

/* One argument in one copy. */
struct fenced {
	unsigned char *map; /* with what cannot be touched; NULL: none */
	size_t map_bytes;
	unsigned char *home; /* what can be touched */
	size_t home_bytes;
	unsigned char *at; /* the buffer */
	size_t bytes;
};

/* One argument; the first member of what a backend keeps of it. */
struct mainmem_buffer {
	struct fenced copy[POOL_COPIES_MAX];
	unsigned char *pristine; /* what an in-out argument holds first */
	struct hash sum;         /* of an input */
};

struct mainmem {
	struct pools pools;
	size_t align, before; /* of buffers; known bytes before each, at least */
	const unsigned char *pattern;
	bool protects; /* inputs can only be read, as far as the processor knows */
	/* Ours for as long as we touch it, and the kernels' again; or both NULL. */
	bool (*hold)(struct session *s, struct mainmem_buffer *b);
	bool (*let_go)(struct session *s, struct mainmem_buffer *b);
};

/* m->pools, align and before are set, the rest as the backend likes. */
void mainmem_begin(struct mainmem *m, struct arena *a);
struct mainmem_buffer *mainmem_buffer(
	const struct mainmem *m, const struct pool *p, size_t arg);

/* False: errno.  What was made is given back by mainmem_free(). */
bool mainmem_make(struct mainmem *m, struct pool *p);
void mainmem_free(struct mainmem *m, struct pool *p);
/* Another copy of all buffers, filled; false: there is no memory for one. */
bool mainmem_copy(struct mainmem *m, struct pool *p);
/* These fail as hold() and let_go() do; check as struct pool_ops says. */
bool mainmem_fill(struct mainmem *m, struct pool *p);
bool mainmem_check(struct mainmem *m, struct pool *p);
/* In-out arguments of `copies` copies hold their inputs again. */
bool mainmem_restore(struct mainmem *m, struct pool *p, unsigned copies);
/* Outputs that are no inputs are all this byte. */
bool mainmem_poison(struct mainmem *m, struct pool *p, unsigned char byte);
bool mainmem_read(struct mainmem *m, struct pool *p, size_t arg, void *to);

#endif
