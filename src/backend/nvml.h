/* libnvidia-ml.so.1, opened at run time, for what the driver API does not tell. */
#ifndef BACKEND_NVML_H
#define BACKEND_NVML_H

#include "base/str.h"

/* "580.159.04": from NVML, else from /proc/driver/nvidia/version; empty if neither says.
 */
struct str nvml_driver_version(struct arena *a);
/* The first word of a text that is a version: digits and at least one dot. */
struct str nvml_find_version(struct str text);

#endif
