#include "ptx/lines.h"

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/loctab.h"

/* ---- reading a map ---- */

struct reader {
	struct arena *a;
	const struct source *src;
	struct diag *d;
	struct ptx_lines *out;
	size_t cap;
	struct str *files; /* by number - 1 */
	size_t n_files, cap_files;
	unsigned line;
};

static bool
malformed(struct reader *r, const char *what)
{
	diag_error(r->d, (struct place){r->src, r->line, 1}, "%s", what);
	return false;
}

/* "file 2 NAME" */
static bool
read_file(struct reader *r, struct str rest)
{
	struct str word;
	uint64_t number;
	if (!str_split(&rest, ' ', &word) || !str_to_u64(word, &number) ||
		number != r->n_files + 1)
		return malformed(r, "files are numbered 1, 2, 3");
	arena_grow(r->a, r->files, r->n_files, r->cap_files);
	r->files[r->n_files++] = rest;
	return true;
}

/* "2:136" */
static bool
read_where(struct reader *r, struct str s, struct ptx_where *w)
{
	uint64_t file, line;
	size_t colon = str_find(s, ':');
	if (!str_to_u64(str_sub(s, 0, colon), &file) ||
		!str_to_u64(str_sub(s, colon + 1, s.n), &line) || line > UINT32_MAX ||
		file == 0 || file > r->n_files)
		return malformed(r, "expected FILE:LINE");
	*w = (struct ptx_where){r->files[file - 1], (uint32_t)line};
	return true;
}

/* "44 2:136 @ 1:23" or "44 -" */
static bool
read_entry(struct reader *r, struct str line)
{
	struct ptx_line e = {0};
	struct str word;
	uint64_t ptx_line;
	size_t cap = 0;
	if (!str_split(&line, ' ', &word) || !str_to_u64(word, &ptx_line) ||
		ptx_line > UINT32_MAX)
		return malformed(r, "expected a line of the PTX");
	e.ptx_line = (uint32_t)ptx_line;
	struct ptx_lines *out = r->out;
	if (out->n && out->v[out->n - 1].ptx_line >= e.ptx_line)
		return malformed(r, "lines of the PTX are out of order");
	while (!str_is(line, "-") && str_split(&line, '@', &word)) {
		arena_grow(r->a, e.at, e.n, cap);
		if (!read_where(r, str_trim(word), &e.at[e.n++]))
			return false;
	}
	arena_grow(r->a, out->v, out->n, r->cap);
	out->v[out->n++] = e;
	return true;
}

bool
ptx_lines_read(
	struct arena *a, const struct source *src, struct diag *d, struct ptx_lines *out)
{
	struct reader r = {.a = a, .src = src, .d = d, .out = out, .line = 1};
	struct str rest = src->text, line;
	*out = (struct ptx_lines){0};
	if (!str_line(&rest, &line) || !str_is(line, "lanewise/lines.v1"))
		return malformed(&r, "not a line map (lanewise/lines.v1)");
	while (str_line(&rest, &line)) {
		r.line++;
		bool ok = str_starts(line, "file ")
				  ? read_file(&r, str_sub(line, 5, line.n))
				  : read_entry(&r, line);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- looking up ---- */

const struct ptx_line *
ptx_lines_find(const struct ptx_lines *l, uint32_t ptx_line)
{
	size_t lo = 0, hi = l->n; /* v[lo - 1].ptx_line <= ptx_line < v[hi].ptx_line */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->v[mid].ptx_line <= ptx_line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && l->v[lo - 1].n ? &l->v[lo - 1] : NULL;
}

struct ptx_line
ptx_line_of(struct arena *a, const struct ptx_module *m, const struct ptx_ins *ins)
{
	struct ptx_line line = {.ptx_line = ins->line};
	size_t cap = 0;
	for (uint32_t i = ins->loc; i; i = m->locs[i].up) {
		const struct ptx_loc *l = &m->locs[i];
		arena_grow(a, line.at, line.n, cap);
		line.at[line.n++] =
			(struct ptx_where){loctab_name(m->files, m->n_files, l), l->line};
	}
	return line;
}

struct ptx_where
ptx_line_shown(const struct ptx_line *l)
{
	if (!l || !l->n)
		return (struct ptx_where){0};
	struct str home = l->at[l->n - 1].file;
	uint32_t i = 0;
	while (!str_eq(l->at[i].file, home))
		i++;
	return l->at[i];
}

struct ptx_where
ptx_where_of(const struct ptx_module *m, const struct ptx_ins *ins)
{
	uint32_t i = ins->loc, last = i;
	while (m->locs[last].up)
		last = m->locs[last].up;
	struct str home = loctab_name(m->files, m->n_files, &m->locs[last]);
	while (!str_eq(loctab_name(m->files, m->n_files, &m->locs[i]), home))
		i = m->locs[i].up;
	return (struct ptx_where){home, m->locs[i].line};
}
