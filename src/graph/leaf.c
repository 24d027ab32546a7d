#include "graph/leaf.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "format/ninja.h"

#include <errno.h>

static struct leaf *
leaf_read(struct leaves *l, const char *path)
{
	struct leaf *f = arena_new(l->a, struct leaf);
	f->path = path;
	f->outside = path[0] == '/' || strncmp(path, "../", 3) == 0;
	f->staged = f->outside ? path : str_fmt(l->a, ".lanewise/in/%s", path).s;
	/* A pipe or a device may never end. */
	if (fs_exists(path) && !fs_is_dir(path) && !fs_is_file(path)) {
		errno = ESPIPE;
		return NULL;
	}
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
	if (!ninja_can_name(normal)) {
		errno = EINVAL;
		return NULL;
	}
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
	if (!f && errno == EINVAL)
		diag_error(d, at,
			"a file of the graph cannot have '|' or a control character in "
			"its "
			"name: rename '%s'",
			path);
	else if (!f)
		diag_error(d, at, "cannot read '%s': %s", path, fs_reason());
	return f;
}

/* The name in `#include "name"` or `#include <name>`, or empty. */
static struct str
include_name(struct str line, bool *quoted)
{
	line = str_trim(line);
	if (!str_starts(line, "#"))
		return (struct str){0};
	line = str_trim(str_sub(line, 1, line.n));
	if (!str_starts(line, "include"))
		return (struct str){0};
	line = str_trim(str_sub(line, 7, line.n));
	*quoted = line.n && line.s[0] == '"';
	if (line.n < 3 || (line.s[0] != '"' && line.s[0] != '<'))
		return (struct str){0};
	line = str_sub(line, 1, line.n);
	return str_sub(line, 0, str_find(line, *quoted ? '"' : '>'));
}

struct seen {
	const struct leaf *root; /* whose headers are looked for */
	const char *const *dirs; /* n_dirs folders given to the compiler */
	size_t n_dirs;
	size_t *v;
	size_t n, cap;
};

enum { NOWHERE = -1, ENDLESS = -2 };

/* True when something is there: then *at is its position, or ENDLESS. */
static bool
is_there(struct leaves *l, const char *path, long *at)
{
	size_t i = 0;
	bool read = leaf_find_or_read(l, path, &i) != NULL;
	*at = read ? (long)i : errno == ESPIPE ? ENDLESS : NOWHERE;
	return *at != NOWHERE;
}

/* Position of the file that an include line names. */
static long
resolve(struct leaves *l, const struct seen *s, const struct leaf *from, const char *file,
	bool quoted)
{
	long at;
	const char *here = fs_dirname(l->a, from->path),
		   *own = fs_dirname(l->a, s->root->path);
	bool found = (quoted && is_there(l, fs_join(l->a, here, file), &at)) ||
		     is_there(l, fs_join(l->a, own, file), &at);
	for (size_t i = 0; i < s->n_dirs && !found; i++)
		found = is_there(l, fs_join(l->a, s->dirs[i], file), &at);
	return found ? at : NOWHERE;
}

static void
seen_add(struct leaves *l, struct seen *s, size_t at)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] == at)
			return;
	arena_grow(l->a, s->v, s->n, s->cap);
	s->v[s->n++] = at;
}

/* A compiler that opened it would wait for ever. */
static bool
refuse_endless(struct leaves *l, const struct leaf *f, struct str line, struct str name,
	struct diag *d)
{
	struct source *src = arena_new(l->a, struct source);
	*src = (struct source){f->path, f->text};
	diag_error(d, source_place(src, (size_t)(line.s - f->text.s)),
		"'%.*s' is a pipe or a device, which may never end; include a file",
		STR_ARG(name));
	return false;
}

static bool
scan_file(struct leaves *l, struct seen *s, const struct leaf *f, struct diag *d)
{
	struct str rest = f->text, line;
	while (str_line(&rest, &line)) {
		bool quoted;
		struct str name = include_name(line, &quoted);
		long at = name.n ? resolve(l, s, f, str_c(l->a, name), quoted) : NOWHERE;
		if (at == ENDLESS)
			return refuse_endless(l, f, line, name, d);
		if (at >= 0 && l->v[at] != s->root)
			seen_add(l, s, (size_t)at);
	}
	return true;
}

bool
leaf_scan(struct leaves *l, struct leaf *leaf, const char *const *dirs, size_t n,
	struct diag *d)
{
	struct seen s = {.root = leaf, .dirs = dirs, .n_dirs = n};
	bool ok = scan_file(l, &s, leaf, d);
	for (size_t i = 0; i < s.n && ok; i++)
		ok = scan_file(l, &s, l->v[s.v[i]], d);
	leaf->deps = s.v;
	leaf->n_deps = s.n;
	return ok;
}

bool
leaf_is_choice(struct str text)
{
	enum { HEAD = 512 }; /* its comment on top: templates/tuned.h */
	static const char mark[] = "\n * Written by 'lanewise apply';";
	return str_starts(text, "/*\n") && str_has(str_sub(text, 0, HEAD), str_of(mark));
}
