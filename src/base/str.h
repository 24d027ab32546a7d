/*
 * A string slice: bytes with a length, not NUL-terminated, not owned.
 * Anything parsed is a slice into the file text, which lives for the run.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
	const char *s; /* may be NULL only if n is 0 */
	size_t n;      /* bytes */
};

#define STR_LIT(lit) \
	(struct str) \
	{ \
		"" lit, sizeof(lit) - 1 \
	}
/* printf("%.*s", STR_ARG(x)) */
#define STR_ARG(x) (int)(x).n, (x).s ? (x).s : ""

static inline struct str
str_of(const char *c)
{
	return (struct str){c, c ? strlen(c) : 0};
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static inline bool
str_is(struct str a, const char *c)
{
	return str_eq(a, str_of(c));
}

/* Byte order, as memcmp; a shorter prefix sorts first. */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str a, const char *prefix);
bool str_ends(struct str a, const char *suffix);
/* Index of the first `c`, or a.n. */
size_t str_find(struct str a, char c);
/* Index of the first `needle`, or a.n. */
size_t str_find_text(struct str a, struct str needle);
/* True if `needle` occurs in `a`. */
bool str_has(struct str a, struct str needle);
struct str str_trim(struct str a);
/* Without the byte order mark that some editors put before UTF-8 text. */
struct str str_after_bom(struct str a);
/* Length in bytes of the UTF-8 sequence that s starts with, 0 if it is not one. */
size_t str_utf8_length(struct str s);
/* Where a character of UTF-8 begins, at `at` or before it; s.n at most. */
size_t str_boundary(struct str s, size_t at);
/* As str_utf8_length(), and 0 for a control character, which a terminal may obey, and for
 * one that breaks the line or reorders it. */
size_t str_shown_length(struct str s);
/* Length in bytes of the identifier of C that s starts with, 0 if it is not one. */
size_t str_identifier_length(struct str s);
/* True if `a` is one, and nothing else. */
bool str_is_identifier(struct str a);
/* True if an ASCII control character (line ends too) is in it. */
bool str_has_control(struct str a);
/* Bytes [from, to) of a, clamped to its length. */
struct str str_sub(struct str a, size_t from, size_t to);
/* Cuts the text before the first `sep` off *rest and returns it; false when *rest is
 * exhausted (a final empty piece after a trailing separator is not returned). */
bool str_split(struct str *rest, char sep, struct str *piece);
/* The next line of *rest without its newline; false at the end. */
bool str_line(struct str *rest, struct str *line);

/* The "s" after a number of things: "" after 1. */
const char *str_plural(uint64_t n);

/* NUL-terminated copy. */
char *str_c(struct arena *a, struct str s);
/* Copy. */
struct str str_dup(struct arena *a, struct str s);
/* printf into the arena. */
struct str str_fmt(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Whole-string numbers; false if malformed or out of range.  Integers may begin with 0x,
 * that of i64 with a sign before it; f64 takes what strtod takes, finite only. */
bool str_to_i64(struct str s, int64_t *out);
bool str_to_u64(struct str s, uint64_t *out);
bool str_to_f64(struct str s, double *out);

/* Edit distance (Levenshtein), capped at `limit` + 1. */
size_t str_distance(struct str a, struct str b, size_t limit);
/* The nearest of n candidates, or {NULL, 0} when none is near enough to suggest. */
struct str str_nearest(struct str word, const struct str *choices, size_t n);

#endif
