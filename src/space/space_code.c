#include "space/space_code.h"

#include "space/space_range.h"

enum { CHAIN_MAX = 64 };

struct compiler {
	struct code *c;
	const uint32_t *names;
};

static uint32_t compile(const struct compiler *m, const struct expr_node *n);
static uint32_t compile_truth(const struct compiler *m, const struct expr_node *n);

/* --- registers ---------------------------------------------------------------------- */

static uint64_t
op_hash(const struct op *o)
{
	uint64_t h = (uint64_t)o->code << 8 | (uint64_t)o->fn;
	h = (h ^ o->x) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ o->y) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 32 ^ o->z) * 0x94d049bb133111ebu;
	return h ^ h >> 31;
}

static bool
op_same(const struct op *p, const struct op *q)
{
	return p->code == q->code && p->fn == q->fn && p->n == q->n && p->x == q->x &&
	       p->y == q->y && p->z == q->z;
}

static size_t
slot_of(const struct code *c, const struct op *o)
{
	size_t i = op_hash(o) & (c->n_slots - 1);
	while (c->slots[i] && !op_same(&c->ops[c->slots[i] - 1], o))
		i = (i + 1) & (c->n_slots - 1);
	return i;
}

static void
rehash(struct code *c)
{
	c->n_slots = c->n_slots ? c->n_slots * 2 : 256;
	c->slots = arena_news(c->a, c->n_slots, uint32_t);
	for (size_t i = 0; i < c->n; i++)
		if (c->ops[i].code != OP_PARAM)
			c->slots[slot_of(c, &c->ops[i])] = (uint32_t)i + 1;
}

static uint32_t
push(struct code *c, const struct op *o, struct reg r)
{
	if (c->n == CODE_OPS_MAX) {
		c->full = true;
		return (uint32_t)c->n - 1;
	}
	arena_grow(c->a, c->ops, c->n, c->cap);
	arena_grow(c->a, c->regs, c->n, c->cap_regs);
	c->ops[c->n] = *o;
	c->regs[c->n] = r;
	return (uint32_t)c->n++;
}

/* The register of an operation, an old one if there is an equal one. */
static uint32_t
enter(struct code *c, const struct op *o, struct reg r)
{
	if ((c->n + 1) * 4 > c->n_slots * 3)
		rehash(c);
	size_t slot = slot_of(c, o);
	if (c->slots[slot])
		return c->slots[slot] - 1;
	uint32_t at = push(c, o, r);
	if (c->full)
		return at;
	c->slots[slot] = at + 1;
	if (o->code == OP_CONST || o->level)
		return at;
	code_run(c, at);
	struct op *made = &c->ops[at];
	made->sure = c->regs[at].kind == REG_INT;
	made->low = made->high = made->sure ? c->regs[at].v.i : 0;
	return at;
}

uint32_t
code_param(struct code *c, const struct reg *values, size_t n, unsigned rank)
{
	struct op o = {.code = OP_PARAM, .level = rank + 1, .sure = true};
	for (size_t i = 0; i < n; i++) {
		const struct reg *r = &values[i];
		o.sure = o.sure && r->kind == REG_INT;
		o.low = i == 0 || r->v.i < o.low ? r->v.i : o.low;
		o.high = i == 0 || r->v.i > o.high ? r->v.i : o.high;
	}
	return push(c, &o, values[0]);
}

uint32_t
code_constant(struct code *c, struct reg r)
{
	uint64_t bits;
	memcpy(&bits, &r.v, sizeof bits);
	struct op o = {.code = OP_CONST,
		.x = (uint32_t)bits,
		.y = (uint32_t)(bits >> 32),
		.z = r.kind,
		.sure = r.kind == REG_INT};
	if (o.sure)
		o.low = o.high = r.v.i;
	return enter(c, &o, r);
}

static unsigned
level_of(const struct code *c, const struct op *o)
{
	unsigned level = 0;
	for (unsigned i = 0; i < o->n; i++)
		if (c->ops[o->from[i]].level > level)
			level = c->ops[o->from[i]].level;
	return level;
}

/* An "and", "or" or "if" whose first operand is known needs one of its operands only. */
static bool
chosen(const struct code *c, const struct op *o, uint32_t *only)
{
	const struct op *x = &c->ops[o->x];
	const struct reg *r = &c->regs[o->x];
	bool known = x->sure && (x->low > 0 || x->high < 0 || x->low == x->high);
	bool yes = x->sure && (x->low > 0 || x->high < 0);
	if (o->code < OP_AND || o->code > OP_IF)
		return false;
	if (!x->level && !x->sure) {
		known = true;
		yes = r->kind != REG_NONE && reg_true(r);
	}
	if (!known)
		return false;
	if (r->kind == REG_NONE && !x->level)
		*only = o->x;
	else if (o->code == OP_IF)
		*only = yes ? o->y : o->z;
	else
		*only = yes == (o->code == OP_AND) ? o->y : o->x;
	return true;
}

/* Operands that are not there stand for the first, so that all of them can be read. */
static uint32_t
emit(struct code *c, struct op o)
{
	bool swaps = o.code == OP_ADD || o.code == OP_MUL || o.code == OP_EQ ||
		     o.code == OP_NE;
	if (o.n < 2)
		o.y = o.x;
	if (o.n < 3)
		o.z = o.x;
	if (swaps && o.x > o.y) {
		uint32_t x = o.x;
		o.x = o.z = o.y;
		o.y = x;
	}
	o.level = level_of(c, &o);
	range_of(c, &o);
	if (o.sure && o.low == o.high)
		return code_constant(c, (struct reg){{.i = o.low}, REG_INT});
	uint32_t only;
	if (chosen(c, &o, &only))
		return only;
	return enter(c, &o, (struct reg){.kind = REG_NONE});
}

static uint32_t
emit1(struct code *c, enum op_code code, uint32_t x)
{
	return emit(c, (struct op){.code = code, .n = 1, .x = x});
}

static uint32_t
emit2(struct code *c, enum op_code code, uint32_t x, uint32_t y)
{
	return emit(c, (struct op){.code = code, .n = 2, .x = x, .y = y});
}

/* --- sums and products -------------------------------------------------------------- */

/* The tree as it is written. */
static uint32_t
chain_plain(const struct compiler *m, const struct expr_node *n, enum op_code code)
{
	uint32_t kid[2];
	for (size_t i = 0; i < 2; i++)
		kid[i] = n->kids[i]->op == n->op ? chain_plain(m, n->kids[i], code)
						 : compile(m, n->kids[i]);
	return emit2(m->c, code, kid[0], kid[1]);
}

static bool
chain_gather(const struct compiler *m, const struct expr_node *n, uint32_t *regs,
	size_t *n_regs)
{
	for (size_t i = 0; i < 2; i++) {
		if (n->kids[i]->op == n->op) {
			if (!chain_gather(m, n->kids[i], regs, n_regs))
				return false;
			continue;
		}
		if (*n_regs == CHAIN_MAX)
			return false;
		regs[(*n_regs)++] = compile(m, n->kids[i]);
	}
	return true;
}

static bool
comes_before(const struct code *c, uint32_t x, uint32_t y)
{
	unsigned p = c->ops[x].level, q = c->ops[y].level;
	return p != q ? p < q : x < y;
}

/* What is decided first is taken first, so that it is computed once and shared. */
static uint32_t
compile_chain(const struct compiler *m, const struct expr_node *n, enum op_code code)
{
	uint32_t regs[CHAIN_MAX];
	size_t n_regs = 0;
	struct code *c = m->c;
	if (!chain_gather(m, n, regs, &n_regs) || !range_any_order(c, code, regs, n_regs))
		return chain_plain(m, n, code);
	for (size_t i = 1; i < n_regs; i++) {
		uint32_t r = regs[i];
		size_t j = i;
		for (; j && comes_before(c, r, regs[j - 1]); j--)
			regs[j] = regs[j - 1];
		regs[j] = r;
	}
	uint32_t r = regs[0];
	for (size_t i = 1; i < n_regs; i++)
		r = emit2(c, code, r, regs[i]);
	return r;
}

/* --- expressions -------------------------------------------------------------------- */

static uint32_t
emit_compare(struct code *c, enum expr_compare op, uint32_t x, uint32_t y)
{
	switch (op) {
	case EXPR_LT: return emit2(c, OP_LT, x, y);
	case EXPR_LE: return emit2(c, OP_LE, x, y);
	case EXPR_GT: return emit2(c, OP_LT, y, x);
	case EXPR_GE: return emit2(c, OP_LE, y, x);
	case EXPR_EQ: return emit2(c, OP_EQ, x, y);
	case EXPR_NE: break;
	}
	return emit2(c, OP_NE, x, y);
}

static uint32_t
compile_compare(const struct compiler *m, const struct expr_node *n)
{
	uint32_t x = compile(m, n->kids[0]), all = 0;
	for (size_t i = 1; i < n->n_kids; i++) {
		uint32_t y = compile(m, n->kids[i]);
		uint32_t one = emit_compare(m->c, n->compare[i - 1], x, y);
		all = i == 1 ? one : emit2(m->c, OP_AND, all, one);
		x = y;
	}
	return all;
}

static uint32_t
compile_in(const struct compiler *m, const struct expr_node *n)
{
	struct code *c = m->c;
	uint32_t x = compile(m, n->kids[0]);
	uint32_t any = 0;
	if (n->n_kids == 1) /* false, but without a value where x has none */
		any = emit1(c, OP_NOT, emit2(c, OP_EQ, x, x));
	for (size_t i = 1; i < n->n_kids; i++) {
		uint32_t one = emit2(c, OP_EQ, x, compile(m, n->kids[i]));
		any = i == 1 ? one : emit2(c, OP_OR, any, one);
	}
	return n->op == EXPR_IN ? any : emit1(c, OP_NOT, any);
}

static uint32_t
compile_call(const struct compiler *m, const struct expr_node *n)
{
	uint32_t x = compile(m, n->kids[0]);
	bool extreme = n->fn == EXPR_FN_MIN || n->fn == EXPR_FN_MAX;
	if (n->n_kids == 1 && extreme)
		return x;
	if (n->n_kids == 1)
		return emit(
			m->c, (struct op){.code = OP_CALL, .fn = n->fn, .n = 1, .x = x});
	for (size_t i = 1; i < n->n_kids; i++)
		x = emit(m->c, (struct op){.code = OP_CALL,
				       .fn = n->fn,
				       .n = 2,
				       .x = x,
				       .y = compile(m, n->kids[i])});
	return x;
}

static uint32_t
compile_sign(const struct compiler *m, const struct expr_node *n)
{
	uint32_t zero = code_constant(m->c, (struct reg){.kind = REG_INT});
	uint32_t x = compile(m, n->kids[0]);
	return emit2(m->c, n->op == EXPR_NEG ? OP_SUB : OP_ADD, zero, x);
}

static uint32_t
compile_two(const struct compiler *m, const struct expr_node *n, enum op_code code)
{
	uint32_t x = compile(m, n->kids[0]);
	return emit2(m->c, code, x, compile(m, n->kids[1]));
}

static uint32_t
compile_if(const struct compiler *m, const struct expr_node *n,
	uint32_t (*part)(const struct compiler *, const struct expr_node *))
{
	uint32_t x = compile_truth(m, n->kids[0]), y = part(m, n->kids[1]);
	return emit(m->c,
		(struct op){
			.code = OP_IF, .n = 3, .x = x, .y = y, .z = part(m, n->kids[2])});
}

static uint32_t
compile(const struct compiler *m, const struct expr_node *n)
{
	switch (n->op) {
	case EXPR_CONST: return code_constant(m->c, reg_of(&n->value));
	case EXPR_NAME: return m->names[n->slot];
	case EXPR_NEG:
	case EXPR_PLUS: return compile_sign(m, n);
	case EXPR_NOT: return emit1(m->c, OP_NOT, compile_truth(m, n->kids[0]));
	case EXPR_AND: return compile_two(m, n, OP_AND);
	case EXPR_OR: return compile_two(m, n, OP_OR);
	case EXPR_IF: return compile_if(m, n, compile);
	case EXPR_COMPARE: return compile_compare(m, n);
	case EXPR_IN:
	case EXPR_NOT_IN: return compile_in(m, n);
	case EXPR_CALL: return compile_call(m, n);
	case EXPR_ADD: return compile_chain(m, n, OP_ADD);
	case EXPR_MUL: return compile_chain(m, n, OP_MUL);
	case EXPR_SUB: return compile_two(m, n, OP_SUB);
	case EXPR_DIV: return compile_two(m, n, OP_DIV);
	case EXPR_FLOOR_DIV: return compile_two(m, n, OP_FLOOR_DIV);
	case EXPR_MOD: return compile_two(m, n, OP_MOD);
	case EXPR_POW: return compile_two(m, n, OP_POW);
	}
	return 0;
}

/* Where only the truth counts, 0 and 1 are enough: fewer values to tell apart. */
static uint32_t
compile_truth(const struct compiler *m, const struct expr_node *n)
{
	uint32_t x;
	switch (n->op) {
	case EXPR_AND:
	case EXPR_OR:
		x = compile_truth(m, n->kids[0]);
		return emit2(m->c, n->op == EXPR_AND ? OP_AND : OP_OR, x,
			compile_truth(m, n->kids[1]));
	case EXPR_IF: return compile_if(m, n, compile_truth);
	case EXPR_NOT:
	case EXPR_COMPARE:
	case EXPR_IN:
	case EXPR_NOT_IN: return compile(m, n);
	case EXPR_CONST:
	case EXPR_NAME:
	case EXPR_NEG:
	case EXPR_PLUS:
	case EXPR_CALL:
	case EXPR_ADD:
	case EXPR_MUL:
	case EXPR_SUB:
	case EXPR_DIV:
	case EXPR_FLOOR_DIV:
	case EXPR_MOD:
	case EXPR_POW: break;
	}
	return emit1(m->c, OP_TRUTH, compile(m, n));
}

uint32_t
code_expr(struct code *c, const struct expr *e, const uint32_t *names)
{
	struct compiler m = {c, names};
	return compile_truth(&m, e->root);
}

uint64_t *
code_params(struct arena *a, const struct code *c)
{
	uint64_t *masks = arena_news(a, c->n, uint64_t);
	for (size_t i = 0; i < c->n; i++) {
		const struct op *o = &c->ops[i];
		if (o->code == OP_PARAM)
			masks[i] = UINT64_C(1) << i;
		for (unsigned j = 0; j < o->n; j++)
			masks[i] |= masks[o->from[j]];
	}
	return masks;
}
