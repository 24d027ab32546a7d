/*
 * What a scripted device does: schema lanewise/sim.v1, docs/reference/sim.md.  Times are
 * a function of the point's parameters, noise and drift come from a seed, faults from
 * conditions, so that everything above a device can be tried and tested without one.
 */
#ifndef BACKEND_SIM_SCRIPT_H
#define BACKEND_SIM_SCRIPT_H

#include "format/expr.h"
#include "model/arg.h"

struct json;

#define SIM_FAULTS(X) \
	X(HANG, "hang")       /* never comes back: whoever waits has to kill it */ \
	X(OVERDUE, "overdue") /* the session notices that the deadline passed */ \
	X(WEDGE, "wedge")     /* never comes back, and cannot be reaped when killed */ \
	X(CRASH, "crash")     /* a fault on the device: fatal */ \
	X(EXIT, "exit")       /* the process ends */ \
	X(ABORT, "abort")     /* the process is killed by a signal */ \
	X(OOM, "oom")         /* its buffers do not fit */ \
	X(UNLOADABLE, "unloadable") /* the module is refused */ \
	X(UNLAUNCHABLE, "unlaunchable") \
	X(WRONG, "wrong")           /* the first element of each output is another */ \
	X(WRONG_LAST, "wrong-last") /* the last one is */ \
	X(OOB_ONE, "oob-one")       /* writes one element past an output */ \
	X(OOB_FAR, "oob-far")       /* far past it: fatal */ \
	X(UNWRITTEN, "unwritten")   /* leaves the second half of each output alone */ \
	X(UNINITIALISED, "uninitialised") /* the first element depends on the poison */ \
	X(NONDETERMINISTIC, "nondeterministic") /* lowest bit, every other run */ \
	X(LATE, "late") /* right when run once, wrong after many launches */

enum sim_fault {
#define X(id, name) SIM_##id,
	SIM_FAULTS(X)
#undef X
		N_SIM_FAULTS
};

struct sim_rule {
	struct expr *when;
	enum sim_fault fault;
	int64_t first; /* only so many times; 0: always */
	int64_t after; /* not before so many timed batches of a loaded candidate */
};

/* Something that happens to the device from at_ns to at_ns + for_ns of its clock. */
struct sim_event {
	int64_t at_ns, for_ns;
	double clock; /* SM clock over what it would be; 1: unchanged */
	double slow;  /* times over what they would be: somebody else's work */
	uint32_t reasons;
	struct str sharing; /* empty: as ever */
};

struct sim_name {
	struct str size; /* empty: of every size */
	struct str name;
	double value;
};

struct sim_script {
	struct str device; /* short name of a description, or a path */
	uint64_t seed;
	struct expr *time_ns;   /* of one launch; may be NULL when `times` has them all */
	struct expr *power_w;   /* while it runs */
	struct sim_name *times; /* by point, before time_ns */
	size_t n_times;
	struct sim_name *sizes; /* what a size's names are, for expressions */
	size_t n_sizes;
	double noise_sigma, noise_rho; /* AR(1) over batches, relative to the time */
	double drift_per_s;            /* relative */
	double clock_start;            /* clock when idle, over the full one */
	double clock_rise_ns, clock_fall_ns; /* time constants */
	double quantum_ns;                   /* step of the device's events */
	double floor_ns[2];                  /* by enum launch_mode */
	bool graphs;
	double idle_w, energy_step_ns;
	double open_ns, load_ns, call_ns; /* what calls cost */
	double graph_ns;                  /* a launch in a graph that is made */
	double copy_bytes_per_ns;
	int64_t memory_bytes; /* of the device; 0: enough */
	bool real_time;
	struct str sharing;
	struct str counts; /* prefix of files that count what `first` limits; empty: not
			      over processes */
	struct sim_event *events;
	size_t n_events;
	struct sim_rule *rules;
	size_t n_rules;
};

/* NULL after a diag_error.  The text of v lives as long as the script. */
struct sim_script *sim_script_read(struct arena *a, const struct json *v, struct diag *d);

/*
 * The names that expressions about a point may use: its parameters, `size`, the names of
 * that size, scalar arguments, `entry`.
 */
struct sim_scope {
	const struct sim_script *script;
	struct str point; /* "BLOCK=64,TILE=128@1M" */
	struct str entry;
	const struct arg *args;
	size_t n_args;
};
bool sim_scope_lookup(void *scope, struct str name, struct value *out);
/* A number > 0, or false with why. */
bool sim_scope_number(struct arena *a, struct sim_scope *s, const struct expr *e,
	double *out, struct str *why);
/* Time of a launch of the point. */
bool sim_scope_time(struct arena *a, struct sim_scope *s, double *ns, struct str *why);

#endif
