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

static struct wisdom
applied(struct scratch *s, const struct ranking *r)
{
	struct wisdom w = {.a = &s->a};
	struct buf said = {.a = &s->a};

	apply_ranking(&w, r, STR_LIT("2026-01-31T23:59:59Z"), &said);
	assert_string_equal(buf_c(&said), "");
	return w;
}

static struct str
header(struct scratch *s, const struct ranking *r, const char *file)
{
	struct wisdom w = applied(s, r);

	return apply_header(&s->a, &w, file);
}

static struct str
record(struct scratch *s, const struct ranking *r)
{
	struct wisdom w = applied(s, r);

	return wisdom_write(&s->a, &w);
}

/* --- the header ------------------------------------------------------------------ */

static void
header_says_what_and_with_what(void **state)
{
	static const char *const parts[] = {
		"#ifndef REDUCE_TUNED_H\n",
		"reduce_tuned.h: the configurations that lanewise chose",
		"device NVIDIA H200 GPU-5a5a, driver 580.95.05, toolchain nvrtc 13.0, "
		"assembler ptxas 13.0.88\n",
		"spec 0123456789abcdef",
		"source reduce.cu 00000000000000aa",
		"  64M: BLOCK=32,TILE=512, measured",
		"#define REDUCE_TARGET_MATCH 0\n",
		"1M: BLOCK=32,TILE=512, measured 3783 ns [3782, 3783], outputs verified",
		"#define REDUCE_1M_BLOCK 32\n",
		"#define REDUCE_1M_LAUNCH_BLOCK 32, 1, 1\n",
		"#define REDUCE_64M_LAUNCH_GRID 131072, 1, 1\n",
		"#define REDUCE_64M_LAUNCH_SHARED 128\n",
		"#define REDUCE_TILE 512\n", /* equal at both sizes */
		"enum { REDUCE_CHOICES = 2 };",
		"{\"NVIDIA H200\", 90, \"1M\", {1048576}, 1, \"proven\", 32, 512, "
		"{32, 1, 1}, {2048, 1, 1}, {1, 1, 1}, 128, 0, 0},",
	};
	struct scratch *s = *state;
	struct str text = header(s, finished(s, false), "gen/reduce_tuned.h");

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		assert_contains(str_c(&s->a, text), parts[i]);
	assert_null(strstr(str_c(&s->a, text), "ESTIMATED"));
}

static void
an_estimate_says_so(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, true);

	assert_contains(str_c(&s->a, header(s, r, "x.h")), "ESTIMATED at 3216 ns");
	assert_contains(str_c(&s->a, header(s, r, "x.h")),
		"#define REDUCE_TARGET_MATCH LANEWISE_NOT_MEASURED\n");
	assert_contains(str_c(&s->a, record(s, r)), "\"kind\": \"estimated\"");
	assert_contains(str_c(&s->a, record(s, r)), "\"claim\": \"estimated\"");
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
	text = str_c(&s->a, header(s, r, "x.h"));
	assert_contains(text, "#define REDUCE_BLOCK 32\n");
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

/* As if the pins named another device. */
static void
replace_device(struct scratch *s, struct ranking *r, const char *name)
{
	struct json *pins = arena_new(&s->a, struct json);
	struct json *device = arena_new(&s->a, struct json);
	struct json *member = arena_new(&s->a, struct json);

	*member = *json_get(json_get(r->pins, "device"), "name");
	member->string = str_of(name);
	*device = *json_get(r->pins, "device");
	member->next = device->child->next; /* the name is the first */
	device->child = member;
	*pins = *device;
	pins->key = (struct str){0};
	pins->child = device;
	for (const struct json *m = r->pins->child; m; m = m->next)
		if (!str_is(m->key, "device")) {
			struct json *copy = arena_new(&s->a, struct json);
			*copy = *m;
			copy->next = pins->child;
			pins->child = copy;
		}
	device->next = NULL;
	r->pins = pins;
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
	replace_device(s, r, "a */ int broken = ; /*");
	r->sizes[1].name = STR_LIT("1M\"\\?\?/ \n*/");
	fs_write("x.h", header(s, r, "*/x.h"), NULL);
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

/* --- what the record had before ---------------------------------------------------- */

static struct wisdom
applied_over(
	struct scratch *s, struct wisdom w, const struct ranking *r, const char **said)
{
	struct buf b = {.a = &s->a};

	apply_ranking(&w, r, STR_LIT("2027-02-28T00:00:00Z"), &b);
	*said = buf_c(&b);
	return w;
}

static void
apply_it(void *arg)
{
	struct arena a = {0};
	struct wisdom w = {.a = &a};
	struct buf said = {.a = &a};

	apply_ranking(&w, arg, STR_LIT("2027-02-28T00:00:00Z"), &said);
	arena_release(&a);
	exit(0);
}

/* What ranks first is not always faster than what the project has. */
static void
a_champion_without_a_claim_is_told(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct rank_size *z = &r->sizes[1];

	z->faster = true;
	r->sizes[0].faster = true;
	assert_non_null(rank_baseline(z));
	assert_string_equal(scratch_run(s, apply_it, r).err, "");
	z->faster = false;
	z->claim = CLAIM_NONE;
	z->claim_why = STR_LIT("the control failed");
	z->speedup = 0.97, z->speedup_low = 0.95, z->speedup_high = 0.99;
	assert_string_equal(scratch_run(s, apply_it, r).err,
		"lanewise: warning: reduce at 64M: BLOCK=32,TILE=512 is not proven to be "
		"better than the baseline BLOCK=32,TILE=256, baseline/champion 0.970 "
		"[0.950, 0.990] (claim none: the control failed)\n");
}

/* Equal choices keep their date, so that equal results are equal bytes. */
static void
the_date_is_of_the_change(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct wisdom w = applied(s, r), again;
	const char *said;

	again = applied_over(s, w, r, &said);
	assert_true(str_eq(wisdom_write(&s->a, &w), wisdom_write(&s->a, &again)));
	r->sizes[1].claim = CLAIM_NONE;
	again = applied_over(s, w, r, &said);
	assert_int_equal(again.n, 2);
	assert_true(str_is(again.v[0].date, "2026-01-31T23:59:59Z"));
	assert_true(str_is(again.v[1].date, "2027-02-28T00:00:00Z"));
}

static void
other_devices_stay(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct wisdom w = applied(s, r);
	const char *said;

	replace_device(s, r, "NVIDIA H100");
	w = applied_over(s, w, r, &said);
	assert_int_equal(w.n, 4);
	assert_true(str_is(w.v[0].device, "NVIDIA H100"));
	assert_true(str_is(w.v[2].device, "NVIDIA H200"));
	/* Now one of the sizes has no champion. */
	r->n_sizes = 1;
	w = applied_over(s, w, r, &said);
	assert_int_equal(w.n, 3);
	assert_true(str_is(w.v[0].size, "1M"));
	assert_true(str_is(w.v[1].device, "NVIDIA H200"));
}

static struct wisdom
wisdom_copy(struct scratch *s, const struct wisdom *w)
{
	struct wisdom out = {.a = &s->a};

	for (size_t i = 0; i < w->n; i++)
		wisdom_add(&out, &w->v[i]);
	return out;
}

/* On a machine without the GPU, of the same kernel. */
static void
an_estimate_replaces_no_measurement(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct wisdom w = applied(s, r);
	const char *said;

	for (size_t i = 0; i < r->n_sizes; i++) {
		r->sizes[i].claim = CLAIM_PROVEN; /* which it cannot be */
		for (size_t e = 0; e < r->sizes[i].n_ranked; e++)
			r->sizes[i].v[e].kind = i ? RESULT_SIMULATED : RESULT_ESTIMATED;
	}
	struct wisdom now = applied_over(s, w, r, &said);
	assert_contains(said, "reduce at 1M on NVIDIA H200: what was measured stays, the "
			      "estimated choice of this run is not taken");
	assert_contains(said, "the simulated choice");
	assert_true(str_eq(wisdom_write(&s->a, &w), wisdom_write(&s->a, &now)));
	/* Not what the gate refuses now. */
	struct wisdom unsafe = wisdom_copy(s, &w);
	unsafe.v[0].label = STR_LIT("BLOCK=64,TILE=512");
	now = applied_over(s, unsafe, r, &said);
	assert_null(strstr(said, "at 1M"));
	assert_int_equal(now.v[0].kind, RESULT_ESTIMATED);
	/* What was measured of another kernel is of no use to this one. */
	for (size_t i = 0; i < w.n; i++)
		w.v[i].spec = STR_LIT("another");
	now = applied_over(s, w, r, &said);
	assert_string_equal(said, "");
	assert_int_equal(now.n, 2);
	assert_int_equal(now.v[0].claim, CLAIM_ESTIMATED);
	assert_int_equal(now.v[1].claim, CLAIM_SIMULATED);
}

/* A verdict of another source says nothing of this one. */
static void
stale_entries_are_left_out(void **state)
{
	struct scratch *s = *state;
	struct ranking *r = finished(s, false);
	struct wisdom w = applied(s, r), current;
	struct buf said = {.a = &s->a};

	w.v[0].spec = STR_LIT("another");
	current = apply_current(&w, STR_LIT("reduce"), r->pins, &said);
	assert_int_equal(current.n, 1);
	assert_true(str_is(current.v[0].size, "64M"));
	assert_string_equal(buf_c(&said),
		"  reduce at 1M on NVIDIA H200 is left out: the kernel is another one "
		"since; tune there again\n");
	assert_int_equal(apply_current(&w, STR_LIT("scan"), r->pins, &said).n, 0);
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
	fs_write("reduce_tuned.json", record(s, q.now), NULL);
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
			"  device: applied with NVIDIA H200 (9.0), now NVIDIA H100 "
			"(9.0)"},
		{"\"9.0\"", "\"8.0\"",
			"  device: applied with NVIDIA H200 (9.0), now NVIDIA H200 "
			"(8.0)"},
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

	fs_write("a.json", record(s, r), NULL);
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
	struct str text = record(s, r);

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
		scratch_test(a_champion_without_a_claim_is_told),
		scratch_test(the_date_is_of_the_change),
		scratch_test(other_devices_stay),
		scratch_test(an_estimate_replaces_no_measurement),
		scratch_test(stale_entries_are_left_out),
		scratch_test(current),
		scratch_test(what_makes_it_stale),
		scratch_test(an_edited_source),
		scratch_test(what_does_not),
		scratch_test(another_champion),
		scratch_test(trouble),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
