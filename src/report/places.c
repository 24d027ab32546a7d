#include "report/places.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/fs.h"

#include <stdio.h>

struct places
places_begin(struct arena *a, const char *dir)
{
	return (struct places){.a = a, .dir = dir, .maps.a = a, .files.a = a};
}

/* A map that is damaged leaves places unknown, so its errors go nowhere. */
static struct ptx_lines
load_lines(struct places *p, const char *path)
{
	struct source *src = arena_new(p->a, struct source);
	struct ptx_lines l = {0};
	FILE *nowhere = fopen("/dev/null", "w");
	struct diag d = {.to = nowhere, .limit = 1};
	bool ok;

	if (!nowhere)
		return l;
	src->name = path;
	ok = fs_try_read(p->a, path, &src->text) && src->text.n &&
	     ptx_lines_read(p->a, src, &d, &l);
	fclose(nowhere);
	return ok ? l : (struct ptx_lines){0};
}

static const struct ptx_lines *
lines_of(struct places *p, struct str kernel, struct str specialization)
{
	struct str path = str_fmt(p->a, "%s/%.*s/ptx/%.*s.lines", p->dir, STR_ARG(kernel),
		STR_ARG(specialization));
	bool added;
	size_t i = map_put(&p->maps, path, &added);

	if (added) {
		arena_grow(p->a, p->lines, i, p->cap_lines);
		p->lines[i] = load_lines(p, str_c(p->a, path));
	}
	return &p->lines[i];
}

/* Headers of the toolkit are absolute; the user's own files are not. */
static bool
is_own(const struct ptx_where *w)
{
	return w->file.n && w->file.s[0] != '/' && w->file.s[0] != '<';
}

static struct place_of
place_of_line(struct arena *a, const struct ptx_line *l)
{
	struct place_of out = {0};
	uint32_t i = 0;

	if (!l->n)
		return out;
	while (i + 1 < l->n && !is_own(&l->at[i]))
		i++;
	out.file = l->at[i].file;
	out.line = l->at[i].line;
	if (i + 1 < l->n)
		out.called_from = str_fmt(a, "%.*s:%u", STR_ARG(l->at[l->n - 1].file),
			l->at[l->n - 1].line);
	return out;
}

struct place_of
places_find(struct places *p, struct str kernel, struct str specialization,
	const struct finding *f)
{
	const struct ptx_lines *l;
	const struct ptx_line *at;

	if (f->file.n && f->line)
		return (struct place_of){.file = f->file, .line = f->line};
	if (!f->ptx_line)
		return (struct place_of){0};
	l = lines_of(p, kernel, specialization);
	at = ptx_lines_find(l, f->ptx_line);
	return at ? place_of_line(p->a, at) : (struct place_of){0};
}

/* Digits at the start of s as a number; 0 when there are none. */
static uint32_t
leading_number(struct str s, size_t *n)
{
	uint32_t v = 0;

	for (*n = 0; *n < s.n && *n < 9 && s.s[*n] >= '0' && s.s[*n] <= '9'; ++*n)
		v = v * 10 + (uint32_t)(s.s[*n] - '0');
	return v;
}

struct str
places_words(
	struct places *p, struct str kernel, struct str specialization, struct str text)
{
	static const char mark[] = "PTX line ";
	const size_t skip = sizeof mark - 1;
	struct buf b = {.a = p->a};
	size_t digits;

	for (size_t i = 0; i < text.n;) {
		struct str rest = str_sub(text, i, text.n);
		struct finding f = {0};
		struct place_of at = {0};
		if (str_starts(rest, mark)) {
			f.ptx_line = leading_number(str_sub(rest, skip, rest.n), &digits);
			at = places_find(p, kernel, specialization, &f);
		}
		if (at.line) {
			buf_addf(&b, "%.*s:%u", STR_ARG(at.file), at.line);
			i += skip + digits;
		} else {
			buf_addc(&b, text.s[i++]);
		}
	}
	return buf_str(&b);
}

static void
settle(struct places *p, struct str kernel, struct str specialization, struct finding *f)
{
	struct place_of at = places_find(p, kernel, specialization, f);

	f->message = places_words(p, kernel, specialization, f->message);
	f->witness.note = places_words(p, kernel, specialization, f->witness.note);
	if (!at.line)
		return;
	f->file = at.file;
	f->line = at.line;
}

void
places_settle(struct places *p, struct ranking *r)
{
	for (size_t z = 0; z < r->n_sizes; z++)
		for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
			struct rank_entry *e = &r->sizes[z].v[i];
			for (size_t f = 0; f < e->n_findings; f++)
				settle(p, r->kernel, e->specialization, &e->findings[f]);
		}
}

static void
load_source(struct places *p, struct str file, struct source *src)
{
	const char *name = str_c(p->a, file);

	src->name = name;
	/* Only what was staged: a name out of a line map must not lead anywhere else. */
	if (!file.n || file.s[0] == '/' || str_has(file, STR_LIT("..")))
		return;
	if (!fs_try_read(p->a, str_c(p->a, str_fmt(p->a, "%s/in/%s", p->dir, name)),
		    &src->text))
		src->text = (struct str){0};
}

bool
places_line(struct places *p, struct str file, uint32_t line, struct str *out)
{
	bool added;
	size_t i = map_put(&p->files, file, &added);

	if (added) {
		arena_grow(p->a, p->sources, i, p->cap_sources);
		p->sources[i] = (struct source){0};
		load_source(p, file, &p->sources[i]);
	}
	*out = line ? source_line(&p->sources[i], line) : (struct str){0};
	return out->n > 0;
}
