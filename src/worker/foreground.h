/* Without a supervisor: an executor of one's own, under the lease and the same deadlines.
 */
#ifndef WORKER_FOREGROUND_H
#define WORKER_FOREGROUND_H

#include "worker/worker.h"

/* Waits for the lease; an idle supervisor gives it up. */
struct worker_answer foreground_run(struct arena *a, const char *folder,
	const struct job *j, const struct worker_opts *o);

#endif
