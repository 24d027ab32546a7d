/* Whether the launch of a candidate has a value, as `lanewise space` asks. */
#ifndef SPACE_SPACE_LAUNCH_H
#define SPACE_SPACE_LAUNCH_H

#include "space/space.h"

/* Of a larger space the first so many launches are looked at. */
enum { SPACE_LAUNCHES_MAX = 4096 };

/* False after a diag_error at the expression, with the assignment: a division by zero, an
 * overflow, a size of 0.  What needs a device is not asked without one. */
bool space_launches(
	struct arena *a, const struct space *s, const struct device *dev, struct diag *d);

#endif
