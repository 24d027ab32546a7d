#include "captured.h"

#include "perf/estimate.h"

#include <math.h>

static const struct device *
h200(struct captured *c)
{
	struct device *dev = device_find(&c->a, "h200", &c->d);

	assert_non_null(dev);
	return dev;
}

static struct estimate_query
query(const struct device *dev, uint64_t block, uint64_t grid, double bytes, double flops)
{
	struct dim one = {1, 1, 1};

	return (struct estimate_query){
		.dev = dev,
		.launch = {{block, 1, 1}, {grid, 1, 1}, one, 0, false},
		.bytes = bytes,
		.flops = flops,
	};
}

static double
ns(struct estimate_query q)
{
	struct estimate e = estimate_of(&q);

	assert_true(e.ok && e.ns > 0 && isfinite(e.ns));
	return e.ns;
}

/* No estimate may beat the vendor's own peaks. */
static void
never_faster_than_the_device(void **state)
{
	struct captured *c = *state;
	const struct device *dev = h200(c);
	double bytes = 4e9, flops = 1e13;

	for (uint64_t block = 32; block <= 1024; block *= 2) {
		double by_bytes = ns(query(dev, block, 1 << 20, bytes, 0));
		double by_flops = ns(query(dev, block, 1 << 20, 0, flops));
		assert_true(by_bytes > bytes / dev->memory_bandwidth_gbps);
		assert_true(by_flops > flops / (132 * 128 * 2 * 1.98));
		/* ... and none is hopelessly slow where the launch fills the device. */
		if (block >= 128) {
			assert_true(by_bytes < 3 * bytes / dev->memory_bandwidth_gbps);
			assert_true(by_flops < 3 * flops / (132 * 128 * 2 * 1.98));
		}
	}
}

static void
says_what_bounds_it(void **state)
{
	struct captured *c = *state;
	const struct device *dev = h200(c);
	struct estimate_query q = query(dev, 256, 1 << 16, 4e9, 0);

	assert_string_equal(estimate_of(&q).bound, "bandwidth");
	q = query(dev, 256, 1 << 16, 0, 1e13);
	assert_string_equal(estimate_of(&q).bound, "arithmetic");
	q = query(dev, 256, 10, 1000, 1000);
	assert_string_equal(estimate_of(&q).bound, "launch overhead");
}

static void
orders_what_it_should(void **state)
{
	struct captured *c = *state;
	const struct device *dev = h200(c);
	struct facts lean = facts_none(), fat = facts_none(), spilling;
	struct estimate_query x = query(dev, 256, 1 << 16, 4e9, 0), y = x;

	lean.registers = 32;
	lean.static_shared_bytes = 0;
	fat = lean;
	fat.registers = 255;
	spilling = lean;
	spilling.spill_load_bytes = spilling.spill_store_bytes = 4000;
	x.facts = &lean;
	y.facts = &fat;
	assert_true(ns(x) < ns(y)); /* fewer warps to hide latency */
	y.facts = &spilling;
	assert_true(ns(x) < ns(y));
	/* One block more than fits costs a wave. */
	y = x;
	x.launch.grid.x = 132 * 8;
	y.launch.grid.x = 132 * 8 + 1;
	assert_true(ns(x) < ns(y));
	/* A grid that leaves SMs idle is slower than one that does not. */
	assert_true(ns(query(dev, 256, 1320, 1e9, 0)) < ns(query(dev, 256, 13, 1e9, 0)));
}

static void
more_work_takes_longer(void **state)
{
	struct captured *c = *state;
	const struct device *dev = h200(c);
	double last = 0;

	for (double bytes = 1e3; bytes < 1e12; bytes *= 3) {
		double t = ns(query(dev, 128, 4096, bytes, bytes));
		assert_true(t > last);
		last = t;
	}
}

static void
tells_what_is_not_known(void **state)
{
	struct captured *c = *state;
	struct estimate_query q = query(h200(c), 128, 100, (double)NAN, (double)NAN);
	struct result r = result_none();

	estimate_result(&c->a, &q, &r);
	assert_int_equal(r.kind, RESULT_ESTIMATED);
	assert_int_equal(r.status, RESULT_OK);
	assert_false(r.verified);
	assert_true(str_starts(r.estimate_note, "estimated: "));
	assert_true(str_has(r.estimate_note, STR_LIT("registers not known")));
	assert_true(str_has(r.estimate_note, STR_LIT("no work declared")));
	assert_true(isnan(r.low_ns) && isnan(r.high_ns));
}

static void
what_does_not_fit_has_no_time(void **state)
{
	struct captured *c = *state;
	struct estimate_query q = query(h200(c), 128, 100, 1e6, 1e6);
	struct result r = result_none();

	q.launch.shared_bytes = 1 << 20;
	estimate_result(&c->a, &q, &r);
	assert_int_equal(r.status, RESULT_UNLAUNCHABLE);
	assert_true(isnan(r.median_ns));
	assert_true(str_has(r.reason, STR_LIT("shared memory")));
	q.launch.shared_bytes = 0;
	q.launch.grid.x = UINT64_MAX;
	assert_true(isfinite(estimate_of(&q).ns));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(never_faster_than_the_device),
		captured_test(says_what_bounds_it),
		captured_test(orders_what_it_should),
		captured_test(more_work_takes_longer),
		captured_test(tells_what_is_not_known),
		captured_test(what_does_not_fit_has_no_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
