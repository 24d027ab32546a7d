/*
 * The event log: one JSON line per finished node, appended with one write, so that the
 * front end can tell progress without asking Ninja.  Lines are read leniently: a torn or
 * foreign line is skipped.
 *
 *     {"node":"bench","kernel":"reduce","name":"BLOCK=64,TILE=128@1M","status":"ok",
 *      "ms":412.0,"detail":"8.21 us"}
 */
#ifndef NODE_EVENT_H
#define NODE_EVENT_H

#include "base/str.h"

struct event {
	struct str node, kernel, name;
	struct str status; /* ok failed refused cached same ... */
	struct str detail;
	double ms; /* wall time of the node */
	double ns; /* bench, estimate: median; 0 when none */
};

void event_append(const char *path, const struct event *e);
bool event_parse(struct arena *a, struct str line, struct event *out);

#endif
