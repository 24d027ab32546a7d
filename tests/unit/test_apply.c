#include "finished_run.h"

#include "apply/apply.h"
#include "apply/stale.h"
#include "node/pointlist.h"

static struct ranking *
load(struct scratch *s, const char *path)
{
	struct diag d = {0};
	struct ranking *r = ranking_read(&s->a, json_parse_file(&s->a, path, &d), &d);

	assert_non_null(r);
	return r;
}

static struct ranking *
finished(struct scratch *s, bool estimated)
{
	run_finish(&s->a, &(struct run_opts){.estimated = estimated});
	return load(s, ".lanewise/reduce/rank.json");
}

/* --- the header ------------------------------------------------------------------ */

static void
header_says_what_and_with_what(void **state)
{
	static const char *const parts[] = {
		"#ifndef REDUCE_TUNED_H\n",
		"reduce_tuned.h: the configuration that lanewise chose",
		"device NVIDIA H200 GPU-5a5a, driver 580.95.05",
		"toolchain nvrtc 13.0, assembler ptxas 13.0.88, spec 0123456789abcdef",
		"source reduce.cu 00000000000000aa",
		"1M: BLOCK=32,TILE=512, measured 3783 ns [3771, 3794], outputs verified",
		"#define REDUCE_1M_BLOCK 32\n",
		"#define REDUCE_1M_LAUNCH_BLOCK 32, 1, 1\n",
		"#define REDUCE_64M_LAUNCH_GRID 131072, 1, 1\n",
		"#define REDUCE_64M_LAUNCH_SHARED 128\n",
		"#define REDUCE_TILE 512\n", /* equal at both sizes */
		"enum { REDUCE_CHOICES = 2 };",
		"{\"1M\", 32, 512, {32, 1, 1}, {2048, 1, 1}, {1, 1, 1}, 128, 0},",
	};
	struct scratch *s = *state;
	struct str text = apply_header(&s->a, finished(s, false), "gen/reduce_tuned.h");

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		assert_contains(str_c(&s->a, text), parts[i]);
	assert_null(strstr(str_c(&s->a, text), "ESTIMATED"));
}

static void
an_estimate_says_so(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, true);

	assert_contains(
		str_c(&s->a, apply_header(&s->a, r, "x.h")), "ESTIMATED at 3216 ns");
	assert_contains(str_c(&s->a, apply_json(&s->a, r)), "\"kind\": \"estimated\"");
}

static void
sizes_that_differ(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	const char *text;

	/* The other candidate at the second size. */
	r->sizes[1].v[0].champion = false;
	r->sizes[1].v[1].champion = true;
	text = str_c(&s->a, apply_header(&s->a, r, "x.h"));
	assert_contains(text, "#define REDUCE_BLOCK 32\n");
	assert_contains(text, "/* REDUCE_TILE differs by size */");
	assert_null(strstr(text, "#define REDUCE_TILE "));
}

static int
compiles(const char *compiler, const char *standard, const char *file)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("compiler.log", "w", stderr))
			_exit(126);
		execlp(compiler, compiler, standard, "-Wall", "-Wextra", "-Werror",
			"-pedantic", "-fsyntax-only", file, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void
compiled(struct scratch *s, const char *compiler, const char *standard, const char *file)
{
	int status = compiles(compiler, standard, file);

	if (status == 127)
		print_message("%s is not here\n", compiler);
	else if (status)
		fail_msg(
			"%s %s: %s", compiler, standard, scratch_text(s, "compiler.log"));
}

/* Names from a spec that would break a careless header. */
static void
compiles_as_c_and_cpp(void **state)
{
	static const char use[] =
		"#include \"x.h\"\n#include \"x.h\"\n"
		"int main(void) { return my_kernel_choices[0].block[0] == 32 "
		"&& MY_KERNEL_1M_BLOCK == 32 ? 0 : 1; }\n";
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);

	r->kernel = STR_LIT("my-kernel");
	r->device = STR_LIT("a */ int broken = ; /*");
	r->sizes[1].name = STR_LIT("1M\"\\?\?/ \n*/");
	fs_write("x.h", apply_header(&s->a, r, "*/x.h"), NULL);
	fs_write("use.c", str_of(use), NULL);
	fs_write("use.cpp", str_of(use), NULL);
	compiled(s, "cc", "-std=c99", "use.c");
	compiled(s, "c++", "-std=c++11", "use.cpp");
	compiled(s, "c++", "-std=c++20", "use.cpp");
}

static void
paths(void **state)
{
	struct scratch *s = *state;

	assert_string_equal(apply_path(&s->a, STR_LIT("k"), (struct str){0}, "_tuned.h"),
		"k_tuned.h");
	assert_string_equal(
		apply_path(&s->a, STR_LIT("k"), STR_LIT("a/{kernel}/{kernel}.h"), ""),
		"a/k/k.h");
}

/* --- is it current? -------------------------------------------------------------- */

/* Applied as finished; the pins are edited in points.json, `from` to `to`. */
static int
stale_after(struct scratch *s, const char *from, const char *to, const char **said)
{
	struct buf b = {.a = &s->a};
	struct diag d = {0};
	struct str text;
	struct stale_query q = {
		.kernel = STR_LIT("reduce"), .applied = "reduce_tuned.json"};
	const char *at;
	int status;

	q.now = load(s, ".lanewise/reduce/rank.json");
	fs_write("reduce_tuned.json", apply_json(&s->a, q.now), NULL);
	assert_true(fs_try_read(&s->a, ".lanewise/reduce/points.json", &text));
	at = strstr(text.s, from);
	assert_non_null(at);
	text = str_fmt(
		&s->a, "%.*s%s%s", (int)(at - text.s), text.s, to, at + strlen(from));
	q.pins = pointlist_read(&s->a, "points.json", text, &d)->pins;
	status = stale_check(&s->a, &q, &b, &d);
	*said = buf_c(&b);
	return status;
}

static void
current(void **state)
{
	struct scratch *s = *state;
	const char *said;

	finished(s, false);
	assert_int_equal(stale_after(s, "nvrtc 13.0", "nvrtc 13.0", &said), 0);
	assert_string_equal(said, "");
}

static void
what_makes_it_stale(void **state)
{
	static const char *const cases[][3] = {
		{"nvrtc 13.0", "nvrtc 13.1",
			"  toolchain: applied with nvrtc 13.0, now nvrtc 13.1\n"},
		{"ptxas 13.0.88", "none",
			"  assembler: applied with ptxas 13.0.88, now none\n"},
		{"0123456789abcdef", "0", "  spec of the kernel: applied with"},
		{"00000000000000aa", "bb",
			"  source reduce.cu: applied with 00000000000000aa, now bb"},
		{"\"reduce.cu\": ", "\"other.cu\": ",
			"  source reduce.cu: applied with "
			"00000000000000aa, now no longer used\n"
			"  source other.cu: applied with (none)"},
		{"NVIDIA H200", "NVIDIA H100",
			"  device: applied with NVIDIA H200, now NVIDIA H100"},
		{"580.95.05", "590.1", "  driver: applied with 580.95.05, now 590.1"},
	};
	struct scratch *s = *state;
	const char *said;

	finished(s, false);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(stale_after(s, cases[i][0], cases[i][1], &said), 1);
		assert_contains(said, cases[i][2]);
	}
}

/* What is on disk counts before the graph knows of it. */
static void
an_edited_source(void **state)
{
	struct scratch *s = *state;
	const char *said;

	finished(s, false);
	fs_write("reduce.cu", STR_LIT("edited"), NULL);
	assert_int_equal(stale_after(s, "nvrtc 13.0", "nvrtc 13.0", &said), 1);
	assert_contains(said, "source reduce.cu: applied with 00000000000000aa, now ");
}

/* Another board of the model, and no GPU at all, are told but not counted. */
static void
what_does_not(void **state)
{
	struct scratch *s = *state;
	const char *said;

	finished(s, false);
	assert_int_equal(stale_after(s, "GPU-5a5a", "GPU-7b7b", &said), 0);
	assert_contains(said, "note: board");
	assert_int_equal(stale_after(s, "GPU-5a5a", "", &said), 0);
	assert_int_equal(stale_after(s, "\"cuda\"", "\"model\"", &said), 0);
	assert_contains(said, "note: backend");
}

static void
another_champion(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct buf b = {.a = &s->a};
	struct diag d = {0};
	struct stale_query q = {.kernel = STR_LIT("reduce"),
		.applied = "a.json",
		.pins = r->pins,
		.now = r};

	fs_write("a.json", apply_json(&s->a, r), NULL);
	r->sizes[0].v[0].champion = false;
	r->sizes[0].v[1].champion = true;
	assert_int_equal(stale_check(&s->a, &q, &b, &d), 1);
	assert_string_equal(buf_c(&b),
		"  champion at 1M: applied with BLOCK=32,TILE=512, now "
		"BLOCK=32,TILE=256\n");
	b.n = 0;
	r->sizes[0].kind = RESULT_ESTIMATED;
	assert_int_equal(stale_check(&s->a, &q, &b, &d), 0);
	assert_contains(buf_c(&b), "note: champion at 1M");
}

static void
trouble(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct buf b = {.a = &s->a};
	FILE *nowhere = fopen("/dev/null", "w");
	struct diag d = {.to = nowhere};
	struct stale_query q = {
		.kernel = STR_LIT("reduce"), .applied = "a.json", .pins = r->pins};
	struct str text = apply_json(&s->a, r);

	assert_int_equal(stale_check(&s->a, &q, &b, &d), 2);
	for (size_t n = 0; n + 2 < text.n; n += 7) {
		fs_write("a.json", str_sub(text, 0, n), NULL);
		assert_int_equal(stale_check(&s->a, &q, &b, &d), 2);
	}
	fs_write("a.json", text, NULL);
	assert_int_equal(stale_check(&s->a, &q, &b, &d), 0);
	q.kernel = STR_LIT("scan");
	assert_int_equal(stale_check(&s->a, &q, &b, &d), 2);
	fclose(nowhere);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(header_says_what_and_with_what),
		scratch_test(an_estimate_says_so),
		scratch_test(sizes_that_differ),
		scratch_test(compiles_as_c_and_cpp),
		scratch_test(paths),
		scratch_test(current),
		scratch_test(what_makes_it_stale),
		scratch_test(an_edited_source),
		scratch_test(what_does_not),
		scratch_test(another_champion),
		scratch_test(trouble),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
