/*
 * Buffers of argument lists that stay where kernels find them, for every backend: made
 * once for all candidates with equal arguments, looked at after each of them, filled anew
 * where one did damage, and given back when memory is short.  What memory is, and how it
 * is looked at, is the backend's.
 */
#ifndef BACKEND_POOL_H
#define BACKEND_POOL_H

#include "backend/session.h"
#include "base/arena.h"

enum {
	POOL_ARGS_MAX = 256,  /* as the spec's */
	POOL_COPIES_MAX = 64, /* rotating copies of the buffers */
};

/* Of the port, that is being answered: where reasons live, and the fault to fill. */
struct call {
	struct arena *a;
	struct fault *f;
};

/* Buffers of one argument list; inputs stay in them. */
struct pool {
	struct pool *next;
	struct arena a; /* it holds the pool */
	struct str key;
	const struct arg *args;
	size_t n_args;
	uint64_t seed;
	void *buffers; /* one an argument, as the backend has them; of scalars zero */
	unsigned users;
	unsigned copies; /* buffers to rotate over, with the first; 1: no others */
	bool used;       /* by a launch, since pool_check() looked */
	bool rotated;    /* its copies, too */
	bool filled;     /* inputs are what they should be */
};

/* Those that can fail say why in the call's fault. */
struct pool_ops {
	size_t buffer_bytes;
	/* Memory for all pointers; what was made before a failure is given to free(). */
	bool (*make)(struct session *s, struct pool *p);
	void (*free)(struct session *s, struct pool *p);
	/* All as it is before the first launch. */
	bool (*fill)(struct session *s, struct pool *p);
	/* RESULT_WRONG when something beside an output was written to. */
	bool (*check)(struct session *s, struct pool *p);
};

struct pools {
	struct session *s;
	const struct pool_ops *ops;
	const struct call *call; /* of the session */
	struct pool *first;
};

/* The pool of q's arguments, filled; one user more.  NULL after a fault. */
struct pool *pool_get(struct pools *all, const struct bench_request *q);
/* One user less; *p may be NULL, and is afterwards. */
void pool_drop(struct pool **p);
/* Damage is repaired, now or when the next candidate is loaded. */
bool pool_check(struct pools *all, struct pool *p);
/* Gives back the memory of argument lists that nobody uses now; false: there was none. */
bool pools_evict(struct pools *all);

/* Pointers that a kernel reads only, and that it reads and writes. */
bool pool_is_input(const struct arg *v);
bool pool_is_inout(const struct arg *v);
/* So many copies of `bytes` that three times a cache lies between two uses of one. */
unsigned pool_copies_wanted(uint64_t cache_bytes, uint64_t bytes);

/* Any fixed bytes that a kernel does not write by accident, for what lies around buffers.
 */
unsigned char *pool_pattern(struct arena *a, size_t n);
/* The faults of a kernel that changed so many bytes of them, or an input: false. */
bool pool_wrote_outside(
	const struct call *c, const struct arg *v, size_t changed, bool after);
bool pool_wrote_input(const struct call *c, const struct arg *v);
struct str pool_input_text(struct arena *a, const struct arg *v);

#endif
