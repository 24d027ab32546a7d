#include "worker/execute.h"

#include "worker/confine.h"
#include "worker/obituary.h"
#include "worker/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct execute {
	const struct engine *engine;
	const struct device *device;
	struct arena lasting; /* what lives as long as the process */
	void *opened;
	struct peer peer;
	bool aloud; /* steps to standard error, too */
};

struct answer {
	struct str text;
	enum result_status status;
	bool usable;
};

static void
tell_step(void *arg, const char *name, int64_t allowed_ns)
{
	struct execute *x = arg;
	struct arena a = {0};
	struct json_out o = {.b = {.a = &a}, .compact = true};
	double ms = (double)allowed_ns * 1e-6;

	if (x->aloud)
		fprintf(stderr, "%s (at most %.3g ms)\n", name, ms);
	if (x->peer.fd >= 0) {
		json_open_object(&o, NULL);
		json_put_c(&o, "step", name);
		json_put_f64(&o, "allowed_ms", ms);
		peer_say(&x->peer, message_done(&o));
		peer_push(&x->peer);
	}
	arena_release(&a);
}

static struct answer
refuse(struct execute *x, struct arena *a, const struct job *j, enum result_status status,
	struct str reason, bool usable)
{
	return (struct answer){
		obituary_text(a, j, x->device, status, reason), status, usable};
}

static struct answer
run(struct execute *x, struct arena *a, struct job *j)
{
	struct answer out = {0};
	struct fault f = {0};
	struct str why = {0};

	if (!job_load(a, j, &why))
		return refuse(x, a, j, RESULT_TROUBLE, why, true);
	if (!x->opened) {
		struct measure_watch watch = {tell_step, x};
		if (str_is(x->device->backend, "host"))
			confine_signals();
		x->opened = x->engine->open(&x->lasting, x->device, watch, &f);
	}
	if (!x->opened)
		return refuse(x, a, j, f.status, f.reason, false);
	out.usable = x->engine->run(x->opened, a, j, &out.text, &out.status);
	return out;
}

/* --- over a socket ---------------------------------------------------------------- */

static void
send_answer(struct execute *x, struct arena *a, const struct answer *w)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_str(&o, "answer", w->text);
	json_put_c(&o, "status", result_status_name(w->status));
	json_put_bool(&o, "usable", w->usable);
	peer_say(&x->peer, message_done(&o));
	peer_push(&x->peer);
}

static const struct device *
read_device(struct arena *a, struct peer *p)
{
	struct diag d = {0};
	struct source *src = arena_new(a, struct source);
	struct str line;

	if (!peer_wait(p, 0, &line))
		return NULL;
	*src = (struct source){"device", json_get_str(message_parse(a, line), "device")};
	return device_get(a, json_parse(a, src, &d), &d);
}

static void
run_line(struct execute *x, struct str line)
{
	struct arena a = {0};
	struct diag d = {0};
	struct source src = {"job", str_dup(&a, line)};
	struct job *j = job_read(&a, json_parse(&a, &src, &d), &d);

	if (!j)
		_exit(EXIT_TROUBLE);
	struct answer w = run(x, &a, j);
	send_answer(x, &a, &w);
	if (!w.usable)
		_exit(EXIT_YES);
	arena_release(&a);
}

int
execute_jobs(const struct engine *e, int fd)
{
	struct execute x = {.engine = e};
	struct str line;

	x.peer = peer_make(fd);
	x.device = read_device(&x.lasting, &x.peer);
	if (!x.device)
		return EXIT_TROUBLE;
	while (peer_wait(&x.peer, 0, &line))
		run_line(&x, line);
	_exit(EXIT_YES);
}

/* --- in the foreground ------------------------------------------------------------ */

/* What kernels print goes to standard output: the answer needs a stream of its own. */
static FILE *
take_stdout(void)
{
	int fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f || dup2(2, 1) < 0)
		die("cannot set up the streams: %s", strerror(errno));
	return f;
}

int
execute_job(struct arena *a, const struct engine *e, const struct device *dev,
	const char *path)
{
	struct execute x = {
		.engine = e, .device = dev, .peer = {.fd = -1}, .aloud = true};
	struct diag d = {0};
	struct job *j = job_read(a, json_parse_file(a, path, &d), &d);

	if (!j)
		return EXIT_TROUBLE;
	FILE *out = take_stdout();
	struct answer w = run(&x, a, j);
	fwrite(w.text.s, 1, w.text.n, out);
	if (fclose(out) != 0)
		die("cannot write to standard output");
	_exit(w.status == RESULT_OK ? EXIT_YES : EXIT_NO);
}
