/*
 * What running (or estimating) one candidate at one size gave: schema lanewise/bench.v1.
 * An estimate is never a measurement: `kind` says which, on every surface.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "model/reading.h"

/* simulated: by a scripted device (backend/sim.h); never a measurement. */
#define RESULT_KINDS(X) \
	X(MEASURED, "measured") \
	X(CACHED, "cached") \
	X(ESTIMATED, "estimated") \
	X(SIMULATED, "simulated")

enum result_kind {
#define X(id, name) RESULT_##id,
	RESULT_KINDS(X)
#undef X
		N_RESULT_KINDS
};

#define RESULT_STATUSES(X) \
	X(OK, "ok")                         /* timed, and verified as `verified` says */ \
	X(COMPILE_FAILED, "compile-failed") /* lower or compile did not succeed */ \
	X(UNLOADABLE, "unloadable")         /* the driver did not load the module */ \
	X(UNLAUNCHABLE, "unlaunchable")     /* the driver refused the launch shape */ \
	X(OOM, "out-of-memory") \
	X(WRONG, "wrong")     /* outputs differ from the reference */ \
	X(CRASHED, "crashed") /* a fault on the device or in the process */ \
	X(HUNG, "hung")       /* the deadline passed; it was killed */ \
	X(PENDING, "pending") /* started, never finished (machine lost) */ \
	X(TROUBLE, "trouble") /* a tool of ours failed; see reason */ \
	X(REFUSED, "refused") /* by the gate: not run */

/* How launches are submitted; times are only compared within one mode. */
enum launch_mode { LAUNCH_STREAM, LAUNCH_GRAPH };
/* What the L2 cache holds when a launch begins: buffers rotate, or are used again. */
enum cache_mode { CACHE_COLD, CACHE_WARM };

/*
 * The circumstances of a screening.  A bracket is another candidate of the same problem
 * (the anchor), timed right before and right after: how far it moved is the drift within
 * which nothing is claimed.
 */
struct window {
	enum launch_mode launch;
	enum cache_mode cache;
	double floor_ns;            /* an empty kernel, same mode */
	struct str anchor;          /* the bracket's point; empty: no bracket */
	double before_ns, after_ns; /* the anchor's medians */
	bool drifted;               /* more than 2 %, also when measured again */
	bool screened_out;          /* certainly slower: timing stopped early */
	double race_margin;         /* eps it was screened out with */
	struct str incumbent;       /* the point that beat it */
	double incumbent_ns;        /* its median, brought to this window by the anchor */
	bool noisy;                 /* budget spent before the interval was narrow */
	struct str sharing;         /* exclusive, mig, mps, shared: PID.., unknown */
};                                  /* NaN: absent */

enum result_status {
#define X(id, name) RESULT_##id,
	RESULT_STATUSES(X)
#undef X
		N_RESULT_STATUSES
};

struct result {
	struct str kernel, size;
	struct str candidate; /* label */
	enum result_status status;
	enum result_kind kind;
	struct str reason;        /* why, when the status is not ok */
	double median_ns;         /* per launch; NaN when absent */
	double low_ns, high_ns;   /* 95 % interval of the median; NaN when absent */
	struct reading *readings; /* one per batch, in the order they were taken */
	size_t n_readings;
	int64_t launches_per_batch;
	/* One launch each, alone on an idle device: host_ns is what a caller waits for
	 * it.  Nothing is compared by them.  None where it was screened out. */
	struct reading *singles;
	size_t n_singles;
	struct window window;   /* how and between what it was timed */
	bool verified;          /* outputs were compared and agree */
	struct str verified_by; /* "oracle", "npy", "baseline", or why it was not */
	double max_abs_error, max_rel_error; /* NaN when absent */
	int64_t n_wrong; /* elements outside the tolerance; -1 when absent */
	bool unsafe;     /* measured under --allow-unsafe */
	struct str device, device_uuid, driver; /* identity it was taken with */
	struct str estimate_note; /* estimated: the limiting term, what was not known */
};

const char *result_status_name(enum result_status s);
bool result_status_find(struct str name, enum result_status *out);
bool result_kind_find(struct str name, enum result_kind *out);
const char *result_kind_name(enum result_kind k); /* measured, cached, estimated */
/* It ran on a device, now or earlier. */
static inline bool
result_is_measured(enum result_kind k)
{
	return k == RESULT_MEASURED || k == RESULT_CACHED;
}
/* What goes before a time and after it wherever it is shown: "~" and " ESTIMATED". */
const char *result_kind_mark(enum result_kind k);
const char *result_kind_shout(enum result_kind k);
const char *launch_mode_name(enum launch_mode m); /* stream, graph */
const char *cache_mode_name(enum cache_mode m);   /* cold, warm */
/* Required members of a record that hold such a name (model/record.h). */
enum launch_mode record_launch_mode(struct record *r, const char *key);
enum cache_mode record_cache_mode(struct record *r, const char *key);
struct str result_write(struct arena *a, const struct result *r);
void result_put(struct json_out *o, const char *key, const struct result *r);
bool result_get(
	struct arena *a, const struct json *v, struct result *out, struct diag *d);
struct result *result_read(struct arena *a, const char *path, struct diag *d);
/* Every number NaN or -1. */
struct result result_none(void);

#endif
