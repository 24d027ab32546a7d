#include "cache/shelf.h"

#include "base/arena.h"
#include "base/fs.h"

#include <stdlib.h>
#include <sys/stat.h>

bool
shelf_is_name(struct str name)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < name.n; i++)
		if (!memchr(digits, name.s[i], sizeof digits - 1))
			return false;
	return name.n == HASH_HEX;
}

/* "abcdef....1a2b.tmp", as fs_try_write() names them. */
static bool
is_stray(struct str name)
{
	return str_ends(name, ".tmp") && name.n > HASH_HEX &&
	       shelf_is_name(str_sub(name, 0, HASH_HEX));
}

static void
add(struct arena *a, struct shelf *s, const char *path, struct str name)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return;
	bool file = S_ISREG(st.st_mode);
	if (!file && !is_stray(name)) {
		arena_grow(a, s->others, s->n_others, s->cap_others);
		s->others[s->n_others++] = fs_basename(path);
	}
	if (!file)
		return;
	if (is_stray(name)) {
		arena_grow(a, s->strays, s->n_strays, s->cap_strays);
		s->strays[s->n_strays++] = path;
		return;
	}
	struct shelf_entry e = {
		.bytes = (uint64_t)st.st_size,
		.used_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
	memcpy(e.hex, name.s, HASH_HEX);
	arena_grow(a, s->v, s->n, s->cap);
	s->v[s->n++] = e;
}

static void
read_folder(struct arena *a, struct shelf *s, const char *root, unsigned folder)
{
	const char **names, *dir = str_fmt(a, "%s/%02x", root, folder).s;
	size_t n = fs_list(a, dir, &names);
	for (size_t i = 0; i < n; i++) {
		struct str name = str_of(names[i]);
		bool here = strncmp(names[i], dir + strlen(dir) - 2, 2) == 0;
		if (here && (shelf_is_name(name) || is_stray(name)))
			add(a, s, fs_join(a, dir, names[i]), name);
	}
}

struct shelf
shelf_read(struct arena *a, const char *root, int group)
{
	struct shelf s = {0};
	unsigned from = group < 0 ? 0 : (unsigned)group * 16;
	unsigned to = group < 0 ? 256 : from + 16;
	for (unsigned folder = from; folder < to; folder++)
		read_folder(a, &s, root, folder);
	return s;
}

static int
by_use(const void *x, const void *y)
{
	const struct shelf_entry *p = x, *q = y;
	if (p->used_ns != q->used_ns)
		return p->used_ns < q->used_ns ? -1 : 1;
	return strcmp(p->hex, q->hex);
}

void
shelf_sort_by_use(struct shelf *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_use);
}
