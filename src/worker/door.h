/*
 * The socket of a supervisor: gpu-UUID.sock in the lease folder, which is its user's
 * alone.  The folder may be at a path longer than a socket's address (108 bytes), so it
 * is reached through its descriptor.
 */
#ifndef WORKER_DOOR_H
#define WORKER_DOOR_H

#include "backend/lease.h"
#include "model/device.h"

/* What both sides of it must have in common; goes up with every change of what is said.
 */
enum { WORKER_PROTOCOL = 1 };

/* Listens; what lies there from an earlier one is removed, so the caller must hold what
 * makes it the only supervisor of the device.  -1 with a reason. */
int door_open(struct arena *a, const char *folder, struct str uuid, struct str *why);
/* A connection, or -1 with errno: ENOENT and ECONNREFUSED when nobody is there. */
int door_knock(const char *folder, const char *name);
/* Whether the process on the other side is our user's. */
bool door_is_ours(int fd);
/* The process at the other end, or 0. */
long door_peer(int fd);
/* Which program runs in this process, and for which device: the version, the file it came
 * from, and a hash of the device's text. */
struct str door_program(struct arena *a, const struct device *dev);

#endif
