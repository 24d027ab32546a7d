/* The OpenCL side of the port, on the first runtime that is here (skipped without one).
 * Each test in a process of its own: a runtime's threads do not survive a fork. */
#include "backend/backend.h"
#include "backend/fill.h"
#include "backend/session.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "model/clsource.h"
#include "unit/scratch.h"

#include <dirent.h>
#include <math.h>

enum { N = 1000, ABSENT = 77 };

/* In the child, where cmocka's asserts do not work. */
#define CHECK(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: %s (%.*s)\n", __FILE__, __LINE__, #x, \
				STR_ARG(t->f.reason)); \
			_exit(1); \
		} \
	} while (0)

static const struct session_ops *const ops = &opencl_session;

struct opened {
	struct arena a;
	struct device *dev;
	struct session *s;
	struct fault f;
};

static void
child(void *arg)
{
	void (*body)(struct opened *) = *(void (**)(struct opened *))arg;
	struct opened *t = calloc(1, sizeof *t);
	struct str why;
	signal(SIGABRT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
	t->dev = backend_opencl.probe(&t->a, (struct str){0}, &why);
	if (!t->dev)
		_exit(ABSENT);
	t->s = ops->open(&t->a, t->dev, &t->f);
	CHECK(t->s);
	body(t);
	_exit(0);
}

static struct ended
in_child(void **state, void (*body)(struct opened *))
{
	struct ended e = scratch_run(*state, child, &body);
	if (e.status == ABSENT)
		skip();
	return e;
}

static void
test_in_child(void **state, void (*body)(struct opened *))
{
	struct ended e = in_child(state, body);
	if (e.status != 0)
		fail_msg("status %d, signal %d: %s%s", e.status, e.signal, e.out, e.err);
}

/* What clang leaves in the PTX, with this source. */
static struct bench_request *
request(struct opened *t, const char *source, const char *args)
{
	struct bench_request *q = arena_new(&t->a, struct bench_request);
	struct buf b = {.a = &t->a};
	struct clsource c = {STR_LIT("-cl-std=CL1.2"), str_of(source)};
	struct arg *v;
	struct str why;
	buf_adds(&b, ".version 7.0\n");
	clsource_append(&b, &c);
	CHECK(args_parse(&t->a, str_of(args), &v, &q->n_args, &why));
	q->args = v;
	q->artifact = buf_str(&b);
	q->entry = STR_LIT("k");
	q->seed = 1;
	q->launch = (struct launch){{32, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, false, false};
	return q;
}

static const char ARGS[] = "in=f32*[1000]:exact,out=f32*[1000]:out,n=i32:1000";

#define KERNEL(statements) \
	"#line 3 \"k.cl\"\n" \
	"__kernel void k(__global const float *in, __global float *out, int n)\n" \
	"{ int i = get_global_id(0); " statements " if (i < n) out[i] = 2 * in[i]; }\n"

static bool
run(struct opened *t, struct loaded *l)
{
	return ops->run(t->s, l, clock_ns() + INT64_C(20000000000), &t->f);
}

static const float *
floats(struct opened *t, struct loaded *l, size_t arg, size_t n)
{
	float *v = arena_news(&t->a, n, float);
	CHECK(ops->fetch(t->s, l, arg, v, &t->f));
	return v;
}

static void
doubles(struct opened *t)
{
	struct bench_request *q = request(t, KERNEL(""), ARGS);
	float in[N];
	fill_all(&q->args[0], fill_stream(q->seed, 0), 0, N, in);
	struct loaded *l = ops->load(t->s, &t->a, q, &t->f);
	CHECK(l);
	CHECK(ops->refill(t->s, l, 0x5a, &t->f));
	CHECK(*(const uint32_t *)(const void *)floats(t, l, 1, N) == 0x5a5a5a5a);
	struct loaded *again = ops->load(t->s, &t->a, q, &t->f);
	CHECK(again);
	CHECK(run(t, l) && ops->guards(t->s, l, &t->f));
	const float *out = floats(t, again, 1, N); /* the same buffers */
	for (int i = 0; i < N; i++)
		CHECK(out[i] == 2 * in[i]);
	ops->unload(t->s, l);
	CHECK(run(t, again));
	CHECK(!ops->graphs(t->s, again));
}

/* Of the runtime's threads at least one is on the last processor, and on no other. */
static void
pinned(struct opened *t)
{
	int cpus[CPUS_MAX];
	size_t n = cpu_allowed(cpus);
	struct str list;
	bool found = n < 2;
	char path[64];
	struct dirent *e;
	DIR *tasks = opendir("/proc/self/task");
	CHECK(tasks);
	while (!found && (e = readdir(tasks))) {
		snprintf(path, sizeof path, "/proc/self/task/%.20s/status", e->d_name);
		struct str only =
			str_fmt(&t->a, "\nCpus_allowed_list:\t%d\n", cpus[n - 1]);
		found = fs_try_read(&t->a, path, &list) && str_has(list, only);
	}
	closedir(tasks);
	CHECK(found);
}

static void
times(struct opened *t)
{
	struct loaded *l = ops->load(t->s, &t->a, request(t, KERNEL(""), ARGS), &t->f);
	struct reading r;
	CHECK(l);
	for (int cache = 0; cache < 2; cache++) {
		struct batch b = {
			50, LAUNCH_STREAM, cache ? CACHE_WARM : CACHE_COLD, false};
		CHECK(ops->time(
			t->s, l, &b, clock_ns() + INT64_C(20000000000), &r, &t->f));
		CHECK(r.ns > 0 && r.host_ns > 0 && isnan(r.sm_mhz));
		b.launches = 1;
		b.alone = true;
		CHECK(ops->time(
			t->s, l, &b, clock_ns() + INT64_C(20000000000), &r, &t->f));
		/* By the host's clock it has been submitted and waited for, too. */
		CHECK(r.ns > 0 && r.host_ns >= r.ns);
	}
	CHECK(ops->floor(t->s, l, LAUNCH_STREAM) > 0);
	CHECK(ops->guards(t->s, l, &t->f));
}

static void
adds_in_place(struct opened *t)
{
	static const char source[] =
		"__kernel void k(__global float *x, __local float *s, int n)\n"
		"{ int i = get_global_id(0), j = get_local_id(0); s[j] = 1;\n"
		"barrier(CLK_LOCAL_MEM_FENCE); if (i < n) x[i] += s[31 - j]; }\n";
	struct bench_request *q =
		request(t, source, "x=f32*[1000]:inout/exact,n=i32:1000");
	float in[N];
	q->launch.shared_bytes = 128;
	fill_all(&q->args[0], fill_stream(q->seed, 0), 0, N, in);
	struct loaded *l = ops->load(t->s, &t->a, q, &t->f);
	CHECK(l);
	for (int round = 0; round < 2; round++) {
		CHECK(ops->refill(t->s, l, 0, &t->f) && run(t, l) && run(t, l));
		CHECK(floats(t, l, 0, N)[N - 1] == in[N - 1] + 2);
	}
}

static void
wrong_places(struct opened *t)
{
	static const struct {
		const char *source, *reason;
	} v[] = {
		{KERNEL("if (i == 0) out[n] = 1;"), "wrote outside 'out': 4 bytes after"},
		{KERNEL("if (i == 0) out[-1] = 1;"),
			"wrote outside 'out': 4 bytes before"},
		{KERNEL("if (i < n) ((__global float *)in)[i] += 1;"), "wrote into 'in'"},
	};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct bench_request *q = request(t, v[i].source, ARGS);
		struct loaded *l = ops->load(t->s, &t->a, q, &t->f);
		CHECK(l && ops->refill(t->s, l, 0, &t->f) && run(t, l));
		CHECK(!ops->guards(t->s, l, &t->f));
		CHECK(t->f.status == RESULT_WRONG && !t->f.fatal);
		CHECK(str_has(t->f.reason, str_of(v[i].reason)));
		ops->unload(t->s, l);
		/* The next one finds everything as it was. */
		l = ops->load(t->s, &t->a, request(t, KERNEL(""), ARGS), &t->f);
		CHECK(l && run(t, l) && ops->guards(t->s, l, &t->f));
		ops->unload(t->s, l);
	}
}

static void
refused(struct opened *t, struct bench_request *q, enum result_status status,
	const char *reason)
{
	CHECK(!ops->load(t->s, &t->a, q, &t->f));
	CHECK(t->f.status == status && !t->f.fatal);
	CHECK(str_has(t->f.reason, str_of(reason)));
}

static void
unloadable(struct opened *t)
{
	struct bench_request *q = request(t, KERNEL("i = nothing;"), ARGS);
	refused(t, q, RESULT_UNLOADABLE, "k.cl:4:");
	q = request(t, KERNEL(""), ARGS);
	q->entry = STR_LIT("other");
	refused(t, q, RESULT_UNLOADABLE, "kernel 'other'");
	q = request(t, KERNEL(""), ARGS);
	q->artifact = STR_LIT(".version 7.0\n");
	refused(t, q, RESULT_UNLOADABLE, "not made of OpenCL C");
}

static void
unlaunchable(struct opened *t)
{
	static const char fixed[] =
		"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
		"void k(__global const float *in, __global float *out, int n) {}\n";
	struct bench_request *q = request(t, KERNEL(""), ARGS);
	q->launch.block.x = (uint64_t)t->dev->max_threads_per_block * 2;
	refused(t, q, RESULT_UNLAUNCHABLE, "work-items in a work-group");
	q = request(t, KERNEL(""), ARGS);
	q->launch.shared_bytes = (uint64_t)t->dev->shared_per_block_optin_bytes + 1;
	refused(t, q, RESULT_UNLAUNCHABLE, "bytes of local memory");
	refused(t, request(t, fixed, ARGS), RESULT_UNLAUNCHABLE, "reqd_work_group_size");
	refused(t, request(t, KERNEL(""), "in=f32*[1000]:exact,n=i32:1000"),
		RESULT_UNLAUNCHABLE,
		"3 parameters that are not __local, 'args' in the "
		"spec 2");
	q = request(t, KERNEL(""), ARGS);
	q->launch.cluster.x = 2;
	refused(t, q, RESULT_UNLAUNCHABLE, "no clusters");
	q = request(
		t, KERNEL(""), "in=f32*[1000]:exact,out=f32*[1000]:out,n=i32:unknown");
	refused(t, q, RESULT_UNLAUNCHABLE, "'n' has no value");
}

static void
never_ends(struct opened *t)
{
	struct bench_request *q = request(t,
		KERNEL("while (((volatile __global const float *)in)[0] < 1e30f) ;"),
		ARGS);
	struct loaded *l = ops->load(t->s, &t->a, q, &t->f);
	CHECK(l);
	CHECK(!ops->run(t->s, l, clock_ns() + 300000000, &t->f));
	CHECK(t->f.status == RESULT_HUNG && t->f.fatal);
}

static void
far_out(struct opened *t)
{
	struct bench_request *q =
		request(t, KERNEL("out[(long)i + 100000000] = 1;"), ARGS);
	struct loaded *l = ops->load(t->s, &t->a, q, &t->f);
	CHECK(l);
	(void)run(t, l);
	_exit(3); /* it would have ended here */
}

#define IN_CHILD(name) \
	static void test_##name(void **state) \
	{ \
		test_in_child(state, name); \
	}
IN_CHILD(doubles)
IN_CHILD(times)
IN_CHILD(pinned)
IN_CHILD(adds_in_place)
IN_CHILD(wrong_places)
IN_CHILD(unloadable)
IN_CHILD(unlaunchable)
IN_CHILD(never_ends)

static void
test_far_out(void **state)
{
	struct ended e = in_child(state, far_out);
	assert_int_equal(e.signal, SIGSEGV);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_doubles),
		scratch_test(test_times),
		scratch_test(test_pinned),
		scratch_test(test_adds_in_place),
		scratch_test(test_wrong_places),
		scratch_test(test_unloadable),
		scratch_test(test_unlaunchable),
		scratch_test(test_never_ends),
		scratch_test(test_far_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
