#include "backend/lease.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
folder_is_ours(const char *dir)
{
	struct stat st;
	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 022) == 0;
}

const char *
lease_folder(struct arena *a, const char *runtime_dir, struct str *why)
{
	const char *dir = str_fmt(a, "/tmp/lanewise-%lu", (unsigned long)geteuid()).s;
	if (runtime_dir && runtime_dir[0] == '/' && fs_is_dir(runtime_dir))
		dir = fs_join(a, runtime_dir, "lanewise");
	if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
		*why = str_fmt(a, "cannot make folder '%s': %s", dir, strerror(errno));
		return NULL;
	}
	if (!folder_is_ours(dir)) {
		*why = str_fmt(a, "'%s' is not a folder of yours alone; remove it", dir);
		return NULL;
	}
	return dir;
}

const char *
lease_folder_here(struct arena *a, struct str *why)
{
	return lease_folder(a, getenv("XDG_RUNTIME_DIR"), why);
}

enum { NAME_MAX_BYTES = 50 };

/* A device description is the user's file.  What was changed or cut off is told apart by
 * its hash. */
const char *
lease_name(struct arena *a, struct str uuid, const char *ext)
{
	struct buf b = {.a = a};
	bool changed = uuid.n > NAME_MAX_BYTES;

	buf_adds(&b, "gpu-");
	if (uuid.n == 0)
		buf_adds(&b, "default");
	for (size_t i = 0; i < uuid.n && i < NAME_MAX_BYTES; i++) {
		unsigned char c = (unsigned char)uuid.s[i];
		bool plain = isalnum(c) || c == '-';
		changed = changed || !plain;
		buf_addc(&b, plain ? (char)c : '_');
	}
	if (changed)
		buf_addf(&b, "-%s", hash_short(a, uuid, 12));
	buf_addf(&b, ".%s", ext);
	return buf_c(&b);
}

static int
take(struct arena *a, struct str uuid, int how, struct str *why)
{
	const char *dir = lease_folder_here(a, why);
	if (!dir)
		return -1;
	const char *path = fs_join(a, dir, lease_name(a, uuid, "lock"));
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		*why = str_fmt(a, "cannot open '%s': %s", path, strerror(errno));
		return -1;
	}
	int r;
	do
		r = flock(fd, how);
	while (r != 0 && errno == EINTR);
	if (r == 0)
		return fd;
	*why = (struct str){0};
	if (errno != EWOULDBLOCK)
		*why = str_fmt(a, "cannot lock '%s': %s", path, strerror(errno));
	close(fd);
	return -1;
}

int
lease_take(struct arena *a, struct str uuid, struct str *why)
{
	return take(a, uuid, LOCK_EX, why);
}

int
lease_try(struct arena *a, struct str uuid, struct str *why)
{
	return take(a, uuid, LOCK_EX | LOCK_NB, why);
}

void
lease_drop(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* --- who holds it ------------------------------------------------------------------- */

/* Field 22 of /proc/PID/stat (proc(5)), and 3, the state; the name before them may hold
 * anything, but no later ')'. */
static bool
process_start(pid_t pid, unsigned long long *start, char *state)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %c", state) != 1)
		return false;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	*start = at ? strtoull(at, NULL, 10) : 0;
	return at != NULL;
}

struct lease_holder
lease_holder_of(const char *what, pid_t pid)
{
	struct lease_holder h = {.what = str_of(what), .pid = pid};
	char state;
	process_start(pid, &h.start, &state);
	return h;
}

struct str
lease_holder_text(struct arena *a, const struct lease_holder *h)
{
	return str_fmt(a, "%.*s %ld %llu\n", STR_ARG(h->what), (long)h->pid, h->start);
}

void
lease_sign(int fd, const struct lease_holder *h)
{
	struct arena a = {0};
	struct str text = lease_holder_text(&a, h);
	/* For people and for who waits: without it they are told less. */
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text.s, text.n, 0) != (ssize_t)text.n)
		(void)!ftruncate(fd, 0);
	arena_release(&a);
}

struct lease_holder
lease_read(struct arena *a, const char *path)
{
	struct lease_holder h = {0};
	struct str rest, piece;
	uint64_t pid = 0, start = 0;
	if (!fs_try_read_most(a, path, 4096, &rest))
		return h;
	rest = str_trim(rest);
	if (!str_split(&rest, ' ', &h.what) || !str_split(&rest, ' ', &piece) ||
		!str_to_u64(piece, &pid) || !str_to_u64(rest, &start) || pid == 0 ||
		pid > INT32_MAX)
		return (struct lease_holder){0};
	h.pid = (pid_t)pid;
	h.start = start;
	return h;
}

bool
lease_alive(const struct lease_holder *h)
{
	unsigned long long start;
	char state;
	return h->pid > 0 && process_start(h->pid, &start, &state) && start == h->start &&
	       state != 'Z' && state != 'X';
}
