#include "backend/session.h"

#include "base/clock.h"

#include <math.h>

int64_t
session_now(struct session *s)
{
	(void)s;
	return clock_ns();
}

void
session_sleep(struct session *s, int64_t ns)
{
	(void)s;
	clock_sleep_ns(ns);
}

bool
session_no_graphs(struct session *s, struct loaded *l)
{
	(void)s;
	(void)l;
	return false;
}

struct device_state
session_untold(struct str sharing)
{
	const double none = (double)NAN;
	return (struct device_state){.sm_mhz = none,
		.memory_mhz = none,
		.power_w = none,
		.power_limit_w = none,
		.celsius = none,
		.energy_j = none,
		.sharing = sharing};
}
