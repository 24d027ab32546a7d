#include "cache/http.h"

#include "base/arena.h"
#include "base/buf.h"

#ifdef HAVE_CURL

#include "base/clock.h"
#include "base/dl.h"

#include <curl/curl.h>

enum {
	SLOTS = 64,
	TRIES = 3,
	ERROR_BODY_MAX = 64 << 10, /* of answers that say what is wrong; not kept */
	HEADERS_MAX = 64 << 10,
	HELD_MAX = 256 << 20, /* of all slots together */
};

#define FUNCTIONS(X) \
	X(global_init) \
	X(version) \
	X(easy_init) \
	X(easy_setopt) \
	X(easy_getinfo) \
	X(easy_strerror) \
	X(easy_reset) \
	X(easy_cleanup) \
	X(slist_append) \
	X(slist_free_all) \
	X(multi_init) \
	X(multi_setopt) \
	X(multi_add_handle) \
	X(multi_remove_handle) \
	X(multi_perform) \
	X(multi_poll) \
	X(multi_info_read) \
	X(multi_cleanup)

static struct {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): f is declared here */
#define X(f) __typeof__(&curl_##f) f;
	FUNCTIONS(X)
#undef X
} curl;

enum slot_state { SLOT_IDLE, SLOT_BUSY, SLOT_WAITING };

struct slot {
	struct http *h;
	CURL *easy;
	enum slot_state state;
	struct http_call call;
	struct arena a; /* of this call */
	struct buf body;
	size_t sent, header_bytes, error_bytes;
	unsigned tries;
	bool too_large;
	bool crowded;          /* what the others hold left no room for it */
	int64_t not_before_ns; /* SLOT_WAITING */
	char error[CURL_ERROR_SIZE];
};

struct http {
	struct http_settings s;
	CURLM *multi;
	struct curl_slist *headers;
	struct slot slot[SLOTS];
	size_t n_slots;
	size_t n_active;    /* slots that are not idle */
	size_t held_bytes;  /* of what they send and have got */
	size_t connections; /* at most; slots over that wait inside libcurl */
};

static bool
load(struct arena *a, struct str *why)
{
	static const char *const names[] = {
		"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", NULL};
	static const struct dl_symbol table[] = {
#define X(f) {"curl_" #f, &curl.f, false},
		FUNCTIONS(X)
#undef X
	};
	static bool loaded;
	if (loaded)
		return true;
	struct dl lib = dl_open(a, names, table, sizeof table / sizeof table[0]);
	if (!lib.handle)
		*why = str_fmt(
			a, "%s; install libcurl (Debian package 'libcurl4')", lib.why);
	else if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		*why = STR_LIT("libcurl does not start");
	else
		loaded = true;
	return loaded;
}

const char *
http_library(struct arena *a, struct str *why)
{
	return load(a, why) ? curl.version() : NULL;
}

static int
status_of(const struct slot *s)
{
	long status = 0;
	(void)curl.easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

/* To return less than n ends the transfer. */
static size_t
on_body(char *p, size_t size, size_t n, void *ctx)
{
	struct slot *s = ctx;
	n *= size;
	if (status_of(s) != 200 || s->call.method != HTTP_GET) {
		s->error_bytes += n;
		return s->error_bytes > ERROR_BODY_MAX ? 0 : n;
	}
	s->too_large = s->body.n + n > s->h->s.body_max;
	s->crowded = s->h->held_bytes + n > HELD_MAX;
	if (s->too_large || s->crowded)
		return 0;
	buf_add(&s->body, p, n);
	s->h->held_bytes += n;
	return n;
}

static size_t
on_header(char *p, size_t size, size_t n, void *ctx)
{
	struct slot *s = ctx;
	(void)p;
	s->header_bytes += size * n;
	return s->header_bytes > HEADERS_MAX ? 0 : size * n;
}

static size_t
on_send(char *p, size_t size, size_t n, void *ctx)
{
	struct slot *s = ctx;
	struct str rest = str_sub(s->call.body, s->sent, s->call.body.n);
	n = size * n < rest.n ? size * n : rest.n;
	if (n)
		memcpy(p, rest.s, n);
	s->sent += n;
	return n;
}

/* A connection that was open turned out to be closed: libcurl sends again. */
static int
on_seek(void *ctx, curl_off_t at, int origin)
{
	struct slot *s = ctx;
	if (origin != SEEK_SET || at < 0 || (uint64_t)at > s->call.body.n)
		return CURL_SEEKFUNC_FAIL;
	s->sent = (size_t)at;
	return CURL_SEEKFUNC_OK;
}

#define SET(option, value) (void)curl.easy_setopt(s->easy, option, value)

static void
set_safety(struct slot *s)
{
	const struct http_settings *o = &s->h->s;
	long patience_ms = (long)(o->patience_ns / 1000000);
	long patience_s = patience_ms / 1000;
#if LIBCURL_VERSION_NUM >= 0x075500
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
	SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (o->ca_file)
		SET(CURLOPT_CAINFO, o->ca_file);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_CONNECTTIMEOUT_MS, patience_ms);
	SET(CURLOPT_TIMEOUT_MS, 6 * patience_ms);
	SET(CURLOPT_LOW_SPEED_LIMIT, 1000L);
	SET(CURLOPT_LOW_SPEED_TIME, patience_s > 0 ? patience_s : 1L);
}

static void
set_call(struct slot *s)
{
	const struct http_call *c = &s->call;
	SET(CURLOPT_URL, str_fmt(&s->a, "%s%s", s->h->s.url, c->path).s);
	SET(CURLOPT_HTTPHEADER, s->h->headers);
	SET(CURLOPT_USERAGENT, "lanewise/" LANEWISE_VERSION);
	SET(CURLOPT_ERRORBUFFER, s->error);
	SET(CURLOPT_PRIVATE, s);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, s);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, s);
	if (c->method == HTTP_HEAD)
		SET(CURLOPT_NOBODY, 1L);
	if (c->method != HTTP_PUT)
		return;
	SET(CURLOPT_UPLOAD, 1L);
	SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)c->body.n);
	SET(CURLOPT_READFUNCTION, on_send);
	SET(CURLOPT_READDATA, s);
	SET(CURLOPT_SEEKFUNCTION, on_seek);
	SET(CURLOPT_SEEKDATA, s);
}

static void
drop_body(struct slot *s)
{
	s->h->held_bytes -= s->body.n;
	arena_release(&s->a);
	s->body = (struct buf){.a = &s->a};
}

static void
start(struct slot *s)
{
	s->sent = s->header_bytes = s->error_bytes = 0;
	s->too_large = s->crowded = false;
	s->error[0] = 0;
	s->tries++;
	curl.easy_reset(s->easy);
	set_safety(s);
	set_call(s);
	s->state = SLOT_BUSY;
	(void)curl.multi_add_handle(s->h->multi, s->easy);
}

static void
end(struct slot *s)
{
	if (s->state == SLOT_BUSY)
		(void)curl.multi_remove_handle(s->h->multi, s->easy);
	if (s->state != SLOT_IDLE)
		s->h->n_active--;
	s->state = SLOT_IDLE;
	drop_body(s);
	s->h->held_bytes -= s->call.body.n;
	s->call = (struct http_call){0};
}

/* May it be otherwise a moment later?  A time-out has cost too much to try again. */
static bool
may_pass(CURLcode e, int status)
{
	switch ((int)e) {
	case CURLE_OK:
		return status == 429 || status == 502 || status == 503 || status == 504;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM: return true;
	default: return false;
	}
}

static void
limit_connections(struct http *h, size_t n)
{
	h->connections = n;
	(void)curl.multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)n);
}

/* The server, or a limit here, allows less than what is under way. */
static void
one_too_many(struct http *h)
{
	size_t most = h->n_active < h->connections ? h->n_active : h->connections;
	if (most > 1)
		limit_connections(h, most - 1);
}

/* False: the caller wants no more. */
static bool
finish(struct slot *s, CURLcode e, const struct http_work *w)
{
	struct http_answer answer = {.status = status_of(s)};
	bool cut_by_us = s->error_bytes > ERROR_BODY_MAX;
	bool crowded = s->crowded && !s->too_large;
	if (crowded || (may_pass(e, answer.status) && s->tries < TRIES)) {
		(void)curl.multi_remove_handle(s->h->multi, s->easy);
		drop_body(s);
		if (e != CURLE_OK && !crowded)
			one_too_many(s->h);
		s->state = SLOT_WAITING;
		s->tries -= crowded;
		s->not_before_ns = clock_ns() + 100000000 * (int64_t)s->tries;
		return true;
	}
	if (e != CURLE_OK && !cut_by_us) {
		answer.status = 0;
		answer.too_large = s->too_large;
		answer.why = s->too_large  ? "its answer is too large"
			     : s->error[0] ? s->error
					   : curl.easy_strerror(e);
	} else if (answer.status == 200) {
		answer.body = buf_str(&s->body);
	}
	bool more = w->done(w->ctx, &s->call, &answer);
	end(s);
	return more;
}

/* Most runs are of one request: a handle is made when there is work for it. */
static bool
is_equipped(struct slot *s)
{
	if (!s->easy)
		s->easy = curl.easy_init();
	return s->easy != NULL;
}

/* For the largest there may be. */
static bool
has_room(const struct http *h)
{
	return h->held_bytes + h->s.body_max <= HELD_MAX;
}

static void
try_again(struct http *h)
{
	for (size_t i = 0; i < h->n_slots; i++) {
		struct slot *s = &h->slot[i];
		if (s->state == SLOT_WAITING && clock_ns() >= s->not_before_ns &&
			(!s->crowded || has_room(h)))
			start(s);
	}
}

static void
fill(struct http *h, const struct http_work *w)
{
	for (size_t i = 0; i < h->n_slots && has_room(h); i++) {
		struct slot *s = &h->slot[i];
		if (s->state != SLOT_IDLE || !is_equipped(s))
			continue;
		if (!w->next(w->ctx, &s->call))
			break;
		h->n_active++;
		h->held_bytes += s->call.body.n;
		s->tries = 0;
		start(s);
	}
}

static bool
take_answers(struct http *h, const struct http_work *w, size_t *n)
{
	int left;
	CURLMsg *m;
	while ((m = curl.multi_info_read(h->multi, &left))) {
		char *slot = NULL;
		CURLcode e = m->data.result; /* the message goes with its handle */
		if (m->msg != CURLMSG_DONE)
			continue;
		(void)curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &slot);
		++*n;
		if (!finish((struct slot *)(void *)slot, e, w))
			return false;
	}
	return true;
}

bool
http_run(struct http *h, const struct http_work *w)
{
	int64_t deadline = clock_ns() + 12 * h->s.patience_ns;
	int running;
	bool in_time;
	limit_connections(h, h->n_slots);
	for (;;) {
		size_t n_answers = 0;
		try_again(h);
		fill(h, w);
		(void)curl.multi_perform(h->multi, &running);
		bool more = take_answers(h, w, &n_answers);
		in_time = clock_ns() < deadline;
		if (!more || !in_time)
			break;
		if (n_answers)
			continue; /* what the free slots do next starts before any wait */
		if (!h->n_active)
			break;
		(void)curl.multi_poll(h->multi, NULL, 0, 20, NULL);
	}
	for (size_t i = 0; i < h->n_slots; i++)
		end(&h->slot[i]);
	return in_time;
}

struct http *
http_open(struct arena *a, const struct http_settings *settings, struct str *why)
{
	struct http *h = arena_new(a, struct http);
	if (!load(a, why))
		return NULL;
	h->s = *settings;
	h->n_slots = settings->sharers > 1 ? SLOTS / settings->sharers : SLOTS;
	h->n_slots += !h->n_slots;
	h->multi = curl.multi_init();
	for (size_t i = 0; i < h->n_slots; i++) {
		h->slot[i].h = h;
		h->slot[i].body.a = &h->slot[i].a;
	}
	if (!h->multi || !is_equipped(&h->slot[0])) {
		*why = STR_LIT("libcurl does not start");
		return NULL;
	}
	/* Servers that do not know it would cost a second. */
	h->headers = curl.slist_append(NULL, "Expect:");
	if (h->s.token.n)
		h->headers = curl.slist_append(h->headers,
			str_fmt(a, "Authorization: Bearer %.*s", STR_ARG(h->s.token)).s);
	return h;
}

void
http_close(struct http *h)
{
	for (size_t i = 0; i < h->n_slots; i++)
		curl.easy_cleanup(h->slot[i].easy); /* NULL is fine */
	(void)curl.multi_cleanup(h->multi);
	curl.slist_free_all(h->headers);
}

#else

const char *
http_library(struct arena *a, struct str *why)
{
	(void)a;
	*why = STR_LIT("this lanewise was built without libcurl: install the Debian "
		       "package 'libcurl4-openssl-dev' and build it again");
	return NULL;
}

struct http *
http_open(struct arena *a, const struct http_settings *s, struct str *why)
{
	(void)s;
	(void)http_library(a, why);
	return NULL;
}

bool
http_run(struct http *h, const struct http_work *w)
{
	(void)h, (void)w;
	return false;
}

void
http_close(struct http *h)
{
	(void)h;
}

#endif
