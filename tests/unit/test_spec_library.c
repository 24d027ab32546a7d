/* Constants and library references of a spec. */
#include "spec_text.h"

#include "model/candidate.h"

#define LAUNCH "\"launch\": {\"block\": [32]}, \"sizes\": {\"s\": {\"n\": 8}},"
#define ARGS \
	"\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": \"n * n\"}," \
	" {\"name\": \"c\", \"type\": \"f32*\", \"count\": \"n * n\", \"output\": " \
	"true}," \
	" {\"name\": \"n\", \"type\": \"i32\", \"value\": \"n\"}],"
#define CONSTANT(X)  LAUNCH "\"constants\": {\"taps\": " X "}"
#define REFERENCE(X) LAUNCH ARGS "\"reference\": {" X "}"
#define GEMM(X) \
	REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": \"n\", \"n\": \"2 * n\", " \
		  "\"k\": 3, \"a\": \"a\", \"b\": \"a\", \"c\": \"c\"" X "}")

static void
constants_are_read(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c, LAUNCH
		"\"constants\": {\"taps\": {\"type\": \"f32\", \"values\": [0.25, -1]},"
		" \"n\": {\"values\": [7], \"type\": \"u8\"}}");
	assert_string_equal(constants_text(&c->a, k->constants, k->n_constants).s,
		"taps=f32[2]:0.25;-1,n=u8[1]:7");
}

static const char *
library_of(struct captured *c, const struct kernel *k)
{
	struct scope s = {k, NULL, &k->sizes[0], NULL};
	struct str text;
	return candidate_library(&c->a, &s, &text, &c->d) ? str_c(&c->a, text) : NULL;
}

static void
references_are_read(void **state)
{
	struct captured *c = *state;
	assert_string_equal(library_of(c, spec_of(c, GEMM(""))),
		"cublas:gemm,m=8,n=16,k=3,a=a,b=a,c=c");
	assert_string_equal(library_of(c, spec_of(c, GEMM(", \"transpose_b\": true, "
							  "\"beta\": 0.5"))),
		"cublas:gemm,m=8,n=16,k=3,a=a,b=a,c=c,tb=1,beta=0.5");
	assert_string_equal(
		library_of(c, spec_of(c, REFERENCE("\"library\": \"lib/x.so\""))),
		"lib/x.so:lanewise_reference");
	assert_string_equal(library_of(c, spec_of(c, REFERENCE("\"library\": \"x.so\", "
							       "\"function\": \"f\""))),
		"x.so:f");
	assert_string_equal(library_of(c, spec_of(c, "\"launch\": {\"block\": 1}")), "");
}

static void
sizes_of_products_are_checked(void **state)
{
	struct captured *c = *state;
	const struct kernel *k = spec_of(c,
		REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": \"n - 8\", \"n\": "
			  "\"n\", \"k\": \"n\", \"a\": \"a\", \"b\": \"a\", \"c\": "
			  "\"c\"}"));
	assert_null(library_of(c, k));
	assert_says(c, "gemm.m 'n - 8' is 0 at size s: it must be a whole number");
	k = spec_of(c,
		REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": \"n\", \"n\": "
			  "3000000000, \"k\": \"n\", \"a\": \"a\", \"b\": \"a\", \"c\": "
			  "\"c\"}"));
	assert_null(library_of(c, k));
	assert_says(c, "gemm.n '3000000000' is more than a BLAS counts");
}

static void
mistakes_are_told(void **state)
{
	static const struct {
		const char *members, *says;
	} bad[] = {
		{CONSTANT("{\"type\": \"f32\"}"), "'values' is missing"},
		{CONSTANT("{\"values\": [1]}"), "'type' is missing"},
		{CONSTANT("{\"type\": \"f33\", \"values\": [1]}"), "unknown type 'f33'"},
		{CONSTANT("{\"type\": \"f32*\", \"values\": [1]}"), "without '*'"},
		{CONSTANT("{\"type\": \"f32\", \"values\": []}"), "1 to 4096 values"},
		{CONSTANT("{\"type\": \"f32\", \"values\": [\"x\"]}"), "x is no f32"},
		{CONSTANT("{\"type\": \"u8\", \"values\": [256]}"), "256 is no u8"},
		{CONSTANT("{\"type\": \"i32\", \"values\": [0.5]}"), "0.5 is no i32"},
		{CONSTANT("{\"type\": \"f32\", \"value\": [1]}"),
			"unknown key 'value' (did you mean 'values'?)"},
		{REFERENCE("\"library\": \"cublas\""), "which product it is: 'gemm'"},
		{REFERENCE("\"library\": \"cublas\", \"function\": \"f\""),
			"told what to do by 'gemm'"},
		{REFERENCE("\"library\": \"x.c\""),
			"'cublas', 'openblas' or a shared object, x.so"},
		{REFERENCE("\"library\": \"../x.so\""), "a path out of the project"},
		{REFERENCE("\"library\": \"x.so\", \"gemm\": {}"),
			"'gemm' is for the libraries 'cublas' and 'openblas'"},
		{REFERENCE("\"function\": \"f\""), "'library' is missing"},
		{REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": 1}"),
			"'n' is missing: columns of c"},
		{GEMM(", \"transpose\": true"), "(did you mean 'transpose_"},
		{REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": \"q\", \"n\": 1, "
			   "\"k\": 1, \"a\": \"n\", \"b\": \"a\", \"c\": \"d\"}"),
			"unknown name 'q'"},
		{REFERENCE("\"library\": \"cublas\", \"gemm\": {\"m\": 1, \"n\": 1, "
			   "\"k\": 1, \"a\": \"n\", \"b\": \"a\", \"c\": \"c\"}"),
			"'n' is no buffer among the arguments"},
		{"\"params\": {\"T\": {\"values\": [1, 2]}}," REFERENCE(
			 "\"library\": \"cublas\", \"gemm\": {\"m\": \"T\", \"n\": 1, "
			 "\"k\": 1, \"a\": \"a\", \"b\": \"a\", \"c\": \"c\"}"),
			"it depends on sizes, not on 'T'"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct str text = str_fmt(&c->a,
			"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": "
			"{\"source\": \"k.cu\", %s}}}",
			bad[i].members);
		assert_null(spec_parse(&c->a, captured_source(c, text.s), &c->d));
		assert_says(c, bad[i].says);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(constants_are_read),
		captured_test(references_are_read),
		captured_test(sizes_of_products_are_checked),
		captured_test(mistakes_are_told),
	};
	return cmocka_run_group_tests_name("spec_library", tests, NULL, NULL);
}
