#include "cmd/cache_remote.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/fs.h"
#include "cache/key.h"
#include "cache/remote.h"
#include "cache/store.h"
#include "graph/printer.h"

#include <stdio.h>
#include <stdlib.h>

static const char *
entries_of(size_t n)
{
	return n == 1 ? "entry" : "entries";
}

void
cache_remote_begin(struct arena *a)
{
	struct remote_settings s;
	const char *named = getenv("LANEWISE_REMOTE");
	if (remote_settings_read(a, &s) && named && !strstr(named, "://"))
		/* The graph may be in another folder. */
		(void)setenv("LANEWISE_REMOTE", fs_join(a, fs_cwd(a), named), 1);
	remote_run_begin();
}

const char *
cache_remote_said(struct arena *a, const struct restored *r)
{
	if (!r->fetched)
		return str_fmt(a, "%zu node%s", r->edges, str_plural(r->edges)).s;
	return str_fmt(a, "%zu node%s (%zu %s from the remote cache)", r->edges,
		str_plural(r->edges), r->fetched, entries_of(r->fetched))
		.s;
}

static void
say_pushed(FILE *to, const struct remote_counts *n, size_t left)
{
	fprintf(to, "stored in the remote cache: %zu %s", n->stored,
		entries_of(n->stored));
	if (n->present)
		fprintf(to, ", %zu were there", n->present);
	if (n->refused)
		fprintf(to,
			", %zu are too large for the server (HTTP 413; nginx: "
			"client_max_body_size)",
			n->refused);
	if (left)
		fprintf(to, ", %zu wait for 'lanewise cache push'", left);
	fputc('\n', to);
}

/* What did not get there waits again; how many. */
static size_t
push(struct arena *a, struct remote *r, const char *root, struct remote_names *l,
	FILE *to)
{
	struct remote_counts n = remote_push(r, root, l);
	size_t left = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].done)
			continue;
		remote_queue(a, REMOTE_DIR, &l->v[i], 1);
		left++;
	}
	say_pushed(to, &n, left);
	return left;
}

void
cache_remote_push_made(struct arena *a)
{
	struct remote_names l;
	struct remote_settings s;
	if (!remote_settings_read(a, &s) || !s.writes)
		return;
	struct remote *r = remote_open(a, REMOTE_DIR, 1);
	if (!r)
		return;
	remote_queue_read(a, REMOTE_DIR, true, &l);
	if (l.n)
		(void)push(a, r, node_cache(CACHE_DIR), &l, stderr);
	remote_close(r);
}

static const char *
kind_of(struct arena *a, const struct remote_settings *s)
{
	return str_fmt(a, "%s%s%s", s->writes ? "read and written" : "only read",
		s->layout == REMOTE_BAZEL ? ", Bazel layout" : "",
		s->http.token.n ? ", with a token" : "")
		.s;
}

void
cache_remote_stats(struct arena *a)
{
	struct remote_settings s;
	struct remote_names l;
	if (!remote_settings_read(a, &s))
		return;
	remote_queue_read(a, REMOTE_DIR, false, &l);
	printf("remote %s (%s)\n", s.http.url, kind_of(a, &s));
	if (s.writes)
		printf("  %zu %s to be stored there\n", l.n,
			l.n == 1 ? "entry waits" : "entries wait");
}

/* For a command that is about the remote, at once. */
static struct remote *
open_now(struct arena *a)
{
	struct remote_settings s;
	struct str why;
	if (!remote_settings_read(a, &s))
		die("there is no remote cache: LANEWISE_REMOTE names one");
	if (!http_library(a, &why))
		die("there is no remote cache: %.*s", STR_ARG(why));
	return remote_open(a, NULL, 1);
}

void
cache_remote_why(struct arena *a, const char *hex)
{
	struct remote_settings s;
	if (!remote_settings_read(a, &s))
		return;
	struct remote *r = remote_open(a, NULL, 1);
	enum remote_answer answer = r ? remote_has(r, hex) : REMOTE_UNKNOWN;
	printf("the remote cache %s\n", answer == REMOTE_YES  ? "has it"
					: answer == REMOTE_NO ? "has it not either"
							      : "could not be asked");
	remote_close(r);
}

static void
all_names(struct arena *a, const char *root, struct remote_names *l)
{
	struct shelf here = shelf_read(a, root, SHELF_ALL);
	*l = (struct remote_names){0};
	for (size_t i = 0; i < here.n; i++)
		remote_names_add(a, l, here.v[i].hex, false);
}

int
cache_remote_verify(struct arena *a, const char *root)
{
	struct remote_names l;
	struct remote *r = open_now(a);
	all_names(a, root, &l);
	struct remote_counts n = remote_verify(r, &l);
	for (size_t i = 0; i < l.n; i++)
		if (l.v[i].damaged)
			printf("%s: the remote's is damaged\n", l.v[i].hex);
	printf("of %zu %s here the remote cache has %zu sound%s\n", l.n, entries_of(l.n),
		n.fetched, n.damaged ? "; those that are damaged are never used" : "");
	bool troubled = remote_trouble(r) != NULL;
	remote_close(r);
	return troubled ? EXIT_TROUBLE : n.damaged ? EXIT_NO : EXIT_YES;
}

/* Made before there was a remote cache, or without one, they do not wait. */
static void
say_others(struct arena *a, const char *root)
{
	size_t n = shelf_read(a, root, SHELF_ALL).n;
	if (n)
		printf("none waited; '--all' asks about all %zu that are here\n", n);
}

int
cache_remote_push(struct arena *a, const char *root, bool all)
{
	struct remote_names l, more;
	struct remote *r = open_now(a);
	if (!remote_writes(r))
		die("the remote cache is only read; \"mode\": \"read-write\" in its "
		    "settings");
	remote_queue_read(a, REMOTE_DIR, true, &l);
	if (all) {
		all_names(a, root, &more);
		for (size_t i = 0; i < more.n; i++)
			remote_names_add(a, &l, more.v[i].hex, false);
	}
	size_t left = push(a, r, root, &l, stdout);
	remote_close(r);
	if (!all && !l.n)
		say_others(a, root);
	return left ? EXIT_NO : EXIT_YES;
}

/* Is what was asked for what a server does that works? */
static bool
try_it(struct arena *a, struct remote *r, struct str *note)
{
	struct remote_names one = {0};
	struct str text;
	struct buf key = {.a = a};
	struct store_part part = {STR_LIT("out"), STR_LIT("of 'lanewise doctor'")};
	key_begin(&key, "doctor", 1);
	const char *hex = hash_short(a, buf_str(&key), HASH_HEX);
	remote_names_add(a, &one, hex, true);
	*note = STR_LIT("what it gives back is not what was stored");
	if (!remote_writes(r))
		return remote_has(r, hex) != REMOTE_UNKNOWN;
	text = store_entry_text(a, buf_str(&key), &part, 1);
	return remote_store(r, hex, text) && remote_get(r, a, hex, &text);
}

struct inventory_item
cache_remote_probe(struct arena *a)
{
	struct inventory_item item = {.kind = INVENTORY_CACHE, .name = STR_LIT("remote")};
	struct remote_settings s;
	struct str why;
	const char *library = http_library(a, &why);
	bool named = remote_settings_read(a, &s);
	item.note = STR_LIT("none is named: LANEWISE_REMOTE is its URL or a file of "
			    "settings");
	if (named)
		item.path = str_of(s.http.url);
	if (!library)
		item.note = why;
	if (!named || !library)
		return item;
	struct remote *r = remote_open(a, NULL, 1);
	int64_t start = clock_ns();
	item.present = r && try_it(a, r, &item.note);
	if (r && remote_trouble(r))
		item.note = str_of(remote_trouble(r));
	item.version = str_fmt(a, "%s, %.0f ms, %.*s", kind_of(a, &s),
		(double)(clock_ns() - start) * 1e-6, (int)strcspn(library, " "), library);
	if (!item.present)
		item.version = (struct str){0};
	remote_close(r);
	return item;
}
