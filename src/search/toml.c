#include "search/toml.h"

#include "base/arena.h"
#include "base/buf.h"

#include <ctype.h>
#include <math.h>

enum { DEEP_MAX = 16, MEMBERS_MAX = 1000 };

struct toml {
	struct arena *a;
	const struct source *src;
	struct diag *d;
	const char *s; /* the text, NUL-terminated */
	size_t n, at;
};

static struct json *
fail(struct toml *t, size_t at, const char *what)
{
	diag_error(t->d, source_place(t->src, at), "%s", what);
	return NULL;
}

/* --- nodes -------------------------------------------------------------------------- */

static struct json *
node(struct toml *t, enum json_kind kind, size_t at)
{
	struct json *v = arena_new(t->a, struct json);
	struct place p = source_place(t->src, at);
	v->kind = kind;
	v->src = t->src;
	v->line = v->key_line = p.line;
	v->col = v->key_col = p.col;
	return v;
}

/* False after a diag_error. */
static bool
append(struct toml *t, struct json *to, struct json *v, size_t at)
{
	struct json **end = &to->child;
	if (to->n == MEMBERS_MAX) {
		fail(t, at, "more than 1000 keys or tables in one table");
		return false;
	}
	while (*end)
		end = &(*end)->next;
	*end = v;
	v->parent = to;
	to->n++;
	return true;
}

static struct json *
member(struct json *of, struct str key)
{
	for (struct json *v = of->child; v; v = v->next)
		if (str_eq(v->key, key))
			return v;
	return NULL;
}

/* --- scalars ------------------------------------------------------------------------ */

static void
skip_blanks(struct toml *t)
{
	while (t->s[t->at] == ' ' || t->s[t->at] == '\t')
		t->at++;
}

/* Also over line ends and comments. */
static void
skip_lines(struct toml *t)
{
	for (;;) {
		while (t->s[t->at] && strchr(" \t\r\n", t->s[t->at]))
			t->at++;
		if (t->s[t->at] != '#')
			return;
		while (t->at < t->n && t->s[t->at] != '\n')
			t->at++;
	}
}

static bool
read_quoted(struct toml *t, struct str *out)
{
	static const char from[] = "\"\\nt", to[] = "\"\\\n\t";
	struct buf b = {.a = t->a};
	size_t start = t->at;
	char quote = t->s[t->at++];
	for (; t->at < t->n && t->s[t->at] != '\n' && t->s[t->at]; t->at++) {
		char c = t->s[t->at];
		if (c == quote) {
			t->at++;
			buf_c(&b);
			*out = buf_str(&b);
			return true;
		}
		if (c == '\\' && quote == '"') {
			const char *e = t->s[++t->at] ? strchr(from, t->s[t->at]) : NULL;
			if (!e)
				break;
			c = to[e - from];
		}
		buf_addc(&b, c);
	}
	fail(t, start,
		"a string that does not end on its line, or an escape other than "
		"\\\" \\\\ \\n \\t");
	return false;
}

static struct json *
read_number(struct toml *t)
{
	char text[64];
	size_t start = t->at, n = 0;
	while (t->at < t->n && (isalnum((unsigned char)t->s[t->at]) ||
				       (t->s[t->at] && strchr("+-._", t->s[t->at])))) {
		if (n == sizeof text - 1)
			return fail(t, start, "this is no number");
		if (t->s[t->at] != '_')
			text[n++] = t->s[t->at];
		t->at++;
	}
	struct json *v = node(t, JSON_NUMBER, start);
	struct str s = {text, n};
	if (str_is(s, "true") || str_is(s, "false")) {
		v->kind = JSON_BOOL;
		v->boolean = str_is(s, "true");
		return v;
	}
	text[n] = '\0';
	v->real = strpbrk(text, ".eE") != NULL;
	if (!n || !str_to_f64(s, &v->number))
		return fail(t, start,
			"a string, a number, true, false or [ is expected here");
	return v;
}

/* --- values ------------------------------------------------------------------------- */

static struct json *read_value(struct toml *t, unsigned depth);

/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static struct json *
read_array(struct toml *t, unsigned depth)
{
	struct json *v = node(t, JSON_ARRAY, t->at);
	size_t start = t->at++;
	struct json **end = &v->child;
	for (;;) {
		skip_lines(t);
		if (t->s[t->at] == ']') {
			t->at++;
			return v;
		}
		if (t->at >= t->n)
			return fail(t, start, "an array that does not end");
		struct json *e = read_value(t, depth + 1);
		if (!e)
			return NULL;
		e->parent = v;
		*end = e;
		end = &e->next;
		v->n++;
		skip_lines(t);
		if (t->s[t->at] == ',')
			t->at++;
		else if (t->s[t->at] != ']')
			return fail(t, t->at, "',' or ']' is expected here");
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static struct json *
read_value(struct toml *t, unsigned depth)
{
	char c = t->s[t->at];
	if (depth > DEEP_MAX)
		return fail(t, t->at, "arrays within arrays within arrays: too deep");
	if (c == '{')
		return fail(t, t->at, "inline tables are not read: write [TABLE]");
	if (c == '[')
		return read_array(t, depth);
	if (c != '"' && c != '\'')
		return read_number(t);
	struct json *v = node(t, JSON_STRING, t->at);
	return read_quoted(t, &v->string) ? v : NULL;
}

/* --- tables ------------------------------------------------------------------------- */

static bool
read_key(struct toml *t, struct str *key)
{
	size_t start = t->at;
	if (t->s[t->at] == '"' || t->s[t->at] == '\'')
		return read_quoted(t, key);
	while (isalnum((unsigned char)t->s[t->at]) || t->s[t->at] == '_' ||
		t->s[t->at] == '-')
		t->at++;
	*key = (struct str){t->s + start, t->at - start};
	if (!key->n)
		fail(t, start, "a key is expected here");
	return key->n > 0;
}

static bool
end_line(struct toml *t)
{
	skip_blanks(t);
	if (t->s[t->at] == '\r')
		t->at++;
	if (t->at >= t->n || t->s[t->at] == '\n' || t->s[t->at] == '#')
		return true;
	fail(t, t->at, "nothing else can stand on this line");
	return false;
}

/* The table of a name within another; of an array of tables, the last one. */
static struct json *
enter(struct toml *t, struct json *of, struct str key, size_t at)
{
	struct json *v = member(of, key);
	if (!v) {
		v = node(t, JSON_OBJECT, at);
		v->key = key;
		if (!append(t, of, v, at))
			return NULL;
	}
	if (v->kind == JSON_ARRAY && v->child && v->child->kind == JSON_OBJECT)
		for (v = v->child; v->next;)
			v = v->next;
	return v->kind == JSON_OBJECT ? v : fail(t, at, "this name is no table");
}

/* [a.b] or [[a.b]]: the table that the lines after it belong to. */
static struct json *
read_header(struct toml *t, struct json *top)
{
	size_t start = t->at++;
	bool array = t->s[t->at] == '[';
	struct json *in = top, *v;
	struct str key;
	t->at += array;
	for (;;) {
		skip_blanks(t);
		size_t at = t->at;
		if (!read_key(t, &key))
			return NULL;
		skip_blanks(t);
		if (t->s[t->at] != '.') {
			v = member(in, key);
			break;
		}
		t->at++;
		in = enter(t, in, key, at);
		if (!in)
			return NULL;
	}
	if (t->s[t->at] != ']' || (array && t->s[t->at + 1] != ']'))
		return fail(t, t->at, "']' is expected here");
	t->at += array ? 2 : 1;
	if (!end_line(t))
		return NULL;
	if (!array)
		return v && v->kind == JSON_OBJECT && v->child &&
				       v->child->kind != JSON_OBJECT
			       ? fail(t, start, "this table is there twice")
			       : enter(t, in, key, start);
	if (!v) {
		v = node(t, JSON_ARRAY, start);
		v->key = key;
		if (!append(t, in, v, start))
			return NULL;
	}
	if (v->kind != JSON_ARRAY || (v->child && v->child->kind != JSON_OBJECT))
		return fail(t, start, "this name is no array of tables");
	struct json *table = node(t, JSON_OBJECT, start);
	return append(t, v, table, start) ? table : NULL;
}

static bool
read_assignment(struct toml *t, struct json *in)
{
	struct str key;
	size_t start = t->at;
	if (!read_key(t, &key))
		return false;
	skip_blanks(t);
	if (t->s[t->at] != '=') {
		fail(t, t->at,
			t->s[t->at] == '.' ? "dotted keys are not read: write [TABLE]"
					   : "'=' is expected here");
		return false;
	}
	t->at++;
	skip_blanks(t);
	if (member(in, key)) {
		fail(t, start, "this key is there twice");
		return false;
	}
	struct json *v = read_value(t, 0);
	if (!v)
		return false;
	struct place p = source_place(t->src, start);
	v->key = key;
	v->key_line = p.line;
	v->key_col = p.col;
	return append(t, in, v, start) && end_line(t);
}

struct json *
toml_parse(struct arena *a, const struct source *src, struct diag *d)
{
	struct toml t = {a, src, d, str_c(a, src->text), src->text.n, 0};
	struct json *top = node(&t, JSON_OBJECT, 0), *in = top;
	if (memchr(src->text.s, '\0', src->text.n))
		return fail(&t, 0, "this is no text");
	for (skip_lines(&t); t.at < t.n; skip_lines(&t)) {
		if (t.s[t.at] == '[')
			in = read_header(&t, top);
		else if (!read_assignment(&t, in))
			return NULL;
		if (!in)
			return NULL;
	}
	return top;
}
