#include "captured.h"

#include "base/fs.h"
#include "model/device.h"
#include "model/spec.h"

/* The worked example of docs/reference/spec.md, with a member or two replaced. */
#define HEAD   "{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"reduce\": {\n"
#define SOURCE "\"source\": \"reduce.cu\",\n"
#define PARAMS \
	"\"params\": {\"BLOCK\": {\"values\": [32, 64, 128], \"role\": \"launch\"}," \
	" \"TILE\": {\"values\": [128, 256]}},\n"
#define LAUNCH \
	"\"launch\": {\"block\": [\"BLOCK\"], \"grid\": [\"ceil_div(n, TILE)\"]},\n"
#define SIZES        "\"sizes\": {\"1M\": {\"n\": 1048576}, \"64M\": {\"n\": 67108864}}\n"
#define TAIL         "}}}"
#define KERNEL(more) HEAD SOURCE PARAMS LAUNCH more SIZES TAIL

#define ARG(type, more) \
	"\"args\": [{\"name\": \"a\", \"type\": \"" type "\", \"count\": 1, " more "}],"

static struct spec *
parse(struct captured *c, const char *text)
{
	return spec_parse(&c->a, captured_source(c, text), &c->d);
}

static const char worked_example[] =
	HEAD "\"source\": \"./reduce.cu\", \"language\": \"cuda\", \"entry\": \"reduce\","
	     "\"params\": {"
	     "  \"BLOCK\": { \"values\": [32, 64, 128, 256], \"role\": \"launch\" },"
	     "  \"TILE\": { \"values\": [128, 256, 512] },"
	     "  \"VARIANT\": { \"values\": [\"tree\", \"shuffle\"], \"source\": "
	     "\"reduce_{VARIANT}.cu\" }"
	     "},"
	     "\"constraints\": [\"TILE % BLOCK == 0\"],"
	     "\"launch\": { \"block\": [\"BLOCK\"], \"grid\": [\"ceil_div(n, TILE)\", "
	     "2], \"shared\": \"TILE * 4\" },"
	     "\"sizes\": { \"1M\": { \"n\": 1048576 }, \"64M\": { \"n\": 67108864 } },"
	     "\"args\": ["
	     "  { \"name\": \"in\",  \"type\": \"f32*\", \"count\": \"n\", \"fill\": "
	     "\"iota\" },"
	     "  { \"name\": \"out\", \"type\": \"f32*\", \"count\": \"ceil_div(n, "
	     "TILE)\", \"output\": true },"
	     "  { \"name\": \"acc\", \"type\": \"i64*\", \"count\": 1, \"inout\": true, "
	     "\"fill\": \"zeros\" },"
	     "  { \"name\": \"n\",   \"type\": \"i32\",  \"value\": \"n\" },"
	     "  { \"name\": \"m\",   \"type\": \"bf16\" }"
	     "],"
	     "\"baseline\": { \"TILE\": 128, \"BLOCK\": 128, \"VARIANT\": \"tree\" },"
	     "\"verify\": { \"oracle\": \"reduce_ref.c\", \"tolerance\": { \"abs\": 0.5, "
	     "\"rel\": 1e-3, \"ulp\": 4 } },"
	     "\"work\": { \"bytes\": \"4 * n\", \"flops\": \"n\" },"
	     "\"include\": [\"inc/../inc2\"], \"flags\": [\"-O3\", \"-DX=1\"],"
	     "\"exit_policy\": \"release\", \"site_policy\": \"lenient\", "
	     "\"admit\": \"clean\", \"timeout\": 2.5, "
	     "\"seed\": 7"
	     "}}, \"device\": \"h200\", \"apply\": {\"header\": \"gen/t.h\", \"json\": "
	     "\"gen/t.json\"}}";

static void
check_params(const struct kernel *k)
{
	assert_int_equal(k->n_params, 3);
	assert_int_equal(k->params[0].role, ROLE_LAUNCH);
	assert_int_equal(k->params[1].role, ROLE_COMPILE);
	assert_int_equal(k->params[2].role, ROLE_SOURCE);
	assert_true(str_is(k->params[2].source.s, "reduce_{VARIANT}.cu"));
	assert_int_equal(k->params[1].n_values, 3);
	assert_int_equal(k->params[1].values[2].i, 512);
	assert_int_equal(kernel_param(k, STR_LIT("VARIANT")), 2);
	assert_int_equal(kernel_param(k, STR_LIT("NONE")), -1);
	assert_true(str_is(k->baseline[0].name, "BLOCK"));
	assert_int_equal(k->baseline[0].value.i, 128);
	assert_true(str_is(k->baseline[2].value.s, "tree"));
}

static void
check_args(const struct kernel *k)
{
	assert_int_equal(k->n_args, 5);
	assert_true(k->args[0].pointer && k->args[0].input && !k->args[0].output);
	assert_int_equal(k->args[0].fill, FILL_IOTA);
	assert_true(k->args[1].output && !k->args[1].input);
	assert_true(k->args[2].output && k->args[2].input);
	assert_int_equal(k->args[2].fill, FILL_ZEROS);
	assert_int_equal(k->args[2].type, DTYPE_I64);
	assert_false(k->args[3].pointer);
	assert_true(str_is(expr_text(k->args[3].value), "n"));
	assert_null(k->args[4].value);
}

static void
reads_the_worked_example(void **state)
{
	struct captured *c = *state;
	struct spec *s = parse(c, worked_example);
	if (!s)
		fail_msg("%s", captured_take(c));
	assert_true(str_is(s->device.s, "h200"));
	assert_true(str_is(s->apply_header.s, "gen/t.h"));
	assert_true(str_is(s->apply_json.s, "gen/t.json"));
	assert_int_equal(s->n_kernels, 1);
	const struct kernel *k = spec_kernel(s, STR_LIT("reduce"));
	assert_ptr_equal(k, &s->kernels[0]);
	assert_null(spec_kernel(s, STR_LIT("none")));
	assert_true(str_is(k->source.s, "reduce.cu"));
	assert_true(str_is(k->language.s, "cuda"));
	check_params(k);
	check_args(k);
	assert_int_equal(k->n_constraints, 1);
	assert_non_null(k->grid[1]);
	assert_null(k->grid[2]);
	assert_null(k->cluster[0]);
	assert_int_equal(k->n_sizes, 2);
	assert_int_equal(k->sizes[1].values[0].i, 67108864);
	assert_true(k->verify.present && !k->verify.against_baseline);
	assert_true(str_is(k->verify.function.s, "lanewise_oracle"));
	assert_true(k->verify.tolerance.abs == 0.5 && k->verify.tolerance.rel == 1e-3 &&
		    k->verify.tolerance.ulp == 4);
	assert_int_equal(k->n_includes, 1);
	assert_int_equal(k->n_flags, 2);
	assert_true(str_is(k->flags[1].s, "-DX=1"));
	assert_true(k->exit_release && k->site_lenient && k->admit == ADMIT_CLEAN);
	assert_true(k->timeout_s == 2.5 && k->seed == 7);
}

static void
defaults_are_set(void **state)
{
	struct captured *c = *state;
	struct spec *s =
		parse(c, HEAD "\"source\": \"a.ptx\", \"launch\": {\"block\": 32}" TAIL);
	assert_non_null(s);
	const struct kernel *k = &s->kernels[0];
	assert_int_equal(k->n_params, 0);
	assert_int_equal(k->n_sizes, 1);
	assert_true(str_is(k->sizes[0].name, "default"));
	assert_true(str_is(k->language.s, "ptx"));
	assert_true(k->timeout_s == 30 && k->seed == 1);
	assert_true(!k->exit_release && !k->site_lenient && k->admit == ADMIT_CAVEAT);
	assert_null(k->baseline);
	assert_false(k->verify.present);
	assert_null(k->shared);
}

static void
ranges_make_values(void **state)
{
	struct captured *c = *state;
	struct spec *s =
		parse(c, HEAD SOURCE "\"params\": {"
				     "\"A\": {\"values\": {\"range\": [2, 11, 4]}},"
				     "\"B\": {\"values\": {\"pow2\": [3, 64]}},"
				     "\"C\": {\"values\": {\"range\": [-1, 1]}},"
				     "\"D\": {\"values\": [0.5, 1.0, 2]},"
				     "\"E\": {\"values\": [false, true]}},"
				     "\"launch\": {\"block\": 32}" TAIL);
	if (!s)
		fail_msg("%s", captured_take(c));
	static const char *const expected[] = {
		"2 6 10 ", "4 8 16 32 64 ", "-1 0 1 ", "0.5 1.0 2 ", "false true "};
	for (size_t i = 0; i < 5; i++) {
		const struct param *p = &s->kernels[0].params[i];
		struct buf b = {.a = &c->a};
		for (size_t j = 0; j < p->n_values; j++)
			buf_addf(&b, "%.*s ", STR_ARG(value_text(&c->a, p->values[j])));
		assert_string_equal(buf_c(&b), expected[i]);
	}
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{"{}", "t.json:1:1: error: 'schema' is missing"},
	{"[]", "the file is an object, not an array"},
	{"{\"schema\": \"lanewise/spec.v2\", \"kernels\": {}}",
		"reads the schema 'lanewise/spec.v1'"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {}}",
		"t.json:1:43: error: no kernel is written"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": []}",
		"'kernels' wants an object, not an array"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": 1}}",
		"a kernel is an object, not a number"},
	{KERNEL("\"tyle\": 3,"), "unknown key 'tyle'"},
	{KERNEL("\"contraints\": [],"), "t.json:5:1: error: unknown key 'contraints' "
					"(did you mean 'constraints'?)"},
	{KERNEL("\"block\": 32,"), "'block' is a key of launch, not of a kernel"},
	{KERNEL("\"entry\": 3,"),
		"t.json:5:10: error: 'entry' wants a string, not a number"},
	{KERNEL("\"admit\": \"clen\","), "'admit' is 'caveat' or 'clean', not 'clen'"},
	{KERNEL("\"exit_policy\": \"lax\","), "'exit_policy' is 'strict' or 'release'"},
	{KERNEL("\"site_policy\": \"lax\","), "'site_policy' is 'strict' or 'lenient'"},
	{KERNEL("\"timeout\": 0,"), "'timeout' is between"},
	{KERNEL("\"seed\": -1,"), "'seed' is a whole number"},
	{KERNEL("\"seed\": 1.5,"), "'seed' is a whole number"},
	{KERNEL("\"include\": [\"/usr/include\"],"), "an absolute path"},
	{KERNEL("\"include\": [\"../x\"],"), "a path out of the project"},
	{KERNEL("\"flags\": [\"-I x\"],"), "one word, without spaces"},
	{KERNEL("\"flags\": [1],"), "list of strings"},
	{KERNEL("\"toolchain\": \"nvcc\", \"command\": \"x\","),
		"run by the toolchain 'command'"},
	{KERNEL("\"toolchain\": \"command\","), "needs a 'command'"},
	/* parameters */
	{HEAD SOURCE "\"params\": {\"2A\": {\"values\": [1]}}," LAUNCH SIZES TAIL,
		"'2A' is no name for a parameter"},
	{HEAD SOURCE "\"params\": {\"in\": {\"values\": [1]}}," LAUNCH SIZES TAIL,
		"a word of the expression language"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": []}}," LAUNCH SIZES TAIL,
		"'A' has no values"},
	{HEAD SOURCE "\"params\": {\"A\": {}}," LAUNCH SIZES TAIL, "'values' is missing"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1, 2, 1]}}," LAUNCH SIZES TAIL,
		"t.json:3:35: error: 'A' has the value 1 twice"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1, 1.0]}}," LAUNCH SIZES TAIL,
		"'A' has the value 1 twice"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1, \"x\"]}}," LAUNCH SIZES TAIL,
		"mix numbers and strings"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1, null]}}," LAUNCH SIZES TAIL,
		"not null"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [\"a b\"]}}," LAUNCH SIZES TAIL,
		"cannot be a define"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [9007199254740994]}}," LAUNCH SIZES
			TAIL,
		"not exact in JSON"},
	{HEAD SOURCE
		"\"params\": {\"A\": {\"values\": {\"range\": [1, 5000]}}}," LAUNCH SIZES
			TAIL,
		"more than 4096 values"},
	{HEAD SOURCE
		"\"params\": {\"A\": {\"values\": {\"range\": [3, 1]}}}," LAUNCH SIZES
			TAIL,
		"the range is empty"},
	{HEAD SOURCE
		"\"params\": {\"A\": {\"values\": {\"range\": [1, 2, 0]}}}," LAUNCH SIZES
			TAIL,
		"at least 1"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": {\"pow2\": [5, 7]}}}," LAUNCH SIZES
			TAIL,
		"no power of two"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": {}}}," LAUNCH SIZES TAIL,
		"either 'range' or 'pow2'"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1], \"role\": \"lunch\"}}," LAUNCH
			SIZES TAIL,
		"'role' is 'compile' or 'launch'"},
	{HEAD SOURCE
		"\"params\": {\"A\": {\"values\": [1], \"source\": \"x.cu\"}}," LAUNCH
			SIZES TAIL,
		"does not mention {A}"},
	{HEAD SOURCE
		"\"params\": {\"A\": {\"values\": [1], \"source\": \"{B}.cu\"}}," LAUNCH
			SIZES TAIL,
		"'{B}' is no parameter"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1], \"source\": \"}{A\"}}," LAUNCH
			SIZES TAIL,
		"is no parameter"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [\"../x\"], \"source\": "
		     "\"{A}.cu\"}}," LAUNCH SIZES TAIL,
		"may hold no '/'"},
	{HEAD SOURCE "\"params\": {\"A\": {\"values\": [1], \"source\": \"{A}.cu\", "
		     "\"role\": \"launch\"}}," LAUNCH SIZES TAIL,
		"has no other role"},
	/* source, launch, sizes */
	{HEAD "\"launch\": {\"block\": 1}" TAIL, "'source' is missing"},
	{HEAD "\"source\": \"a.xyz\", \"launch\": {\"block\": 1}" TAIL,
		"write 'language'"},
	{HEAD "\"source\": \"../a.cu\", \"launch\": {\"block\": 1}" TAIL,
		"a path out of the project"},
	{HEAD SOURCE "\"launch\": {}" TAIL, "'block' is missing"},
	{HEAD SOURCE PARAMS SIZES TAIL, "'launch' is missing"},
	{HEAD SOURCE "\"launch\": {\"block\": [1, 1, 1, 1]}" TAIL, "1 to 3 sizes"},
	{HEAD SOURCE "\"launch\": {\"block\": [null]}" TAIL,
		"a string or an integer, not null"},
	{HEAD SOURCE "\"launch\": {\"block\": [\"BLOK\"]}" TAIL,
		"t.json:3:23: error: unknown name 'BLOK'"},
	{HEAD SOURCE PARAMS "\"launch\": {\"block\": [\"1 + BLOK\"]}" TAIL,
		"t.json:4:27: error: unknown name 'BLOK' (did you mean 'BLOCK'?)"},
	{HEAD SOURCE "\"launch\": {\"block\": 1, \"shared\": \"device.max_share\"}" TAIL,
		"(did you mean 'device.max_shared'?)"},
	{KERNEL("\"constraints\": [\"TILE = 3\"],"),
		"t.json:5:23: error: unexpected '=': use '=='"},
	{KERNEL("\"constraints\": [\"m > 3\"],"), "unknown name 'm'"},
	{KERNEL("\"constraints\": [true],"), "a string or an integer, not true or false"},
	{HEAD SOURCE LAUNCH PARAMS "\"sizes\": {}" TAIL, "no size is written"},
	{HEAD SOURCE PARAMS LAUNCH "\"sizes\": {\"a/b\": {\"n\": 1}}" TAIL,
		"'a/b' is no name for a size"},
	{HEAD SOURCE PARAMS LAUNCH "\"sizes\": {\"a\": {\"n\": 1}, \"b\": {}}" TAIL,
		"'b' lacks 'n', which 'a' has"},
	{HEAD SOURCE PARAMS LAUNCH "\"sizes\": {\"a\": {\"n\": \"1\"}}" TAIL,
		"'n' is a number, not a string"},
	{HEAD SOURCE PARAMS LAUNCH "\"sizes\": {\"a\": {\"n\": 1, \"TILE\": 1}}" TAIL,
		"'TILE' is a parameter and a size"},
	/* arguments */
	{KERNEL("\"args\": [{\"name\": \"a\"}],"), "'type' is missing"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"fp32*\", \"count\": 1}],"),
		"unknown type 'fp32' (did you mean 'f32'?)"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"float\"}],"),
		"unknown type 'float'; known are f64, f32"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32*\"}],"),
		"'count' is missing"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32\", \"count\": 1}],"),
		"a scalar has no 'count'"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": 1, "
		"\"value\": 1}],"),
		"a buffer has no 'value'"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": 1, "
		"\"output\": true, \"fill\": \"ones\"}],"),
		"write 'inout'"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": 1, "
		"\"fill\": \"one\"}],"),
		"unknown fill 'one' (did you mean 'ones'?)"},
	{KERNEL("\"args\": [{\"name\": \"a b\", \"type\": \"f32\"}],"),
		"'a b' is no identifier"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f32\"}, {\"name\": \"a\", "
		"\"type\": \"f32\"}],"),
		"two arguments are named 'a'"},
	{KERNEL(ARG("i32*", "\"fill\": \"special\"")),
		"the fill 'special' is for floating types: 'a' is i32; write 'uniform'"},
	{KERNEL(ARG("u8*", "\"fill\": \"cancelling\"")), "is for floating types"},
	{KERNEL(ARG("f16*", "\"fill\": \"full\", \"exponents\": [-15, 2]")),
		"the exponents of f16 go from -14 to 15"},
	{KERNEL(ARG("e4m3*", "\"fill\": \"full\", \"exponents\": [0, 9]")),
		"the exponents of e4m3 go from -6 to 8"},
	{KERNEL(ARG("f16*", "\"fill\": \"full\", \"exponents\": [2, 1]")),
		"'exponents' are [from, to]"},
	{KERNEL(ARG("f16*", "\"fill\": \"full\", \"exponents\": [1]")),
		"'exponents' are [from, to]"},
	{KERNEL(ARG("f16*", "\"fill\": \"full\", \"exponents\": [0, 0.5]")),
		"'exponents' are [from, to]"},
	{KERNEL(ARG("f16*", "\"tolerance\": {\"ulp\": 1}")),
		"an input is not compared: 'tolerance' is for outputs"},
	{KERNEL(ARG("f16*", "\"output\": true, \"tolerance\": {\"ulps\": 1}")),
		"unknown key 'ulps' (did you mean 'ulp'?)"},
	{KERNEL(ARG("f16*", "\"output\": true, \"tolerance\": {\"rel\": -1}")),
		"'rel' is between 0"},
	{KERNEL(ARG("f16*", "\"output\": true, \"tolerance\": 1")),
		"'tolerance' wants an object"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f16\", \"tolerance\": {}}],"),
		"a scalar is no output and has no 'tolerance'"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f16\", \"exponents\": "
		"[1, 2]}],"),
		"a scalar has no 'fill'"},
	{KERNEL(ARG("f16*", "\"fill\": \"ones\", \"file\": \"x.npy\"")),
		"the contents are in 'file' already: keep one of the two"},
	{KERNEL(ARG("f16*", "\"fill\": \"file\"")),
		"which file? write \"file\": \"PATH\""},
	{KERNEL(ARG("f16*", "\"file\": \"/x.npy\"")), "an absolute path"},
	{KERNEL(ARG("f16*", "\"file\": \"x_{m}.npy\"")),
		"'{m}' is no parameter, no name of the sizes, and not {size}"},
	{KERNEL(ARG("f16*", "\"file\": \"x_}{n.npy\"")), "is no parameter"},
	{KERNEL(ARG("f16*", "\"output\": true, \"file\": \"x.npy\"")),
		"expected values go into 'npy' of 'verify'"},
	{KERNEL("\"args\": [{\"name\": \"a\", \"type\": \"f16\", \"file\": \"x\"}],"),
		"a scalar has no 'file': write its 'value'"},
	{KERNEL(ARG("f16*", "\"exponents\": [0, 1]")),
		"'exponents' go with \"fill\": \"full\" only"},
	/* verify and baseline */
	{KERNEL(ARG("f16*",
		 "\"output\": true") "\"verify\": {\"npy\": {\"result\": \"x.npy\"}},"),
		"unknown output 'result'; known are a"},
	{KERNEL(ARG("f16*", "\"output\": true") "\"verify\": {\"npy\": {}},"),
		"'npy' has no file for the output 'a'"},
	{KERNEL(ARG("f16*", "\"output\": true") "\"verify\": {\"npy\": {\"a\": 1}},"),
		"'npy' names files, not a number"},
	{KERNEL(ARG("f16*",
		 "\"output\": true") "\"verify\": {\"npy\": {\"a\": \"{x}.npy\"}},"),
		"'{x}' is no parameter"},
	{KERNEL("\"verify\": {\"npy\": {\"a\": \"x.npy\"}, \"oracle\": \"r.c\"},"),
		"keep one of 'oracle', 'against' and 'npy'"},
	{KERNEL("\"verify\": {\"oracle\": \"r.c\", \"reduction\": \"TILE\"},"),
		"it depends on sizes, not on 'TILE'"},
	{KERNEL("\"verify\": {\"oracle\": \"r.c\", \"reduction\": \"m\"},"),
		"unknown name 'm'"},
	{KERNEL("\"verify\": {},"), "'verify' names an 'oracle'"},
	{KERNEL("\"verify\": {\"oracle\": \"r.c\"},"), "nothing to verify"},
	{KERNEL("\"verify\": {\"oracle\": \"r.c\", \"against\": \"baseline\"},"),
		"keep one of 'oracle', 'against' and 'npy'"},
	{KERNEL("\"verify\": {\"against\": \"baseline\"},"),
		"'against' needs a 'baseline'"},
	{KERNEL("\"verify\": {\"oracle\": \"r.c\", \"tolerance\": {\"abs\": -1}},"),
		"'abs' is between"},
	{KERNEL("\"baseline\": {\"BLOCK\": 32},"), "no value for 'TILE'"},
	{KERNEL("\"baseline\": {\"BLOCK\": 33, \"TILE\": 128},"),
		"t.json:5:14: error: 33 is not among the values of 'BLOCK': 32, 64, 128"},
	{KERNEL("\"baseline\": {\"BLOCK\": 32, \"TYLE\": 128},"),
		"unknown parameter 'TYLE' (did you mean 'TILE'?)"},
	{KERNEL("\"constraints\": [\"TILE > 2 * BLOCK\"], \"baseline\": {\"BLOCK\": 64, "
		"\"TILE\": 128},"),
		"breaks 'TILE > 2 * BLOCK'"},
	{KERNEL("\"constraints\": [\"1 // (n - n)\"], \"baseline\": {\"BLOCK\": 64, "
		"\"TILE\": 128},"),
		"division by zero"},
	/* names that become files */
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"a b\": {}}}",
		"'a b' is no name for a kernel"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"..\": {}}}",
		"'..' is no name for a kernel"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"in\": {}}}",
		"cannot be named 'in'"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"cache\": {}}}",
		"cannot be named 'cache'"},
	{"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"events.jsonl\": {}}}",
		"cannot be named 'events.jsonl'"},
};

static void
says_what_is_wrong(void **state)
{
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (parse(c, wrong[i].text))
			fail_msg("accepted: %s", wrong[i].text);
		assert_says(c, wrong[i].says);
	}
}

static void
reports_several_errors(void **state)
{
	struct captured *c = *state;
	assert_null(parse(c,
		HEAD SOURCE PARAMS "\"launch\": {\"block\": [\"BLOK\"], \"grid\": "
				   "[\"ceildiv(n, 2)\"]}, \"entri\": 1," SIZES TAIL));
	assert_int_equal(c->d.errors, 3);
	const char *said = captured_take(c);
	assert_non_null(strstr(said, "unknown name 'BLOK'"));
	assert_non_null(strstr(said, "did you mean 'ceil_div'?"));
	assert_non_null(strstr(said, "did you mean 'entry'?"));
}

static void
limits_are_errors(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	for (int i = 0; i < 65; i++)
		buf_addf(&b, "%s\"P%d\": {\"values\": [1]}", i ? ", " : "", i);
	const char *params = buf_c(&b);
	assert_null(parse(c,
		str_fmt(&c->a, HEAD SOURCE "\"params\": {%s}, " LAUNCH SIZES TAIL, params)
			.s));
	assert_says(c, "65 parameters are too many: at most 64");
	b = (struct buf){.a = &c->a};
	for (int i = 0; i < 33; i++)
		buf_addf(&b, "%s\"S%d\": {\"n\": 1}", i ? ", " : "", i);
	assert_null(
		parse(c, str_fmt(&c->a, HEAD SOURCE PARAMS LAUNCH "\"sizes\": {%s}" TAIL,
				 buf_c(&b))
				 .s));
	assert_says(c, "33 sizes are too many: at most 32");
}

/* Many errors are cut short rather than reported one by one for ever. */
static void
stops_after_many_errors(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	for (int i = 0; i < 20000; i++)
		buf_addf(&b, "\"x%d\": 1,", i);
	assert_null(parse(c, str_fmt(&c->a, HEAD "%s" SOURCE TAIL, buf_c(&b)).s));
	assert_true(c->d.errors < 100);
}

/* device_value() must know every name that the spec offers as a correction. */
static void
offered_device_names_exist(void **state)
{
	struct captured *c = *state;
	static const char *const names[] = {"device.max_share", "device.max_thread",
		"device.sm_coun", "device.c", "device.warp_siz", "device.max_register",
		"device.max_threads_per_s", "device.max_blocks_per_s",
		"device.shared_per_s", "device.registers_per_s", "device.l",
		"device.max_cluster_block"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct device none = {0};
		struct value v;
		assert_null(parse(c,
			str_fmt(&c->a, HEAD SOURCE "\"launch\": {\"block\": \"%s\"}" TAIL,
				names[i])
				.s));
		const char *said = strstr(captured_take(c), "did you mean '");
		assert_non_null(said);
		said += strlen("did you mean '");
		struct str name = {said, str_find(str_of(said), '\'')};
		if (!device_value(&none, name, &v))
			fail_msg("no device value '%.*s'", STR_ARG(name));
	}
}

static struct str
printed_keys(struct captured *c)
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	spec_print_keys(to);
	fclose(to);
	struct str s = {arena_copy(&c->a, text, n), n};
	free(text);
	return s;
}

static void
the_reference_lists_the_keys(void **state)
{
	struct captured *c = *state;
	const char *srcdir = getenv("SRCDIR");
	struct str page = fs_read(
		&c->a, fs_join(&c->a, srcdir ? srcdir : ".", "docs/reference/spec.md"));
	struct str keys = printed_keys(c);
	if (!str_has(page, keys))
		fail_msg("docs/reference/spec.md lacks, word for word:\n%s", keys.s);
}

static void
reads_a_file(void **state)
{
	struct captured *c = *state;
	const char *srcdir = getenv("SRCDIR");
	char *path =
		fs_join(&c->a, srcdir ? srcdir : ".", "examples/sgemm/lanewise.json");
	assert_non_null(spec_read(&c->a, path, &c->d));
	assert_null(spec_read(&c->a, "/nonexistent.json", &c->d));
	assert_says(c, "/nonexistent.json: error: cannot read");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(reads_the_worked_example),
		captured_test(defaults_are_set),
		captured_test(ranges_make_values),
		captured_test(says_what_is_wrong),
		captured_test(reports_several_errors),
		captured_test(limits_are_errors),
		captured_test(stops_after_many_errors),
		captured_test(offered_device_names_exist),
		captured_test(the_reference_lists_the_keys),
		captured_test(reads_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
