#include "npy_text.h"
#include "scratch.h"

#include "base/hash.h"
#include "graph/devices.h"
#include "graph/manifest.h"
#include "model/device.h"

/* What the graph does with data: which edge waits for which file and is told what. */

static const char kernel_ptx[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 a, .param .u64 o) { ret; }\n";

static struct str
graph_of(struct scratch *s, const char *members, const char *backend)
{
	static const struct device dev = {.cc_major = 9}, *devices[] = {&dev};
	struct diag d = {.to = stderr};
	struct str text = str_fmt(&s->a,
		"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": {\"source\": "
		"\"k.ptx\", \"launch\": {\"block\": 32}, %s}}}",
		members);
	fs_write("k.ptx", str_of(kernel_ptx), NULL);
	fs_write("lanewise.json", text, NULL);
	struct plan *p = arena_new(&s->a, struct plan);
	p->spec = spec_read(&s->a, "lanewise.json", &d);
	p->device = &dev;
	p->devices = devices;
	p->n_devices = 1;
	p->backend = backend;
	p->compiler = STR_LIT("cc");
	if (!p->spec || !plan_open(&s->a, p, &d) || !plan_fill(&s->a, p, false, &d))
		exit(2);
	devices_shard(&s->a, p);
	return manifest_kernel_text(&s->a, p, &p->kernels[0]);
}

/* The edge with this rule, up to the next one; "" if there is none. */
static const char *
edge(struct scratch *s, struct str graph, const char *rule)
{
	struct str what = str_fmt(&s->a, ": %s ", rule), line;
	struct buf b = {.a = &s->a};
	bool in = false;
	while (str_line(&graph, &line)) {
		if (!str_starts(line, " "))
			in = str_starts(line, "build ") && str_has(line, what);
		if (in) {
			buf_addstr(&b, line);
			buf_addc(&b, '\n');
		}
	}
	return buf_c(&b);
}

#define ARGS \
	"\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": \"n\", " \
	"\"file\": \"in {n}.npy\"}, {\"name\": \"o\", \"type\": \"f32*\", \"count\": " \
	"\"n\", " \
	"\"output\": true, \"tolerance\": {\"ulp\": 3}}]"
#define SIZES "\"sizes\": {\"s\": {\"n\": 4}, \"m\": {\"n\": 2}}"

static const char *
write_data(struct scratch *s)
{
	float data[4] = {1, 2, 3, 4};
	struct str four = npy_row(&s->a, "<f4", 4, data, 16);
	fs_write("in 4.npy", four, NULL);
	fs_write("in 2.npy", npy_row(&s->a, "<f4", 2, data, 8), NULL);
	fs_write("out_s.npy", four, NULL);
	fs_write("out_m.npy", npy_row(&s->a, "<f4", 2, data + 2, 8), NULL);
	return hash_short(&s->a, four, 16);
}

static void
files_are_inputs_of_their_edges(void **state)
{
	struct scratch *s = *state;
	const char *hash = write_data(s);
	fs_write("o.c", STR_LIT("int x;\n"), NULL);
	struct str graph = graph_of(
		s, ARGS ", " SIZES ", \"verify\": {\"oracle\": \"o.c\"}", "cuda");
	const char *bench = edge(s, graph, "bench"),
		   *reference = edge(s, graph, "reference");
	const char *told = str_fmt(
		&s->a, "a=f32*[4]:file:%s:.lanewise/in/in%%204.npy,o=f32*[4]:out", hash)
				   .s;
	assert_contains(bench, ".lanewise/in/in$ 4.npy");
	assert_contains(bench, ".lanewise/in/in$ 2.npy");
	assert_contains(bench, told);
	assert_contains(bench, ":out~0~0~3");
	assert_contains(bench, "--reference-by oracle");
	assert_contains(reference, ".lanewise/in/in$ 4.npy");
	assert_contains(reference, told);
	/* A tolerance is no matter of the reference, nor contents one of the gate. */
	assert_null(strstr(reference, "~"));
	assert_contains(edge(s, graph, "gate"), "|a=f32*[4]:file,o=f32*[4]:out");
}

static void
npy_files_are_a_reference(void **state)
{
	struct scratch *s = *state;
	write_data(s);
	struct str graph = graph_of(s,
		ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"out_{size}.npy\"}}",
		"cuda");
	const char *expected = edge(s, graph, "expected");
	assert_contains(expected, "expected .lanewise/in/out_s.npy");
	assert_contains(expected, "words = --npy .lanewise/in/out_m.npy");
	assert_contains(edge(s, graph, "bench"), "--reference-by npy");
	assert_string_equal(edge(s, graph, "reference"), "");
	/* Other expected values are another reference. */
	fs_write("out_s.npy", fs_read(&s->a, "in 4.npy"), NULL);
	struct str again = graph_of(s,
		ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"out_{size}.npy\"}}",
		"cuda");
	assert_string_equal(edge(s, again, "expected"), expected);
	float other[4] = {0};
	fs_write("out_s.npy", npy_row(&s->a, "<f4", 4, other, 16), NULL);
	again = graph_of(s,
		ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"out_{size}.npy\"}}",
		"cuda");
	assert_string_not_equal(edge(s, again, "expected"), expected);
}

/* Without a device nothing is measured: files are looked at and not built with. */
static void
estimates_want_no_data(void **state)
{
	struct scratch *s = *state;
	write_data(s);
	struct str graph = graph_of(s,
		ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"out_{size}.npy\"}}",
		"model");
	assert_string_equal(edge(s, graph, "expected"), "");
	assert_false(str_has(graph, STR_LIT("in/in")));
}

struct attempt {
	struct scratch *s;
	const char *members;
};

static void
try_it(void *arg)
{
	struct attempt *t = arg;
	graph_of(t->s, t->members, "model");
}

static void
files_that_do_not_fit_are_told(void **state)
{
	struct scratch *s = *state;
	static const struct {
		const char *members, *says;
	} cases[] = {
		{ARGS ", \"sizes\": {\"l\": {\"n\": 3}}",
			"cannot read 'in 3.npy': No such"},
		{"\"args\": [{\"name\": \"a\", \"type\": \"f32*\", \"count\": 3, "
		 "\"file\": "
		 "\"in 4.npy\"}]",
			"lanewise.json:1:153: error: argument 'a', size default: 'in "
			"4.npy' "
			"has 4 elements, not 3"},
		{"\"args\": [{\"name\": \"a\", \"type\": \"f16*\", \"count\": 4, "
		 "\"file\": "
		 "\"in 4.npy\"}]",
			"holds '<f4', which is no f16: save it as '<f2'"},
		{"\"args\": [{\"name\": \"a\", \"type\": \"f16*\", \"count\": 4, "
		 "\"file\": "
		 "\"k.ptx\"}]",
			"bytes, and 4 elements of f16 are 8"},
		{ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"out_s.npy\"}}",
			"argument 'o', size m: 'out_s.npy' has 4 elements, not 2"},
		{ARGS ", " SIZES ", \"verify\": {\"npy\": {\"o\": \"k.ptx\"}}",
			"'k.ptx' is no .npy file"},
	};
	write_data(s);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct attempt t = {s, cases[i].members};
		struct ended e = scratch_run(s, try_it, &t);
		assert_int_equal(e.status, 2);
		assert_contains(e.err, cases[i].says);
	}
}

/* Staged, and known by its hash; only where something is measured. */
static void
a_shared_object_is_a_leaf(void **state)
{
	struct scratch *s = *state;
	const char *members =
		"\"args\": [{\"name\": \"o\", \"type\": \"f32*\", \"count\": \"n\", "
		"\"output\": true}], \"sizes\": {\"s\": {\"n\": 4}}, "
		"\"reference\": {\"library\": \"x.so\"}";
	struct str bytes = STR_LIT("ELF");
	fs_write("x.so", bytes, NULL);
	struct str graph = graph_of(s, members, "cuda");
	assert_contains(edge(s, graph, "shortlist"),
		"--library .lanewise/in/x.so:lanewise_reference --library-hash ");
	assert_contains(edge(s, graph, "shortlist"), hash_short(&s->a, bytes, HASH_HEX));
	assert_contains(edge(s, graph, "final"), ".lanewise/in/x.so");
	assert_null(strstr(graph_of(s, members, "model").s, "x.so"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(files_are_inputs_of_their_edges),
		scratch_test(npy_files_are_a_reference),
		scratch_test(estimates_want_no_data),
		scratch_test(files_that_do_not_fit_are_told),
		scratch_test(a_shared_object_is_a_leaf),
	};
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
