#include "format/json_text.h"

#include "base/arena.h"

#include <ctype.h>

/* What may come next. */
enum want { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, NOTHING };

struct scan {
	const struct source *src;
	char *s; /* the copy; s[n] is NUL */
	size_t n, i;
	struct diag *d;
	size_t open[JSON_DEPTH_MAX]; /* offsets of the open brackets */
	size_t depth;
	enum want want;
	size_t comma; /* offset of the last comma */
};

static bool
fail(struct scan *c, size_t offset, const char *message)
{
	diag_error(c->d, source_place(c->src, offset), "%s", message);
	return false;
}

static void
blank(struct scan *c, size_t to)
{
	for (; c->i < to; c->i++)
		if (c->s[c->i] != '\n')
			c->s[c->i] = ' ';
}

static bool
scan_comment(struct scan *c)
{
	size_t start = c->i, j = start + 2;
	if (c->s[start + 1] == '/') {
		while (j < c->n && c->s[j] != '\n')
			j++;
		blank(c, j);
		return true;
	}
	if (c->s[start + 1] != '*')
		return fail(c, start, "unexpected '/': comments start with // or /*");
	while (j + 1 < c->n && !(c->s[j] == '*' && c->s[j + 1] == '/'))
		j++;
	if (j + 1 >= c->n)
		return fail(c, start, "this comment is never closed: add */");
	blank(c, j + 2);
	return true;
}

static bool
scan_escape(struct scan *c)
{
	const char *e = c->s + c->i + 1;
	if (*e && strchr("\"\\/bfnrt", *e)) {
		c->i += 2;
		return true;
	}
	if (*e != 'u')
		return fail(c, c->i, "bad escape: a backslash is written \\\\");
	for (int k = 1; k <= 4; k++)
		if (!isxdigit((unsigned char)e[k]))
			return fail(c, c->i, "bad escape: \\u takes four hex digits");
	if (memcmp(e + 1, "0000", 4) == 0)
		return fail(c, c->i, "a string may not hold a NUL character");
	c->i += 6;
	return true;
}

static bool
scan_string(struct scan *c)
{
	size_t start = c->i++;
	while (c->i < c->n && c->s[c->i] != '"') {
		unsigned char ch = (unsigned char)c->s[c->i];
		if (ch >= 0x20 && ch < 0x80 && ch != '\\') {
			c->i++;
			continue;
		}
		if (ch == '\n')
			return fail(c, start, "this string is never closed: add '\"'");
		if (ch < 0x20)
			return fail(c, c->i, "control character in a string: escape it");
		size_t n = str_utf8_length((struct str){c->s + c->i, c->n - c->i});
		if (!n)
			return fail(c, c->i, "not UTF-8: save the file as UTF-8");
		if (ch != '\\')
			c->i += n;
		else if (!scan_escape(c))
			return false;
	}
	if (c->i >= c->n)
		return fail(c, start, "this string is never closed: add '\"'");
	c->i++;
	return true;
}

static size_t
digits(const char *s, size_t i)
{
	while (isdigit((unsigned char)s[i]))
		i++;
	return i;
}

/* RFC 8259, section 6. */
static bool
scan_number(struct scan *c)
{
	const char *s = c->s;
	size_t start = c->i, i = start + (s[start] == '-');
	size_t whole = i;
	i = digits(s, i);
	if (i == whole)
		return fail(c, start, "a digit is missing after '-'");
	if (i - whole > 1 && s[whole] == '0')
		return fail(c, start, "a number may not start with 0");
	if (s[i] == '.') {
		size_t from = i + 1;
		if ((i = digits(s, from)) == from)
			return fail(c, start, "a digit is missing after '.'");
	}
	bool exponent = s[i] == 'e' || s[i] == 'E';
	if (exponent) {
		size_t from = i + 1 + (s[i + 1] == '-' || s[i + 1] == '+');
		if ((i = digits(s, from)) == from)
			return fail(c, start, "a digit is missing in the exponent");
	}
	if (isalnum((unsigned char)s[i]) || s[i] == '.' || s[i] == '_')
		return fail(c, start, "not a number: text belongs in double quotes");
	if (i - start > JSON_NUMBER_MAX)
		return fail(c, start, "this number is too long");
	double v; /* that few digits alone are never too large */
	if (exponent && !str_to_f64((struct str){s + start, i - start}, &v))
		return fail(c, start, "this number is too large");
	c->i = i;
	return true;
}

static bool
in_object(const struct scan *c)
{
	return c->depth && c->s[c->open[c->depth - 1]] == '{';
}

static void
value_ends(struct scan *c)
{
	c->want = c->depth ? COMMA_OR_END : NOTHING;
}

static bool
wants_value(const struct scan *c)
{
	return c->want == VALUE || c->want == VALUE_OR_END;
}

static bool
fail_value(struct scan *c)
{
	static const char *const say[] = {
		[KEY] = "a key in double quotes belongs here",
		[KEY_OR_END] = "a key in double quotes belongs here",
		[COLON] = "a ':' is missing before this",
		[COMMA_OR_END] = "a ',' is missing before this",
		[NOTHING] = "the text goes on after its end: remove this",
	};
	return fail(c, c->i, say[c->want]);
}

static bool
open_bracket(struct scan *c)
{
	if (!wants_value(c))
		return fail_value(c);
	if (c->depth == JSON_DEPTH_MAX)
		return fail(c, c->i, "nested too deeply (at most 200 levels)");
	c->want = c->s[c->i] == '{' ? KEY_OR_END : VALUE_OR_END;
	c->open[c->depth++] = c->i++;
	return true;
}

static bool
close_bracket(struct scan *c)
{
	char ch = c->s[c->i];
	if (c->depth == 0)
		return fail(c, c->i, "this bracket closes nothing: remove it");
	if ((ch == '}') != in_object(c)) {
		size_t at = c->open[c->depth - 1];
		diag_error(c->d, source_place(c->src, c->i), "'%c' closes a '%c'", ch,
			c->s[at]);
		diag_note(c->d, source_place(c->src, at), "the '%c' is opened here",
			c->s[at]);
		return false;
	}
	bool ends = c->want == COMMA_OR_END || c->want == KEY_OR_END ||
		    c->want == VALUE_OR_END;
	if (!ends && c->comma > c->open[c->depth - 1] && c->want != COLON &&
		!(c->want == VALUE && ch == '}')) {
		diag_error(c->d, source_place(c->src, c->comma),
			"trailing comma: remove it before '%c'", ch);
		return false;
	}
	if (!ends) {
		diag_error(c->d, source_place(c->src, c->i),
			"a value is missing before this '%c'", ch);
		return false;
	}
	c->depth--;
	c->i++;
	value_ends(c);
	return true;
}

static bool
scan_mark(struct scan *c)
{
	if (c->s[c->i] == ':') {
		if (c->want != COLON)
			return fail(
				c, c->i, "unexpected ':': a key is a string before it");
		c->want = VALUE;
	} else {
		if (c->want != COMMA_OR_END)
			return fail(c, c->i, "a value is missing before this ','");
		c->want = in_object(c) ? KEY : VALUE;
		c->comma = c->i;
	}
	c->i++;
	return true;
}

static bool
fail_word(struct scan *c, struct str word)
{
	static const struct str words[] = {{"true", 4}, {"false", 5}, {"null", 4}};
	struct place at = source_place(c->src, c->i);
	struct str near = str_nearest(word, words, 3);
	if (!wants_value(c))
		return fail_value(c);
	if (near.n)
		diag_error(c->d, at, "unknown word '%.*s' (did you mean '%.*s'?)",
			STR_ARG(word), STR_ARG(near));
	else
		diag_error(c->d, at, "unknown word '%.*s': text belongs in double quotes",
			STR_ARG(word));
	return false;
}

static bool
scan_word(struct scan *c)
{
	size_t to = c->i;
	while (isalnum((unsigned char)c->s[to]) || c->s[to] == '_')
		to++;
	struct str word = {c->s + c->i, to - c->i};
	if (!wants_value(c) || (!str_is(word, "true") && !str_is(word, "false") &&
				       !str_is(word, "null")))
		return fail_word(c, word);
	c->i = to;
	value_ends(c);
	return true;
}

static bool
scan_text(struct scan *c)
{
	bool key = c->want == KEY || c->want == KEY_OR_END;
	if (!key && !wants_value(c))
		return fail_value(c);
	if (!scan_string(c))
		return false;
	if (key)
		c->want = COLON;
	else
		value_ends(c);
	return true;
}

static bool
fail_character(struct scan *c, unsigned char ch)
{
	struct place at = source_place(c->src, c->i);
	if (ch == '\'')
		diag_error(c->d, at, "unexpected \"'\": strings take double quotes");
	else if (ch < 0x20)
		diag_error(c->d, at, "control character: is this a text file?");
	else if (ch >= 0x7f)
		diag_error(
			c->d, at, "unexpected character: text belongs in double quotes");
	else
		diag_error(c->d, at, "unexpected '%c'", ch);
	return false;
}

/* Most of a file that is indented. */
static void
scan_spaces(struct scan *c)
{
	size_t i = c->i;
	while (c->s[i] == ' ')
		i++;
	c->i = i;
}

static bool
scan_one(struct scan *c)
{
	unsigned char ch = (unsigned char)c->s[c->i];
	switch (ch) {
	case ' ': scan_spaces(c); return true;
	case '\t':
	case '\n':
	case '\r': c->i++; return true;
	case '"': return scan_text(c);
	case '/': return scan_comment(c);
	case '{':
	case '[': return open_bracket(c);
	case '}':
	case ']': return close_bracket(c);
	case ':':
	case ',': return scan_mark(c);
	default: break;
	}
	if (isalpha(ch) || ch == '_')
		return scan_word(c);
	if (ch != '-' && !isdigit(ch))
		return fail_character(c, ch);
	if (!wants_value(c))
		return fail_value(c);
	if (!scan_number(c))
		return false;
	value_ends(c);
	return true;
}

bool
json_text_clean(
	struct arena *a, const struct source *src, struct str *out, struct diag *d)
{
	struct scan c = {.src = src, .n = src->text.n, .d = d};
	c.s = arena_copy(a, src->text.s, src->text.n);
	if (c.n >= 3 && memcmp(c.s, "\xef\xbb\xbf", 3) == 0)
		blank(&c, 3);
	while (c.i < c.n)
		if (!scan_one(&c))
			return false;
	if (c.depth) {
		size_t at = c.open[c.depth - 1];
		diag_error(
			d, source_place(src, at), "this '%c' is never closed", c.s[at]);
		return false;
	}
	if (c.want != NOTHING) {
		diag_error(d, (struct place){.src = src}, "the file is empty");
		return false;
	}
	*out = (struct str){c.s, c.n};
	return true;
}
