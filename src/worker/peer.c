#include "worker/peer.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer
peer_make(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return (struct peer){.fd = fd};
}

void
peer_close(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	arena_release(&p->in_memory);
	arena_release(&p->out_memory);
	*p = (struct peer){.fd = -1, .gone = true};
}

/* What was given out is forgotten, so that a long conversation takes no more memory than
 * its longest piece. */
static void
compact(struct arena *memory, struct buf *b, size_t *at)
{
	struct arena fresh = {0};
	struct buf rest = {.a = &fresh};

	if (*at == 0)
		return;
	buf_add(&rest, b->s + *at, b->n - *at);
	arena_release(memory);
	*memory = fresh;
	*b = rest;
	b->a = memory;
	*at = 0;
}

void
peer_read(struct peer *p)
{
	char tmp[65536];
	size_t max = p->line_max ? p->line_max : PEER_LINE_MAX;

	compact(&p->in_memory, &p->in, &p->in_at);
	p->in.a = &p->in_memory;
	while (p->fd >= 0 && !p->gone) {
		ssize_t n = recv(p->fd, tmp, sizeof tmp, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			p->gone = true;
			return;
		}
		buf_add(&p->in, tmp, (size_t)n);
		if (p->in.n > max && !memchr(p->in.s, '\n', p->in.n))
			p->gone = true;
		if ((size_t)n < sizeof tmp || p->in.n > max)
			return;
	}
}

bool
peer_line(struct peer *p, struct str *line)
{
	struct str rest = str_sub(buf_str(&p->in), p->in_at, p->in.n);
	size_t n = str_find(rest, '\n');

	if (n == rest.n)
		return false;
	*line = str_sub(rest, 0, n);
	p->in_at += n + 1;
	return true;
}

void
peer_flush(struct peer *p)
{
	while (p->fd >= 0 && p->out_at < p->out.n) {
		ssize_t n = send(
			p->fd, p->out.s + p->out_at, p->out.n - p->out_at, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		/* It does not listen any more; what it said before can be read still. */
		p->out_at = n < 0 ? p->out.n : p->out_at + (size_t)n;
	}
	if (p->out_at == p->out.n)
		compact(&p->out_memory, &p->out, &p->out_at);
}

void
peer_say(struct peer *p, struct str line)
{
	p->out.a = &p->out_memory;
	buf_addstr(&p->out, line);
	buf_addc(&p->out, '\n');
	peer_flush(p);
}

bool
peer_has_unsent(const struct peer *p)
{
	return p->out_at < p->out.n && !p->gone;
}

void
peer_push(struct peer *p)
{
	while (p->fd >= 0 && peer_has_unsent(p)) {
		struct pollfd pf = {p->fd, POLLOUT, 0};
		poll(&pf, 1, -1);
		peer_flush(p);
	}
}

bool
peer_wait(struct peer *p, int64_t until, struct str *line)
{
	for (;;) {
		if (peer_line(p, line))
			return true;
		int64_t now = clock_ns();
		if (p->gone || p->fd < 0 || (until && now >= until))
			return false;
		int64_t left_ms = until ? (until - now) / 1000000 + 1 : 60000;
		struct pollfd pf = {p->fd, POLLIN, 0};
		if (peer_has_unsent(p))
			pf.events |= POLLOUT;
		if (poll(&pf, 1, left_ms < 60000 ? (int)left_ms : 60000) > 0) {
			peer_flush(p);
			peer_read(p);
		}
	}
}

/* --- messages --------------------------------------------------------------------- */

const struct json *
message_parse(struct arena *a, struct str line)
{
	static FILE *nowhere; /* opened once: there are a dozen messages a job */
	struct source *src = arena_new(a, struct source);
	const struct json *v;

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	struct diag d = {.to = nowhere};
	*src = (struct source){"message", str_dup(a, line)};
	v = nowhere ? json_parse(a, src, &d) : NULL;
	return v && v->kind == JSON_OBJECT ? v : NULL;
}

struct str
message_done(struct json_out *o)
{
	json_close_object(o);
	return str_trim(json_done(o));
}

struct str
message_text(struct arena *a, const char *key, struct str text)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_str(&o, key, text);
	return message_done(&o);
}

struct str
message_flag(struct arena *a, const char *key)
{
	struct json_out o = {.b = {.a = a}, .compact = true};

	json_open_object(&o, NULL);
	json_put_bool(&o, key, true);
	return message_done(&o);
}
