/* The OpenCL devices that are here, for `lanewise doctor`. */
#ifndef CMD_DOCTOR_OPENCL_H
#define CMD_DOCTOR_OPENCL_H

#include "toolchain/inventory.h"

/* Appends one item a device ("opencl:0"), or one that says why there is none.  Asks in a
 * child process: a runtime may crash or hang. */
void doctor_opencl(struct arena *a, struct inventory *v);

#endif
