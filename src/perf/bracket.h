/*
 * A bracket: one candidate of the problem (the anchor) measured before and after a window
 * of others, so that what the device itself did in between is known.
 *
 *     drift = |after / before - 1|
 *
 * Readings of different windows are comparable only as multiples of their bracket's
 * anchor, and are never pooled.
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

/* The anchor's medians and when they were taken: any clock, before <= after. */
struct bracket {
	double before_ns, after_ns;
	double before_at, after_at;
};

/* Of times that are not positive and finite: infinite, so unstable. */
double bracket_drift(const struct bracket *b);
enum bracket_class bracket_class(double drift);
const char *bracket_class_name(enum bracket_class c); /* stable, caution, unstable */

/* What the anchor takes at time `at`: linear in between, constant beyond. */
double bracket_anchor(const struct bracket *b, double at);

#endif
