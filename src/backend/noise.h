/*
 * What else ran on the processors while something was timed on them: for backends whose
 * device is the machine itself.  It is told beside the times (device_state.sharing), and
 * never used to correct them.
 */
#ifndef BACKEND_NOISE_H
#define BACKEND_NOISE_H

#include "base/str.h"

struct noise {
	int cpus;            /* of the machine, that are online */
	double load;         /* runnable tasks, the average of a minute; NaN: not told */
	double others;       /* processors that others kept busy; NaN: not told */
	double steal;        /* part of the time that a hypervisor took; NaN: not told */
	struct str governor; /* of the clock: "performance"; empty: not told */
};

/* Between two looks.  `{0}` is ready. */
struct noise_watch {
	double busy_s, steal_s, all_s, own_s; /* counters of the last look */
	bool begun;
	double others, steal; /* of the last interval that was long enough */
	bool shared;
};

/* The first look begins; a look within half a second of the last one repeats what that
 * one said, because the kernel counts in hundredths of a second. */
void noise_look(struct arena *a, struct noise_watch *w, struct noise *out);

/*
 * As device_state.sharing wants it:
 *
 *     exclusive: others 0.02 of 2 CPUs, load 0.91, steal 0.0 %, governor performance
 *     shared: ...      others had more than a quarter of a CPU (or the hypervisor 5 % of
 *                      the time), until they have less than an eighth (2 %)
 *     unknown: ...     the kernel does not tell
 */
struct str noise_text(struct arena *a, struct noise_watch *w, const struct noise *n);

#endif
