/*
 * A bracket: the baseline measured before and after a window of other candidates, so that
 * what the device itself did in between is known.
 *
 *     drift = |after / before - 1|
 *
 * Readings of different windows are comparable only as multiples of their bracket's
 * baseline, and are never pooled.
 */
#ifndef PERF_BRACKET_H
#define PERF_BRACKET_H

#include <stdbool.h>

#define BRACKET_STABLE  0.005 /* drift up to here: raw times are comparable */
#define BRACKET_CAUTION 0.02  /* up to here: normalised ones are */

enum bracket_class {
	BRACKET_IS_STABLE,
	BRACKET_IS_CAUTION,
	BRACKET_IS_UNSTABLE, /* measure the window again */
};

/* The baseline's medians and when they were taken: any clock, any unit, before <= after.
 */
struct bracket {
	double before_ns, after_ns;
	double before_at, after_at;
};

/* Of times that are not positive and finite: infinite, so unstable. */
double bracket_drift(const struct bracket *b);
enum bracket_class bracket_class(double drift);
const char *bracket_class_name(enum bracket_class c); /* stable, caution, unstable */

/* What the baseline takes at time `at`: linear between before and after, constant beyond.
 */
double bracket_baseline(const struct bracket *b, double at);
/* A time taken `at`, as it would be while the baseline takes reference_ns. */
double bracket_normalise(
	const struct bracket *b, double at, double ns, double reference_ns);

#endif
