#include "backend/backend.h"
#include "backend/cuda_probe.h"
#include "backend/session.h"

static struct device *
probe(struct arena *a, struct str which, struct str *why)
{
	struct cuda_api api;
	const char *reason;
	cu_device dev;
	if (!cuda_open(a, &api, &reason)) {
		*why = str_of(reason);
		return NULL;
	}
	return cuda_probe(a, &api, which, &dev, why);
}

const struct backend backend_cuda = {.name = "cuda",
	.about = "NVIDIA GPUs, through the driver",
	.probe = probe,
	.ops = &cuda_session,
	.kind = RESULT_MEASURED};
