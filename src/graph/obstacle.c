#include "graph/obstacle.h"

#include "base/die.h"
#include "base/fs.h"
#include "graph/printer.h"
#include "node/node.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
remove_one(const char *path, const char *what)
{
	if (unlink(path) != 0 && errno != ENOENT)
		die("'%s' is %s, and cannot be removed: %s", path, what, strerror(errno));
	warn("'%s' was %s, not what the graph has there: removed", path, what);
}

/* Whose names the folders in a folder have. */
enum names {
	OF_KERNELS, /* never with a dot in front */
	OF_GRAPH,   /* never with a dot */
	OF_USER     /* copies of files */
};

static bool
is_misplaced(const char *folder, enum names by)
{
	return by == OF_KERNELS ? folder[0] == '.'
	       : by == OF_GRAPH ? strchr(folder, '.') != NULL
				: false;
}

static void look(struct arena *a, const char *dir, enum names by);

static void
judge(struct arena *a, const char *dir, const char *name, enum names by)
{
	struct stat st;
	const char *path = fs_join(a, dir, name);
	if (strcmp(path, CACHE_DIR) == 0 || lstat(path, &st) != 0 || S_ISREG(st.st_mode))
		return;
	if (S_ISLNK(st.st_mode))
		remove_one(path, "a link");
	else if (S_ISFIFO(st.st_mode))
		remove_one(path, "a pipe");
	else if (!S_ISDIR(st.st_mode))
		remove_one(path, "a socket or a device");
	else if (is_misplaced(name, by))
		die("'%s' is a folder, where a file of the graph belongs; remove it and "
		    "run again",
			path);
	else
		look(a, path,
			by == OF_USER || strcmp(path, COPIES_DIR) == 0 ? OF_USER
								       : OF_GRAPH);
}

/* Nearly all of the tens of thousands are files, which most file systems say when they
 * list them. */
static void
look(struct arena *a, const char *dir, enum names by)
{
	DIR *d = opendir(dir);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		struct arena_mark m = arena_mark(a);
		if (e->d_type != DT_REG && strcmp(e->d_name, ".") != 0 &&
			strcmp(e->d_name, "..") != 0)
			judge(a, dir, e->d_name, by);
		arena_pop(a, m);
	}
	closedir(d);
}

static bool
is_no_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && !fs_is_dir(path);
}

void
obstacle_need_folder(void)
{
	if (is_no_folder(".lanewise"))
		die("'.lanewise' is no folder, and the files of the graph belong there; "
		    "remove it");
}

void
obstacles_remove(struct arena *a)
{
	const char *cache = node_cache(CACHE_DIR);
	look(a, ".lanewise", OF_KERNELS);
	if (is_no_folder(cache))
		warn("the cache '%s' is no folder: nothing is kept; remove it", cache);
}
