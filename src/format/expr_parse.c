#include "base/arena.h"
#include "format/expr_lex.h"

/* Brackets, signs and conditionals inside one another; the parser recurses on them. */
enum { NEST_MAX = 100 };

struct parser {
	struct arena *a;
	struct expr *e;
	struct lexer l;
	size_t nest;
	size_t cap_names, cap_at;
};

static const struct expr_node *
fail(struct parser *p, size_t offset, struct str message)
{
	word_fail(&p->l, offset, message);
	return NULL;
}

static const struct expr_node *
fail_here(struct parser *p, const char *message)
{
	return fail(p, p->l.start, str_of(message));
}

static const struct expr_node *parse_condition(struct parser *p);
static const struct expr_node *parse_factor(struct parser *p);

static struct expr_node *
node_new(struct parser *p, enum expr_op op, size_t n_kids)
{
	struct expr_node *n = arena_new(p->a, struct expr_node);
	n->op = op;
	n->n_kids = n_kids;
	n->kids = arena_news(p->a, n_kids, const struct expr_node *);
	return n;
}

static const struct expr_node *
node_two(struct parser *p, enum expr_op op, const struct expr_node *x,
	const struct expr_node *y)
{
	if (!x || !y)
		return NULL;
	struct expr_node *n = node_new(p, op, 2);
	n->kids[0] = x;
	n->kids[1] = y;
	return n;
}

static void
node_push(struct parser *p, struct expr_node *n, size_t *cap, const struct expr_node *kid)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	arena_grow(p->a, n->kids, n->n_kids, *cap);
	n->kids[n->n_kids++] = kid;
}

static size_t
name_slot(struct parser *p, struct str name, size_t offset)
{
	struct expr *e = p->e;
	for (size_t i = 0; i < e->n_names; i++)
		if (str_eq(e->names[i], name))
			return i;
	arena_grow(p->a, e->names, e->n_names, p->cap_names);
	arena_grow(p->a, e->name_at, e->n_names, p->cap_at);
	e->names[e->n_names] = name;
	e->name_at[e->n_names] = offset;
	return e->n_names++;
}

/* Elements up to the closing mark, appended after n->kids[0..n_kids). */
static bool
parse_list(struct parser *p, struct expr_node *n, const char *close)
{
	size_t cap = n->n_kids;
	while (!word_is(&p->l, close)) {
		const struct expr_node *kid = parse_condition(p);
		if (!kid)
			return false;
		node_push(p, n, &cap, kid);
		if (!word_is(&p->l, close) && !word_take(&p->l, ",")) {
			fail(p, p->l.start,
				str_fmt(p->a, "a ',' or '%s' is missing here", close));
			return false;
		}
	}
	return word_take(&p->l, close);
}

static const struct {
	const char *name;
	size_t least, most;
} functions[N_EXPR_FNS] = {
#define X(id, name, least, most) {name, least, most},
	EXPR_FUNCTIONS(X)
#undef X
};

static const struct expr_node *
fail_function(struct parser *p, struct str name, size_t offset)
{
	struct str names[N_EXPR_FNS];
	for (size_t i = 0; i < N_EXPR_FNS; i++)
		names[i] = str_of(functions[i].name);
	struct str near = str_nearest(name, names, N_EXPR_FNS);
	if (near.n)
		return fail(p, offset,
			str_fmt(p->a, "unknown function '%.*s' (did you mean '%.*s'?)",
				STR_ARG(name), STR_ARG(near)));
	return fail(p, offset, str_fmt(p->a, "unknown function '%.*s'", STR_ARG(name)));
}

static const struct expr_node *
parse_call(struct parser *p, struct str name, size_t offset)
{
	size_t f = 0;
	while (f < N_EXPR_FNS && !str_is(name, functions[f].name))
		f++;
	if (f == N_EXPR_FNS)
		return fail_function(p, name, offset);
	struct expr_node *n = node_new(p, EXPR_CALL, 0);
	n->fn = (enum expr_fn)f;
	if (!parse_list(p, n, ")"))
		return NULL;
	size_t least = functions[f].least, most = functions[f].most;
	if (n->n_kids < least || (most && n->n_kids > most))
		return fail(p, offset,
			str_fmt(p->a, "%s() takes %s%zu argument%s, not %zu",
				functions[f].name, most ? "" : "at least ", least,
				str_plural(least), n->n_kids));
	return n;
}

static bool
is_keyword(struct str s)
{
	static const char *const words[] = {"and", "or", "not", "in", "if", "else"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(s, words[i]))
			return true;
	return false;
}

static const struct expr_node *
parse_name(struct parser *p)
{
	struct str name = p->l.t.text;
	size_t offset = p->l.start;
	if (is_keyword(name))
		return fail(p, offset,
			str_fmt(p->a, "a value is missing before '%.*s'", STR_ARG(name)));
	word_next(&p->l);
	if (word_take(&p->l, "("))
		return parse_call(p, name, offset);
	struct expr_node *n = node_new(p, EXPR_NAME, 0);
	n->slot = name_slot(p, name, offset);
	return n;
}

static const struct expr_node *
parse_atom(struct parser *p)
{
	if (p->l.t.kind == TOKEN_CONST) {
		struct expr_node *n = node_new(p, EXPR_CONST, 0);
		n->value = p->l.t.value;
		word_next(&p->l);
		return n;
	}
	if (p->l.t.kind == TOKEN_NAME)
		return parse_name(p);
	if (p->l.t.kind == TOKEN_END)
		return fail_here(p, p->e->text.n ? "the expression ends too early"
						 : "the expression is empty");
	if (!word_take(&p->l, "("))
		return fail(p, p->l.start,
			str_fmt(p->a, "a value is missing before '%.*s'",
				STR_ARG(p->l.t.text)));
	const struct expr_node *n = parse_condition(p);
	if (n && word_is(&p->l, ","))
		return fail_here(p, "a list belongs after 'in' only");
	if (n && !word_take(&p->l, ")"))
		return fail_here(p, "a ')' is missing here");
	return n;
}

static const struct expr_node *
parse_power(struct parser *p)
{
	const struct expr_node *x = parse_atom(p);
	if (!x || !word_take(&p->l, "**"))
		return x;
	return node_two(p, EXPR_POW, x, parse_factor(p));
}

static const struct expr_node *
parse_unary(struct parser *p, enum expr_op op,
	const struct expr_node *(*operand)(struct parser *))
{
	if (++p->nest > NEST_MAX)
		return fail_here(p, "nested too deeply");
	const struct expr_node *x = operand(p);
	p->nest--;
	if (!x)
		return NULL;
	struct expr_node *n = node_new(p, op, 1);
	n->kids[0] = x;
	return n;
}

static const struct expr_node *
parse_factor(struct parser *p)
{
	if (word_take(&p->l, "-"))
		return parse_unary(p, EXPR_NEG, parse_factor);
	if (word_take(&p->l, "+"))
		return parse_unary(p, EXPR_PLUS, parse_factor);
	if (++p->nest > NEST_MAX)
		return fail_here(p, "nested too deeply");
	const struct expr_node *x = parse_power(p);
	p->nest--;
	return x;
}

static const struct expr_node *
parse_term(struct parser *p)
{
	const struct expr_node *x = parse_factor(p);
	while (x) {
		if (word_take(&p->l, "*"))
			x = node_two(p, EXPR_MUL, x, parse_factor(p));
		else if (word_take(&p->l, "/"))
			x = node_two(p, EXPR_DIV, x, parse_factor(p));
		else if (word_take(&p->l, "//"))
			x = node_two(p, EXPR_FLOOR_DIV, x, parse_factor(p));
		else if (word_take(&p->l, "%"))
			x = node_two(p, EXPR_MOD, x, parse_factor(p));
		else
			break;
	}
	return x;
}

static const struct expr_node *
parse_sum(struct parser *p)
{
	const struct expr_node *x = parse_term(p);
	while (x) {
		if (word_take(&p->l, "+"))
			x = node_two(p, EXPR_ADD, x, parse_term(p));
		else if (word_take(&p->l, "-"))
			x = node_two(p, EXPR_SUB, x, parse_term(p));
		else
			break;
	}
	return x;
}

static bool
take_compare(struct parser *p, enum expr_compare *op)
{
	static const char *const marks[] = {"<", "<=", ">", ">=", "==", "!="};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (word_take(&p->l, marks[i])) {
			*op = (enum expr_compare)i;
			return true;
		}
	return false;
}

static const struct expr_node *
parse_in(struct parser *p, const struct expr_node *x, enum expr_op op)
{
	struct expr_node *n = node_new(p, op, 1);
	n->kids[0] = x;
	bool square = word_is(&p->l, "[");
	if (!word_take(&p->l, "[") && !word_take(&p->l, "("))
		return fail_here(p, "'in' takes a list: x in (1, 2)");
	if (!parse_list(p, n, square ? "]" : ")"))
		return NULL;
	enum expr_compare other;
	if (take_compare(p, &other))
		return fail_here(p, "'in' does not chain with a comparison: use 'and'");
	return n;
}

static const struct expr_node *
parse_comparison(struct parser *p)
{
	const struct expr_node *x = parse_sum(p);
	if (x && word_take(&p->l, "in"))
		return parse_in(p, x, EXPR_IN);
	if (x && word_take(&p->l, "not"))
		return word_take(&p->l, "in")
			       ? parse_in(p, x, EXPR_NOT_IN)
			       : fail_here(p, "'in' is missing after 'not'");
	enum expr_compare op, *ops = NULL;
	struct expr_node *n = NULL;
	size_t cap = 1, cap_ops = 0;
	while (x && take_compare(p, &op)) {
		if (!n) {
			n = node_new(p, EXPR_COMPARE, 1);
			n->kids[0] = x;
		}
		arena_grow(p->a, ops, n->n_kids - 1, cap_ops);
		ops[n->n_kids - 1] = op;
		x = parse_sum(p);
		node_push(p, n, &cap, x);
	}
	if (!x || !n)
		return x;
	n->compare = ops;
	return n;
}

static const struct expr_node *
parse_not(struct parser *p)
{
	if (word_take(&p->l, "not"))
		return parse_unary(p, EXPR_NOT, parse_not);
	return parse_comparison(p);
}

static const struct expr_node *
parse_and(struct parser *p)
{
	const struct expr_node *x = parse_not(p);
	while (x && word_take(&p->l, "and"))
		x = node_two(p, EXPR_AND, x, parse_not(p));
	return x;
}

static const struct expr_node *
parse_or(struct parser *p)
{
	const struct expr_node *x = parse_and(p);
	while (x && word_take(&p->l, "or"))
		x = node_two(p, EXPR_OR, x, parse_and(p));
	return x;
}

static const struct expr_node *
parse_condition(struct parser *p)
{
	if (++p->nest > NEST_MAX)
		return fail_here(p, "nested too deeply");
	const struct expr_node *x = parse_or(p);
	if (x && word_take(&p->l, "if")) {
		struct expr_node *n = node_new(p, EXPR_IF, 3);
		n->kids[1] = x;
		n->kids[0] = parse_or(p);
		if (n->kids[0] && !word_take(&p->l, "else"))
			return fail_here(p, "'else' is missing after 'if'");
		n->kids[2] = n->kids[0] ? parse_condition(p) : NULL;
		x = n->kids[2] ? n : NULL;
	}
	p->nest--;
	return x;
}

struct expr *
expr_parse(struct arena *a, struct str text, struct place at, struct diag *d)
{
	struct expr *e = arena_new(a, struct expr);
	*e = (struct expr){.text = text, .at = at};
	struct parser p = {.a = a, .e = e, .l = {.a = a, .e = e, .d = d}};
	if (text.n > EXPR_TEXT_MAX)
		return fail_here(&p, "this expression is too long (at most 4096 bytes)"),
		       NULL;
	word_next(&p.l);
	e->root = p.l.failed ? NULL : parse_condition(&p);
	if (!p.l.failed && p.l.t.kind != TOKEN_END)
		fail(&p, p.l.start, str_fmt(a, "unexpected '%.*s'", STR_ARG(p.l.t.text)));
	return p.l.failed ? NULL : e;
}

struct expr *
expr_int(struct arena *a, int64_t v, struct place at)
{
	struct expr *e = arena_new(a, struct expr);
	struct expr_node *n = arena_new(a, struct expr_node);
	n->value = (struct value){.kind = VALUE_INT, .i = v};
	*e = (struct expr){.text = value_text(a, n->value), .at = at, .root = n};
	return e;
}

struct str
expr_text(const struct expr *e)
{
	return e->text;
}

struct place
expr_place(const struct expr *e)
{
	return e->at;
}

size_t
expr_names(const struct expr *e, const struct str **names)
{
	*names = e->names;
	return e->n_names;
}

struct place
expr_name_place(const struct expr *e, size_t i)
{
	return expr_place_at(e, e->name_at[i]);
}
