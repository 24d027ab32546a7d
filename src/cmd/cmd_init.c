#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "toolchain/argv.h"
#include "toolchain/errlog.h"
#include "toolchain/starter.h"
#include "toolchain/toolchain.h"

#include <ctype.h>
#include <errno.h>

enum { MAX_ENTRIES = 64, MAX_MACROS = 32, DEFAULT_CC = 90 };

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
		"a macro the source needs: a parameter"},
	{"include", 'I', OPT_LIST, &includes, "DIR", "a folder for #include"},
	{"toolchain", 't', OPT_STR, &toolchain_name, "NAME",
		"lower with nvrtc, nvcc or clang; default: the first one here"},
	{"force", 'f', OPT_FLAG, &force, NULL, "overwrite FILE"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis =
		"lanewise init FILE.cu|FILE.ptx [-o lanewise.json] [--entry NAME]\n"
		"       [-D NAME=INTEGER]... [-I DIR]... [--toolchain NAME] [--force]",
	.about = "Writes a starter spec: lowers the file, reads each kernel's parameters "
		 "from the PTX\n"
		 "and their names and types from the source, and takes '#ifndef TILE / "
		 "#define TILE\n"
		 "128' and capitals that are defined nowhere as parameters. 'lanewise "
		 "space' accepts\n"
		 "it as it is; what was guessed is marked \"check\".",
	.after = "Exit status: 0 written, 2 trouble.",
};

struct init {
	struct arena *a;
	const char *file;
	struct str text;
	bool is_ptx;
	const struct toolchain *toolchain;
	struct toolchain_info info;
	struct starter s;
	struct str ptx;
};

static void
add_macro(struct init *in, struct str name, int64_t value)
{
	struct starter *s = &in->s;
	for (size_t i = 0; i < s->n_macros; i++)
		if (str_eq(s->macros[i].name, name))
			return;
	if (s->n_macros < MAX_MACROS)
		s->macros[s->n_macros++] = (struct scan_macro){name, value};
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
		add_macro(in, str_sub(d, 0, eq), value);
	}
	for (size_t i = 0; i < in->s.scan.n_macros; i++)
		add_macro(in, in->s.scan.macros[i].name, in->s.scan.macros[i].value);
}

static void
pick_toolchain(struct init *in)
{
	struct str why;
	const char *language = in->is_ptx ? "ptx" : "cuda";
	if (!toolchain_name) {
		in->toolchain = toolchain_pick(in->a, str_of(language), &in->info, &why);
		if (!in->toolchain)
			die("%.*s", STR_ARG(why));
		return;
	}
	in->toolchain = toolchain_find(str_of(toolchain_name));
	if (!in->toolchain || !toolchain_speaks(in->toolchain, str_of(language)))
		die("'%s' is no toolchain for %s; 'lanewise doctor' lists what is here",
			toolchain_name, in->is_ptx ? "PTX" : "CUDA C++");
	in->info = in->toolchain->probe(in->a);
	if (!in->info.present)
		die("toolchain '%s' is not here: %.*s", toolchain_name,
			STR_ARG(in->info.why));
	in->s.toolchain = toolchain_name;
}

static void
lower(struct init *in, struct lower_result *r)
{
	struct argv d = {.a = in->a};
	for (size_t i = 0; i < in->s.n_macros; i++) {
		struct str name = in->s.macros[i].name;
		argv_addf(
			&d, "%.*s=%lld", STR_ARG(name), (long long)in->s.macros[i].value);
	}
	struct lower_request q = {
		.source = in->text,
		.name = in->file,
		.path = in->file,
		.defines = d.v,
		.includes = includes.v,
		.cc = DEFAULT_CC,
		.timeout_ns = TIMEOUT_NS,
	};
	*r = (struct lower_result){0};
	if (!in->toolchain->lower(in->a, &q, r))
		die("%s: %.*s", in->toolchain->name, STR_ARG(r->log));
}

/* The name in 'identifier "TILE" is undefined' or "use of undeclared identifier 'TILE'",
 * if it is written in capitals: a macro that the build has to define. */
static bool
undefined_macro(struct str message, struct str *name)
{
	if (!str_has(message, STR_LIT("undefined")) &&
		!str_has(message, STR_LIT("undeclared")))
		return false;
	char quote = str_has(message, STR_LIT("\"")) ? '"' : '\'';
	struct str rest = str_sub(message, str_find(message, quote) + 1, message.n);
	*name = str_sub(rest, 0, str_find(rest, quote));
	for (size_t i = 0; i < name->n; i++)
		if (!isupper((unsigned char)name->s[i]) && name->s[i] != '_' &&
			(i == 0 || !isdigit((unsigned char)name->s[i])))
			return false;
	return name->n > 0 && name->n < rest.n;
}

/* Only what the compiler asks for is defined: a template parameter may be in capitals
 * too, and -D would break it.  Each try may name one more. */
static bool
lower_with_macros(struct init *in, struct lower_result *r)
{
	struct str name;
	for (;;) {
		size_t before = in->s.n_macros;
		lower(in, r);
		if (r->ok)
			break;
		if (undefined_macro(r->err_message, &name))
			add_macro(in, name, starter_guess(name));
		if (in->s.n_macros == before)
			return false;
	}
	in->ptx = r->ptx;
	return true;
}

/* NVRTC has no host headers, which a source may include: then nvcc may do. */
static bool
next_toolchain(struct init *in)
{
	const struct toolchain *const *t = toolchains;
	while (*t != in->toolchain)
		t++;
	for (t++; *t && !toolchain_name; t++) {
		if (!toolchain_speaks(*t, str_of(in->s.language)))
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
lower_somehow(struct init *in)
{
	struct lower_result first, r;
	struct str version = in->info.version;
	if (lower_with_macros(in, &first))
		return;
	while (next_toolchain(in))
		if (lower_with_macros(in, &r))
			return;
	fprintf(stderr, "%.*s", STR_ARG(first.log));
	die("'%s' does not compile with %.*s", in->file, STR_ARG(version));
}

static void
parse(struct init *in)
{
	struct source *src = arena_new(in->a, struct source);
	struct diag d = {0};
	*src = (struct source){in->file, in->ptx};
	in->s.ptx = ptx_parse(in->a, src, &d);
	if (!in->s.ptx)
		die("the PTX of '%s' cannot be read", in->file);
}

static bool
is_wanted(const struct ptx_func *f)
{
	return !entry || str_is(f->name, entry) || str_is(mangled_base(f->name), entry);
}

static size_t
choose_entries(struct init *in, const struct ptx_func **v)
{
	const struct ptx_func *all[MAX_ENTRIES];
	size_t n = starter_entries(in->s.ptx, all, MAX_ENTRIES), kept = 0;
	struct buf names = {.a = in->a};
	for (size_t i = 0; i < n; i++) {
		struct str base = mangled_base(all[i]->name);
		buf_addf(&names, "%s%.*s", i ? ", " : "", STR_ARG(base));
		if (is_wanted(all[i]))
			v[kept++] = all[i];
	}
	if (!n)
		die("'%s' has no kernel (a template is one only where it is "
		    "instantiated: "
		    "template __global__ void k<128>(float *);)",
			in->file);
	if (!kept)
		die("'%s' has no kernel '%s'; it has %s", in->file, entry, buf_c(&names));
	return kept;
}

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

/* A compiler for CUDA would only say what it does not understand. */
static void
refuse_others(const char *file)
{
	struct str f = str_of(file);
	bool opencl = str_ends(f, ".cl");
	if (opencl || str_ends(f, ".c"))
		die("'%s': init reads CUDA and PTX; for %s see %s", file,
			opencl ? "OpenCL C" : "C",
			opencl ? "docs/reference/opencl.md" : "docs/reference/host.md");
}

static void
start(struct init *in)
{
	struct argv dirs = {.a = in->a};
	refuse_others(in->file);
	if (fs_exists(in->file) && !fs_is_dir(in->file) && !fs_is_file(in->file))
		die("'%s' is a pipe or a device; a spec needs a file", in->file);
	if (!fs_try_read(in->a, in->file, &in->text))
		die("cannot read '%s': %s", in->file, strerror(errno));
	if (str_starts(str_of(from_spec(in->a, in->file)), "../"))
		die("'%s' is not below the folder of '%s': put the spec beside the "
		    "source or "
		    "above it with -o",
			in->file, out);
	in->is_ptx = str_ends(str_of(in->file), ".ptx");
	in->s.source = from_spec(in->a, in->file);
	in->s.language = in->is_ptx ? "ptx" : "cuda";
	in->s.macros = arena_news(in->a, MAX_MACROS, struct scan_macro);
	for (size_t i = 0; i < includes.n; i++)
		argv_add(&dirs, from_spec(in->a, includes.v[i]));
	in->s.includes = dirs.v;
	if (!in->is_ptx)
		in->s.scan = source_scan(in->a, in->text);
	add_defines(in);
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct init in = {.a = a};
	const struct ptx_func *entries[MAX_ENTRIES];
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
	in.file = argv[0];
	start(&in);
	pick_toolchain(&in);
	lower_somehow(&in);
	parse(&in);
	size_t n = choose_entries(&in, entries);
	if (!starter_write(a, &in.s, entries, n, &text, &why))
		die("%.*s%s", STR_ARG(why),
			n > 1 ? "; or leave it out with --entry" : "");
	fs_put(out, text);
	printf("%s: %zu kernel%s of %s, lowered by %.*s; look at every \"check\" in it, "
	       "then: "
	       "lanewise space %s\n",
		out, n, n == 1 ? "" : "s", in.file, STR_ARG(in.info.version), out);
	return EXIT_YES;
}

const struct command cmd_init = {
	.name = "init",
	.about = "write a starter spec for a kernel's source",
	.run = run,
};
