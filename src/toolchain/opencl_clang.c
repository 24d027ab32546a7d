/*
 * OpenCL C, lowered by clang to PTX for the gate and the facts.  An OpenCL runtime builds
 * the source itself, so the PTX carries it (model/clsource.h), preprocessed by the same
 * clang with the same parameters.
 *
 * The triple of the OpenCL driver interface ("nvcl") says of pointer parameters where
 * they point to: .ptr .shared is a __local one.
 */
#include "base/arena.h"
#include "base/asset.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/proc.h"
#include "model/clsource.h"
#include "toolchain/argv.h"
#include "toolchain/clang.h"
#include "toolchain/errlog.h"
#include "toolchain/ptxtext.h"
#include "toolchain/scratch.h"

static const char STANDARD[] = "-cl-std=CL1.2";

/* What preprocessing and compiling have in common. */
static void
add_common(struct argv *v, const struct lower_request *q, const struct clang *f)
{
	static const char *const fixed[] = {"-x", "cl", "-cl-no-stdinc", "-target",
		"nvptx64-nvidia-nvcl", "-nogpulib", NULL};
	argv_add(v, f->program);
	argv_add_each(v, "", fixed);
	if (!argv_has(q->flags, "-cl-std="))
		argv_add(v, STANDARD);
	argv_add_each(v, "-D", q->defines);
	argv_add_each(v, "-I", q->includes);
	argv_add_each(v, "", q->flags);
}

static void
add_target(struct argv *v, const struct lower_request *q, const struct clang *f,
	const char *dir)
{
	static const char *const fixed[] = {
		"-O3", "-gline-directives-only", "-S", "-Xclang", "-target-cpu", NULL};
	argv_add_each(v, "", fixed);
	argv_add(v, "-Xclang");
	argv_addf(v, "sm_%d", clang_arch(f->major, q->cc));
	argv_add(v, "-Xclang");
	argv_add(v, "-target-feature");
	argv_add(v, "-Xclang");
	argv_addf(v, "+ptx%d", clang_ptx(f->major));
	argv_add(v, "-include");
	argv_addf(v, "%s/opencl_shim.h", dir);
	argv_addf(v, "-ffile-prefix-map=%s/=", dir);
}

static struct proc_result
compile(struct argv *v, const struct lower_request *q)
{
	argv_add(v, "-o");
	argv_add(v, "-");
	argv_add(v, q->path);
	return proc_run(v->a, v->v,
		(struct proc_opts){.timeout_ns = q->timeout_ns, .output_max = 512 << 20});
}

static struct proc_result
to_ptx(struct arena *a, const struct lower_request *q, const struct clang *f)
{
	struct argv v = {.a = a};
	struct str shim;
	char *dir = scratch_make(a);
	if (!asset_find("templates/opencl_shim.h", &shim))
		BUG("no templates/opencl_shim.h in the program");
	fs_write(fs_join(a, dir, "opencl_shim.h"), shim, NULL);
	add_common(&v, q, f);
	add_target(&v, q, f, dir);
	struct proc_result p = compile(&v, q);
	scratch_remove(a, dir);
	p.err = scratch_hide(a, p.err, dir);
	return p;
}

/* --- the source that goes along -------------------------------------------------------
 */

/* `# 12 "NAME" 2` as `#line 12 "NAME"`, with the user's name of the file. */
static void
add_marker(struct arena *a, struct buf *b, struct str line)
{
	struct str number, rest = str_sub(line, 2, line.n);
	if (!str_split(&rest, ' ', &number) || rest.n < 2 || rest.s[0] != '"')
		return;
	size_t end = 1 + str_find(str_sub(rest, 1, rest.n), '"');
	struct str name = log_user_name(a, str_sub(rest, 1, end));
	if (name.n && name.s[0] != '<')
		buf_addf(b, "#line %.*s \"%.*s\"\n", STR_ARG(number), STR_ARG(name));
}

static bool
is_blank(struct str line)
{
	return str_trim(line).n == 0;
}

/* Runs of empty lines end at the next marker: nobody needs them. */
static struct str
with_markers(struct arena *a, const struct lower_request *q, struct str text)
{
	struct buf b = {.a = a};
	struct str line, staged = str_of(q->path), name = str_of(q->name);
	text = text_replace(a, text, staged, name);
	while (str_line(&text, &line)) {
		if (str_starts(line, "# "))
			add_marker(a, &b, line);
		else if (b.n || !is_blank(line)) {
			buf_addstr(&b, line);
			buf_addc(&b, '\n');
		}
	}
	return buf_str(&b);
}

/* Flags that an OpenCL runtime knows as well (clBuildProgram). */
static struct str
build_options(struct arena *a, const struct lower_request *q)
{
	struct buf b = {.a = a};
	if (!argv_has(q->flags, "-cl-std="))
		buf_adds(&b, STANDARD);
	for (const char *const *f = q->flags; f && *f; f++)
		if (str_starts(str_of(*f), "-cl-"))
			buf_addf(&b, "%s%s", b.n ? " " : "", *f);
	return buf_str(&b);
}

static void
run(struct arena *a, const struct lower_request *q, const struct clang *f,
	struct lower_result *r)
{
	struct argv v = {.a = a};
	struct proc_result p = to_ptx(a, q, f);
	r->log = p.err;
	r->ok = p.started && p.status == 0 && ptx_text_check(a, p.out, &r->log);
	if (r->ok) {
		struct buf b = {.a = a};
		buf_addstr(&b, p.out);
		add_common(&v, q, f);
		argv_add(&v, "-E");
		p = compile(&v, q);
		r->ok = p.started && p.status == 0;
		struct clsource s = {build_options(a, q), with_markers(a, q, p.out)};
		clsource_append(&b, &s);
		r->ptx = buf_str(&b);
		if (!r->ok)
			r->log = p.err;
	}
	r->transient = !r->ok && p.status < 0;
	if (!r->ok)
		log_explain(a, q, str_fmt(a, "clang: %s", proc_explain(a, &p)).s, r);
}

static bool
opencl_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	struct clang f = clang_find(a);
	bool able = f.program && clang_arch(f.major, q->cc);
	if (able)
		run(a, q, &f, r);
	else if (f.program)
		r->log = str_fmt(a,
			"this clang does not compile for compute capability %d.%d",
			q->cc / 10, q->cc % 10);
	else
		r->log = clang_probe(a).why;
	return able;
}

const struct toolchain toolchain_opencl = {
	.name = "opencl",
	.languages = "opencl",
	.about = "OpenCL C by clang, with a small header of our own",
	.probe = clang_probe,
	.lower = opencl_lower,
};
