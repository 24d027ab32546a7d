#include "toolchain/cudahome.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/proc.h"
#include "toolchain/argv.h"

#include <ctype.h>
#include <unistd.h>

struct roots {
	struct arena *a;
	struct argv v;
	struct map seen;
};

static void
add(struct roots *r, const char *dir)
{
	bool added;
	if (!dir || !*dir || !fs_is_dir(dir))
		return;
	map_put(&r->seen, str_of(dir), &added);
	if (added)
		argv_add(&r->v, dir);
}

/* /usr/local/cuda-13.0 of /usr/local/cuda/bin/nvcc; a wrapper in /usr/bin says nothing.
 */
static void
add_of_program(struct roots *r, const char *name)
{
	char *program = fs_which(r->a, name), real[4096];
	if (!program)
		return;
	ssize_t n = readlink(program, real, sizeof real - 1);
	if (n > 0) {
		real[n] = 0;
		program = fs_join(r->a, fs_dirname(r->a, program), real);
	}
	char *root = fs_dirname(r->a, fs_dirname(r->a, program));
	if (strcmp(root, "/usr") != 0 && strcmp(root, "/") != 0)
		add(r, root);
}

static void
add_python_packages(struct roots *r, const char *packages)
{
	static const char *const inner[] = {
		"cu14", "cu13", "cuda_nvrtc", "cuda_nvcc", "cuda_runtime"};
	char *vendor = fs_join(r->a, packages, "nvidia");
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		add(r, fs_join(r->a, vendor, inner[i]));
}

static void
add_python(struct roots *r, const char *lib)
{
	const char **names;
	size_t n = fs_list(r->a, lib, &names);
	for (size_t i = n; i-- > 0;) {
		if (!str_starts(str_of(names[i]), "python3"))
			continue;
		char *dir = fs_join(r->a, lib, names[i]);
		add_python_packages(r, fs_join(r->a, dir, "site-packages"));
		add_python_packages(r, fs_join(r->a, dir, "dist-packages"));
	}
}

static void
add_pythons(struct roots *r)
{
	const char *venv = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
	const char *home = getenv("HOME");
	if (venv)
		add_python(r, fs_join(r->a, venv, "lib"));
	if (conda)
		add_python(r, fs_join(r->a, conda, "lib"));
	if (home && home[0] == '/')
		add_python(r, fs_join(r->a, home, ".local/lib"));
	add_python(r, "/usr/local/lib");
	add_python(r, "/usr/lib");
}

size_t
cuda_roots(struct arena *a, const char ***roots)
{
	struct roots r = {.a = a, .v = {.a = a}, .seen = {.a = a}};
	add(&r, getenv("CUDA_HOME"));
	add(&r, getenv("CUDA_PATH"));
	add_of_program(&r, "nvcc");
	add_of_program(&r, "ptxas");
	add(&r, "/usr/local/cuda");
	add(&r, "/opt/cuda");
	add_pythons(&r);
	*roots = r.v.v;
	return r.v.n;
}

char *
cuda_program(struct arena *a, const char *name)
{
	char *found = fs_which(a, name);
	const char **roots;
	size_t n = found ? 0 : cuda_roots(a, &roots);
	for (size_t i = 0; !found && i < n; i++)
		found = fs_which(a, fs_join(a, fs_join(a, roots[i], "bin"), name));
	return found;
}

const char *const *
cuda_includes(struct arena *a)
{
	struct argv v = {.a = a};
	const char **roots;
	size_t n = cuda_roots(a, &roots);
	for (size_t i = 0; i < n; i++) {
		char *dir = fs_join(a, roots[i], "include"),
		     *cccl = fs_join(a, dir, "cccl");
		if (!fs_exists(fs_join(a, dir, "cuda_runtime.h")))
			continue;
		argv_add(&v, dir);
		if (fs_is_dir(cccl))
			argv_add(&v, cccl);
		return v.v;
	}
	return arena_news(a, 1, const char *);
}

struct str
cuda_version_word(struct str text)
{
	for (size_t i = 0; i + 1 < text.n; i++) {
		if (text.s[i] != 'V' || !isdigit((unsigned char)text.s[i + 1]))
			continue;
		size_t end = ++i;
		while (end < text.n &&
			(isdigit((unsigned char)text.s[end]) || text.s[end] == '.'))
			end++;
		return str_sub(text, i, end);
	}
	return (struct str){0};
}

struct toolchain_info
cuda_program_probe(struct arena *a, const char *name, const char *absent)
{
	struct toolchain_info info = {0};
	char *program = cuda_program(a, name);
	if (!program) {
		info.why = str_of(absent);
		return info;
	}
	const char *argv[] = {program, "--version", NULL};
	struct proc_result v =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 30000000000});
	struct str word = cuda_version_word(v.out);
	if (!v.started || v.status != 0 || !word.n) {
		info.why = str_fmt(a, "'%s --version' failed: %s", program,
			v.started ? proc_explain(a, &v) : v.err.s);
		return info;
	}
	info.present = true;
	info.version = str_fmt(a, "%s %.*s", name, STR_ARG(word));
	info.path = str_of(program);
	return info;
}
