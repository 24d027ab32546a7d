/* Loading, running and checking through the CUDA port, on the fake driver: every error
 * path.  Timing is in test_cuda_time.c. */
#include "fake_session.h"

#include "model/constant.h"

#include <math.h>

enum { N = 1000 }; /* 4000 bytes: 96 known ones up to the guard page */

/* --- a candidate that is right ------------------------------------------------------ */

static void
copies(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	CHECK(cuda_session.refill(t->s, l, 0x5a, &t->f));
	CHECK(*(uint32_t *)fake_floats(t, l, 1, N) == 0x5a5a5a5a);
	CHECK(fake_run(t, l));
	CHECK(memcmp(fake_floats(t, l, 1, N), fake_filled(t, q, 0), 4 * N) == 0);
	size_t used = t->seen->used_bytes;
	struct loaded *again = fake_loaded(t, q);
	CHECK(t->seen->used_bytes == used); /* the same buffers */
	cuda_session.unload(t->s, l);
	CHECK(fake_run(t, again));
	cuda_session.unload(t->s, again);
	CHECK(t->seen->modules == 1); /* that of our own kernels */
}

static void
copies_much(struct on_fake *t)
{
	enum { MANY = 10 << 20 }; /* 40 MiB: three pieces of the stage */
	struct bench_request *q = fake_request(t, "copy", fake_args(t, MANY));
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	CHECK(fake_run(t, l));
	CHECK(memcmp(fake_floats(t, l, 1, MANY), fake_filled(t, q, 0), 4 << 20) == 0);
}

static void
fills_in_outs_anew(struct on_fake *t)
{
	struct bench_request *q =
		fake_request(t, "add params=8,4", "io=f32*[1000]:inout/exact,n=i32:1000");
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	const float *first = fake_filled(t, q, 0);
	for (int round = 0; round < 3; round++) {
		CHECK(fake_run(t, l));
		CHECK(fake_floats(t, l, 0, N)[N - 1] == first[N - 1] + 1);
	}
}

/* Memory for the inputs of in-outs is not there: the host makes them each time. */
static void
fills_in_outs_by_the_host(struct on_fake *t)
{
	struct bench_request *q = fake_request(
		t, "add params=8,4", "io=f32*[2097152]:inout/exact,n=i32:1000");
	fake_opened(t);
	struct loaded *l = fake_loaded(t, q);
	const float *first = fake_filled(t, q, 0);
	for (int round = 0; round < 2; round++) {
		CHECK(fake_run(t, l));
		CHECK(fake_floats(t, l, 0, 2097152)[5] == first[5] + 1);
	}
}

static void
sets_constants(struct on_fake *t)
{
	struct bench_request *q =
		fake_request(t, "constant\nconstant taps 4", fake_args(t, N));
	struct constant *v;
	struct str why;
	fake_opened(t);
	CHECK(constants_parse(
		&t->a, STR_LIT("taps=f32[1]:3"), &v, &q->n_constants, &why));
	q->constants = v;
	struct loaded *l = fake_loaded(t, q);
	CHECK(fake_run(t, l));
	CHECK(fake_floats(t, l, 1, N)[9] == 3 * fake_filled(t, q, 0)[9]);
	v[0].count = 2;
	CHECK(!cuda_session.load(t->s, &t->a, q, &t->f));
	fake_says(
		t, RESULT_UNLOADABLE, false, "has 4 bytes in the module, 8 in the spec");
	v[0].name = STR_LIT("other");
	CHECK(!cuda_session.load(t->s, &t->a, q, &t->f));
	fake_says(t, RESULT_UNLOADABLE, false, "constant 'other': CUDA_ERROR_NOT_FOUND");
}

static void
passes_the_launch(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	q->launch = (struct launch){{8, 4, 2}, {3, 5, 7}, {3, 5, 1}, 100000, true, true};
	fake_opened(t);
	CHECK(fake_run(t, fake_loaded(t, q)));
	const struct cu_launch *seen = &t->seen->launch;
	CHECK(seen->block_x == 8 && seen->block_y == 4 && seen->block_z == 2);
	CHECK(seen->grid_x == 3 && seen->grid_y == 5 && seen->grid_z == 7);
	CHECK(seen->shared_bytes == 100000 && seen->n_attributes == 3);
	CHECK(t->seen->cooperative == 1 && t->seen->programmatic == 1);
	CHECK(t->seen->cluster[0] == 3 && t->seen->cluster[1] == 5);
}

/* --- what does not load ------------------------------------------------------------- */

static void
not_loaded(struct on_fake *t, const struct bench_request *q, enum result_status status,
	const char *words)
{
	unsigned modules = t->seen->modules;
	CHECK(!cuda_session.load(t->s, &t->a, q, &t->f));
	fake_says(t, status, false, words);
	CHECK(t->seen->modules == modules);
}

static void
modules_that_do_not_load(struct on_fake *t)
{
	static const struct {
		const char *image, *words;
	} bad[] = {
		{"", "the module is empty"},
		{"\177ELF and no more", "the cubin is damaged"},
		{"fake\nerror 218 ptxas says no", "CUDA_ERROR_INVALID_PTX"},
		{"fake\nerror 218 ptxas says no", ": ptxas says no"},
		{"fake\nerror 209 ", "CUDA_ERROR_NO_BINARY_FOR_GPU"},
		{"fake\nkernel other copy\n", "kernel 'k': CUDA_ERROR_NOT_FOUND"},
	};
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	fake_opened(t);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		q->artifact = str_of(bad[i].image);
		not_loaded(t, q, RESULT_UNLOADABLE, bad[i].words);
	}
	q->artifact = STR_LIT("fake\nerror 3 not now");
	CHECK(!cuda_session.load(t->s, &t->a, q, &t->f));
	fake_says(t, RESULT_TROUBLE, true, "CUDA error 3");
	q->artifact = STR_LIT("\ttex.2d.v4.f32.f32 {%f1}, [%rd1, {%f1}];\n");
	not_loaded(
		t, q, RESULT_UNLAUNCHABLE, "a texture or a surface (tex.2d.v4.f32.f32)");
}

static void
arguments_that_do_not_fit(struct on_fake *t)
{
	fake_opened(t);
	not_loaded(t, fake_request(t, "copy params=8,8", fake_args(t, N)),
		RESULT_UNLAUNCHABLE, "the kernel takes 2 arguments, 3 are given");
	not_loaded(t, fake_request(t, "copy params=8,8,4,4", fake_args(t, N)),
		RESULT_UNLAUNCHABLE, "more than the 3 arguments given");
	not_loaded(t, fake_request(t, "copy params=8,8,8", fake_args(t, N)),
		RESULT_UNLAUNCHABLE, "'n' has 4 bytes, the kernel's parameter 2 has 8");
	not_loaded(t,
		fake_request(t, "copy", "in=f32*[8]:exact,out=f32*[8]:out,n=i32:unknown"),
		RESULT_UNLAUNCHABLE, "argument 'n' has no value");
}

static void
shapes_that_do_not_fit(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	fake_opened(t);
	q->launch.grid.x = UINT64_C(1) << 32;
	not_loaded(t, q, RESULT_UNLAUNCHABLE, "4294967296 does not fit a launch");
	q->launch.grid.x = 1;
	q->launch.shared_bytes = 300000;
	not_loaded(t, q, RESULT_UNLAUNCHABLE, "300000 bytes of dynamic shared memory");
	q->launch.shared_bytes = UINT64_C(3) << 30;
	not_loaded(t, q, RESULT_UNLAUNCHABLE, "dynamic shared memory");
	q->launch.shared_bytes = 0;
	q->launch.block.x = 2048;
	CHECK(!fake_run(t, fake_loaded(t, q)));
	fake_says(t, RESULT_UNLAUNCHABLE, false, "the launch was refused");
	q->launch.block.x = 32;
	q->launch.cluster.x = 32;
	CHECK(!fake_run(t, fake_loaded(t, q)));
	fake_says(t, RESULT_UNLAUNCHABLE, false, "CUDA_ERROR_INVALID_CLUSTER_SIZE");
	q->launch.cluster.x = 16; /* allowed, when it is asked for */
	CHECK(fake_run(t, fake_loaded(t, q)));
}

static void
memory_that_is_not_there(struct on_fake *t)
{
	fake_opened(t);
	struct bench_request *q = fake_request(t, "copy", fake_args(t, 10 << 20));
	size_t used = t->seen->used_bytes;
	not_loaded(
		t, q, RESULT_OOM, "argument 'out' (41943040 bytes): CUDA_ERROR_OUT_OF");
	CHECK(t->seen->used_bytes == used);
	/* What nobody uses any more makes room. */
	for (unsigned n = 5 << 20; n < (5 << 20) + 4; n++) {
		q = fake_request(t, "copy", fake_args(t, n));
		struct loaded *l = fake_loaded(t, q);
		CHECK(fake_run(t, l));
		not_loaded(t, fake_request(t, "copy", fake_args(t, n + 9)), RESULT_OOM,
			"CUDA_ERROR_OUT_OF_MEMORY");
		cuda_session.unload(t->s, l);
	}
}

/* --- what goes wrong when it runs --------------------------------------------------- */

struct bad_launch {
	const char *how;
	enum result_status status;
	bool fatal;
	const char *words;
};

static void
launches_that_fail(struct on_fake *t)
{
	static const struct bad_launch bad[] = {
		{"copy refuse=701", RESULT_UNLAUNCHABLE, false, "OUT_OF_RESOURCES"},
		{"copy refuse=720", RESULT_UNLAUNCHABLE, false, "COOPERATIVE"},
		{"copy refuse=801", RESULT_UNLAUNCHABLE, false, "NOT_SUPPORTED"},
		{"copy refuse=1", RESULT_UNLAUNCHABLE, false, "INVALID_VALUE"},
		{"copy refuse=2", RESULT_OOM, false, "OUT_OF_MEMORY"},
		{"copy refuse=719", RESULT_CRASHED, true, "LAUNCH_FAILED"},
	};
	fake_opened(t);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bench_request *q = fake_request(t, bad[i].how, fake_args(t, N));
		struct loaded *l = fake_loaded(t, q);
		CHECK(!fake_run(t, l));
		fake_says(t, bad[i].status, bad[i].fatal, bad[i].words);
		cuda_session.unload(t->s, l);
	}
	/* The others did no harm. */
	CHECK(fake_run(t, fake_loaded(t, fake_request(t, "copy", fake_args(t, N)))));
}

/* After it, nothing works in this process. */
static void
dies(struct on_fake *t, const char *how, unsigned n, const char *words)
{
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, how, fake_args(t, n)));
	CHECK(!fake_run(t, l));
	fake_says(t, RESULT_CRASHED, true, words);
	cuda_session.unload(t->s, l);
	CHECK(!cuda_session.load(
		t->s, &t->a, fake_request(t, "copy", fake_args(t, n)), &t->f));
	fake_says(t, RESULT_TROUBLE, true, words);
}

static void
illegal_address(struct on_fake *t)
{
	dies(t, "far", N, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

/* The buffer ends at the guard page: one element further is one too many. */
static void
illegal_next_address(struct on_fake *t)
{
	dies(t, "beyond", 1024, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

static void
trap(struct on_fake *t)
{
	dies(t, "copy fail=719", N, "CUDA_ERROR_LAUNCH_FAILED");
}

static void
unknown_error(struct on_fake *t)
{
	dies(t, "copy fail=777", N, "CUDA error 777");
}

static void
hangs(struct on_fake *t)
{
	struct reading r;
	struct batch b = {10, LAUNCH_STREAM, CACHE_WARM, false};
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, "hang", fake_args(t, N)));
	int64_t start = cuda_session.now(t->s);
	CHECK(cuda_session.refill(t->s, l, 0xff, &t->f));
	CHECK(!cuda_session.run(t->s, l, start + 30000000, &t->f));
	fake_says(t, RESULT_HUNG, true, "did not finish within 0.03");
	CHECK(!cuda_session.time(
		t->s, l, &b, cuda_session.now(t->s) + 30000000, &r, &t->f));
	fake_says(t, RESULT_HUNG, true, "did not finish within");
	cuda_session.unload(t->s, l); /* and does not wait for it */
	CHECK(cuda_session.now(t->s) - start < INT64_C(5000000000));
}

/* --- writes beside the outputs ------------------------------------------------------ */

/* The guards see it, and the next candidate does not feel it. */
static void
caught(struct on_fake *t, const char *how, unsigned n, const char *words)
{
	struct bench_request *right = fake_request(t, "copy", fake_args(t, n));
	struct loaded *l = fake_loaded(t, fake_request(t, how, fake_args(t, n)));
	CHECK(!fake_run(t, l));
	fake_says(t, RESULT_WRONG, false, words);
	cuda_session.unload(t->s, l);
	l = fake_loaded(t, right);
	CHECK(fake_run(t, l));
	CHECK(memcmp(fake_floats(t, l, 1, n), fake_filled(t, right, 0), 4 * n) == 0);
	cuda_session.unload(t->s, l);
}

static void
guards_are_seen(struct on_fake *t)
{
	fake_opened(t);
	caught(t, "beyond", N, "wrote outside 'out': 4 bytes after it changed");
	caught(t, "before", N, "wrote outside 'out': 4 bytes before it changed");
	caught(t, "damage", N, "wrote into 'in', which is an input only");
}

static void
guards_without_guard_pages(struct on_fake *t)
{
	fake_opened(t);
	caught(t, "beyond", 1024, "wrote outside 'out': 4 bytes after it changed");
	caught(t, "before", 1024, "wrote outside 'out': 4 bytes before it changed");
}

/* Nobody called guards(): the next candidate finds its inputs as they should be. */
static void
damage_is_mended(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	fake_opened(t);
	for (int round = 0; round < 2; round++) {
		struct loaded *l = fake_loaded(
			t, fake_request(t, round ? "before" : "damage", fake_args(t, N)));
		CHECK(cuda_session.run(
			t->s, l, cuda_session.now(t->s) + INT64_C(1000000000), &t->f));
		cuda_session.unload(t->s, l);
		l = fake_loaded(t, q);
		CHECK(fake_run(t, l));
		CHECK(memcmp(fake_floats(t, l, 1, N), fake_filled(t, q, 0), 4 * N) == 0);
		cuda_session.unload(t->s, l);
	}
}

/* Without kernels of ours damage is not seen, but mended. */
static void
damage_without_helpers(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	fake_opened(t);
	struct loaded *l = fake_loaded(t, fake_request(t, "damage", fake_args(t, N)));
	CHECK(fake_run(t, l));
	cuda_session.unload(t->s, l);
	l = fake_loaded(t, q);
	CHECK(fake_run(t, l));
	CHECK(memcmp(fake_floats(t, l, 1, N), fake_filled(t, q, 0), 4 * N) == 0);
}

/* --- the device --------------------------------------------------------------------- */

static void
state_says(struct on_fake *t, const char *sharing)
{
	struct device_state v;
	cuda_session.state(t->s, &t->a, &v);
	if (!str_starts(v.sharing, sharing)) {
		fprintf(stderr, "not '%s': '%.*s'\n", sharing, STR_ARG(v.sharing));
		_exit(1);
	}
}

static void
state_exclusive(struct on_fake *t)
{
	struct device_state v;
	fake_opened(t);
	state_says(t, "exclusive");
	cuda_session.state(t->s, &t->a, &v);
	double joules = v.energy_j;
	CHECK(v.sm_mhz == 1980 && v.memory_mhz == 3201 && v.celsius == 45);
	CHECK(v.power_w == 300.5 && v.power_limit_w == 700 && v.reasons == 0x44);
	cuda_session.state(t->s, &t->a, &v);
	CHECK(v.energy_j == joules + 1.5);
}

static void
state_empty(struct on_fake *t, const char *sharing)
{
	struct device_state v;
	fake_opened(t);
	state_says(t, sharing);
	cuda_session.state(t->s, &t->a, &v);
	CHECK(isnan(v.sm_mhz) && isnan(v.memory_mhz) && isnan(v.celsius));
	CHECK(isnan(v.power_w) && isnan(v.power_limit_w) && isnan(v.energy_j));
	CHECK(v.reasons == 0);
}

static void
state_bare(struct on_fake *t)
{
	state_empty(t, "unknown: the driver lists no processes");
}

static void
state_none(struct on_fake *t)
{
	state_empty(t, "unknown: NVML does not answer");
}

static void
state_shared(struct on_fake *t)
{
	fake_opened(t);
	state_says(t, "shared: pid 4000000, pid 4000001");
	setenv("LANEWISE_FAKE", "others=6", 1);
	state_says(t,
		"shared: pid 4000000, pid 4000001, pid 4000002, pid 4000003 and 2 more");
	setenv("LANEWISE_FAKE", "others=100", 1);
	state_says(t, "shared: 101 processes");
}

static void
state_hidden(struct on_fake *t)
{
	fake_opened(t);
	state_says(t, "unknown: this process is not in the driver's list");
}

static void
state_mig(struct on_fake *t)
{
	fake_opened(t);
	state_says(t, "mig");
}

static void
state_mps(struct on_fake *t)
{
	fake_opened(t);
	state_says(t, "mps");
}

static void
no_device(struct on_fake *t)
{
	CHECK(!fake_open(t));
	fake_says(t, RESULT_TROUBLE, false, "CUDA_ERROR_NO_DEVICE");
}

/* It was there when it was probed. */
static void
lost_device(struct on_fake *t)
{
	struct device dev = {.uuid = STR_LIT("GPU-00000000-0000")};
	CHECK(!cuda_session.open(&t->a, &dev, &t->f));
	fake_says(t, RESULT_TROUBLE, false, "no CUDA device 'GPU-00000000-0000'");
}

static void
no_memory_to_open(struct on_fake *t)
{
	CHECK(!fake_open(t));
	fake_says(t, RESULT_OOM, false, "memory");
}

/* --- library functions -------------------------------------------------------------- */

static void
library_is(struct on_fake *t, struct bench_request *q, const char *text,
	enum result_status status, const char *words)
{
	q->library = str_of(text);
	struct loaded *l = cuda_session.load(t->s, &t->a, q, &t->f);
	if (l && fake_run(t, l))
		CHECK(status == RESULT_OK);
	else
		fake_says(t, status, false, words);
	if (l)
		cuda_session.unload(t->s, l);
}

#define PRODUCT "cublas:gemm,m=3,n=5,k=4,a=a,b=b,c=c"
#define MATRICES(T) \
	"a=" T "*[12]:exact,b=" T "*[20]:exact,c=" T "*[15]:out,m=i32:3,n=i32:5,k=i32:4"

static void
products(struct on_fake *t)
{
	struct bench_request *q =
		fake_request(t, "product params=8,8,8,4,4,4", MATRICES("f32"));
	fake_opened(t);
	struct loaded *kernel = fake_loaded(t, q);
	CHECK(fake_run(t, kernel));
	const float *want = fake_floats(t, kernel, 2, 15);
	struct bench_request by = *q;
	by.library = STR_LIT(PRODUCT);
	struct loaded *blas = fake_loaded(t, &by);
	CHECK(fake_run(t, blas));
	CHECK(memcmp(fake_floats(t, blas, 2, 15), want, 60) == 0);
	CHECK(cuda_session.graphs(t->s, blas));
	CHECK(isnan(cuda_session.floor(t->s, blas, LAUNCH_STREAM)));
	/* A product of c^T = b^T * a^T with both stored the other way round. */
	by.library = STR_LIT("cublas:gemm,m=5,n=3,k=4,a=b,b=a,c=c,ta=1,tb=1,alpha=2");
	blas = fake_loaded(t, &by);
	CHECK(fake_run(t, blas));
	const float *turned = fake_floats(t, blas, 2, 15);
	for (int i = 0; i < 15; i++)
		CHECK(turned[i % 5 * 3 + i / 5] == 2 * want[i]);
	q = fake_request(t, "copy", MATRICES("f64"));
	library_is(t, q, PRODUCT, RESULT_OK, "");
	library_is(t, fake_request(t, "copy", MATRICES("f16")), PRODUCT, RESULT_OK, "");
	library_is(t, fake_request(t, "copy", MATRICES("bf16")), PRODUCT, RESULT_OK, "");
}

static void
products_that_do_not_fit(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", MATRICES("f32"));
	fake_opened(t);
	library_is(t, q, "cublas:gemm,m=3", RESULT_TROUBLE, "a product has m, n, k");
	library_is(t, q, "cublas:gemm,m=3,n=5,k=4,a=a,b=b,c=d", RESULT_UNLAUNCHABLE,
		"'d', which is no buffer");
	library_is(t, q, "cublas:gemm,m=3,n=5,k=4,a=m,b=b,c=c", RESULT_UNLAUNCHABLE,
		"'m', which is no buffer");
	library_is(t, q, "cublas:gemm,m=3,n=5,k=5,a=a,b=b,c=c", RESULT_UNLAUNCHABLE,
		"'a' has 3 x 5 elements, the argument 12");
	library_is(t, fake_request(t, "copy", MATRICES("i32")), PRODUCT,
		RESULT_UNLAUNCHABLE, "f64, f32, f16 or bf16");
}

static void
functions_of_the_user(struct on_fake *t)
{
	struct bench_request *q = fake_request(t, "copy", fake_args(t, N));
	const char *path = fake_file(&t->a, "libreference.so");
	fake_opened(t);
	q->library = str_of(path);
	struct loaded *l = fake_loaded(t, q);
	CHECK(fake_run(t, l));
	CHECK(memcmp(fake_floats(t, l, 1, N), fake_filled(t, q, 0), 4 * N) == 0);
	library_is(t, q, str_fmt(&t->a, "%s:refuse", path).s, RESULT_UNLAUNCHABLE,
		"the reference returned 42");
	library_is(t, q, str_fmt(&t->a, "%s:nothing", path).s, RESULT_TROUBLE,
		"has no symbol 'nothing'");
	library_is(
		t, q, "/nowhere/x.so", RESULT_TROUBLE, "the reference cannot be loaded");
}

/* ------------------------------------------------------------------------------------ */

#define ON_FAKE(f, ...) \
	static void f##_on_fake(void **state) \
	{ \
		fake_test(state, (struct fake_setup){.body = f, __VA_ARGS__}); \
	}

ON_FAKE(copies, .words = "")
ON_FAKE(copies_much, .words = "")
ON_FAKE(fills_in_outs_anew, .words = "")
ON_FAKE(fills_in_outs_by_the_host, .words = "novmm,memory=9000000")
ON_FAKE(sets_constants, .words = "")
ON_FAKE(passes_the_launch, .words = "")
ON_FAKE(modules_that_do_not_load, .words = "")
ON_FAKE(arguments_that_do_not_fit, .words = "")
ON_FAKE(shapes_that_do_not_fit, .words = "")
ON_FAKE(memory_that_is_not_there, .words = "memory=70000000")
ON_FAKE(launches_that_fail, .words = "")
ON_FAKE(illegal_address, .words = "")
ON_FAKE(illegal_next_address, .words = "")
ON_FAKE(trap, .words = "")
ON_FAKE(unknown_error, .words = "")
ON_FAKE(hangs, .words = "")
ON_FAKE(guards_are_seen, .words = "")
ON_FAKE(guards_without_guard_pages, .words = "novmm")
ON_FAKE(damage_is_mended, .words = "")
ON_FAKE(damage_without_helpers, .words = "nohelper")
ON_FAKE(state_exclusive, .words = "reasons=0x44")
ON_FAKE(state_bare, .bare_nvml = true)
ON_FAKE(state_none, .words = "nonvml")
ON_FAKE(state_shared, .words = "others=2")
ON_FAKE(state_hidden, .words = "hidden,others=2")
ON_FAKE(state_mig, .words = "mig=2")
ON_FAKE(state_mps, .words = "mps")
ON_FAKE(no_device, .words = "devices=0")
ON_FAKE(lost_device, .words = "")
ON_FAKE(no_memory_to_open, .words = "memory=1000")
ON_FAKE(products, .words = "")
ON_FAKE(products_that_do_not_fit, .words = "")
ON_FAKE(functions_of_the_user, .words = "")

/* A driver without the optional functions does the same, but for guard pages. */
static void
a_bare_driver_will_do(void **state)
{
	fake_test(state, (struct fake_setup){.body = copies, .bare_driver = true});
	fake_test(state,
		(struct fake_setup){.body = fills_in_outs_anew, .bare_driver = true});
	fake_test(state, (struct fake_setup){.body = guards_without_guard_pages,
				 .bare_driver = true});
}

static void
a_card_in_mig_mode(void **state)
{
	fake_test(state, (struct fake_setup){.body = state_mig, .words = "mig"});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(copies_on_fake),
		scratch_test(copies_much_on_fake),
		scratch_test(fills_in_outs_anew_on_fake),
		scratch_test(fills_in_outs_by_the_host_on_fake),
		scratch_test(sets_constants_on_fake),
		scratch_test(passes_the_launch_on_fake),
		scratch_test(modules_that_do_not_load_on_fake),
		scratch_test(arguments_that_do_not_fit_on_fake),
		scratch_test(shapes_that_do_not_fit_on_fake),
		scratch_test(memory_that_is_not_there_on_fake),
		scratch_test(launches_that_fail_on_fake),
		scratch_test(illegal_address_on_fake),
		scratch_test(illegal_next_address_on_fake),
		scratch_test(trap_on_fake),
		scratch_test(unknown_error_on_fake),
		scratch_test(hangs_on_fake),
		scratch_test(guards_are_seen_on_fake),
		scratch_test(guards_without_guard_pages_on_fake),
		scratch_test(damage_is_mended_on_fake),
		scratch_test(damage_without_helpers_on_fake),
		scratch_test(state_exclusive_on_fake),
		scratch_test(state_bare_on_fake),
		scratch_test(state_none_on_fake),
		scratch_test(state_shared_on_fake),
		scratch_test(state_hidden_on_fake),
		scratch_test(state_mig_on_fake),
		scratch_test(state_mps_on_fake),
		scratch_test(no_device_on_fake),
		scratch_test(lost_device_on_fake),
		scratch_test(no_memory_to_open_on_fake),
		scratch_test(products_on_fake),
		scratch_test(products_that_do_not_fit_on_fake),
		scratch_test(functions_of_the_user_on_fake),
		scratch_test(a_bare_driver_will_do),
		scratch_test(a_card_in_mig_mode),
	};
	return cmocka_run_group_tests_name("cuda_session", tests, NULL, NULL);
}
