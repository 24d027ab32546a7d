/* What is said of a job whose executor cannot say it any more. */
#ifndef WORKER_OBITUARY_H
#define WORKER_OBITUARY_H

#include "measure/job.h"

/* The text of a lanewise/bench.v1, of a final a lanewise/final.v1, without any number. */
struct str obituary_text(struct arena *a, const struct job *j, const struct device *dev,
	enum result_status status, struct str reason);

#endif
