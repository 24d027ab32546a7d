/*
 * Which remote cache, and how: LANEWISE_REMOTE is its URL, which then is only read from,
 * or the path of a file of settings (docs/reference/remote.md):
 *
 *     { "schema": "lanewise/remote.v1", "url": "https://cache.example/lanewise",
 *       "mode": "read-write", "layout": "bazel", "token_env": "CACHE_TOKEN" }
 *
 * Only the environment names a remote, never a file that a checkout brings along.
 */
#ifndef CACHE_REMOTE_SETTINGS_H
#define CACHE_REMOTE_SETTINGS_H

#include "cache/http.h"

enum remote_layout {
	REMOTE_FOLDERS, /* URL/ab/abcdef...: as the store has it (cache/store.h) */
	REMOTE_BAZEL    /* URL/ac/..., URL/cas/... */
};

struct remote_settings {
	struct http_settings http;
	enum remote_layout layout;
	bool writes;
	const char *tokenless; /* a token is named but not there: why; else NULL */
};

/* False when none is named.  Dies, after a message with the place, of settings that are
 * wrong. */
bool remote_settings_read(struct arena *a, struct remote_settings *s);

#endif
