#include "ptx/lex.h"

#include <stdlib.h>

enum { WORD = 1, DIGIT = 2, SPACE = 4, HEX = 8 };

/* clang-format off */
static const unsigned char class_of[256] = {
	['\t'] = SPACE, ['\r'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, [' '] = SPACE,
	['0'] = WORD | DIGIT | HEX, ['1'] = WORD | DIGIT | HEX, ['2'] = WORD | DIGIT | HEX,
	['3'] = WORD | DIGIT | HEX, ['4'] = WORD | DIGIT | HEX, ['5'] = WORD | DIGIT | HEX,
	['6'] = WORD | DIGIT | HEX, ['7'] = WORD | DIGIT | HEX, ['8'] = WORD | DIGIT | HEX,
	['9'] = WORD | DIGIT | HEX,
	['a'] = WORD | HEX, ['b'] = WORD | HEX, ['c'] = WORD | HEX, ['d'] = WORD | HEX,
	['e'] = WORD | HEX, ['f'] = WORD | HEX, ['g'] = WORD, ['h'] = WORD, ['i'] = WORD,
	['j'] = WORD, ['k'] = WORD, ['l'] = WORD, ['m'] = WORD, ['n'] = WORD, ['o'] = WORD,
	['p'] = WORD, ['q'] = WORD, ['r'] = WORD, ['s'] = WORD, ['t'] = WORD, ['u'] = WORD,
	['v'] = WORD, ['w'] = WORD, ['x'] = WORD, ['y'] = WORD, ['z'] = WORD,
	['A'] = WORD | HEX, ['B'] = WORD | HEX, ['C'] = WORD | HEX, ['D'] = WORD | HEX,
	['E'] = WORD | HEX, ['F'] = WORD | HEX, ['G'] = WORD, ['H'] = WORD, ['I'] = WORD,
	['J'] = WORD, ['K'] = WORD, ['L'] = WORD, ['M'] = WORD, ['N'] = WORD, ['O'] = WORD,
	['P'] = WORD, ['Q'] = WORD, ['R'] = WORD, ['S'] = WORD, ['T'] = WORD, ['U'] = WORD,
	['V'] = WORD, ['W'] = WORD, ['X'] = WORD, ['Y'] = WORD, ['Z'] = WORD,
	['_'] = WORD, ['$'] = WORD, ['%'] = WORD,
};
/* clang-format on */

static inline unsigned
class_at(const struct lex *l, uint32_t i)
{
	return i < l->text.n ? class_of[(unsigned char)l->text.s[i]] : 0;
}

static inline char
char_at(const struct lex *l, uint32_t i)
{
	if (i < l->text.n)
		return l->text.s[i];
	return 0;
}

/* FNV-1a, 32 bits, finished: in-memory tables only. */
#define HASH_SEED   0x811c9dc5u
#define HASH_ADD    0x01000193u
#define HASH_END(h) ((h) ^ (h) >> 15)

uint32_t
lex_hash(struct str s)
{
	uint32_t h = HASH_SEED;
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.s[i]) * HASH_ADD;
	return HASH_END(h);
}

static void
bad(struct token *t, uint32_t at, const char *why)
{
	t->kind = TOK_BAD;
	t->at = at;
	t->why = why;
}

/* Skips blanks and comments; false at an unterminated comment (pos is its start). */
static bool
skip_blank(struct lex *l)
{
	const char *s = l->text.s;
	uint32_t n = (uint32_t)l->text.n, i = l->pos;
	for (;;) {
		while (i < n && class_of[(unsigned char)s[i]] & SPACE)
			i++;
		if (i < n && s[i] == '\n') {
			l->line++, i++;
		} else if (i + 1 < n && s[i] == '/' && s[i + 1] == '/') {
			const char *nl = memchr(s + i, '\n', n - i);
			i = nl ? (uint32_t)(nl - s) : n;
		} else if (i + 1 < n && s[i] == '/' && s[i + 1] == '*') {
			uint32_t from = i, line = l->line;
			for (i += 2; i + 1 < n && !(s[i] == '*' && s[i + 1] == '/'); i++)
				l->line += s[i] == '\n';
			if (i + 1 >= n) {
				l->pos = from, l->line = line;
				return false;
			}
			i += 2;
		} else {
			l->pos = i;
			return true;
		}
	}
}

static bool
glue_at(const struct lex *l, uint32_t i)
{
	char c = char_at(l, i);
	if (c == '.')
		return class_at(l, i + 1) & WORD;
	return c == ':' && char_at(l, i + 1) == ':' && class_at(l, i + 2) & WORD;
}

static void
read_word(struct lex *l, struct token *t)
{
	const char *s = l->text.s;
	uint32_t i = l->pos, h = HASH_SEED, from = i, stem = 0;
	for (;;) {
		for (; class_at(l, i) & WORD; i++)
			h = (h ^ (unsigned char)s[i]) * HASH_ADD;
		if (!glue_at(l, i))
			break;
		if (!stem)
			stem = i - from;
		uint32_t k = s[i] == ':' ? 2 : 1;
		for (; k; k--, i++)
			h = (h ^ (unsigned char)s[i]) * HASH_ADD;
	}
	t->kind = TOK_WORD;
	t->text = (struct str){s + from, i - from};
	t->stem = stem ? stem : i - from;
	t->hash = HASH_END(h);
	l->pos = i;
}

static void
read_dot(struct lex *l, struct token *t)
{
	uint32_t i = l->pos + 1, from = l->pos;
	while (class_at(l, i) & WORD || (char_at(l, i) == ':' && glue_at(l, i)))
		i += class_at(l, i) & WORD ? 1 : 2;
	t->kind = TOK_DOT;
	t->text = (struct str){l->text.s + from, i - from};
	t->hash = 0;
	l->pos = i;
}

/* Eight or sixteen hex digits after 0f or 0d. */
static void
read_float_bits(struct lex *l, struct token *t, uint32_t digits)
{
	uint32_t i = l->pos + 2;
	uint64_t v = 0;
	for (; class_at(l, i) & HEX; i++) {
		char c = l->text.s[i];
		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	if (i - l->pos - 2 != digits || class_at(l, i) & WORD) {
		bad(t, l->pos, "a hexadecimal float has 8 (0f) or 16 (0d) digits");
		return;
	}
	t->kind = digits == 8 ? TOK_F32 : TOK_F64;
	t->value = v;
	l->pos = i;
}

static void
read_decimal_float(struct lex *l, struct token *t)
{
	enum { LONGEST = 400 };
	char copy[LONGEST + 1];
	uint32_t i = l->pos;
	while (class_at(l, i) & DIGIT || char_at(l, i) == '.')
		i++;
	if ((char_at(l, i) | 32) == 'e') {
		uint32_t k = i + 1;
		if (char_at(l, k) == '+' || char_at(l, k) == '-')
			k++;
		if (class_at(l, k) & DIGIT)
			for (i = k; class_at(l, i) & DIGIT;)
				i++;
	}
	if (i - l->pos > LONGEST || class_at(l, i) & WORD) {
		bad(t, l->pos, "malformed number");
		return;
	}
	memcpy(copy, l->text.s + l->pos, i - l->pos);
	copy[i - l->pos] = 0;
	char *end;
	double v = strtod(copy, &end);
	if (end != copy + (i - l->pos)) {
		bad(t, l->pos, "malformed number");
		return;
	}
	t->kind = TOK_F64;
	memcpy(&t->value, &v, sizeof v);
	l->pos = i;
}

/* Digits of a base; false if there is none or one that is too large. */
static bool
read_digits(struct lex *l, struct token *t, uint32_t i, unsigned base)
{
	uint32_t from = i;
	uint64_t v = 0, top = UINT64_MAX / base;
	for (; class_at(l, i) & HEX; i++) {
		char c = l->text.s[i];
		unsigned d = (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
		if (d >= base)
			return false;
		t->big |= v > top || v * base > UINT64_MAX - d;
		v = v * base + d;
	}
	if (i == from)
		return false;
	if (char_at(l, i) == 'U' || char_at(l, i) == 'u')
		i++;
	if (class_at(l, i) & WORD)
		return false;
	t->kind = TOK_INT;
	t->value = v;
	l->pos = i;
	return true;
}

static bool
is_decimal_float(const struct lex *l)
{
	uint32_t i = l->pos;
	while (class_at(l, i) & DIGIT)
		i++;
	if (char_at(l, i) == '.')
		return class_at(l, i + 1) & DIGIT || !(class_at(l, i + 1) & WORD);
	if ((char_at(l, i) | 32) != 'e')
		return false;
	i++;
	if (char_at(l, i) == '+' || char_at(l, i) == '-')
		i++;
	return class_at(l, i) & DIGIT;
}

static void
read_number(struct lex *l, struct token *t)
{
	char c = char_at(l, l->pos), x = (char)(char_at(l, l->pos + 1) | 32);
	uint32_t after = l->pos + 2;
	bool ok;
	t->big = false;
	if (c == '0' && (x == 'f' || x == 'd')) {
		read_float_bits(l, t, x == 'f' ? 8 : 16);
		return;
	}
	if (c == '0' && x == 'x')
		ok = read_digits(l, t, after, 16);
	else if (c == '0' && x == 'b')
		ok = read_digits(l, t, after, 2);
	else if (is_decimal_float(l)) {
		read_decimal_float(l, t);
		return;
	} else
		ok = read_digits(l, t, l->pos, c == '0' ? 8 : 10);
	if (!ok)
		bad(t, l->pos, "malformed number");
}

static void
read_string(struct lex *l, struct token *t)
{
	uint32_t i = l->pos + 1, n = (uint32_t)l->text.n;
	const char *s = l->text.s;
	while (i < n && s[i] != '"' && s[i] != '\n')
		i += s[i] == '\\' && i + 1 < n && s[i + 1] != '\n' ? 2 : 1;
	if (i >= n || s[i] != '"') {
		bad(t, l->pos, "unterminated string");
		return;
	}
	t->kind = TOK_STR;
	t->text = (struct str){s + l->pos + 1, i - l->pos - 1};
	l->pos = i + 1;
}

void
lex_next(struct lex *l, struct token *t)
{
	l->end = l->pos;
	if (!skip_blank(l)) {
		bad(t, l->pos, "unterminated comment");
		t->line = l->line;
		return;
	}
	t->at = l->pos;
	t->line = l->line;
	if (l->pos >= l->text.n) {
		t->kind = TOK_END;
		return;
	}
	unsigned char c = (unsigned char)l->text.s[l->pos];
	unsigned k = class_of[c];
	if (k & DIGIT)
		read_number(l, t);
	else if (k & WORD)
		read_word(l, t);
	else if (c == '.' && class_at(l, l->pos + 1) & DIGIT)
		read_decimal_float(l, t);
	else if (c == '.' && class_at(l, l->pos + 1) & WORD)
		read_dot(l, t);
	else if (c == '"')
		read_string(l, t);
	else if (c > ' ' && c < 127) {
		t->kind = TOK_MARK;
		t->mark = (char)c;
		t->text = (struct str){l->text.s + l->pos, 1};
		l->pos++;
	} else
		bad(t, l->pos,
			c == 0 ? "a NUL byte: the file is damaged, or no text"
			: c > 127
				? "a byte that is not ASCII, outside a comment or string"
				: "stray byte");
}

struct str
lex_comment(const struct lex *l, uint32_t after)
{
	const char *s = l->text.s;
	uint32_t i = after, n = (uint32_t)l->text.n;
	while (class_at(l, i) & SPACE)
		i++;
	if (i + 1 >= n || s[i] != '/' || s[i + 1] != '/')
		return (struct str){0};
	const char *nl = memchr(s + i, '\n', n - i);
	uint32_t end = nl ? (uint32_t)(nl - s) : n;
	return str_trim(str_sub(l->text, i + 2, end));
}
