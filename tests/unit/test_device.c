#include "captured.h"

#include "base/asset.h"
#include "base/fs.h"
#include "format/json.h"
#include "model/device.h"

#define MINIMAL \
	"{\"schema\": \"lanewise/device.v1\", \"name\": \"X\", " \
	"\"compute_capability\": \"9.0\", \"sm_count\": 132, \"sm_clock_mhz\": 1980, " \
	"\"memory_bandwidth_gbps\": 4800"

static struct device *
read_text(struct captured *c, const char *text)
{
	fs_write("device.json", str_of(text), NULL);
	return device_read(&c->a, "device.json", &c->d);
}

static void
minimal_description(void **state)
{
	struct captured *c = *state;
	struct device *dev = read_text(c, MINIMAL "}");

	assert_non_null(dev);
	assert_true(dev->described);
	assert_int_equal(dev->cc_major, 9);
	assert_int_equal(dev->shared_per_block_optin_bytes, 232448);
	assert_int_equal(dev->shared_per_sm_bytes, 233472);
	assert_int_equal(dev->max_grid_dim[0], INT32_MAX);
	assert_int_equal(dev->max_threads_per_sm, 2048);
	assert_int_equal(dev->l2_bytes, 0);
	assert_int_equal(dev->max_cluster_blocks, 8);
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct device *dev =
		read_text(c, MINIMAL ", \"uuid\": \"GPU-1\", \"driver\": \"580\", "
				     "\"described\": false}");
	struct str text = device_write(&c->a, dev);
	struct device *back = read_text(c, str_c(&c->a, text));

	assert_non_null(back);
	assert_false(back->described);
	assert_true(str_is(back->uuid, "GPU-1"));
	assert_true(str_eq(device_write(&c->a, back), text));
}

/* What a backend found may not know its bandwidth; a description has to say it. */
static void
of_a_backend(void **state)
{
	struct captured *c = *state;
	static const char head[] = "{\"schema\": \"lanewise/device.v1\", \"name\": "
				   "\"X\", \"compute_capability\": \"8.0\", "
				   "\"sm_count\": 1, \"sm_clock_mhz\": 2000, "
				   "\"memory_bandwidth_gbps\": 0";
	struct str text = str_fmt(&c->a, "%s, \"backend\": \"opencl\"}", head);
	struct device *dev = read_text(c, str_c(&c->a, text));

	assert_non_null(dev);
	assert_true(str_is(dev->backend, "opencl"));
	text = device_write(&c->a, dev);
	assert_true(str_is(read_text(c, str_c(&c->a, text))->backend, "opencl"));
	assert_null(read_text(c, str_c(&c->a, str_fmt(&c->a, "%s}", head))));
	assert_says(c, "memory_bandwidth_gbps");
}

/* Who it is and how fast is no limit. */
static void
limits_alone(void **state)
{
	struct captured *c = *state;
	struct device *one =
		read_text(c, MINIMAL ", \"uuid\": \"GPU-1\", \"driver\": \"580\"}");
	struct device *other = read_text(c, MINIMAL ", \"l2_bytes\": 4096}");
	struct device *less = read_text(c, MINIMAL ", \"max_threads_per_block\": 512}");
	struct device a = device_limits(one), b = device_limits(other),
		      l = device_limits(less);
	struct str text = device_write(&c->a, &a);

	assert_true(str_eq(text, device_write(&c->a, &b)));
	assert_false(str_eq(text, device_write(&c->a, &l)));
	assert_non_null(read_text(c, str_c(&c->a, text)));
}

/* What is no GPU has the numbers that it has. */
static void
another_backend(void **state)
{
	struct captured *c = *state;
	struct device dev = {.name = STR_LIT("X, 2 CPUs"),
		.uuid = STR_LIT("CPU-1"),
		.driver = STR_LIT("Linux 6.1"),
		.backend = STR_LIT("host"),
		.sm_count = 2,
		.max_block_dim = {2, 1, 1},
		.max_grid_dim = {1, 1, 1}};
	struct str text = device_write(&c->a, &dev);
	struct device *back = read_text(c, str_c(&c->a, text));

	assert_non_null(back);
	assert_true(str_is(back->backend, "host"));
	assert_int_equal(back->sm_count, 2);
	assert_int_equal(back->cc_major, 0);
	assert_true(str_eq(device_write(&c->a, back), text));
}

/* An unknown compute capability needs everything spelled out, and then is fine. */
static void
unknown_cc(void **state)
{
	struct captured *c = *state;
	struct device *dev = read_text(c, MINIMAL "}");

	dev->cc_major = 42;
	assert_non_null(read_text(c, str_c(&c->a, device_write(&c->a, dev))));
	assert_null(read_text(c, "{\"schema\": \"lanewise/device.v1\", \"name\": \"X\", "
				 "\"compute_capability\": \"42.0\", \"sm_count\": 1, "
				 "\"sm_clock_mhz\": 1, \"memory_bandwidth_gbps\": 1}"));
	assert_says(c, "42.0 are not known: write 'warp_size'");
}

static void
mistakes(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"[]", "expected an object"},
		{"{}", "'schema' is missing"},
		{"{\"schema\": \"lanewise/facts.v1\"}",
			"expected schema 'lanewise/device.v1'"},
		{MINIMAL ", \"sm_cont\": 3}", "did you mean 'sm_count'"},
		{MINIMAL ", \"l2_bytes\": -1}",
			"'l2_bytes' must be a whole number from 0"},
		{MINIMAL ", \"warp_size\": 64}", "'warp_size'"},
		{MINIMAL ", \"max_block_dim\": [1, 2]}", "three positive whole numbers"},
		{MINIMAL ", \"max_block_dim\": [1, 2, 0]}",
			"three positive whole numbers"},
		{MINIMAL ", \"max_block_dim\": [1, 2, 3, 4]}",
			"three positive whole numbers"},
		{MINIMAL ", \"described\": 1}", "'described' must be true or false"},
		{"{\"schema\": \"lanewise/device.v1\", \"compute_capability\": \"nine\"}",
			"not MAJOR.MINOR"},
		{"{\"schema\": \"lanewise/device.v1\", \"compute_capability\": \"9\"}",
			"not MAJOR.MINOR"},
		{"{\"schema\": \"lanewise/device.v1\", \"name\": \"X\", "
		 "\"compute_capability\": "
		 "\"9.0\", \"sm_count\": 1, \"sm_clock_mhz\": 1, "
		 "\"memory_bandwidth_gbps\": 0}",
			"positive number of GB/s"},
	};
	struct captured *c = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (read_text(c, cases[i].text))
			fail_msg("accepted %s", cases[i].text);
		assert_int_equal(c->d.errors, 1);
		assert_says(c, cases[i].says);
	}
}

/* Double data rate: the vendor's bandwidth follows from clock and bus. */
static void
check_bandwidth(const struct device *dev)
{
	double gbps =
		(double)dev->memory_clock_mhz * 2 * (double)dev->memory_bus_bits / 8000;

	if (gbps > 0 && (gbps < dev->memory_bandwidth_gbps * 0.98 ||
				gbps > dev->memory_bandwidth_gbps * 1.03))
		fail_msg("%.*s: %g GB/s, but clock and bus give %g", STR_ARG(dev->name),
			dev->memory_bandwidth_gbps, gbps);
}

static void
shipped(void **state)
{
	struct captured *c = *state;
	size_t n = 0;

	for (size_t i = 0; i < n_assets; i++) {
		struct str path = str_of(assets[i].path);
		struct device *dev;
		if (!str_starts(path, "devices/"))
			continue;
		dev = device_find(
			&c->a, str_c(&c->a, str_sub(path, 8, path.n - 5)), &c->d);
		if (!dev)
			fail_msg("%s: %s", assets[i].path, captured_take(c));
		assert_true(dev->described && !dev->uuid.n);
		check_bandwidth(dev);
		n++;
	}
	assert_true(n >= 5);
	assert_null(device_find(&c->a, "h20", &c->d));
	assert_says(c, "shipped are a100, ");
	assert_null(device_find(&c->a, "./h20.json", &c->d));
	assert_says(c, "h20.json");
}

static void
names_in_expressions(void **state)
{
	struct captured *c = *state;
	struct device *dev = read_text(c, MINIMAL "}");
	struct value v;

	assert_true(device_value(dev, STR_LIT("device.max_shared"), &v) && v.i == 232448);
	assert_true(device_value(dev, STR_LIT("max_threads"), &v) && v.i == 1024);
	assert_true(device_value(dev, STR_LIT("cc"), &v) && v.i == 90);
	assert_true(device_value(dev, STR_LIT("sm_count"), &v) && v.i == 132);
	assert_true(device_value(dev, STR_LIT("name"), &v) && v.kind == VALUE_STRING);
	assert_true(
		device_value(dev, STR_LIT("memory_bandwidth_gbps"), &v) && v.f == 4800);
	assert_false(device_value(dev, STR_LIT("uuid"), &v));
	assert_false(device_value(dev, STR_LIT("device."), &v));
}

static void
limits_of_cc(void **state)
{
	struct captured *c = *state;
	struct device dev;

	assert_true(device_of_cc(&c->a, 8, 9, &dev));
	assert_int_equal(dev.max_blocks_per_sm, 24);
	assert_int_equal(dev.max_cluster_blocks, 1);
	assert_false(device_of_cc(&c->a, 9, 1, &dev));
	assert_false(device_of_cc(&c->a, 7, 20, &dev));
	assert_false(device_of_cc(&c->a, 0, 0, &dev));
}

/* A number in a shipped description without a source is a number nobody can check. */
static void
shipped_numbers_have_sources(void **state)
{
	struct captured *c = *state;
	size_t n = 0;

	for (size_t i = 0; i < n_assets; i++) {
		struct source src = {
			assets[i].path, {(const char *)assets[i].data, assets[i].n}};
		const struct json *v;
		if (!str_starts(str_of(assets[i].path), "devices/"))
			continue;
		v = json_parse(&c->a, &src, &c->d);
		assert_non_null(v);
		n++;
		json_each(m, v) if (m->kind == JSON_NUMBER || m->kind == JSON_ARRAY)
			assert_true(
				json_get_str(json_get(v, "sources"), str_c(&c->a, m->key))
					.n > 0);
	}
	assert_int_equal(n, 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(minimal_description),
		captured_test(written_and_read_back),
		captured_test(of_a_backend),
		captured_test(limits_alone),
		captured_test(another_backend),
		captured_test(unknown_cc),
		captured_test(mistakes),
		captured_test(shipped),
		captured_test(names_in_expressions),
		captured_test(limits_of_cc),
		captured_test(shipped_numbers_have_sources),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
