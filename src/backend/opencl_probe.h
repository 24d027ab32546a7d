/*
 * The devices of all the OpenCL runtimes that are here, in the order of the loader's
 * platforms and of each platform's devices, and each as a struct device.
 *
 * Compute capability, registers and the like are of no meaning for them: the gate judges
 * PTX for 8.0, and limits of a launch are the runtime's.
 */
#ifndef BACKEND_OPENCL_PROBE_H
#define BACKEND_OPENCL_PROBE_H

#include "backend/opencl_api.h"
#include "model/device.h"

struct opencl_here {
	ocl_platform platform;
	ocl_device device;
	struct device *as;
};

/* All of them; none: *why says why. */
size_t opencl_list(struct arena *a, const struct opencl_api *api,
	struct opencl_here **out, struct str *why);
/* The one of an index ("0"; empty is 0) or a UUID ("OPENCL-..."); false with a reason. */
bool opencl_pick(struct arena *a, const struct opencl_api *api, struct str which,
	struct opencl_here *out, struct str *why);

#endif
