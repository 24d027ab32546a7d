#include "captured.h"

#include "toolchain/cudahome.h"
#include "toolchain/guarded.h"
#include "toolchain/ptxas.h"
#include "toolchain/toolchain.h"

#include "base/fs.h"

#include <signal.h>
#include <unistd.h>

static const char SOURCE[] =
	"extern \"C\" __global__ void k(float *out, const float *in, int n)\n"
	"{\n"
	"\t__shared__ float s[TILE];\n"
	"\tint t = threadIdx.x;\n"
	"\ts[t % TILE] = t < n ? in[t] : 0;\n"
	"\t__syncthreads();\n"
	"\tout[t] = s[(t + 1) % TILE];\n"
	"}\n";

static struct lower_request
request(struct captured *c, const char *source)
{
	static const char *const defines[] = {"TILE=48", NULL};
	char *path = str_c(&c->a, str_fmt(&c->a, "toolchain-test-%d.cu", (int)getpid()));
	fs_write(path, str_of(source), NULL);
	return (struct lower_request){
		.source = str_of(source),
		.name = "sub/k.cu",
		.path = path,
		.defines = defines,
		.cc = 90,
		.timeout_ns = 120000000000,
	};
}

static bool
has(struct str text, const char *needle)
{
	return str_has(text, str_of(needle));
}

static const struct toolchain *
need(struct captured *c, const char *name)
{
	const struct toolchain *t = toolchain_find(str_of(name));
	assert_non_null(t);
	struct toolchain_info info = t->probe(&c->a);
	if (!info.present) {
		assert_true(info.why.n > 0);
		print_message("skipped: %s\n", info.why.s);
		skip();
	}
	assert_true(str_starts(info.version, name));
	assert_true(info.path.n > 0);
	assert_true(info.max_cc >= 75);
	return t;
}

static void
compiles_cuda(struct captured *c, const char *name)
{
	const struct toolchain *t = need(c, name);
	struct lower_request q = request(c, SOURCE);
	struct lower_result r = {0}, again = {0};
	assert_true(t->lower(&c->a, &q, &r));
	if (!r.ok)
		fail_msg("%s: %s", name, r.log.s);
	assert_true(has(r.ptx, ".entry k("));
	assert_true(has(r.ptx, "bar.sync"));
	assert_true(has(r.ptx, "[192]")); /* TILE * 4 */
	assert_true(has(r.ptx, "\t.loc"));
	assert_false(has(r.ptx, "sm_100"));
	assert_true(t->lower(&c->a, &q, &again));
	assert_true(str_eq(r.ptx, again.ptx));
	fs_remove(q.path);
}

static void
explains_an_error(struct captured *c, const char *name)
{
	const struct toolchain *t = need(c, name);
	struct lower_request q =
		request(c, "__global__ void k(int *p)\n{\n\t*p = oops;\n}\n");
	struct lower_result r = {0};
	assert_true(t->lower(&c->a, &q, &r));
	assert_false(r.ok);
	assert_false(r.transient);
	assert_true(str_is(r.err_file, "sub/k.cu"));
	assert_int_equal(r.err_line, 3);
	assert_true(has(r.err_message, "oops"));
	assert_false(has(r.log, q.path));
	fs_remove(q.path);
}

static void
compiles_with_nvrtc(void **state)
{
	compiles_cuda(*state, "nvrtc");
}

static void
explains_with_nvrtc(void **state)
{
	explains_an_error(*state, "nvrtc");
}

static void
compiles_with_nvcc(void **state)
{
	compiles_cuda(*state, "nvcc");
}

static void
explains_with_nvcc(void **state)
{
	explains_an_error(*state, "nvcc");
}

static void
compiles_with_clang(void **state)
{
	compiles_cuda(*state, "clang");
}

static void
explains_with_clang(void **state)
{
	explains_an_error(*state, "clang");
}

/* A barrier inside a function of the shim is the caller's line: the shim has no lines. */
static void
the_shim_has_no_lines(void **state)
{
	struct captured *c = *state;
	const struct toolchain *t = need(c, "clang");
	struct lower_request q =
		request(c, "__global__ void k(int *p)\n{\n"
			   "\tp[0] = __syncthreads_or(p[1]);\n\t__syncwarp();\n"
			   "\tp[2] = __shfl_down_sync(~0u, p[3], 1);\n}\n");
	struct lower_result r = {0};
	assert_true(t->lower(&c->a, &q, &r));
	assert_true(r.ok);
	assert_false(has(r.ptx, "cuda_shim.h"));
	fs_remove(q.path);
}

static void
assembles(struct captured *c, struct str ptx)
{
	struct toolchain_info info = ptxas_probe(&c->a);
	struct ptxas_request q = {.program = info.path.s,
		.ptx = ptx,
		.cc = 90,
		.entry = STR_LIT("shim_all")};
	struct ptxas_result r = {0};
	if (!info.present)
		return;
	assert_true(ptxas_run(&c->a, &q, &r));
	if (!r.ok)
		fail_msg("%s", r.log.s);
}

/* Every function of the shim becomes instructions: nothing is left to be linked but what
 * the driver provides. */
static void
the_shim_is_complete(void **state)
{
	struct captured *c = *state;
	const char *srcdir = getenv("SRCDIR");
	const char *path =
		fs_join(&c->a, srcdir ? srcdir : ".", "tests/cuda/shim_all.cu");
	const struct toolchain *t = need(c, "clang");
	struct lower_request q = {.name = "shim_all.cu", .path = path, .cc = 90};
	struct lower_result r = {0};
	struct str rest, line;
	q.source = fs_read(&c->a, path);
	assert_true(t->lower(&c->a, &q, &r));
	if (!r.ok)
		fail_msg("%s", r.log.s);
	rest = r.ptx;
	while (str_line(&rest, &line))
		if (str_starts(line, ".extern .func"))
			assert_true(has(line, "vprintf") || has(line, "__assertfail"));
	assembles(c, r.ptx);
}

static void
older_devices_get_older_code(void **state)
{
	struct captured *c = *state;
	const struct toolchain *t = need(c, "nvrtc");
	struct lower_request q = request(c, SOURCE);
	struct lower_result r = {0};
	q.cc = 85; /* no such GPU: the newest that is not newer */
	assert_true(t->lower(&c->a, &q, &r));
	assert_true(r.ok);
	assert_true(has(r.ptx, ".target sm_80\n"));
	q.cc = 20;
	r = (struct lower_result){0};
	assert_false(t->lower(&c->a, &q, &r));
	assert_true(has(r.log, "not for 2.0"));
	fs_remove(q.path);
}

static void
a_byte_order_mark_is_no_token(void **state)
{
	struct captured *c = *state;
	const struct toolchain *t = need(c, "nvrtc");
	struct lower_request q =
		request(c, "\xef\xbb\xbf__global__ void k(int *p)\n{\n}\n");
	struct lower_result r = {0};
	assert_true(t->lower(&c->a, &q, &r));
	assert_true(r.ok);
	fs_remove(q.path);
}

static const char PTX[] = "// made by hand\n/* twice */\n.version 7.0\n.target sm_80\n"
			  ".address_size 64\n.visible .entry k() { ret; }\n";

static void
ptx_passes_through(void **state)
{
	struct captured *c = *state;
	const struct toolchain *t = toolchain_find(STR_LIT("ptx"));
	struct lower_request q = {
		.source = str_of(PTX), .name = "k.ptx", .path = "k.ptx"};
	struct lower_result r = {0};
	assert_true(t->lower(&c->a, &q, &r));
	assert_true(r.ok);
	assert_true(str_eq(r.ptx, q.source));
}

static void
what_is_not_ptx_is_said(void **state)
{
	static const struct {
		const char *text, *why;
	} t[] = {
		{"", "it is empty"},
		{"\177ELF\2\1\1", "cubin"},
		{"; ModuleID = 'k'\n", "LLVM IR"},
		{"int main(void) { return 0; }", "does not begin with .version"},
		{".version 7.0\n", "does not begin with .version"},
		{"/* .version 7.0\n.target sm_80", "does not begin with .version"},
	};
	struct captured *c = *state;
	const struct toolchain *ptx = toolchain_find(STR_LIT("ptx"));
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct lower_request q = {
			.source = str_of(t[i].text), .name = "k", .path = "k"};
		struct lower_result r = {0};
		assert_true(ptx->lower(&c->a, &q, &r));
		assert_false(r.ok);
		assert_true(has(r.err_message, t[i].why));
	}
}

static bool
command(struct captured *c, const char *text, struct lower_result *r)
{
	static const char *const includes[] = {"a b", NULL}, *const flags[] = {
								     "-x", "-y", NULL};
	static const char *const defines[] = {"A=1", "B=x y", NULL};
	struct lower_request q = request(c, PTX);
	q.command = text;
	q.includes = includes;
	q.defines = defines;
	q.flags = flags;
	*r = (struct lower_result){0};
	bool ran = toolchain_find(STR_LIT("command"))->lower(&c->a, &q, r);
	fs_remove(q.path);
	return ran;
}

static void
a_command_makes_ptx(void **state)
{
	struct lower_result r;
	assert_true(command(*state, "cp $in $out", &r));
	assert_true(r.ok);
	assert_true(str_is(r.ptx, PTX));
	assert_true(
		command(*state, "sh -c 'cp \"$$1\" \"$$2\"' sh ${in} \"${out}\"", &r));
	assert_true(r.ok);
}

/* Words stay words: no shell splits or expands them. */
static void
a_command_gets_its_words(void **state)
{
	struct lower_result r;
	assert_true(command(*state,
		"sh -c 'printf \"[%s]\" \"$$@\" >&2; exit 3' sh $defines $includes "
		"$flags "
		"--cc=$cc '; echo `id`' $$HOME",
		&r));
	assert_false(r.ok);
	assert_string_equal(
		r.log.s, "[-DA=1][-DB=x y][-Ia b][-x][-y][--cc=90][; echo `id`][$HOME]");
	assert_true(has(r.err_message, "exit status 3"));
}

static void
a_command_that_is_wrong_is_said(void **state)
{
	static const struct {
		const char *text, *why;
		bool ran;
	} t[] = {
		{"", "empty", false},
		{"cp $inn $out", "unknown '$inn'", false},
		{"cp ${in $out", "unknown", false},
		{"cp 'x", "without its partner", false},
		{"no-such-program-here $in", "no program", false},
		{"true $in $out", "wrote no $out", true},
		{"mkfifo $out", "wrote no $out", true},
		{"ln -s /dev/zero $out", "wrote no $out", true},
		{"cp /dev/null $out", "it is empty", true},
		{"sh -c 'printf \"\\177ELF\" >\"$$0\"' $out", "cubin", true},
		{"false", "exit status 1", true},
		{"sh -c 'echo k.rs:3:4: error: bad one; exit 1'", "bad one", true},
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct lower_result r;
		bool ran = command(*state, t[i].text, &r);
		print_message("%s\n", t[i].text);
		assert_int_equal(ran, t[i].ran);
		assert_false(r.ok);
		assert_true(has(ran ? r.err_message : r.log, t[i].why));
	}
}

static void
a_deadline_is_kept(void **state)
{
	struct captured *c = *state;
	struct lower_request q = request(c, PTX);
	struct lower_result r = {0};
	q.command = "sleep 60";
	q.timeout_ns = 200000000;
	assert_true(toolchain_find(STR_LIT("command"))->lower(&c->a, &q, &r));
	assert_false(r.ok);
	assert_true(r.transient);
	assert_true(has(r.err_message, "timed out"));
	fs_remove(q.path);
}

static void
answer(void *env, struct buf *b)
{
	const char *what = env;
	if (strcmp(what, "crash") == 0)
		raise(SIGKILL);
	while (strcmp(what, "hang") == 0)
		pause();
	buf_pad(b, 'x', 300000); /* more than a pipe holds */
}

static void
a_library_may_crash_or_hang(void **state)
{
	struct captured *c = *state;
	struct guarded_result r = guarded_run(&c->a, answer, (char[]){"answer"}, 0);
	assert_true(r.ok);
	assert_int_equal(r.answer.n, 300000);
	r = guarded_run(&c->a, answer, (char[]){"crash"}, 0);
	assert_false(r.ok);
	assert_int_equal(r.signal, SIGKILL);
	r = guarded_run(&c->a, answer, (char[]){"hang"}, 100000000);
	assert_false(r.ok);
	assert_true(r.timed_out);
}

static void
picks_by_language(void **state)
{
	struct captured *c = *state;
	struct toolchain_info info;
	struct str why = {0};
	const struct toolchain *t = toolchain_pick(&c->a, STR_LIT("ptx"), &info, &why);
	assert_string_equal(t->name, "ptx");
	assert_string_equal(
		toolchain_pick(&c->a, STR_LIT("command"), &info, &why)->name, "command");
	assert_null(toolchain_pick(&c->a, STR_LIT("fortran"), &info, &why));
	assert_true(has(why, "no toolchain knows the language 'fortran'"));
	assert_null(toolchain_find(STR_LIT("nvr")));
	const struct str *names;
	assert_int_equal(toolchain_names(&names), 7);
	assert_true(str_is(names[0], "nvrtc"));
	t = toolchain_pick(&c->a, STR_LIT("cuda"), &info, &why);
	if (t)
		assert_true(info.present && str_starts(info.version, t->name));
	else
		assert_true(has(why, "nvrtc") && has(why, "nvcc") && has(why, "clang"));
}

static void
reads_version_words(void **state)
{
	(void)state;
	assert_true(str_is(cuda_version_word(STR_LIT("release 13.0, V13.0.88\nBuild x")),
		"13.0.88"));
	assert_int_equal(cuda_version_word(STR_LIT("Version V")).n, 0);
	assert_int_equal(cuda_version_word(STR_LIT("")).n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(compiles_with_nvrtc),
		captured_test(a_byte_order_mark_is_no_token),
		captured_test(explains_with_nvrtc),
		captured_test(compiles_with_nvcc),
		captured_test(explains_with_nvcc),
		captured_test(compiles_with_clang),
		captured_test(explains_with_clang),
		captured_test(the_shim_has_no_lines),
		captured_test(the_shim_is_complete),
		captured_test(older_devices_get_older_code),
		captured_test(ptx_passes_through),
		captured_test(what_is_not_ptx_is_said),
		captured_test(a_command_makes_ptx),
		captured_test(a_command_gets_its_words),
		captured_test(a_command_that_is_wrong_is_said),
		captured_test(a_deadline_is_kept),
		captured_test(a_library_may_crash_or_hang),
		captured_test(picks_by_language),
		captured_test(reads_version_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
