#include "base/proc.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/die.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* How long a child that was sent SIGKILL may take to go. */
static const int64_t REAP_NS = 10 * INT64_C(1000000000);

struct pipes {
	int in[2], out[2], err[2], fail[2];
};

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
open_pipe(int fd[2])
{
	if (pipe(fd) != 0)
		die("cannot make a pipe: %s", strerror(errno));
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
}

static void
child(struct pipes *p, const char *const *argv, const struct proc_opts *o, pid_t parent)
{
	if (!o->in_group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, o->in_group ? SIGTERM : SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the parent died before prctl took effect */
	signal(SIGPIPE, SIG_DFL);
	if (!o->pass_through) {
		dup2(p->in[0], 0);
		dup2(p->out[1], 1);
		dup2(o->merge ? p->out[1] : p->err[1], 2);
	}
	if (!o->dir || chdir(o->dir) == 0) {
		if (o->env)
			environ = (char **)(uintptr_t)o->env;
		execvp(argv[0], (char *const *)(uintptr_t)argv);
	}
	int e = errno;
	if (write(p->fail[1], &e, sizeof e) < 0)
		_exit(126);
	_exit(127);
}

static bool
drain(int *fd, struct buf *b, size_t max)
{
	char tmp[16384];
	ssize_t n = read(*fd, tmp, sizeof tmp);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		close_fd(fd);
		return false;
	}
	if (b->n < max)
		buf_add(b, tmp, (size_t)n > max - b->n ? max - b->n : (size_t)n);
	return true;
}

static void
feed(int *fd, struct str *in)
{
	ssize_t w = in->n ? write(*fd, in->s, in->n) : 0;
	if (w > 0) {
		in->s += w;
		in->n -= (size_t)w;
	}
	if (in->n == 0 || (w < 0 && errno != EINTR && errno != EAGAIN))
		close_fd(fd);
}

enum { TICK_MS = 100 };

static int
wait_ms(int64_t deadline)
{
	int64_t left = deadline ? (deadline - clock_ns()) / 1000000 + 1 : TICK_MS;
	return left < 0 ? 0 : left > TICK_MS ? TICK_MS : (int)left;
}

static bool
has_exited(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

static void
kill_group(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
}

static void
converse(struct pipes *p, pid_t pid, const struct proc_opts *o, int64_t deadline,
	struct proc_result *r, struct buf *out, struct buf *err)
{
	size_t max = o->output_max ? o->output_max : 16u << 20;
	struct str in = o->input;
	while (p->out[0] >= 0 || p->err[0] >= 0) {
		struct pollfd pf[3] = {{p->out[0], POLLIN, 0}, {p->err[0], POLLIN, 0},
			{p->in[1], POLLOUT, 0}};
		int n = poll(pf, 3, wait_ms(deadline));
		if (o->tick)
			o->tick(o->tick_arg);
		if (n < 0 && errno != EINTR)
			die("cannot poll: %s", strerror(errno));
		if (deadline && clock_ns() >= deadline) {
			kill_group(pid);
			r->timed_out = true;
			return;
		}
		/* A grandchild may hold our pipes open for ever. */
		if (n == 0 && has_exited(pid))
			return;
		if (n <= 0)
			continue;
		if (pf[0].revents)
			drain(&p->out[0], out, max);
		if (pf[1].revents)
			drain(&p->err[0], err, max);
		if (pf[2].revents)
			feed(&p->in[1], &in);
	}
}

/* A child may close its streams and live on; the deadline still holds.  One that sits in
 * the kernel outlives SIGKILL (a wedged driver does that): it is left behind, not waited
 * for, and said so. */
static int
reap(pid_t pid, int64_t deadline, struct proc_result *r)
{
	int status;
	int64_t killed = r->timed_out ? clock_ns() : 0;
	for (;;) {
		pid_t got = waitpid(pid, &status, deadline ? WNOHANG : 0);
		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			die("cannot wait for a child: %s", strerror(errno));
		int64_t now = clock_ns();
		if (got == 0 && !r->timed_out && now >= deadline) {
			kill_group(pid);
			r->timed_out = true;
			killed = now;
		}
		if (got == 0 && r->timed_out && now - killed > REAP_NS) {
			r->unreaped = true;
			return SIGKILL;
		}
		if (got == 0)
			clock_sleep_ns(1000000);
	}
}

struct proc_result
proc_run(struct arena *a, const char *const *argv, struct proc_opts o)
{
	struct proc_result r = {0};
	struct pipes p = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	open_pipe(p.fail);
	if (!o.pass_through) {
		open_pipe(p.in);
		open_pipe(p.out);
		if (!o.merge)
			open_pipe(p.err);
		fcntl(p.in[1], F_SETFL, O_NONBLOCK);
	}
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	sigaction(SIGPIPE, &ignore, &old);
	int64_t start = clock_ns(), deadline = o.timeout_ns ? start + o.timeout_ns : 0;
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (pid == 0)
		child(&p, argv, &o, parent);
	if (!o.in_group)
		setpgid(pid, pid);
	close_fd(&p.fail[1]);
	close_fd(&p.in[0]);
	close_fd(&p.out[1]);
	close_fd(&p.err[1]);
	int e = 0;
	r.started = read(p.fail[0], &e, sizeof e) != (ssize_t)sizeof e;
	close_fd(&p.fail[0]);
	struct buf out = {.a = a}, err = {.a = a};
	if (r.started)
		converse(&p, pid, &o, deadline, &r, &out, &err);
	else
		buf_addf(&err, "cannot run '%s': %s", argv[0], strerror(e));
	close_fd(&p.in[1]);
	close_fd(&p.out[0]);
	close_fd(&p.err[0]);
	int status = reap(pid, deadline, &r);
	r.wall_ns = clock_ns() - start;
	kill(-pid, SIGKILL); /* grandchildren that outlived it */
	sigaction(SIGPIPE, &old, NULL);
	r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r.out = (struct str){buf_c(&out), out.n};
	r.err = (struct str){buf_c(&err), err.n};
	return r;
}

const char *
proc_explain(struct arena *a, const struct proc_result *r)
{
	if (!r->started)
		return r->err.s;
	if (r->timed_out)
		return str_fmt(a, "timed out after %.3g s", (double)r->wall_ns * 1e-9).s;
	if (r->signal)
		return str_fmt(
			a, "killed by signal %d (%s)", r->signal, strsignal(r->signal))
			.s;
	return str_fmt(a, "exit status %d", r->status).s;
}

char *
proc_self(struct arena *a)
{
	char tmp[4096];
	ssize_t n = readlink("/proc/self/exe", tmp, sizeof tmp);
	if (n <= 0 || n == (ssize_t)sizeof tmp)
		die("cannot tell where this program is: %s", strerror(errno));
	return arena_copy(a, tmp, (size_t)n);
}

void
proc_die_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}
