/*
 * clang as a CUDA compiler without a CUDA toolkit: the language and a set of built-in
 * functions come from our own header, templates/cuda_shim.h.
 */
#include "toolchain/clang.h"
#include "base/arena.h"
#include "base/asset.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/proc.h"
#include "toolchain/argv.h"
#include "toolchain/errlog.h"
#include "toolchain/ptxtext.h"
#include "toolchain/scratch.h"

/* The newest GPU and PTX version that a major version of clang knows (its Basic/Cuda.cpp
 * and BuiltinsNVPTX.def); 14, 16, 19 and 22 were tried, and between them the older limit
 * is taken. The PTX version has to be said: without a CUDA toolkit clang falls back to
 * one that lacks the warp collectives. */
static const struct limit {
	int major, max_cc, ptx;
} limits[] = {{22, 120, 88}, {19, 90, 85}, {16, 90, 78}, {14, 86, 75}, {11, 86, 70},
	{9, 75, 64}};

/* --cuda-gpu-arch values that exist; clang rejects others. */
static const int archs[] = {50, 52, 60, 61, 70, 72, 75, 80, 86, 89, 90, 100, 103, 120};

static struct limit
limit_of(int major)
{
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (major >= limits[i].major)
			return limits[i];
	return (struct limit){0};
}

int
clang_arch(int major, int cc)
{
	int best = 0, max = limit_of(major).max_cc;
	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
		if (archs[i] <= cc && archs[i] <= max)
			best = archs[i];
	return best;
}

/* "14.0.6" of "Debian clang version 14.0.6". */
static struct str
version_word(struct str text)
{
	const struct str mark = STR_LIT("clang version ");
	struct str rest = str_sub(text, str_find_text(text, mark) + mark.n, text.n);
	size_t n = 0;
	while (n < rest.n && strchr("0123456789.", rest.s[n]))
		n++;
	return str_sub(rest, 0, n);
}

static void
try(struct arena *a, const char *name, struct clang *best)
{
	char *program = fs_which(a, name);
	const char *argv[] = {program, "--version", NULL};
	int64_t major;
	if (!program)
		return;
	struct proc_result v =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 30000000000});
	struct str word = version_word(v.out);
	if (!v.started || v.status != 0 ||
		!str_to_i64(str_sub(word, 0, str_find(word, '.')), &major) || major > 999)
		return;
	if (major > best->major)
		*best = (struct clang){program, word, (int)major};
}

struct clang
clang_find(struct arena *a)
{
	struct clang best = {0};
	for (int major = 30; major >= 9 && !best.program; major--)
		try(a, str_fmt(a, "clang++-%d", major).s, &best);
	try(a, "clang++", &best);
	return best;
}

int
clang_ptx(int major)
{
	return limit_of(major).ptx;
}

struct toolchain_info
clang_probe(struct arena *a)
{
	struct toolchain_info info = {0};
	struct clang f = clang_find(a);
	if (!f.program || !limit_of(f.major).max_cc) {
		info.why = STR_LIT("no clang++ (9 or newer) on PATH; install it: apt-get "
				   "install clang");
		return info;
	}
	info.present = true;
	info.version = str_fmt(a, "clang %.*s", STR_ARG(f.version));
	info.path = str_of(f.program);
	info.max_cc = limit_of(f.major).max_cc;
	return info;
}

static void
add_words(struct argv *v, const struct lower_request *q, const struct clang *f,
	const char *shim_dir)
{
	static const char *const fixed[] = {"-x", "cuda", "--cuda-device-only",
		"--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-fdeclspec",
		"-Wno-unknown-cuda-version", "-O3", "-gline-directives-only", "-S", NULL};
	argv_add(v, f->program);
	argv_add_each(v, "", fixed);
	if (!argv_has(q->flags, "--cuda-gpu-arch=") &&
		!argv_has(q->flags, "--offload-arch="))
		argv_addf(v, "--cuda-gpu-arch=sm_%d", clang_arch(f->major, q->cc));
	if (!argv_has(q->flags, "-std="))
		argv_add(v, "-std=c++17");
	argv_add(v, "-Xclang");
	argv_add(v, "-target-feature");
	argv_add(v, "-Xclang");
	argv_addf(v, "+ptx%d", clang_ptx(f->major));
	argv_add(v, "-isystem");
	argv_add(v, shim_dir);
	argv_add(v, "-include");
	argv_addf(v, "%s/cuda_shim.h", shim_dir);
	argv_addf(v, "-ffile-prefix-map=%s/=", shim_dir);
	argv_add_each(v, "-D", q->defines);
	argv_add_each(v, "-I", q->includes);
	argv_add_each(v, "", q->flags);
	argv_add(v, "-o");
	argv_add(v, "-");
	argv_add(v, q->path);
}

/* Sources that include the toolkit's headers get the shim instead. */
static void
write_shim(struct arena *a, const char *dir)
{
	static const char *const stands_for[] = {"cuda_runtime.h", "cuda.h",
		"device_launch_parameters.h", "cuda_runtime_api.h"};
	struct str shim;
	if (!asset_find("templates/cuda_shim.h", &shim))
		BUG("no templates/cuda_shim.h in the program");
	fs_write(fs_join(a, dir, "cuda_shim.h"), shim, NULL);
	for (size_t i = 0; i < sizeof stands_for / sizeof *stands_for; i++)
		fs_write(fs_join(a, dir, stands_for[i]),
			STR_LIT("#include \"cuda_shim.h\"\n"), NULL);
}

static void
run(struct arena *a, const struct lower_request *q, const struct clang *f,
	struct lower_result *r)
{
	struct argv v = {.a = a};
	char *dir = scratch_make(a);
	write_shim(a, dir);
	add_words(&v, q, f, dir);
	struct proc_result p = proc_run(a, v.v,
		(struct proc_opts){.timeout_ns = q->timeout_ns, .output_max = 512 << 20});
	scratch_remove(a, dir);
	r->log = scratch_hide(a, p.err, dir);
	r->ptx = p.out;
	r->ok = p.started && p.status == 0 && ptx_text_check(a, r->ptx, &r->log);
	r->transient = !r->ok && p.status < 0;
	if (!r->ok)
		log_explain(a, q, str_fmt(a, "clang: %s", proc_explain(a, &p)).s, r);
}

static bool
clang_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	struct clang f = clang_find(a);
	bool able = f.program && clang_arch(f.major, q->cc);
	if (able)
		run(a, q, &f, r);
	else if (f.program)
		r->log = str_fmt(a,
			"this clang does not compile CUDA for compute capability "
			"%d.%d",
			q->cc / 10, q->cc % 10);
	else
		r->log = clang_probe(a).why;
	return able;
}

const struct toolchain toolchain_clang = {
	.name = "clang",
	.languages = "cuda",
	.about = "CUDA C++ by clang with a small header of our own (no CUDA toolkit "
		 "needed)",
	.probe = clang_probe,
	.lower = clang_lower,
};
