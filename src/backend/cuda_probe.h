/* What the driver says of a device, as a struct device. */
#ifndef BACKEND_CUDA_PROBE_H
#define BACKEND_CUDA_PROBE_H

#include "backend/cuda_api.h"
#include "model/device.h"

/*
 * The device of an index ("0"; empty is 0) or a UUID ("GPU-..."), and its description;
 * NULL with a reason.  memory_bandwidth_gbps is the theoretical peak, 2 * clock * bus / 8
 * (double data rate), which no kernel reaches.
 */
struct device *cuda_probe(struct arena *a, const struct cuda_api *api, struct str which,
	cu_device *dev, struct str *why);

/* "GPU-01234567-89ab-...", as nvidia-smi prints it. */
struct str cuda_uuid_text(struct arena *a, const unsigned char bytes[16]);

#endif
