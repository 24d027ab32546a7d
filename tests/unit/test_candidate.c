#include "spec_text.h"

#include "base/hash.h"
#include "model/candidate.h"

#include <math.h>

static const char members[] =
	"\"params\": {\"TILE\": {\"values\": [128, 256]},"
	" \"BLOCK\": {\"values\": [32, 64], \"role\": \"launch\"},"
	" \"FAST\": {\"values\": [false, true]},"
	" \"V\": {\"values\": [\"tree\", \"shuffle\"]}},"
	"\"sizes\": {\"s\": {\"n\": 1000, \"x\": 0.5}},"
	"\"launch\": {\"block\": [\"BLOCK\", 2], \"grid\": [\"ceil_div(n, TILE)\"],"
	"  \"cluster\": [\"1 + FAST\"], \"shared\": \"TILE * 4\", \"cooperative\": true},"
	"\"args\": [{\"name\": \"in\", \"type\": \"f32*\", \"count\": \"n * 2\", "
	"\"fill\": \"iota\"},"
	"  {\"name\": \"out\", \"type\": \"f64*\", \"count\": \"n / 2\", \"output\": "
	"true},"
	"  {\"name\": \"n\", \"type\": \"i32\", \"value\": \"-n\"},"
	"  {\"name\": \"x\", \"type\": \"f32\", \"value\": \"x\"},"
	"  {\"name\": \"u\", \"type\": \"u8\"}],"
	"\"work\": {\"bytes\": \"4 * n * x\"}";

static const struct kernel *
sample(struct captured *c)
{
	return spec_of(c, members);
}

static void
names_are_stable(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = sample(c);
	const uint16_t choice[] = {1, 0, 1, 0};
	struct candidate p = {.choice = choice};
	assert_string_equal(
		candidate_label(&c->a, k, &p).s, "TILE=256,BLOCK=32,FAST=true,V=tree");
	assert_string_equal(
		candidate_name(&c->a, k, &p).s, "TILE=256,BLOCK=32,FAST=true,V=tree");
	assert_string_equal(
		specialization_name(&c->a, k, &p).s, "TILE=256,FAST=true,V=tree");
	assert_string_equal(
		specialization_defines(&c->a, k, &p).s, "TILE=256 FAST=1 V=tree");
	assert_string_equal(specialization_source(&c->a, k, &p).s, "k.cu");
	const char *sorted =
		hash_short(&c->a, STR_LIT("BLOCK=32\nFAST=true\nTILE=256\nV=tree\n"), 16);
	assert_string_equal(candidate_id(&c->a, k, &p).s, sorted);
	assert_int_equal(candidate_value(k, &p, 0).i, 256);
}

static void
a_label_that_is_no_file_name_gives_way_to_the_id(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"V\": {\"values\": [\"a/b\", \"c\"]},"
			   "\"B\": {\"values\": [1], \"role\": \"launch\"}}, \"launch\": "
			   "{\"block\": 1}");
	const uint16_t choice[] = {0, 0};
	struct candidate p = {.choice = choice};
	assert_string_equal(candidate_label(&c->a, k, &p).s, "V=a/b,B=1");
	assert_string_equal(candidate_name(&c->a, k, &p).s, candidate_id(&c->a, k, &p).s);
	assert_string_equal(specialization_name(&c->a, k, &p).s,
		hash_short(&c->a, STR_LIT("V=a/b\n"), 16));
}

static void
without_parameters_there_is_a_default(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c, "\"launch\": {\"block\": 1}");
	struct candidate p = {0};
	assert_string_equal(candidate_name(&c->a, k, &p).s, "default");
	assert_string_equal(specialization_name(&c->a, k, &p).s, "default");
	assert_int_equal(specialization_defines(&c->a, k, &p).n, 0);
}

static void
a_template_picks_the_source(void **state)
{
	struct captured *c = *state;
	const struct kernel *k =
		spec_of(c, "\"params\": {\"W\": {\"values\": [4, 8]},"
			   " \"V\": {\"values\": [\"tree\", \"shuffle\"], \"source\": "
			   "\"src/{V}_{W}.cu\"}},"
			   "\"launch\": {\"block\": 1}");
	const uint16_t choice[] = {1, 1};
	struct candidate p = {.choice = choice};
	assert_string_equal(specialization_source(&c->a, k, &p).s, "src/shuffle_8.cu");
	assert_string_equal(specialization_defines(&c->a, k, &p).s, "W=8");
	assert_string_equal(specialization_name(&c->a, k, &p).s, "W=8,V=shuffle");
}

static void
launches_and_arguments_follow(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = sample(c);
	const uint16_t choice[] = {0, 1, 1, 0};
	struct candidate p = {.choice = choice};
	struct scope s = {k, &p, &k->sizes[0], NULL};
	struct launch l;
	assert_true(candidate_launch(&c->a, &s, &l, &c->d));
	assert_string_equal(launch_text(&c->a, &l).s, "64,2,1/8,1,1/2,1,1/512/coop");
	struct arg *v;
	size_t n;
	assert_true(candidate_args(&c->a, &s, &v, &n, &c->d));
	assert_string_equal(args_text(&c->a, v, n).s,
		"in=f32*[2000]:iota,out=f64*[500]:out,n=i32:-"
		"1000,x=f32:0.5,u=u8:unknown");
	double bytes;
	assert_true(candidate_number(&c->a, &s, k->work_bytes, &bytes, &c->d));
	assert_true(bytes == 2000);
	assert_true(candidate_number(&c->a, &s, k->work_flops, &bytes, &c->d));
	assert_true(isnan(bytes));
}

/* Sums that are declared long make `exact` inputs small. */
static void
a_reduction_makes_inputs_small(void **state)
{
	static const struct {
		const char *reduction, *type, *args;
	} cases[] = {
		{"4095", "f32", "x=f16*[8]:exact,y=e4m3*[8]:exact,o=f32*[1]:out"},
		{"n", "f32", "x=f16*[8]:exact:12,y=e4m3*[8]:exact,o=f32*[1]:out"},
		{"4 * n", "e4m3", "x=f16*[8]:exact:6,y=e4m3*[8]:exact:6,o=e4m3*[1]:out"},
		{"n", "f64", "x=f16*[8]:exact,y=e4m3*[8]:exact,o=f64*[1]:out"},
		{"2 ** 26", "i32", "x=f16*[8]:exact:5,y=e4m3*[8]:exact:5,o=i32*[1]:out"},
		{"2 ** 23", "bf16",
			"x=f16*[8]:exact:1,y=e4m3*[8]:exact:1,o=bf16*[1]:out"},
		{"2 ** 24", "bf16", NULL},
		{"n - 100000", "f32", NULL},
	};
	static const char *const says[] = {
		"reduction '2 ** 24' is 16777216 at size s: no sum of so many products "
		"is "
		"exact in 24 bits; leave it out and give a tolerance",
		"reduction 'n - 100000' is 0 at size s: it must be a whole number of at "
		"least 1"};
	struct captured *c = *state;
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct kernel *k = spec_of(c,
			str_fmt(&c->a,
				"\"launch\": {\"block\": 1}, \"sizes\": {\"s\": {\"n\": "
				"100000}}, \"args\": [{\"name\": \"x\", \"type\": "
				"\"f16*\", \"count\": 8}, {\"name\": \"y\", \"type\": "
				"\"e4m3*\", \"count\": 8}, {\"name\": \"o\", \"type\": "
				"\"%s*\", \"count\": 1, \"output\": true}], \"verify\": "
				"{\"oracle\": \"o.c\", \"reduction\": \"%s\"}",
				cases[i].type, cases[i].reduction)
				.s);
		struct scope s = {k, NULL, &k->sizes[0], NULL};
		struct arg *v;
		size_t n;
		bool ok = candidate_args(&c->a, &s, &v, &n, &c->d);
		assert_int_equal(ok, cases[i].args != NULL);
		if (ok)
			assert_string_equal(args_text(&c->a, v, n).s, cases[i].args);
		else
			assert_says(c, says[wrong++]);
	}
	assert_int_equal(wrong, 2);
}

static void
what_cannot_be_launched_is_said(void **state)
{
	static const struct {
		const char *launch, *says;
	} cases[] = {
		{"\"block\": \"B / 3\"",
			"t.json:1:150: error: block size 'B / 3' is 10.66"},
		{"\"block\": \"B - 32\"", "block size 'B - 32' is 0 at B=32, size s: it "
					  "must be a whole number of at least 1"},
		{"\"block\": 1, \"grid\": \"-B\"",
			"grid size '-B' is -32 at B=32, size s"},
		{"\"block\": 1, \"cluster\": 0", "cluster size '0' is 0"},
		{"\"block\": 1, \"shared\": \"-1\"", "shared memory '-1' is -1"},
		{"\"block\": 1, \"shared\": \"n // (B - 32)\"",
			"has no value at B=32, size s: division by zero"},
		{"\"block\": \"device.max_threads\"",
			"unknown name 'device.max_threads': no device is known here"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct kernel *k = spec_of(
			c, str_fmt(&c->a,
				   "\"params\": {\"B\": {\"values\": [32]}}, \"sizes\": "
				   "{\"s\": {\"n\": 1}}, \"launch\": {%s}",
				   cases[i].launch)
				   .s);
		const uint16_t choice[] = {0};
		struct candidate p = {.choice = choice};
		struct scope s = {k, &p, &k->sizes[0], NULL};
		struct launch l;
		assert_false(candidate_launch(&c->a, &s, &l, &c->d));
		assert_says(c, cases[i].says);
	}
}

static void
whole_reals_are_sizes_too(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		"\"launch\": {\"block\": \"0.5 * 64\", \"grid\": \"device.sm_count\"}");
	struct candidate p = {0};
	struct device dev = {.sm_count = 132};
	struct scope s = {k, &p, &k->sizes[0], &dev};
	struct launch l;
	assert_true(candidate_launch(&c->a, &s, &l, &c->d));
	assert_int_equal(l.block.x, 32);
	assert_int_equal(l.grid.x, 132);
}

static void
wrong_arguments_are_said(void **state)
{
	static const struct {
		const char *arg, *says;
	} cases[] = {
		{"\"type\": \"f32*\", \"count\": \"n - 2\"",
			"count 'n - 2' is -1 at size s"},
		{"\"type\": \"f32*\", \"count\": \"n / 3\"",
			"whole number of at least 1"},
		{"\"type\": \"f32*\", \"count\": \"2 ** 50\"", "too many elements"},
		{"\"type\": \"u8\", \"value\": \"256\"",
			"value '256' is 256 at size s, which is no u8"},
		{"\"type\": \"u8\", \"value\": \"-1\"", "which is no u8"},
		{"\"type\": \"i32\", \"value\": \"0.5\"", "which is no i32"},
		{"\"type\": \"i32\", \"value\": \"'x'\"", "which is no i32"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct kernel *k = spec_of(
			c, str_fmt(&c->a,
				   "\"launch\": {\"block\": 1}, \"sizes\": {\"s\": "
				   "{\"n\": 1}}, \"args\": [{\"name\": \"a\", %s}]",
				   cases[i].arg)
				   .s);
		struct scope s = {k, NULL, &k->sizes[0], NULL};
		struct arg *v;
		size_t n;
		assert_false(candidate_args(&c->a, &s, &v, &n, &c->d));
		assert_says(c, cases[i].says);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(names_are_stable),
		captured_test(a_label_that_is_no_file_name_gives_way_to_the_id),
		captured_test(without_parameters_there_is_a_default),
		captured_test(a_template_picks_the_source),
		captured_test(launches_and_arguments_follow),
		captured_test(a_reduction_makes_inputs_small),
		captured_test(what_cannot_be_launched_is_said),
		captured_test(whole_reals_are_sizes_too),
		captured_test(wrong_arguments_are_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
