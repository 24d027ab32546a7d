/* A member of a shortlist as a member of a job: for `final` and `certify`. */
#ifndef NODE_SHORTLISTED_H
#define NODE_SHORTLISTED_H

#include "measure/job.h"
#include "model/shortlist.h"
#include "model/verdict.h"

/* Does the gate still admit it, at this launch shape?  Reads its verdicts. */
bool shortlisted_may_run(
	struct arena *a, const struct shortlist_member *m, enum admit admit);

/* `common`: what all members of the problem have in common.  Reads the machine code and
 * compares its hash; false after a diag_error. */
bool shortlisted_member(struct arena *a, const struct shortlist_member *m,
	const struct bench_request *common, struct job_member *out, struct diag *d);

#endif
