/*
 * The other end of a socket, with whom lines are exchanged.  Never waits, but for
 * peer_wait() and peer_push().  A line is one JSON object; what is not, or does not end,
 * is the other side's fault and ends the conversation.
 */
#ifndef WORKER_PEER_H
#define WORKER_PEER_H

#include "base/arena.h"
#include "format/json.h"

/* A final of many readings is a few hundred kilobytes. */
enum { PEER_LINE_MAX = 16 << 20 };

struct peer {
	int fd; /* -1: none */
	struct arena in_memory, out_memory;
	struct buf in, out;
	size_t in_at, out_at; /* what was given out and what was sent */
	size_t line_max;      /* of what it may send; 0: PEER_LINE_MAX */
	bool gone;            /* it closed, failed, or sent too long a line */
};

/* fd is non-blocking and close-on-exec afterwards, and the peer's to close. */
struct peer peer_make(int fd);
void peer_close(struct peer *p);

/* Reads what is there; sets p->gone at the end (lines that came before it are kept). */
void peer_read(struct peer *p);
/* The next whole line; valid until the next peer_read(). */
bool peer_line(struct peer *p, struct str *line);
/* Sends a line, now or by later peer_flush()es. */
void peer_say(struct peer *p, struct str line);
void peer_flush(struct peer *p);
bool peer_has_unsent(const struct peer *p);
/* Waits until all is sent, or the other side is gone. */
void peer_push(struct peer *p);
/* The next line, or false when there will be none or `until` (clock_ns; 0: never) has
 * passed. */
bool peer_wait(struct peer *p, int64_t until, struct str *line);

/* A line as an object; NULL when it is none. Its texts live in `a`. */
const struct json *message_parse(struct arena *a, struct str line);
/* {"KEY": "TEXT"} and {"KEY": true}, without a line end. */
struct str message_text(struct arena *a, const char *key, struct str text);
struct str message_flag(struct arena *a, const char *key);
/* What json_done gives of a compact object, without its line end. */
struct str message_done(struct json_out *o);

#endif
