/*
 * A device that is open, and a candidate that is loaded on it: what the measuring
 * protocol (measure/) needs of a device, and all it knows of one.  A backend only loads,
 * launches, copies and times; what is run when, what counts and what it means is decided
 * above, with the same code for every backend.
 *
 *     cuda.c    NVIDIA GPUs through the driver
 *     opencl.c  CPUs and others through an OpenCL runtime
 *     host.c    the processors of this machine
 *     sim.c     a scripted device, for tests and for trying things out
 *
 * Every function that can fail returns false (or NULL) and fills *f once.  After a fatal
 * fault the session is of no more use: the process that holds it ends, and a new one is
 * started (CUDA's "sticky" errors leave a process in an inconsistent state, cuda.h).
 */
#ifndef BACKEND_SESSION_H
#define BACKEND_SESSION_H

#include "backend/backend.h"
#include "model/reading.h"

struct fault {
	enum result_status status;
	struct str reason; /* one line */
	bool fatal;        /* nothing more can be done in this process */
};

struct session; /* of a backend; its memory is the arena of open() */
struct loaded;

/* What the device says of itself; NaN, 0 or empty: it does not. */
struct device_state {
	double sm_mhz, memory_mhz;
	double power_w, power_limit_w, celsius;
	double energy_j;    /* counter since the driver was loaded */
	uint32_t reasons;   /* as in struct reading */
	struct str sharing; /* "exclusive", "mig", "mps", "shared: ...", "unknown: ..." */
};

/* One timed batch. */
struct batch {
	int64_t launches; /* >= 1 */
	enum launch_mode launch;
	enum cache_mode cache;
	/* One launch in a stream of a device that has nothing else to do, also not what
	 * is submitted before others: host_ns is from before it is submitted until it is
	 * seen done. */
	bool alone;
};

struct session_ops {
	/* dev is as probe() gave it. */
	struct session *(*open)(
		struct arena *a, const struct device *dev, struct fault *f);

	/*
	 * Module, entry, buffers between guard zones, inputs.  q must live as long as the
	 * loaded candidate.  Several may be loaded at a time; buffers of equal argument
	 * lists are shared between them, so that a run of one is followed by refill()
	 * before another's outputs are looked at.
	 */
	struct loaded *(*load)(struct session *s, struct arena *a,
		const struct bench_request *q, struct fault *f);
	void (*unload)(struct session *s, struct loaded *l);

	/* Inputs of in-out arguments anew; outputs that are not inputs: the poison byte.
	 */
	bool (*refill)(struct session *s, struct loaded *l, unsigned char poison,
		struct fault *f);
	/* One launch, waited for. Past deadline_ns of now(): RESULT_HUNG, fatal. */
	bool (*run)(struct session *s, struct loaded *l, int64_t deadline_ns,
		struct fault *f);
	/* RESULT_WRONG when a guard zone was written to. */
	bool (*guards)(struct session *s, struct loaded *l, struct fault *f);
	/* The whole output argument `arg` in storage type. */
	bool (*fetch)(struct session *s, struct loaded *l, size_t arg, void *to,
		struct fault *f);
	/* Whether launches of it can be captured into a graph. */
	bool (*graphs)(struct session *s, struct loaded *l);
	/*
	 * n launches between two events, with work submitted before them so that the
	 * device does not wait for the host.  Fills every member of *out but `cause`.
	 */
	bool (*time)(struct session *s, struct loaded *l, const struct batch *b,
		int64_t deadline_ns, struct reading *out, struct fault *f);
	/* An empty kernel in the launch shape of l, ns a launch; NaN: not known. */
	double (*floor)(struct session *s, struct loaded *l, enum launch_mode mode);

	void (*state)(struct session *s, struct arena *a, struct device_state *out);
	/* Nanoseconds of a clock that never goes back; a scripted device has its own. */
	int64_t (*now)(struct session *s);
	void (*sleep)(struct session *s, int64_t ns);
};

/* What backends of this machine's clock, without graphs, or without sensors have alike.
 */
int64_t session_now(struct session *s);
void session_sleep(struct session *s, int64_t ns);
bool session_no_graphs(struct session *s, struct loaded *l);
struct device_state session_untold(struct str sharing);

extern const struct session_ops cuda_session;   /* cuda_session.c */
extern const struct session_ops opencl_session; /* opencl_session.c */
extern const struct session_ops host_session;   /* host_session.c */

#endif
