#include "graph/litter.h"

#include "base/arena.h"
#include "base/fs.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t
litter_clock_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* "NAME.1a2b.tmp" */
static bool
is_temporary(struct str name)
{
	size_t n = name.n - 4;

	if (name.n < 7 || !str_ends(name, ".tmp"))
		return false;
	while (n && strchr("0123456789abcdef", name.s[n - 1]))
		n--;
	return n > 1 && n < name.n - 4 && name.s[n - 1] == '.';
}

static bool
is_litter(const char *name)
{
	return is_temporary(str_of(name)) || str_ends(str_of(name), ".launched");
}

static void
look(struct arena *a, const char *dir, int64_t before_ns)
{
	struct arena_mark m = arena_mark(a);
	const char **names;
	size_t n = fs_list(a, dir, &names);

	for (size_t i = 0; i < n; i++) {
		const char *path = fs_join(a, dir, names[i]);
		struct stat st;
		if (lstat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			look(a, path, before_ns);
		else if (is_litter(names[i]) && fs_mtime_ns(path) < before_ns)
			(void)unlink(path);
	}
	arena_pop(a, m);
}

void
litter_remove(struct arena *a, int64_t before_ns)
{
	look(a, ".lanewise", before_ns);
}
