/*
 * NVRTC: the CUDA C++ compiler as a library, found at run time.  No GPU or driver needed.
 * Declarations after the NVRTC 13.0 documentation ("Error Handling", "General Information
 * Query", "Compilation"); the functions used are the same since CUDA 11.2.
 */
#include "base/arena.h"
#include "base/dl.h"
#include "base/fs.h"
#include "base/map.h"
#include "toolchain/argv.h"
#include "toolchain/cudahome.h"
#include "toolchain/errlog.h"
#include "toolchain/guarded.h"
#include "toolchain/ptxtext.h"

#include <signal.h>

struct nvrtc_program; /* opaque: *nvrtcProgram */

#define NVRTC_FUNCTIONS(X) \
	X(int, nvrtcVersion, (int *, int *)) \
	X(int, nvrtcGetNumSupportedArchs, (int *)) \
	X(int, nvrtcGetSupportedArchs, (int *)) \
	X(int, nvrtcCreateProgram, \
		(struct nvrtc_program **, const char *, const char *, int, \
			const char *const *, const char *const *)) \
	X(int, nvrtcDestroyProgram, (struct nvrtc_program **)) \
	X(int, nvrtcCompileProgram, (struct nvrtc_program *, int, const char *const *)) \
	X(int, nvrtcGetPTXSize, (struct nvrtc_program *, size_t *)) \
	X(int, nvrtcGetPTX, (struct nvrtc_program *, char *)) \
	X(int, nvrtcGetProgramLogSize, (struct nvrtc_program *, size_t *)) \
	X(int, nvrtcGetProgramLog, (struct nvrtc_program *, char *)) \
	X(const char *, nvrtcGetErrorString, (int))

struct nvrtc {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define X(type, name, args) type(*name) args;
	NVRTC_FUNCTIONS(X)
#undef X
	struct dl lib;
	int *archs; /* ascending: 75, 80, ... */
	int n_archs;
};

/* nvrtcResult, nvrtc.h 13.0: the source is wrong, as against everything else. */
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6 };

static const char *const *
library_names(struct arena *a)
{
	static const char *const sonames[] = {
		"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
	static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
	struct argv v = {.a = a};
	const char **roots;
	size_t n = cuda_roots(a, &roots), n_names = sizeof sonames / sizeof *sonames;
	for (size_t s = 0; s < n_names; s++)
		argv_add(&v, sonames[s]);
	for (size_t r = 0; r < n; r++)
		for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
			char *dir = fs_join(a, roots[r], folders[f]);
			for (size_t s = 0; s < n_names; s++)
				if (fs_exists(fs_join(a, dir, sonames[s])))
					argv_add(&v, fs_join(a, dir, sonames[s]));
		}
	return v.v;
}

static bool
nvrtc_open(struct arena *a, struct nvrtc *n)
{
	const struct dl_symbol table[] = {
#define X(type, name, args) {#name, &n->name, false},
		NVRTC_FUNCTIONS(X)
#undef X
	};
	n->lib = dl_open(a, library_names(a), table, sizeof table / sizeof *table);
	if (!n->lib.handle)
		return false;
	if (n->nvrtcGetNumSupportedArchs(&n->n_archs) != 0 || n->n_archs < 1) {
		n->lib.why = "NVRTC names no supported architecture";
		return false;
	}
	n->archs = arena_news(a, (size_t)n->n_archs, int);
	return n->nvrtcGetSupportedArchs(n->archs) == 0;
}

/* The newest architecture that is not newer than the device, or 0. */
static int
arch_for(const struct nvrtc *n, int cc)
{
	int best = 0;
	for (int i = 0; i < n->n_archs; i++)
		if (n->archs[i] <= cc && n->archs[i] > best)
			best = n->archs[i];
	return best;
}

static struct toolchain_info
nvrtc_probe(struct arena *a)
{
	struct toolchain_info info = {0};
	struct nvrtc n = {0};
	int major = 0, minor = 0;
	if (!nvrtc_open(a, &n) || n.nvrtcVersion(&major, &minor) != 0) {
		info.why =
			STR_LIT("no libnvrtc.so.13 or .12 on the loader's path, in "
				"$CUDA_HOME/lib64, /usr/local/cuda/lib64 or a Python "
				"environment; install the CUDA toolkit, or: pip install "
				"nvidia-cuda-nvrtc");
		return info;
	}
	const char *file = NULL;
	void *f;
	memcpy(&f, &n.nvrtcVersion, sizeof f);
	file = dl_file(a, f);
	info.present = true;
	info.version = str_fmt(a, "nvrtc %d.%d", major, minor);
	info.path = str_of(file ? file : n.lib.path);
	info.max_cc = arch_for(&n, INT32_MAX);
	return info;
}

struct job {
	const struct nvrtc *n;
	const struct lower_request *q;
	const char *const *options;
	int n_options;
};

/* The answer: one byte '0' (compiled), 'E' (the source is wrong) or 'T' (trouble), the
 * length of the log as a line of text, the log, the PTX. */
static void
answer(struct buf *b, char what, struct str log, struct str ptx)
{
	buf_addf(b, "%c%zu\n", what, log.n);
	buf_addstr(b, log);
	buf_addstr(b, ptx);
}

static struct str
nvrtc_text(struct arena *a, struct nvrtc_program *p,
	int (*size)(struct nvrtc_program *, size_t *),
	int (*get)(struct nvrtc_program *, char *))
{
	size_t n = 0;
	if (size(p, &n) != 0 || n == 0)
		return (struct str){0};
	char *s = arena_alloc(a, n + 1);
	if (get(p, s) != 0)
		return (struct str){0};
	return str_of(s); /* the size counts the NUL */
}

static void
compile(void *env, struct buf *b)
{
	struct job *j = env;
	const struct nvrtc *n = j->n;
	struct nvrtc_program *p = NULL;
	const char *text = str_c(b->a, str_after_bom(j->q->source)); /* not its habit */
	int e = n->nvrtcCreateProgram(&p, text, j->q->name, 0, NULL, NULL);
	if (e == NVRTC_SUCCESS)
		e = n->nvrtcCompileProgram(p, j->n_options, j->options);
	if (!p) {
		answer(b, 'T', str_of(n->nvrtcGetErrorString(e)), (struct str){0});
		return;
	}
	struct str log =
		nvrtc_text(b->a, p, n->nvrtcGetProgramLogSize, n->nvrtcGetProgramLog);
	if (e != NVRTC_SUCCESS && !log.n)
		log = str_of(n->nvrtcGetErrorString(e));
	if (e == NVRTC_SUCCESS)
		answer(b, '0', log,
			nvrtc_text(b->a, p, n->nvrtcGetPTXSize, n->nvrtcGetPTX));
	else
		answer(b, e == NVRTC_ERROR_COMPILATION ? 'E' : 'T', log, (struct str){0});
}

static void
add_options(struct arena *a, const struct lower_request *q, int arch, struct argv *v)
{
	argv_add(v, "--generate-line-info");
	if (!argv_has(q->flags, "-arch") && !argv_has(q->flags, "--gpu-architecture"))
		argv_addf(v, "--gpu-architecture=compute_%d", arch);
	argv_add_each(v, "-D", q->defines);
	argv_addf(v, "-I%s", fs_dirname(a, q->path ? q->path : q->name));
	argv_add_each(v, "-I", q->includes);
	argv_add_each(v, "-I", cuda_includes(a));
	argv_add_each(v, "", q->flags);
}

static bool
read_answer(struct guarded_result g, char *what, struct str *log, struct str *ptx)
{
	struct str rest = g.answer, head;
	int64_t n;
	if (!g.ok || !str_line(&rest, &head) || head.n < 2 ||
		!str_to_i64(str_sub(head, 1, head.n), &n) || n < 0 || (size_t)n > rest.n)
		return false;
	*what = head.s[0];
	*log = str_sub(rest, 0, (size_t)n);
	*ptx = str_sub(rest, (size_t)n, rest.n);
	return true;
}

static void
explain_end(struct arena *a, const struct guarded_result *g,
	const struct lower_request *q, struct lower_result *r)
{
	const char *what = "NVRTC ended without an answer";
	if (g->timed_out)
		what = str_fmt(
			a, "NVRTC did not finish in %.0f s", (double)q->timeout_ns / 1e9)
			       .s;
	else if (g->signal)
		what = str_fmt(a, "NVRTC crashed (signal %d)", g->signal).s;
	r->transient = true;
	log_explain(a, q, what, r);
}

static bool
nvrtc_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	struct nvrtc n = {0};
	struct argv options = {.a = a};
	char what = 'T';
	if (!nvrtc_open(a, &n)) {
		r->log = nvrtc_probe(a).why;
		return false;
	}
	int arch = arch_for(&n, q->cc);
	if (!arch) {
		r->log = str_fmt(a,
			"this NVRTC compiles for compute capability %d.%d and newer, "
			"not for %d.%d; install an older CUDA toolkit",
			n.archs[0] / 10, n.archs[0] % 10, q->cc / 10, q->cc % 10);
		return false;
	}
	add_options(a, q, arch, &options);
	struct job j = {&n, q, options.v, (int)options.n};
	struct guarded_result g = guarded_run(a, compile, &j, q->timeout_ns);
	if (!read_answer(g, &what, &r->log, &r->ptx)) {
		explain_end(a, &g, q, r);
		return true;
	}
	r->ok = what == '0' && ptx_text_check(a, r->ptx, &r->log);
	if (!r->ok)
		log_explain(a, q, "NVRTC failed", r);
	return true;
}

const struct toolchain toolchain_nvrtc = {
	.name = "nvrtc",
	.languages = "cuda",
	.about = "CUDA C++ in process, by the NVRTC library (no GPU or driver needed)",
	.probe = nvrtc_probe,
	.lower = nvrtc_lower,
};
