/*
 * Live progress of a run, from the event log that the nodes write: counts per stage, what
 * was refused, the best so far, and the time left.  On a terminal one line that is
 * redrawn; else nothing until progress_end().
 */
#ifndef GRAPH_PROGRESS_H
#define GRAPH_PROGRESS_H

#include "base/map.h"
#include "graph/plan.h"

enum progress_stage { STAGE_LOWER, STAGE_GATE, STAGE_COMPILE, STAGE_BENCH, N_STAGES };

/* The fastest so far of one kernel and size. */
struct progress_best {
	struct str candidate;
	double ns; /* per launch */
};

struct progress {
	struct arena *a;
	const struct plan *plan;
	int64_t offset; /* bytes of the log already read */
	int64_t start_ns;
	size_t done[N_STAGES], cached[N_STAGES], failed[N_STAGES];
	size_t clean, caveat, refused, error; /* points judged */
	struct map problems;                  /* "kernel@size" */
	struct progress_best *best;           /* one a problem */
	size_t cap_best, latest; /* latest: the problem whose best came last */
	double bench_ms;         /* sum, for the time left */
	struct str waits;        /* what keeps the run waiting, told last */
	bool tty, drawn;
};

/* Starts at the present end of the log. */
struct progress progress_begin(struct arena *a, const struct plan *p, bool draw);
/* Reads what is new and redraws: a `tick` of run_ninja. */
void progress_tick(void *progress);
/* Takes the live line away and prints the summary of what ran. */
void progress_end(struct progress *p);
/* One event, for tests. */
void progress_event(struct progress *p, struct str line);

#endif
