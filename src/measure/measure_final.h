/* A final while it is played: measure_final.c, energy.c. */
#ifndef MEASURE_MEASURE_FINAL_H
#define MEASURE_MEASURE_FINAL_H

#include "measure/measure_parts.h"

struct finalist {
	struct final_member *record; /* its status says whether it is still in */
	struct bench_request q;
	struct arena own; /* of what is loaded */
	struct timed timed;
	size_t seen; /* visits in this round */
};

struct final {
	struct measure *m;
	struct arena *a;
	const struct job *j;
	struct final_record *out;
	struct finalist *v; /* as in the record */
	size_t n, n_good;   /* members, rounds that count */
	bool one_at_a_time; /* they do not fit together */
	bool all_graphs;
	struct finalist **in; /* of this round */
	size_t *order;        /* indices into it, two of each */
};

/* Loaded from here to there; in between nothing is loaded or unloaded when all fit. */
bool finalist_enter(struct final *s, struct finalist *x, struct fault *f);
void finalist_leave(struct final *s, struct finalist *x);

/* Joules a launch of every member that is in (but the control).  False when the session
 * is lost. */
bool energy(struct final *s);
/* Member x is out: its record says why.  False when the session is lost with it. */
bool finalist_out(struct final *s, struct finalist *x, const struct fault *f);

#endif
