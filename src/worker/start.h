/* Starting a supervisor that outlives who started it. */
#ifndef WORKER_START_H
#define WORKER_START_H

#include "worker/worker.h"

/* False with a reason when no process could be started.  It may end at once, when there
 * is another one; who listens is seen by knocking. */
bool start_supervisor(struct arena *a, const char *folder, const struct worker_opts *o,
	struct str *why);

#endif
