#include "format/expr_lex.h"

#include <ctype.h>

/* Raw length, in the JSON string at s, of what decodes to *decoded bytes. */
static size_t
escape_length(struct str s, size_t *decoded)
{
	*decoded = 1;
	if (s.s[0] != '\\' || s.n < 2)
		return 1;
	int64_t u = 0;
	if (s.s[1] != 'u' || s.n < 6)
		return 2;
	for (size_t i = 2; i < 6; i++) {
		unsigned char c = (unsigned char)s.s[i];
		u = u * 16 + (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
	}
	bool pair = u >= 0xd800 && u < 0xdc00 && s.n >= 12;
	*decoded = pair ? 4 : u >= 0x800 ? 3 : u >= 0x80 ? 2 : 1;
	return pair ? 12 : 6;
}

/* The expression may stand in a JSON string whose escapes shift columns. */
struct place
expr_place_at(const struct expr *e, size_t offset)
{
	struct place at = e->at;
	if (!at.src || !at.line)
		return at;
	struct str line = source_line(at.src, at.line);
	size_t i = at.col - 1;
	if (i == 0 || i > line.n || line.s[i - 1] != '"') {
		at.col += (unsigned)offset;
		return at;
	}
	while (offset && i < line.n) {
		size_t decoded;
		i += escape_length(str_sub(line, i, line.n), &decoded);
		offset -= decoded < offset ? decoded : offset;
	}
	at.col = (unsigned)i + 1;
	return at;
}

void
word_fail(struct lexer *l, size_t offset, struct str message)
{
	if (!l->failed)
		diag_error(l->d, expr_place_at(l->e, offset), "%.*s", STR_ARG(message));
	l->failed = true;
	l->t = (struct token){.kind = TOKEN_END};
}

static void
fail(struct lexer *l, struct str message)
{
	word_fail(l, l->start, message);
}

static void
fail_c(struct lexer *l, const char *message)
{
	fail(l, str_of(message));
}

static bool
is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void
lex_number(struct lexer *l, struct str s)
{
	size_t n = 0;
	bool hex = s.n > 1 && s.s[0] == '0' && (s.s[1] | 32) == 'x';
	while (n < s.n) {
		char c = s.s[n];
		bool sign =
			!hex && n && (c == '+' || c == '-') && (s.s[n - 1] | 32) == 'e';
		if (!is_name(c) && c != '.' && !sign)
			break;
		n++;
	}
	struct str word = str_sub(s, 0, n);
	struct value *v = &l->t.value;
	bool real = !hex && (str_find(word, '.') < n || str_find(word, 'e') < n ||
				    str_find(word, 'E') < n);
	*v = (struct value){.kind = real ? VALUE_REAL : VALUE_INT};
	if (real ? !str_to_f64(word, &v->f) : !str_to_i64(word, &v->i)) {
		fail(l, str_fmt(l->a, "'%.*s' is no number of 64 bits", STR_ARG(word)));
		return;
	}
	l->t.kind = TOKEN_CONST;
	l->t.text = word;
}

static void
lex_name(struct lexer *l, struct str s)
{
	size_t n = 1;
	while (n < s.n && (is_name(s.s[n]) || (s.s[n] == '.' && n + 1 < s.n &&
						      is_name_start(s.s[n + 1]))))
		n++;
	l->t.kind = TOKEN_NAME;
	l->t.text = str_sub(s, 0, n);
	bool yes = str_is(l->t.text, "true");
	if (yes || str_is(l->t.text, "false")) {
		l->t.kind = TOKEN_CONST;
		l->t.value = (struct value){.kind = VALUE_BOOL, .i = yes};
	}
}

static void
lex_string(struct lexer *l, struct str s)
{
	size_t n = str_find(str_sub(s, 1, s.n), s.s[0]);
	if (n + 1 == s.n) {
		fail_c(l, "this string is never closed");
		return;
	}
	l->t.kind = TOKEN_CONST;
	l->t.text = str_sub(s, 0, n + 2);
	l->t.value = (struct value){.kind = VALUE_STRING, .s = str_sub(s, 1, n + 1)};
}

/* What people of other languages write. */
static void
fail_character(struct lexer *l, char c)
{
	static const struct {
		char c;
		const char *say;
	} hints[] = {
		{'=', "unexpected '=': use '==' to compare"},
		{'&', "unexpected '&': use 'and'"},
		{'|', "unexpected '|': use 'or'"},
		{'!', "unexpected '!': use 'not'"},
		{'?', "unexpected '?': use 'a if condition else b'"},
		{'^', "unexpected '^': use '**' for powers"},
	};
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (hints[i].c == c) {
			fail_c(l, hints[i].say);
			return;
		}
	if (c > 32 && c < 127)
		fail(l, str_fmt(l->a, "unexpected '%c'", c));
	else
		fail_c(l, "unexpected character");
}

static void
lex_mark(struct lexer *l, struct str s)
{
	static const char *const marks[] = {"**", "//", "<=", ">=", "==", "!=", "+", "-",
		"*", "/", "%", "<", ">", "(", ")", "[", "]", ","};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(s, marks[i])) {
			l->t.kind = TOKEN_MARK;
			l->t.text = str_sub(s, 0, strlen(marks[i]));
			return;
		}
	fail_character(l, s.s[0]);
}

void
word_next(struct lexer *l)
{
	if (l->failed)
		return;
	struct str text = l->e->text;
	while (l->i < text.n && strchr(" \t\r\n", text.s[l->i] ? text.s[l->i] : 1))
		l->i++;
	l->start = l->i;
	l->t = (struct token){.kind = TOKEN_END};
	if (l->i == text.n)
		return;
	struct str s = str_sub(text, l->i, text.n);
	if (isdigit((unsigned char)s.s[0]))
		lex_number(l, s);
	else if (is_name_start(s.s[0]))
		lex_name(l, s);
	else if (s.s[0] == '\'' || s.s[0] == '"')
		lex_string(l, s);
	else
		lex_mark(l, s);
	l->i += l->t.text.n;
}

bool
word_is(const struct lexer *l, const char *word)
{
	return l->t.kind >= TOKEN_NAME && str_is(l->t.text, word);
}

bool
word_take(struct lexer *l, const char *word)
{
	if (!word_is(l, word))
		return false;
	word_next(l);
	return true;
}
