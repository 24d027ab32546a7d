#include "worker/door.h"

#include "base/arena.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

/* The address is good as long as the folder's descriptor in *dir is open. */
static bool
address(const char *folder, const char *name, struct sockaddr_un *to, int *dir)
{
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	*dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*dir < 0)
		return false;
	int n = snprintf(
		to->sun_path, sizeof to->sun_path, "/proc/self/fd/%d/%s", *dir, name);
	if (n > 0 && n < (int)sizeof to->sun_path)
		return true;
	close(*dir);
	errno = ENAMETOOLONG;
	return false;
}

static int
open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int
door_open(struct arena *a, const char *folder, struct str uuid, struct str *why)
{
	struct sockaddr_un at;
	int dir, fd = open_socket();
	mode_t mask = umask(0077);
	bool ok = fd >= 0 && address(folder, lease_name(a, uuid, "sock"), &at, &dir);

	if (ok) {
		unlink(at.sun_path);
		ok = bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
		     listen(fd, BACKLOG) == 0 &&
		     fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0;
		close(dir);
	}
	umask(mask);
	if (ok)
		return fd;
	*why = str_fmt(a, "cannot listen in '%s': %s", folder, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int
door_knock(const char *folder, const char *name)
{
	struct sockaddr_un at;
	int dir, fd = open_socket(), failed;

	if (fd >= 0 && address(folder, name, &at, &dir)) {
		int r = connect(fd, (struct sockaddr *)&at, sizeof at);
		failed = r == 0 ? 0 : errno;
		close(dir);
		if (!failed && door_is_ours(fd))
			return fd;
	} else {
		failed = errno;
	}
	if (fd >= 0)
		close(fd);
	errno = failed ? failed : EPERM;
	return -1;
}

struct credentials { /* as in unix(7), SO_PEERCRED */
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

static bool
peer_credentials(int fd, struct credentials *who)
{
	socklen_t n = sizeof *who;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &n) == 0;
}

bool
door_is_ours(int fd)
{
	struct credentials who;

	return peer_credentials(fd, &who) && who.uid == geteuid();
}

long
door_peer(int fd)
{
	struct credentials who;

	return peer_credentials(fd, &who) ? who.pid : 0;
}

struct str
door_program(struct arena *a, const struct device *dev)
{
	struct stat st = {0};

	/* Through the link, so also when the file was replaced. */
	if (stat("/proc/self/exe", &st) != 0)
		st.st_ino = 0;
	return str_fmt(a, "%s %llx:%llx:%llx.%lx %s", LANEWISE_VERSION,
		(unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		(unsigned long long)st.st_mtim.tv_sec, (unsigned long)st.st_mtim.tv_nsec,
		hash_short(a, device_write(a, dev), 16));
}
