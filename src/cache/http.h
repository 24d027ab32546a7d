/*
 * HTTP to one server: many requests at once over a few connections that stay open.  The
 * only file behind it sees libcurl, whose library is opened when it is needed: linked, it
 * would cost every node of the graph 10 ms.
 *
 * The server is a stranger.  Redirects are not followed, certificates are verified,
 * answers are cut at a size, silence is borne for so long, and what may pass (a
 * connection that broke, 503) is tried three times, after a connection that broke with
 * one less at once.
 */
#ifndef CACHE_HTTP_H
#define CACHE_HTTP_H

#include "base/str.h"

struct http_settings {
	const char *url;     /* http:// or https://, without a slash at its end */
	struct str token;    /* bearer token, or empty */
	const char *ca_file; /* certificates to trust instead of the system's, or NULL */
	int64_t patience_ns; /* silence; a transfer has 6 times, a run 12 times that */
	size_t body_max;     /* bytes of an answer */
	unsigned sharers; /* processes that ask it now; of 64 connections each a part */
};

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_PUT };

struct http_call {
	enum http_method method;
	const char *path; /* below the URL, begins with a slash */
	struct str body;  /* HTTP_PUT; lives until done() */
	void *tag;        /* the caller's */
};

struct http_answer {
	int status;      /* 0: none came, or not all of it */
	const char *why; /* status 0: in words */
	bool too_large;  /* status 0: there was no end to it */
	struct str body; /* of a GET with status 200; lives until done() returns */
};

/* Where requests come from and answers go; both are called from http_run(). */
struct http_work {
	void *ctx;
	bool (*next)(void *ctx, struct http_call *c); /* false: none now */
	/* False: the run ends, what is under way is dropped. */
	bool (*done)(
		void *ctx, const struct http_call *c, const struct http_answer *answer);
};

struct http;

/* NULL after a reason in *why: no libcurl here, or none when lanewise was built. */
struct http *http_open(struct arena *a, const struct http_settings *s, struct str *why);
/* Until next() has none and all are done.  False when it took too long. */
bool http_run(struct http *h, const struct http_work *w);
void http_close(struct http *h);

/* "libcurl/7.88.1 OpenSSL/3.0.19 ..."; NULL after a reason in *why. */
const char *http_library(struct arena *a, struct str *why);

#endif
