/*
 * The host side of backend/session.h: kernels in C, shared objects that run in the
 * executor itself.  What its files share.
 *
 *     host.c          the processors as a device
 *     host_session.c  open, load, the table of the port, run, fetch, state
 *     host_call.c     calling what may crash; which processors it runs on
 *     host_pool.c     buffers in main memory, as much as is free; whose an address is
 *     host_time.c     batches and clocks, the floor
 *     host_library.c  library functions in place of kernels
 *
 * Nothing here has a deadline: a kernel runs in this thread, and who holds the process
 * (worker/) kills it.  After a crash the process is of no more use.
 */
#ifndef BACKEND_HOST_SESSION_H
#define BACKEND_HOST_SESSION_H

#include "backend/mainmem.h"
#include "backend/noise.h"
#include "base/cpu.h"

#include <time.h>

enum { HOST_ALIGN = 64 }; /* of buffers: a line of the cache, and the widest vector */

/* What is called: the argument list of one copy, in the order of the spec.  An element
 * is a buffer, or the address of a scalar's value. */
typedef void host_function(void *const *args);

struct host_library; /* host_library.c */

struct loaded {
	struct arena *a;
	const struct bench_request *q;
	struct pool *pool;
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
	uint64_t l2_bytes;
	struct mainmem mainmem;
	char *flush; /* read to push everything else out of the cache */
	size_t flush_bytes;
	clockid_t busy_clock; /* processor time of this process, if it is fine enough */
	struct noise_watch noise;
	struct call call;
};

/* --- host_session.c; both return false --- */
bool host_refuse(struct session *s, enum result_status status, struct str reason);
bool host_fault(struct session *s, enum result_status status, struct str reason);
/* The function of l on one copy; inside host_guarded(). */
void host_launch(const struct loaded *l, unsigned copy);
/* Argument lists of the first `copies` copies. */
void host_params(const struct session *s, struct loaded *l, unsigned copies);

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
/* Of buffers with so many known bytes before each. */
void host_pools_begin(struct session *s, size_t before);
/* Makes the copies that cold batches rotate over; fewer when memory is short. */
void host_pool_rotate(struct session *s, struct pool *p);
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
