#include "worker/desk.h"

#include "base/clock.h"
#include "worker/door.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* A job is a few kilobytes, a final's some dozen of them. */
enum { LINE_MAX_BYTES = 1 << 20, KEPT_MAX = 1024 };

/* --- who comes and goes ------------------------------------------------------------ */

static void
say(struct client *c, const char *key, struct str text)
{
	struct arena a = {0};

	peer_say(&c->peer, message_text(&a, key, text));
	arena_release(&a);
}

static void
dismiss(struct client *c, struct str why)
{
	say(c, "refused", why);
	c->leaving = true;
}

static void
admit(struct desk *d, int fd)
{
	struct arena a = {0};
	struct client *c = arena_new(&a, struct client), **at = &d->clients;

	c->a = a;
	c->peer = peer_make(fd);
	c->peer.line_max = LINE_MAX_BYTES;
	/* The oldest first: what it left behind is found by the next. */
	while (*at)
		at = &(*at)->next;
	*at = c;
	d->n++;
	peer_say(&c->peer, d->hello);
	if (!door_is_ours(fd))
		dismiss(c, STR_LIT("another user's"));
}

static void
open_door(struct desk *d)
{
	while (d->n < DESK_CLIENTS_MAX) {
		int fd = accept(d->door, NULL, NULL);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return;
		admit(d, fd);
	}
}

/* Who goes takes along what was not begun; what runs is finished, and kept. */
static void
leave_behind(struct desk *d, struct client *c)
{
	struct task *t = c->task;

	c->task = NULL;
	if (!t)
		return;
	t->client = NULL;
	if (t == d->running || t->answer.n)
		return;
	task_remove(&d->waiting, t);
	task_free(t);
}

static void
forget(struct client *c)
{
	struct arena a = c->a; /* the client is in it, too */

	peer_close(&c->peer);
	arena_release(&a);
}

static void
sweep(struct desk *d)
{
	struct client **at = &d->clients;

	while (*at) {
		struct client *c = *at;
		if (!c->peer.gone && !(c->leaving && !peer_has_unsent(&c->peer))) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		leave_behind(d, c);
		forget(c);
		d->n--;
	}
}

/* --- what they say ----------------------------------------------------------------- */

static void
greet(struct desk *d, struct client *c, const struct json *v)
{
	c->greeted = json_get_i64(v, "protocol", 0) == WORKER_PROTOCOL &&
		     str_eq(json_get_str(v, "program"), d->program);
	if (c->greeted)
		return;
	d->other_program = true;
	dismiss(c, STR_LIT("this is the worker of another program, or of the device as "
			   "it was; it ends soon"));
}

static void
hand_over(struct client *c, struct task *t)
{
	t->client = c;
	c->task = t;
	if (t->answer.n)
		say(c, "answer", t->answer);
}

static void
ask(struct desk *d, struct client *c, struct str line)
{
	struct arena a = {0};
	struct str why;
	struct task *t = task_find(&d->kept, line);

	if (!t && d->running && !d->running->client && str_eq(d->running->question, line))
		t = d->running;
	if (!t && d->closed.n) {
		say(c, "trouble", d->closed);
		return;
	}
	if (!t && d->stop) {
		dismiss(c, STR_LIT("this worker ends"));
		return;
	}
	if (!t) {
		t = task_make(line, &a, &why);
		if (t)
			task_append(&d->waiting, t);
		else
			dismiss(c, str_fmt(&a, "malformed job: %.*s", STR_ARG(why)));
	}
	if (t) {
		peer_say(&c->peer, message_flag(&a, "accepted"));
		hand_over(c, t);
	}
	arena_release(&a);
}

static void
taken(struct desk *d, struct client *c)
{
	struct task *t = c->task;

	if (!t || !t->answer.n)
		return;
	c->task = NULL;
	task_remove(&d->kept, t);
	task_free(t);
}

static void
hear(struct desk *d, struct client *c, struct str line)
{
	struct arena a = {0};
	const struct json *v = message_parse(&a, line);

	if (json_get(v, "protocol")) {
		greet(d, c, v);
	} else if (json_get(v, "ask") && c->greeted && !c->task) {
		ask(d, c, line);
	} else if (json_get_bool(v, "taken", false)) {
		taken(d, c);
	} else if (json_get_bool(v, "list", false)) {
		peer_say(&c->peer, d->list(d->arg, &a));
	} else if (json_get_bool(v, "stop", false)) {
		d->stop = true;
		peer_say(&c->peer, message_flag(&a, "stopping"));
	} else {
		dismiss(c, STR_LIT("that makes no sense here"));
	}
	arena_release(&a);
}

static void
listen_to(struct desk *d, struct client *c)
{
	struct str line;

	peer_flush(&c->peer);
	if (c->leaving)
		return;
	peer_read(&c->peer);
	while (!c->leaving && peer_line(&c->peer, &line))
		hear(d, c, line);
}

void
desk_tick(struct desk *d)
{
	open_door(d);
	for (struct client *c = d->clients; c; c = c->next) {
		listen_to(d, c);
		if (c->peer.gone)
			leave_behind(d, c);
	}
	sweep(d);
}

size_t
desk_polls(const struct desk *d, struct pollfd *v)
{
	size_t n = 0;

	if (d->n < DESK_CLIENTS_MAX)
		v[n++] = (struct pollfd){d->door, POLLIN, 0};
	for (const struct client *c = d->clients; c; c = c->next) {
		int events = c->leaving ? 0 : POLLIN;
		if (peer_has_unsent(&c->peer))
			events |= POLLOUT;
		v[n++] = (struct pollfd){c->peer.fd, (short)events, 0};
	}
	return n;
}

/* --- what they are told ------------------------------------------------------------ */

void
desk_answer(struct desk *d, struct task *t)
{
	t->done_ns = clock_ns();
	task_append(&d->kept, t);
	if (t->client)
		say(t->client, "answer", t->answer);
}

void
desk_disappoint(struct task *t, const char *key, struct str why)
{
	if (t->client) {
		say(t->client, key, why);
		t->client->task = NULL;
	}
	task_free(t);
}

void
desk_expire(struct desk *d, int64_t older_than_ns)
{
	int64_t now = clock_ns();
	struct task *t = d->kept.first, *next;

	for (; t; t = next) {
		next = t->next;
		if (now - t->done_ns <= older_than_ns && d->kept.n <= KEPT_MAX)
			continue;
		if (t->client)
			t->client->task = NULL;
		task_remove(&d->kept, t);
		task_free(t);
	}
}

static void
free_all(struct task_list *l)
{
	struct task *t;

	while ((t = l->first)) {
		task_remove(l, t);
		task_free(t);
	}
}

void
desk_close(struct desk *d)
{
	close(d->door);
	for (struct client *c = d->clients, *next; c; c = next) {
		next = c->next;
		peer_flush(&c->peer);
		forget(c);
	}
	d->clients = NULL;
	free_all(&d->waiting);
	free_all(&d->kept);
	if (d->running)
		task_free(d->running);
}
