/*
 * An executor process as seen by who holds it: started when there is a job, watched by a
 * deadline for each of its steps, killed with its process group when one passes, and
 * thrown away after a fault.  Nothing here waits; runner_tick() is called when one of the
 * descriptors is ready or time has passed.
 */
#ifndef WORKER_RUNNER_H
#define WORKER_RUNNER_H

#include "measure/job.h"
#include "worker/peer.h"

#include <poll.h>
#include <sys/types.h>

enum runner_state {
	RUNNER_NONE,   /* no process */
	RUNNER_IDLE,   /* one that waits for a job */
	RUNNER_BUSY,   /* one that runs a job */
	RUNNER_DYING,  /* its end is awaited; its job may be not answered yet */
	RUNNER_WEDGED, /* was killed long ago, and does not end */
};

struct runner {
	const struct device *device;
	int lease;       /* handed to the process, too, so that it ends with both */
	int log;         /* what it prints is copied there; -1: nowhere */
	size_t log_left; /* bytes */
	int64_t reap_ns; /* how long a killed one may take to go */
	enum runner_state state;
	pid_t pid;
	struct peer peer;
	int err;        /* its standard error, a pipe */
	char last[400]; /* its last line there that says something */
	size_t n_last;
	bool line_ended;
	unsigned long n_jobs; /* begun in this process */
	/* Of the job: */
	bool owes;      /* an answer */
	bool stepped;   /* it came past opening the device */
	char step[200]; /* what is being done */
	int64_t allowed_ns, deadline_ns, step_ns;
	int64_t dying_ns; /* since when */
	bool hung, killed;
};

/* How a job ended. */
struct runner_end {
	struct str text; /* the executor's answer; empty: there is none, see the rest */
	enum result_status status;
	struct str reason; /* empty when there is an answer */
	bool wedged;       /* it was killed and does not end */
	bool fresh;        /* nothing else had been run in the process */
	bool foreign_kill; /* SIGKILL, and not from us */
};

/* Without a process yet. device must live as long. */
struct runner runner_make(const struct device *dev, int lease, int log, int64_t reap_ns);
/* Starts a process if there is none; state must be NONE or IDLE. */
void runner_begin(struct runner *r, const struct job *j, struct str text);
/* Lets an idle process go, so that the next job gets a new one. */
void runner_retire(struct runner *r);
/* At most 3 entries; returns how many. */
size_t runner_polls(const struct runner *r, struct pollfd *v);
/* When runner_tick() wants to be called at the latest (clock_ns; 0: whenever). */
int64_t runner_alarm(const struct runner *r);
/* True when the job that was begun has ended; *end then says how, in `a`. */
bool runner_tick(struct runner *r, struct arena *a, struct runner_end *end);
/* Kills at once, waits for it (as long as reap_ns), and closes everything. */
void runner_close(struct runner *r);

#endif
