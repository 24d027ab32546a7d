#include "graph/graph.h"

#include "base/arena.h"
#include "base/asset.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/proc.h"
#include "format/ninja.h"
#include "graph/devices.h"
#include "graph/launchers.h"
#include "graph/manifest.h"
#include "graph/obstacle.h"
#include "graph/points.h"
#include "graph/printer.h"
#include "graph/replay.h"
#include "graph/searching.h"
#include "toolchain/cudahome.h"

#include <errno.h>
#include <unistd.h>

static const char OURS[] = "# Written by 'lanewise graph'";

static struct str
first_line(struct arena *a, const char *program)
{
	const char *argv[] = {program, "--version", NULL};
	struct proc_result r = proc_run(
		a, argv, (struct proc_opts){.timeout_ns = 10000000000, .merge = true});
	struct str line = {0}, rest = r.out;
	if (r.started && r.status == 0 && str_line(&rest, &line))
		return str_trim(line);
	return STR_LIT("cc");
}

/* It says "Version 2025.3.1.0 (build 36398880)" on a line of its own. */
static struct toolchain_info
probe_checker(struct arena *a)
{
	struct toolchain_info info = {0};
	char *program = cuda_program(a, "compute-sanitizer");
	struct str line, rest;
	if (!program)
		return info;
	const char *argv[] = {program, "--version", NULL};
	struct proc_result r = proc_run(
		a, argv, (struct proc_opts){.timeout_ns = 30000000000, .merge = true});
	rest = r.out;
	while (str_line(&rest, &line))
		if (str_starts(line, "Version "))
			info.version = str_fmt(a, "compute-sanitizer %.*s",
				STR_ARG(str_trim(str_sub(line, 8, line.n))));
	info.present = r.started && r.status == 0 && info.version.n;
	info.path = str_of(program);
	return info;
}

static bool
is_theirs(struct arena *a, const char *path)
{
	struct str text;
	/* An empty one is nobody's: a disk was full, or a power cut came. */
	return fs_try_read(a, path, &text) && text.n && !str_starts(text, OURS);
}

/* The manifest's name: never a file that somebody else wrote. */
static const char *
manifest_file(struct arena *a)
{
	static const char *const names[] = {"build.ninja", "lanewise.ninja"};
	for (size_t i = 0; i < 2; i++)
		if (!is_theirs(a, names[i]))
			return names[i];
	die("build.ninja and lanewise.ninja are both here and not written by lanewise; "
	    "rename one of them");
}

static const char *
self_from_here(struct arena *a)
{
	const char *self = proc_self(a), *on_path = fs_which(a, "lanewise");
	char real[4096];
	/* A name found on PATH survives moving the checkout; a path into a build folder
	 * is at least relative. */
	if (on_path && realpath(on_path, real) && strcmp(real, self) == 0)
		return "lanewise";
	const char *path = fs_relative(a, fs_cwd(a), self);
	/* A shell looks for a name alone on PATH. */
	return strchr(path, '/') ? path : str_fmt(a, "./%s", path).s;
}

static const char *
options_text(struct arena *a, const struct graph_opts *o, const char *spec)
{
	struct buf b = {.a = a};
	ninja_shell_word(&b, str_of(spec));
	const char *const opt[][2] = {{"backend", o->backend}, {"device", o->device},
		{"devices", o->devices}, {"allow-unsafe --reason", o->unsafe},
		{"launcher", o->launcher}, {"device-launcher", o->device_launcher},
		{"strategy", o->strategy}, {"budget", o->budget}};
	for (size_t i = 0; i < sizeof opt / sizeof opt[0]; i++)
		if (opt[i][1]) {
			buf_addf(&b, " --%s ", opt[i][0]);
			ninja_shell_word(&b, str_of(opt[i][1]));
		}
	if (o->seed)
		buf_addf(&b, " --seed %ld", o->seed);
	if (o->batch)
		buf_addf(&b, " --batch %ld", o->batch);
	if (o->no_worker)
		buf_adds(&b, " --no-worker");
	if (o->replay)
		buf_adds(&b, " --replay");
	return buf_c(&b);
}

static void
write_rules(struct arena *a)
{
	for (size_t i = 0; i < n_assets; i++)
		if (strncmp(assets[i].path, "rules/", 6) == 0)
			fs_write(str_fmt(a, ".lanewise/%s", assets[i].path).s,
				(struct str){(const char *)assets[i].data, assets[i].n},
				NULL);
}

static void
seed_dyndeps(struct arena *a, const struct plan *p, const struct plan_kernel *k)
{
	for (size_t i = 0; i < k->n_specializations; i++) {
		const struct plan_specialization *s = &k->specializations[i];
		const char *path =
			str_fmt(a, "%s/gate/%.*s.dd", k->dir, STR_ARG(s->name)).s;
		if (!fs_exists(path))
			fs_write(path, manifest_seed_dyndep(a, p, k, s), NULL);
	}
}

static const char *const *
tool_files(struct arena *a, const struct graph *g)
{
	struct map seen = {.a = a};
	const struct plan *p = &g->plan;
	const char *self = fs_relative(a, fs_cwd(a), proc_self(a));
	map_put(&seen, str_of(self), NULL);
	for (size_t i = 0; i < p->n_kernels; i++)
		if (p->kernels[i].toolchain_path.n)
			map_put(&seen, p->kernels[i].toolchain_path, NULL);
	if (g->ptxas.n)
		map_put(&seen, g->ptxas, NULL);
	if (p->checker.present && p->checker.path.n)
		map_put(&seen, p->checker.path, NULL);
	const char **list = arena_news(a, seen.n + 1, const char *);
	for (size_t i = 0; i < seen.n; i++)
		list[i] = str_c(a, seen.keys[i]);
	return list;
}

static void
write_kernel(struct arena *a, const struct plan *p, const struct plan_kernel *k,
	struct str *text)
{
	*text = manifest_kernel_text(a, p, k);
	fs_write(manifest_kernel_file(a, k), *text, NULL);
	fs_write(fs_join(a, k->dir, "points.json"), points_text(a, p, k), NULL);
	fs_write(fs_join(a, k->dir, "pins.json"), pins_json(a, p, k), NULL);
	const char *search = fs_join(a, k->dir, "search.json");
	if (k->searches)
		fs_write(search, searching_text(a, k), NULL);
	else
		fs_remove(search);
	seed_dyndeps(a, p, k);
}

static void
write_all(struct arena *a, struct graph *g)
{
	struct plan *p = &g->plan;
	struct str *texts = arena_news(a, p->n_kernels, struct str);
	write_rules(a);
	fs_write(".lanewise/.gitignore", STR_LIT("*\n"), NULL);
	for (size_t i = 0; i < p->n_devices; i++)
		fs_write(device_file(a, i), device_write(a, p->devices[i]), NULL);
	struct device limits = device_limits(p->device);
	fs_write(LIMITS_FILE, device_write(a, &limits), NULL);
	bool alone = g->opts->no_worker || launchers_measure(g->opts, p->spec);
	fs_write(".lanewise/worker",
		g->opts->replay ? STR_LIT(REPLAY_WORKER)
		: alone         ? STR_LIT("none\n")
				: STR_LIT("shared\n"),
		NULL);
	for (size_t i = 0; i < p->n_kernels; i++)
		write_kernel(a, p, &p->kernels[i], &texts[i]);
	launchers_write(a, g->opts, p->spec, self_from_here(a));
	struct manifest_names names = {
		.file = g->file,
		.spec = g->spec,
		.lanewise = self_from_here(a),
		.options = options_text(a, g->opts, g->spec),
		.tools = tool_files(a, g),
	};
	fs_write(g->file, manifest_text(a, p, &names, texts), NULL);
}

bool
graph_write(struct arena *a, struct graph *g, bool waiting, struct diag *d)
{
	if (!plan_fill(a, &g->plan, waiting, d))
		return false;
	devices_shard(a, &g->plan);
	write_all(a, g);
	return true;
}

static const char *
enter_project(struct arena *a, const char *spec)
{
	const char *path = spec ? spec : "lanewise.json";
	if (!*path || fs_is_dir(path))
		die("'%s' is no file; name the spec in it: 'FOLDER/lanewise.json'", path);
	const char *dir = fs_dirname(a, path);
	if (strcmp(dir, ".") != 0 && chdir(dir) != 0)
		die("cannot enter '%s': %s", dir, strerror(errno));
	return fs_basename(path);
}

/* Words of the command line end up in the graph, where a line break cannot be written. */
static bool
is_one_line(const char *option, const char *text, struct diag *d)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < 0x20) {
			diag_error(d, (struct place){0},
				"'%s' must be one line of plain text", option);
			return false;
		}
	return true;
}

/* The epoch is a number in a file, so that it outlives the graph. */
static long
current_epoch(struct arena *a, bool next)
{
	static const char file[] = ".lanewise/epoch";
	struct str text;
	int64_t n = 0;
	if (fs_try_read(a, file, &text) && !str_to_i64(str_trim(text), &n))
		n = 0;
	if (next)
		fs_write(file, str_fmt(a, "%lld\n", (long long)++n), NULL);
	return (long)n;
}

/* Device and tools as they are here. */
static bool
look(struct arena *a, struct graph *g, const struct graph_opts *o, struct diag *d)
{
	struct plan *p = &g->plan;
	struct toolchain_info ptxas = ptxas_probe(a);
	if (!devices_choose(a, g, o, d))
		return false;
	/* An OpenCL runtime compiles for itself, and what checks GPUs does not know it.
	 */
	bool gpu = p->device->cc_major > 0 && strcmp(p->backend, "opencl") != 0;
	p->epoch = current_epoch(a, o->remeasure);
	p->assembler = gpu && ptxas.present ? ptxas.version : STR_LIT("none");
	g->ptxas = ptxas.present ? ptxas.path : (struct str){0};
	p->compiler = first_line(a, "cc");
	if (gpu && plan_measures(p))
		p->checker = probe_checker(a);
	return true;
}

/* As they were where the cache's measurements were made. */
static bool
take(struct arena *a, struct graph *g, const struct graph_opts *o, const char *spec,
	struct diag *d)
{
	if (o->device || o->devices || o->backend || o->remeasure) {
		diag_error(d, (struct place){0},
			"'--replay' measures nothing and takes the device from the "
			"cache: "
			"it goes without --backend, --device, --devices and --remeasure");
		return false;
	}
	return replay_take(a, &g->plan, spec, d);
}

/* --- searches ----------------------------------------------------------------------- */

static const char WALL_FILE[] = ".lanewise/wall";

/* A line of seconds for each batch. */
static void
read_wall(struct arena *a, struct plan *p)
{
	struct str text, line;
	size_t cap = 0;
	double s;
	if (!fs_try_read(a, WALL_FILE, &text))
		return;
	while (str_line(&text, &line) && str_to_f64(line, &s) && s >= 0) {
		arena_grow(a, p->wall_s, p->n_wall, cap);
		p->wall_s[p->n_wall++] = s;
	}
}

void
graph_save_wall(struct arena *a, const struct plan *p)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < p->n_wall; i++)
		buf_addf(&b, "%.3f\n", p->wall_s[i]);
	fs_write(WALL_FILE, buf_str(&b), NULL);
}

/* What the command line asks of a search. */
static bool
search_options(struct plan *p, const struct graph_opts *o, struct diag *d)
{
	p->search.strategy.s = o->strategy ? str_of(o->strategy) : (struct str){0};
	p->search.seed = (uint64_t)o->seed;
	p->search.batch = (uint64_t)o->batch;
	if (!o->budget || budget_parse(str_of(o->budget), &p->search.budget))
		return true;
	diag_error(d, (struct place){0},
		"'--budget' wants a number of candidates, 200, or a time, 90s, 10m, 2h, "
		"or one of the device, device:60s; not '%s'",
		o->budget);
	return false;
}

static void
recall(struct plan *p)
{
	for (size_t i = 0; i < p->n_kernels; i++)
		for (size_t z = 0; p->kernels[i].searches && z < p->kernels[i].k->n_sizes;
			z++)
			searching_recall(&p->kernels[i].searches[z]);
}

static bool
are_plain(const struct graph_opts *o, struct diag *d)
{
	return is_one_line("--reason", o->unsafe, d) &&
	       is_one_line("--device", o->device, d) &&
	       is_one_line("--devices", o->devices, d) &&
	       is_one_line("--launcher", o->launcher, d) &&
	       is_one_line("--device-launcher", o->device_launcher, d) &&
	       is_one_line("--backend", o->backend, d);
}

static struct graph *
open_here(
	struct arena *a, const struct graph_opts *given, const char *spec, struct diag *d)
{
	struct graph *g = arena_new(a, struct graph);
	struct graph_opts *o = arena_new(a, struct graph_opts);
	*o = *given;
	g->opts = o;
	g->spec = spec;
	g->plan.unsafe = o->unsafe;
	if (!are_plain(o, d) || !search_options(&g->plan, o, d))
		return NULL;
	g->plan.spec = spec_read(a, spec, d);
	if (!g->plan.spec)
		return NULL;
	if (o->estimates && !o->replay && !o->backend && !o->device && !o->devices &&
		!g->plan.spec->device.s.n && !g->plan.spec->devices.s.n &&
		!devices_host_alone(g->plan.spec))
		o->backend = "model";
	if (!(o->replay ? take(a, g, o, spec, d) : look(a, g, o, d)))
		return NULL;
	if (g->plan.unsafe && strcmp(g->plan.backend, "model") == 0) {
		warn("'--allow-unsafe' is ignored: there is no GPU to measure on");
		g->plan.unsafe = NULL;
	}
	read_wall(a, &g->plan);
	if (!plan_open(a, &g->plan, d))
		return NULL;
	if (!o->replay && plan_measures(&g->plan))
		replay_keep(a, &g->plan, spec);
	recall(&g->plan);
	g->file = manifest_file(a);
	return g;
}

struct graph *
graph_open(struct arena *a, const struct graph_opts *o, bool lock, struct diag *d)
{
	const char *spec = enter_project(a, o->spec);
	if (!fs_exists(spec))
		die("cannot find '%s'; 'lanewise init FILE.cu' writes a starter spec",
			spec);
	if (!ninja_can_name(spec)) {
		diag_error(d, (struct place){0},
			"a spec cannot have '|' or a control character in its name: "
			"rename '%s'",
			spec);
		return NULL;
	}
	obstacle_need_folder();
	if (lock && fs_lock(".lanewise/lock", false) < 0)
		die("another 'lanewise tune' is at work in this project");
	obstacles_remove(a);
	return open_here(a, o, spec, d);
}
