#include "search/recorded_parts.h"

#include "base/arena.h"
#include "base/buf.h"

enum { DEEP_MAX = 64, ENTRIES = 2 };

struct mend {
	char *s;
	size_t n, at;
	char open[DEEP_MAX]; /* the brackets that close what is open */
	size_t depth;
	size_t whole; /* up to here, elements of an open container are whole, and */
	char whole_open[DEEP_MAX]; /* these brackets close them */
	size_t whole_depth;
};

/* Past a string; false if it does not end. */
static bool
skip_string(struct mend *m)
{
	for (m->at++; m->at < m->n; m->at++) {
		if (m->s[m->at] == '\\')
			m->at++;
		else if (m->s[m->at] == '"') {
			m->at++;
			return true;
		}
	}
	return false;
}

/* Entries of a cache, and results of T4, are two deep: less than one is not kept. */
static void
remember(struct mend *m)
{
	if (m->depth > ENTRIES)
		return;
	m->whole = m->at;
	m->whole_depth = m->depth;
	memcpy(m->whole_open, m->open, m->depth);
}

/* Words that Python writes for numbers that JSON does not have. */
static bool
blank_word(struct mend *m)
{
	static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (m->n - m->at < n || memcmp(m->s + m->at, words[i], n) != 0)
			continue;
		memset(m->s + m->at, ' ', n);
		memcpy(m->s + m->at, "\"\"", 2);
		m->at += n;
		return true;
	}
	return false;
}

/* Finds what is open at the end; false if that is a matter for the parser. */
static bool
scan(struct mend *m)
{
	while (m->at < m->n) {
		char c = m->s[m->at];
		if (c == '"' && !skip_string(m))
			return true;
		if (c == '"' || blank_word(m))
			continue;
		if (c == '{' || c == '[') {
			if (m->depth == DEEP_MAX)
				return false;
			m->open[m->depth++] = c == '{' ? '}' : ']';
			m->at++;
			remember(m);
			continue;
		}
		if (c == ',')
			remember(m);
		m->at++;
		if (c == '}' || c == ']') {
			if (!m->depth || m->open[--m->depth] != c)
				return false;
			remember(m);
		}
	}
	return true;
}

struct str
json_mend(struct arena *a, struct str text)
{
	struct mend m = {.s = arena_copy(a, text.s, text.n), .n = text.n};
	struct buf b = {.a = a};
	if (!scan(&m) || !m.depth)
		return (struct str){m.s, m.n};
	buf_add(&b, m.s, m.whole);
	while (m.whole_depth)
		buf_addc(&b, m.whole_open[--m.whole_depth]);
	return buf_str(&b);
}
