#include "toolchain/guarded.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/proc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void NORETURN
be_child(int fd, void (*work)(void *, struct buf *), void *env)
{
	struct arena own = {0};
	struct buf answer = {.a = &own};
	proc_die_with_parent();
	work(env, &answer);
	for (size_t done = 0; done < answer.n;) {
		ssize_t n = write(fd, answer.s + done, answer.n - done);
		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0)
			done += (size_t)n;
	}
	_exit(0);
}

/* True at the end of the answer; false at the deadline. */
static bool
collect(int fd, struct buf *b, int64_t deadline_ns)
{
	char tmp[65536];
	for (;;) {
		struct pollfd p = {fd, POLLIN, 0};
		int64_t left = deadline_ns ? deadline_ns - clock_ns() : 0;
		if (deadline_ns && left <= 0)
			return false;
		int ready = poll(&p, 1, deadline_ns ? (int)(left / 1000000 + 1) : -1);
		if (ready <= 0)
			continue;
		ssize_t n = read(fd, tmp, sizeof tmp);
		if (n == 0)
			return true;
		if (n > 0)
			buf_add(b, tmp, (size_t)n);
		else if (errno != EINTR)
			return true;
	}
}

struct guarded_result
guarded_run(struct arena *a, void (*work)(void *, struct buf *), void *env,
	int64_t timeout_ns)
{
	struct guarded_result r = {0};
	struct buf b = {.a = a};
	int fd[2], status = 0;
	if (pipe(fd) != 0)
		die("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (pid == 0) {
		close(fd[0]);
		be_child(fd[1], work, env);
	}
	close(fd[1]);
	r.timed_out = !collect(fd[0], &b, timeout_ns ? clock_ns() + timeout_ns : 0);
	close(fd[0]);
	if (r.timed_out)
		kill(pid, SIGKILL);
	pid_t reaped = waitpid(pid, &status, 0);
	while (reaped < 0 && errno == EINTR)
		reaped = waitpid(pid, &status, 0);
	r.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r.ok = !r.timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	r.answer = buf_str(&b);
	return r;
}
