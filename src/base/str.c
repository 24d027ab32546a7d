#include "base/str.h"

#include "base/arena.h"
#include "base/die.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int
str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.s, b.s, n) : 0;
	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

bool
str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);
	return n == 0 || (a.n >= n && memcmp(a.s, prefix, n) == 0);
}

bool
str_ends(struct str a, const char *suffix)
{
	size_t n = strlen(suffix);
	return n == 0 || (a.n >= n && memcmp(a.s + a.n - n, suffix, n) == 0);
}

size_t
str_find(struct str a, char c)
{
	const char *p = a.n ? memchr(a.s, c, a.n) : NULL;
	return p ? (size_t)(p - a.s) : a.n;
}

size_t
str_find_text(struct str a, struct str needle)
{
	for (size_t i = 0; i + needle.n <= a.n; i++)
		if (needle.n == 0 || memcmp(a.s + i, needle.s, needle.n) == 0)
			return i;
	return a.n;
}

bool
str_has(struct str a, struct str needle)
{
	return needle.n == 0 || str_find_text(a, needle) < a.n;
}

struct str
str_trim(struct str a)
{
	while (a.n && isspace((unsigned char)a.s[0]))
		a.s++, a.n--;
	while (a.n && isspace((unsigned char)a.s[a.n - 1]))
		a.n--;
	return a;
}

struct str
str_after_bom(struct str a)
{
	return str_starts(a, "\xef\xbb\xbf") ? (struct str){a.s + 3, a.n - 3} : a;
}

size_t
str_utf8_length(struct str s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (!s.n)
		return 0;
	unsigned char c = (unsigned char)s.s[0];
	if (c < 0x80)
		return 1;
	size_t n = c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
	if (!n || c >= 0xf8 || n > s.n)
		return 0;
	uint32_t u = c & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s.s[i] & 0xc0) != 0x80)
			return 0;
		u = u << 6 | ((unsigned char)s.s[i] & 0x3f);
	}
	return u < least[n] || u > 0x10ffff || (u >= 0xd800 && u < 0xe000) ? 0 : n;
}

size_t
str_boundary(struct str s, size_t at)
{
	if (at >= s.n)
		return s.n;
	while (at > 0 && ((unsigned char)s.s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* U+2028 to U+202E and U+2066 to U+2069: line and paragraph separators, and what embeds,
 * overrides and isolates a direction. */
static bool
reorders(struct str s)
{
	return (str_starts(s, "\xe2\x80") && (unsigned char)s.s[2] >= 0xa8 &&
		       (unsigned char)s.s[2] <= 0xae) ||
	       (str_starts(s, "\xe2\x81") && (unsigned char)s.s[2] >= 0xa6 &&
		       (unsigned char)s.s[2] <= 0xa9);
}

size_t
str_shown_length(struct str s)
{
	size_t n = str_utf8_length(s);
	unsigned char c = n ? (unsigned char)s.s[0] : 0,
		      next = n > 1 ? (unsigned char)s.s[1] : 0;
	if (n == 3 && reorders(s))
		return 0;
	return c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0) ? 0 : n;
}

size_t
str_identifier_length(struct str s)
{
	size_t n = 0;
	if (s.n && isdigit((unsigned char)s.s[0]))
		return 0;
	while (n < s.n && (isalnum((unsigned char)s.s[n]) || s.s[n] == '_'))
		n++;
	return n;
}

bool
str_is_identifier(struct str a)
{
	return a.n && str_identifier_length(a) == a.n;
}

bool
str_has_control(struct str a)
{
	for (size_t i = 0; i < a.n; i++)
		if ((unsigned char)a.s[i] < 0x20 || a.s[i] == 0x7f)
			return true;
	return false;
}

struct str
str_sub(struct str a, size_t from, size_t to)
{
	if (to > a.n)
		to = a.n;
	if (from > to)
		from = to;
	return (struct str){a.s + from, to - from};
}

bool
str_split(struct str *rest, char sep, struct str *piece)
{
	if (rest->n == 0)
		return false;
	size_t i = str_find(*rest, sep);
	*piece = str_sub(*rest, 0, i);
	*rest = str_sub(*rest, i + 1, rest->n);
	return true;
}

bool
str_line(struct str *rest, struct str *line)
{
	if (!str_split(rest, '\n', line))
		return false;
	if (line->n && line->s[line->n - 1] == '\r')
		line->n--;
	return true;
}

const char *
str_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

char *
str_c(struct arena *a, struct str s)
{
	return arena_copy(a, s.s, s.n);
}

struct str
str_dup(struct arena *a, struct str s)
{
	return (struct str){arena_copy(a, s.s, s.n), s.n};
}

struct str
str_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("cannot format '%s'", fmt);
	char *p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct str){p, (size_t)n};
}

bool
str_to_u64(struct str s, uint64_t *out)
{
	unsigned base = 10;
	if (s.n > 2 && s.s[0] == '0' && (s.s[1] == 'x' || s.s[1] == 'X')) {
		base = 16;
		s = str_sub(s, 2, s.n);
	}
	if (s.n == 0)
		return false;
	uint64_t v = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		unsigned d = isdigit(c)    ? c - (unsigned)'0'
			     : isxdigit(c) ? (unsigned)tolower(c) - 'a' + 10
					   : 99;
		if (d >= base || v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*out = v;
	return true;
}

bool
str_to_i64(struct str s, int64_t *out)
{
	bool neg = s.n && s.s[0] == '-';
	if (s.n && (s.s[0] == '-' || s.s[0] == '+'))
		s = str_sub(s, 1, s.n);
	uint64_t v;
	if (!str_to_u64(s, &v) || v > (uint64_t)INT64_MAX + neg)
		return false;
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool
str_to_f64(struct str s, double *out)
{
	char tmp[64];
	if (s.n == 0 || s.n >= sizeof tmp || isspace((unsigned char)s.s[0]))
		return false;
	memcpy(tmp, s.s, s.n);
	tmp[s.n] = 0;
	char *end;
	errno = 0;
	double v = strtod(tmp, &end);
	if (end != tmp + s.n || !isfinite(v))
		return false;
	*out = v;
	return true;
}

size_t
str_distance(struct str a, struct str b, size_t limit)
{
	enum { MAX = 63 };
	if (a.n > MAX || b.n > MAX)
		return limit + 1;
	size_t row[MAX + 1];
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diag = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			int ca = tolower((unsigned char)a.s[i - 1]);
			int cb = tolower((unsigned char)b.s[j - 1]);
			size_t best = diag + (ca != cb);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diag = row[j];
			row[j] = best;
		}
	}
	return row[b.n] > limit ? limit + 1 : row[b.n];
}

struct str
str_nearest(struct str word, const struct str *choices, size_t n)
{
	/* A third of the word may be wrong; more than that is a guess, not a hint. */
	size_t limit = word.n < 3 ? 1 : word.n / 3 + 1;
	struct str best = {0};
	for (size_t i = 0; i < n; i++) {
		size_t d = str_distance(word, choices[i], limit);
		if (d <= limit) {
			best = choices[i];
			if (d == 0)
				break;
			limit = d - 1;
		}
	}
	return best;
}
