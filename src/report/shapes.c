#include "report/shapes.h"

#include "base/arena.h"
#include "base/shown.h"
#include "report/show.h"

/* Blocks at[from] .. at[from + n - 1], which follow each other. */
struct span {
	size_t from, n;
};

enum { SPANS_SHOWN = 16, FOLD_MIN = 4 };

/* ---- grouping ---- */

static bool
same_blame(const struct shape_group *g, enum verdict_kind kind, const struct finding *f)
{
	return g->kind == kind && str_eq(g->blame.rule, f->rule) &&
	       g->blame.line == f->line && g->blame.ptx_line == f->ptx_line &&
	       str_eq(g->blame.file, f->file);
}

static struct shape_group *
group_of(struct shapes *s, enum verdict_kind kind, const struct finding *f)
{
	for (size_t i = 0; i < s->n; i++)
		if (same_blame(&s->v[i], kind, f))
			return &s->v[i];
	arena_grow(s->a, s->v, s->n, s->cap);
	struct shape_group *g = &s->v[s->n++];

	*g = (struct shape_group){.kind = kind, .blame = *f};
	g->blame.rule = str_dup(s->a, f->rule);
	g->blame.klass = str_dup(s->a, f->klass);
	g->blame.file = str_dup(s->a, f->file);
	g->blame.message = str_dup(s->a, f->message);
	g->blame.witness = (struct witness){0};
	return g;
}

void
shapes_add(struct shapes *s, size_t at, const struct verdict *v)
{
	static const struct finding nothing;
	bool blamed = v->kind != VERDICT_CLEAN && v->n_findings;
	struct shape_group *g = group_of(s, v->kind, blamed ? &v->findings[0] : &nothing);

	arena_grow(s->a, g->at, g->n, g->cap);
	g->at[g->n++] = at;
}

static unsigned
rank(const struct shape_group *g)
{
	switch (g->kind) {
	case VERDICT_CLEAN: return 0;
	case VERDICT_REFUSED: return 1;
	case VERDICT_CAVEAT: return 2;
	case VERDICT_ERROR: break;
	}
	return 3;
}

static int
by_rank(const void *x, const void *y)
{
	const struct shape_group *a = x, *b = y;

	if (rank(a) != rank(b))
		return rank(a) < rank(b) ? -1 : 1;
	return a->at[0] < b->at[0] ? -1 : a->at[0] > b->at[0];
}

void
shapes_sort(struct shapes *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_rank);
}

/* ---- ranges ---- */

static struct span
span_at(const struct shape_group *g, size_t from)
{
	struct span p = {from, 1};

	while (from + p.n < g->n && g->at[from + p.n] == g->at[from] + p.n)
		p.n++;
	return p;
}

/* How many spans of the same length follow each other at the same distance. */
static size_t
fold(const struct shape_group *g, struct span first, struct span *last)
{
	struct span p = first, q;
	size_t n = 1, apart = 0;

	for (; p.from + p.n < g->n; p = q, n++) {
		q = span_at(g, p.from + p.n);
		size_t d = g->at[q.from] - g->at[p.from];
		if (q.n != first.n || (apart && d != apart))
			break;
		apart = d;
	}
	*last = p;
	return n;
}

static void
add_span(
	struct buf *b, const struct shapes *s, const struct shape_group *g, struct span p)
{
	uint64_t lo = s->blocks[g->at[p.from]].x;

	buf_addf(b, "%s%llu", b->n ? ", " : "", (unsigned long long)lo);
	if (p.n > 1)
		buf_addf(b, "..%llu",
			(unsigned long long)s->blocks[g->at[p.from + p.n - 1]].x);
}

/* "32, 64, ..., 1024 (multiples of 32)"; returns where the next span begins. */
static size_t
add_folded(struct buf *b, const struct shapes *s, const struct shape_group *g,
	struct span first, struct span last)
{
	struct span second = span_at(g, first.from + first.n);
	uint64_t lo = s->blocks[g->at[first.from]].x;
	uint64_t apart = s->blocks[g->at[second.from]].x - lo;
	bool multiples = first.n == 1 && lo % apart == 0;

	add_span(b, s, g, first);
	add_span(b, s, g, second);
	buf_adds(b, ", ...");
	add_span(b, s, g, last);
	buf_addf(b, " (%s %llu)", multiples ? "multiples of" : "every",
		(unsigned long long)apart);
	return last.from + last.n;
}

static struct str
ranges_text(const struct shapes *s, const struct shape_group *g)
{
	struct buf b = {.a = s->a};
	size_t shown = 0;

	for (size_t i = 0; i < g->n;) {
		struct span p = span_at(g, i), last;

		if (shown++ == SPANS_SHOWN) {
			buf_addf(&b, ", and %zu more (--json has all)", g->n - i);
			break;
		}
		if (fold(g, p, &last) >= FOLD_MIN) {
			i = add_folded(&b, s, g, p, last);
		} else {
			add_span(&b, s, g, p);
			i += p.n;
		}
	}
	return buf_str(&b);
}

/* As users write it: "16x16". */
static struct str
list_text(const struct shapes *s, const struct shape_group *g)
{
	struct buf b = {.a = s->a};

	for (size_t i = 0; i < g->n; i++) {
		struct dim d = s->blocks[g->at[i]];

		buf_addf(&b, "%s%llu", b.n ? ", " : "", (unsigned long long)d.x);
		if (d.y > 1 || d.z > 1)
			buf_addf(&b, "x%llu", (unsigned long long)d.y);
		if (d.z > 1)
			buf_addf(&b, "x%llu", (unsigned long long)d.z);
	}
	return buf_str(&b);
}

struct str
shapes_blocks_text(const struct shapes *s, const struct shape_group *g)
{
	return s->step ? ranges_text(s, g) : list_text(s, g);
}

/* ---- text and JSON ---- */

static void
add_blame(struct buf *b, const struct shapes *s, const struct shape_group *g)
{
	const struct finding *f = &g->blame;
	struct shape_group first = {.at = g->at, .n = 1};

	buf_addf(b, " (%.*s", STR_ARG(f->rule));
	if (f->line) {
		buf_addc(b, ' ');
		shown_add(b, f->file);
		buf_addf(b, ":%u", (unsigned)f->line);
	} else if (f->ptx_line) {
		buf_addf(b, " PTX line %u", (unsigned)f->ptx_line);
	}
	buf_addf(b, ")\n    at %.*s: ", STR_ARG(shapes_blocks_text(s, &first)));
	shown_add(b, f->message);
}

void
shapes_text(struct buf *b, const struct shapes *s)
{
	if (!s->n || s->v[0].kind != VERDICT_CLEAN)
		buf_adds(b, "clean: none\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct shape_group *g = &s->v[i];

		buf_addf(b, "%s: ", verdict_name(g->kind));
		buf_addstr(b, shapes_blocks_text(s, g));
		if (g->blame.rule.n)
			add_blame(b, s, g);
		buf_addc(b, '\n');
	}
}

static void
write_blocks(struct json_out *o, const struct shapes *s, const struct shape_group *g)
{
	json_open_array(o, s->step ? "ranges" : "blocks", !s->step);
	for (size_t i = 0; i < g->n && !s->step; i++)
		json_put_str(o, NULL, dim_text(s->a, s->blocks[g->at[i]]));
	for (size_t i = 0; i < g->n && s->step;) {
		struct span p = span_at(g, i);

		json_open_array(o, NULL, true);
		json_put_i64(o, NULL, (int64_t)s->blocks[g->at[i]].x);
		json_put_i64(o, NULL, (int64_t)s->blocks[g->at[i + p.n - 1]].x);
		json_close_array(o);
		i += p.n;
	}
	json_close_array(o);
}

void
shapes_write(struct json_out *o, const struct shapes *s)
{
	json_open_array(o, "groups", false);
	for (size_t i = 0; i < s->n; i++) {
		const struct shape_group *g = &s->v[i];

		json_open_object(o, NULL);
		json_put_c(o, "verdict", verdict_name(g->kind));
		json_put_i64(o, "count", (int64_t)g->n);
		write_blocks(o, s, g);
		if (g->blame.rule.n) {
			json_put_str(o, "rule", g->blame.rule);
			json_put_str(o, "class", g->blame.klass);
			json_put_str(o, "file", g->blame.file);
			json_put_i64(o, "line", g->blame.line);
			json_put_i64(o, "ptx_line", g->blame.ptx_line);
			json_put_str(o, "message", g->blame.message);
		}
		json_close_object(o);
	}
	json_close_array(o);
}
