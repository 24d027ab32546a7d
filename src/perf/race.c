#include "perf/race.h"

#include <math.h>

double
race_room(size_t m, double drift, double widen)
{
	double least = m > RACE_FIRST ? RACE_ROOM : RACE_ROOM_FIRST;

	return widen * fmax(least, RACE_DRIFTS * drift);
}

bool
race_out(const double *ns, size_t m, double incumbent_ns, double drift, double widen)
{
	double least = (double)INFINITY;

	if (m < RACE_FIRST || !(incumbent_ns > 0))
		return false;
	for (size_t i = 0; i < m; i++)
		least = fmin(least, ns[i]);
	return least > (1 + race_room(m, drift, widen)) * incumbent_ns;
}
