/* What NVML says of a device while it works. Every symbol of it is optional: what is not
 * there stays NaN, 0 or "unknown". */
#ifndef BACKEND_NVML_STATE_H
#define BACKEND_NVML_STATE_H

#include "backend/session.h"

struct nvml; /* of one device; NULL is one that says nothing */

/* uuid as the driver API gives it ("GPU-..."), also of a MIG instance. */
struct nvml *nvml_open(struct arena *a, struct str uuid);
/* power_w, celsius, reasons. */
void nvml_reading(const struct nvml *n, struct reading *out);
/* All but `sharing`. */
void nvml_state(const struct nvml *n, struct device_state *out);
/* "mig", "shared: pid 17, pid 18", "unknown: why", or "exclusive". */
struct str nvml_sharing(const struct nvml *n, struct arena *a);

#endif
