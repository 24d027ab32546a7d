#include "ptx/form.h"
#include "ptx/parse.h"

enum { GROUPS_MAX = 8, WARP_SIZE = 32 };

static struct ptx_operand *
add_part(struct parser *p, enum ptx_operand_kind kind)
{
	if (p->n_part == PTX_PARTS_MAX) {
		parse_fail(p, &p->t, "more than %d operands in one instruction",
			PTX_PARTS_MAX);
		p->n_part--;
	}
	arena_grow(p->a, p->part, p->n_part, p->cap_part);
	struct ptx_operand *o = &p->part[p->n_part++];
	*o = (struct ptx_operand){.kind = (uint8_t)kind};
	return o;
}

/* Closes a group: the parts after it are its own. */
static void
close_group(struct parser *p, unsigned at)
{
	p->part[at].n = (uint16_t)(p->n_part - at - 1);
}

/* ---- names ---- */

static uint32_t
name_index(struct parser *p, struct str name, uint32_t hash)
{
	struct sym *s = symtab_find(&p->known, name, hash, 0);
	if (s)
		return s->id;
	arena_grow(p->a, p->m->names, p->m->n_names, p->cap_names);
	p->m->names[p->m->n_names] = name;
	symtab_add(&p->known, name, hash, 0, SYM_NAME, p->m->n_names);
	return p->m->n_names++;
}

static void
set_symbol(struct ptx_operand *o, const struct sym *s)
{
	static const unsigned char kinds[] = {[SYM_REG] = PTX_O_REG,
		[SYM_VAR] = PTX_O_VAR,
		[SYM_FUNC] = PTX_O_FUNC,
		[SYM_LABEL] = PTX_O_LABEL,
		[SYM_TABLE] = PTX_O_TABLE,
		[SYM_PROTO] = PTX_O_PROTO};
	o->kind = kinds[s->kind];
	o->id = s->id;
}

/* "x" "y" "z" "w" (also r g b a), and the selectors b0..b3 h0 h1 of video instructions.
 */
static char
component_letter(struct str s)
{
	static const char from[] = "rgba", to[] = "xyzw";
	const char *c;
	if (s.n == 1 && strchr("xyzw", s.s[0]))
		return s.s[0];
	if (s.n == 1 && (c = strchr(from, s.s[0])) != NULL)
		return to[c - from];
	if (s.n == 2 && s.s[0] == 'b' && s.s[1] >= '0' && s.s[1] <= '3')
		return s.s[1];
	if (s.n == 2 && s.s[0] == 'h' && (s.s[1] == '0' || s.s[1] == '1'))
		return s.s[1] == '0' ? 'h' : 'H';
	return 0;
}

/* A name that nothing declares: a special register, the warp size, or unknown. */
static void
set_undeclared(struct parser *p, struct ptx_operand *o, const struct token *word,
	struct str stem, uint32_t hash)
{
	if (str_is(stem, "WARP_SZ")) {
		o->kind = PTX_O_INT;
		o->i = WARP_SIZE;
		return;
	}
	if (stem.s[0] == '%') {
		enum ptx_sreg r = ptx_sreg_of(str_sub(stem, 1, stem.n));
		o->kind = PTX_O_SREG;
		o->id = r;
		if (r != PTX_SREG_UNKNOWN)
			return;
		o->i = name_index(p, stem, hash);
	} else {
		o->kind = PTX_O_NAME;
		o->id = name_index(p, stem, hash);
	}
	arena_grow(p->a, p->early, p->n_early, p->cap_early);
	p->early[p->n_early++] =
		(struct early_use){*word, stem, hash, p->open[p->depth].number};
}

static bool
read_name(struct parser *p)
{
	struct token t = p->t;
	struct str stem = str_sub(t.text, 0, t.stem);
	bool whole = t.stem == t.text.n;
	uint32_t hash = whole ? t.hash : lex_hash(stem);
	parse_next(p);
	if (str_is(t.text, "_")) {
		add_part(p, PTX_O_SINK);
		return true;
	}
	const struct sym *s = body_find(p, stem, hash);
	struct ptx_operand *o = add_part(p, PTX_O_NONE);
	if (s && s->kind == SYM_RANGE)
		s = NULL;
	if (s)
		set_symbol(o, s);
	else
		set_undeclared(p, o, &t, stem, hash);
	if (whole)
		return !p->failed;
	o->part = component_letter(str_sub(t.text, t.stem + 1, t.text.n));
	if (!o->part)
		return parse_fail(
			p, &t, "'%.*s' is no name of an operand", STR_ARG(t.text));
	return !p->failed;
}

/* ---- numbers ---- */

/*
 * Integer constants may be expressions: -1, (4*8+1), ~3.  PTX ISA "Integer Constant
 * Expression Evaluation": 64 bits, wrapping.
 */
static bool read_expression(struct parser *p, int64_t *v, unsigned depth, int above);

static int
precedence(const struct token *t)
{
	if (t->kind != TOK_MARK)
		return 0;
	switch (t->mark) {
	case '*':
	case '/':
	case '%': return 4;
	case '+':
	case '-': return 3;
	case '&': return 2;
	case '^': return 1;
	default: return 0;
	}
}

static bool
read_primary(struct parser *p, int64_t *v, unsigned depth)
{
	if (depth > GROUPS_MAX)
		return parse_fail(p, &p->t, "the expression is nested too deep");
	if (p->t.kind == TOK_MARK &&
		(parse_is(p, '-') || parse_is(p, '~') || parse_is(p, '+'))) {
		char mark = p->t.mark;
		parse_next(p);
		if (!read_primary(p, v, depth + 1))
			return false;
		if (mark == '-')
			*v = (int64_t)(0 - (uint64_t)*v);
		else if (mark == '~')
			*v = ~*v;
		return true;
	}
	if (parse_take(p, '('))
		return read_expression(p, v, depth + 1, 0) && parse_expect(p, ')');
	return parse_int(p, v);
}

static bool
combine(struct parser *p, const struct token *op, int64_t *a, int64_t b)
{
	uint64_t x = (uint64_t)*a, y = (uint64_t)b;
	if ((op->mark == '/' || op->mark == '%') && (b == 0 || b == -1)) {
		if (b == 0)
			return parse_fail(p, op, "division by zero");
		*a = op->mark == '/' ? (int64_t)(0 - x) : 0;
		return true;
	}
	switch (op->mark) {
	case '*': x *= y; break;
	case '+': x += y; break;
	case '-': x -= y; break;
	case '&': x &= y; break;
	case '^': x ^= y; break;
	case '/': x = (uint64_t)(*a / b); break;
	default: x = (uint64_t)(*a % b); break;
	}
	*a = (int64_t)x;
	return true;
}

static bool
read_expression(struct parser *p, int64_t *v, unsigned depth, int above)
{
	if (!read_primary(p, v, depth))
		return false;
	while (precedence(&p->t) > above) {
		struct token op = p->t;
		int64_t right;
		parse_next(p);
		if (!read_expression(p, &right, depth + 1, precedence(&op)) ||
			!combine(p, &op, v, right))
			return false;
	}
	return true;
}

static bool
read_float(struct parser *p, bool minus)
{
	struct ptx_operand *o = add_part(p, p->t.kind == TOK_F32 ? PTX_O_F32 : PTX_O_F64);
	uint64_t sign = p->t.kind == TOK_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
	o->i = (int64_t)(minus ? p->t.value ^ sign : p->t.value);
	parse_next(p);
	return !p->failed;
}

/* What begins with a digit, '-', '~' or '('; also -%r and -0f... */
static bool
read_value(struct parser *p)
{
	int64_t v;
	if (parse_is(p, '-')) {
		struct lex ahead = p->lex;
		struct token t;
		lex_next(&ahead, &t);
		if (t.kind == TOK_F32 || t.kind == TOK_F64) {
			parse_next(p);
			return read_float(p, true);
		}
		if (t.kind == TOK_WORD) {
			unsigned at = p->n_part;
			parse_next(p);
			if (!read_name(p))
				return false;
			p->part[at].neg = true;
			return true;
		}
	}
	if (p->t.kind == TOK_F32 || p->t.kind == TOK_F64)
		return read_float(p, false);
	if (p->t.kind == TOK_INT && !p->t.big) { /* nearly always */
		v = (int64_t)p->t.value;
		parse_next(p);
		if (precedence(&p->t) == 0) {
			add_part(p, PTX_O_INT)->i = v;
			return !p->failed;
		}
		while (precedence(&p->t)) {
			struct token op = p->t;
			int64_t right;
			parse_next(p);
			if (!read_expression(p, &right, 0, precedence(&op)) ||
				!combine(p, &op, &v, right))
				return false;
		}
	} else if (!read_expression(p, &v, 0, 0))
		return false;
	add_part(p, PTX_O_INT)->i = v;
	return !p->failed;
}

/* ---- groups ---- */

/* +8, -8, +-8 after a name */
static bool
read_offset(struct parser *p, int64_t *v)
{
	while (parse_is(p, '+') || parse_is(p, '-')) {
		bool minus = parse_is(p, '-');
		int64_t k;
		parse_next(p);
		if (!read_expression(p, &k, 0, 3))
			return false;
		*v = (int64_t)(minus ? (uint64_t)*v - (uint64_t)k
				     : (uint64_t)*v + (uint64_t)k);
	}
	return true;
}

static bool
read_list(struct parser *p, enum ptx_operand_kind kind, char close, unsigned depth)
{
	unsigned at = p->n_part;
	add_part(p, kind);
	parse_next(p);
	while (!parse_is(p, close)) {
		if (p->n_part > at + 1 && !parse_expect(p, ','))
			return false;
		if (!operand_read(p, depth + 1))
			return false;
	}
	close_group(p, at);
	parse_next(p);
	return !p->failed;
}

/* [base + offset], [texture, {x, y}], [map, {c0, c1}] */
static bool
read_address(struct parser *p, unsigned depth)
{
	unsigned at = p->n_part;
	int64_t offset = 0;
	add_part(p, PTX_O_ADDR);
	parse_next(p);
	if (!operand_read(p, depth + 1))
		return false;
	const struct ptx_operand *base = &p->part[at + 1];
	if (base->kind == PTX_O_VAR || base->kind == PTX_O_NAME) {
		offset = base->i;
		p->part[at + 1].i = 0;
	}
	if (!read_offset(p, &offset))
		return false;
	p->part[at].i = offset;
	while (parse_take(p, ','))
		if (!operand_read(p, depth + 1))
			return false;
	close_group(p, at);
	return parse_expect(p, ']');
}

static uint64_t
element_bytes(const struct parser *p, const struct ptx_operand *o)
{
	if (o->kind != PTX_O_VAR)
		return 1;
	const struct ptx_var *v = &p->m->vars[o->id];
	uint64_t n = ((uint64_t)ptx_type_bits(v->type) + 7) / 8;
	return (n ? n : 1) * v->vec;
}

/* table[3] is an address; the index is in elements. */
static bool
read_subscript(struct parser *p, unsigned at, unsigned depth)
{
	uint64_t bytes = element_bytes(p, &p->part[at]);
	struct ptx_operand base = p->part[at];
	parse_next(p);
	p->part[at] = (struct ptx_operand){.kind = PTX_O_ADDR, .i = base.i};
	*add_part(p, base.kind) = base;
	p->part[at + 1].i = 0;
	if (p->t.kind == TOK_WORD) {
		if (!operand_read(p, depth + 1))
			return false;
	} else {
		int64_t k;
		if (!read_expression(p, &k, 0, 0))
			return false;
		p->part[at].i = (int64_t)((uint64_t)base.i + (uint64_t)k * bytes);
	}
	close_group(p, at);
	return parse_expect(p, ']');
}

/* p|q: what was read becomes the first part of a pair. */
static bool
read_pair(struct parser *p, unsigned at, unsigned depth)
{
	parse_next(p);
	add_part(p, PTX_O_NONE);
	if (p->failed)
		return false;
	memmove(&p->part[at + 1], &p->part[at], (p->n_part - 1 - at) * sizeof p->part[0]);
	p->part[at] = (struct ptx_operand){.kind = PTX_O_PAIR};
	if (!operand_read(p, depth + 1))
		return false;
	close_group(p, at);
	return true;
}

static bool
read_simple(struct parser *p, unsigned depth)
{
	unsigned at = p->n_part;
	if (p->t.kind == TOK_WORD) {
		if (!read_name(p))
			return false;
		enum ptx_operand_kind kind = (enum ptx_operand_kind)p->part[at].kind;
		if (kind != PTX_O_VAR && kind != PTX_O_NAME)
			return true;
		if (!read_offset(p, &p->part[at].i))
			return false;
		return parse_is(p, '[') ? read_subscript(p, at, depth) : true;
	}
	if (parse_is(p, '{'))
		return read_list(p, PTX_O_VEC, '}', depth);
	if (parse_is(p, '['))
		return read_address(p, depth);
	if (parse_take(p, '!')) {
		if (p->t.kind != TOK_WORD)
			return parse_fail(p, &p->t, "expected a predicate after '!'");
		if (!read_name(p))
			return false;
		p->part[at].neg = true;
		return true;
	}
	if (p->t.kind == TOK_INT || p->t.kind == TOK_F32 || p->t.kind == TOK_F64 ||
		parse_is(p, '-') || parse_is(p, '~') || parse_is(p, '('))
		return read_value(p);
	return parse_fail(p, &p->t, "expected an operand");
}

bool
operand_read(struct parser *p, unsigned depth)
{
	unsigned at = p->n_part;
	if (depth > GROUPS_MAX)
		return parse_fail(p, &p->t, "operands are nested too deep");
	if (!read_simple(p, depth))
		return false;
	if (parse_is(p, '|'))
		return read_pair(p, at, depth);
	return !p->failed;
}

/* ---- calls and branches ---- */

void
operand_use_label(struct parser *p, unsigned part, bool table)
{
	arena_grow(p->a, p->uses, p->n_uses, p->cap_uses);
	p->uses[p->n_uses++] = (struct label_use){.part = part,
		.word = p->t,
		.scope = p->open[p->depth].number,
		.table = table};
}

bool
operand_read_label(struct parser *p, bool table)
{
	if (!parse_is_name(p))
		return parse_fail(p, &p->t, "expected a label");
	operand_use_label(p, p->n_part, table);
	add_part(p, table ? PTX_O_TABLE : PTX_O_LABEL);
	parse_next(p);
	return !p->failed;
}

static bool
read_group_or_nothing(struct parser *p)
{
	if (parse_is(p, '('))
		return read_list(p, PTX_O_LIST, ')', 0);
	add_part(p, PTX_O_LIST);
	return !p->failed;
}

/* A function may be called before anything was said about it. */
static bool
read_target(struct parser *p)
{
	if (!parse_is_name(p))
		return parse_fail(p, &p->t, "expected the function to call");
	struct token t = p->t;
	const struct sym *s = body_find(p, t.text, t.hash);
	if (s || t.text.s[0] == '%')
		return read_name(p);
	uint32_t index;
	if (!decl_func_index(p, &t, &index))
		return false;
	add_part(p, PTX_O_FUNC)->id = index;
	parse_next(p);
	return !p->failed;
}

/* call (r), f, (a), proto;  every list and the prototype may be missing */
bool
operand_read_call(struct parser *p)
{
	bool rets = parse_is(p, '(');
	if (!read_group_or_nothing(p) || (rets && !parse_expect(p, ',')))
		return false;
	if (!read_target(p))
		return false;
	bool more = parse_take(p, ',');
	bool args = more && parse_is(p, '(');
	if (!read_group_or_nothing(p))
		return false;
	if (args)
		more = parse_take(p, ',');
	if (!more)
		add_part(p, PTX_O_NONE);
	else if (!read_name(p))
		return false;
	return parse_expect(p, ';');
}
