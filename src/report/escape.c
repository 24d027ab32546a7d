#include "report/escape.h"

#include <string.h>

static const char UNKNOWN[] = "\357\277\275"; /* U+FFFD */

/* Length of the next character of s, 0 if it is none that may be shown. */
static size_t
shown(struct str s)
{
	unsigned char c = (unsigned char)s.s[0];

	if (c == '\n' || c == '\t' || c == '\r')
		return 1;
	return str_shown_length(s);
}

/* ---- XML ---- */

/* U+FFFE and U+FFFF are UTF-8, but no XML. */
static bool
is_noncharacter(struct str s)
{
	return str_starts(s, "\357\277\276") || str_starts(s, "\357\277\277");
}

static void
xml(struct buf *b, struct str s, const char *special)
{
	for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
		struct str rest = str_sub(s, i, s.n);
		char c = s.s[i];

		n = shown(rest);
		if (!n || is_noncharacter(rest))
			buf_adds(b, UNKNOWN);
		else if (strchr(special, c))
			buf_addf(b, "&#%d;", c);
		else
			buf_add(b, rest.s, n);
	}
}

void
xml_text(struct buf *b, struct str s)
{
	xml(b, s, "&<>\"'\r");
}

void
xml_attribute(struct buf *b, struct str s)
{
	xml(b, s, "&<>\"'\r\n\t");
}

/* ---- Markdown ---- */

void
markdown_text(struct buf *b, struct str s)
{
	static const char marks[] = "\\`*_{}[]<>#|~!&@$^\"'";

	for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
		struct str rest = str_sub(s, i, s.n);
		char c = s.s[i];

		n = shown(rest);
		if (!n)
			buf_adds(b, UNKNOWN);
		else if (c == '\n' || c == '\t' || c == '\r')
			buf_addc(b, ' ');
		else if (strchr(marks, c))
			buf_addf(b, "&#%d;", c);
		else if (c == ':' && str_starts(rest, "://"))
			buf_adds(b, "&#58;");
		else if (c == '.' && i >= 3 && strncmp(s.s + i - 3, "www", 3) == 0)
			buf_adds(b, "&#46;");
		else
			buf_add(b, rest.s, n);
	}
}

/* Does it stay one word of code between backticks, in a table too? */
static bool
is_plain_code(struct str s)
{
	for (size_t i = 0, n; i < s.n; i += n) {
		n = str_shown_length(str_sub(s, i, s.n));
		if (!n || s.s[i] == '`' || s.s[i] == '|' || s.s[i] == '\\')
			return false;
	}
	return s.n > 0 && s.s[0] != ' ' && s.s[s.n - 1] != ' ';
}

void
markdown_code(struct buf *b, struct str s)
{
	if (is_plain_code(s)) {
		buf_addf(b, "`%.*s`", STR_ARG(s));
		return;
	}
	buf_adds(b, "<code>");
	markdown_text(b, s);
	buf_adds(b, "</code>");
}

static size_t
longest_run(struct str s, char c)
{
	size_t most = 0, now = 0;

	for (size_t i = 0; i < s.n; i++) {
		now = s.s[i] == c ? now + 1 : 0;
		most = now > most ? now : most;
	}
	return most;
}

void
markdown_block(struct buf *b, struct str lines)
{
	size_t fence = longest_run(lines, '`') + 1;

	fence = fence < 3 ? 3 : fence;
	buf_pad(b, '`', fence);
	buf_adds(b, "text\n");
	for (size_t i = 0, n; i < lines.n; i += n ? n : 1) {
		struct str rest = str_sub(lines, i, lines.n);

		n = shown(rest);
		if (!n || rest.s[0] == '\r')
			buf_adds(b, UNKNOWN);
		else
			buf_add(b, rest.s, n);
	}
	if (lines.n && lines.s[lines.n - 1] != '\n')
		buf_addc(b, '\n');
	buf_pad(b, '`', fence);
	buf_addc(b, '\n');
}

/* ---- workflow commands ---- */

static void
workflow(struct buf *b, struct str s, const char *special)
{
	for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
		struct str rest = str_sub(s, i, s.n);

		n = shown(rest);
		if (!n)
			buf_adds(b, UNKNOWN);
		else if (strchr(special, rest.s[0]))
			buf_addf(b, "%%%02X", (unsigned)(unsigned char)rest.s[0]);
		else
			buf_add(b, rest.s, n);
	}
}

void
workflow_message(struct buf *b, struct str s)
{
	workflow(b, s, "%\r\n");
}

void
workflow_property(struct buf *b, struct str s)
{
	workflow(b, s, "%\r\n:,");
}
