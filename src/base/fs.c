#include "base/fs.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 1 << 30, PATH_LIMIT = 4096 };

bool
fs_try_read_fd(struct arena *a, int fd, size_t max, struct str *out)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode) || (st.st_size > 0 && (uint64_t)st.st_size > max)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EFBIG;
		return false;
	}
	size_t n = 0, cap = st.st_size > 0 ? (size_t)st.st_size + 2 : 4096;
	char *p = arena_raw(a, cap, 1);
	for (;;) {
		if (n + 1 >= cap) {
			char *bigger = arena_raw(a, cap * 2, 1);
			memcpy(bigger, p, n);
			p = bigger;
			cap *= 2;
		}
		ssize_t got = read(fd, p + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (got == 0)
			break;
		n += (size_t)got;
		if (n > max) {
			errno = EFBIG;
			return false;
		}
		if (S_ISREG(st.st_mode) && n == (size_t)st.st_size)
			break; /* no call more to be told of its end */
	}
	p[n] = 0;
	*out = (struct str){p, n};
	return true;
}

bool
fs_try_read_most(struct arena *a, const char *path, size_t max, struct str *out)
{
	if (path && fs_endless(path)) {
		errno = ESPIPE;
		return false;
	}
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (fd < 0)
		return false;
	bool ok = fs_try_read_fd(a, fd, max, out);
	int e = errno;
	if (path)
		close(fd);
	errno = e;
	return ok;
}

bool
fs_try_read(struct arena *a, const char *path, struct str *out)
{
	return fs_try_read_most(a, path, READ_MAX, out);
}

const char *
fs_reason(void)
{
	return errno == ESPIPE   ? "it is a pipe or a device, not a file"
	       : errno == EISDIR ? "it is a folder, not a file"
				 : strerror(errno);
}

struct str
fs_read(struct arena *a, const char *path)
{
	struct str s;
	if (!fs_try_read(a, path, &s))
		die("cannot read '%s': %s", path, fs_reason());
	return s;
}

static bool
write_all(int fd, struct str b)
{
	while (b.n) {
		ssize_t w = write(fd, b.s, b.n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return false;
		b.s += w;
		b.n -= (size_t)w;
	}
	return true;
}

static bool
try_mkdirs(const char *path)
{
	char tmp[PATH_LIMIT];
	size_t n = strlen(path);
	if (n >= sizeof tmp) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(tmp, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (tmp[i] != '/' && tmp[i] != 0)
			continue;
		char c = tmp[i];
		tmp[i] = 0;
		if (mkdir(tmp, 0777) != 0 && errno != EEXIST)
			return false;
		tmp[i] = c;
	}
	return true;
}

static bool
same_content(const char *path, struct str bytes)
{
	struct stat st;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size != bytes.n)
		return false;
	struct arena a = {0};
	struct str old;
	bool same = fs_try_read(&a, path, &old) && str_eq(old, bytes);
	arena_release(&a);
	return same;
}

/* The folder of a file; empty: the one that we are in, or /. */
static bool
parent_of(const char *path, char dir[PATH_LIMIT])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	if (n >= PATH_LIMIT) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(dir, path, n);
	dir[n] = 0;
	return true;
}

static bool
make_parent(const char *path)
{
	char dir[PATH_LIMIT];
	return parent_of(path, dir) && (!dir[0] || fs_is_dir(dir) || try_mkdirs(dir));
}

/* open(2) of what may have to be made, with its folder when that is not there. */
static int
open_new(const char *path, int flags)
{
	int fd = open(path, flags | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 && errno == ENOENT && make_parent(path))
		fd = open(path, flags | O_CREAT | O_CLOEXEC, 0666);
	return fd;
}

void
fs_need_place(const char *path)
{
	char dir[PATH_LIMIT];
	struct stat st;
	if (!parent_of(path, dir))
		die("cannot write '%s': %s", path, strerror(errno));
	if (dir[0] && !fs_is_dir(dir))
		die("cannot write '%s': there is no folder '%s'; make it first", path,
			dir);
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) != 0)
		die("cannot write '%s': it is a link that leads to no file (%s); remove "
		    "it",
			path, strerror(errno));
}

char *
fs_need_file(struct arena *a, const char *path)
{
	char real[PATH_LIMIT];
	struct stat st;
	fs_need_place(path);
	if (stat(path, &st) != 0)
		return arena_copy(a, path, strlen(path));
	if (S_ISREG(st.st_mode) && realpath(path, real))
		return arena_copy(a, real, strlen(real));
	if (!S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
	die("cannot write '%s': %s", path, fs_reason());
}

/* A file of our own beside PATH: with a shared name, a second writer would empty the file
 * that the first is about to rename. */
static int
open_temporary(const char *path, char tmp[PATH_LIMIT])
{
	enum { TRIES = 1000 };
	int fd = -1;
	errno = EEXIST;
	for (unsigned i = 0; fd < 0 && errno == EEXIST && i < TRIES; i++) {
		unsigned id = (unsigned)getpid() + i;
		if (snprintf(tmp, PATH_LIMIT, "%s.%x.tmp", path, id) >= PATH_LIMIT)
			errno = ENAMETOOLONG;
		else
			fd = open_new(tmp, O_WRONLY | O_EXCL);
	}
	return fd;
}

static bool
replace_file(const char *path, struct str bytes)
{
	char tmp[PATH_LIMIT];
	int fd = open_temporary(path, tmp);
	if (fd < 0)
		return false;
	bool ok = write_all(fd, bytes);
	int e = errno;
	if (close(fd) != 0 && ok)
		ok = false, e = errno;
	if (ok && rename(tmp, path) != 0)
		ok = false, e = errno;
	if (!ok) {
		unlink(tmp);
		errno = e;
	}
	return ok;
}

bool
fs_try_write(const char *path, struct str bytes, bool *changed)
{
	bool same = same_content(path, bytes);
	if (changed)
		*changed = !same;
	return same || replace_file(path, bytes);
}

void
fs_write(const char *path, struct str bytes, bool *changed)
{
	if (!fs_try_write(path, bytes, changed))
		die("cannot write '%s': %s", path, fs_reason());
}

static bool
write_into(const char *path, struct str bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	bool ok = write_all(fd, bytes);
	int e = errno;
	if (close(fd) != 0 && ok)
		ok = false, e = errno;
	errno = e;
	return ok;
}

void
fs_put(const char *path, struct str bytes)
{
	char real[PATH_LIMIT];
	struct stat st;
	bool there = stat(path, &st) == 0;
	if (!there)
		fs_need_place(path);
	bool ok = there && !S_ISREG(st.st_mode)   ? write_into(path, bytes)
		  : there && realpath(path, real) ? replace_file(real, bytes)
						  : replace_file(path, bytes);
	if (!ok)
		die("cannot write '%s': %s", path, strerror(errno));
}

bool
fs_try_append(const char *path, struct str bytes)
{
	int fd = open_new(path, O_WRONLY | O_APPEND | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool ok = write(fd, bytes.s, bytes.n) == (ssize_t)bytes.n;
	return close(fd) == 0 && ok;
}

bool
fs_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
fs_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool
fs_is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

const char *
fs_endless(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return NULL;
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
		return "a device";
	if (!S_ISFIFO(st.st_mode))
		return NULL;
	bool opened = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
		      (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0);
	return opened ? NULL : "a pipe";
}

int64_t
fs_mtime_ns(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

void
fs_mkdirs(const char *path)
{
	if (!try_mkdirs(path))
		die("cannot make folder '%s': %s", path, strerror(errno));
}

void
fs_remove(const char *path)
{
	if (unlink(path) != 0 && errno != ENOENT)
		die("cannot remove '%s': %s", path, strerror(errno));
}

char *
fs_join(struct arena *a, const char *dir, const char *name)
{
	if (name[0] == '/' || !*dir || strcmp(dir, ".") == 0)
		return arena_copy(a, name, strlen(name));
	size_t n = strlen(dir);
	const char *sep = dir[n - 1] == '/' ? "" : "/";
	return (char *)(uintptr_t)str_fmt(a, "%s%s%s", dir, sep, name).s;
}

char *
fs_dirname(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return arena_copy(a, ".", 1);
	return arena_copy(a, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *
fs_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *
fs_normal(struct arena *a, const char *path)
{
	struct str rest = str_of(path), piece, *part = NULL;
	size_t n = 0, cap = 0;
	bool absolute = path[0] == '/';
	while (str_split(&rest, '/', &piece)) {
		if (piece.n == 0 || str_is(piece, "."))
			continue;
		if (str_is(piece, "..") && n && !str_is(part[n - 1], "..")) {
			n--;
			continue;
		}
		if (str_is(piece, "..") && absolute)
			continue;
		arena_grow(a, part, n, cap);
		part[n++] = piece;
	}
	struct buf b = {.a = a};
	if (absolute)
		buf_addc(&b, '/');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(&b, '/');
		buf_addstr(&b, part[i]);
	}
	if (b.n == 0)
		buf_addc(&b, '.');
	return b.s;
}

char *
fs_relative(struct arena *a, const char *from, const char *to)
{
	struct str f = str_of(fs_normal(a, from)), t = str_of(fs_normal(a, to)), x, y;
	if (str_is(f, "."))
		f.n = 0;
	for (;;) {
		struct str f2 = f, t2 = t;
		if (!str_split(&f2, '/', &x) || !str_split(&t2, '/', &y) || !str_eq(x, y))
			break;
		f = f2;
		t = t2;
	}
	struct buf b = {.a = a};
	while (str_split(&f, '/', &x))
		buf_adds(&b, b.n ? "/.." : "..");
	if (t.n && b.n)
		buf_addc(&b, '/');
	buf_addstr(&b, t);
	if (b.n == 0)
		buf_addc(&b, '.');
	return b.s;
}

char *
fs_cwd(struct arena *a)
{
	char tmp[PATH_LIMIT];
	if (!getcwd(tmp, sizeof tmp))
		die("cannot tell the current folder: %s", strerror(errno));
	return arena_copy(a, tmp, strlen(tmp));
}

static bool
is_program(const char *path)
{
	return fs_is_file(path) && access(path, X_OK) == 0;
}

char *
fs_which(struct arena *a, const char *name)
{
	if (strchr(name, '/'))
		return is_program(name) ? arena_copy(a, name, strlen(name)) : NULL;
	struct str rest = str_of(getenv("PATH")), dir;
	while (str_split(&rest, ':', &dir)) {
		char *p = fs_join(a, dir.n ? str_c(a, dir) : ".", name);
		if (is_program(p))
			return p;
	}
	return NULL;
}

static int
by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

size_t
fs_list(struct arena *a, const char *dir, const char ***names)
{
	size_t n = 0, cap = 0;
	*names = NULL;
	DIR *d = opendir(dir);
	if (!d)
		return 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		arena_grow(a, *names, n, cap);
		(*names)[n++] = arena_copy(a, e->d_name, strlen(e->d_name));
	}
	closedir(d);
	if (n)
		qsort(*names, n, sizeof **names, by_name);
	return n;
}

int
fs_lock(const char *path, bool wait)
{
	struct stat st;
	if (!make_parent(path))
		die("cannot make the folder of '%s': %s", path, strerror(errno));
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		die("cannot lock '%s': it is no file; remove it", path);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	int r;
	do
		r = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
	while (r != 0 && errno == EINTR);
	if (r == 0)
		return fd;
	if (errno != EWOULDBLOCK)
		die("cannot lock '%s': %s", path, strerror(errno));
	close(fd);
	return -1;
}
