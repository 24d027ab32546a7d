#include "slice/pointee.h"

struct finder {
	struct points *p;
	const struct slice *s;
	struct arena *a;
	uint32_t func;
	bool changed;
};

bool
points_is_access(const struct ptx_ins *ins, unsigned *address)
{
	const struct ptx_form *f = ins->form;

	switch ((int)f->op) {
	case PTX_LD:
	case PTX_LDU:
	case PTX_ATOM: *address = 1; break;
	case PTX_ST:
	case PTX_RED: *address = 0; break;
	default: return false;
	}
	const struct ptx_operand *o = ptx_operand(ins, *address);
	return o && o->kind == PTX_O_ADDR && f->n_types > 0;
}

bool
points_is_write(const struct ptx_ins *ins)
{
	return ins->form->op == PTX_ST || ins->form->op == PTX_RED ||
	       ins->form->op == PTX_ATOM;
}

/* ---- classes ---- */

static void
escape(struct finder *f, uint32_t class)
{
	if (class < POINTS_VAR || f->p->escaped[class - POINTS_VAR])
		return;
	f->p->escaped[class - POINTS_VAR] = true;
	f->changed = true;
}

static uint32_t
mixed(struct finder *f, uint32_t a, uint32_t b)
{
	escape(f, a);
	escape(f, b);
	return POINTS_ANY;
}

static uint32_t
either(struct finder *f, uint32_t a, uint32_t b)
{
	if (a == b || b == POINTS_NOWHERE)
		return a;
	if (a == POINTS_NOWHERE)
		return b;
	return mixed(f, a, b);
}

/* Base and index, in any order. */
static uint32_t
sum(struct finder *f, uint32_t a, uint32_t b)
{
	if (a >= POINTS_VAR && b >= POINTS_VAR)
		return mixed(f, a, b);
	return a > b ? a : b;
}

static uint32_t
difference(struct finder *f, uint32_t a, uint32_t b)
{
	if (b < POINTS_VAR)
		return a;
	return a >= POINTS_VAR ? (uint32_t)POINTS_NOWHERE : mixed(f, a, b);
}

static void
raise_value(struct finder *f, uint32_t func, uint32_t value, uint32_t class)
{
	uint32_t *at = f->p->at[func];

	if (!at)
		return;
	uint32_t now = either(f, at[value], class);
	if (now == at[value])
		return;
	at[value] = now;
	f->changed = true;
}

static uint32_t
class_of_var(const struct points *p, const struct slice *s, uint32_t v)
{
	enum ptx_space space = s->m->vars[v].space;

	if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL)
		return POINTS_VAR + p->first[v];
	return space == PTX_SPACE_PARAM ? POINTS_ANY : POINTS_GLOBAL;
}

static uint32_t
class_of(struct finder *f, const struct ptx_operand *o)
{
	uint32_t r = POINTS_NOWHERE;

	if (!o)
		return r;
	switch ((int)o->kind) {
	case PTX_O_REG: return f->p->at[f->func][o->id];
	case PTX_O_VAR: return class_of_var(f->p, f->s, o->id);
	case PTX_O_NAME: return POINTS_ANY;
	case PTX_O_ADDR: return class_of(f, ptx_part(o, 0));
	case PTX_O_VEC:
	case PTX_O_PAIR:
	case PTX_O_LIST:
		for (unsigned k = 0; k < ptx_parts(o); k++)
			r = either(f, r, class_of(f, ptx_part(o, k)));
		return r;
	default: return r;
	}
}

/* Too narrow, or a float or predicate: no address. */
static bool
holds_address(const struct finder *f, ptx_reg r)
{
	enum ptx_type t = f->s->funcs[f->func].f->regs[r].type;
	char class = ptx_type_class(t);

	return ptx_type_bits(t) >= 32 && class != 'f' && class != 'p';
}

static void
put(struct finder *f, const struct ptx_ins *ins, unsigned k, uint32_t class)
{
	struct ptx_walk w = ptx_operand_regs(ptx_operand(ins, k));
	ptx_reg r;

	while (ptx_walk_next(&w, &r)) {
		if (holds_address(f, r))
			raise_value(f, f->func, r, class);
		else
			escape(f, class);
	}
}

/* ---- what instructions make of addresses ---- */

static uint32_t
alu(struct finder *f, const struct ptx_ins *ins)
{
	const struct ptx_form *m = ins->form;
	uint32_t c[3] = {0}, r = POINTS_NOWHERE;
	unsigned n = ins->n_ops > ins->n_dst ? (unsigned)(ins->n_ops - ins->n_dst) : 0u;

	for (unsigned i = 0; i < 3 && i < n; i++)
		c[i] = class_of(f, ptx_operand(ins, ins->n_dst + i));
	switch ((int)m->op) {
	case PTX_MOV:
	case PTX_CVT:
	case PTX_CVTA: return c[0];
	case PTX_ADD:
	case PTX_AND:
	case PTX_OR:
	case PTX_XOR: return sum(f, c[0], c[1]);
	case PTX_SUB: return difference(f, c[0], c[1]);
	case PTX_SELP:
	case PTX_MIN:
	case PTX_MAX: return either(f, c[0], c[1]);
	case PTX_MAD:
		escape(f, c[0]);
		escape(f, c[1]);
		return c[2];
	case PTX_SETP: return r;
	default: break;
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t x = class_of(f, ptx_operand(ins, ins->n_dst + i));

		if (x >= POINTS_VAR)
			r = mixed(f, r, x);
	}
	return r;
}

static void
load(struct finder *f, const struct ptx_ins *ins)
{
	const struct slice_func *sf = &f->s->funcs[f->func];
	uint32_t var, bytes, p;
	int64_t off;

	if (!slice_param_access(ins, &var, &off, &bytes)) {
		put(f, ins, 0, POINTS_ANY);
		return;
	}
	const struct ptx_operand *d = ptx_operand(ins, 0);
	const struct ptx_var *v = &f->s->m->vars[var];
	if (v->func == f->func && v->param != PTX_NONE && sf->f->entry) {
		bool wide = bytes * 8 >= f->s->m->address_bits;

		put(f, ins, 0, wide ? POINTS_GLOBAL : POINTS_NOWHERE);
		return;
	}
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = d->kind == PTX_O_VEC ? ptx_part(d, k) : d;

		p = slice_piece_find(sf, var, off + (int64_t)k * bytes, bytes);
		if (o->kind != PTX_O_REG || !holds_address(f, o->id))
			continue;
		bool known = p != PTX_NONE && !sf->piece[p].mixed;
		raise_value(f, f->func, o->id,
			known ? f->p->at[f->func][sf->f->n_regs + p] : POINTS_ANY);
	}
}

static void
store(struct finder *f, const struct ptx_ins *ins)
{
	const struct slice_func *sf = &f->s->funcs[f->func];
	const struct ptx_operand *o = ptx_operand(ins, 1);
	uint32_t var, bytes, p;
	int64_t off;

	if (!slice_param_access(ins, &var, &off, &bytes)) {
		escape(f, class_of(f, o));
		return;
	}
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		uint32_t class = class_of(f, o->kind == PTX_O_VEC ? ptx_part(o, k) : o);

		p = slice_piece_find(sf, var, off + (int64_t)k * bytes, bytes);
		if (p == PTX_NONE || sf->piece[p].mixed)
			escape(f, class);
		else
			raise_value(f, f->func, sf->f->n_regs + p, class);
	}
}

/* ---- calls ---- */

/* Pieces of `from` in one function become those of `to` in another. */
static void
pass_pieces(struct finder *f, uint32_t func_from, uint32_t from, uint32_t func_to,
	uint32_t to)
{
	const struct slice_func *a = &f->s->funcs[func_from], *b = &f->s->funcs[func_to];

	for (uint32_t i = 0; i < b->n_pieces; i++) {
		const struct slice_piece *x = &b->piece[i];
		uint32_t q, class = POINTS_ANY;

		if (x->var != to)
			continue;
		q = slice_piece_find(a, from, x->offset, x->bytes);
		if (q != PTX_NONE && !a->piece[q].mixed && !x->mixed)
			class = f->p->at[func_from][a->f->n_regs + q];
		raise_value(f, func_to, b->f->n_regs + i, class);
	}
	for (uint32_t i = 0; i < a->n_pieces; i++)
		if (a->piece[i].var == from && slice_piece_find(b, to, a->piece[i].offset,
						       a->piece[i].bytes) == PTX_NONE)
			escape(f, f->p->at[func_from][a->f->n_regs + i]);
}

static void
pass_operand(struct finder *f, const struct ptx_operand *o, uint32_t func, uint32_t var)
{
	const struct slice_func *b = &f->s->funcs[func];

	if (o && o->kind == PTX_O_VAR) {
		pass_pieces(f, f->func, o->id, func, var);
		return;
	}
	for (uint32_t i = 0; i < b->n_pieces; i++)
		if (b->piece[i].var == var)
			raise_value(f, func, b->f->n_regs + i, class_of(f, o));
}

static void
take_result(struct finder *f, const struct ptx_operand *o, uint32_t func, uint32_t var)
{
	const struct slice_func *b = &f->s->funcs[func];

	if (o->kind == PTX_O_VAR) {
		pass_pieces(f, func, var, f->func, o->id);
		return;
	}
	for (uint32_t i = 0; i < b->n_pieces; i++)
		if (b->piece[i].var == var && o->kind == PTX_O_REG)
			raise_value(f, f->func, o->id, f->p->at[func][b->f->n_regs + i]);
}

static void
escape_var(struct finder *f, uint32_t var)
{
	const struct slice_func *a = &f->s->funcs[f->func];

	for (uint32_t i = 0; i < a->n_pieces; i++)
		if (a->piece[i].var == var)
			escape(f, f->p->at[f->func][a->f->n_regs + i]);
}

/* Nothing is known of the callee. */
static void
call_unknown(struct finder *f, const struct ptx_call *c)
{
	const struct slice_func *a = &f->s->funcs[f->func];

	for (unsigned k = 0; c->args && k < ptx_parts(c->args); k++) {
		const struct ptx_operand *o = ptx_part(c->args, k);

		if (o->kind == PTX_O_VAR)
			escape_var(f, o->id);
		else
			escape(f, class_of(f, o));
	}
	for (unsigned k = 0; c->rets && k < ptx_parts(c->rets); k++) {
		const struct ptx_operand *o = ptx_part(c->rets, k);

		if (o->kind == PTX_O_REG)
			raise_value(f, f->func, o->id, POINTS_ANY);
		for (uint32_t i = 0; i < a->n_pieces; i++)
			if (o->kind == PTX_O_VAR && a->piece[i].var == o->id)
				raise_value(f, f->func, a->f->n_regs + i, POINTS_ANY);
	}
}

static void
call(struct finder *f, const struct ptx_ins *ins)
{
	struct ptx_call c = ptx_call_of(ins);
	const struct ptx_func *to = slice_callee(f->s->m, ins);

	if (!to || !f->p->at[to->index]) {
		call_unknown(f, &c);
		return;
	}
	for (uint32_t k = 0; k < to->n_params; k++)
		pass_operand(f, c.args ? ptx_part(c.args, k) : NULL, to->index,
			to->params + k);
	for (uint32_t k = 0; c.rets && k < ptx_parts(c.rets) && k < to->n_rets; k++)
		take_result(f, ptx_part(c.rets, k), to->index, to->rets + k);
}

/* A function whose address is taken may be called with anything that escaped. */
static void
note_taken(struct finder *f, const struct ptx_ins *ins)
{
	const struct ptx_operand *target =
		ins->form->op == PTX_CALL ? ptx_call_of(ins).target : NULL;

	for (uint32_t k = 0; k < ins->n_entries; k++) {
		const struct ptx_operand *o = &ins->ops[k];

		if (o->kind != PTX_O_FUNC || o == target)
			continue;
		const struct ptx_func *to = &f->s->m->funcs[f->s->m->funcs[o->id].body];
		const struct slice_func *b = &f->s->funcs[to->index];
		for (uint32_t i = 0; f->p->at[to->index] && i < b->n_pieces; i++) {
			const struct ptx_var *v = &f->s->m->vars[b->piece[i].var];

			if (v->func == to->index && v->param != PTX_NONE && !v->ret)
				raise_value(f, to->index, b->f->n_regs + i, POINTS_ANY);
		}
	}
}

static void
instruction(struct finder *f, const struct ptx_ins *ins)
{
	note_taken(f, ins);
	switch ((int)ins->form->nature) {
	case PTX_N_ALU: {
		uint32_t class = alu(f, ins);

		for (unsigned k = 0; k < ins->n_dst; k++)
			put(f, ins, k, class);
		return;
	}
	case PTX_N_LOAD: load(f, ins); return;
	case PTX_N_STORE: store(f, ins); return;
	case PTX_N_CALL: call(f, ins); return;
	case PTX_N_BARRIER:
	case PTX_N_BRANCH:
	case PTX_N_SWITCH: return;
	default: break;
	}
	if (ins->form->op == PTX_SHFL) {
		put(f, ins, 0, class_of(f, ptx_operand(ins, 1)));
		return;
	}
	for (unsigned k = ins->n_dst; k < ins->n_ops; k++)
		if (ptx_operand(ins, k)->kind != PTX_O_ADDR)
			escape(f, class_of(f, ptx_operand(ins, k)));
	for (unsigned k = 0; k < ins->n_dst; k++)
		put(f, ins, k, POINTS_ANY);
}

/* ---- all of it ---- */

static void
each_instruction(struct finder *f)
{
	for (uint32_t k = 0; k < f->s->m->n_funcs; k++) {
		const struct slice_func *sf = &f->s->funcs[k];

		if (!f->p->at[k])
			continue;
		f->func = k;
		for (uint32_t i = 0; i < sf->f->n_ins; i++) {
			if (sf->c->bb[sf->c->bb_of[i]].reachable)
				instruction(f, &sf->f->ins[i]);
		}
	}
}

static void
find_variables(struct finder *f)
{
	const struct ptx_module *m = f->s->m;
	uint32_t dynamic = PTX_NONE;

	for (uint32_t v = 0; v < m->n_vars; v++) {
		const struct ptx_var *x = &m->vars[v];

		f->p->first[v] = v;
		f->p->follow[v] =
			x->space == PTX_SPACE_SHARED || x->space == PTX_SPACE_LOCAL;
		if (x->space != PTX_SPACE_SHARED || !x->dynamic)
			continue;
		if (dynamic == PTX_NONE)
			dynamic = v;
		f->p->first[v] = dynamic;
	}
}

uint32_t
points_of_operand(const struct points *p, const struct slice *s, uint32_t func,
	const struct ptx_operand *o)
{
	o = ptx_part(o, 0);
	if (o && o->kind == PTX_O_REG)
		return p->at[func][o->id];
	if (o && o->kind == PTX_O_VAR)
		return class_of_var(p, s, o->id);
	return o && o->kind == PTX_O_INT ? (uint32_t)POINTS_NOWHERE
					 : (uint32_t)POINTS_ANY;
}

uint32_t
points_of(const struct points *p, const struct slice *s, uint32_t func,
	const struct ptx_ins *ins)
{
	unsigned address;

	return points_is_access(ins, &address)
		       ? points_of_operand(p, s, func, ptx_operand(ins, address))
		       : (uint32_t)POINTS_ANY;
}

struct points *
points_find(struct arena *a, const struct slice *s)
{
	struct points *p = arena_new(a, struct points);
	struct finder f = {.p = p, .s = s, .a = a};

	p->at = arena_news(a, s->m->n_funcs, uint32_t *);
	p->escaped = arena_news(a, s->m->n_vars + 1, bool);
	p->follow = arena_news(a, s->m->n_vars + 1, bool);
	p->first = arena_news(a, s->m->n_vars + 1, uint32_t);
	for (uint32_t k = 0; k < s->m->n_funcs; k++)
		if (s->funcs[k].used)
			p->at[k] = arena_news(a, s->funcs[k].n_values + 1, uint32_t);
	find_variables(&f);
	do {
		f.changed = false;
		each_instruction(&f);
	} while (f.changed);
	points_follow(a, p, s);
	return p;
}
