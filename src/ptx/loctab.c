#include "ptx/loctab.h"

#include "base/arena.h"

static uint32_t *
slot_of(struct loctab *t, const struct ptx_loc *l)
{
	uint32_t mask = t->n_slots - 1;
	uint32_t i = l->file * 0x9e3779b1u ^ l->line * 0x85ebca6bu ^ l->col * 0xc2b2ae35u;
	for (i = (i ^ i >> 15) & mask; t->slots[i]; i = (i + 1) & mask) {
		const struct ptx_loc *k = &t->locs[t->slots[i]];
		if (k->file == l->file && k->line == l->line && k->col == l->col)
			break;
	}
	return &t->slots[i];
}

static void
grow_slots(struct loctab *t)
{
	uint32_t *old = t->slots, n = t->n_slots;
	t->n_slots = n ? n * 2 : 64;
	t->slots = arena_news(t->a, t->n_slots, uint32_t);
	for (uint32_t i = 0; i < n; i++)
		if (old[i])
			*slot_of(t, &t->locs[old[i]]) = old[i];
}

/* Where to note a place that may be new: there is always a free slot. */
static uint32_t *
slot_for(struct loctab *t, const struct ptx_loc *l)
{
	if ((t->n_locs + 2) * 2 > t->n_slots)
		grow_slots(t);
	return slot_of(t, l);
}

static uint32_t
new_loc(struct loctab *t, struct ptx_loc l)
{
	arena_grow(t->a, t->locs, t->n_locs, t->cap_locs);
	t->locs[t->n_locs] = l;
	return t->n_locs++;
}

void
loctab_init(struct loctab *t, struct arena *a)
{
	*t = (struct loctab){.a = a};
	new_loc(t, (struct ptx_loc){0});
	grow_slots(t);
}

static bool
take_u32(struct lex *l, struct token *t, uint32_t *v)
{
	if (t->kind != TOK_INT || t->big || t->value > UINT32_MAX)
		return false;
	*v = (uint32_t)t->value;
	lex_next(l, t);
	return true;
}

static bool
is_mark(const struct token *t, char mark)
{
	return t->kind == TOK_MARK && t->mark == mark;
}

const char *
loctab_read_file(struct loctab *t, struct lex *l, struct token *next)
{
	struct str name;
	uint32_t number, unused;
	lex_next(l, next);
	if (!take_u32(l, next, &number) || number >= LOCTAB_FILE_MAX)
		return "expected the number of a file, below 65536";
	if (next->kind != TOK_STR)
		return "expected the name of a file";
	name = next->text;
	lex_next(l, next);
	if (next->kind == TOK_STR) { /* folder and file, as DWARF 5 has them */
		name = str_fmt(t->a, "%.*s/%.*s", STR_ARG(name), STR_ARG(next->text));
		lex_next(l, next);
	}
	while (is_mark(next, ',')) { /* time stamp, size */
		lex_next(l, next);
		if (!take_u32(l, next, &unused) && next->kind != TOK_INT)
			return "expected a number";
	}
	while (t->n_files <= number) {
		arena_grow(t->a, t->files, t->n_files, t->cap_files);
		t->files[t->n_files++] = (struct str){0};
	}
	t->files[number] = name;
	return NULL;
}

/* ---- comments of LLVM ---- */

/* "name:12:5" */
static bool
read_place(struct str s, struct ptx_loc *l)
{
	uint64_t n[2];
	struct str left = str_trim(s);
	for (unsigned k = 0; k < 2; k++) {
		size_t c = left.n;
		while (c && left.s[c - 1] != ':')
			c--;
		if (!c || !str_to_u64(str_sub(left, c, left.n), &n[k]) ||
			n[k] > UINT32_MAX)
			return false;
		left.n = c - 1;
	}
	*l = (struct ptx_loc){
		.name = left, .line = (uint32_t)n[1], .col = (uint32_t)n[0]};
	return true;
}

/* Cuts the next place off "a:1:2 @[ b:3:4 @[ c:5:6 ] ]". */
static bool
next_place(struct str *rest, struct ptx_loc *l)
{
	size_t i = 0;
	while (i < rest->n && rest->s[i] != ']' &&
		!(rest->s[i] == '@' && i + 1 < rest->n && rest->s[i + 1] == '['))
		i++;
	bool ok = read_place(str_sub(*rest, 0, i), l);
	*rest = str_sub(*rest, i + 2, rest->n);
	return ok;
}

static void
read_comment(struct loctab *t, struct str comment, struct ptx_loc *inner)
{
	enum { DEEPEST = 64 };
	struct ptx_loc chain[DEEPEST], first;
	unsigned n = 0;
	if (!next_place(&comment, &first) || first.line != inner->line)
		return;
	inner->name = first.name;
	while (n < DEEPEST && comment.n && next_place(&comment, &chain[n]))
		n++;
	uint32_t up = inner->up;
	while (n) {
		chain[--n].up = up;
		up = new_loc(t, chain[n]);
	}
	inner->up = up;
}

/* ---- .loc ---- */

/* The place named by inlined_at: its own .loc if one was written before. */
static const char *
read_inlined_at(struct loctab *t, struct lex *l, struct token *next, uint32_t *up)
{
	struct ptx_loc at = {0};
	if (!take_u32(l, next, &at.file) || !take_u32(l, next, &at.line) ||
		!take_u32(l, next, &at.col))
		return "expected file, line and column";
	uint32_t *slot = slot_for(t, &at);
	if (!*slot)
		*slot = new_loc(t, at);
	*up = *slot;
	return NULL;
}

static const char *
read_attribute(struct loctab *t, struct lex *l, struct token *next, uint32_t *up)
{
	if (next->kind != TOK_WORD)
		return "expected function_name or inlined_at";
	bool inlined = str_is(next->text, "inlined_at");
	uint32_t offset;
	lex_next(l, next);
	if (inlined)
		return read_inlined_at(t, l, next, up);
	if (next->kind != TOK_WORD)
		return "expected the label of a name";
	lex_next(l, next);
	if (!is_mark(next, '+'))
		return NULL;
	lex_next(l, next);
	return take_u32(l, next, &offset) ? NULL : "expected an offset";
}

const char *
loctab_read_loc(struct loctab *t, struct lex *l, struct token *next, uint32_t *loc)
{
	struct ptx_loc at = {0};
	uint32_t line = next->line, end;
	lex_next(l, next);
	if (!take_u32(l, next, &at.file))
		return "expected the number of a file";
	if (!take_u32(l, next, &at.line))
		return "expected a line";
	end = l->end;
	if (next->kind == TOK_INT && next->line == line) {
		if (!take_u32(l, next, &at.col))
			return "the column is too large";
		end = l->end;
	}
	while (is_mark(next, ',')) {
		lex_next(l, next);
		const char *why = read_attribute(t, l, next, &at.up);
		if (why)
			return why;
		end = l->end;
	}
	struct str comment = lex_comment(l, end);
	if (comment.n)
		read_comment(t, comment, &at);
	if (!at.line && !at.up)
		return NULL;
	*loc = new_loc(t, at);
	*slot_for(t, &at) = *loc;
	return NULL;
}

struct str
loctab_name(const struct str *files, uint32_t n_files, const struct ptx_loc *l)
{
	return l->file && l->file < n_files && files[l->file].n ? files[l->file]
								: l->name;
}
