#include "backend/opencl_probe.h"
#include "backend/opencl_session.h"

static struct device *
probe(struct arena *a, struct str which, struct str *why)
{
	struct opencl_api api;
	struct opencl_here here;
	const char *reason;
	if (!opencl_open(a, &api, &reason)) {
		*why = str_of(reason);
		return NULL;
	}
	return opencl_pick(a, &api, which, &here, why) ? here.as : NULL;
}

const struct backend backend_opencl = {.name = "opencl",
	.about = "CPUs and others, through an OpenCL runtime",
	.probe = probe,
	.ops = &opencl_session,
	.kind = RESULT_MEASURED};
