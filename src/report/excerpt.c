#include "report/excerpt.h"

#include "base/arena.h"
#include "base/fs.h"

struct excerpts
excerpts_begin(struct arena *a, const char *ptx)
{
	return (struct excerpts){
		.a = a, .dir = ptx ? fs_dirname(a, ptx) : NULL, .files = {.a = a}};
}

/* The name is the PTX's: it may be that of a pipe, which would wait. */
static bool
try_source(struct arena *a, const char *path, struct source *out)
{
	struct source src = {.name = path};

	if (!fs_is_file(path) || !fs_try_read(a, path, &src.text))
		return false;
	*out = src;
	return true;
}

static struct source
find_source(struct excerpts *e, struct str file)
{
	struct source src = {.name = str_c(e->a, file)};

	if (!memchr(file.s, 0, file.n) && !try_source(e->a, src.name, &src) && e->dir)
		try_source(e->a, fs_join(e->a, e->dir, src.name), &src);
	return src;
}

static const struct source *
source_of(struct excerpts *e, struct str file)
{
	bool added;
	size_t n = e->files.n, at = map_put(&e->files, file, &added);

	if (added) {
		arena_grow(e->a, e->v, n, e->cap);
		e->v[at] = find_source(e, file);
	}
	return &e->v[at];
}

struct str
excerpts_line(struct excerpts *e, struct str file, uint32_t line)
{
	return file.n && line ? source_line(source_of(e, file), line) : (struct str){0};
}

struct str
excerpts_path(struct excerpts *e, struct str file)
{
	return file.n ? str_of(source_of(e, file)->name) : file;
}
