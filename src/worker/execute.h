/*
 * The executor's side of its socket: a line with the device, then a line a job; out go
 *
 *     {"step": "verify", "allowed_ms": 2000}      before what may take long
 *     {"answer": TEXT, "status": STATUS, "usable": true}
 *
 * After an answer that says usable: false the process ends, without destructors: after a
 * fault or a hang the driver's would wait for ever.  What runs the jobs is an `engine`:
 * measure/ in the program, scripted faults in tests.
 */
#ifndef WORKER_EXECUTE_H
#define WORKER_EXECUTE_H

#include "measure/measure.h"

struct engine {
	/* NULL with *f filled when the device cannot be opened. */
	void *(*open)(struct arena *a, const struct device *dev,
		struct measure_watch watch, struct fault *f);
	/* Fills *text with a lanewise/bench.v1 or final.v1, and its status; false when no
	 * further job can be run in this process. */
	bool (*run)(void *opened, struct arena *a, const struct job *j, struct str *text,
		enum result_status *status);
};

extern const struct engine engine_measure;

/* Jobs from fd until it ends; does not return after a fault. */
int execute_jobs(const struct engine *e, int fd);
/* One job in the foreground: its answer goes to standard output, steps to standard error.
 * Returns an exit status. */
int execute_job(struct arena *a, const struct engine *e, const struct device *dev,
	const char *path);

#endif
