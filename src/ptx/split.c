#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "ptx/lines.h"
#include "ptx/loctab.h"

#include <inttypes.h>

struct entry {
	uint32_t ptx_line;
	uint32_t loc; /* 0: unknown from here on */
};

struct splitter {
	struct arena *a;
	struct buf ptx;
	struct loctab locs;
	struct str prefix;
	struct map labels; /* debug labels that kept text names */
	uint32_t line;     /* lines written */
	uint32_t depth;    /* of braces, in kept text */
	uint32_t loc;      /* current */
	uint32_t noted;    /* loc of the last entry */
	struct entry *entries;
	size_t n_entries, cap_entries;
	struct map files; /* names in the map, by number - 1 */
};

static bool
is_directive(struct str line, const char *word)
{
	size_t n = strlen(word);
	return str_starts(line, word) &&
	       (line.n == n || line.s[n] == ' ' || line.s[n] == '\t');
}

/* Braces of a line outside of strings and comments. */
static void
count_braces(struct str line, uint32_t *open, uint32_t *close)
{
	bool quoted = false;
	*open = *close = 0;
	for (size_t i = 0; i < line.n; i++) {
		char c = line.s[i];
		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && quoted)
			i++;
		else if (!quoted && c == '/' && i + 1 < line.n && line.s[i + 1] == '/')
			return;
		else if (!quoted && c == '{')
			++*open;
		else if (!quoted && c == '}')
			++*close;
	}
}

/* Labels that exist for debuggers only: $L__tmp3: $L__func_begin0: .Lfunc_end0: */
static bool
debug_label(struct str line, struct str *name)
{
	static const char *const stems[] = {"$L__tmp", "$L__func_begin", "$L__func_end",
		"$L__debug", ".Ltmp", ".Lfunc_begin", ".Lfunc_end"};
	for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++)
		if (str_starts(line, stems[i])) {
			size_t n = 0;
			while (n < line.n && line.s[n] != ':' && line.s[n] != ',' &&
				line.s[n] != ';' && line.s[n] != ' ' && line.s[n] != '\t')
				n++;
			*name = str_sub(line, 0, n);
			return true;
		}
	return false;
}

static bool
is_debug_label_line(const struct splitter *s, struct str line)
{
	struct str name;
	if (!debug_label(line, &name) || map_find(&s->labels, name) != MAP_NONE)
		return false;
	struct str rest = str_trim(str_sub(line, name.n, line.n));
	return str_starts(rest, ":") &&
	       (rest.n == 1 || str_starts(str_trim(str_sub(rest, 1, rest.n)), "//"));
}

/* A branch to a label that looks like a debugger's keeps it. */
static void
note_uses(struct splitter *s, struct str line)
{
	for (size_t i = 1; i < line.n; i++) {
		struct str name;
		if (line.s[i] != '$' && line.s[i] != '.')
			continue;
		if (debug_label(str_sub(line, i, line.n), &name))
			map_put(&s->labels, name, NULL);
	}
}

/* Skips a .section: up to the brace that closes it. */
static void
skip_section(struct str *rest, struct str line)
{
	uint32_t depth = 0, open, close;
	bool begun = false;
	do {
		count_braces(line, &open, &close);
		depth += open;
		begun |= open > 0;
		depth = close > depth ? 0 : depth - close;
	} while (!(begun && !depth) && str_line(rest, &line));
}

static void
keep_line(struct splitter *s, struct str line)
{
	uint32_t open, close;
	s->line++;
	buf_addstr(&s->ptx, line);
	buf_addc(&s->ptx, '\n');
	count_braces(line, &open, &close);
	struct str t = str_trim(line);
	bool code = t.n && !str_starts(t, "//");
	if (code && s->loc != s->noted) {
		arena_grow(s->a, s->entries, s->n_entries, s->cap_entries);
		s->entries[s->n_entries++] = (struct entry){s->line, s->loc};
		s->noted = s->loc;
	}
	bool was_inside = s->depth > 0;
	s->depth += open;
	s->depth = close > s->depth ? 0 : s->depth - close;
	if (was_inside && !s->depth)
		s->loc = 0; /* the function ends */
}

/* False: not well-formed, keep it. */
static bool
take_directive(struct splitter *s, struct str line)
{
	struct lex l = {.text = line, .line = 1};
	struct token t;
	lex_next(&l, &t);
	if (str_is(t.text, ".file"))
		return !loctab_read_file(&s->locs, &l, &t);
	return !loctab_read_loc(&s->locs, &l, &t, &s->loc);
}

static bool
is_debug_section(struct str t)
{
	return is_directive(t, ".section") &&
	       str_has(str_sub(t, 0, 40), STR_LIT(".debug"));
}

/* ".target sm_90, debug" promises the sections that are gone: ptxas would refuse. */
static struct str
without_debug(struct splitter *s, struct str line)
{
	size_t i = line.n;
	while (i && line.s[i - 1] != ',')
		i--;
	if (!i || !str_is(str_trim(str_sub(line, i, line.n)), "debug"))
		return line;
	return str_dup(s->a, str_sub(line, 0, i - 1));
}

static void
split_line(struct splitter *s, struct str *rest, struct str line)
{
	struct str t = str_trim(line);
	if (is_directive(t, ".loc") || is_directive(t, ".file")) {
		if (take_directive(s, t))
			return;
	} else if (is_debug_section(t)) {
		skip_section(rest, line);
		return;
	} else if (is_debug_label_line(s, t))
		return;
	keep_line(s, is_directive(t, ".target") ? without_debug(s, line) : line);
}

static void
find_used_labels(struct splitter *s, struct str text)
{
	struct str line;
	while (str_line(&text, &line)) {
		struct str t = str_trim(line);
		if (is_debug_section(t))
			skip_section(&text, line);
		else if (!is_directive(t, ".loc"))
			note_uses(s, t);
	}
}

/* ---- the map ---- */

static size_t
file_number(struct splitter *s, const struct ptx_loc *l)
{
	struct str name = loctab_name(s->locs.files, s->locs.n_files, l);
	if (s->prefix.n && name.n >= s->prefix.n &&
		memcmp(name.s, s->prefix.s, s->prefix.n) == 0)
		name = str_sub(name, s->prefix.n, name.n);
	return map_put(&s->files, name, NULL) + 1;
}

static void
write_entry(struct splitter *s, struct buf *b, struct entry e)
{
	buf_addf(b, "%" PRIu32, e.ptx_line);
	if (!e.loc)
		buf_adds(b, " -");
	for (uint32_t i = e.loc; i; i = s->locs.locs[i].up) {
		const struct ptx_loc *l = &s->locs.locs[i];
		buf_addf(b, "%s%zu:%" PRIu32, i == e.loc ? " " : " @ ", file_number(s, l),
			l->line);
	}
	buf_addc(b, '\n');
}

static struct str
write_map(struct splitter *s)
{
	struct buf body = {.a = s->a}, all = {.a = s->a};
	size_t last = 0; /* where the place before begins, to leave out repeats */
	size_t last_n = 0;
	for (size_t i = 0; i < s->n_entries; i++) {
		size_t from = body.n;
		write_entry(s, &body, s->entries[i]);
		struct str line = str_sub(buf_str(&body), from, body.n);
		size_t place = from + str_find(line, ' ');
		if (i && body.n - place == last_n &&
			memcmp(body.s + place, body.s + last, last_n) == 0) {
			body.n = from;
			continue;
		}
		last = place;
		last_n = body.n - place;
	}
	buf_adds(&all, "lanewise/lines.v1\n");
	for (size_t i = 0; i < s->files.n; i++)
		buf_addf(&all, "file %zu %.*s\n", i + 1, STR_ARG(s->files.keys[i]));
	buf_addstr(&all, buf_str(&body));
	return buf_str(&all);
}

struct ptx_split
ptx_split_lines(struct arena *a, struct str text, struct str strip_prefix)
{
	struct splitter s = {.a = a, .ptx = {.a = a}, .prefix = strip_prefix};
	struct str rest = text, line;
	s.labels.a = s.files.a = a;
	loctab_init(&s.locs, a);
	find_used_labels(&s, text);
	while (str_line(&rest, &line))
		split_line(&s, &rest, line);
	buf_c(&s.ptx);
	return (struct ptx_split){buf_str(&s.ptx), write_map(&s)};
}
