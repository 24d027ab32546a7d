/*
 * Language "c": a kernel for the processors of this machine.  The C compiler makes a
 * shared object with the kernel and, behind it in the same translation unit, the function
 * that calls it with the spec's arguments (model/signature.h).
 */
#include "base/arena.h"
#include "base/cpu.h"
#include "base/fs.h"
#include "base/proc.h"
#include "model/signature.h"
#include "toolchain/argv.h"
#include "toolchain/errlog.h"
#include "toolchain/scratch.h"

static char *
find(struct arena *a)
{
	static const char *const names[] = {"cc", "gcc", "clang"};
	char *found = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
		found = fs_which(a, names[i]);
	return found;
}

/* -march=native means this processor, so it is a part of what the compiler is. */
static struct toolchain_info
cc_probe(struct arena *a)
{
	struct toolchain_info info = {0};
	char *program = find(a);
	const char *argv[] = {program, "--version", NULL};
	struct str line = {0}, rest;

	if (!program) {
		info.why = STR_LIT("no C compiler on PATH (cc, gcc, clang); install it: "
				   "apt-get install gcc");
		return info;
	}
	struct proc_result r =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 30000000000});
	rest = r.out;
	if (!r.started || r.status != 0 || !str_line(&rest, &line)) {
		info.why = str_fmt(a, "'%s --version': %s", program, proc_explain(a, &r));
		return info;
	}
	struct cpu cpu = cpu_here(a);
	info.present = true;
	info.path = str_of(program);
	info.version = str_fmt(
		a, "%.*s on %.*s", STR_ARG(str_trim(line)), STR_ARG(cpu.identity));
	return info;
}

static void
add_words(struct argv *v, const struct lower_request *q, const char *program,
	const char *call, const char *out)
{
	/* A pointer of another type than the spec's is a mistake, not a warning. */
	static const char *const fixed[] = {"-shared", "-fPIC", "-fvisibility=hidden",
		"-fdiagnostics-color=never", "-Werror=incompatible-pointer-types",
		"-Werror=int-conversion", "-Werror=implicit-function-declaration", NULL};

	argv_add(v, program);
	argv_add_each(v, "", fixed);
	if (!argv_has(q->flags, "-O"))
		argv_add(v, "-O2");
	argv_add_each(v, "-D", q->defines);
	argv_add_each(v, "-I", q->includes);
	argv_add(v, "-include");
	argv_add(v, q->path);
	argv_add_each(v, "", q->flags);
	argv_add(v, "-o");
	argv_add(v, out);
	argv_add(v, call);
	argv_add(v, "-lm");
}

static void
run(struct arena *a, const struct lower_request *q, const char *program, struct str call,
	struct lower_result *r)
{
	struct argv v = {.a = a};
	char *dir = scratch_make(a);
	const char *file = fs_join(a, dir, "call.c"), *out = fs_join(a, dir, "kernel.so");

	fs_write(file,
		str_fmt(a, "#line 1 \"" SIGNATURE_CALL_NAME "\"\n%.*s", STR_ARG(call)),
		NULL);
	add_words(&v, q, program, file, out);
	struct proc_result p = proc_run(
		a, v.v, (struct proc_opts){.timeout_ns = q->timeout_ns, .merge = true});
	const char *what = proc_explain(a, &p);
	/* -include is looked up in folders, and the first is the current one. */
	r->log = text_replace(a, scratch_hide(a, p.out, dir), str_fmt(a, "./%s", q->path),
		str_of(q->path));
	r->ok = p.started && p.status == 0;
	if (r->ok && !fs_try_read(a, out, &r->ptx)) {
		what = "it wrote nothing";
		r->ok = false;
	}
	scratch_remove(a, dir);
	r->transient = !r->ok && p.status < 0;
	if (!r->ok)
		log_explain(a, q, str_fmt(a, "cc: %s", what).s, r);
}

static bool
cc_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	char *program = find(a);
	struct str call;

	if (!program) {
		r->log = cc_probe(a).why;
		return false;
	}
	if (signature_call(a, q->signature, q->entry, &call, &r->log))
		run(a, q, program, call, r);
	else
		log_explain(a, q, r->log.s, r);
	return true;
}

const struct toolchain toolchain_cc = {
	.name = "cc",
	.languages = "c",
	.about = "C by the system's compiler, for the processors of this machine",
	.native = true,
	.probe = cc_probe,
	.lower = cc_lower,
};
