#include "apply/tuned_text.h"

#include "base/arena.h"

#include <ctype.h>
#include <stdio.h>

struct str
tuned_suffix(struct arena *a, struct str s, bool upper)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		bool plain = c < 128 && isalnum(c);
		if (!plain)
			buf_addc(&b, '_');
		else
			buf_addc(&b, (char)(upper ? toupper(c) : c));
	}
	return buf_str(&b);
}

struct str
tuned_identifier(struct arena *a, struct str s, bool upper)
{
	struct str name = tuned_suffix(a, s, upper);

	if (!name.n || isdigit((unsigned char)name.s[0]))
		return str_fmt(a, "_%.*s", STR_ARG(name));
	return name;
}

void
tuned_add_literal(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f || c == '?')
			buf_addf(b, "\\%03o", c);
		else
			buf_addc(b, (char)c);
	}
	buf_addc(b, '"');
}

/* What was written as a real stays one: 1.0 is no 1 to a compiler. */
static void
add_real(struct buf *b, double v)
{
	char text[40];
	int n = 0;

	for (int digits = 1; digits <= 17; digits++) {
		double back;
		n = snprintf(text, sizeof text, "%.*g", digits, v);
		if (str_to_f64((struct str){text, (size_t)n}, &back) && !(back < v) &&
			!(back > v))
			break;
	}
	buf_add(b, text, (size_t)n);
	if (!strpbrk(text, ".e"))
		buf_adds(b, ".0");
}

void
tuned_add_value(struct buf *b, const struct json *v)
{
	int64_t whole;

	if (!v)
		buf_addc(b, '0');
	else if (v->kind == JSON_STRING)
		tuned_add_literal(b, v->string);
	else if (v->kind == JSON_BOOL)
		buf_addc(b, v->boolean ? '1' : '0');
	else if (!v->real && json_is_i64(v, &whole))
		buf_addf(b, "%lld", (long long)whole);
	else
		add_real(b, v->number);
}

/* A backslash before a line's end would join two, and a trigraph can be one.  Neither is
 * replaced by what could end a comment together with what was before. */
void
tuned_add_comment(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		if (c < 0x20 || c == 0x7f)
			buf_addc(b, ' ');
		else
			buf_addc(b, c == '\\' ? '|' : s.s[i]);
		if (i + 1 < s.n && ((c == '*' && s.s[i + 1] == '/') ||
					   (c == '/' && s.s[i + 1] == '*') ||
					   (c == '?' && s.s[i + 1] == '?')))
			buf_addc(b, ' ');
	}
}

void
tuned_comment_line(struct buf *b, struct str s)
{
	buf_adds(b, " * ");
	tuned_add_comment(b, s);
	buf_addc(b, '\n');
}
