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
 * Written before the first launch and removed with the answer, a `.pending` file beside
 * the output tells of work that was lost with its machine.
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "measure/job.h"

struct worker_opts {
	const struct device *device; /* with its uuid */
	bool foreground;             /* no supervisor: an executor of one's own, once */
	int64_t idle_ns;             /* of the supervisor; 0: 20 s */
};

/* One line of JSON each: lanewise/bench.v1 or lanewise/final.v1. */
struct worker_answer {
	struct str text;    /* empty: see trouble */
	struct str trouble; /* why there is none: a wedged device, a lease of others */
	bool lost_before;   /* an earlier run of it never ended */
};

/* Waits for its turn and for the answer.  A candidate that hangs or crashes is an answer
 * with that status; trouble is ours. */
struct worker_answer worker_ask(
	struct arena *a, const struct job *j, const struct worker_opts *o);

/* The supervisor: `lanewise worker --device FILE`.  Returns an exit status. */
int worker_supervise(struct arena *a, const struct worker_opts *o);
/* The executor: `lanewise executor`; jobs on `fd`, answers and steps on it, too. */
int worker_execute(struct arena *a, int fd);

#endif
