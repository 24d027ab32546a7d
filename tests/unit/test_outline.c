/* Spaces of other tuners: T1, launchbound's kernel.toml, and Python's lists. */
#include "captured.h"

#include "base/fs.h"
#include "base/sha256.h"
#include "search/outline.h"
#include "search/toml.h"
#include "space/space.h"

static struct str
list_text(struct captured *c, const char *text)
{
	struct buf b = {.a = &c->a};
	struct value *v;
	size_t n;
	const struct source *src = captured_source(c, text);
	if (!pylist_read(&c->a, src->text, (struct place){src, 1, 1}, &v, &n, &c->d))
		return STR_LIT("error");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STR_ARG(value_text(&c->a, v[i])));
	return buf_str(&b);
}

static void
python_lists_are_read(void **state)
{
	static const char *const v[][2] = {
		{"[1, 2]", "1 2"},
		{"[]", ""},
		{" [ 16 ] + list(range(32, 96+1, 32))", "16 32 64 96"},
		{"[2**i for i in range(0, 6)]", "1 2 4 8 16 32"},
		{"[i for i in range(1, 11) if i % 5 == 0]", "5 10"},
		{"[x * 0.5 for x in [1, 3]]", "0.5 1.5"},
		{"(1, 2, 3)", "1 2 3"},
		{"([1] + [2])", "1 2"},
		{"range(3)", "0 1 2"},
		{"list(range(6, 0, -2))", "6 4 2"},
		{"['a', \"b]\", 'c,d']", "a b] c,d"},
		{"[True, False]", "true false"},
		{"[-1, 1.5, 4 // 3]", "-1 1.5 1"},
		{"[max(1, 2), min(3, 4)]", "2 3"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct str got = list_text(c, v[i][0]);
		if (!str_is(got, v[i][1]))
			fail_msg("%s: %.*s\n%s", v[i][0], STR_ARG(got), captured_take(c));
	}
}

static void
nothing_else_is(void **state)
{
	static const char *const v[][2] = {
		{"", "a list is expected"},
		{"7", "no list that is read here"},
		{"[1, 2", "no list that is read here"},
		{"__import__('os').system('true')", "no list that is read here"},
		{"[open('x')]", "t.json:1:2:"},
		{"[x for x in open('x')]", "t.json:1:13:"},
		{"[x for x in [1] for y in [2]]", "a comprehension is"},
		{"[y for x in [1]]", "unknown name 'y'"},
		{"[1 // 0]", "division by zero"},
		{"list(range(0, 10, 0))", "steps of 0"},
		{"range(1, 2, 3, 4)", "1 to 3 numbers"},
		{"range(1.5)", "whole numbers"},
		{"list(range(1000000000))", "more than 4096 values"},
		{"list(list(list(list(list(list(list(list(list(list([1]))))))))))",
			"too deep"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		if (!str_is(list_text(c, v[i][0]), "error"))
			fail_msg("read: %s", v[i][0]);
		assert_says(c, v[i][1]);
	}
}

/* --- files -------------------------------------------------------------------------- */

static struct outline *
outline_of(struct captured *c, const char *name)
{
	const char *root = getenv("SRCDIR");
	struct source *src = arena_new(&c->a, struct source);
	src->name = str_fmt(&c->a, "%s/tests/recorded/%s", root ? root : ".", name).s;
	src->text = fs_read(&c->a, src->name);
	struct outline *o = outline_read(&c->a, src, outline_format_of(src), &c->d);
	if (!o)
		fail_msg("%s", captured_take(c));
	return o;
}

static const struct space *
space_of(struct captured *c, const struct outline *o)
{
	struct source *src = captured_source(c, outline_write(&c->a, o).s);
	const struct spec *spec = spec_parse(&c->a, src, &c->d);
	const struct space *s =
		spec ? space_build(&c->a, &spec->kernels[0], NULL, &c->d) : NULL;
	if (!s)
		fail_msg("%s", captured_take(c));
	return s;
}

/* As many as benchmark_hub's own file of this space has: tests/spaces/counts.tsv. */
static void
a_t1_file_becomes_a_spec(void **state)
{
	struct captured *c = *state;
	const struct space *s = space_of(c, outline_of(c, "hotspot.t1.json"));
	const struct kernel *k = s->kernel;
	struct launch l;
	uint16_t choice[SPEC_PARAMS_MAX];
	assert_int_equal(s->count, 82984);
	assert_true(str_is(k->name, "calculate_temp"));
	assert_int_equal(k->n_args, 3);
	assert_true(k->args[1].output && !k->args[0].output);
	/* block 1x32, tiles of 1 */
	struct candidate first = {choice, space_nth(s, 0, choice)};
	struct scope scope = {k, &first, &k->sizes[0], NULL};
	assert_true(candidate_launch(&c->a, &scope, &l, &c->d));
	assert_int_equal(l.block.y, 32);
	assert_int_equal(l.grid.x, 4096);
	assert_int_equal(l.grid.y, 128);
}

/* Ids that launchbound 1.2.0 printed. */
static void
launchbound_has_its_order_and_ids(void **state)
{
	static const char *const lines[] = {"c1-f5b50bf81efd7621,",
		"c1-3fe30345938b783f,", ",32,128\n", ",256,512\n"};
	struct captured *c = *state;
	const struct outline *o = outline_of(c, "reduce-stable.toml");
	struct str csv = outline_csv(&c->a, o, &c->d);
	assert_true(str_starts(csv, "launchbound_id,id,block_x,tile\n"
				    "c1-f5b50bf81efd7621,"));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_true(str_has(csv, str_of(lines[i])));
	assert_int_equal(space_of(c, o)->count, 11);
}

static void
launchbound_divides_whole_numbers(void **state)
{
	struct captured *c = *state;
	const struct space *s = space_of(c, outline_of(c, "matmul-tiled.toml"));
	const struct kernel *k = s->kernel;
	struct launch l;
	struct arg *v;
	size_t n;
	uint16_t choice[SPEC_PARAMS_MAX];
	assert_int_equal(s->count, 18);
	struct candidate last = {choice, space_nth(s, 17, choice)};
	struct scope scope = {k, &last, &k->sizes[0], NULL};
	assert_true(candidate_launch(&c->a, &scope, &l, &c->d));
	assert_int_equal(l.block.x, 64);
	assert_int_equal(l.grid.x, 16);
	assert_true(candidate_args(&c->a, &scope, &v, &n, &c->d));
	assert_int_equal(n, 4);
	assert_true(
		k->params[0].role == ROLE_LAUNCH && k->params[2].role == ROLE_COMPILE);
}

/* --- TOML --------------------------------------------------------------------------- */

static void
toml_is_read_in_part(void **state)
{
	struct captured *c = *state;
	const struct json *t = toml_parse(&c->a,
		captured_source(c, "a = 1_000 # one\n[t.u]\n\"k y\" = 'x\\n'\nb = [1,\n "
				   "2, # two\n]\n"
				   "[[r]]\nv = true\n[[r]]\nv = -1.5e2\n"),
		&c->d);
	assert_non_null(t);
	assert_int_equal(json_get_i64(t, "a", 0), 1000);
	const struct json *u = json_get(json_get(t, "t"), "u");
	assert_true(str_is(json_get_str(u, "k y"), "x\\n"));
	assert_int_equal(json_get(u, "b")->n, 2);
	const struct json *r = json_get(t, "r");
	assert_int_equal(r->n, 2);
	assert_true(json_get_bool(r->child, "v", false));
	assert_true(json_get_f64(r->child->next, "v", 0) == -150);
}

static void
other_toml_is_an_error_with_a_place(void **state)
{
	static const char *const v[][2] = {
		{"a", "t.json:1:2: error: '=' is expected"},
		{"a.b = 1", "dotted keys"},
		{"a = {b = 1}", "inline tables"},
		{"a = 1\na = 2", "t.json:2:1: error: this key is there twice"},
		{"a = \"x", "does not end"},
		{"a = \"\\u0041\"", "escape"},
		{"a = [1, 2", "',' or ']'"},
		{"a = [1,", "does not end"},
		{"a = [1 2]", "',' or ']'"},
		{"a = 1979-05-27", "is expected here"},
		{"a = 1 b", "nothing else"},
		{"[a", "']' is expected"},
		{"[a]\nb = 1\n[a]", "this table is there twice"},
		{"a = 1\n[a]", "no table"},
		{"a = 1\n[[a]]", "no array of tables"},
		{"= 1", "a key is expected"},
		{"a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "too deep"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		if (toml_parse(&c->a, captured_source(c, v[i][0]), &c->d))
			fail_msg("read: %s", v[i][0]);
		assert_says(c, v[i][1]);
	}
}

static void
mistakes_in_other_specs_have_a_place(void **state)
{
	static const struct {
		const char *name, *text, *says;
	} v[] = {
		{"k.toml", "", "there is no 'kernel'"},
		{"k.toml", "[kernel]\nname = 1", "'name' is a number, not a string"},
		{"k.toml", "[kernel]\nname = \"k\"\n[dims.a]\nvalues = [-1]",
			"k.toml:4:11"},
		{"k.toml", "[kernel]\nname = \"k\"\n[dims.a]\nrole = \"x\"\nvalues = [1]",
			"a role is"},
		{"k.toml",
			"[kernel]\nname = \"k\"\n[dims.a]\nvalues = [1]\n[[bench.args]]\n"
			"kind = \"f16\"",
			"an argument is of kind"},
		{"k.json", "{\"ConfigurationSpace\": 1}",
			"there is no 'KernelSpecification'"},
		{"k.json",
			"{\"KernelSpecification\": {\"KernelName\": \"k\"}, "
			"\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": "
			"\"a\", "
			"\"Values\": \"[1] + x\"}]}}",
			"k.json:1:121: error: this is no list"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct source src = {v[i].name, str_of(v[i].text)};
		if (outline_read(&c->a, &src, outline_format_of(&src), &c->d))
			fail_msg("read: %s", v[i].text);
		assert_says(c, v[i].says);
	}
}

/* FIPS 180-4's examples, and every length around a block. */
static void
sha256_is_right(void **state)
{
	static const char *const v[][2] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"
			"d"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c"
			"1"},
	};
	struct captured *c = *state;
	unsigned char h[SHA256_BYTES];
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct buf b = {.a = &c->a};
		sha256(str_of(v[i][0]), h);
		for (size_t k = 0; k < SHA256_BYTES; k++)
			buf_addf(&b, "%02x", h[k]);
		assert_string_equal(buf_c(&b), v[i][1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(python_lists_are_read),
		captured_test(nothing_else_is),
		captured_test(a_t1_file_becomes_a_spec),
		captured_test(launchbound_has_its_order_and_ids),
		captured_test(launchbound_divides_whole_numbers),
		captured_test(toml_is_read_in_part),
		captured_test(other_toml_is_an_error_with_a_place),
		captured_test(mistakes_in_other_specs_have_a_place),
		captured_test(sha256_is_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
