/* nvcc: the CUDA toolkit's compiler driver, as a process. */
#include "base/arena.h"
#include "base/fs.h"
#include "base/proc.h"
#include "toolchain/argv.h"
#include "toolchain/cudahome.h"
#include "toolchain/errlog.h"
#include "toolchain/ptxtext.h"
#include "toolchain/scratch.h"

/* The newest of the lines "compute_NN" that is at most `cc`, or 0; *oldest is the first.
 */
static int
arch_for(struct arena *a, const char *program, int cc, int *oldest)
{
	const char *argv[] = {program, "--list-gpu-arch", NULL};
	struct proc_result list =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 30000000000});
	struct str rest = list.out, line;
	int64_t v, best = 0;
	*oldest = 0;
	while (str_line(&rest, &line)) {
		size_t at = strlen("compute_");
		if (!str_starts(line, "compute_") ||
			!str_to_i64(str_trim(str_sub(line, at, line.n)), &v) || v > 9999)
			continue;
		if (!*oldest)
			*oldest = (int)v;
		if (v <= cc && v > best)
			best = v;
	}
	return (int)best;
}

static struct toolchain_info
nvcc_probe(struct arena *a)
{
	int oldest;
	struct toolchain_info info = cuda_program_probe(a, "nvcc",
		"no nvcc on PATH, in $CUDA_HOME/bin or "
		"/usr/local/cuda/bin; install the CUDA toolkit");
	if (info.present)
		info.max_cc = arch_for(a, info.path.s, 9999, &oldest);
	return info;
}

static void
run(struct arena *a, const struct lower_request *q, const char *program, int arch,
	struct lower_result *r)
{
	char *dir = scratch_make(a), *out = fs_join(a, dir, "out.ptx");
	struct argv v = {.a = a};
	argv_add(&v, program);
	argv_add(&v, "-ptx");
	argv_add(&v, "-lineinfo");
	if (!argv_has(q->flags, "-arch") && !argv_has(q->flags, "--gpu-architecture") &&
		!argv_has(q->flags, "-gencode"))
		argv_addf(&v, "-arch=compute_%d", arch);
	argv_add_each(&v, "-D", q->defines);
	argv_add_each(&v, "-I", q->includes);
	argv_add_each(&v, "", q->flags);
	argv_add(&v, "-x");
	argv_add(&v, "cu");
	argv_add(&v, "-o");
	argv_add(&v, out);
	argv_add(&v, q->path);
	struct proc_result p = proc_run(
		a, v.v, (struct proc_opts){.timeout_ns = q->timeout_ns, .merge = true});
	r->log = scratch_hide(a, p.started ? p.out : p.err, dir);
	r->ok = p.started && p.status == 0 && fs_try_read(a, out, &r->ptx) &&
		ptx_text_check(a, r->ptx, &r->log);
	r->transient = !r->ok && p.status < 0;
	if (!r->ok)
		log_explain(a, q, str_fmt(a, "nvcc: %s", proc_explain(a, &p)).s, r);
	scratch_remove(a, dir);
}

static bool
nvcc_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	char *program = cuda_program(a, "nvcc");
	int oldest = 0, arch = program ? arch_for(a, program, q->cc, &oldest) : 0;
	if (!program)
		r->log = nvcc_probe(a).why;
	else if (!arch)
		r->log = str_fmt(a,
			"this nvcc compiles for compute capability %d.%d and newer, "
			"not for %d.%d; install an older CUDA toolkit",
			oldest / 10, oldest % 10, q->cc / 10, q->cc % 10);
	else
		run(a, q, program, arch, r);
	return program && arch;
}

const struct toolchain toolchain_nvcc = {
	.name = "nvcc",
	.languages = "cuda",
	.about = "CUDA C++ by the toolkit's compiler driver, with the host headers",
	.probe = nvcc_probe,
	.lower = nvcc_lower,
};
