/* The measuring protocol as what an executor runs. */
#include "worker/execute.h"

static void *
open_device(struct arena *a, const struct device *dev, struct measure_watch watch,
	struct fault *f)
{
	return measure_open(a, backend_of(dev), dev, watch, f);
}

static bool
run_job(void *opened, struct arena *a, const struct job *j, struct str *text,
	enum result_status *status)
{
	struct result r;
	struct final_record f;
	bool usable;

	if (j->kind == JOB_FINAL) {
		usable = measure_final(opened, a, j, &f);
		*text = final_record_write(a, &f);
		*status = f.status;
		return usable;
	}
	usable = measure_candidate(opened, a, j, &r);
	*text = result_write(a, &r);
	*status = r.status;
	return usable;
}

const struct engine engine_measure = {open_device, run_job};
