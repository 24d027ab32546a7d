/*
 * One GPU, one measurement at a time: an flock on a file named by the GPU's UUID, in a
 * folder that all of a user's runs share ($XDG_RUNTIME_DIR/lanewise, else
 * /tmp/lanewise-UID).  The kernel releases it when the holder dies, however it dies.
 * Two users do not see each other's leases.
 */
#ifndef BACKEND_LEASE_H
#define BACKEND_LEASE_H

#include "base/str.h"

/*
 * Waits for the lease of a device and returns its descriptor (close-on-exec), or -1 with
 * a reason.  A folder that is not ours alone (a link, another owner, writable by others)
 * is refused, since whoever can write it can point the file elsewhere.  An empty uuid
 * leases "default".
 */
int lease_take(struct arena *a, struct str uuid, struct str *why);
void lease_drop(int fd);

/* The folder, made if absent; NULL with a reason. */
const char *lease_folder(struct arena *a, const char *runtime_dir, struct str *why);

#endif
