#include "cmd/check_cache.h"

#include "base/fs.h"
#include "cmd/check_capture.h"

enum { HELD_MAX = 64 << 20, FILES_MAX = 1 << 16 };

struct cached_file {
	const struct ptx_module *m; /* NULL: why */
	struct str why;
};

struct cached_kernel {
	struct check_kernel k; /* k.k NULL: why */
	struct str why;
};

void
check_cache_end(struct check_cache *c)
{
	arena_release(&c->a);
	*c = (struct check_cache){0};
}

static struct cached_file
load(struct check_cache *c, const char *path)
{
	struct cached_file f = {0};
	struct capture said;

	/* A pipe has no end that we could wait for. */
	if (fs_exists(path) && !fs_is_file(path) && !fs_is_dir(path)) {
		f.why = str_fmt(&c->a, "cannot read '%s': no regular file", path);
		return f;
	}
	capture_begin(&said);
	f.m = check_read(&c->a, path, &said.d, &f.why);
	struct str text = capture_end(&c->a, &said);
	if (f.m)
		c->held_bytes += f.m->src->text.n;
	else if (!f.why.n)
		f.why = text;
	return f;
}

static const struct cached_file *
file_of(struct check_cache *c, const char *path)
{
	bool added;
	long found = map_find(&c->files, str_of(path));

	if (found < 0) {
		size_t n = c->files.n;
		size_t at = map_put(
			&c->files, str_of(arena_copy(&c->a, path, strlen(path))), &added);

		arena_grow(&c->a, c->file, n, c->cap_files);
		c->file[at] = load(c, path);
		return &c->file[at];
	}
	return &c->file[found];
}

static struct cached_kernel
prepare(struct check_cache *c, const char *path, const char *entry)
{
	struct cached_kernel k = {0};
	const struct cached_file *f = file_of(c, path);
	struct str name = str_dup(&c->a, str_of(entry));

	k.why = f->why;
	if (f->m && !check_prepare(&c->a, f->m, name, &k.k, &k.why))
		k.k.k = NULL;
	return k;
}

const struct check_kernel *
check_cache_find(
	struct check_cache *c, const char *path, const char *entry, struct str *why)
{
	bool added;

	if (c->held_bytes > HELD_MAX || c->kernels.n > FILES_MAX)
		check_cache_end(c);
	c->files.a = c->kernels.a = &c->a;
	struct arena_mark mark = arena_mark(&c->a);
	/* The length keeps a path from running into the entry. */
	struct str key =
		str_fmt(&c->a, "%zu %s %s", strlen(path), path, entry ? entry : "");
	long found = map_find(&c->kernels, key);
	if (found >= 0) {
		arena_pop(&c->a, mark);
	} else {
		size_t n = c->kernels.n;

		found = (long)map_put(&c->kernels, key, &added);
		arena_grow(&c->a, c->kernel, n, c->cap_kernels);
		c->kernel[found] = prepare(c, path, entry);
	}
	*why = c->kernel[found].why;
	return c->kernel[found].k.k ? &c->kernel[found].k : NULL;
}
