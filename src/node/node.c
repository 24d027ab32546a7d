#include "node/node.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "cache/key.h"
#include "cache/remote.h"
#include "cache/store.h"
#include "node/event.h"
#include "node/launcher.h"
#include "node/words.h"

#include <stdlib.h>

/* NULL of a file that is not there. */
static const char *
hex_of(struct arena *a, const struct node_file *f)
{
	if (!f->present)
		return NULL;
	return f->hex ? f->hex : hash_short(a, f->bytes, HASH_HEX);
}

static struct str
key_of(const struct node_call *c)
{
	struct buf key = {.a = c->a};
	key_begin(&key, c->node->name, c->node->revision);
	for (size_t i = 0; c->node->words[i].name; i++) {
		const struct node_word *w = &c->node->words[i];
		for (size_t j = 0; j < c->n[i]; j++) {
			if (w->kind == NODE_INPUT)
				key_input(&key, w->name, hex_of(c->a, &c->file[i][j]));
			else if (w->kind == NODE_PARAM || w->kind == NODE_FLAG)
				key_param(&key, w->name, c->word[i][j]);
		}
	}
	return buf_str(&key);
}

/* Parts are named by their role, never by a path. */
static size_t
parts_of(struct node_call *c, struct store_part *parts)
{
	size_t n = 0;
	parts[n++] = (struct store_part){STR_LIT("out"), buf_str(&c->out)};
	parts[n++] = (struct store_part){STR_LIT("status"), c->status};
	parts[n++] = (struct store_part){STR_LIT("detail"), c->detail};
	parts[n++] = (struct store_part){
		STR_LIT("told-ns"), str_fmt(c->a, "%.17g", c->told_ns)};
	for (size_t i = 0; c->node->words[i].name; i++)
		if (c->node->words[i].kind == NODE_OUTPUT)
			parts[n++] = (struct store_part){
				str_of(c->node->words[i].name), buf_str(&c->extra[i])};
	return n;
}

/* Whom to tell, where finished work is, and what runs what is not. */
struct surroundings {
	const char *events, *sums, *cache, *launch, *entry;
};

/* Beside the events. */
static const char *
remote_state(struct arena *a, const struct surroundings *s)
{
	return s->events ? fs_join(a, fs_dirname(a, s->events), "remote") : NULL;
}

static bool
ask_remote(struct node_call *c, const struct surroundings *s, struct str key,
	struct store_part **part, size_t *n)
{
	char hex[HASH_HEX + 1];
	struct str text;
	struct remote *r = remote_open(c->a, remote_state(c->a, s), 1);
	hash_hex(hash_bytes(key), hex);
	bool found = r && remote_get(r, c->a, hex, &text) &&
		     store_entry_parse(c->a, text, key, part, n);
	remote_close(r);
	if (found)
		(void)store_write(c->a, s->cache, hex, text);
	return found;
}

static bool
put_parts(struct node_call *c, const struct store_part *part, size_t n)
{
	if (!n || !str_is(part[0].name, "out"))
		return false;
	for (size_t p = 0; p < n; p++) {
		long i = words_index(c->node, part[p].name);
		if (str_is(part[p].name, "out"))
			c->out = buf_of(c->a, part[p].bytes);
		else if (str_is(part[p].name, "status"))
			c->status = part[p].bytes;
		else if (str_is(part[p].name, "detail"))
			c->detail = part[p].bytes;
		else if (str_is(part[p].name, "told-ns"))
			(void)str_to_f64(part[p].bytes, &c->told_ns);
		else if (str_is(part[p].name, "transient"))
			c->no_cache = true;
		else if (i >= 0)
			buf_addstr(&c->extra[i], part[p].bytes);
	}
	return true;
}

/* The same for what was stored. */
static bool
take_parts(struct node_call *c, const char *root, struct str key,
	const struct store_part *part, size_t n)
{
	if (put_parts(c, part, n) && (!c->node->recalled || c->node->recalled(c)))
		return true;
	warn("cache: no use of '%s': it is not what '%s' leaves; the work is done again",
		store_path(c->a, root, hash_short(c->a, key, HASH_HEX)), c->node->name);
	c->out = (struct buf){.a = c->a};
	for (size_t i = 0; i < NODE_WORDS; i++)
		c->extra[i].n = 0;
	return false;
}

static bool
recall(struct node_call *c, const char *root, struct str key)
{
	struct store_part *part;
	size_t n;
	return store_get(c->a, root, key, &part, &n) && take_parts(c, root, key, part, n);
}

static bool
recall_remote(struct node_call *c, const struct surroundings *s, struct str key)
{
	struct store_part *part;
	size_t n;
	return !c->node->brief && ask_remote(c, s, key, &part, &n) &&
	       take_parts(c, s->cache, key, part, n);
}

static void
keep(struct node_call *c, const struct surroundings *s, struct str key)
{
	struct store_part parts[NODE_WORDS + 5];
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(key), hex);
	store_put(c->a, s->cache, key, parts, parts_of(c, parts));
	remote_made(c->a, remote_state(c->a, s), hex);
}

static void
write_output(struct buf *sums, const char *path, struct str bytes)
{
	fs_write(path, bytes, NULL);
	sums_line(sums, path, bytes);
}

/* Returns their lines for the sums. */
static struct str
write_outputs(struct node_call *c)
{
	struct buf lines = {.a = c->a};
	for (size_t i = 0; c->node->words[i].name; i++)
		if (c->out_path[i])
			write_output(&lines, c->out_path[i], buf_str(&c->extra[i]));
	write_output(&lines, c->main_out, buf_str(&c->out));
	return buf_str(&lines);
}

/* What the graph wrote, it writes again: the front end does as this line says. */
static void
say_damaged(const struct diag *d)
{
	if (d->blamed && strncmp(d->blamed, ".lanewise/", 10) == 0)
		warn("'%s' is damaged; remove it and run again", d->blamed);
}

static bool
compute_here(struct node_call *c)
{
	struct diag d = {0};
	c->status = STR_LIT("ok");
	if (c->node->compute(c, &d))
		return true;
	say_damaged(&d);
	return false;
}

static bool
compute_elsewhere(struct node_call *c, const struct launcher *l, struct str key)
{
	struct store_part *parts;
	size_t n;
	if (!launcher_run(c, l, c->given, c->n_given, key, &parts, &n))
		return false;
	return put_parts(c, parts, n);
}

static bool
work(struct node_call *c, const struct surroundings *s, bool *cached)
{
	struct launcher l;
	struct str key = key_of(c);
	bool stored = s->cache && !c->node->local;
	*cached = stored && (recall(c, s->cache, key) || recall_remote(c, s, key));
	if (*cached)
		return true;
	if (!(launcher_find(c->a, s->launch, c->node, &l) ? compute_elsewhere(c, &l, key)
							  : compute_here(c)))
		return false;
	if (stored && !c->no_cache)
		keep(c, s, key);
	return true;
}

/* As what is launched leaves it. */
static void
write_entry(struct node_call *c, const char *path)
{
	struct store_part parts[NODE_WORDS + 5];
	size_t n = parts_of(c, parts);
	if (c->no_cache)
		parts[n++] = (struct store_part){STR_LIT("transient"), STR_LIT("1")};
	fs_write(path, store_entry_text(c->a, key_of(c), parts, n), NULL);
}

static struct str
word_named(const struct node_call *c, const char *name)
{
	long i = words_index(c->node, str_of(name));
	return i >= 0 ? node_word(c, (size_t)i) : (struct str){0};
}

static void
tell(const char *events, const struct node_call *c, struct str status, int64_t start)
{
	if (!events)
		return;
	struct str name = word_named(c, "point");
	if (!name.n || c->n[words_index(c->node, STR_LIT("point"))] > 1)
		name = word_named(c, "specialization");
	struct event e = {
		.node = str_of(c->node->name),
		.kernel = word_named(c, "kernel"),
		.name = name.n ? name : str_of(c->main_out),
		.status = status,
		.detail = c->detail,
		.ms = (double)(clock_ns() - start) * 1e-6,
		.ns = c->told_ns,
	};
	event_append(events, &e);
}

static const struct node *
find_node(const struct node *const *table, const char *name)
{
	for (; *table; table++)
		if (strcmp((*table)->name, name) == 0)
			return *table;
	die("there is no node '%s'", name);
}

const char *
node_cache(const char *given)
{
	const char *elsewhere = getenv("LANEWISE_CACHE");
	return elsewhere && *elsewhere ? elsewhere : given;
}

/* The options before the node's name, the name, and its words. */
static void
begin(struct node_call *c, struct surroundings *s, const struct node *const *table,
	size_t n, const char *const *v)
{
	size_t at = 0;
	for (; at + 1 < n && v[at][0] == '-'; at += 2) {
		if (strcmp(v[at], "--events") == 0)
			s->events = v[at + 1];
		else if (strcmp(v[at], "--sums") == 0)
			s->sums = v[at + 1];
		else if (strcmp(v[at], "--cache") == 0)
			s->cache = v[at + 1];
		else if (strcmp(v[at], "--launch") == 0)
			s->launch = v[at + 1];
		else if (strcmp(v[at], "--entry") == 0)
			s->entry = v[at + 1];
		else
			die("unknown option '%s' before the name of a node", v[at]);
	}
	if (s->cache)
		s->cache = node_cache(s->cache);
	if (at >= n)
		die("which node? 'lanewise node NAME ...' is for the graph");
	c->node = find_node(table, v[at]);
	c->events = s->events;
	c->given = v + at;
	c->n_given = n - at;
	c->out.a = c->a;
	for (size_t i = 0; i < NODE_WORDS; i++)
		c->extra[i].a = c->a;
	words_parse(c, n - at - 1, v + at + 1);
}

int
node_main(struct arena *a, const struct node *const *table, int argc, char **argv)
{
	int64_t start = clock_ns();
	struct surroundings s = {0};
	struct node_call c = {.a = a};
	bool cached = false;
	proc_die_with_parent();
	begin(&c, &s, table, (size_t)argc, (const char *const *)argv);
	if (!work(&c, &s, &cached)) {
		tell(s.events, &c, STR_LIT("trouble"), start);
		return EXIT_TROUBLE;
	}
	if (s.entry) {
		write_entry(&c, s.entry);
	} else {
		struct str lines = write_outputs(&c);
		if (s.sums)
			sums_append(s.sums, lines);
	}
	if (c.node->written)
		c.node->written();
	tell(s.events, &c, cached ? STR_LIT("cached") : c.status, start);
	return EXIT_YES;
}

bool
node_recall(struct arena *a, struct node_recalls *r, size_t n, const char *const *words,
	const struct node_list *list, struct str *key)
{
	struct surroundings s = {0};
	struct diag d = {0};
	struct node_call c = {.a = a, .list = list, .inputs = &r->inputs};
	inputs_trim(&r->inputs, INPUTS_BYTES);
	begin(&c, &s, r->table, n, words);
	bool stored = s.cache && !c.node->local;
	*key = stored ? key_of(&c) : (struct str){0};
	bool found = c.node->local ? c.node->compute(&c, &d)
				   : stored && recall(&c, s.cache, *key);
	if (!found)
		return false;
	struct str lines = write_outputs(&c);
	if (s.sums)
		sums_queue_add(&r->sums, s.sums, lines);
	return true;
}

struct str
node_key(struct arena *a, const struct node *const *table, size_t n,
	const char *const *words, const struct node_list *list)
{
	struct surroundings s = {0};
	struct node_call c = {.a = a, .list = list};
	begin(&c, &s, table, n, words);
	if (c.node->local || !s.cache)
		return (struct str){0};
	return key_of(&c);
}

struct str
node_word(const struct node_call *c, size_t i)
{
	return c->n[i] ? c->word[i][0] : (struct str){0};
}

const struct node_file *
node_file(const struct node_call *c, size_t i)
{
	return c->n[i] ? &c->file[i][0] : NULL;
}

bool
node_flag(const struct node_call *c, size_t i)
{
	return c->n[i] > 0;
}
