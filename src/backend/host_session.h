/*
 * The host side of backend/session.h: kernels in C, shared objects that run in the
 * executor itself.  What its files share.
 *
 *     host.c          the processors as a device
 *     host_session.c  open, load, the table of the port, run, fetch, state
 *     host_call.c     calling what may crash; which processors it runs on
 *     host_pool.c     buffers between pages that cannot be touched
 *     host_time.c     batches and clocks, the floor
 *     host_library.c  library functions in place of kernels
 *
 * Nothing here has a deadline: a kernel runs in this thread, and who holds the process
 * (worker/) kills it.  After a crash the process is of no more use.
 */
#ifndef BACKEND_HOST_SESSION_H
#define BACKEND_HOST_SESSION_H

#include "backend/noise.h"
#include "backend/session.h"
#include "base/arena.h"
#include "base/cpu.h"

#include <time.h>

enum {
	HOST_ALIGN = 64,      /* of buffers: a line of the cache, and the widest vector */
	HOST_GUARD = 1 << 20, /* bytes on both sides that cannot be touched */
	HOST_COPIES_MAX = 64, /* rotating copies of the buffers */
};

/* One argument in one copy: guard, a page or two of known bytes, buffer, known bytes up
 * to its alignment, guard. */
struct host_buffer {
	char *map;
	size_t map_bytes;
	char *at;
	size_t bytes;
};

/* Buffers of one argument list. */
struct host_pool {
	struct host_pool *next;
	struct arena a;
	struct str key;
	const struct arg *args;
	size_t n_args;
	uint64_t seed;
	/* Per copy and argument; of scalars zero.  Inputs can only be read. */
	struct host_buffer *buffer;
	void **pristine; /* per argument: what an in-out holds first, or NULL */
	unsigned users;
	unsigned copies;
	bool filled;  /* inputs are what they should be */
	bool rotated; /* copies but the first were used since guards() looked */
};

/* What is called: the argument list of one copy, in the order of the spec.  An element
 * is a buffer, or the address of a scalar's value. */
typedef void host_function(void *const *args);

struct host_library; /* host_library.c */

struct loaded {
	struct arena *a;
	const struct bench_request *q;
	struct host_pool *pool;
	void *object; /* of dlopen */
	int fd;       /* that it was opened from, -1: none */
	host_function *function;
	struct host_library *library; /* NULL: a kernel */
	size_t threads;               /* processors that it may use */
	void **params;                /* per copy and argument */
	unsigned params_copies;
};

struct session {
	struct arena *a;
	int allowed[CPUS_MAX]; /* processors that we may use */
	size_t n_allowed;
	size_t n_bound; /* that we are bound to: the last so many of them; 0: all */
	size_t page_bytes;
	uint64_t l2_bytes;
	unsigned char *pattern; /* of the known bytes; three pages */
	struct host_pool *pools;
	char *flush; /* read to push everything else out of the cache */
	size_t flush_bytes;
	clockid_t busy_clock; /* processor time of this process, if it is fine enough */
	struct noise_watch noise;
	struct {
		struct arena *a;
		struct fault *f;
	} call;
};

/* --- host_session.c; both return false --- */
bool host_refuse(struct session *s, enum result_status status, struct str reason);
bool host_fault(struct session *s, enum result_status status, struct str reason);
/* The function of l on one copy; inside host_guarded(). */
void host_launch(const struct loaded *l, unsigned copy);
/* Argument lists of the first `copies` copies. */
void host_params(struct loaded *l, unsigned copies);

/* --- host_call.c --- */
/* Once a process. */
void host_guard_make(struct session *s);
/* work(arg), with the default floating-point environment.  A signal that a kernel's own
 * mistake raises is a fault, `during` says where; false then. */
bool host_guarded(
	struct session *s, const char *during, void (*work)(void *arg), void *arg);
/* Binds the process to so many processors. */
bool host_bind(struct session *s, size_t n);

/* --- host_pool.c --- */
bool host_pool_get(struct session *s, struct loaded *l);
void host_pool_drop(struct loaded *l);
/* Makes the copies that cold batches rotate over; fewer when memory is short. */
bool host_pool_rotate(struct session *s, struct host_pool *p);
void host_pool_restore(struct host_pool *p, unsigned copies);
void host_pool_poison(struct host_pool *p, unsigned char byte);
bool host_pool_check(struct session *s, struct host_pool *p);
/* What an address that could not be touched is to the buffers: "8 bytes after the end of
 * 'c'"; *input: it lies in a buffer that is an input only.  Empty: nothing. */
struct str host_pool_explain(
	struct session *s, struct arena *a, const void *address, bool *input);

/* --- host_time.c --- */
clockid_t host_clock_choose(void);
bool host_batch(
	struct session *s, struct loaded *l, const struct batch *b, struct reading *out);
double host_floor(struct session *s);

/* --- host_library.c --- */
bool host_library_open(struct session *s, struct loaded *l);
void host_library_launch(const struct loaded *l, void *const *args);
/* Before launches: as many threads as l may use.  Of a kernel: nothing. */
void host_library_ready(const struct loaded *l);
/* After launches: false when one said that it cannot do it. */
bool host_library_answer(struct session *s, const struct loaded *l);

#endif
