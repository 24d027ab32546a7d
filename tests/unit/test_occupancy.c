#include "captured.h"

#include "base/rng.h"
#include "perf/occupancy.h"

#include <limits.h>

#if defined(__has_include)
#if __has_include("/usr/local/cuda/include/cuda_occupancy.h")
#define HAVE_VENDOR 1
#endif
#endif

#ifdef HAVE_VENDOR
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wswitch-enum"
#include "/usr/local/cuda/include/cuda_occupancy.h"
#pragma GCC diagnostic pop
#endif

static const int ccs[][2] = {{7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 7}, {8, 9}, {9, 0},
	{10, 0}, {10, 1}, {10, 3}, {11, 0}, {12, 0}, {12, 1}};
enum { N_CCS = sizeof ccs / sizeof *ccs };

static struct launch
shape(uint64_t threads, uint64_t shared)
{
	struct dim one = {1, 1, 1};

	return (struct launch){{threads, 1, 1}, {1000, 1, 1}, one, shared, false, false};
}

static struct occupancy
h200(struct captured *c, int64_t registers, int64_t fixed, uint64_t threads,
	uint64_t shared)
{
	struct facts f = facts_none();
	struct launch l = shape(threads, shared);
	struct device dev;

	assert_true(device_of_cc(&c->a, 9, 0, &dev));
	f.registers = registers;
	f.static_shared_bytes = fixed;
	return occupancy_of(&dev, &f, &l);
}

static void
limits(void **state)
{
	struct captured *c = *state;
	struct occupancy o = h200(c, 16, 0, 32, 0);

	assert_int_equal(o.blocks_per_sm, 32);
	assert_int_equal(o.limit, OCCUPANCY_BLOCKS);
	assert_true(o.fraction == 0.5);
	o = h200(c, 16, 0, 256, 0);
	assert_int_equal(o.blocks_per_sm, 8);
	assert_int_equal(o.limit, OCCUPANCY_WARPS);
	o = h200(c, 128, 0, 256, 0);
	assert_int_equal(o.blocks_per_sm, 2);
	assert_string_equal(occupancy_limit_name(o.limit), "registers");
	o = h200(c, 32, 1000, 128, 100 * 1024);
	assert_int_equal(o.blocks_per_sm, 2);
	assert_string_equal(occupancy_limit_name(o.limit), "shared memory");
}

static void
what_cannot_run(void **state)
{
	struct captured *c = *state;

	assert_int_equal(h200(c, 32, 0, 1025, 0).blocks_per_sm, 0);
	assert_int_equal(h200(c, 32, 0, UINT64_MAX, 0).blocks_per_sm, 0);
	assert_int_equal(h200(c, 32, 0, 32, 232449).blocks_per_sm, 0);
	assert_int_equal(h200(c, 32, 232448, 32, 1).blocks_per_sm, 0);
	assert_int_equal(h200(c, 32, 0, 32, UINT64_MAX).blocks_per_sm, 0);
	assert_int_equal(h200(c, 32, 0, 32, 232448).blocks_per_sm, 1);
	assert_int_equal(h200(c, 255, 0, 1024, 0).blocks_per_sm, 0);
	assert_int_equal(h200(c, 300, 0, 32, 0).blocks_per_sm, 0);
}

static void
unknown_facts_give_an_upper_bound(void **state)
{
	struct captured *c = *state;
	struct occupancy o = h200(c, -1, -1, 256, 0);
	struct launch l = shape(256, 0);
	struct device dev;

	assert_false(o.registers_known || o.shared_known);
	assert_int_equal(o.blocks_per_sm, 8);
	assert_true(device_of_cc(&c->a, 9, 0, &dev));
	assert_int_equal(occupancy_of(&dev, NULL, &l).blocks_per_sm, 8);
}

#ifdef HAVE_VENDOR
static int
vendor_blocks(
	const struct device *dev, const struct facts *f, int threads, int64_t dynamic)
{
	cudaOccDeviceProp p = {0};
	cudaOccFuncAttributes at = {0};
	cudaOccDeviceState st = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
	cudaOccResult res;

	p.computeMajor = dev->cc_major;
	p.computeMinor = dev->cc_minor;
	p.maxThreadsPerBlock = (int)dev->max_threads_per_block;
	p.maxThreadsPerMultiprocessor = (int)dev->max_threads_per_sm;
	p.regsPerBlock = p.regsPerMultiprocessor = (int)dev->registers_per_sm;
	p.warpSize = 32;
	p.sharedMemPerBlock = (size_t)dev->shared_per_block_bytes;
	p.sharedMemPerMultiprocessor = (size_t)dev->shared_per_sm_bytes;
	p.numSms = 100;
	p.sharedMemPerBlockOptin = (size_t)dev->shared_per_block_optin_bytes;
	p.reservedSharedMemPerBlock = (size_t)dev->reserved_shared_per_block_bytes;
	at.maxThreadsPerBlock = 1024;
	at.numRegs = (int)f->registers;
	at.sharedSizeBytes = (size_t)f->static_shared_bytes;
	at.partitionedGCConfig = PARTITIONED_GC_OFF;
	at.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
	at.maxDynamicSharedSizeBytes = (size_t)dynamic;
	at.numBlockBarriers = (int)f->barriers;
	if (cudaOccMaxActiveBlocksPerMultiprocessor(
		    &res, &p, &at, &st, threads, (size_t)dynamic) != CUDA_OCC_SUCCESS)
		return -1;
	return res.activeBlocksPerMultiprocessor;
}

/* Thousands of random launches against NVIDIA's own header. */
static void
as_the_vendor_says(void **state)
{
	struct captured *c = *state;
	struct rng r = {7};

	for (int i = 0; i < 40000; i++) {
		const int *cc = ccs[rng_below(&r, N_CCS)];
		struct facts f = facts_none();
		struct device dev;
		assert_true(device_of_cc(&c->a, cc[0], cc[1], &dev));
		uint64_t most = (uint64_t)dev.shared_per_block_optin_bytes;
		int threads = 1 + (int)rng_below(&r, 1024);
		f.registers = (int64_t)rng_below(&r, 256);
		f.static_shared_bytes =
			rng_below(&r, 2) ? (int64_t)rng_below(&r, 49153) : 0;
		int64_t dynamic =
			(int64_t)rng_below(&r, rng_below(&r, 4) ? most / 4 : most);
		f.barriers = (int64_t)rng_below(&r, 17);
		struct launch l = shape((uint64_t)threads, (uint64_t)dynamic);
		int64_t ours = occupancy_of(&dev, &f, &l).blocks_per_sm;
		int theirs = vendor_blocks(&dev, &f, threads, dynamic);
		/* The header calls more shared memory than an SM has an invalid input. */
		if (theirs == -1 && f.static_shared_bytes + dynamic > (int64_t)most)
			theirs = 0;
		if (ours != theirs)
			fail_msg("cc %d.%d, %d threads, %lld registers, %lld + %lld "
				 "shared, "
				 "%lld barriers: %lld, the vendor says %d",
				cc[0], cc[1], threads, (long long)f.registers,
				(long long)f.static_shared_bytes, (long long)dynamic,
				(long long)f.barriers, (long long)ours, theirs);
	}
}
#else
static void
as_the_vendor_says(void **state)
{
	print_message("skipped: cuda_occupancy.h is not here\n");
	skip();
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(limits),
		captured_test(what_cannot_run),
		captured_test(unknown_facts_give_an_upper_bound),
		captured_test(as_the_vendor_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
