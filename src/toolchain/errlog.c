#include "toolchain/errlog.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <ctype.h>

/* Cuts a prefix off *s. */
static bool
eat(struct str *s, const char *prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_sub(*s, strlen(prefix), s->n);
	return true;
}

static bool
eat_number(struct str *s, unsigned *out)
{
	size_t n = 0;
	unsigned v = 0;
	while (n < s->n && n < 9 && isdigit((unsigned char)s->s[n]))
		v = v * 10 + (unsigned)(s->s[n++] - '0');
	*s = str_sub(*s, n, s->n);
	*out = v;
	return n > 0;
}

/* "error: ", "fatal error: ", "error #20: ", "error[E0425]: ", "error   : ", "fatal   : "
 */
static bool
eat_severity(struct str *s)
{
	if (!eat(s, "error") && !eat(s, "fatal error") && !eat(s, "catastrophic error") &&
		!eat(s, "fatal"))
		return false;
	size_t colon = str_find(*s, ':');
	if (colon == s->n || colon > 16 || isalnum((unsigned char)s->s[0]))
		return false;
	for (size_t i = 0; i < colon; i++)
		if (isspace((unsigned char)s->s[i]) == 0 && !strchr("#[]-", s->s[i]) &&
			!isalnum((unsigned char)s->s[i]))
			return false;
	*s = str_trim(str_sub(*s, colon + 1, s->n));
	return s->n > 0;
}

/* FILE(LINE): severity: MESSAGE */
static bool
match_edg(struct str line, struct log_error *e)
{
	for (size_t i = 1; i < line.n; i++) {
		if (line.s[i] != '(')
			continue;
		struct str rest = str_sub(line, i + 1, line.n);
		if (eat_number(&rest, &e->line) && eat(&rest, "): ") &&
			eat_severity(&rest)) {
			e->file = str_sub(line, 0, i);
			e->message = rest;
			return true;
		}
	}
	return false;
}

/* FILE:LINE[:COL]: severity: MESSAGE */
static bool
match_gnu(struct str line, struct log_error *e)
{
	for (size_t i = 1; i < line.n; i++) {
		if (line.s[i] != ':')
			continue;
		struct str rest = str_sub(line, i + 1, line.n);
		if (!eat_number(&rest, &e->line) || !eat(&rest, ":"))
			continue;
		e->col = 0;
		if (eat_number(&rest, &e->col) && !eat(&rest, ":"))
			continue;
		if (eat(&rest, " ") && eat_severity(&rest)) {
			e->file = str_sub(line, 0, i);
			e->message = rest;
			return true;
		}
	}
	return false;
}

/* ptxas FILE, line N; severity   : MESSAGE */
static bool
match_ptxas(struct str line, struct log_error *e)
{
	struct str rest = line, mark = STR_LIT(", line ");
	if (!eat(&rest, "ptxas "))
		return false;
	for (size_t i = 0; i + mark.n < rest.n; i++) {
		struct str tail = str_sub(rest, i, rest.n);
		if (!eat(&tail, mark.s) || !eat_number(&tail, &e->line) ||
			!eat(&tail, "; "))
			continue;
		if (!eat_severity(&tail))
			continue;
		e->file = str_sub(rest, 0, i);
		e->message = tail;
		return true;
	}
	return false;
}

/* The line after rustc's "error: ...": " --> FILE:LINE:COL" */
static bool
match_arrow(struct str line, struct log_error *e)
{
	struct str rest = str_trim(line), file;
	if (!eat(&rest, "--> "))
		return false;
	size_t colon = str_find(rest, ':');
	file = str_sub(rest, 0, colon);
	rest = str_sub(rest, colon, rest.n);
	if (!eat(&rest, ":") || !eat_number(&rest, &e->line) || !eat(&rest, ":") ||
		!eat_number(&rest, &e->col))
		return false;
	e->file = file;
	return true;
}

/* error: MESSAGE, or TOOL[:] error: MESSAGE */
static bool
match_bare(struct str line, struct log_error *e)
{
	struct str rest = line;
	*e = (struct log_error){0};
	if (eat_severity(&rest)) {
		e->message = rest;
		return true;
	}
	size_t space = str_find(line, ' ');
	rest = str_sub(line, space + 1, line.n);
	if (space == 0 || space == line.n || !eat_severity(&rest))
		return false;
	e->message = rest;
	return true;
}

static bool
match_placed(struct str line, struct log_error *e)
{
	*e = (struct log_error){0};
	return match_edg(line, e) || match_gnu(line, e) || match_ptxas(line, e);
}

bool
log_find_error(struct str log, struct log_error *out)
{
	struct str line, text = log;
	bool bare = false;
	while (str_line(&text, &line)) {
		struct log_error e;
		if (line.n > 4096)
			line.n = 4096; /* keeps a hostile line from costing its square */
		if (match_placed(line, &e)) {
			*out = e;
			return true;
		}
		if (bare && match_arrow(line, out))
			return true;
		if (!bare && match_bare(line, &e)) {
			*out = e;
			bare = true;
		}
	}
	return bare;
}

struct str
text_replace(struct arena *a, struct str text, struct str from, struct str to)
{
	size_t at;
	if (!from.n || !str_has(text, from))
		return text;
	struct buf b = {.a = a};
	while ((at = str_find_text(text, from)) < text.n) {
		buf_addstr(&b, str_sub(text, 0, at));
		buf_addstr(&b, to);
		text = str_sub(text, at + from.n, text.n);
	}
	buf_addstr(&b, text);
	buf_c(&b);
	return buf_str(&b);
}

struct str
log_user_name(struct arena *a, struct str path)
{
	const char *cwd = fs_cwd(a);
	size_t n = strlen(cwd);
	if (str_starts(path, cwd) && path.n > n && path.s[n] == '/')
		path = str_sub(path, n + 1, path.n);
	eat(&path, "./");
	eat(&path, ".lanewise/in/");
	return path;
}

/*
 * EDG prints the offending line, with two spaces before it and macros expanded, and a
 * caret below.  The caret is a column of the user's text only where the two lines are the
 * same.
 */
static unsigned
caret_column(struct str log, struct str source, unsigned at)
{
	struct source src = {.text = source};
	struct str want = source_line(&src, at), line, shown = {0};
	while (str_line(&log, &line)) {
		struct str t = str_trim(line);
		if (t.n == 1 && t.s[0] == '^' &&
			str_eq(str_trim(shown), str_trim(want))) {
			size_t lead = (size_t)(str_trim(shown).s - shown.s);
			size_t caret = (size_t)(t.s - line.s);
			size_t indent = (size_t)(str_trim(want).s - want.s);
			return caret < lead ? 0 : (unsigned)(caret - lead + indent + 1);
		}
		if (!str_has(line, STR_LIT("^")))
			shown = line;
	}
	return 0;
}

void
log_explain(struct arena *a, const struct lower_request *q, const char *what,
	struct lower_result *r)
{
	struct log_error e = {0};
	struct str cwd = str_fmt(a, "%s/", fs_cwd(a));
	r->log = text_replace(a, r->log, cwd, (struct str){0});
	if (q->path && strcmp(q->path, q->name) != 0)
		r->log = text_replace(a, r->log, str_of(q->path), str_of(q->name));
	r->log = text_replace(a, r->log, STR_LIT(".lanewise/in/"), (struct str){0});
	if (!log_find_error(r->log, &e))
		e.message = str_of(what);
	r->err_file = e.file.n ? e.file : str_of(q->name);
	r->err_line = e.line;
	r->err_col = e.col;
	r->err_message = e.message;
	if (e.line && !e.col && str_is(e.file, q->name))
		r->err_col = caret_column(r->log, q->source, e.line);
}
