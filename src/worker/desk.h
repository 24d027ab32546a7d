/*
 * Where a supervisor meets its clients: who is connected, what they asked, what is told
 * them.  Which job runs when is the supervisor's business (supervisor.c).
 */
#ifndef WORKER_DESK_H
#define WORKER_DESK_H

#include "worker/peer.h"
#include "worker/task.h"

#include <poll.h>

enum { DESK_CLIENTS_MAX = 256 };

struct client {
	struct arena a; /* holds the client itself */
	struct peer peer;
	bool greeted;      /* the same program */
	bool leaving;      /* closed when all is sent */
	struct task *task; /* asked for, or answered and not yet taken */
	struct client *next;
};

struct desk {
	int door;
	struct client *clients;
	size_t n;
	struct task_list waiting, kept;
	struct task *running;
	struct str program; /* door_program() */
	struct str hello;   /* what everybody is told first */
	struct str closed;  /* why no job is taken; empty: they are */
	bool stop;          /* somebody asked for the end */
	bool other_program; /* one that we cannot serve waits for our end */
	/* The answer to {"list": true}. */
	struct str (*list)(void *arg, struct arena *a);
	void *arg;
};

/* Room for DESK_CLIENTS_MAX + 1 entries; returns how many. */
size_t desk_polls(const struct desk *d, struct pollfd *v);
/* New clients, what they say, and who left. */
void desk_tick(struct desk *d);
/* The task, which is in no list, has its answer: it is told and kept. */
void desk_answer(struct desk *d, struct task *t);
/* There will be none: {"KEY": WHY}, with "trouble" or "refused". */
void desk_disappoint(struct task *t, const char *key, struct str why);
/* Forgets answers that are older. */
void desk_expire(struct desk *d, int64_t older_than_ns);
void desk_close(struct desk *d);

#endif
