#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/cmd.h"
#include "cmd/doctor_opencl.h"
#include "graph/leaf.h"
#include "toolchain/argv.h"
#include "toolchain/errlog.h"
#include "toolchain/samecode.h"
#include "toolchain/starter.h"
#include "toolchain/toolchain.h"

#include <ctype.h>
#include <errno.h>

enum { MAX_ENTRIES = 64, MAX_MACROS = 32, DEFAULT_CC = 90, OPENCL_CC = 80 };

/* A compiler that hangs must end, as in node_lower.c. */
static const int64_t TIMEOUT_NS = 600 * INT64_C(1000000000);

static const char *out = "lanewise.json", *entry, *toolchain_name;
static struct opt_list defines, includes;
static bool force;

static const struct opt opts[] = {
	{"output", 'o', OPT_STR, &out, "FILE", "write FILE (default: lanewise.json)"},
	{"entry", 'e', OPT_STR, &entry, "NAME",
		"describe only this kernel; default: all there are"},
	{"define", 'D', OPT_LIST, &defines, "NAME=INTEGER",
		"a macro the source needs: a parameter (may repeat)"},
	{"include", 'I', OPT_LIST, &includes, "DIR",
		"a folder for #include (may repeat)"},
	{"toolchain", 't', OPT_STR, &toolchain_name, "NAME",
		"lower with nvrtc, nvcc or clang; default: the first one here"},
	{"force", 'f', OPT_FLAG, &force, NULL, "overwrite FILE"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis =
		"lanewise init FILE.cu|FILE.cl|FILE.c|FILE.ptx [-o lanewise.json]\n"
		"       [--entry NAME]\n"
		"       [-D NAME=INTEGER]... [-I DIR]... [--toolchain NAME] [--force]",
	.about =
		"Writes a starter spec: lowers the file, reads each kernel's parameters "
		"from the PTX\n"
		"(of C: from the source) and their names and types from the source, and "
		"takes\n"
		"'#ifndef TILE / #define TILE 128' and capitals that are defined nowhere "
		"as\n"
		"parameters of the kernels that they change. 'lanewise space' accepts it "
		"as it is;\n"
		"what was guessed is marked \"check\". Of C, functions that return void "
		"and are not\n"
		"static are kernels.",
	.after = "Exit status: 0 written, 2 trouble.",
};

struct init {
	struct arena *a;
	const char *file;
	struct str text, language;
	const struct toolchain *toolchain;
	struct toolchain_info info;
	struct scan scan;
	struct starter_macro macros[MAX_MACROS]; /* fixed: the file needs them */
	size_t n_macros;
	struct starter s;
	struct starter_kernel kernels[MAX_ENTRIES];
	size_t n_kernels;
};

static bool
is_c(const struct init *in)
{
	return str_is(in->language, "c");
}

static void
add_macro(struct init *in, struct str name, int64_t value, bool needed)
{
	for (size_t i = 0; i < in->n_macros; i++)
		if (str_eq(in->macros[i].name, name))
			return;
	if (in->n_macros < MAX_MACROS)
		in->macros[in->n_macros++] = (struct starter_macro){name, value, needed};
}

static void
add_defines(struct init *in)
{
	for (size_t i = 0; i < defines.n; i++) {
		struct str d = str_of(defines.v[i]);
		size_t eq = str_find(d, '=');
		int64_t value;
		if (eq == d.n || !str_to_i64(str_sub(d, eq + 1, d.n), &value))
			opt_fail(&usage, "'-D %s' is not NAME=INTEGER", defines.v[i]);
		add_macro(in, str_sub(d, 0, eq), value, true);
	}
	for (size_t i = 0; i < in->scan.n_macros; i++)
		add_macro(in, in->scan.macros[i].name, in->scan.macros[i].value, false);
}

static const char *
language_name(const struct init *in)
{
	return is_c(in)                         ? "C"
	       : str_is(in->language, "ptx")    ? "PTX"
	       : str_is(in->language, "opencl") ? "OpenCL C"
						: "CUDA C++";
}

static void
pick_toolchain(struct init *in)
{
	struct str why;
	if (!toolchain_name) {
		in->toolchain = toolchain_pick(in->a, in->language, &in->info, &why);
		if (!in->toolchain)
			die("%.*s", STR_ARG(why));
		return;
	}
	in->toolchain = toolchain_find(str_of(toolchain_name));
	if (!in->toolchain || !toolchain_speaks(in->toolchain, in->language))
		die("'%s' is no toolchain for %s; 'lanewise doctor' lists what is here",
			toolchain_name, language_name(in));
	in->info = in->toolchain->probe(in->a);
	if (!in->info.present)
		die("toolchain '%s' is not here: %.*s", toolchain_name,
			STR_ARG(in->info.why));
	in->s.toolchain = toolchain_name;
}

/* Without what the function in question does not need, so that it can be compared. */
static const char *const c_flags[] = {
	"-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", NULL};

/* k: a function in C, which is compiled for itself; NULL: the whole file. */
static void
lower(struct init *in, const struct scan_kernel *k, struct lower_result *r)
{
	struct argv d = {.a = in->a};
	struct str why;
	for (size_t i = 0; i < in->n_macros; i++)
		argv_addf(&d, "%.*s=%lld", STR_ARG(in->macros[i].name),
			(long long)in->macros[i].value);
	struct lower_request q = {
		.source = in->text,
		.name = in->file,
		.path = in->file,
		.defines = d.v,
		.includes = includes.v,
		.flags = k ? c_flags : NULL,
		.entry = k ? k->name : (struct str){0},
		.cc = str_is(in->language, "opencl") ? OPENCL_CC : DEFAULT_CC,
		.timeout_ns = TIMEOUT_NS,
	};
	*r = (struct lower_result){0};
	if (k && !starter_signature(in->a, k, &q.signature, &why))
		die("%.*s", STR_ARG(why));
	if (!in->toolchain->lower(in->a, &q, r))
		die("%s: %.*s", in->toolchain->name, STR_ARG(r->log));
}

static bool
is_quote(char c)
{
	return c == '"' || c == '\'' || (c & 0x80);
}

/* The name in 'identifier "TILE" is undefined' or "use of undeclared identifier 'TILE'",
 * if it is written in capitals: a macro that the build has to define. */
static bool
undefined_macro(struct str message, struct str *name)
{
	if (!str_has(message, STR_LIT("undefined")) &&
		!str_has(message, STR_LIT("undeclared")))
		return false;
	/* Quotes of gcc may be three bytes long; names have none above 127. */
	size_t from = 0;
	while (from < message.n && !is_quote(message.s[from]))
		from++;
	while (from < message.n && is_quote(message.s[from]))
		from++;
	struct str rest = str_sub(message, from, message.n);
	*name = rest;
	name->n = 0;
	while (name->n < rest.n && !is_quote(rest.s[name->n]))
		name->n++;
	for (size_t i = 0; i < name->n; i++)
		if (!isupper((unsigned char)name->s[i]) && name->s[i] != '_' &&
			(i == 0 || !isdigit((unsigned char)name->s[i])))
			return false;
	return name->n > 0 && name->n < rest.n;
}

/* Only what the compiler asks for is defined: a template parameter may be in capitals
 * too, and -D would break it.  Each try may name one more. */
static bool
lower_with_macros(struct init *in, const struct scan_kernel *k, struct lower_result *r)
{
	struct str name;
	for (;;) {
		size_t before = in->n_macros;
		lower(in, k, r);
		if (r->ok)
			return true;
		if (undefined_macro(r->err_message, &name))
			add_macro(in, name, starter_guess(name), true);
		if (in->n_macros == before)
			return false;
	}
}

/* NVRTC has no host headers, which a source may include: then nvcc may do. */
static bool
next_toolchain(struct init *in)
{
	const struct toolchain *const *t = toolchains;
	while (*t != in->toolchain)
		t++;
	for (t++; *t && !toolchain_name; t++) {
		if (!toolchain_speaks(*t, in->language))
			continue;
		in->info = (*t)->probe(in->a);
		if (!in->info.present)
			continue;
		in->toolchain = *t;
		in->s.toolchain = (*t)->name;
		return true;
	}
	return false;
}

static void
lower_somehow(struct init *in, const struct scan_kernel *k, struct lower_result *r)
{
	struct lower_result first;
	struct str version = in->info.version;
	if (lower_with_macros(in, k, r))
		return;
	first = *r;
	while (next_toolchain(in))
		if (lower_with_macros(in, k, r))
			return;
	shown_print_lines(stderr, first.log);
	if (first.log.n && !str_ends(first.log, "\n"))
		fputc('\n', stderr);
	die("'%s' does not compile with %.*s", in->file, STR_ARG(version));
}

static const struct ptx_module *
parse(struct init *in, struct str ptx)
{
	struct source *src = arena_new(in->a, struct source);
	struct diag d = {0};
	*src = (struct source){in->file, ptx};
	const struct ptx_module *m = ptx_parse(in->a, src, &d);
	if (!m)
		die("the PTX of '%s' cannot be read", in->file);
	return m;
}

/* --- kernels ------------------------------------------------------------------------ */

static bool
is_wanted(struct str name)
{
	return !entry || str_is(name, entry) || str_is(mangled_base(name), entry);
}

static void
none_of(const struct init *in, struct buf *names)
{
	if (names->n && entry)
		die("'%s' has no kernel '%s'; it has %s", in->file, entry, buf_c(names));
	if (is_c(in))
		die("'%s' has no function that could be a kernel: one that returns void "
		    "and is not static, or name it with --entry",
			in->file);
	if (str_is(in->language, "opencl"))
		die("'%s' has no kernel: __kernel void k(__global float *p)", in->file);
	die("'%s' has no kernel (a template is one only where it is "
	    "instantiated: "
	    "template __global__ void k<128>(float *);)",
		in->file);
}

static void
add_name(struct buf *names, struct str name)
{
	buf_addf(names, "%s%.*s", names->n ? ", " : "", STR_ARG(name));
}

static void
choose_entries(struct init *in)
{
	const struct ptx_func *all[MAX_ENTRIES];
	size_t n = starter_entries(in->s.ptx, all, MAX_ENTRIES);
	struct buf names = {.a = in->a};
	for (size_t i = 0; i < n; i++) {
		struct str base = mangled_base(all[i]->name);
		add_name(&names, base);
		if (is_wanted(all[i]->name))
			in->kernels[in->n_kernels++] = (struct starter_kernel){
				.f = all[i],
				.source = scan_find(&in->scan, base, all[i]->n_params)};
	}
	if (!in->n_kernels)
		none_of(in, &names);
}

static void
choose_functions(struct init *in)
{
	struct buf names = {.a = in->a};
	for (size_t i = 0; i < in->scan.n_kernels; i++) {
		const struct scan_kernel *k = &in->scan.kernels[i];
		add_name(&names, k->name);
		if ((entry ? str_is(k->name, entry) : k->open) &&
			in->n_kernels < MAX_ENTRIES)
			in->kernels[in->n_kernels++] =
				(struct starter_kernel){.source = k};
	}
	if (!in->n_kernels)
		none_of(in, &names);
}

/* --- which macros are parameters of which kernel ------------------------------------ */

/* Compiled with another value of one macro; false: it does not compile with one. */
static bool
lower_changed(struct init *in, const struct scan_kernel *k, struct starter_macro *m,
	struct lower_result *r)
{
	int64_t was = m->value,
		other[] = {was ? 2 * was : 1, was > 1 ? was / 2 : was + 3};
	bool ok = false;
	for (size_t i = 0; i < 2 && !ok; i++) {
		m->value = other[i];
		lower(in, k, r);
		ok = r->ok;
	}
	m->value = was;
	return ok;
}

static bool
is_same(const struct init *in, const struct starter_kernel *k, struct str before,
	struct str after, const struct ptx_module *m)
{
	return k->f ? same_code(in->s.ptx, m, k->f->name) : str_eq(before, after);
}

static bool
has_other_bounds(const struct starter_kernel *k, const struct ptx_module *m)
{
	const struct ptx_func *f = m ? ptx_find_func(m, k->f->name) : NULL;
	return f && memcmp(&f->maxntid, &k->f->maxntid, sizeof f->maxntid) != 0;
}

/* A macro that changes nothing of a kernel is no parameter of it; what the file does not
 * compile without keeps its value. */
static void
add_parameter(struct init *in, struct starter_kernel *v, size_t n, struct str before,
	struct starter_macro *m)
{
	const struct scan_kernel *source = is_c(in) ? v->source : NULL;
	const struct ptx_module *other = NULL;
	struct lower_result r;
	bool ok = lower_changed(in, source, m, &r);
	if (ok && !source)
		other = parse(in, r.ptx);
	for (size_t k = 0; k < n; k++) {
		bool same = ok && is_same(in, &v[k], before, r.ptx, other);
		v[k].bounds_vary |= has_other_bounds(&v[k], other);
		if (!same || m->fixed)
			v[k].macros[v[k].n_macros++] =
				(struct starter_macro){m->name, m->value, same};
	}
}

static void
add_parameters(struct init *in, struct starter_kernel *v, size_t n, struct str before)
{
	for (size_t k = 0; k < n; k++)
		v[k].macros = arena_news(in->a, MAX_MACROS, struct starter_macro);
	for (size_t i = 0; i < in->n_macros; i++)
		add_parameter(in, v, n, before, &in->macros[i]);
}

static void
describe_entries(struct init *in)
{
	struct lower_result r;
	lower_somehow(in, NULL, &r);
	in->s.ptx = parse(in, r.ptx);
	choose_entries(in);
	if (!str_is(in->language, "ptx"))
		add_parameters(in, in->kernels, in->n_kernels, r.ptx);
}

static void
describe_functions(struct init *in)
{
	choose_functions(in);
	for (size_t i = 0; i < in->n_kernels; i++) {
		struct lower_result r;
		lower_somehow(in, in->kernels[i].source, &r);
		add_parameters(in, &in->kernels[i], 1, r.ptx);
	}
}

/* --- the spec ----------------------------------------------------------------------- */

/* The name as it stands in JSON. */
static const char *
json_path(struct arena *a, const char *path)
{
	struct buf b = {.a = a};
	for (; *path; path++) {
		if (*path == '"' || *path == '\\')
			buf_addc(&b, '\\');
		buf_addc(&b, *path);
	}
	return buf_c(&b);
}

/* A path given on the command line, as the spec has to say it. */
static const char *
from_spec(struct arena *a, const char *path)
{
	const char *cwd = fs_cwd(a);
	const char *dir = fs_normal(a, fs_join(a, cwd, fs_dirname(a, out)));
	return json_path(a, fs_relative(a, dir, fs_normal(a, fs_join(a, cwd, path))));
}

static struct str
language_of(struct str file)
{
	return str_ends(file, ".ptx")  ? STR_LIT("ptx")
	       : str_ends(file, ".cl") ? STR_LIT("opencl")
	       : str_ends(file, ".c")  ? STR_LIT("c")
				       : STR_LIT("cuda");
}

/* The first device, if there is one: without it the kernel is judged for a GPU. */
static const char *
opencl_device(struct arena *a)
{
	struct inventory v = {0};
	doctor_opencl(a, &v);
	for (size_t i = 0; i < v.n; i++)
		if (v.v[i].present)
			return "opencl:0";
	return NULL;
}

/* A compiler that opens a pipe waits for ever. */
static void
check_includes(struct init *in)
{
	struct leaves l = {.a = in->a};
	struct diag d = {0};
	struct leaf *f = leaf_add(&l, in->file, (struct place){0}, &d);
	if (!f || !leaf_scan(&l, f, includes.v, includes.n, &d))
		exit(EXIT_TROUBLE);
}

static void
start(struct init *in)
{
	struct argv dirs = {.a = in->a};
	if (fs_exists(in->file) && !fs_is_dir(in->file) && !fs_is_file(in->file))
		die("'%s' is a pipe or a device; a spec needs a file", in->file);
	if (!fs_try_read(in->a, in->file, &in->text))
		die("cannot read '%s': %s", in->file, strerror(errno));
	if (str_starts(str_of(from_spec(in->a, in->file)), "../"))
		die("'%s' is not below the folder of '%s': put the spec beside the "
		    "source or "
		    "above it with -o",
			in->file, out);
	check_includes(in);
	in->language = language_of(str_of(in->file));
	in->s.source = from_spec(in->a, in->file);
	in->s.language = in->language.s;
	for (size_t i = 0; i < includes.n; i++)
		argv_add(&dirs, from_spec(in->a, includes.v[i]));
	in->s.includes = dirs.v;
	if (!str_is(in->language, "ptx"))
		in->scan = source_scan(in->a, in->text, in->language);
	in->s.dynamic_shared_bytes = in->scan.dynamic_shared_bytes;
	add_defines(in);
	pick_toolchain(in);
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct init in = {.a = a};
	struct str text, why;
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc == 0)
		opt_fail(&usage, "which file?");
	if (argc > 1)
		opt_fail(&usage, "one file at a time, not '%s' too", argv[1]);
	if (fs_exists(out) && !force)
		die("'%s' exists; choose another file with -o, or overwrite it with "
		    "--force",
			out);
	fs_need_place(out);
	in.file = argv[0];
	start(&in);
	if (is_c(&in))
		describe_functions(&in);
	else
		describe_entries(&in);
	if (str_is(in.language, "opencl"))
		in.s.device = opencl_device(a);
	size_t n = in.n_kernels;
	if (!starter_write(a, &in.s, in.kernels, n, &text, &why))
		die("%.*s%s", STR_ARG(why),
			n > 1 ? "; or leave it out with --entry" : "");
	fs_put(out, text);
	printf("%s: %zu kernel%s of %s, lowered by %.*s; look at every \"check\" in it, "
	       "then: "
	       "lanewise space %s\n",
		out, n, str_plural(n), in.file, STR_ARG(in.info.version), out);
	return EXIT_YES;
}

const struct command cmd_init = {
	.name = "init",
	.about = "write a starter spec for a kernel's source",
	.run = run,
};
