/*
 * A remote cache: entries of the store on an HTTP server, shared by machines.
 *
 * Nothing that it does or fails to do is an error.  What it has is verified as an entry
 * of our own store is, and must be the entry that was asked for; what it lacks, denies or
 * garbles is work that is done here.  When it is dead, slow, full or lying, one note says
 * so, and it is left alone for the rest of the run (cache/remote_state.h).  What a
 * server may do that can forge entries is in docs/explanation/remote.md.
 */
#ifndef CACHE_REMOTE_H
#define CACHE_REMOTE_H

#include "cache/remote_settings.h"
#include "cache/remote_state.h"

struct remote;

struct remote_counts {
	size_t fetched, absent, damaged; /* of remote_fetch() */
	size_t stored, present, refused; /* of remote_push(); refused: too large for it */
};

/* `state`: see remote_state.h, or NULL.  `sharers`: processes that do so at once, which
 * share the connections that a server is asked for.  NULL when none is named, or when
 * there is no libcurl (after a note).  Dies of malformed settings. */
struct remote *remote_open(struct arena *a, const char *state, unsigned sharers);
void remote_close(struct remote *r);
/* An entry was made here: it waits for a remote_push(), if one is named to be written. */
void remote_made(struct arena *a, const char *state, const char *hex);
const struct remote_settings *remote_settings(const struct remote *r);
bool remote_writes(const struct remote *r);

/* One entry, for whoever knows its key; false when it has no sound one. */
bool remote_get(struct remote *r, struct arena *a, const char *hex, struct str *text);
/* Stores these bytes of an entry, whatever is there. */
bool remote_store(struct remote *r, const char *hex, struct str text);
/* Puts those entries into the store at root that the remote has. */
struct remote_counts remote_fetch(
	struct remote *r, const char *root, struct remote_names *l);
/* Stores entries from root that the remote lacks, or has damaged. */
struct remote_counts remote_push(
	struct remote *r, const char *root, struct remote_names *l);
/* Reads those entries and drops them: counts what is sound (fetched), absent, damaged. */
struct remote_counts remote_verify(struct remote *r, struct remote_names *l);

/* Does it have an entry?  Without reading it. */
enum remote_answer { REMOTE_NO, REMOTE_YES, REMOTE_UNKNOWN };
enum remote_answer remote_has(struct remote *r, const char *hex);

/* Why it is not used any more, or NULL: for whoever asked it directly. */
const char *remote_trouble(const struct remote *r);

#endif
