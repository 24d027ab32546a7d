#include "backend/lease.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
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

/* A file name out of what may be any text: a device description is the user's file. */
static const char *
lease_file(struct arena *a, const char *dir, struct str uuid)
{
	struct buf b = {.a = a};
	buf_addf(&b, "%s/gpu-", dir);
	if (uuid.n == 0)
		buf_adds(&b, "default");
	for (size_t i = 0; i < uuid.n && i < 100; i++) {
		unsigned char c = (unsigned char)uuid.s[i];
		buf_addc(&b, isalnum(c) || c == '-' ? (char)c : '_');
	}
	buf_adds(&b, ".lock");
	return buf_c(&b);
}

int
lease_take(struct arena *a, struct str uuid, struct str *why)
{
	const char *dir = lease_folder(a, getenv("XDG_RUNTIME_DIR"), why);
	if (!dir)
		return -1;
	const char *path = lease_file(a, dir, uuid);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		*why = str_fmt(a, "cannot open '%s': %s", path, strerror(errno));
		return -1;
	}
	int r;
	do
		r = flock(fd, LOCK_EX);
	while (r != 0 && errno == EINTR);
	if (r == 0)
		return fd;
	*why = str_fmt(a, "cannot lock '%s': %s", path, strerror(errno));
	close(fd);
	return -1;
}

void
lease_drop(int fd)
{
	if (fd >= 0)
		close(fd);
}
