/*
 * One GPU, one measurement at a time: an flock on a file named by the GPU's UUID, in a
 * folder that all of a user's runs share ($XDG_RUNTIME_DIR/lanewise, else
 * /tmp/lanewise-UID).  The kernel releases it when the holder dies, however it dies.
 * Two users do not see each other's leases.
 *
 * The file's text says who holds it, for messages and for whoever waits: one line
 * "WHAT PID START", START as in /proc/PID/stat (a number that tells a process from a
 * later one with the same pid).
 */
#ifndef BACKEND_LEASE_H
#define BACKEND_LEASE_H

#include "base/str.h"

#include <sys/types.h>

/*
 * Waits for the lease of a device and returns its descriptor (close-on-exec), or -1 with
 * a reason.  A folder that is not ours alone (a link, another owner, writable by others)
 * is refused, since whoever can write it can point the file elsewhere.  An empty uuid
 * leases "default".
 */
int lease_take(struct arena *a, struct str uuid, struct str *why);
/* The same without waiting: -1 with an empty reason when somebody else has it. */
int lease_try(struct arena *a, struct str uuid, struct str *why);
void lease_drop(int fd);

struct lease_holder {
	struct str what; /* "executor", "foreground", ...; empty: not told */
	pid_t pid;
	unsigned long long start;
};

struct lease_holder lease_holder_of(const char *what, pid_t pid);
/* Writes who holds it into the file. */
void lease_sign(int fd, const struct lease_holder *h);
struct str lease_holder_text(struct arena *a, const struct lease_holder *h);
/* From such a text in a file; pid 0 when it is none. */
struct lease_holder lease_read(struct arena *a, const char *path);
/* Whether that very process is still there; one that has only to be reaped is not. */
bool lease_alive(const struct lease_holder *h);

/* The folder, made if absent; NULL with a reason. */
const char *lease_folder(struct arena *a, const char *runtime_dir, struct str *why);
/* The one of this process's environment. */
const char *lease_folder_here(struct arena *a, struct str *why);
/* "gpu-UUID.EXT": a file name out of what may be any text, at most 80 bytes. */
const char *lease_name(struct arena *a, struct str uuid, const char *ext);

#endif
