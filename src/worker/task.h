/*
 * A job that was asked for, from the question until its answer is safe.  Each has its own
 * memory, since a supervisor lives longer than any of them.
 */
#ifndef WORKER_TASK_H
#define WORKER_TASK_H

#include "base/arena.h"
#include "measure/job.h"

struct client;

struct task {
	struct arena a;
	struct str question; /* the client's whole line: what makes two the same */
	struct str text;     /* the job's */
	struct job *job;
	struct client *client; /* who waits; NULL: it went away */
	struct str answer;     /* lanewise/bench.v1 or final.v1, once it is there */
	int64_t done_ns;
	bool retried; /* after a fault that another one may have caused */
	int kills;    /* how often somebody else killed its executor */
	struct task *next;
};

/* Oldest first. */
struct task_list {
	struct task *first;
	size_t n;
};

/* From a message {"ask": TEXT, ...}; NULL with a reason when the job in it is malformed.
 */
struct task *task_make(struct str line, struct arena *scratch, struct str *why);
void task_free(struct task *t);
void task_append(struct task_list *l, struct task *t);
void task_prepend(struct task_list *l, struct task *t);
/* Takes it out of the list, in which it is. */
void task_remove(struct task_list *l, struct task *t);
/* One with this question, that nobody else waits for; or NULL. */
struct task *task_find(const struct task_list *l, struct str question);
/* "reduce BLOCK=64@1M", or "reduce@1M: final of 9". */
struct str task_name(struct arena *a, const struct task *t);

#endif
