#include "worker/start.h"

#include "backend/lease.h"
#include "base/arena.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An older log than this is begun anew. */
enum { LOG_BYTES_MAX = 4 << 20 };

static int
open_log(const char *path)
{
	struct stat st;
	/* Not waiting for a reader, should a pipe lie there. */
	int fd = open(path,
		O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		0600);

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > LOG_BYTES_MAX &&
		ftruncate(fd, 0) != 0)
		return fd;
	return fd;
}

/* Ninja waits until nobody holds the pipe that it gave our parent. */
static void
close_others_on_exec(void)
{
	const char **names;
	struct arena a = {0};
	size_t n = fs_list(&a, "/proc/self/fd", &names);
	int64_t fd;

	for (size_t i = 0; i < n; i++)
		if (str_to_i64(str_of(names[i]), &fd) && fd > 2)
			fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	arena_release(&a);
}

static void
become(const char *const *argv, const char *log)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), to = open_log(log);

	umask(0077);
	dup2(nowhere, 0);
	dup2(nowhere, 1);
	dup2(to < 0 ? nowhere : to, 2);
	close_others_on_exec();
	/* So that no folder is kept from being unmounted or removed. */
	if (chdir("/") != 0)
		_exit(127);
	signal(SIGHUP, SIG_IGN);
	execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Twice, so that it is nobody's child, and in a session of its own. */
static bool
detach(const char *const *argv, const char *log)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			become(argv, log);
		_exit(pid < 0 ? 1 : 0);
	}
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool
start_supervisor(
	struct arena *a, const char *folder, const struct worker_opts *o, struct str *why)
{
	struct str uuid = o->device->uuid;
	const char *device = fs_join(a, folder, lease_name(a, uuid, "json"));
	const char *log = fs_join(a, folder, lease_name(a, uuid, "log"));
	double idle_s = (double)o->idle_ns * 1e-9;
	const char *idle = str_fmt(a, "%.17g", idle_s > 0 ? idle_s : WORKER_IDLE_S).s;
	const char *argv[] = {
		"lanewise", "worker", "--device", device, "--idle", idle, NULL};

	if (fs_try_write(device, device_write(a, o->device), NULL) && detach(argv, log))
		return true;
	*why = str_fmt(a, "cannot start a worker in '%s': %s", folder, strerror(errno));
	return false;
}
