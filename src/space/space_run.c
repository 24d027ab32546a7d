#include "space/space_code.h"

struct reg
reg_of(const struct value *v)
{
	struct reg r = {.kind = REG_INT};
	if (v->kind == VALUE_REAL) {
		r.kind = REG_REAL;
		r.v.f = v->f;
	} else if (v->kind == VALUE_STRING) {
		r.kind = REG_STRING;
		r.v.s = &v->s;
	} else {
		r.v.i = v->i;
	}
	return r;
}

bool
reg_true(const struct reg *r)
{
	return r->kind == REG_INT    ? r->v.i != 0
	       : r->kind == REG_REAL ? r->v.f != 0
				     : r->v.s->n > 0;
}

static struct value
value_of(const struct reg *r)
{
	if (r->kind == REG_REAL)
		return (struct value){.kind = VALUE_REAL, .f = r->v.f};
	if (r->kind == REG_STRING)
		return (struct value){.kind = VALUE_STRING, .s = *r->v.s};
	return (struct value){.kind = VALUE_INT, .i = r->v.i};
}

static void
set_int(struct reg *r, int64_t i)
{
	r->kind = REG_INT;
	r->v.i = i;
}

static bool
arithmetic(struct code *c, const struct op *o, struct value *v, struct value *out,
	struct str *why)
{
	static const enum expr_op names[] = {
		[OP_ADD] = EXPR_ADD,
		[OP_SUB] = EXPR_SUB,
		[OP_MUL] = EXPR_MUL,
		[OP_DIV] = EXPR_DIV,
		[OP_FLOOR_DIV] = EXPR_FLOOR_DIV,
		[OP_MOD] = EXPR_MOD,
		[OP_POW] = EXPR_POW,
	};
	if (o->code == OP_CALL)
		return value_call(&c->scratch, o->fn, v, o->n, out, why);
	return value_arithmetic(&c->scratch, names[o->code], &v[0], &v[1], out, why);
}

static bool
compare(const struct op *o, const struct value *v, struct value *out)
{
	int order = 0;
	*out = (struct value){.kind = VALUE_INT};
	if (o->code == OP_EQ || o->code == OP_NE)
		out->i = value_same(&v[0], &v[1]) == (o->code == OP_EQ);
	else if (value_compare(&v[0], &v[1], &order))
		out->i = o->code == OP_LT ? order < 0 : order <= 0;
	else
		return false;
	return true;
}

/* What expr_value.c says: reals, strings, functions, and where integers end. */
static void
run_any(struct code *c, const struct op *o, struct reg *r)
{
	struct value v[2] = {value_of(&c->regs[o->x]), value_of(&c->regs[o->y])};
	struct value out;
	struct str why;
	struct arena_mark m = arena_mark(&c->scratch);
	bool compares = o->code >= OP_LT && o->code <= OP_NE;
	bool ok = compares ? compare(o, v, &out) : arithmetic(c, o, v, &out, &why);
	if (!ok) {
		r->kind = REG_NONE;
	} else if (out.kind == VALUE_STRING) {
		/* min() and max() give one of their operands. */
		*r = c->regs[out.s.s == v[0].s.s ? o->x : o->y];
	} else {
		*r = reg_of(&out);
	}
	arena_pop(&c->scratch, m);
}

/* Two integers, the common case; false where it takes more than this. */
static bool
run_ints(const struct op *o, int64_t x, int64_t y, int64_t *out)
{
	switch (o->code) {
	case OP_ADD: return !__builtin_add_overflow(x, y, out);
	case OP_SUB: return !__builtin_sub_overflow(x, y, out);
	case OP_MUL: return !__builtin_mul_overflow(x, y, out);
	case OP_LT: return *out = x < y, true;
	case OP_LE: return *out = x <= y, true;
	case OP_EQ: return *out = x == y, true;
	case OP_NE: return *out = x != y, true;
	case OP_MOD:
		if (y == 0 || y == -1)
			return false;
		return *out = value_floor_mod(x, y), true;
	case OP_DIV:
		if (y == 0 || y == -1 || x % y != 0)
			return false;
		return *out = x / y, true;
	case OP_FLOOR_DIV:
		if (y == 0 || y == -1)
			return false;
		return *out = value_floor_div(x, y), true;
	case OP_PARAM:
	case OP_CONST:
	case OP_POW:
	case OP_NOT:
	case OP_TRUTH:
	case OP_AND:
	case OP_OR:
	case OP_IF:
	case OP_CALL: break;
	}
	return false;
}

static void
run_two(struct code *c, const struct op *o, struct reg *r)
{
	const struct reg *x = &c->regs[o->x], *y = &c->regs[o->y];
	int64_t i;
	if (x->kind == REG_INT && y->kind == REG_INT && run_ints(o, x->v.i, y->v.i, &i))
		set_int(r, i);
	else if (x->kind == REG_NONE || y->kind == REG_NONE)
		r->kind = REG_NONE;
	else
		run_any(c, o, r);
}

void
code_run(struct code *c, uint32_t op)
{
	const struct op *o = &c->ops[op];
	const struct reg *x = &c->regs[o->x];
	struct reg *r = &c->regs[op];
	if (o->code < OP_NOT || o->code == OP_CALL) {
		run_two(c, o, r);
		return;
	}
	if (x->kind == REG_NONE)
		r->kind = REG_NONE;
	else if (o->code == OP_NOT || o->code == OP_TRUTH)
		set_int(r, reg_true(x) == (o->code == OP_TRUTH));
	else if (o->code == OP_IF)
		*r = c->regs[reg_true(x) ? o->y : o->z];
	else
		*r = reg_true(x) == (o->code == OP_AND) ? c->regs[o->y] : *x;
}

void
code_release(struct code *c)
{
	arena_release(&c->scratch);
}
