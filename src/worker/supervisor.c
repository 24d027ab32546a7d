#include "base/clock.h"
#include "base/fs.h"
#include "worker/desk.h"
#include "worker/door.h"
#include "worker/obituary.h"
#include "worker/runner.h"
#include "worker/worker.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t MS_NS = 1000000, SECOND_NS = INT64_C(1000000000);

/* How often the world is looked at when nothing happens: the folder, the lease of others.
 */
static const int64_t LOOK_NS = 250 * INT64_C(1000000);
static const int64_t LEASE_LOOK_NS = 20 * INT64_C(1000000);
/* An earlier supervisor of the device may be about to end. */
static const int64_t PREDECESSOR_NS = 2 * INT64_C(1000000000);

/* An executor that others kill (the kernel, out of memory) is given so many chances. */
enum { KILLS_MAX = 3 };

struct supervisor {
	struct arena *a;
	const struct device *device;
	const char *folder, *wedge_path, *lock_path;
	dev_t folder_dev;
	ino_t folder_ino;
	int64_t idle_ns, reap_ns;
	int lease; /* -1: others have it */
	struct desk desk;
	struct runner runner;
	struct lease_holder wedged; /* pid 0: none */
	int64_t orphan_ns;          /* since when an executor without a supervisor has
				       the lease; 0: none */
	int64_t idle_since_ns, begun_ns;
	int64_t n_done, looked_ns;
	bool over;
};

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For the log. */
static void
note(const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text - 1, fmt, ap);
	va_end(ap);
	n = n < 0 ? 0 : n > (int)sizeof text - 2 ? (int)sizeof text - 2 : n;
	text[n] = '\n';
	if (write(2, text, (size_t)n + 1) < 0)
		return;
}

/* --- a stuck driver ---------------------------------------------------------------- */

static void
say_wedged(struct supervisor *s)
{
	s->desk.closed = str_fmt(s->a,
		"gpu_wedged: process %ld was killed while it used %.*s (%.*s) and does "
		"not end, so the driver is stuck; nothing can be measured there until "
		"it is gone (a reset of the GPU or a reboot may be needed)",
		(long)s->wedged.pid, STR_ARG(s->device->name), STR_ARG(s->device->uuid));
}

static void
begin_wedge(struct supervisor *s, struct lease_holder h)
{
	struct task *t;

	s->wedged = h;
	say_wedged(s);
	h.what = STR_LIT("wedged");
	fs_try_write(s->wedge_path, lease_holder_text(s->a, &h), NULL);
	note("%.*s", STR_ARG(s->desk.closed));
	while ((t = s->desk.waiting.first)) {
		task_remove(&s->desk.waiting, t);
		desk_disappoint(t, "trouble", s->desk.closed);
	}
}

static void
end_wedge(struct supervisor *s)
{
	note("process %ld is gone: the device is free again", (long)s->wedged.pid);
	s->wedged = (struct lease_holder){0};
	s->desk.closed = (struct str){0};
	fs_remove(s->wedge_path);
}

static void
check_wedge(struct supervisor *s)
{
	bool ours = s->runner.state == RUNNER_WEDGED;

	if (s->wedged.pid && !ours && !lease_alive(&s->wedged))
		end_wedge(s);
	else if (!s->wedged.pid && ours)
		begin_wedge(s, lease_holder_of("wedged", s->runner.pid));
}

/* --- the lease --------------------------------------------------------------------- */

/* An executor whose supervisor was killed dies with it; if it does not, it is stuck. */
static void
watch_holder(struct supervisor *s)
{
	struct lease_holder h = lease_read(s->a, s->lock_path);

	if (!str_is(h.what, "executor") || !lease_alive(&h)) {
		s->orphan_ns = 0;
		return;
	}
	if (!s->orphan_ns)
		s->orphan_ns = clock_ns();
	if (clock_ns() - s->orphan_ns > s->reap_ns && !s->wedged.pid)
		begin_wedge(s, h);
}

static void
sign(struct supervisor *s, const char *what, pid_t pid)
{
	struct lease_holder h = lease_holder_of(what, pid);

	lease_sign(s->lease, &h);
}

static void
want_lease(struct supervisor *s)
{
	struct arena_mark mark = arena_mark(s->a);
	struct str why = {0};

	if (s->lease >= 0)
		return;
	s->lease = lease_try(s->a, s->device->uuid, &why);
	if (s->lease >= 0) {
		sign(s, "supervisor", getpid());
		s->runner.lease = s->lease;
	} else if (why.n) {
		die("%.*s", STR_ARG(why));
	} else if (!s->wedged.pid) {
		watch_holder(s);
	}
	if (!s->wedged.pid)
		arena_pop(s->a, mark);
}

/* --- jobs -------------------------------------------------------------------------- */

static void
finish(struct supervisor *s, struct str answer)
{
	struct task *t = s->desk.running;

	s->desk.running = NULL;
	t->answer = str_dup(&t->a, answer);
	s->n_done++;
	desk_answer(&s->desk, t);
	if (t->job->alone)
		runner_retire(&s->runner);
}

/* What an earlier candidate left behind may be at fault: a fresh process tells. */
static bool
wants_retry(struct task *t, const struct runner_end *e)
{
	if (e->foreign_kill && t->kills < KILLS_MAX) {
		t->kills++;
		return true;
	}
	if (e->fresh || t->retried || t->job->alone)
		return false;
	if (e->status != RESULT_CRASHED && e->status != RESULT_OOM &&
		e->status != RESULT_TROUBLE)
		return false;
	t->retried = true;
	return true;
}

static void
ended(struct supervisor *s, struct arena *a, const struct runner_end *e)
{
	struct task *t = s->desk.running;

	s->idle_since_ns = clock_ns();
	if (e->reason.n)
		note("%.*s: %s: %.*s", STR_ARG(task_name(a, t)),
			result_status_name(e->status), STR_ARG(e->reason));
	if (e->wedged) {
		check_wedge(s);
		finish(s, obituary_text(a, t->job, s->device, e->status, s->desk.closed));
	} else if (wants_retry(t, e)) {
		s->desk.running = NULL;
		runner_retire(&s->runner);
		task_prepend(&s->desk.waiting, t);
	} else if (e->text.n) {
		finish(s, e->text);
	} else {
		finish(s, obituary_text(a, t->job, s->device, e->status, e->reason));
	}
}

static void
begin(struct supervisor *s)
{
	struct task *t = s->desk.waiting.first;
	struct runner *r = &s->runner;
	pid_t before = r->pid;

	if (!t || s->desk.running || s->lease < 0 || s->wedged.pid)
		return;
	if (r->state == RUNNER_IDLE && r->n_jobs && t->job->alone)
		runner_retire(r);
	if (r->state != RUNNER_NONE && r->state != RUNNER_IDLE)
		return;
	task_remove(&s->desk.waiting, t);
	s->desk.running = t;
	s->begun_ns = clock_ns();
	runner_begin(r, t->job, t->text);
	if (r->pid != before)
		sign(s, "executor", r->pid);
}

static void
run_jobs(struct supervisor *s)
{
	struct arena a = {0};
	struct runner_end e;

	if (runner_tick(&s->runner, &a, &e))
		ended(s, &a, &e);
	check_wedge(s);
	begin(s);
	arena_release(&a);
}

static struct str
list(void *arg, struct arena *a)
{
	struct supervisor *s = arg;
	struct json_out o = {.b = {.a = a}, .compact = true};
	const struct task *t = s->desk.running;
	int64_t now = clock_ns();

	json_open_object(&o, NULL);
	json_put_str(&o, "device", s->device->name);
	json_put_str(&o, "uuid", s->device->uuid);
	json_put_i64(&o, "pid", getpid());
	json_put_i64(&o, "waiting", (int64_t)s->desk.waiting.n);
	json_put_i64(&o, "done", s->n_done);
	json_put_str(&o, "running", t ? task_name(a, t) : (struct str){0});
	json_put_c(&o, "step", t ? s->runner.step : "");
	json_put_i64(&o, "running_ms", t ? (now - s->begun_ns) / MS_NS : 0);
	json_put_i64(&o, "idle_s", t ? 0 : (now - s->idle_since_ns) / SECOND_NS);
	json_put_str(&o, "trouble",
		s->lease < 0 && !s->desk.closed.n
			? STR_LIT("waits for the lease, which another process has")
			: s->desk.closed);
	return message_done(&o);
}

/* --- its life ---------------------------------------------------------------------- */

static bool
folder_is_there(const struct supervisor *s)
{
	struct stat st;

	return lstat(s->folder, &st) == 0 && st.st_dev == s->folder_dev &&
	       st.st_ino == s->folder_ino;
}

static void
check_life(struct supervisor *s)
{
	struct desk *d = &s->desk;
	bool idle = !d->running && (!d->waiting.first || d->stop);
	int64_t now = clock_ns();
	int64_t limit = d->stop || d->other_program ? 0 : s->idle_ns;

	if (now - s->looked_ns >= LOOK_NS) {
		s->looked_ns = now;
		s->over = !folder_is_there(s);
	}
	if (s->over) {
		note("the folder of leases is gone");
	} else if (!idle) {
		s->idle_since_ns = now;
	} else if (now - s->idle_since_ns >= limit) {
		s->over = true;
	}
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a && (!b || a < b) ? a : b;
}

static void
wait_for_something(struct supervisor *s)
{
	struct pollfd v[DESK_CLIENTS_MAX + 4];
	size_t n = desk_polls(&s->desk, v);
	int64_t now = clock_ns(), until = now + LOOK_NS;

	n += runner_polls(&s->runner, v + n);
	until = sooner(runner_alarm(&s->runner), until);
	if (s->lease < 0)
		until = sooner(now + LEASE_LOOK_NS, until);
	/* Rounded up: a deadline is not looked at before it has passed. */
	poll(v, (nfds_t)n, until > now ? (int)((until - now + MS_NS - 1) / MS_NS) : 0);
}

static void
serve(struct supervisor *s)
{
	while (!s->over) {
		wait_for_something(s);
		desk_tick(&s->desk);
		want_lease(s);
		run_jobs(s);
		desk_expire(&s->desk, s->idle_ns);
		check_life(s);
	}
}

/* False: the device has a supervisor. */
static bool
be_the_only_one(struct supervisor *s)
{
	const char *sock = lease_name(s->a, s->device->uuid, "sock");
	const char *path =
		fs_join(s->a, s->folder, lease_name(s->a, s->device->uuid, "worker"));
	int64_t until = clock_ns() + PREDECESSOR_NS;

	for (;;) {
		if (fs_lock(path, false) >= 0)
			return true;
		int other = door_knock(s->folder, sock);
		if (other >= 0)
			close(other);
		if (other >= 0 || clock_ns() > until)
			return false;
		clock_sleep_ns(5 * MS_NS);
	}
}

static void
close_all(struct supervisor *s)
{
	const char *sock = lease_name(s->a, s->device->uuid, "sock");

	/* First the name, so that who comes now starts another. */
	if (folder_is_there(s))
		fs_remove(fs_join(s->a, s->folder, sock));
	runner_close(&s->runner);
	lease_drop(s->lease);
	/* Last, because who asked for the end takes this for it. */
	desk_close(&s->desk);
}

static struct str
hello(struct arena *a, struct str program)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_i64(&o, "protocol", WORKER_PROTOCOL);
	json_put_str(&o, "program", program);
	json_put_i64(&o, "pid", getpid());
	return message_done(&o);
}

int
worker_supervise(struct arena *a, const struct worker_opts *o)
{
	struct supervisor s = {.a = a, .device = o->device, .lease = -1};
	struct str why = {0}, uuid = o->device->uuid;
	struct stat st;

	s.idle_ns = o->idle_ns ? o->idle_ns : WORKER_IDLE_S * SECOND_NS;
	s.reap_ns = o->reap_ns ? o->reap_ns : 10 * SECOND_NS;
	s.folder = lease_folder_here(a, &why);
	if (!s.folder || lstat(s.folder, &st) != 0)
		die("%.*s", STR_ARG(why));
	s.folder_dev = st.st_dev;
	s.folder_ino = st.st_ino;
	s.wedge_path = fs_join(a, s.folder, lease_name(a, uuid, "wedged"));
	s.lock_path = fs_join(a, s.folder, lease_name(a, uuid, "lock"));
	if (!be_the_only_one(&s))
		return EXIT_YES;
	signal(SIGPIPE, SIG_IGN);
	s.desk.door = door_open(a, s.folder, uuid, &why);
	if (s.desk.door < 0)
		die("%.*s", STR_ARG(why));
	s.desk.program = door_program(a, s.device);
	s.desk.hello = hello(a, s.desk.program);
	s.desk.list = list;
	s.desk.arg = &s;
	s.runner = runner_make(s.device, -1, 2, s.reap_ns);
	s.wedged = lease_read(a, s.wedge_path);
	if (s.wedged.pid)
		say_wedged(&s);
	s.idle_since_ns = clock_ns();
	note("worker %ld for %.*s (%.*s)", (long)getpid(), STR_ARG(s.device->name),
		STR_ARG(uuid));
	serve(&s);
	close_all(&s);
	return EXIT_YES;
}
