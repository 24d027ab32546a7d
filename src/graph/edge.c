#include "graph/edge.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"

bool
edge_call(struct arena *a, const struct ninja_statement *s, struct edge_call *c)
{
	if (!s->rule || ninja_get(a, s, "pool").n == strlen("console") ||
		ninja_get(a, s, "generator").n ||
		!ninja_shell_split(a, ninja_get(a, s, "command"), &c->words, &c->n))
		return false;
	c->list.path = str_fmt(a, "%.*s.rsp", STR_ARG(s->outs[0])).s;
	c->list.text = ninja_get(a, s, "rspfile_content");
	for (size_t i = 0; i + 1 < c->n && i < 3; i++)
		if (strcmp(c->words[i], "node") == 0) {
			c->words += i + 1;
			c->n -= i + 1;
			return true;
		}
	return false;
}

/* The manifest here that lanewise wrote, or NULL. */
static const char *
manifest_here(struct arena *a)
{
	static const char *const names[] = {"build.ninja", "lanewise.ninja"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct str text;
		if (fs_try_read(a, names[i], &text) &&
			str_starts(text, "# Written by 'lanewise graph'"))
			return names[i];
	}
	return NULL;
}

/* Nodes read copies of the sources, which the next run renews. */
static void
warn_of_edits(struct arena *a, const struct ninja_graph *g, size_t edge, bool *seen)
{
	const struct ninja_statement *s = &g->v[edge];
	struct str now, copy;
	if (seen[edge])
		return;
	seen[edge] = true;
	if (s->rule && str_is(s->rule->name, "stage") &&
		fs_try_read(a, str_c(a, s->ins[0]), &now) &&
		fs_try_read(a, str_c(a, s->outs[0]), &copy) && !str_eq(now, copy))
		warn("'%.*s' was edited since: the answer is for its copy '%.*s'",
			STR_ARG(s->ins[0]), STR_ARG(s->outs[0]));
	for (size_t i = 0; i < s->n_ins; i++) {
		long at = map_find(&g->outs, s->ins[i]);
		if (at >= 0)
			warn_of_edits(a, g, g->maker[at], seen);
	}
}

bool
edge_key(struct arena *a, const char *output, const struct node *const *nodes,
	struct str *key, struct str *why)
{
	struct ninja_graph g = {0};
	struct edge_call c;
	const char *file = manifest_here(a);
	if (!file || !ninja_read(a, file, &g)) {
		*why = STR_LIT("there is no graph here; 'lanewise graph' writes it");
		return false;
	}
	long i = map_find(&g.outs, str_of(fs_normal(a, output)));
	if (i < 0 || !edge_call(a, &g.v[g.maker[i]], &c)) {
		*why = str_fmt(a, "'%s' is no output of a node of the graph in '%s'",
			output, file);
		return false;
	}
	*key = node_key(a, nodes, c.n, c.words, &c.list);
	if (!key->n)
		*why = str_fmt(a,
			"'%s' is made anew each time: that costs less than the cache",
			output);
	else
		warn_of_edits(a, &g, g.maker[i], arena_news(a, g.n, bool));
	return key->n > 0;
}
