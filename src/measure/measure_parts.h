/*
 * The inside of measure/: what lives as long as the process, and the steps that screening
 * and finals are made of.  Every step that touches the device returns false with *f
 * filled when it fails; a fatal fault ends the session.
 */
#ifndef MEASURE_MEASURE_PARTS_H
#define MEASURE_MEASURE_PARTS_H

#include "backend/ref.h"
#include "base/arena.h"
#include "base/map.h"
#include "measure/measure.h"
#include "perf/bracket.h"

/* --- constants of the protocol: docs/explanation/measuring.md ---------------------- */

#define MEASURE_MS      INT64_C(1000000)
#define MEASURE_S       INT64_C(1000000000)
#define SCREEN_BATCH_NS 2e6  /* one reading */
#define FINAL_BATCH_NS  1e6  /* one of the three of a visit */
#define GRAPH_BELOW_NS  20e3 /* launches that are submitted as graphs */
/* Batches in which a step of the clock that the events are read from is more than 0.1 %
 * are made longer.  1.024 us is the coarsest step seen (A100, A4000, A6000). */
#define QUANTUM_NS       1024
#define QUANTUM_SHARE    0.001
#define SCREEN_BUDGET_NS 250e6
#define SCREEN_PRECISION 0.005
#define CHAIN_NS         (100 * MEASURE_MS) /* an anchor's time is good for so long */
#define IDLE_NS          (100 * MEASURE_MS) /* a gap after which clocks have fallen */
#define SLOW_LAUNCH_NS   50e6 /* one reading is enough where three are usual */

enum {
	LAUNCHES_MAX = 4096,
	GRAPH_LAUNCHES = 256, /* in one graph; longer batches are several of it */
	SCREEN_MIN = 6,
	SCREEN_MAX = 30,
	SERIES_MAX = 48, /* with the void ones */
	BLOCK_READINGS = 3,
	CLOCKS = 32,
	SINGLES = 5,   /* launches alone, for what a caller waits */
	REMEASURE = 2, /* times that a window is measured again */
};

/* --- what is timed ----------------------------------------------------------------- */

/* A loaded candidate and how its batches are. */
struct timed {
	struct loaded *l;
	struct batch batch;
	double ns; /* of a launch, as last seen */
};

struct series {
	struct reading v[SERIES_MAX];
	size_t n, n_void;
};

/* --- what is remembered ------------------------------------------------------------ */

struct anchor {
	struct str point; /* empty: there is none yet */
	struct bench_request q;
	struct arena own;   /* of the request and what is loaded */
	struct timed timed; /* .l is NULL while it is not loaded */
	double block_ns;    /* its median when it was last timed; 0: not valid */
	int64_t block_at;
};

struct problem {
	struct problem *next;
	struct str project, kernel, size;
	enum cache_mode cache;
	enum launch_mode launch; /* in which candidates are compared */
	struct anchor anchor;
	struct str incumbent;   /* the fastest so far; empty: none */
	double incumbent_ratio; /* its time over the anchor's */
	enum launch_mode incumbent_launch;
	double drift; /* of the last bracket */
};

struct measure {
	struct arena *a;
	const struct backend *backend;
	const struct session_ops *ops;
	const struct device *dev;
	struct session *s;
	struct measure_watch watch;
	struct problem *problems, *now; /* now: whose anchor is loaded */
	bool warm;                      /* clocks were brought up once */
	int64_t busy_at;                /* when the device last worked */
	int64_t owed_ns; /* work before the clocks are what they were before a gap */
	double clocks[CLOCKS]; /* SM clock of the last readings */
	size_t n_clocks;       /* over all */
	struct map floors;     /* launch shape and mode */
	double *floor_ns;      /* of each */
	size_t cap_floors;
	struct str subject; /* who runs, when several do: in the names of steps */
	struct str sharing; /* as it was last seen */
	bool lost;          /* after a fatal fault */
};

/* --- measure.c --------------------------------------------------------------------- */

/* From now on so much time is due.  Who holds the process is told a second more, so that
 * the session is the first to notice. */
void measure_step(struct measure *m, const char *name, int64_t allowed_ns);
int64_t measure_now(struct measure *m);
/* Around all work on the device: notices gaps in which clocks fell. */
void measure_begin(struct measure *m);
void measure_end(struct measure *m);
/* Nothing is known to have happened: always false. */
bool measure_fail(struct fault *f, enum result_status status, struct str reason);
/* Loads, with time for the driver and for moving the data. */
struct loaded *measure_load(struct measure *m, struct arena *a,
	const struct bench_request *q, struct fault *f);
/* For the first launch of something: 100 times what is usual, at least 2 s, never more
 * than the user's own limit. */
int64_t measure_first_ns(const struct bench_request *q, double usual_ns);
/* For moving, making or comparing so many bytes. */
int64_t measure_bytes_ns(double bytes);
/* Later ones. */
int64_t measure_later_ns(double predicted_ns);
/* An empty kernel in the shape and mode of t. */
double measure_floor(
	struct measure *m, const struct bench_request *q, const struct timed *t);
/* Whether somebody else began to use the device since the last time it was asked. */
bool measure_shared_now(struct measure *m);

/* --- take.c: one reading ----------------------------------------------------------- */

/* One batch, judged: out->cause says whether it is void. */
bool take_one(struct measure *m, struct timed *t, struct reading *out, struct fault *f);
/* Until there is one more that is not void; the others are kept, too.  Pauses after void
 * ones, and gives up when they are more than a fifth. */
bool take_good(struct measure *m, struct timed *t, struct series *s, struct fault *f);
double *series_good(struct arena *a, const struct series *s, size_t *n);
/* Median of the last `most` good ones. */
double series_median(struct arena *a, const struct series *s, size_t most);

/* --- single.c: launches alone ------------------------------------------------------ */

/* SINGLES of them, one of a slow kernel, into r->singles (a). */
bool take_singles(struct measure *m, struct arena *a, struct timed *t, struct result *r,
	struct fault *f);

/* --- calibrate.c ------------------------------------------------------------------- */

/* Launches of a batch of about target_ns, of launches of ns each. */
int64_t calibrate_launches(double ns, double target_ns);
enum graph_wish { GRAPH_IF_SHORT, GRAPH_WANTED, GRAPH_UNWANTED };
/* How long a launch takes, how it is submitted, how many a batch has.  One that cannot be
 * captured is a stream whatever is wished. */
bool calibrate(struct measure *m, struct timed *t, double target_ns, enum graph_wish wish,
	struct fault *f);
/* Work until the clocks are up: long at first, short after a gap. */
bool warm_up(struct measure *m, struct timed *t, struct fault *f);

/* --- anchor.c ---------------------------------------------------------------------- */

/* The problem of a job; what another one has loaded is unloaded. */
struct problem *problem_of(struct measure *m, const struct job *j);
/* Whether it is loaded; false without *f filled when there is none. */
bool anchor_load(struct measure *m, struct problem *p, struct fault *f);
void anchor_unload(struct measure *m);
/* A candidate becomes the anchor: it is loaded once more, for good.  block_ns is what it
 * took at `at`. */
bool anchor_set(struct measure *m, struct problem *p, const struct bench_request *q,
	const struct timed *as, double block_ns, int64_t at, struct fault *f);
/* The anchor's time now; one that is younger than CHAIN_NS is used again. */
bool anchor_before(struct measure *m, struct problem *p, enum launch_mode launch,
	struct bracket *b, struct fault *f);
bool anchor_after(
	struct measure *m, struct problem *p, struct bracket *b, struct fault *f);

/* --- verify.c ---------------------------------------------------------------------- */

struct verify {
	struct measure *m;
	struct arena *a;
	const struct bench_request *q;
	struct loaded *l;
	struct result *r; /* errors and counts */
	struct ref file;
	const struct ref *ref;          /* the file's; NULL: nothing to compare with */
	unsigned char **first, **again; /* per argument; outputs only */
};

/* The reference of a request.  False with *f filled when it should be there and is not.
 */
bool verify_open(struct verify *v, struct fault *f);
/* Also after it failed. */
void verify_close(struct verify *v);
/* Two runs on differently poisoned outputs, compared with each other and with the
 * reference. */
bool verify_runs(struct verify *v, double usual_ns, struct fault *f);
/* Before the timing: so that a last launch that writes nothing is noticed. */
bool verify_poison(struct verify *v, struct fault *f);
/* After it, while nothing else has run: the guard zones, and outputs of the last launch
 * to `again`.  Arguments that go in and out have accumulated: the kernel runs anew. */
bool verify_fetch(struct verify *v, struct fault *f);
/* What verify_fetch() got, against the first run or the reference. */
bool verify_again(struct verify *v, struct fault *f);
bool verify_write_outputs(struct verify *v, struct fault *f);

/* --- screen.c, once.c -------------------------------------------------------------- */

bool screen(struct measure *m, struct arena *a, const struct job *j, struct result *r,
	struct fault *f);
bool once(struct measure *m, struct arena *a, const struct job *j, struct result *r,
	struct fault *f);

#endif
