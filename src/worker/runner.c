#include "worker/runner.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/shown.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t MS_NS = 1000000, SECOND_NS = INT64_C(1000000000);

/* Until it tells its first step: starting a process and the driver.  A driver that has
 * not been used for long takes some seconds. */
static const int64_t OPEN_NS = 60 * INT64_C(1000000000);
/* Nothing that is measured takes longer; what says so is wrong. */
static const int64_t STEP_MAX_NS = 3600 * INT64_C(1000000000);
/* One that ends by itself tears down what it has. */
static const int64_t LEAVE_NS = 10 * INT64_C(1000000000);

static const int64_t REAP_TICK_NS = 2000000;

/* What one supervisor may write to its log. */
enum { LOG_BYTES_MAX = 1 << 20 };

struct runner
runner_make(const struct device *dev, int lease, int log, int64_t reap_ns)
{
	return (struct runner){.device = dev,
		.lease = lease,
		.log = log,
		.log_left = LOG_BYTES_MAX,
		.reap_ns = reap_ns,
		.err = -1,
		.peer = {.fd = -1}};
}

/* --- starting --------------------------------------------------------------------- */

/* The lease is descriptor 3, and the socket is standard input. */
static void
child(const struct runner *r, int sock, int err, pid_t parent)
{
	static char name[] = "lanewise", command[] = "executor";
	char *argv[] = {name, command, NULL};

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	/* All the module at once, so that the first launch is not the one that loads it;
	 * and no PTX from an earlier day. */
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	if (dup2(err, 2) < 0 || dup2(2, 1) < 0 || dup2(sock, 0) < 0)
		_exit(127);
	if (r->lease >= 0 && r->lease != 3)
		dup2(r->lease, 3);
	else if (r->lease == 3)
		fcntl(3, F_SETFD, 0);
	execv("/proc/self/exe", argv);
	dprintf(2, "cannot start: %s\n", strerror(errno));
	_exit(127);
}

static void
forget_process(struct runner *r)
{
	if (r->err >= 0)
		close(r->err);
	if (r->peer.fd >= 0)
		peer_close(&r->peer);
	r->err = -1;
	r->peer = (struct peer){.fd = -1};
	r->pid = 0;
	r->state = RUNNER_NONE;
}

static void
greet(struct runner *r)
{
	struct arena a = {0};

	peer_say(&r->peer, message_text(&a, "device", device_write(&a, r->device)));
	arena_release(&a);
}

static void
start(struct runner *r)
{
	int sock[2], err[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) != 0 ||
		pipe(err) != 0)
		die("cannot make a socket: %s", strerror(errno));
	fcntl(err[0], F_SETFD, FD_CLOEXEC);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	fcntl(err[1], F_SETFD, FD_CLOEXEC);
	pid_t pid = fork();
	if (pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (pid == 0)
		child(r, sock[1], err[1], parent);
	setpgid(pid, pid);
	close(sock[1]);
	close(err[1]);
	r->pid = pid;
	r->err = err[0];
	r->peer = peer_make(sock[0]);
	r->state = RUNNER_IDLE;
	r->n_last = 0;
	r->n_jobs = 0;
	r->hung = r->killed = false;
	greet(r);
}

static void
set_step(struct runner *r, struct str name, int64_t allowed_ns)
{
	size_t n = name.n < sizeof r->step - 1 ? name.n : sizeof r->step - 1;

	memcpy(r->step, name.s, n);
	r->step[n] = 0;
	r->allowed_ns = allowed_ns < MS_NS         ? MS_NS
			: allowed_ns > STEP_MAX_NS ? STEP_MAX_NS
						   : allowed_ns;
	r->step_ns = clock_ns();
	r->deadline_ns = r->step_ns + r->allowed_ns;
}

void
runner_begin(struct runner *r, const struct job *j, struct str text)
{
	if (r->state == RUNNER_NONE)
		start(r);
	if (r->state != RUNNER_IDLE)
		BUG("an executor that is not idle gets a job");
	r->n_jobs++;
	r->owes = true;
	r->stepped = r->n_jobs > 1;
	r->state = RUNNER_BUSY;
	set_step(r, r->n_jobs > 1 ? STR_LIT("load") : STR_LIT("open"),
		OPEN_NS + j->member[0].request.timeout_ns);
	peer_say(&r->peer, text);
}

/* --- ending ----------------------------------------------------------------------- */

static void
begin_dying(struct runner *r)
{
	r->state = RUNNER_DYING;
	r->dying_ns = clock_ns();
}

static void
kill_it(struct runner *r)
{
	kill(-r->pid, SIGKILL);
	kill(r->pid, SIGKILL);
	r->killed = true;
	begin_dying(r);
}

void
runner_retire(struct runner *r)
{
	if (r->state != RUNNER_IDLE)
		return;
	/* It ends when nobody can send it anything. */
	shutdown(r->peer.fd, SHUT_WR);
	begin_dying(r);
}

/* --- what it says ----------------------------------------------------------------- */

static void
keep_line(struct runner *r, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\n' || s[i] == '\r') {
			r->line_ended = true;
			continue;
		}
		if (r->line_ended && (s[i] == ' ' || s[i] == '\t'))
			continue;
		if (r->line_ended)
			r->n_last = 0;
		r->line_ended = false;
		if (r->n_last < sizeof r->last)
			r->last[r->n_last++] = s[i];
	}
}

/* A kernel prints what it likes, and a log is read on a terminal. */
static void
copy_to_log(struct runner *r, struct str said)
{
	struct arena a = {0};
	struct buf b = {.a = &a};

	said = str_sub(said, 0, r->log_left);
	r->log_left -= said.n;
	shown_add_lines(&b, said);
	if (r->log >= 0 && b.n && write(r->log, b.s, b.n) < 0)
		r->log_left = 0;
	arena_release(&a);
}

static void
read_err(struct runner *r)
{
	char tmp[8192];
	ssize_t n;

	while (r->err >= 0 && (n = read(r->err, tmp, sizeof tmp)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		keep_line(r, tmp, (size_t)n);
		copy_to_log(r, (struct str){tmp, (size_t)n});
	}
	if (r->err >= 0)
		close(r->err);
	r->err = -1;
}

#define NONSENSE "\nit said what makes no sense\n"

/* Anything that is not understood is taken for a process that lost its mind. */
static bool
take_message(struct runner *r, struct arena *a, struct str line, struct runner_end *end)
{
	const struct json *v = message_parse(a, line);
	struct str step = json_get_str(v, "step"), answer = json_get_str(v, "answer");

	if (step.n) {
		set_step(r, step,
			(int64_t)(json_get_f64(v, "allowed_ms", 0) * (double)MS_NS));
		r->stepped = r->stepped || !str_is(step, "open");
		return false;
	}
	if (!answer.n || !r->owes ||
		!result_status_find(json_get_str(v, "status"), &end->status)) {
		keep_line(r, NONSENSE, sizeof NONSENSE - 1);
		kill_it(r);
		return false;
	}
	end->text = str_dup(a, answer);
	r->owes = false;
	if (r->state == RUNNER_BUSY)
		r->state = RUNNER_IDLE;
	if (!json_get_bool(v, "usable", false))
		begin_dying(r);
	return true;
}

static bool
take_messages(struct runner *r, struct arena *a, struct runner_end *end)
{
	struct str line;
	bool answered = false;

	if (r->peer.fd < 0)
		return false;
	peer_flush(&r->peer);
	peer_read(&r->peer);
	while (!answered && r->state != RUNNER_NONE && peer_line(&r->peer, &line))
		answered = take_message(r, a, line, end);
	if (r->peer.gone && (r->state == RUNNER_IDLE || r->state == RUNNER_BUSY))
		begin_dying(r);
	return answered;
}

/* --- deadlines and death ---------------------------------------------------------- */

static void
check_deadlines(struct runner *r)
{
	int64_t now = clock_ns();

	if (r->state == RUNNER_BUSY && now >= r->deadline_ns) {
		r->hung = true;
		kill_it(r);
	} else if (r->state == RUNNER_DYING && !r->killed &&
		   now - r->dying_ns > LEAVE_NS) {
		kill_it(r);
	} else if (r->state == RUNNER_DYING && r->killed &&
		   now - r->dying_ns > r->reap_ns) {
		r->state = RUNNER_WEDGED;
	}
}

static const char *
last_words(const struct runner *r, struct arena *a)
{
	if (!r->n_last)
		return "";
	return str_fmt(a, ": %.*s", (int)r->n_last, r->last).s;
}

static struct str
how_it_ended(const struct runner *r, struct arena *a, int status)
{
	double s = (double)r->allowed_ns * 1e-9;

	if (r->hung)
		return str_fmt(
			a, "'%s' did not end within %.3g s; it was killed", r->step, s);
	if (WIFSIGNALED(status))
		return str_fmt(a,
			"during '%s' the executor was killed by signal %d (%s)%s",
			r->step, WTERMSIG(status), strsignal(WTERMSIG(status)),
			last_words(r, a));
	return str_fmt(a, "during '%s' the executor ended with status %d%s", r->step,
		WEXITSTATUS(status), last_words(r, a));
}

/* What runs on the device can end a process in any way; what happens before it got there
 * is no fault of the candidate. */
static enum result_status
judge(const struct runner *r, int status)
{
	if (r->hung)
		return r->stepped ? RESULT_HUNG : RESULT_TROUBLE;
	return r->stepped || WIFSIGNALED(status) ? RESULT_CRASHED : RESULT_TROUBLE;
}

static bool
reap(struct runner *r, struct arena *a, struct runner_end *end)
{
	int status = 0;
	pid_t got = r->pid ? waitpid(r->pid, &status, WNOHANG) : 0;
	bool owed = r->owes;

	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	read_err(r);
	kill(-r->pid, SIGKILL); /* what it started */
	end->fresh = r->n_jobs <= 1;
	if (owed) {
		end->status = judge(r, status);
		end->reason = how_it_ended(r, a, status);
		end->foreign_kill =
			WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !r->killed;
	}
	r->owes = false;
	forget_process(r);
	return owed;
}

static bool
give_up(struct runner *r, struct arena *a, struct runner_end *end)
{
	if (r->state != RUNNER_WEDGED || !r->owes)
		return false;
	r->owes = false;
	end->wedged = true;
	end->status = r->stepped ? RESULT_HUNG : RESULT_TROUBLE;
	end->reason = str_fmt(a, "it was killed during '%s' and does not end", r->step);
	return true;
}

bool
runner_tick(struct runner *r, struct arena *a, struct runner_end *end)
{
	bool ended = false;

	*end = (struct runner_end){.fresh = r->n_jobs <= 1};
	if (r->state == RUNNER_NONE)
		return false;
	read_err(r);
	if (r->state == RUNNER_IDLE || r->state == RUNNER_BUSY)
		ended = take_messages(r, a, end);
	if (!ended)
		check_deadlines(r);
	if (ended || r->state == RUNNER_IDLE || r->state == RUNNER_BUSY)
		return ended;
	return reap(r, a, end) || give_up(r, a, end);
}

size_t
runner_polls(const struct runner *r, struct pollfd *v)
{
	size_t n = 0;

	if (r->state == RUNNER_NONE)
		return 0;
	if (r->err >= 0)
		v[n++] = (struct pollfd){r->err, POLLIN, 0};
	/* One that is going has nothing to say, and its socket stays readable. */
	if (r->state == RUNNER_IDLE || r->state == RUNNER_BUSY)
		v[n++] = (struct pollfd){r->peer.fd,
			(short)(POLLIN | (peer_has_unsent(&r->peer) ? POLLOUT : 0)), 0};
	return n;
}

int64_t
runner_alarm(const struct runner *r)
{
	if (r->state == RUNNER_BUSY)
		return r->deadline_ns;
	if (r->state == RUNNER_DYING)
		return clock_ns() + REAP_TICK_NS;
	return r->state == RUNNER_WEDGED ? clock_ns() + SECOND_NS / 10 : 0;
}

void
runner_close(struct runner *r)
{
	struct arena a = {0};
	struct runner_end end;

	if (r->state == RUNNER_NONE)
		return;
	if (!r->killed)
		kill_it(r);
	while (r->state == RUNNER_DYING) {
		runner_tick(r, &a, &end);
		clock_sleep_ns(MS_NS);
	}
	arena_release(&a);
	if (r->state != RUNNER_NONE)
		forget_process(r);
}
