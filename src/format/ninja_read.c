#include "format/ninja_read.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

enum { DEPTH_MAX = 8 };

struct reader {
	struct arena *a;
	struct str text;
	struct ninja_scope *scope;
	struct ninja_graph *g;
	int depth;
};

typedef struct str lookup(void *ctx, struct str name);

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* What stands at text[i], a '$': its value goes to b; the index after it. */
static size_t
expand_at(struct buf *b, struct str text, size_t i, lookup *f, void *ctx)
{
	size_t from = i + 1, to;
	char c = from < text.n ? text.s[from] : '$';
	if (c == '{') {
		to = from + 1 + str_find(str_sub(text, from + 1, text.n), '}');
		buf_addstr(b, f(ctx, str_sub(text, from + 1, to)));
		return to + 1;
	}
	for (to = from; to < text.n && is_name(text.s[to]) && text.s[to] != '.'; to++)
		;
	if (to > from) {
		buf_addstr(b, f(ctx, str_sub(text, from, to)));
		return to;
	}
	buf_addc(b, c); /* "$$", "$ ", "$:" */
	return from + 1;
}

static struct str
expand(struct arena *a, struct str text, lookup *f, void *ctx)
{
	struct buf b = {.a = a};
	if (str_find(text, '$') == text.n)
		return text;
	for (size_t i = 0; i < text.n;) {
		size_t plain = i + str_find(str_sub(text, i, text.n), '$');
		buf_add(&b, text.s + i, plain - i);
		i = plain < text.n ? expand_at(&b, text, plain, f, ctx) : plain;
	}
	return buf_str(&b);
}

static struct str
of_scope(void *ctx, struct str name)
{
	for (const struct ninja_scope *s = ctx; s; s = s->parent) {
		long i = map_find(&s->names, name);
		if (i >= 0)
			return s->values[i];
	}
	return (struct str){0};
}

struct edge_scope {
	struct arena *a;
	const struct ninja_statement *s;
	int depth;
};

static struct str of_edge(void *ctx, struct str name);

/* As Ninja quotes paths in $in and $out. */
static void
add_path(struct buf *b, struct str path)
{
	bool plain = true;
	for (size_t i = 0; i < path.n; i++) {
		char c = path.s[i];
		plain &= (is_name(c) || c == '+' || c == '/');
	}
	if (!plain)
		buf_addc(b, '\'');
	for (size_t i = 0; i < path.n; i++)
		if (path.s[i] == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, path.s[i]);
	if (!plain)
		buf_addc(b, '\'');
}

static struct str
path_list(struct arena *a, const struct str *v, size_t n, char between)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(&b, between);
		add_path(&b, v[i]);
	}
	return buf_str(&b);
}

static struct str
of_edge(void *ctx, struct str name)
{
	struct edge_scope *e = ctx;
	const struct ninja_statement *s = e->s;
	if (str_is(name, "in") || str_is(name, "in_newline"))
		return path_list(
			e->a, s->ins, s->n_explicit_ins, name.n == 2 ? ' ' : '\n');
	if (str_is(name, "out"))
		return path_list(e->a, s->outs, s->n_explicit_outs, ' ');
	for (size_t i = s->n; i-- > 0;)
		if (str_eq(s->v[i].name, name))
			return s->v[i].value;
	for (size_t i = 0; s->rule && e->depth < DEPTH_MAX && i < s->rule->n; i++)
		if (str_eq(s->rule->v[i].name, name)) {
			struct edge_scope inner = {e->a, s, e->depth + 1};
			return expand(e->a, s->rule->v[i].value, of_edge, &inner);
		}
	return of_scope((void *)(uintptr_t)s->scope, name);
}

struct str
ninja_get(struct arena *a, const struct ninja_statement *s, const char *name)
{
	struct edge_scope e = {a, s, 0};
	return of_edge(&e, str_of(name));
}

/* "  name = value" or "name = value". */
static bool
binding(struct str line, struct ninja_binding *b)
{
	size_t eq = str_find(line, '=');
	if (eq == line.n)
		return false;
	b->name = str_trim(str_sub(line, 0, eq));
	b->value = str_sub(line, eq + 1, line.n);
	while (b->value.n && b->value.s[0] == ' ')
		b->value = str_sub(b->value, 1, b->value.n);
	return b->name.n > 0;
}

static bool
indented(const struct reader *r)
{
	return r->text.n && r->text.s[0] == ' ';
}

static void
set_variable(struct reader *r, struct ninja_binding b)
{
	struct ninja_scope *s = r->scope;
	size_t n = s->names.n;
	arena_grow(r->a, s->values, n, s->cap);
	size_t i = map_put(&s->names, b.name, NULL);
	s->values[i] = expand(r->a, b.value, of_scope, s);
}

static bool
read_rule(struct reader *r, struct str name)
{
	struct ninja_scope *s = r->scope;
	struct ninja_rule rule = {.name = name};
	struct str line;
	while (indented(r) && str_line(&r->text, &line)) {
		struct ninja_binding b;
		if (!binding(line, &b))
			return false;
		arena_grow(r->a, rule.v, rule.n, rule.cap);
		rule.v[rule.n++] = b;
	}
	arena_grow(r->a, s->rule, s->rules.n, s->cap_rules);
	size_t i = map_put(&s->rules, name, NULL);
	s->rule[i] = rule;
	return true;
}

static const struct ninja_rule *
find_rule(const struct ninja_scope *s, struct str name)
{
	for (; s; s = s->parent) {
		long i = map_find(&s->rules, name);
		if (i >= 0)
			return &s->rule[i];
	}
	return NULL;
}

/* The next word of a build line: a path, ":", "|" or "||"; false at its end. */
static bool
next_word(struct reader *r, struct str *line, struct str *word)
{
	size_t i = 0;
	while (i < line->n && line->s[i] == ' ')
		i++;
	*line = str_sub(*line, i, line->n);
	if (!line->n)
		return false;
	for (i = 0; i < line->n && !strchr(" :|", line->s[i]); i++)
		if (line->s[i] == '$')
			i++;
	if (i == 0)
		i = line->n > 1 && line->s[0] == '|' && line->s[1] == '|' ? 2 : 1;
	struct str raw = str_sub(*line, 0, i);
	*word = raw.s[0] == ':' || raw.s[0] == '|'
			? raw
			: expand(r->a, raw, of_scope, r->scope);
	*line = str_sub(*line, i, line->n);
	return true;
}

static bool
is_mark(struct str w)
{
	return str_is(w, ":") || str_is(w, "|") || str_is(w, "||");
}

/* Paths up to the next mark, which is in *mark; empty at the end of the line. */
static void
read_paths(struct reader *r, struct str *line, struct str **v, size_t *n, size_t *cap,
	struct str *mark)
{
	struct str word;
	*mark = (struct str){0};
	while (next_word(r, line, &word)) {
		if (is_mark(word)) {
			*mark = word;
			return;
		}
		struct str *list = *v;
		arena_grow(r->a, list, *n, *cap);
		list[(*n)++] = word;
		*v = list;
	}
}

static bool
add_statement(struct reader *r, const struct ninja_statement *s)
{
	struct ninja_graph *g = r->g;
	for (size_t i = 0; i < s->n_outs; i++) {
		bool added;
		arena_grow(r->a, g->maker, g->outs.n, g->cap_maker);
		size_t at = map_put(&g->outs, s->outs[i], &added);
		if (!added)
			return false;
		g->maker[at] = (uint32_t)g->n;
	}
	arena_grow(r->a, g->v, g->n, g->cap);
	g->v[g->n++] = *s;
	return true;
}

static bool
read_build(struct reader *r, struct str line)
{
	struct ninja_statement s = {.scope = r->scope};
	struct str mark, name;
	size_t cap_outs = 0, cap_ins = 0;
	read_paths(r, &line, &s.outs, &s.n_outs, &cap_outs, &mark);
	s.n_explicit_outs = s.n_outs;
	if (str_is(mark, "|"))
		read_paths(r, &line, &s.outs, &s.n_outs, &cap_outs, &mark);
	if (!str_is(mark, ":") || !next_word(r, &line, &name))
		return false;
	s.rule = find_rule(r->scope, name);
	if (!s.rule && !str_is(name, "phony"))
		return false;
	read_paths(r, &line, &s.ins, &s.n_ins, &cap_ins, &mark);
	s.n_explicit_ins = s.n_ins;
	if (str_is(mark, "|"))
		read_paths(r, &line, &s.ins, &s.n_ins, &cap_ins, &mark);
	size_t normal = s.n_ins;
	if (str_is(mark, "||"))
		read_paths(r, &line, &s.ins, &s.n_ins, &cap_ins, &mark);
	s.n_order_ins = s.n_ins - normal;
	if (mark.n)
		return false;
	while (indented(r) && str_line(&r->text, &line)) {
		struct ninja_binding b;
		if (!binding(line, &b))
			return false;
		b.value = expand(r->a, b.value, of_scope, r->scope);
		arena_grow(r->a, s.v, s.n, s.cap);
		s.v[s.n++] = b;
	}
	return add_statement(r, &s);
}

static bool read_file(struct reader *r, struct str name);

static bool
read_inner(struct reader *r, struct str name, bool own_scope)
{
	struct reader inner = *r;
	inner.depth++;
	if (own_scope) {
		inner.scope = arena_new(r->a, struct ninja_scope);
		inner.scope->parent = r->scope;
		inner.scope->names.a = inner.scope->rules.a = r->a;
	}
	return inner.depth < DEPTH_MAX &&
	       read_file(&inner, expand(r->a, name, of_scope, r->scope));
}

static void
skip_block(struct reader *r)
{
	struct str line;
	while (indented(r) && str_line(&r->text, &line))
		;
}

static bool
read_statement(struct reader *r, struct str line)
{
	struct ninja_binding b;
	if (!line.n || line.s[0] == '#')
		return true;
	if (str_starts(line, "build "))
		return read_build(r, str_sub(line, 6, line.n));
	if (str_starts(line, "rule "))
		return read_rule(r, str_trim(str_sub(line, 5, line.n)));
	if (str_starts(line, "include "))
		return read_inner(r, str_trim(str_sub(line, 8, line.n)), false);
	if (str_starts(line, "subninja "))
		return read_inner(r, str_trim(str_sub(line, 9, line.n)), true);
	if (str_starts(line, "pool ") || str_starts(line, "default ")) {
		skip_block(r);
		return true;
	}
	if (!binding(line, &b))
		return false;
	set_variable(r, b);
	return true;
}

static bool
read_file(struct reader *r, struct str name)
{
	struct str line;
	if (!fs_try_read(r->a, str_c(r->a, name), &r->text))
		return false;
	while (str_line(&r->text, &line))
		if (!read_statement(r, line))
			return false;
	return true;
}

bool
ninja_read(struct arena *a, const char *file, struct ninja_graph *g)
{
	struct reader r = {.a = a, .g = g};
	g->outs.a = a;
	r.scope = arena_new(a, struct ninja_scope);
	r.scope->names.a = r.scope->rules.a = a;
	return read_file(&r, str_of(file));
}

/* One word; quotes are taken off. */
static bool
shell_word(struct buf *b, struct str *rest)
{
	bool quoted = false;
	size_t i = 0;
	for (; i < rest->n && (quoted || rest->s[i] != ' '); i++) {
		char c = rest->s[i];
		if (c == '\'')
			quoted = !quoted;
		else if (!quoted && c == '\\' && i + 1 < rest->n)
			buf_addc(b, rest->s[++i]);
		else if (!quoted && strchr("\"$`;&|<>()*?[#~", c) && c)
			return false;
		else
			buf_addc(b, c);
	}
	*rest = str_sub(*rest, i, rest->n);
	return !quoted;
}

bool
ninja_shell_split(struct arena *a, struct str command, const char ***words, size_t *n)
{
	size_t cap = 0;
	*words = NULL;
	*n = 0;
	for (;;) {
		struct buf b = {.a = a};
		while (command.n && command.s[0] == ' ')
			command = str_sub(command, 1, command.n);
		if (!command.n)
			return true;
		if (!shell_word(&b, &command))
			return false;
		arena_grow(a, *words, *n, cap);
		(*words)[(*n)++] = buf_c(&b);
	}
}
