#include "ptx/parse.h"
#include "ptx/foreign.h"

#include <stdarg.h>

bool
parse_fail(struct parser *p, const struct token *at, const char *fmt, ...)
{
	if (p->failed)
		return false;
	p->failed = true;
	uint32_t col = 1;
	for (uint32_t i = at->at; i > 0 && p->src->text.s[i - 1] != '\n'; i--)
		col++;
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_error(p->d, (struct place){p->src, at->line, col}, "%s", text);
	return false;
}

void
parse_next(struct parser *p)
{
	lex_next(&p->lex, &p->t);
	if (p->t.kind == TOK_BAD)
		parse_fail(p, &p->t, "%s", p->t.why);
	else if (p->names.flooded || p->globals.flooded || p->forms.flooded ||
		 p->known.flooded)
		parse_fail(p, &p->t,
			"more than a thousand names with one hash: no compiler writes "
			"them");
	else
		return;
	p->t.kind = TOK_END;
}

bool
parse_take(struct parser *p, char mark)
{
	if (!parse_is(p, mark))
		return false;
	parse_next(p);
	return true;
}

bool
parse_expect(struct parser *p, char mark)
{
	if (parse_take(p, mark))
		return true;
	if (p->t.kind == TOK_END)
		return parse_fail(p, &p->t, "the text ends where '%c' is missing", mark);
	return parse_fail(p, &p->t, "expected '%c'", mark);
}

bool
parse_int(struct parser *p, int64_t *v)
{
	bool minus = parse_take(p, '-');
	if (p->t.kind != TOK_INT)
		return parse_fail(p, &p->t, "expected an integer");
	if (p->t.big)
		return parse_fail(p, &p->t, "the integer does not fit 64 bits");
	*v = (int64_t)(minus ? 0 - p->t.value : p->t.value);
	parse_next(p);
	return true;
}

bool
parse_u32(struct parser *p, uint32_t *v)
{
	if (p->t.kind != TOK_INT)
		return parse_fail(p, &p->t, "expected a number");
	if (p->t.big || p->t.value > UINT32_MAX)
		return parse_fail(p, &p->t, "the number is too large");
	*v = (uint32_t)p->t.value;
	parse_next(p);
	return true;
}

bool
parse_skip_group(struct parser *p)
{
	struct token open = p->t;
	uint64_t depth = 0;
	do {
		if (parse_is(p, '(') || parse_is(p, '{') || parse_is(p, '['))
			depth++;
		else if (parse_is(p, ')') || parse_is(p, '}') || parse_is(p, ']'))
			depth--;
		if (p->t.kind == TOK_END)
			return parse_fail(p, &open, "'%c' is never closed", open.mark);
		parse_next(p);
	} while (depth);
	return true;
}

static bool
starts_statement(const struct token *t)
{
	static const char *const words[] = {".entry", ".func", ".visible", ".extern",
		".weak", ".common", ".global", ".const", ".shared", ".reg", ".local",
		".section", ".file", ".loc", ".version", ".target", ".address_size",
		".pragma", ".alias"};
	for (size_t i = 0; t->kind == TOK_DOT && i < sizeof words / sizeof words[0]; i++)
		if (str_is(t->text, words[i]))
			return true;
	return false;
}

/* A directive that nobody knows may end with a semicolon, with its block, or (like .loc)
 * with its line: then the next statement begins. */
bool
parse_skip_directive(struct parser *p)
{
	uint32_t line = p->t.line;
	parse_next(p);
	while (p->t.kind != TOK_END) {
		if (parse_take(p, ';'))
			return true;
		if (parse_is(p, '}'))
			return true;
		if (p->t.line != line && (starts_statement(&p->t) || parse_is(p, '@')))
			return true;
		if (parse_is(p, '{'))
			return parse_skip_group(p);
		parse_next(p);
	}
	return !p->failed;
}

bool
parse_place(struct parser *p)
{
	const char *why = parse_is_dot(p, ".file")
				  ? loctab_read_file(&p->locs, &p->lex, &p->t)
				  : loctab_read_loc(&p->locs, &p->lex, &p->t, &p->loc);
	if (p->t.kind == TOK_BAD)
		why = p->t.why;
	if (!p->f.loc)
		p->f.loc = p->loc;
	return !why || parse_fail(p, &p->t, "%s", why);
}

/* ---- module level ---- */

static bool
read_version(struct parser *p)
{
	parse_next(p);
	double v = 0;
	if (p->t.kind == TOK_F64)
		memcpy(&v, &p->t.value, sizeof v);
	if (!(v >= 1 && v < 100))
		return parse_fail(p, &p->t, "expected the PTX version, such as 8.5");
	p->m->version = (unsigned)(v * 10 + 0.5);
	parse_next(p);
	return true;
}

static bool
read_target(struct parser *p)
{
	parse_next(p);
	if (p->t.kind != TOK_WORD)
		return parse_fail(p, &p->t, "expected a target, such as sm_90");
	struct ptx_module *m = p->m;
	m->target = p->t.text;
	uint64_t sm = 0;
	struct str digits = str_sub(m->target, 3, m->target.n);
	if (str_starts(m->target, "sm_") && digits.n) {
		char last = digits.s[digits.n - 1];
		if (last == 'a' || last == 'f')
			m->sm_suffix = last, digits.n--;
		if (str_to_u64(digits, &sm) && sm < 1000)
			m->sm = (unsigned)sm;
	}
	parse_next(p);
	uint32_t from = p->t.at, end = p->t.at;
	while (parse_take(p, ',')) {
		if (from == end)
			from = p->t.at;
		end = p->t.at + (uint32_t)p->t.text.n;
		if (p->t.kind != TOK_WORD)
			return parse_fail(p, &p->t, "expected a target option");
		parse_next(p);
	}
	m->target_options = str_sub(p->src->text, from, end);
	return true;
}

static bool
read_address_size(struct parser *p)
{
	uint32_t bits = 0;
	parse_next(p);
	struct token at = p->t;
	if (!parse_u32(p, &bits))
		return false;
	if (bits != 32 && bits != 64)
		return parse_fail(p, &at, "the address size is 32 or 64");
	p->m->address_bits = bits;
	return true;
}

static bool
read_section(struct parser *p)
{
	parse_next(p);
	while (p->t.kind != TOK_END && !parse_is(p, '{') && !parse_is(p, ';'))
		parse_next(p);
	return parse_is(p, '{') ? parse_skip_group(p) : parse_expect(p, ';');
}

static bool
read_alias(struct parser *p)
{
	struct str pair[2];
	parse_next(p);
	for (unsigned i = 0; i < 2; i++) {
		if (i && !parse_expect(p, ','))
			return false;
		if (!parse_is_name(p))
			return parse_fail(p, &p->t, "expected the name of a function");
		pair[i] = p->t.text;
		parse_next(p);
	}
	for (unsigned i = 0; i < 2; i++) {
		size_t at = (size_t)p->m->n_aliases * 2 + i;
		arena_grow(p->a, p->m->aliases, at, p->cap_aliases);
		p->m->aliases[at] = pair[i];
	}
	p->m->n_aliases++;
	return parse_expect(p, ';');
}

static enum ptx_linkage
read_linkage(struct parser *p)
{
	static const struct {
		const char *word;
		enum ptx_linkage link;
	} table[] = {{".visible", PTX_LINK_VISIBLE}, {".extern", PTX_LINK_EXTERN},
		{".weak", PTX_LINK_WEAK}, {".common", PTX_LINK_COMMON}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (parse_is_dot(p, table[i].word)) {
			parse_next(p);
			return table[i].link;
		}
	return PTX_LINK_NONE;
}

static bool
is_space(const struct token *t)
{
	return str_is(t->text, ".global") || str_is(t->text, ".const") ||
	       str_is(t->text, ".shared") || str_is(t->text, ".local") ||
	       str_is(t->text, ".param") || str_is(t->text, ".tex");
}

static bool
read_statement(struct parser *p)
{
	if (parse_take(p, ';'))
		return true;
	if (p->t.kind != TOK_DOT)
		return parse_fail(p, &p->t,
			"expected a directive (is this PTX? 'nvcc -ptx' makes it of "
			"CUDA)");
	enum ptx_linkage link = read_linkage(p);
	if (p->t.kind != TOK_DOT)
		return parse_fail(p, &p->t, "expected .entry, .func or a variable");
	if (parse_is_dot(p, ".entry") || parse_is_dot(p, ".func"))
		return decl_func(p, link);
	if (is_space(&p->t))
		return decl_vars(p, link);
	if (parse_is_dot(p, ".version"))
		return read_version(p);
	if (parse_is_dot(p, ".target"))
		return read_target(p);
	if (parse_is_dot(p, ".address_size"))
		return read_address_size(p);
	if (parse_is_dot(p, ".file") || parse_is_dot(p, ".loc"))
		return parse_place(p);
	if (parse_is_dot(p, ".section"))
		return read_section(p);
	if (parse_is_dot(p, ".alias"))
		return read_alias(p);
	return parse_skip_directive(p);
}

/* An alias is declared as a function before .alias names it. */
static void
resolve_aliases(struct parser *p)
{
	struct ptx_module *m = p->m;
	for (uint32_t i = 0; i < m->n_aliases; i++) {
		struct str from = m->aliases[(size_t)2 * i],
			   to = m->aliases[(size_t)2 * i + 1];
		struct sym *f = symtab_find(&p->globals, from, lex_hash(from), 0);
		struct sym *g = symtab_find(&p->globals, to, lex_hash(to), 0);
		if (f && g && f->kind == SYM_FUNC && g->kind == SYM_FUNC &&
			!m->funcs[f->id].defined)
			m->funcs[f->id].body = g->id;
	}
}

struct ptx_module *
ptx_parse(struct arena *a, const struct source *src, struct diag *d)
{
	const char *foreign = src->text.n > PTX_TEXT_MAX ? "it has more than 64 MiB"
							 : foreign_text(src->text);
	if (foreign) {
		diag_error(d, (struct place){.src = src}, "this is not PTX: %s", foreign);
		return NULL;
	}
	struct parser *p = arena_new(a, struct parser);
	*p = (struct parser){.a = a, .src = src, .d = d};
	p->m = arena_new(a, struct ptx_module);
	p->m->src = src;
	p->m->address_bits = 64;
	p->f.index = PTX_NONE;
	p->globals.a = p->forms.a = p->known.a = p->names.a = a;
	p->lex = (struct lex){.text = src->text, .line = 1};
	p->lex.pos = (uint32_t)(src->text.n - str_after_bom(src->text).n);
	loctab_init(&p->locs, a);
	parse_next(p);
	while (p->t.kind != TOK_END && !p->failed)
		if (!read_statement(p))
			break;
	if (!p->failed && !p->m->version)
		parse_fail(p, &p->t, "no .version directive: this is not PTX");
	resolve_aliases(p);
	if (!p->failed) {
		ptx_find_traps(p->m);
		ptx_find_opaque(p->m);
	}
	p->m->locs = p->locs.locs, p->m->n_locs = p->locs.n_locs;
	p->m->files = p->locs.files, p->m->n_files = p->locs.n_files;
	return p->failed ? NULL : p->m;
}

struct ptx_func *
ptx_find_func(const struct ptx_module *m, struct str name)
{
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (str_eq(m->funcs[i].name, name))
			return &m->funcs[m->funcs[i].body];
	return NULL;
}
