#include "graph/leaf.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"

#include <errno.h>

static struct leaf *
leaf_read(struct leaves *l, const char *path)
{
	struct leaf *f = arena_new(l->a, struct leaf);
	f->path = path;
	f->outside = path[0] == '/' || strncmp(path, "../", 3) == 0;
	f->staged = f->outside ? path : str_fmt(l->a, ".lanewise/in/%s", path).s;
	if (!fs_try_read(l->a, path, &f->text))
		return NULL;
	f->hash = hash_short(l->a, f->text, 16);
	return f;
}

static struct leaf *
leaf_find_or_read(struct leaves *l, const char *path, size_t *at)
{
	const char *normal = fs_normal(l->a, path);
	bool added;
	if (!l->index.a)
		l->index.a = l->a;
	long known = map_find(&l->index, str_of(normal));
	if (known >= 0) {
		*at = (size_t)known;
		return l->v[known];
	}
	struct leaf *f = leaf_read(l, normal);
	if (!f)
		return NULL;
	*at = map_put(&l->index, str_of(normal), &added);
	arena_grow(l->a, l->v, l->n, l->cap);
	l->v[l->n++] = f;
	return f;
}

struct leaf *
leaf_add(struct leaves *l, const char *path, struct place at, struct diag *d)
{
	size_t i;
	struct leaf *f = leaf_find_or_read(l, path, &i);
	if (!f)
		diag_error(d, at, "cannot read '%s': %s", path, strerror(errno));
	return f;
}

/* The name in `#include "name"`, or empty. */
static struct str
include_name(struct str line)
{
	line = str_trim(line);
	if (!str_starts(line, "#"))
		return (struct str){0};
	line = str_trim(str_sub(line, 1, line.n));
	if (!str_starts(line, "include"))
		return (struct str){0};
	line = str_trim(str_sub(line, 7, line.n));
	if (line.n < 3 || line.s[0] != '"')
		return (struct str){0};
	line = str_sub(line, 1, line.n);
	return str_sub(line, 0, str_find(line, '"'));
}

static long
resolve(struct leaves *l, const struct leaf *from, struct str name, const char *const *dirs,
    size_t n)
{
	size_t at;
	char *file = str_c(l->a, name);
	const char *here = fs_dirname(l->a, from->path);
	if (file[0] == '/')
		return -1;
	if (leaf_find_or_read(l, fs_join(l->a, here, file), &at))
		return (long)at;
	for (size_t i = 0; i < n; i++)
		if (leaf_find_or_read(l, fs_join(l->a, dirs[i], file), &at))
			return (long)at;
	return -1;
}

struct seen {
	size_t *v;
	size_t n, cap;
};

static void
seen_add(struct leaves *l, struct seen *s, size_t at)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] == at)
			return;
	arena_grow(l->a, s->v, s->n, s->cap);
	s->v[s->n++] = at;
}

static void
scan_file(struct leaves *l, struct seen *s, const struct leaf *f, const char *const *dirs,
    size_t n)
{
	struct str rest = f->text, line;
	while (str_line(&rest, &line)) {
		struct str name = include_name(line);
		long at = name.n ? resolve(l, f, name, dirs, n) : -1;
		if (at >= 0)
			seen_add(l, s, (size_t)at);
	}
}

void
leaf_scan(struct leaves *l, struct leaf *leaf, const char *const *dirs, size_t n)
{
	struct seen s = {0};
	scan_file(l, &s, leaf, dirs, n);
	for (size_t i = 0; i < s.n; i++)
		scan_file(l, &s, l->v[s.v[i]], dirs, n);
	leaf->deps = s.v;
	leaf->n_deps = s.n;
}
