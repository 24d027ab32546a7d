#include "graph/sweep.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "graph/printer.h"

#include <errno.h>
#include <unistd.h>

#define HOME ".lanewise"

/* Names of files are the names of what they belong to, and one of these endings. */
struct shelf {
	const char *dir, *ends[2];
};

static const struct shelf of_specializations[] = {
	{"ptx", {".ptx", ".lines"}},
	{"gate", {".dd", ".verdict.json"}},
	{"cubin", {".cubin", ".facts.json"}},
	{"rows", {".json"}},
	{"compiled", {""}},
	{"unsafe/cubin", {".cubin", ".facts.json"}},
	{"unsafe/rows", {".json"}},
	{0},
};
static const struct shelf of_points[] = {
	{"bench", {".json"}}, {"unsafe/bench", {".json"}}, {0}};
static const struct shelf of_sizes[] = {
	{"shortlist", {".json"}}, {"final", {".json"}}, {"certify", {".json"}}, {0}};
static const struct shelf of_references[] = {{"ref", {".ref"}}, {0}};

static void
remove_one(const char *path)
{
	if (unlink(path) != 0 && errno != ENOENT)
		warn("cannot remove '%s': %s", path, strerror(errno));
}

/* A link is removed, not followed. */
static void
remove_tree(struct arena *a, const char *path)
{
	const char **names;
	size_t n;

	if (unlink(path) == 0 || errno == ENOENT)
		return;
	n = fs_list(a, path, &names);
	for (size_t i = 0; i < n; i++)
		remove_tree(a, fs_join(a, path, names[i]));
	if (rmdir(path) != 0)
		warn("cannot remove '%s': %s", path, strerror(errno));
}

/* The name without its ending; false: it is no such file, or is being written. */
static bool
stem_of(const struct shelf *shelf, struct str name, struct str *stem)
{
	if (str_ends(name, ".tmp"))
		return false;
	for (size_t i = 0; i < 2 && shelf->ends[i]; i++)
		if (str_ends(name, shelf->ends[i])) {
			*stem = str_sub(name, 0, name.n - strlen(shelf->ends[i]));
			return true;
		}
	return false;
}

static void
sweep_shelves(struct arena *a, const char *home, const struct shelf *shelf,
	const struct map *known)
{
	for (; shelf->dir; shelf++) {
		const char *dir = fs_join(a, home, shelf->dir), **names;
		size_t n = fs_list(a, dir, &names);
		struct str stem;

		for (size_t i = 0; i < n; i++)
			if (stem_of(shelf, str_of(names[i]), &stem) &&
				map_find(known, stem) == MAP_NONE)
				remove_one(fs_join(a, dir, names[i]));
	}
}

static void
sweep_kernel(struct arena *a, const struct plan_kernel *k)
{
	struct map specializations = {.a = a}, points = {.a = a}, sizes = {.a = a},
		   references = {.a = a};

	for (size_t i = 0; i < k->n_specializations; i++)
		map_put(&specializations, k->specializations[i].name, NULL);
	for (size_t i = 0; i < k->n_points; i++)
		map_put(&points, k->points[i].name, NULL);
	for (size_t i = 0; i < k->k->n_sizes; i++)
		map_put(&sizes, k->k->sizes[i].name, NULL);
	for (size_t i = 0; i < k->n_references; i++) {
		struct str name = str_of(fs_basename(k->references[i].file));
		map_put(&references, str_sub(name, 0, name.n - strlen(".ref")), NULL);
	}
	sweep_shelves(a, k->dir, of_specializations, &specializations);
	sweep_shelves(a, k->dir, of_points, &points);
	sweep_shelves(a, k->dir, of_sizes, &sizes);
	sweep_shelves(a, k->dir, of_references, &references);
}

static bool
is_kernel(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_kernels; i++)
		if (str_is(p->kernels[i].k->name, name))
			return true;
	return false;
}

/* A folder with points.json was a kernel's. */
static void
sweep_kernels(struct arena *a, const struct plan *p)
{
	const char **names;
	size_t n = fs_list(a, HOME, &names);

	for (size_t i = 0; i < n; i++) {
		const char *dir = fs_join(a, HOME, names[i]);
		if (!is_kernel(p, names[i]) && fs_exists(fs_join(a, dir, "points.json")))
			remove_tree(a, dir);
	}
}

static void
sweep_staged(struct arena *a, const char *dir, const struct map *staged)
{
	const char **names;
	size_t n = fs_list(a, dir, &names);

	for (size_t i = 0; i < n; i++) {
		const char *path = fs_join(a, dir, names[i]);
		if (fs_is_dir(path))
			sweep_staged(a, path, staged);
		else if (map_find(staged, str_of(path)) == MAP_NONE &&
			 !str_ends(str_of(path), ".tmp"))
			remove_one(path);
	}
}

static void
add_staged(struct map *to, const struct leaves *l)
{
	for (size_t i = 0; i < l->n; i++)
		map_put(to, str_of(l->v[i]->staged), NULL);
}

void
sweep_sources(struct arena *a, const struct plan *p)
{
	struct map staged = {.a = a};

	add_staged(&staged, &p->leaves);
	add_staged(&staged, &p->aside);
	sweep_staged(a, COPIES_DIR, &staged);
}

void
sweep(struct arena *a, const struct plan *p)
{
	sweep_sources(a, p);
	sweep_kernels(a, p);
	for (size_t i = 0; i < p->n_kernels; i++)
		sweep_kernel(a, &p->kernels[i]);
}
