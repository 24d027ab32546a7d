#include "graph/plan.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "format/json.h"
#include "graph/searching.h"
#include "model/library.h"

#include <inttypes.h>
#include <math.h>

static const struct toolchain *
named_toolchain(const struct name *name, struct diag *d)
{
	const struct toolchain *t = toolchain_find(name->s);
	if (t)
		return t;
	const struct str *names;
	size_t n = toolchain_names(&names);
	struct str near = str_nearest(name->s, names, n);
	if (near.n)
		diag_error(d, name->at, "unknown toolchain '%.*s' (did you mean '%.*s'?)",
			STR_ARG(name->s), STR_ARG(near));
	else
		diag_error(d, name->at,
			"unknown toolchain '%.*s'; 'lanewise doctor' lists them",
			STR_ARG(name->s));
	return NULL;
}

static bool
use_toolchain(struct plan_kernel *pk, const struct toolchain *t,
	const struct toolchain_info *info)
{
	pk->toolchain = t;
	pk->toolchain_version = info->version;
	pk->toolchain_path = info->path;
	return true;
}

/* The one that lowered it when it was measured; it need not be here. */
static bool
recorded_toolchain(struct plan_kernel *pk, const struct json *tools, struct diag *d)
{
	const struct kernel *k = pk->k;
	json_each(one, tools)
	{
		if (!str_eq(one->key, k->name))
			continue;
		struct toolchain_info info = {.version = json_get_str(one, "version")};
		const struct toolchain *t =
			toolchain_find(json_get_str(one, "toolchain"));
		if (t && info.version.n)
			return use_toolchain(pk, t, &info);
	}
	diag_error(d, k->at, "kernel '%.*s' was not there when the others were measured",
		STR_ARG(k->name));
	return false;
}

/* The one that the spec names; "command" when it gives a command; else by language. */
static bool
pick_toolchain(struct arena *a, struct plan_kernel *pk, struct diag *d)
{
	const struct kernel *k = pk->k;
	struct toolchain_info info = {0};
	struct str why = {0};
	struct name name = k->toolchain;
	if (!name.s.n && k->command.s.n)
		name = (struct name){STR_LIT("command"), k->command.at};
	if (!name.s.n) {
		const struct toolchain *t = toolchain_pick(a, k->language.s, &info, &why);
		struct place at = k->language.s.n ? k->language.at : k->at;
		if (t)
			return use_toolchain(pk, t, &info);
		diag_error(d, at, "%.*s", STR_ARG(why));
		return false;
	}
	const struct toolchain *t = named_toolchain(&name, d);
	if (!t)
		return false;
	if (!k->command.s.n && !toolchain_speaks(t, k->language.s)) {
		diag_error(d, name.at, "toolchain '%s' does not take '%.*s', only: %s",
			t->name, STR_ARG(k->language.s), t->languages);
		return false;
	}
	info = t->probe(a);
	if (info.present)
		return use_toolchain(pk, t, &info);
	diag_error(d, name.at, "toolchain '%s' is not here: %.*s", t->name,
		STR_ARG(info.why));
	return false;
}

/* Staged folders first, the project's own after them: for headers outside the project. */
static void
collect_includes(struct arena *a, struct plan_kernel *pk)
{
	const struct kernel *k = pk->k;
	pk->includes = arena_news(a, 2 * (k->n_includes + 1) + 1, const char *);
	const char *own = fs_dirname(a, str_c(a, k->source.s));
	size_t n = 0;
	for (size_t i = 0; i < k->n_includes; i++) {
		const char *dir = fs_normal(a, str_c(a, k->includes[i].s));
		pk->includes[n++] = fs_join(a, ".lanewise/in", dir);
		pk->includes[n++] = dir;
	}
	pk->includes[n++] = own;
	pk->n_includes = n;
}

static const char **
scan_dirs(struct arena *a, const struct kernel *k)
{
	const char **dirs = arena_news(a, k->n_includes + 2, const char *);
	for (size_t i = 0; i < k->n_includes; i++)
		dirs[i] = str_c(a, k->includes[i].s);
	dirs[k->n_includes] = fs_dirname(a, str_c(a, k->source.s));
	return dirs;
}

/* The folders that collect_includes() gives to the compiler. */
static bool
scan(struct arena *a, struct plan *p, const struct plan_kernel *pk, struct leaf *leaf,
	struct diag *d)
{
	return leaf_scan(&p->leaves, leaf, scan_dirs(a, pk->k), pk->k->n_includes + 1, d);
}

static bool
add_oracle(struct arena *a, struct plan *p, struct plan_kernel *pk, struct diag *d)
{
	const struct name *o = &pk->k->verify.oracle;
	if (!o->s.n)
		return true;
	if (strcmp(p->backend, "model") ==
		0) /* nothing is verified; a wrong name is wrong */
		return leaf_add(&p->aside, str_c(a, o->s), o->at, d) != NULL;
	pk->oracle = leaf_add(&p->leaves, str_c(a, o->s), o->at, d);
	return pk->oracle && scan(a, p, pk, pk->oracle, d);
}

/* What is timed beside the candidates: from the staged copy, if it is a file. */
static bool
add_library(struct arena *a, struct plan *p, struct plan_kernel *pk, struct diag *d)
{
	const struct reference_spec *f = &pk->k->reference;
	bool measures = strcmp(p->backend, "model") != 0;
	struct library object = {.symbol = f->function.s};
	pk->libraries = arena_news(a, pk->k->n_sizes, struct str);
	if (f->present && !f->gemm) {
		struct leaf *leaf = leaf_add(measures ? &p->leaves : &p->aside,
			str_c(a, f->library.s), f->library.at, d);
		if (!leaf)
			return false;
		pk->library = measures ? leaf : NULL;
		object.path = str_of(leaf->staged);
	}
	for (size_t i = 0; i < pk->k->n_sizes && f->present; i++) {
		struct scope scope = {pk->k, NULL, &pk->k->sizes[i], p->device};
		if (!candidate_library(a, &scope, &pk->libraries[i], d))
			return false;
		if (!f->gemm)
			pk->libraries[i] = library_text(a, &object);
	}
	return true;
}

static struct plan_specialization *
specialization_add(struct arena *a, struct plan *p, struct plan_kernel *pk,
	struct map *names, const struct candidate *c, size_t *index, struct diag *d)
{
	bool added;
	struct str name = specialization_name(a, pk->k, c);
	*index = map_put(names, name, &added);
	if (!added)
		return &pk->specializations[*index];
	arena_grow(
		a, pk->specializations, pk->n_specializations, pk->cap_specializations);
	struct plan_specialization *s = &pk->specializations[pk->n_specializations++];
	*s = (struct plan_specialization){.name = name,
		.defines = specialization_defines(a, pk->k, c),
		.candidate = c};
	const char *file = str_c(a, specialization_source(a, pk->k, c));
	s->source = leaf_add(&p->leaves, file, pk->k->source.at, d);
	if (!s->source || (!s->source->deps && !scan(a, p, pk, s->source, d)))
		return NULL;
	return s;
}

static bool
point_fill(struct arena *a, struct plan *p, const struct plan_kernel *pk,
	struct plan_point *pt, struct diag *d)
{
	struct scope scope = {pk->k, pt->candidate, pt->size, p->device};
	struct launch launch;
	struct arg *args;
	size_t n_args;
	pt->reference = -1;
	pt->name =
		str_fmt(a, "%.*s@%.*s", STR_ARG(candidate_name(a, pk->k, pt->candidate)),
			STR_ARG(pt->size->name));
	if (!candidate_launch(a, &scope, &launch, d) ||
		!candidate_args(a, &scope, &args, &n_args, d) ||
		!candidate_number(a, &scope, pk->k->work_bytes, &pt->bytes, d) ||
		!candidate_number(a, &scope, pk->k->work_flops, &pt->flops, d))
		return false;
	bool measures = strcmp(p->backend, "model") != 0;
	if (!point_files(a, measures ? &p->leaves : &p->aside, &scope, args, n_args,
		    &pt->files, d))
		return false;
	if (!measures)
		pt->files = (struct point_files){0};
	pt->launch = launch_text(a, &launch);
	pt->args = args_text(a, args, n_args);
	pt->inputs = args_input_text(a, args, n_args);
	pt->shape = args_shape_text(a, args, n_args);
	return true;
}

static bool
add_points(struct arena *a, struct plan *p, struct plan_kernel *pk, struct diag *d)
{
	struct map names = {.a = a};
	pk->points = arena_news(a, pk->n_candidates * pk->k->n_sizes, struct plan_point);
	for (size_t i = 0; i < pk->n_candidates; i++) {
		const struct candidate *c = &pk->candidates[i];
		size_t at;
		if (!specialization_add(a, p, pk, &names, c, &at, d))
			return false;
		struct plan_specialization *s = &pk->specializations[at];
		for (size_t z = 0; z < pk->k->n_sizes; z++) {
			if (!(c->sizes >> z & 1))
				continue;
			struct plan_point *pt = &pk->points[pk->n_points];
			*pt = (struct plan_point){.candidate = c,
				.size = &pk->k->sizes[z],
				.specialization = at};
			if (!point_fill(a, p, pk, pt, d))
				return false;
			arena_grow(a, s->points, s->n_points, s->cap_points);
			s->points[s->n_points++] = pk->n_points++;
		}
	}
	return true;
}

bool
plan_is_baseline(const struct kernel *k, const struct candidate *c)
{
	if (!k->baseline)
		return false;
	for (size_t i = 0; i < k->n_params; i++)
		if (!value_eq(k->params[i].values[c->choice[i]], k->baseline[i].value))
			return false;
	return true;
}

static long
baseline_point(const struct plan_kernel *pk, const struct size *size)
{
	for (size_t i = 0; i < pk->n_points; i++)
		if (pk->points[i].size == size &&
			plan_is_baseline(pk->k, pk->points[i].candidate))
			return (long)i;
	return -1;
}

/* Outputs depend on the arguments alone, so points with equal ones share a reference. */
static void
add_references(struct arena *a, const struct plan *p, struct plan_kernel *pk)
{
	struct map seen = {.a = a};
	long base_of[SPEC_SIZES_MAX];
	if (strcmp(p->backend, "model") == 0)
		return;
	for (size_t z = 0; z < pk->k->n_sizes; z++)
		base_of[z] = baseline_point(pk, &pk->k->sizes[z]);
	for (size_t i = 0; i < pk->n_points; i++) {
		struct plan_point *pt = &pk->points[i];
		bool by_point = pk->oracle || pt->files.npy, added;
		long base = by_point ? -1 : base_of[pt->size - pk->k->sizes];
		if (!by_point && base < 0)
			continue;
		struct str args = base < 0 ? pt->inputs : pk->points[base].inputs;
		/* Nothing but the files decides what a .npy says. */
		struct str key = str_fmt(
			a, "%.*s%.*s", STR_ARG(args), STR_ARG(pt->files.npy_hashes));
		pt->reference = (long)map_put(&seen, key, &added);
		if (!added)
			continue;
		arena_grow(a, pk->references, pk->n_references, pk->cap_references);
		pk->references[pk->n_references++] = (struct plan_reference){
			.file = str_fmt(
				a, "%s/ref/%s.ref", pk->dir, hash_short(a, key, 16))
					.s,
			.args = args,
			.baseline = base,
			.point = base < 0 ? (long)i : base,
		};
	}
}

/* Without a search the graph has a chain for each candidate: there is an end to how many.
 */
static bool
list_all(struct arena *a, struct plan_kernel *pk, struct diag *d)
{
	const struct kernel *k = pk->k;
	if (pk->space->count > SPACE_CANDIDATES_MAX) {
		diag_error(d, k->at,
			"'%.*s' has %s%" PRIu64 " candidates, and the graph measures all "
			"of them, at most %d: give a budget, '--budget 200', add "
			"constraints or drop values; 'lanewise space %.*s' says what "
			"each "
			"constraint removes",
			STR_ARG(k->name),
			pk->space->count == SPACE_MANY ? "at least " : "",
			pk->space->count, SPACE_CANDIDATES_MAX, STR_ARG(k->name));
		return false;
	}
	pk->candidates = space_candidates(a, pk->space);
	pk->n_candidates = pk->space->count;
	return true;
}

static bool
open_one(struct arena *a, struct plan *p, struct plan_kernel *pk, struct diag *d)
{
	pk->dir = str_fmt(a, ".lanewise/%.*s", STR_ARG(pk->k->name)).s;
	bool ok = p->replay ? recorded_toolchain(pk, p->replay, d)
			    : pick_toolchain(a, pk, d);
	if (!ok)
		return false;
	collect_includes(a, pk);
	pk->space = space_build(a, pk->k, p->device, d);
	if (!pk->space || !searching_open(a, p, pk, d))
		return false;
	return pk->searches || list_all(a, pk, d);
}

static bool
fill_one(struct arena *a, struct plan *p, struct plan_kernel *pk, bool waiting,
	struct diag *d)
{
	pk->specializations = NULL;
	pk->n_specializations = pk->cap_specializations = pk->n_points = 0;
	pk->references = NULL;
	pk->n_references = pk->cap_references = 0;
	if (pk->searches)
		pk->candidates = searching_list(a, pk, waiting, &pk->n_candidates);
	if (!add_oracle(a, p, pk, d) || !add_library(a, p, pk, d) ||
		!add_points(a, p, pk, d))
		return false;
	add_references(a, p, pk);
	return true;
}

bool
plan_open(struct arena *a, struct plan *p, struct diag *d)
{
	bool ok = true;
	p->n_kernels = p->spec->n_kernels;
	p->kernels = arena_news(a, p->n_kernels, struct plan_kernel);
	for (size_t i = 0; i < p->n_kernels; i++) {
		p->kernels[i].k = &p->spec->kernels[i];
		ok &= open_one(a, p, &p->kernels[i], d);
	}
	return ok;
}

bool
plan_fill(struct arena *a, struct plan *p, bool waiting, struct diag *d)
{
	bool ok = true;
	p->leaves = p->aside = (struct leaves){.a = a};
	for (size_t i = 0; i < p->n_kernels; i++)
		ok &= fill_one(a, p, &p->kernels[i], waiting, d);
	return ok;
}
