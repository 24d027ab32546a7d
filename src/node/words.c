#include "node/words.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"

#include <errno.h>

/* Of an @FILE. */
struct words {
	const char **v;
	size_t n, cap;
};

static void
file_words(const struct node_call *c, struct words *w, const char *path)
{
	struct arena *a = c->a;
	bool given = c->list && strcmp(c->list->path, path) == 0;
	struct str rest = given ? c->list->text : fs_read(a, path);
	for (size_t i = 0, from = 0; i <= rest.n; i++) {
		if (i < rest.n && !strchr(" \t\r\n", rest.s[i]))
			continue;
		if (i > from) {
			arena_grow(a, w->v, w->n, w->cap);
			w->v[w->n++] = str_c(a, str_sub(rest, from, i));
		}
		from = i + 1;
	}
}

long
words_index(const struct node *n, struct str name)
{
	for (size_t i = 0; n->words[i].name; i++)
		if (str_is(name, n->words[i].name))
			return (long)i;
	return -1;
}

static bool
takes_file(enum node_word_kind k)
{
	return k == NODE_INPUT || k == NODE_GUARD;
}

/* Lists double at powers of two: gates and ranks take thousands of words. */
static void *
list_grow(struct arena *a, const void *list, size_t n, size_t size)
{
	if (n & (n - 1))
		return NULL; /* there is room */
	void *grown = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(grown, list, n * size);
	return grown;
}

static void
add_file(struct node_call *c, size_t i, const char *path)
{
	const struct node_word *w = &c->node->words[i];
	struct node_file *grown = list_grow(c->a, c->file[i], c->n[i], sizeof *grown);
	struct node_file f = {.path = path};
	const struct inputs_file *shared =
		c->inputs ? inputs_read(c->inputs, path) : NULL;
	if (shared)
		f = (struct node_file){path, shared->bytes, shared->hex, true};
	else
		f.present = fs_try_read(c->a, path, &f.bytes);
	if (!f.present && (errno != ENOENT || w->required))
		die("%s: cannot read '%s': %s", c->node->name, path, fs_reason());
	if (grown)
		c->file[i] = grown;
	c->file[i][c->n[i]++] = f;
}

static void
add_word(struct node_call *c, size_t i, struct str value)
{
	struct str *grown = list_grow(c->a, c->word[i], c->n[i], sizeof *grown);
	if (grown)
		c->word[i] = grown;
	c->word[i][c->n[i]++] = value;
}

static void
set_word(struct node_call *c, size_t i, const char *value)
{
	const struct node_word *w = &c->node->words[i];
	if (c->n[i] && !w->repeats)
		die("%s: option '--%s' is given twice", c->node->name, w->name);
	if (takes_file(w->kind)) {
		add_file(c, i, value);
	} else if (w->kind == NODE_OUTPUT) {
		c->out_path[i] = value;
		c->n[i]++;
	} else {
		add_word(c, i, str_of(value));
	}
}

static void
parse_word(struct node_call *c, size_t n, const char *const *v, size_t *at)
{
	const char *arg = v[*at];
	if (strcmp(arg, "-o") == 0) {
		if (*at + 1 >= n)
			die("%s: '-o' wants a file", c->node->name);
		c->main_out = v[++*at];
		return;
	}
	struct str name = str_of(arg + (arg[0] == '-' && arg[1] == '-' ? 2 : 0));
	size_t eq = str_find(name, '=');
	const char *value = eq < name.n ? name.s + eq + 1 : NULL;
	name.n = eq;
	long i = arg[0] == '-' ? words_index(c->node, name) : -1;
	if (i < 0)
		die("%s: unknown word '%s'; if this graph was written by another version "
		    "of "
		    "lanewise, run 'lanewise graph'",
			c->node->name, arg);
	if (c->node->words[i].kind == NODE_FLAG) {
		if (value)
			die("%s: option '--%s' takes no value", c->node->name,
				c->node->words[i].name);
		add_word(c, (size_t)i, STR_LIT("1"));
		return;
	}
	if (!value) {
		if (*at + 1 >= n)
			die("%s: option '--%s' wants a value", c->node->name,
				c->node->words[i].name);
		value = v[++*at];
	}
	set_word(c, (size_t)i, value);
}

/* @FILE only where an option may stand: a value may well begin with an '@'. */
static void
parse_words(struct node_call *c, size_t n, const char *const *v, bool in_file)
{
	for (size_t at = 0; at < n; at++) {
		struct words inner = {0};
		if (in_file || v[at][0] != '@') {
			parse_word(c, n, v, &at);
			continue;
		}
		file_words(c, &inner, v[at] + 1);
		parse_words(c, inner.n, inner.v, true);
		c->words_file = v[at] + 1;
	}
}

void
words_parse(struct node_call *c, size_t n, const char *const *v)
{
	parse_words(c, n, v, false);
	if (!c->main_out)
		die("%s: '-o FILE' is missing", c->node->name);
	for (size_t i = 0; c->node->words[i].name; i++)
		if (c->node->words[i].required && !c->n[i])
			die("%s: option '--%s' is missing", c->node->name,
				c->node->words[i].name);
}
