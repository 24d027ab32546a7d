/*
 * A scripted device that is open.  Its clock is its own and only moves when something is
 * done that takes time (or it is the host's, when the script asks for real time), so that
 * minutes of measuring are tested in milliseconds and every run is the same.
 */
#ifndef BACKEND_SIM_SESSION_H
#define BACKEND_SIM_SESSION_H

#include "backend/ref.h"
#include "backend/session.h"
#include "backend/sim_script.h"
#include "base/rng.h"

/* What was called, for tests and benchmarks of the protocol's own cost. */
struct sim_calls {
	int64_t loads, refills, runs, fetches, times, states, sleeps;
	int64_t launches;
	double device_ns; /* the device was busy */
	double slept_ns;
};

struct session {
	struct arena *a;
	const struct device *dev;
	struct sim_script *script;
	struct rng rng;
	int64_t start_ns;         /* host clock at open(), for real time */
	double now_ns;            /* since open(), without real time */
	double noise;             /* AR(1) state, in deviations */
	double clock;             /* relative to the full one */
	double energy_j, shown_j; /* spent; as the counter shows it */
	double power_w;           /* of what ran last */
	int64_t *counted;         /* per rule: how often it happened here */
	struct loaded *newest;    /* chain of what is loaded */
	struct loaded *last;      /* whose launch was the last */
	struct sim_calls calls;
};

struct loaded {
	struct loaded *older;
	const struct bench_request *q;
	struct str args; /* text: equal lists share buffers */
	double ns;       /* of a launch, before noise */
	double power_w;
	bool has[N_SIM_FAULTS]; /* faults whose condition holds */
	int64_t after[N_SIM_FAULTS];
	struct ref ref;       /* n is 0 without a reference */
	unsigned char poison; /* of the last refill */
	int64_t since_refill; /* launches */
	int64_t runs;         /* single launches, over all */
	int64_t batches;      /* timed */
	int64_t graph;        /* launches in the one that is there; 0: none */
};

/* --- sim_clock.c: time, noise, clocks, energy -------------------------------------- */

double sim_now_ns(const struct session *s);
/* The host or the device works (or not) for so long. */
void sim_advance(struct session *s, double ns, bool busy);
/* n launches of l: how long they take, by the device's events. */
double sim_launches(
	struct session *s, const struct loaded *l, int64_t n, enum launch_mode mode);
struct sim_event sim_event_now(const struct session *s); /* all at once, merged */
double sim_sm_mhz(const struct session *s);

/* --- sim_output.c ------------------------------------------------------------------ */

/* What output `arg` holds after the launches since the last refill. */
void sim_output(const struct session *s, const struct loaded *l, size_t arg, void *to);

#endif
