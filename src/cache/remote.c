#include "cache/remote.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "cache/action_result.h"
#include "cache/store.h"

enum purpose { FETCH, VERIFY, ASK, PUSH };

/* Where an entry is on its way. */
enum step { GET_ENTRY, GET_ACTION, GET_BLOB, HEAD_NAME, PUT_BLOB, PUT_NAME };

struct errand {
	struct errand *next;  /* of those that wait for their next step, or are free */
	struct errand *older; /* of all of a batch */
	struct arena a;       /* of this errand */
	struct remote_name *name;
	enum step step;
	struct action_result action;
	struct str text; /* PUSH: the entry */
};

struct remote {
	struct arena *a;
	const char *state;
	struct remote_settings s;
	struct http *http;
	const char *why[REMOTE_TOPICS]; /* why it is not used any more */
};

/* One remote_fetch() and the like. */
struct batch {
	struct remote *r;
	enum purpose purpose;
	const char *root; /* FETCH, PUSH */
	struct remote_names *names;
	size_t at; /* in names */
	struct errand *waiting, *idle, *all;
	struct remote_counts n;
	/* For one entry: FETCH leaves the text here, allocated in `keep`; PUSH stores
	 * it. */
	struct arena *keep;
	struct str *text;
};

/* --- notes --- */

static void
give_up(struct remote *r, enum remote_topic t, struct str why)
{
	if (r->why[t])
		return;
	r->why[t] = str_c(r->a, why);
	if (t == REMOTE_READS) { /* what cannot be read needs no second note */
		r->why[REMOTE_WRITES] = r->why[t];
		(void)remote_off(r->a, r->state, REMOTE_WRITES);
	}
	if (remote_off(r->a, r->state, t))
		warn("remote cache '%s': %.*s; %s, for now", r->s.http.url, STR_ARG(why),
			t == REMOTE_READS ? "the work is done here"
					  : "nothing more is stored there");
}

/* What is made here in its place shall replace it. */
static void
queue_damaged(struct batch *b, struct errand *e)
{
	struct remote *r = b->r;
	if (b->purpose == FETCH)
		remote_queue(&e->a, r->s.writes ? r->state : NULL, e->name, 1);
}

static void
damaged(struct batch *b, struct errand *e, const char *why)
{
	struct remote *r = b->r;
	b->n.damaged++;
	e->name->damaged = true;
	queue_damaged(b, e);
	if (remote_off(r->a, r->state, REMOTE_DAMAGE))
		warn("remote cache '%s': no use of '%s': %s; such work is done here",
			r->s.http.url, e->name->hex, why);
}

static void
absent(struct batch *b, struct errand *e)
{
	b->n.absent++;
	/* The server forgot the blob, and still names it. */
	e->name->damaged = e->step == GET_BLOB;
	if (e->name->damaged)
		queue_damaged(b, e);
}

/* What an answer that is neither yes nor no means for all others. */
static struct str
meaning(struct remote *r, const struct http_answer *answer, bool put)
{
	int s = answer->status;
	const char *hint = "";
	if (!s)
		return str_of(answer->why);
	if (s >= 300 && s < 400)
		return str_fmt(r->a,
			"it redirects (HTTP %d), and that is not followed: is the URL "
			"right?",
			s);
	if ((s == 401 || s == 403) && r->s.tokenless)
		return str_fmt(
			r->a, "it does not let us in (HTTP %d): %s", s, r->s.tokenless);
	if (s == 401 || s == 403)
		return str_fmt(r->a, "it does not let us in (HTTP %d)", s);
	if (s == 507)
		return STR_LIT("it is full (HTTP 507)");
	if (put && s == 409)
		hint = ": it makes no folders (nginx: create_full_put_path on)";
	if (put && (s == 405 || s == 501))
		hint = ": it takes no PUT (nginx: dav_methods PUT)";
	return str_fmt(r->a, "it answers HTTP %d%s", s, hint);
}

/* --- errands --- */

static struct errand *
errand_new(struct batch *b, struct remote_name *name)
{
	struct errand *e = b->idle;
	if (e) {
		b->idle = e->next;
		*e = (struct errand){.older = e->older};
	} else {
		e = arena_new(b->r->a, struct errand);
		e->older = b->all;
		b->all = e;
	}
	e->name = name;
	return e;
}

static void
errand_end(struct batch *b, struct errand *e)
{
	arena_release(&e->a);
	e->next = b->idle;
	b->idle = e;
}

static void
errand_goes_on(struct batch *b, struct errand *e, enum step step)
{
	e->step = step;
	e->next = b->waiting;
	b->waiting = e;
}

static const char *
name_path(struct remote *r, struct errand *e)
{
	char hex[SHA256_HEX + 1];
	if (r->s.layout == REMOTE_FOLDERS)
		return str_fmt(&e->a, "/%.2s/%s", e->name->hex, e->name->hex).s;
	sha256_hex(str_fmt(&e->a, "lanewise %s", e->name->hex), hex);
	return str_fmt(&e->a, "/ac/%s", hex).s;
}

static const char *
blob_path(struct errand *e)
{
	return str_fmt(&e->a, "/cas/%s", e->action.digest).s;
}

/* Reads what is to be stored; false when there is nothing sound to store. */
static bool
load_entry(struct batch *b, struct errand *e)
{
	struct str key;
	const char *why;
	if (b->text)
		e->text = *b->text;
	else if (!store_check(&e->a, b->root, e->name->hex, &e->text, &key, &why))
		return false;
	e->action.bytes = e->text.n;
	sha256_hex(e->text, e->action.digest);
	return true;
}

static enum step
put_step(const struct batch *b)
{
	return b->r->s.layout == REMOTE_BAZEL ? PUT_BLOB : PUT_NAME;
}

static struct errand *
next_errand(struct batch *b)
{
	struct errand *e = b->waiting;
	if (e) {
		b->waiting = e->next;
		return e;
	}
	while (b->at < b->names->n) {
		e = errand_new(b, &b->names->v[b->at++]);
		e->step = b->r->s.layout == REMOTE_BAZEL ? GET_ACTION : GET_ENTRY;
		if (b->purpose == ASK)
			e->step = HEAD_NAME;
		if (b->purpose != PUSH)
			return e;
		e->step = e->name->damaged ? put_step(b) : HEAD_NAME;
		if (load_entry(b, e))
			return e;
		e->name->done = true;
		errand_end(b, e);
	}
	return NULL;
}

static bool
next_call(void *ctx, struct http_call *c)
{
	struct batch *b = ctx;
	struct errand *e = next_errand(b);
	if (!e)
		return false;
	c->tag = e;
	c->method = e->step == HEAD_NAME  ? HTTP_HEAD
		    : e->step >= PUT_BLOB ? HTTP_PUT
					  : HTTP_GET;
	bool blob = e->step == GET_BLOB || e->step == PUT_BLOB;
	c->path = blob ? blob_path(e) : name_path(b->r, e);
	if (e->step == PUT_BLOB || b->r->s.layout == REMOTE_FOLDERS)
		c->body = e->text;
	else if (e->step == PUT_NAME)
		c->body = action_result_write(&e->a, &e->action);
	return true;
}

/* --- answers --- */

/* An entry came: is it sound, and the one that was asked for? */
static void
take_entry(struct batch *b, struct errand *e, struct str text)
{
	char own[HASH_HEX + 1], digest[SHA256_HEX + 1];
	struct str key;
	if (e->step == GET_BLOB) {
		sha256_hex(text, digest);
		if (strcmp(digest, e->action.digest) != 0) {
			damaged(b, e, "its bytes are not those that its name says");
			return;
		}
	}
	if (!store_entry_key(&e->a, text, &key)) {
		damaged(b, e, "its bytes are not those that were stored");
		return;
	}
	hash_hex(hash_bytes(key), own);
	if (strcmp(own, e->name->hex) != 0) {
		damaged(b, e, "it is another entry");
		return;
	}
	if (b->text)
		*b->text = str_dup(b->keep, text);
	e->name->done =
		!b->root || store_write(&e->a, b->root, e->name->hex, text) || b->text;
	b->n.fetched += e->name->done;
}

static bool
take_action(struct batch *b, struct errand *e, struct str message)
{
	if (!action_result_read(message, &e->action)) {
		damaged(b, e, "it is no action result that names a file");
		return false;
	}
	if (e->action.bytes > b->r->s.http.body_max) {
		damaged(b, e, "it is said to be too large");
		return false;
	}
	errand_goes_on(b, e, GET_BLOB);
	return true;
}

/* True when the errand goes on. */
static bool
got_it(struct batch *b, struct errand *e, struct str body)
{
	switch (e->step) {
	case GET_ACTION: return take_action(b, e, body);
	case PUT_BLOB: errand_goes_on(b, e, PUT_NAME); return true;
	case PUT_NAME: b->n.stored++; break;
	case HEAD_NAME: b->n.present++; break;
	case GET_ENTRY:
	case GET_BLOB: take_entry(b, e, body); return false;
	}
	e->name->done = true;
	return false;
}

/* 410 and the like: it has it not.  Some servers know no HEAD. */
static bool
lacks_it(struct batch *b, struct errand *e, int status)
{
	bool no = status == 404 || status == 410;
	if (e->step == HEAD_NAME && b->purpose == PUSH)
		return no || status == 405 || status == 501;
	return no && e->step < PUT_BLOB;
}

static bool
done_call(void *ctx, const struct http_call *c, const struct http_answer *answer)
{
	struct batch *b = ctx;
	struct errand *e = c->tag;
	bool put = c->method == HTTP_PUT, goes_on = false, more = true;
	int s = answer->status;
	if (s == 200 || (put && (s == 201 || s == 204))) {
		goes_on = got_it(b, e, answer->body);
	} else if (lacks_it(b, e, s)) {
		goes_on = b->purpose == PUSH;
		if (goes_on)
			errand_goes_on(b, e, put_step(b));
		else
			absent(b, e);
	} else if (put && s == 413) {
		e->name->done = true;
		b->n.refused++;
	} else {
		give_up(b->r, b->purpose == PUSH ? REMOTE_WRITES : REMOTE_READS,
			meaning(b->r, answer, put));
		more = false;
	}
	if (!goes_on)
		errand_end(b, e);
	return more;
}

static struct remote_counts
run(struct batch *b)
{
	struct remote *r = b->r;
	enum remote_topic t = b->purpose == PUSH ? REMOTE_WRITES : REMOTE_READS;
	struct http_work w = {.ctx = b, .next = next_call, .done = done_call};
	if (r->why[t] || remote_is_off(r->a, r->state, t))
		return b->n;
	if (!http_run(r->http, &w))
		give_up(r, t, STR_LIT("it is too slow"));
	for (struct errand *e = b->all; e; e = e->older)
		arena_release(&e->a); /* dropped under way */
	return b->n;
}

/* --- what others see --- */

struct remote *
remote_open(struct arena *a, const char *state, unsigned sharers)
{
	struct remote *r = arena_new(a, struct remote);
	struct str why;
	r->a = a;
	r->state = state;
	if (!remote_settings_read(a, &r->s))
		return NULL;
	if (remote_is_off(a, state, REMOTE_READS) &&
		(!r->s.writes || remote_is_off(a, state, REMOTE_WRITES)))
		return NULL;
	r->s.http.sharers = sharers;
	r->http = http_open(a, &r->s.http, &why);
	if (r->http)
		return r;
	give_up(r, REMOTE_READS, why);
	return NULL;
}

void
remote_close(struct remote *r)
{
	if (r)
		http_close(r->http);
}

const struct remote_settings *
remote_settings(const struct remote *r)
{
	return &r->s;
}

void
remote_made(struct arena *a, const char *state, const char *hex)
{
	struct remote_settings s;
	struct remote_name name = {.done = false};
	memcpy(name.hex, hex, HASH_HEX);
	if (state && remote_settings_read(a, &s) && s.writes)
		remote_queue(a, state, &name, 1);
}

bool
remote_writes(const struct remote *r)
{
	return r && r->s.writes;
}

bool
remote_get(struct remote *r, struct arena *a, const char *hex, struct str *text)
{
	struct remote_names one = {0};
	remote_names_add(r->a, &one, hex, false);
	struct batch b = {
		.r = r, .purpose = FETCH, .names = &one, .keep = a, .text = text};
	return run(&b).fetched > 0;
}

bool
remote_store(struct remote *r, const char *hex, struct str text)
{
	struct remote_names one = {0};
	remote_names_add(r->a, &one, hex, true);
	return run(&(struct batch){.r = r, .purpose = PUSH, .names = &one, .text = &text})
		       .stored > 0;
}

struct remote_counts
remote_fetch(struct remote *r, const char *root, struct remote_names *l)
{
	return run(&(struct batch){.r = r, .purpose = FETCH, .root = root, .names = l});
}

struct remote_counts
remote_verify(struct remote *r, struct remote_names *l)
{
	return run(&(struct batch){.r = r, .purpose = VERIFY, .names = l});
}

struct remote_counts
remote_push(struct remote *r, const char *root, struct remote_names *l)
{
	return run(&(struct batch){.r = r, .purpose = PUSH, .root = root, .names = l});
}

enum remote_answer
remote_has(struct remote *r, const char *hex)
{
	struct remote_names one = {0};
	remote_names_add(r->a, &one, hex, false);
	struct remote_counts n =
		run(&(struct batch){.r = r, .purpose = ASK, .names = &one});
	return n.present ? REMOTE_YES : n.absent ? REMOTE_NO : REMOTE_UNKNOWN;
}

const char *
remote_trouble(const struct remote *r)
{
	return r->why[REMOTE_READS] ? r->why[REMOTE_READS] : r->why[REMOTE_WRITES];
}
