#include "perf/tost.h"

bool
tost_equivalent(const struct walsh *w, double margin, double alpha)
{
	struct walsh_interval i = walsh_interval(w, 2 * alpha);

	return -margin < i.low && i.high < margin;
}
