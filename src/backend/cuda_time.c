#include "backend/cuda_session.h"

#include "base/arena.h"
#include "base/clock.h"

#include <math.h>

/*
 * A batch, as the device sees it:
 *
 *     clock kernel, which spins for lead_ns    the host submits what follows meanwhile
 *     cold: a read of twice the L2 cache       nothing of before is left in it
 *     warm: one launch                         caches are as inside the batch
 *     event, launches or graphs, event
 *     clock kernel
 */
static const int64_t LEAD_LEAST_NS = 20000, LEAD_MOST_NS = 1000000;

/* A preempted host makes the device wait; the batch is then taken again, so often. */
enum { LATE_MAX = 3 };

struct series {
	struct session *s;
	struct loaded *l;
	const struct batch *b;
	unsigned copies; /* that launches rotate over */
	cu_graph_exec main, rest;
	int64_t per_graph, replays, n_rest;
	int64_t deadline_ns;
	int64_t lead_from_ns, lead_until_ns, end_ns; /* by the host's clock */
};

static bool
check(struct session *s, cu_result e, const char *what)
{
	return e == CU_OK || cuda_fault(s, STEP_RUN, e, what);
}

/* --- graphs ------------------------------------------------------------------------- */

/*
 * A launch out of a graph costs the device less than a plain one (0.5 us against 3.6 us
 * on an H200), so that short kernels are told apart.
 */
static cu_graph_exec
capture(struct session *s, struct loaded *l, int64_t n, unsigned copies)
{
	const struct cuda_api *api = &s->api;
	struct fault unheard, *told = s->call.f;
	cu_graph graph = NULL;
	cu_graph_exec exec = NULL;
	bool ok = api->capture_begin(s->stream, CU_CAPTURE_THREAD) == CU_OK;
	s->call.f = &unheard;
	for (int64_t i = 0; ok && i < n; i++)
		ok = cuda_submit(s, l, (unsigned)(i % copies));
	s->call.f = told;
	if (api->capture_end(s->stream, &graph) != CU_OK || !graph)
		return NULL;
	if (!ok || api->graph_instantiate(&exec, graph, 0) != CU_OK)
		exec = NULL;
	(void)api->graph_destroy(graph);
	if (exec && api->graph_upload)
		(void)api->graph_upload(exec, s->stream);
	return exec;
}

bool
cuda_graphs(struct session *s, struct loaded *l)
{
	if (!l->graphs_known) {
		cu_graph_exec exec = capture(s, l, 1, 1);
		l->graphs_known = true;
		l->no_graphs = !exec;
		if (exec)
			(void)s->api.graph_exec_destroy(exec);
	}
	return !l->no_graphs;
}

void
cuda_graphs_drop(struct session *s, struct loaded *l)
{
	for (int i = 0; i < N_GRAPHS; i++) {
		if (l->graph[i].exec)
			(void)s->api.graph_exec_destroy(l->graph[i].exec);
		l->graph[i] = (struct cuda_graph){0};
	}
}

static bool
graph_get(struct series *t, struct cuda_graph *g, int64_t n, cu_graph_exec *exec)
{
	struct session *s = t->s;
	*exec = NULL;
	if (n == 0)
		return true;
	if (g->exec && (g->launches != n || g->copies != t->copies)) {
		(void)s->api.graph_exec_destroy(g->exec);
		g->exec = NULL;
	}
	if (!g->exec)
		*g = (struct cuda_graph){capture(s, t->l, n, t->copies), n, t->copies};
	*exec = g->exec;
	return g->exec ||
	       cuda_refuse(s, RESULT_TROUBLE,
		       STR_LIT("the launches cannot be captured into a graph"));
}

/* A graph holds whole rounds over the copies, so that the next one goes on with them. */
static bool
graphs_plan(struct series *t)
{
	int64_t n = t->b->launches, copies = t->copies;
	int64_t most = CUDA_GRAPH_MAX / copies * copies;
	t->per_graph = n < most ? n : most;
	if (n >= copies)
		t->per_graph -= t->per_graph % copies;
	t->replays = n / t->per_graph;
	t->n_rest = n % t->per_graph;
	return graph_get(t, &t->l->graph[GRAPH_MAIN], t->per_graph, &t->main) &&
	       graph_get(t, &t->l->graph[GRAPH_REST], t->n_rest, &t->rest);
}

static bool
replay(struct session *s, cu_graph_exec exec)
{
	cu_result e = s->api.graph_launch(exec, s->stream);
	return e == CU_OK || cuda_fault(s, STEP_LAUNCH, e, "a graph launch was refused");
}

/* --- one batch ---------------------------------------------------------------------- */

/* Without kernels of ours, the same bytes are written: they end in the cache, too. */
static bool
flush(struct session *s)
{
	cu_result e = CU_OK;
	if (!s->flush.at)
		e = cuda_area_get(s, 2 * s->l2_bytes, &s->flush);
	if (e == CU_OUT_OF_MEMORY)
		return true; /* as cold as the buffers make it */
	if (e != CU_OK)
		return cuda_fault(s, STEP_MEMORY, e, "memory to empty the cache with");
	e = s->helper.sum ? cuda_sum_submit(s, s->flush.at, s->flush.bytes, s->sums.at)
			  : s->api.set_bytes(s->flush.at, 0, s->flush.bytes, s->stream);
	return check(s, e, "emptying the cache");
}

static cu_pointer
clock_at(const struct session *s, unsigned i)
{
	return s->clocks.at + i * sizeof(struct cuda_clock);
}

/* Before a launch that is alone, the cache is emptied and the device idle again. */
static bool
idle(struct series *t)
{
	bool ok = t->b->cache != CACHE_COLD ||
		  (flush(t->s) && cuda_wait_for(t->s, NULL, t->deadline_ns));
	t->lead_from_ns = t->lead_until_ns = clock_ns();
	return ok;
}

static bool
lead_in(struct series *t)
{
	struct session *s = t->s;
	cu_result e = CU_OK;
	if (t->b->alone)
		return idle(t);
	t->lead_from_ns = clock_ns();
	if (s->helper.clock)
		e = cuda_clock_submit(s, clock_at(s, 0), (uint64_t)s->lead_ns);
	if (!check(s, e, "keeping the device busy"))
		return false;
	if (t->b->cache == CACHE_COLD)
		return flush(s);
	return t->b->launches == 1 || cuda_submit(s, t->l, 0);
}

/*
 * A queue that is full blocks the host, without a deadline (it holds about a thousand
 * launches).  So the host looks where the device is before it is.
 */
static bool
launch_many(struct series *t, int64_t n)
{
	struct session *s = t->s;
	enum { RING = sizeof s->queue / sizeof *s->queue, ROOM = RING * CUDA_QUEUE };
	for (int64_t i = 0; i < n; i++) {
		int64_t round = i / CUDA_QUEUE;
		cu_event seen = s->queue[round % RING];
		if (i && i % CUDA_QUEUE == 0 && n > ROOM) {
			if (round > RING && !cuda_wait_for(s, seen, t->deadline_ns))
				return false;
			if (!check(s, s->api.event_record(seen, s->stream), "an event"))
				return false;
		}
		if (!cuda_submit(s, t->l, (unsigned)(i % t->copies)))
			return false;
		if (i == 0 && !t->b->alone)
			t->lead_until_ns = clock_ns();
	}
	return true;
}

static bool
replay_all(struct series *t)
{
	for (int64_t i = 0; i < t->replays; i++) {
		if (!replay(t->s, t->main))
			return false;
		if (i == 0)
			t->lead_until_ns = clock_ns();
	}
	return !t->rest || replay(t->s, t->rest);
}

static bool
clocks_fetch(struct session *s)
{
	cu_result e = CU_OK;
	if (s->helper.clock)
		e = cuda_clock_submit(s, clock_at(s, 1), 0);
	if (e == CU_OK)
		e = s->api.copy_out_async(s->stage[0], clock_at(s, 0),
			2 * sizeof(struct cuda_clock), s->stream);
	return check(s, e, "reading the clock");
}

static bool
batch_run(struct series *t)
{
	struct session *s = t->s;
	if (!lead_in(t) ||
		!check(s, s->api.event_record(s->first, s->stream), "an event"))
		return false;
	if (!(t->main ? replay_all(t) : launch_many(t, t->b->launches)))
		return false;
	if (!check(s, s->api.event_record(s->last, s->stream), "an event") ||
		!cuda_wait_for(s, s->last, t->deadline_ns))
		return false;
	t->end_ns = clock_ns();
	return clocks_fetch(s) && cuda_wait_for(s, NULL, t->deadline_ns);
}

/* Was the device still busy with the lead-in when the first launch arrived?  The next
 * lead-in is twice as long as this submission took. */
static bool
in_time(struct series *t)
{
	int64_t took = t->lead_until_ns - t->lead_from_ns, had = t->s->lead_ns;
	int64_t want = 2 * took;
	t->s->lead_ns = want < LEAD_LEAST_NS  ? LEAD_LEAST_NS
			: want > LEAD_MOST_NS ? LEAD_MOST_NS
					      : want;
	return took <= had;
}

/* MHz of the SM between two samples; NaN when they are of different ones. */
static double
clock_mhz(const struct session *s)
{
	struct cuda_clock v[2];
	memcpy(v, s->stage[0], sizeof v);
	if (!s->helper.clock || v[0].sm != v[1].sm || v[1].ns <= v[0].ns)
		return (double)NAN;
	return (double)(v[1].cycles - v[0].cycles) / (double)(v[1].ns - v[0].ns) * 1e3;
}

static bool
reading_fill(struct series *t, struct reading *out)
{
	struct session *s = t->s;
	double n = (double)t->b->launches;
	float ms = 0;
	if (!check(s, s->api.event_elapsed(&ms, s->first, s->last), "an event"))
		return false;
	if (!(ms > 0))
		return cuda_refuse(
			s, RESULT_TROUBLE, STR_LIT("the device's clock did not move"));
	*out = (struct reading){.ns = (double)ms * 1e6 / n,
		.host_ns = (double)(t->end_ns - t->lead_until_ns) / n,
		.sm_mhz = clock_mhz(s)};
	nvml_reading(s->nvml, out);
	return true;
}

static bool
prepare(struct series *t)
{
	struct pool *p = t->l->pool;
	t->copies = 1;
	if (t->b->cache == CACHE_COLD) {
		if (!cuda_pool_rotate(t->s, p))
			return false;
		t->copies = p->copies;
		p->rotated |= p->copies > 1;
	}
	cuda_params(t->l, t->copies);
	return t->b->launch != LAUNCH_GRAPH || graphs_plan(t);
}

bool
cuda_batch(struct session *s, struct loaded *l, const struct batch *b,
	int64_t deadline_ns, struct reading *out)
{
	struct series t = {.s = s, .l = l, .b = b, .deadline_ns = deadline_ns};
	if (!prepare(&t))
		return false;
	for (int i = 0; i < LATE_MAX; i++) {
		if (!cuda_pool_restore(s, l->pool, t.copies) || !batch_run(&t))
			return false;
		if (b->alone || in_time(&t))
			break;
	}
	return reading_fill(&t, out);
}

/* --- the floor ---------------------------------------------------------------------- */

/* The empty kernel in the shape of another; it has no arguments. */
static bool
empty_make(struct session *s, const struct loaded *l, struct loaded *out,
	struct bench_request *q, struct pool *pool)
{
	const struct launch *shape = &l->q->launch;
	*q = *l->q;
	q->n_args = 0;
	*pool = (struct pool){.copies = 1};
	*out = *l;
	out->q = q;
	out->pool = pool;
	out->function = s->helper.empty;
	out->launch.attributes = out->attribute;
	memset(out->graph, 0, sizeof out->graph);
	if (s->api.function_set(s->helper.empty, CU_FUNC_DYNAMIC_SHARED,
		    (int)shape->shared_bytes) != CU_OK)
		return false;
	return dim_volume(shape->cluster) <= 8 ||
	       s->api.function_set(s->helper.empty, CU_FUNC_BIG_CLUSTER, 1) == CU_OK;
}

static double
middle(const double v[3])
{
	return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

/* The middle of three batches of about a millisecond. */
double
cuda_floor(struct session *s, struct loaded *l, enum launch_mode mode)
{
	enum { LAUNCHES_MAX = 1024, ROUNDS = 3 };
	struct bench_request q;
	struct pool pool;
	struct loaded empty;
	struct reading r = {.ns = (double)NAN};
	struct batch b = {1, LAUNCH_STREAM, CACHE_WARM, false};
	double v[ROUNDS];
	int64_t deadline = cuda_move_deadline(0);
	if (l->library || !s->helper.empty || !empty_make(s, l, &empty, &q, &pool))
		return (double)NAN;
	bool ok = cuda_batch(s, &empty, &b, deadline, &r);
	double n = ok ? floor(1e6 / r.ns) : 1;
	b.launches = n < 1 ? 1 : n > LAUNCHES_MAX ? LAUNCHES_MAX : (int64_t)n;
	b.launch = mode;
	for (int i = 0; ok && i < ROUNDS; i++) {
		ok = cuda_batch(s, &empty, &b, deadline, &r);
		v[i] = r.ns;
	}
	cuda_graphs_drop(s, &empty);
	return ok ? middle(v) : (double)NAN;
}
