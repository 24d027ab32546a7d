#include "worker/foreground.h"

#include "base/clock.h"
#include "base/fs.h"
#include "worker/door.h"
#include "worker/obituary.h"
#include "worker/runner.h"

#include <errno.h>
#include <unistd.h>

static const int64_t MS_NS = 1000000, SECOND_NS = INT64_C(1000000000);

/* It ends after the job that runs; its clients start another, which waits for us. */
static void
ask_it_to_end(const char *folder, const char *sock)
{
	struct arena a = {0};
	int fd = door_knock(folder, sock);

	if (fd >= 0) {
		struct peer p = peer_make(fd);
		peer_say(&p, message_flag(&a, "stop"));
		peer_close(&p);
	}
	arena_release(&a);
}

static int
wait_for_lease(
	struct arena *a, const char *folder, const struct worker_opts *o, struct str *why)
{
	struct str uuid = o->device->uuid;
	const char *sock = lease_name(a, uuid, "sock");
	int64_t ask_again = 0;

	for (;;) {
		struct arena_mark mark = arena_mark(a);
		int fd = lease_try(a, uuid, why);
		if (fd >= 0 || why->n)
			return fd;
		if (clock_ns() >= ask_again) {
			ask_it_to_end(folder, sock);
			ask_again = clock_ns() + SECOND_NS;
		}
		arena_pop(a, mark);
		clock_sleep_ns(5 * MS_NS);
	}
}

static struct str
stuck(struct arena *a, const struct worker_opts *o, long pid)
{
	return str_fmt(a,
		"gpu_wedged: process %ld was killed while it used %.*s and does not end, "
		"so the driver is stuck; nothing can be measured there until it is gone",
		pid, STR_ARG(o->device->name));
}

static struct runner_end
run(struct runner *r, struct arena *a, const struct job *j)
{
	struct runner_end e;

	runner_begin(r, j, job_write(a, j));
	while (!runner_tick(r, a, &e)) {
		struct pollfd v[3];
		size_t n = runner_polls(r, v);
		int64_t left = runner_alarm(r) - clock_ns();
		poll(v, (nfds_t)n, left > 0 ? (int)(left / MS_NS) + 1 : 0);
	}
	return e;
}

struct worker_answer
foreground_run(struct arena *a, const char *folder, const struct job *j,
	const struct worker_opts *o)
{
	const char *marker = fs_join(a, folder, lease_name(a, o->device->uuid, "wedged"));
	struct lease_holder h = lease_read(a, marker);
	struct worker_answer out = {0};

	if (lease_alive(&h)) {
		out.trouble = stuck(a, o, (long)h.pid);
		return out;
	}
	int lease = wait_for_lease(a, folder, o, &out.trouble);
	if (lease < 0)
		return out;
	h = lease_holder_of("foreground", getpid());
	lease_sign(lease, &h);
	struct runner r = runner_make(
		o->device, lease, 2, o->reap_ns ? o->reap_ns : 10 * SECOND_NS);
	struct runner_end e = run(&r, a, j);
	out.text = e.text;
	if (e.wedged) {
		h = lease_holder_of("wedged", r.pid);
		fs_try_write(marker, lease_holder_text(a, &h), NULL);
		out.text = obituary_text(
			a, j, o->device, e.status, stuck(a, o, (long)r.pid));
	} else if (!e.text.n) {
		out.text = obituary_text(a, j, o->device, e.status, e.reason);
	}
	runner_close(&r);
	lease_drop(lease);
	return out;
}
