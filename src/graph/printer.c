#include "graph/printer.h"

#include "base/arena.h"
#include "base/fs.h"
#include "format/ninja.h"

void
paths_add(struct arena *a, struct paths *l, const char *path)
{
	arena_grow(a, l->v, l->n, l->cap);
	l->v[l->n++] = path;
	/* Room for the NULL that ends it. */
	arena_grow(a, l->v, l->n, l->cap);
	l->v[l->n] = NULL;
}

void
print_var(struct printer *o, const char *name, struct str value)
{
	ninja_var(&o->b, "  ", name, value);
}

void
print_word_var(struct printer *o, const char *indent, const char *name, struct str value)
{
	struct buf w = {.a = o->a};
	ninja_shell_word(&w, value);
	ninja_var(&o->b, indent, name, buf_str(&w));
}

void
add_option(struct buf *words, const char *name, struct str value)
{
	buf_addf(words, "%s--%s ", words->n ? " " : "", name);
	ninja_shell_word(words, value);
}

const char *
file_of(struct printer *o, const char *sub, struct str name, const char *ext)
{
	return str_fmt(o->a, "%s/%s/%.*s%s", o->k->dir, sub, STR_ARG(name), ext).s;
}

bool
plan_measures(const struct plan *p)
{
	return strcmp(p->backend, "model") != 0;
}

void
print_report_edge(
	struct printer *o, const char *dir, struct paths ranks, struct paths lines)
{
	struct buf w = {.a = o->a};
	struct paths ranked = {0};
	for (size_t i = 0; i < ranks.n; i++) {
		add_option(&w, "rank", str_of(ranks.v[i]));
		paths_add(o->a, &ranked,
			str_fmt(o->a, "%s/ranked.json", fs_dirname(o->a, ranks.v[i])).s);
	}
	const char *text = str_fmt(o->a, "%s/report.txt", dir).s;
	/* Sources are excerpted in the text, so the staged leaves are inputs as well. */
	for (size_t i = 0; i < o->p->leaves.n; i++)
		paths_add(o->a, &lines, o->p->leaves.v[i]->staged);
	ninja_build(&o->b, &(struct ninja_edge){.rule = "report",
				   .outs = LIST(str_fmt(o->a, "%s/report.json", dir).s),
				   .implicit_outs = LIST(text),
				   .ins = ranks.v,
				   .implicit_ins = lines.v,
				   .order_ins = ranked.v});
	print_var(o, "text", str_of(text));
	print_var(o, "words", buf_str(&w));
}
