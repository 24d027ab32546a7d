#include "report/hazard_text.h"

#include "base/arena.h"
#include "base/shown.h"
#include "report/show.h"

enum { INDENT = 9, CASES = 8 };

/* --- the witness ----------------------------------------------------------------- */

/* Warps in a row that look alike are one line. */
static size_t
alike(const struct witness *w, size_t from)
{
	size_t to = from + 1;

	while (to < w->n_warps && w->warps[to].warp == w->warps[to - 1].warp + 1 &&
		memcmp(w->warps[to].lanes, w->warps[from].lanes, 32) == 0)
		to++;
	return to;
}

static void
lanes_line(struct buf *b, size_t indent, const struct lane_map *first, uint32_t last)
{
	struct str name = first->warp == last
				  ? str_fmt(b->a, "warp %u", first->warp)
				  : str_fmt(b->a, "warps %u-%u", first->warp, last);

	buf_pad(b, ' ', indent);
	show_cell(b, name, 12);
	for (int i = 0; i < 32; i += 8) {
		buf_addc(b, ' ');
		buf_add(b, first->lanes + i, 8);
	}
	buf_addc(b, '\n');
}

static void
legend_line(struct buf *b, size_t indent, const struct witness *w)
{
	buf_pad(b, ' ', indent + 13);
	for (const struct lane_letter *l = lane_letters; l->mark; l++)
		for (size_t i = 0; i < w->n_warps; i++)
			if (memchr(w->warps[i].lanes, l->mark, 32)) {
				buf_addf(b, "%c %s   ", l->mark, l->means);
				break;
			}
	while (b->n && b->s[b->n - 1] == ' ')
		b->n--;
	buf_addc(b, '\n');
}

void
witness_text(struct buf *b, const struct witness *w, size_t indent)
{
	if (!w->present)
		return;
	if (w->n_warps) {
		buf_pad(b, ' ', indent);
		buf_adds(b, "lane         0        8        16       24\n");
	}
	for (size_t i = 0, next; i < w->n_warps; i = next) {
		next = alike(w, i);
		lanes_line(b, indent, &w->warps[i], w->warps[next - 1].warp);
	}
	if (w->n_warps)
		legend_line(b, indent, w);
	if (w->note.n)
		show_line(b, indent, w->note);
}

static struct str
where_text(struct arena *a, const struct hazard *h)
{
	const struct witness *w = &h->example->witness;
	struct buf b = {.a = a};

	buf_addf(&b, "with %.*s at size %.*s, ", STR_ARG(h->example_label),
		STR_ARG(h->example_size));
	buf_addf(&b, "block (%llu,%llu,%llu)", (unsigned long long)w->cta[0],
		(unsigned long long)w->cta[1], (unsigned long long)w->cta[2]);
	if (w->n_blocks > 1)
		buf_addf(&b, ", one of %llu blocks like it",
			(unsigned long long)w->n_blocks);
	buf_addc(&b, ':');
	return buf_str(&b);
}

/* --- the hazard ------------------------------------------------------------------ */

static struct str
expand_tabs(struct arena *a, struct str s)
{
	struct buf line = {.a = a};
	for (size_t i = 0; i < s.n; i++)
		if (s.s[i] == '\t')
			buf_pad(&line, ' ', 8 - line.n % 8);
		else
			buf_addc(&line, s.s[i]);
	return buf_str(&line);
}

static size_t
indentation(struct str s)
{
	size_t n = 0;
	while (n < s.n && s.s[n] == ' ')
		n++;
	return n;
}

/* Without the indentation that all lines have. */
static void
excerpt(struct buf *b, const struct hazard *h)
{
	struct str line[3];
	size_t common = SIZE_MAX;
	for (uint32_t i = 0; i < 3; i++) {
		line[i] = expand_tabs(b->a, h->excerpt[i]);
		size_t n = indentation(line[i]);
		if (n < line[i].n && n < common)
			common = n;
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (!h->excerpt[i].n)
			continue;
		buf_addf(b, "    %c %5u | ", i == 1 ? '>' : ' ', h->at.line + i - 1);
		shown_add(b, str_sub(line[i], common, common + 86));
		buf_addc(b, '\n');
	}
}

static void
cases(struct buf *b, const struct hazard *h)
{
	struct buf t = {.a = b->a};

	buf_addf(&t, "%zu candidate%s, %zu point%s: ", h->n_cases, str_plural(h->n_cases),
		h->n_points, str_plural(h->n_points));
	for (size_t i = 0; i < h->n_cases && i < CASES; i++) {
		buf_adds(&t, i ? " " : "");
		buf_addstr(&t, h->cases[i].label);
	}
	if (h->n_cases > CASES)
		buf_addf(&t, " and %zu more (all in report.json)", h->n_cases - CASES);
	show_line(b, INDENT, buf_str(&t));
}

static struct str
headline(struct arena *a, const struct hazard *h)
{
	const struct finding *f = h->example;

	if (h->at.line)
		return str_fmt(a, "%.*s:%u: %.*s", STR_ARG(h->at.file), h->at.line,
			STR_ARG(f->message));
	if (f->ptx_line)
		return str_fmt(a, "PTX line %u: %.*s", f->ptx_line, STR_ARG(f->message));
	return f->message;
}

void
hazard_text(struct buf *b, const struct hazard *h)
{
	const struct finding *f = h->example;

	buf_adds(b, "  ");
	show_cell(b, f->rule, INDENT - 4);
	buf_adds(b, "  ");
	show_wrap(b, headline(b->a, h), INDENT, INDENT);
	if (h->at.called_from.n)
		show_line(b, INDENT,
			str_fmt(b->a, "(called from %.*s)", STR_ARG(h->at.called_from)));
	excerpt(b, h);
	if (f->witness.present) {
		show_line(b, INDENT, where_text(b->a, h));
		witness_text(b, &f->witness, INDENT);
	}
	cases(b, h);
}
