/*
 * The race: when a candidate has shown that more readings of it are not worth their time.
 * Noise adds time and hardly ever takes any away, so the fastest reading so far is held
 * against the incumbent's median, with room:
 *
 *     out  <=>  min(readings) > (1 + eps) incumbent
 *     eps  = widen max(5 %, 3 drift)   at RACE_FIRST readings
 *            widen max(3 %, 3 drift)   at more
 *
 * A race claims nothing: who is out is "at least this much slower in m readings", never
 * ranked; a final measures anew (perf/final.h), with one of those who are out beside it.
 * When that one turns out not to be slower, the room was too small: the claim is lower,
 * and a race that is run again wants `widen` doubled.  Nobody runs it again by himself
 * yet.
 */
#ifndef PERF_RACE_H
#define PERF_RACE_H

#include <stdbool.h>
#include <stddef.h>

enum { RACE_FIRST = 3 }; /* readings before which nobody is out */
#define RACE_ROOM_FIRST 0.05
#define RACE_ROOM       0.03
#define RACE_DRIFTS     3 /* room in drifts of the bracket (perf/bracket.h) */

/* eps after m readings; widen is 1 unless an audit failed. */
double race_room(size_t m, double drift, double widen);
/* ns[0..m): the readings so far.  False without an incumbent (0 or NaN), and while m <
 * RACE_FIRST. */
bool race_out(
	const double *ns, size_t m, double incumbent_ns, double drift, double widen);

#endif
