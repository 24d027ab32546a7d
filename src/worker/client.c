#include "base/clock.h"
#include "base/fs.h"
#include "worker/door.h"
#include "worker/foreground.h"
#include "worker/peer.h"
#include "worker/start.h"
#include "worker/worker.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t MS_NS = 1000000, SECOND_NS = INT64_C(1000000000);

/* A supervisor that was started listens within milliseconds; one that ends may have to
 * wait for its executor. */
static const int64_t COME_UP_NS = 40 * INT64_C(1000000000);
static const int64_t START_AGAIN_NS = INT64_C(500000000);

/* How often a silent one is looked at. */
static const int64_t LOOK_NS = 2 * INT64_C(1000000000);

/* Supervisors that died with our job accepted. */
enum { LOST_MAX = 3 };

struct question {
	struct arena *a;
	const struct worker_opts *o;
	const char *folder, *sock;
	struct str text;
	bool warned;
};

/* The answer is safe only when it is written down: until then we stay connected. */
static struct peer connection = {.fd = -1};

/* --- the question ------------------------------------------------------------------ */

/* The same path with another file is another question. */
static void
put_stamp(struct json_out *o, const char *path)
{
	struct stat st = {0};

	if (path && stat(path, &st) == 0)
		json_put_str(o, NULL,
			str_fmt(o->b.a, "%llx %llx %llx.%lx",
				(unsigned long long)st.st_ino,
				(unsigned long long)st.st_size,
				(unsigned long long)st.st_mtim.tv_sec,
				(unsigned long)st.st_mtim.tv_nsec));
}

static struct str
question_text(struct arena *a, const struct job *j, struct str tag)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_str(&o, "ask", job_write(a, j));
	json_put_str(&o, "tag", tag);
	json_open_array(&o, "files", true);
	for (size_t i = 0; i < j->n; i++)
		put_stamp(&o, j->member[i].request.reference_path);
	json_close_array(&o);
	return message_done(&o);
}

static struct str
greeting(struct arena *a, const struct device *dev)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_i64(&o, "protocol", WORKER_PROTOCOL);
	json_put_str(&o, "program", door_program(a, dev));
	return message_done(&o);
}

/* --- waiting ------------------------------------------------------------------------ */

static void
say_waits(struct question *q, const char *why)
{
	if (q->warned)
		return;
	q->warned = true;
	why = str_fmt(q->a, "waits for the worker of '%.*s': %s",
		STR_ARG(q->o->device->name), why)
		      .s;
	if (q->o->waits)
		q->o->waits(q->o->waits_arg, why);
	warn("%s", why);
}

/* Stopped by a signal (state T) or by a debugger (t), as of proc(5). */
static bool
is_stopped(struct arena *a, long pid)
{
	struct str text;
	const char *path = str_fmt(a, "/proc/%ld/stat", pid).s;

	if (!fs_try_read(a, path, &text))
		return false;
	while (text.n && text.s[text.n - 1] != ')')
		text.n--; /* the name in parentheses may have any */
	return text.s[text.n] == ' ' && (text.s[text.n + 1] | 0x20) == 't';
}

static void
look_at_worker(struct question *q)
{
	long pid = door_peer(connection.fd);

	if (pid > 0 && is_stopped(q->a, pid))
		say_waits(q, str_fmt(q->a,
				     "it is stopped; 'kill -CONT %ld' lets it go on", pid)
				     .s);
}

/* As peer_wait() without an end. */
static bool
wait_for_line(struct question *q, struct str *line)
{
	while (!peer_wait(&connection, clock_ns() + LOOK_NS, line)) {
		if (connection.gone || connection.fd < 0)
			return peer_wait(&connection, 0, line);
		look_at_worker(q);
	}
	return true;
}

/* --- getting through ---------------------------------------------------------------- */

/* What lies where a worker's file would be, and would keep every worker from coming up.
 */
static const char *
obstacle(struct question *q)
{
	static const char *const exts[] = {"sock", "worker", "lock"};

	for (size_t i = 0; i < sizeof exts / sizeof exts[0]; i++) {
		const char *path = fs_join(
			q->a, q->folder, lease_name(q->a, q->o->device->uuid, exts[i]));
		struct stat st;
		if (lstat(path, &st) == 0 &&
			(i == 0 ? !S_ISSOCK(st.st_mode) && !S_ISREG(st.st_mode)
				: !S_ISREG(st.st_mode)))
			return path;
	}
	return NULL;
}

static bool
bring_up(struct question *q, struct str *why)
{
	const char *in_the_way = obstacle(q);

	if (!in_the_way)
		return start_supervisor(q->a, q->folder, q->o, why);
	*why = str_fmt(q->a, "'%s' is in the way of the worker; remove it", in_the_way);
	return false;
}

static int
connect_or_start(struct question *q, struct str *why)
{
	int64_t now = clock_ns(), until = now + COME_UP_NS, start = now;
	int64_t pause = MS_NS / 2;

	for (;; now = clock_ns()) {
		int fd = door_knock(q->folder, q->sock);
		if (fd >= 0)
			return fd;
		if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN) {
			*why = str_fmt(q->a, "cannot reach the worker in '%s': %s",
				q->folder, strerror(errno));
			return -1;
		}
		if (now >= until)
			break;
		if (now >= start) {
			if (!bring_up(q, why))
				return -1;
			start = clock_ns() + START_AGAIN_NS;
		}
		clock_sleep_ns(pause);
		pause = pause < 20 * MS_NS ? pause * 2 : pause;
	}
	*why = str_fmt(q->a, "the worker of '%.*s' does not come up; see '%s/%s'",
		STR_ARG(q->o->device->name), q->folder,
		lease_name(q->a, q->o->device->uuid, "log"));
	return -1;
}

enum said { SAID_ANSWER, SAID_NO, SAID_NOTHING, SAID_LOST };

/* Until it answers or the connection ends. */
static enum said
converse(struct question *q, struct worker_answer *out)
{
	struct str line;
	bool accepted = false;

	while (wait_for_line(q, &line)) {
		const struct json *v = message_parse(q->a, line);
		out->text = json_get_str(v, "answer");
		out->trouble = json_get_str(v, "trouble");
		if (out->text.n || out->trouble.n)
			return SAID_ANSWER;
		if (json_get(v, "refused")) {
			out->trouble = json_get_str(v, "refused");
			return SAID_NO;
		}
		accepted = accepted || json_get_bool(v, "accepted", false);
	}
	return accepted ? SAID_LOST : SAID_NOTHING;
}

static enum said
try_once(struct question *q, struct worker_answer *out)
{
	if (connection.fd < 0) {
		int fd = connect_or_start(q, &out->trouble);
		if (fd < 0)
			return SAID_ANSWER;
		connection = peer_make(fd);
		peer_say(&connection, greeting(q->a, q->o->device));
	}
	peer_say(&connection, q->text);
	return converse(q, out);
}

static bool
is_malformed(struct str refusal)
{
	return str_starts(refusal, "malformed");
}

static struct worker_answer
ask(struct question *q)
{
	struct worker_answer out = {0};
	int lost = 0;

	while (lost < LOST_MAX) {
		enum said s = try_once(q, &out);
		if (s == SAID_ANSWER || (s == SAID_NO && is_malformed(out.trouble)))
			return out;
		peer_close(&connection);
		lost += s == SAID_LOST;
		if (s == SAID_NO)
			say_waits(q, str_c(q->a, out.trouble));
		clock_sleep_ns(s == SAID_NO ? SECOND_NS / 20 : 2 * MS_NS);
	}
	return (struct worker_answer){
		.trouble = str_fmt(q->a,
			"the worker died %d times during this job; see "
			"'%s/%s'",
			lost, q->folder, lease_name(q->a, q->o->device->uuid, "log"))};
}

static bool
is_utf8(const char *path)
{
	struct str s = str_of(path ? path : "");

	for (size_t n; s.n; s = str_sub(s, n, s.n))
		if ((n = str_utf8_length(s)) == 0)
			return false;
	return true;
}

/* A job is JSON, which has no other bytes: its executor would not find the files. */
static bool
can_be_named(struct arena *a, const struct job *j, struct str *why)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct bench_request *q = &j->member[i].request;
		if (is_utf8(q->artifact_path) && is_utf8(q->reference_path) &&
			is_utf8(q->outputs_path))
			continue;
		*why = str_fmt(a,
			"the path of '%s' is not UTF-8, so nothing can be measured "
			"there; rename the folder",
			q->artifact_path ? q->artifact_path : q->reference_path);
		return false;
	}
	return true;
}

struct worker_answer
worker_ask(struct arena *a, const struct job *j, const struct worker_opts *o)
{
	struct question q = {.a = a, .o = o};
	struct worker_answer out = {0};

	if (!can_be_named(a, j, &out.trouble))
		return out;
	q.folder = lease_folder_here(a, &out.trouble);
	if (!q.folder)
		return out;
	if (o->foreground)
		return foreground_run(a, q.folder, j, o);
	q.sock = lease_name(a, o->device->uuid, "sock");
	q.text = question_text(a, j, o->tag);
	return ask(&q);
}

void
worker_taken(void)
{
	struct arena a = {0};

	if (connection.fd >= 0)
		peer_say(&connection, message_flag(&a, "taken"));
	peer_close(&connection);
	arena_release(&a);
}

/* --- those there are ---------------------------------------------------------------- */

static bool
is_socket_name(const char *name)
{
	return str_starts(str_of(name), "gpu-") && str_ends(str_of(name), ".sock");
}

/* What it says to {"KEY": true}, after its greeting; NULL when it says nothing. */
static const struct json *
reply(struct arena *a, struct peer *p, const char *key, const char *wanted)
{
	int64_t until = clock_ns() + 5 * SECOND_NS;
	struct str line;

	peer_say(p, message_flag(a, key));
	while (peer_wait(p, until, &line)) {
		const struct json *v = message_parse(a, line);
		if (json_get(v, wanted))
			return v;
	}
	return NULL;
}

static struct worker_seen
seen(const struct json *v)
{
	return (struct worker_seen){
		.device = json_get_str(v, "device"),
		.uuid = json_get_str(v, "uuid"),
		.pid = json_get_i64(v, "pid", 0),
		.n_waiting = json_get_i64(v, "waiting", 0),
		.n_done = json_get_i64(v, "done", 0),
		.idle_s = json_get_i64(v, "idle_s", 0),
		.running = json_get_str(v, "running"),
		.step = json_get_str(v, "step"),
		.running_ms = json_get_i64(v, "running_ms", 0),
		.trouble = json_get_str(v, "trouble"),
	};
}

/* Calls f for each that answers. */
static size_t
each_worker(struct arena *a, struct str *why,
	void (*f)(void *arg, struct arena *a, struct peer *p, struct worker_seen *w),
	void *arg)
{
	const char *folder = lease_folder_here(a, why), **names;
	size_t n = folder ? fs_list(a, folder, &names) : 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		int fd = is_socket_name(names[i]) ? door_knock(folder, names[i]) : -1;
		if (fd < 0)
			continue;
		struct peer p = peer_make(fd);
		const struct json *v = reply(a, &p, "list", "device");
		struct worker_seen w = seen(v);
		if (v)
			f(arg, a, &p, &w);
		found += v != NULL;
		peer_close(&p);
	}
	return found;
}

struct worker_rows {
	struct worker_seen *v;
	size_t n, cap;
};

static void
add_row(void *arg, struct arena *a, struct peer *p, struct worker_seen *w)
{
	struct worker_rows *rows = arg;

	(void)p;
	arena_grow(a, rows->v, rows->n, rows->cap);
	rows->v[rows->n++] = *w;
}

size_t
worker_list(struct arena *a, struct worker_seen **out, struct str *why)
{
	struct worker_rows rows = {0};

	each_worker(a, why, add_row, &rows);
	*out = rows.v;
	return rows.n;
}

struct stopping {
	const char *which;
	struct worker_rows rows;
};

static void
stop_one(void *arg, struct arena *a, struct peer *p, struct worker_seen *w)
{
	struct stopping *s = arg;
	struct str line;

	if (s->which && !str_is(w->uuid, s->which) && !str_is(w->device, s->which))
		return;
	if (reply(a, p, "stop", "stopping"))
		add_row(&s->rows, a, p, w);
	while (peer_wait(p, 0, &line))
		;
}

size_t
worker_stop(struct arena *a, const char *which, struct worker_seen **out, struct str *why)
{
	struct stopping s = {.which = which};

	each_worker(a, why, stop_one, &s);
	*out = s.rows.v;
	return s.rows.n;
}
