/*
 * Who runs jobs on a device:
 *
 *     client (a node of the graph; no driver in it)
 *       -> supervisor: one a device; holds its lease, the queue, the deadlines
 *          -> executor: owns the context; thrown away after a fault, a hang, or on wish
 *
 * The supervisor never opens the driver, so it cannot hang in it, and may start processes
 * freely.  It is started by the first client that finds none, and ends when it was idle
 * for a while.  Client and supervisor speak lines of JSON over a socket in the lease
 * folder (backend/lease.h), supervisor and executor over a socket pair.
 *
 * In the lease folder, for each device:
 *
 *     gpu-UUID.lock     the lease
 *     gpu-UUID.worker   locked by the one supervisor
 *     gpu-UUID.sock     where it listens
 *     gpu-UUID.json     the device, for a supervisor that is started
 *     gpu-UUID.log      what it did, and what kernels and drivers printed
 *     gpu-UUID.wedged   there while a killed executor does not end: its pid
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "measure/job.h"

enum { WORKER_IDLE_S = 20 };

struct worker_opts {
	const struct device *device; /* with its uuid */
	bool foreground;             /* no supervisor: an executor of one's own, once */
	/* Told once of what keeps it waiting that does not end by itself; NULL: warned.
	 */
	void (*waits)(void *arg, const char *why);
	void *waits_arg;
	struct str tag;  /* what else makes two equal jobs different, or empty */
	int64_t idle_ns; /* of the supervisor; 0: 20 s */
	int64_t reap_ns; /* how long a killed executor may take to go; 0: 10 s */
};

/* One line of JSON each: lanewise/bench.v1 or lanewise/final.v1. */
struct worker_answer {
	struct str text;    /* empty: see trouble */
	struct str trouble; /* why there is none: a wedged device, a lease of others */
};

/*
 * Waits for its turn and for the answer.  A candidate that hangs or crashes is an answer
 * with that status, also when the device is of no use after it; trouble is ours.  The
 * supervisor keeps the answer for a while, for the same job with the same tag, until
 * worker_taken() says that it is written down.
 */
struct worker_answer worker_ask(
	struct arena *a, const struct job *j, const struct worker_opts *o);
void worker_taken(void);

/* The supervisor: `lanewise worker --device FILE`.  Returns an exit status; at once when
 * the device has one. */
int worker_supervise(struct arena *a, const struct worker_opts *o);

/* A supervisor that answers. */
struct worker_seen {
	struct str device, uuid;
	int64_t pid, n_waiting, n_done, idle_s;
	struct str running; /* empty: nothing */
	struct str step;
	int64_t running_ms;
	struct str trouble; /* empty, or why no job can be run */
};

/* Those of this user; returns how many. */
size_t worker_list(struct arena *a, struct worker_seen **out, struct str *why);
/* Asks those whose UUID or name is `which` (all: NULL) to end after the job that runs,
 * and waits for it. Returns how many there were, and in `out` what each said just before.
 */
size_t worker_stop(
	struct arena *a, const char *which, struct worker_seen **out, struct str *why);

#endif
