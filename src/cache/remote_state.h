/*
 * What the processes of a run tell each other about the remote cache, in a folder of the
 * checkout (.lanewise/remote):
 *
 *     off      "RUN TOPIC PID" a line: PID gave that note, and what it says of is left
 *              alone
 *     queue    "NAME" a line: an entry that was made here and is to be stored in the
 *              remote; "NAME damaged": what the remote has under that name is to be
 *              replaced
 *
 * Each node is a process of its own; without this, each would wait for a dead server, and
 * each would say so.  A folder that cannot be written only costs that.
 */
#ifndef CACHE_REMOTE_STATE_H
#define CACHE_REMOTE_STATE_H

#include "cache/shelf.h"

enum remote_topic {
	REMOTE_READS,  /* nothing more is read */
	REMOTE_WRITES, /* nothing more is stored */
	REMOTE_DAMAGE, /* only the note was given */
	REMOTE_TOPICS
};

struct remote_name {
	char hex[HASH_HEX + 1];
	bool damaged; /* the remote's is to be replaced */
	bool done;    /* it was fetched, or is there now */
};

struct remote_names {
	struct remote_name *v;
	size_t n, cap;
};

void remote_names_add(
	struct arena *a, struct remote_names *l, const char *hex, bool damaged);

/* Begins a run of a front end: names it for this process and its children. */
void remote_run_begin(void);

/* Notes it for this run; true the first time, and always without a folder (NULL): the
 * caller is to tell the user. */
bool remote_off(struct arena *a, const char *dir, enum remote_topic t);
/* Was it, in this run and within the last minute?  After that it is tried again. */
bool remote_is_off(struct arena *a, const char *dir, enum remote_topic t);

/* Appends to the queue of a folder; NULL: of none. */
void remote_queue(
	struct arena *a, const char *dir, const struct remote_name *v, size_t n);
/* Each name once.  `take`: the queue is empty then. */
void remote_queue_read(
	struct arena *a, const char *dir, bool take, struct remote_names *l);

#endif
