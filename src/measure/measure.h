/*
 * The measuring protocol over a device session (docs/explanation/measuring.md): which
 * runs make a candidate verified, how long it is timed, what it is compared with, when a
 * comparison is a claim.  The same for every backend.
 *
 * A `measure` lives as long as its process.  It remembers, per problem, the anchor (the
 * candidate that brackets are made with) and the incumbent (the fastest so far, for
 * racing).
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "backend/session.h"
#include "measure/job.h"

/* Told before each step that may take long: from now on so much time is due.  What holds
 * the process (worker/) kills it when that has passed. */
struct measure_watch {
	void (*step)(void *arg, const char *name, int64_t allowed_ns);
	void *arg;
};

struct measure;

/* NULL with *f filled when the device cannot be opened. */
struct measure *measure_open(struct arena *a, const struct backend *b,
	const struct device *dev, struct measure_watch watch, struct fault *f);

/* JOB_SCREEN and JOB_OUTPUTS and JOB_ONCE.  Returns false when the session is of no more
 * use; *r is filled in any case. */
bool measure_candidate(
	struct measure *m, struct arena *a, const struct job *j, struct result *r);

/* JOB_FINAL: readings of all members in mirrored rounds.  False as above. */
bool measure_final(struct measure *m, struct arena *a, const struct job *j,
	struct final_record *out);

#endif
