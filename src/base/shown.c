#include "base/shown.h"

/* One piece of the text: bytes of it as they are, or one byte written out. */
struct piece {
	size_t n;     /* bytes of the text */
	char text[8]; /* what to show for them; empty: themselves */
};

static bool
is_command(struct str s)
{
	size_t i = 2;

	if (!str_starts(s, "##"))
		return false;
	while (i < s.n && s.s[i] >= 'a' && s.s[i] <= 'z')
		i++;
	return i < s.n && s.s[i] == '[';
}

static struct piece
written(char c, bool lines)
{
	static const char digits[] = "0123456789abcdef";
	struct piece p = {.n = 1};

	if (lines && (c == '\n' || c == '\t'))
		return p;
	p.text[0] = '\\';
	p.text[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : 'x';
	if (p.text[1] == 'x') {
		p.text[2] = digits[(unsigned char)c >> 4];
		p.text[3] = digits[(unsigned char)c & 0xf];
	}
	return p;
}

/* *begins: nothing but blanks came before on this line.  A service may count any space of
 * Unicode as blank, so whatever is not ASCII is taken for one. */
static struct piece
next(struct str s, bool lines, bool *begins)
{
	size_t n = str_shown_length(s);
	char c = s.s[0];
	bool at_start = *begins;

	*begins = (at_start && (c == ' ' || c == '\t' || n > 1)) || (lines && c == '\n');
	if (!n || (at_start && str_starts(s, "::")) || is_command(s))
		return written(c, lines);
	return (struct piece){.n = n};
}

static void
add(struct buf *b, struct str s, bool lines)
{
	bool begins = true;

	while (s.n) {
		struct piece p = next(s, lines, &begins);
		if (p.text[0])
			buf_adds(b, p.text);
		else
			buf_add(b, s.s, p.n);
		s = str_sub(s, p.n, s.n);
	}
}

static void
print(FILE *to, struct str s, bool lines)
{
	bool begins = true;

	while (s.n) {
		struct piece p = next(s, lines, &begins);
		if (p.text[0])
			fputs(p.text, to);
		else
			fwrite(s.s, 1, p.n, to);
		s = str_sub(s, p.n, s.n);
	}
}

void
shown_add(struct buf *b, struct str s)
{
	add(b, s, false);
}

void
shown_add_lines(struct buf *b, struct str s)
{
	add(b, s, true);
}

struct str
shown_text(struct arena *a, struct str s)
{
	struct buf b = {.a = a};

	add(&b, s, false);
	return buf_str(&b);
}

const char *
shown_c(struct arena *a, struct str s)
{
	struct buf b = {.a = a};

	add(&b, s, false);
	return buf_c(&b);
}

void
shown_print(FILE *to, struct str s)
{
	print(to, s, false);
}

void
shown_print_lines(FILE *to, struct str s)
{
	print(to, s, true);
}

void
shown_print_blank(FILE *to, struct str s)
{
	bool begins = true;

	while (s.n) {
		struct piece p = next(s, true, &begins);
		fprintf(to, "%*s", p.text[0] ? (int)strlen(p.text) : 1,
			s.s[0] == '\t' ? "\t" : "");
		s = str_sub(s, p.n, s.n);
	}
}
