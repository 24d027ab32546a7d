/* Timing through the CUDA port, on the fake driver: a launch takes its ns= and 1 us out
 * of a stream, 0.3 us out of a graph (tests/fake). */
#include "fake_session.h"

#include <math.h>

enum { N = 1000, BIG = 50000 }; /* BIG: 400 kB a launch, eight copies in 3 MiB */

static struct reading
timed(struct on_fake *t, struct loaded *l, int64_t n, enum launch_mode mode,
	enum cache_mode cache)
{
	struct batch b = {n, mode, cache, false};
	struct reading r;
	if (cuda_session.time(t->s, l, &b, cuda_session.now(t->s) + INT64_C(20000000000),
		    &r, &t->f))
		return r;
	fprintf(stderr, "time: %.*s\n", STR_ARG(t->f.reason));
	_exit(1);
}

static void
takes(struct on_fake *t, struct loaded *l, int64_t n, enum launch_mode mode,
	enum cache_mode cache, double ns)
{
	struct reading r = timed(t, l, n, mode, cache);
	if (fabs(r.ns - ns) > 0.002 * ns) {
		fprintf(stderr, "%s %s %lld: %g ns, not %g\n", launch_mode_name(mode),
			cache_mode_name(cache), (long long)n, r.ns, ns);
		_exit(1);
	}
}

/* The host needs 2 us a launch and the device 6: without a lead-in the first launch of
 * a batch would wait for the host. */
static void
streams(struct on_fake *t)
{
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, "copy", fake_args(t, N)));
	static const int64_t counts[] = {1, 2, 10, 768, 769, 3000};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t before = t->seen->launches;
		takes(t, l, counts[i], LAUNCH_STREAM, CACHE_WARM, 6000);
		CHECK(t->seen->launches - before >= counts[i]);
	}
	CHECK(t->seen->queued_most <= 768 + 2); /* a real queue holds about 1024 */
	CHECK(fake_run(t, l));
}

static void
short_launches_in_streams(struct on_fake *t)
{
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy ns=200", fake_args(t, N)));
	/* The host is the slower one, in the long run: its 2 us are what is seen. */
	struct reading r = timed(t, l, 1000, LAUNCH_STREAM, CACHE_WARM);
	CHECK(r.ns > 1200 && r.ns < 2100);
	takes(t, l, 1000, LAUNCH_GRAPH, CACHE_WARM, 500);
}

static void
readings_are_whole(struct on_fake *t)
{
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, "copy", fake_args(t, N)));
	struct reading r = timed(t, l, 100, LAUNCH_STREAM, CACHE_WARM);
	CHECK(fabs(r.sm_mhz - 1980) < 1 && r.host_ns > 0 && r.cause == READING_GOOD);
	CHECK(r.power_w == 300.5 && r.celsius == 45 && r.reasons == 0x40);
}

static void
readings_without_helpers(struct on_fake *t)
{
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy cold=1000", fake_args(t, BIG)));
	struct reading r = timed(t, l, 100, LAUNCH_STREAM, CACHE_WARM);
	CHECK(isnan(r.sm_mhz) && isnan(r.power_w) && isnan(r.celsius) && r.reasons == 0);
	CHECK(isnan(cuda_session.floor(t->s, l, LAUNCH_STREAM)));
	takes(t, l, 100, LAUNCH_STREAM, CACHE_COLD, 7000);
	CHECK(t->seen->flushes == 0); /* by writing */
}

static void
graphs(struct on_fake *t)
{
	static const int64_t counts[] = {1, 7, 256, 257, 1000};
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, "copy", fake_args(t, N)));
	CHECK(cuda_session.graphs(t->s, l));
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		takes(t, l, counts[i], LAUNCH_GRAPH, CACHE_WARM, 5300);
	CHECK(t->seen->graph_launches >= 1 + 1 + 1 + 2 + 4);
	CHECK(fake_run(t, l));
	cuda_session.unload(t->s, l);
	CHECK(t->seen->graphs == 0);
}

/* Streams do without. */
static void
no_graphs(struct on_fake *t)
{
	struct batch b = {10, LAUNCH_GRAPH, CACHE_WARM, false};
	struct reading r;
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "uncapturable", fake_args(t, N)));
	CHECK(!cuda_session.graphs(t->s, l) && !cuda_session.graphs(t->s, l));
	CHECK(!cuda_session.time(t->s, l, &b, INT64_MAX, &r, &t->f));
	fake_says(t, RESULT_TROUBLE, false, "cannot be captured into a graph");
	takes(t, l, 10, LAUNCH_STREAM, CACHE_WARM, 6000);
	CHECK(fake_run(t, l));
	CHECK(t->seen->graphs == 0);
}

/* Nothing goes before it but what empties the cache, and of that it takes nothing. */
static void
alone(struct on_fake *t)
{
	struct reading r;
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy cold=1000", fake_args(t, BIG)));
	for (int cold = 0; cold < 2; cold++) {
		struct batch b = {1, LAUNCH_STREAM, cold ? CACHE_COLD : CACHE_WARM, true};
		int64_t flushes = t->seen->flushes, launches = t->seen->launches;
		CHECK(cuda_session.time(t->s, l, &b, INT64_MAX, &r, &t->f));
		/* The device waits for the host, which takes 2 us. */
		CHECK(r.ns >= (cold ? 7000 : 6000) && r.ns < 20000);
		CHECK(r.host_ns > 0 && t->seen->flushes - flushes == cold);
		CHECK(t->seen->launches - launches <= 2 + cold);
	}
	CHECK(fake_run(t, l));
}

static void
cold(struct on_fake *t)
{
	static const int64_t counts[] = {1, 3, 8, 9, 100, 500};
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy cold=1000", fake_args(t, BIG)));
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t n = counts[i];
		takes(t, l, n, LAUNCH_STREAM, CACHE_COLD, 7000);
		takes(t, l, n, LAUNCH_GRAPH, CACHE_COLD, 6300);
		if (n == 1)
			continue; /* no launch before it */
		takes(t, l, n, LAUNCH_STREAM, CACHE_WARM, 6000);
		takes(t, l, n, LAUNCH_GRAPH, CACHE_WARM, 5300);
	}
	CHECK(t->seen->flushes > 0);
	CHECK(cuda_session.guards(t->s, l, &t->f));
	CHECK(fake_run(t, l));
	/* The copies are those of the argument list, not of the candidate. */
	size_t used = t->seen->used_bytes;
	struct loaded *other =
		fake_loaded(t, fake_request(t, "copy cold=500", fake_args(t, BIG)));
	takes(t, other, 100, LAUNCH_STREAM, CACHE_COLD, 6500);
	CHECK(t->seen->used_bytes == used);
}

/* There is room for the buffers and hardly more: batches are as cold as one buffer is. */
static void
cold_without_memory(struct on_fake *t)
{
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy cold=1000", fake_args(t, BIG)));
	struct reading r = timed(t, l, 100, LAUNCH_STREAM, CACHE_COLD);
	CHECK(r.ns > 5990 && r.ns < 6200);
	CHECK(fake_run(t, l));
}

static void
cold_writes_are_guarded(struct on_fake *t)
{
	static const struct {
		const char *how, *words;
	} bad[] = {
		{"before", "wrote outside 'out': 4 bytes before it changed"},
		{"damage", "wrote into 'in'"},
	};
	fake_opened(t);
	for (size_t i = 0; i < 2; i++) {
		struct bench_request *q = fake_request(t, bad[i].how, fake_args(t, N));
		struct loaded *l = fake_loaded(t, q);
		timed(t, l, 20, LAUNCH_STREAM, CACHE_COLD);
		CHECK(!cuda_session.guards(t->s, l, &t->f));
		fake_says(t, RESULT_WRONG, false, bad[i].words);
		cuda_session.unload(t->s, l);
		l = fake_loaded(t, fake_request(t, "copy", fake_args(t, N)));
		timed(t, l, 20, LAUNCH_STREAM, CACHE_COLD);
		CHECK(cuda_session.guards(t->s, l, &t->f));
		cuda_session.unload(t->s, l);
	}
}

/* Every batch begins with the inputs that an in-out has at first. */
static void
in_outs_begin_anew(struct on_fake *t)
{
	struct bench_request *q =
		fake_request(t, "add params=8,4", "io=f32*[1000]:inout/zeros,n=i32:1000");
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	for (int i = 0; i < 2; i++) {
		timed(t, l, 9, LAUNCH_STREAM, CACHE_WARM);
		CHECK(fake_floats(t, l, 0, N)[7] == 10); /* and one before the batch */
		timed(t, l, 9, LAUNCH_GRAPH, CACHE_COLD);
		CHECK(fake_floats(t, l, 0, N)[7] == 1); /* the others are on copies */
	}
	CHECK(fake_run(t, l));
	CHECK(fake_floats(t, l, 0, N)[7] == 1);
}

static void
floors(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	q->launch =
		(struct launch){{64, 2, 1}, {9, 1, 1}, {16, 1, 1}, 60000, true, false};
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	double graph = cuda_session.floor(t->s, l, LAUNCH_GRAPH);
	double stream = cuda_session.floor(t->s, l, LAUNCH_STREAM);
	CHECK(fabs(graph - 300) < 3);
	CHECK(stream > 990 && stream < 2700); /* 1 us of the device, 2 of the host */
	CHECK(fake_run(t, l));
	CHECK(t->seen->graphs == 0);
}

/* A fault inside of a batch is told as anywhere. */
static void
faults_in_batches(struct on_fake *t)
{
	struct batch b = {100, LAUNCH_GRAPH, CACHE_COLD, false};
	struct reading r;
	fake_opened(t);
	struct loaded *l =
		fake_loaded(t, fake_request(t, "copy fail=719", fake_args(t, N)));
	CHECK(!cuda_session.time(t->s, l, &b, INT64_MAX, &r, &t->f));
	fake_says(t, RESULT_CRASHED, true, "CUDA_ERROR_LAUNCH_FAILED");
	CHECK(isnan(cuda_session.floor(t->s, l, LAUNCH_STREAM)));
}

#define ON_FAKE(f, ...) \
	static void f##_on_fake(void **state) \
	{ \
		fake_test(state, (struct fake_setup){.body = f, __VA_ARGS__}); \
	}

ON_FAKE(streams, .words = "")
ON_FAKE(short_launches_in_streams, .words = "")
ON_FAKE(readings_are_whole, .words = "reasons=0x40")
ON_FAKE(readings_without_helpers, .words = "nohelper,nonvml")
ON_FAKE(graphs, .words = "")
ON_FAKE(no_graphs, .words = "")
ON_FAKE(alone, .words = "")
ON_FAKE(cold, .words = "")
ON_FAKE(cold_without_memory, .words = "novmm,memory=1500000")
ON_FAKE(cold_writes_are_guarded, .words = "")
ON_FAKE(in_outs_begin_anew, .words = "")
ON_FAKE(floors, .words = "")
ON_FAKE(faults_in_batches, .words = "")

static void
no_graphs_at_all(void **state)
{
	fake_test(state, (struct fake_setup){.body = no_graphs, .words = "nograph"});
}

static void
a_bare_driver_will_do(void **state)
{
	fake_test(state, (struct fake_setup){.body = graphs, .bare_driver = true});
	fake_test(state, (struct fake_setup){.body = cold, .bare_driver = true});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(streams_on_fake),
		scratch_test(short_launches_in_streams_on_fake),
		scratch_test(readings_are_whole_on_fake),
		scratch_test(readings_without_helpers_on_fake),
		scratch_test(graphs_on_fake),
		scratch_test(alone_on_fake),
		scratch_test(no_graphs_on_fake),
		scratch_test(no_graphs_at_all),
		scratch_test(cold_on_fake),
		scratch_test(cold_without_memory_on_fake),
		scratch_test(cold_writes_are_guarded_on_fake),
		scratch_test(in_outs_begin_anew_on_fake),
		scratch_test(floors_on_fake),
		scratch_test(faults_in_batches_on_fake),
		scratch_test(a_bare_driver_will_do),
	};
	return cmocka_run_group_tests_name("cuda_time", tests, NULL, NULL);
}
