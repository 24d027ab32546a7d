#include "backend/cuda_run.h"

#include "backend/batch.h"
#include "base/arena.h"
#include "base/clock.h"
#include "perf/stats.h"

#include <math.h>

/* Clocks are up when windows of work agree; a cold GPU takes some tens of milliseconds.
 */
static const int64_t WARM_MIN_NS = 30000000, WARM_MAX_NS = 300000000;
static const double WINDOW_NS = 5e6, WINDOW_AGREE = 0.01;

enum { GRAPH_MAX = 256, EVENTS = BATCH_MAX + 3 };

struct timing {
	struct cuda *c;
	cu_event event[EVENTS];
	cu_graph_exec graph; /* NULL: plain launches */
	int64_t per_graph;   /* launches in it */
	int64_t replays;     /* graph launches a batch */
	int64_t launches;    /* a batch */
	double *ns;          /* the readings */
};

static void
note_reading(struct timing *t, double ns)
{
	struct result *r = t->c->r;
	t->ns[r->n_readings] = ns;
	r->readings[r->n_readings++] = (struct reading){.ns = ns,
		.host_ns = (double)NAN,
		.sm_mhz = (double)NAN,
		.power_w = (double)NAN,
		.celsius = (double)NAN};
}

static bool
check(struct timing *t, cu_result e, const char *what)
{
	return e == CU_OK || cuda_fail(t->c, CUDA_RUN, e, what);
}

static bool
record(struct timing *t, int i)
{
	return check(t, t->c->api.event_record(t->event[i], t->c->stream), "an event");
}

/* Nanoseconds between two events that are done; NaN after a failure. */
static double
between(struct timing *t, int a, int b)
{
	float ms = 0;
	if (!check(t, t->c->api.event_elapsed(&ms, t->event[a], t->event[b]), "an event"))
		return (double)NAN;
	return (double)ms * 1e6;
}

static bool
launch_many(struct timing *t, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (!cuda_launch(t->c))
			return false;
	}
	return true;
}

/* n launches between two events; nanoseconds a launch, NaN after a failure. */
static double
window(struct timing *t, int64_t n)
{
	if (!record(t, 0) || !launch_many(t, n) || !record(t, 1) || !cuda_wait(t->c))
		return (double)NAN;
	return between(t, 0, 1) / (double)n;
}

static bool
agree(const double w[3])
{
	double low = fmin(w[0], fmin(w[1], w[2])), high = fmax(w[0], fmax(w[1], w[2]));
	return high - low <= WINDOW_AGREE * low;
}

static int64_t
window_launches(double t_ns)
{
	double n = rint(WINDOW_NS / t_ns);
	return n < 1 ? 1 : n > 2000 ? 2000 : (int64_t)n;
}

/* Nanoseconds a launch once the clocks are up; NaN after a failure. */
static double
warm_up(struct timing *t)
{
	double w[3] = {window(t, 1), (double)NAN, (double)NAN};
	int64_t start = clock_ns(), spent = 0;
	while (w[0] > 0 && spent < WARM_MAX_NS) {
		if (spent >= WARM_MIN_NS && agree(w))
			break;
		w[2] = w[1];
		w[1] = w[0];
		w[0] = window(t, window_launches(w[1]));
		spent = clock_ns() - start;
	}
	return w[0];
}

/*
 * One graph of many launches costs the device less a launch than as many plain launches
 * (0.5 us against 3.6 us on an H200), so that short kernels are told apart.  A launch
 * that cannot be captured stays plain.
 */
static void
capture(struct timing *t)
{
	struct cuda *c = t->c;
	cu_graph graph = NULL;
	bool ok = c->api.capture_begin(c->stream, CU_CAPTURE_THREAD) == CU_OK;
	for (int64_t i = 0; ok && i < t->per_graph; i++)
		ok = c->api.launch(&c->launch, c->function, c->params, NULL) == CU_OK;
	if (c->api.capture_end(c->stream, &graph) != CU_OK || !ok || !graph ||
		c->api.graph_instantiate(&t->graph, graph, 0) != CU_OK)
		t->graph = NULL;
}

/* Plain launches of a short kernel took longer than those of the graph will. */
static bool
recount(struct timing *t)
{
	bool ok = record(t, 0) &&
		  check(t, t->c->api.graph_launch(t->graph, t->c->stream), "a graph") &&
		  record(t, 1) && cuda_wait(t->c);
	double ns = ok ? between(t, 0, 1) : (double)NAN;
	if (!(ns > 0))
		return false;
	int64_t n = batch_launches(ns / (double)t->per_graph);
	t->replays = (n + t->per_graph - 1) / t->per_graph;
	return true;
}

static bool
plan(struct timing *t, double t_ns)
{
	int64_t n = batch_launches(t_ns);
	t->per_graph = n < GRAPH_MAX ? n : GRAPH_MAX;
	t->replays = (n + t->per_graph - 1) / t->per_graph;
	if (n > 1)
		capture(t);
	if (t->graph && !recount(t))
		return false;
	t->launches = t->replays * t->per_graph;
	return true;
}

static bool
batch_submit(struct timing *t)
{
	if (!t->graph)
		return launch_many(t, t->launches);
	for (int64_t i = 0; i < t->replays; i++) {
		cu_result e = t->c->api.graph_launch(t->graph, t->c->stream);
		if (e != CU_OK)
			return cuda_fail(
				t->c, CUDA_LAUNCH, e, "a graph launch was refused");
	}
	return true;
}

/*
 * The next batch is submitted before the last one is waited for, so that the device never
 * runs dry between two events: no reading contains a submission.  Batch 0 is thrown away.
 */
static bool
batches(struct timing *t)
{
	struct result *r = t->c->r;
	int64_t start = clock_ns();
	if (!record(t, 0) || !batch_submit(t) || !record(t, 1))
		return false;
	for (int i = 1;; i++) {
		if (!batch_submit(t) || !record(t, i + 1) ||
			!cuda_wait_event(t->c, t->event[i]))
			return false;
		if (i == 1)
			continue;
		double ns = between(t, i - 1, i) / (double)t->launches;
		if (!(ns > 0))
			return false;
		note_reading(t, ns);
		if (batch_enough(t->c->a, t->ns, r->n_readings, clock_ns() - start))
			return cuda_wait(t->c);
	}
}

/* Launches so long that a batch is one of them, and time allows few. */
static bool
slow_launches(struct timing *t, double t_ns)
{
	struct result *r = t->c->r;
	t->launches = 1;
	note_reading(t, t_ns);
	while (r->n_readings < 3 &&
		clock_ns() + (int64_t)(1.5 * t_ns) < t->c->deadline_ns) {
		double ns = window(t, 1);
		if (!(ns > 0))
			return false;
		note_reading(t, ns);
	}
	return true;
}

static void
summarise(struct timing *t)
{
	struct result *r = t->c->r;
	struct summary s = stats_summary(t->c->a, t->ns, r->n_readings);
	r->median_ns = s.median;
	r->low_ns = s.low;
	r->high_ns = s.high;
	r->launches_per_batch = t->launches;
}

static bool
events_make(struct timing *t)
{
	for (int i = 0; i < EVENTS; i++) {
		if (!check(t, t->c->api.event_create(&t->event[i], 0), "making an event"))
			return false;
	}
	return true;
}

bool
cuda_timing(struct cuda *c)
{
	struct timing t = {.c = c};
	t.ns = arena_news(c->a, BATCH_MAX, double);
	c->r->readings = arena_news(c->a, BATCH_MAX, struct reading);
	/* So that a last launch that writes nothing is noticed. */
	if (!events_make(&t) || !cuda_buffers_poison(c, 0xff))
		return false;
	double t_ns = warm_up(&t);
	if (!(t_ns > 0))
		return c->r->reason.n
			       ? false
			       : cuda_stop(c, RESULT_TROUBLE,
					 STR_LIT("the device's clock did not move"));
	if (!plan(&t, t_ns))
		return false;
	bool slow = t_ns >= (double)BATCH_BUDGET_NS;
	if (!(slow ? slow_launches(&t, t_ns) : batches(&t)))
		return false;
	summarise(&t);
	return true;
}
