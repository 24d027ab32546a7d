/* Instructions that meet nobody: operands, loads, arithmetic, calls. */
#include "simt/mask.h"
#include "simt/memory.h"
#include "simt/simt.h"
#include "value/affine.h"
#include "value/eval.h"

struct val
step_unknown(struct sim *s, unsigned flags)
{
	return val_sym(sym_fresh(&s->d, flags));
}

/* ---- registers ---- */

uint32_t
step_slot(const struct sim *s, const struct group *g, uint32_t value)
{
	const struct slice_func *f = sim_func(s, g);
	uint32_t slot = value < f->n_values ? f->slot[value] : PTX_NONE;

	return slot == PTX_NONE ? PTX_NONE : s->frame[g->frame].base + slot;
}

void
step_write_slot(struct sim *s, struct world *w, const struct lmask *mask, uint32_t slot,
	const struct val *v)
{
	struct val *r = world_reg(s, w, slot);
	struct lmask alive = world_alive(s, w);

	if (r->kind == VAL_NONE || !lmask_exceeds(&alive, mask)) {
		*r = *v;
		return;
	}
	struct val old = *r;
	*world_reg(s, w, slot) = val_select(&s->d, mask, v, &old);
}

void
step_write(struct sim *s, struct world *w, const struct group *g, ptx_reg r,
	const struct val *v)
{
	uint32_t slot = step_slot(s, g, r);

	if (slot != PTX_NONE)
		step_write_slot(s, w, &g->mask, slot, v);
}

struct val
step_reg(struct sim *s, struct world *w, const struct group *g, ptx_reg r)
{
	uint32_t slot = step_slot(s, g, r);
	struct val v = {.kind = VAL_NONE};

	if (slot != PTX_NONE)
		v = world_get(w, slot);
	if (v.kind == VAL_NONE) {
		const struct slice_func *f = sim_func(s, g);
		bool pred = f->f->regs[r].type == PTX_T_pred;

		/* never written: whatever it holds */
		return step_unknown(s, SYM_DIV | SYM_TAINT_MEM | (pred ? SYM_BOOL : 0));
	}
	return v;
}

unsigned
step_reg_bits(const struct sim *s, const struct group *g, ptx_reg r)
{
	unsigned bits = ptx_type_bits(sim_func(s, g)->f->regs[r].type);

	return bits ? bits : 64;
}

static struct val
address_of(struct sim *s, const struct group *g, const struct ptx_operand *o)
{
	bool local = o->kind == PTX_O_VAR && s->m->vars[o->id].space == PTX_SPACE_LOCAL;
	/* every activation of a function has its own */
	struct cell arg[3] = {
		cell_int(o->kind), cell_int(o->id), cell_int(local ? g->frame : 0)};
	struct val v =
		val_sym(sym_make(&s->d, SYM_ADDRESS, 0, arg, 3, local ? SYM_LOCAL : 0));

	return o->i ? eval_offset(&s->d, &v, o->i) : v;
}

struct val
step_read(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *o)
{
	struct val v;

	if (!o)
		return step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_O_REG:
		if (o->part)
			break;
		v = step_reg(s, w, g, o->id);
		return o->neg ? val_not(&s->d, &v) : v;
	case PTX_O_INT:
	case PTX_O_F32:
	case PTX_O_F64: return val_int((uint64_t)o->i);
	case PTX_O_SREG: return step_sreg(s, o);
	case PTX_O_VAR:
	case PTX_O_FUNC:
	case PTX_O_NAME: return address_of(s, g, o);
	case PTX_O_ADDR: {
		struct val b = step_read(s, w, g, ptx_part(o, 0));

		return eval_offset(&s->d, &b, o->i);
	}
	case PTX_O_NONE:
	case PTX_O_SINK:
	case PTX_O_LABEL:
	case PTX_O_TABLE:
	case PTX_O_PROTO:
	case PTX_O_VEC:
	case PTX_O_PAIR:
	case PTX_O_LIST: break;
	}
	return step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
}

bool
step_value_wanted(const struct sim *s, const struct group *g, uint32_t value)
{
	const struct slice_func *f = sim_func(s, g);

	return value < f->n_values && f->slot[value] != PTX_NONE;
}

bool
step_wanted(const struct sim *s, const struct group *g, const struct ptx_operand *o)
{
	struct ptx_walk w;
	ptx_reg r;

	if (!o)
		return false;
	w = ptx_operand_regs(o);
	while (ptx_walk_next(&w, &r))
		if (step_value_wanted(s, g, r))
			return true;
	return false;
}

/* ---- writing under a guard ---- */

void
step_put_slot(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t slot, const struct val *v)
{
	if (slot == PTX_NONE)
		return;
	if (ins->guard == PTX_NONE || ins->split) {
		step_write_slot(s, w, &g->mask, slot, v);
		return;
	}
	struct val p = step_reg(s, w, g, ins->guard);
	if (ins->guard_neg)
		p = val_not(&s->d, &p);
	if (p.kind == VAL_INT) {
		if (p.i & 1)
			step_write_slot(s, w, &g->mask, slot, v);
		return;
	}
	struct val old = world_get(w, slot), x = affine_forget(&s->d, v);
	old = affine_forget(&s->d, &old);
	struct val r = val_phi(&s->d, &p, &x, &old);
	step_write_slot(s, w, &g->mask, slot, &r);
}

static struct val
cut(struct sim *s, const struct group *g, ptx_reg r, struct val v)
{
	if (v.kind == VAL_INT)
		v.i &= bits_mask(step_reg_bits(s, g, r));
	return v;
}

void
step_put(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	const struct ptx_operand *o, struct val v)
{
	if (o->kind != PTX_O_REG || o->part)
		return;
	v = cut(s, g, o->id, v);
	step_put_slot(s, w, g, ins, step_slot(s, g, o->id), &v);
}

/* Every register of an operand becomes step_unknown. */
void
step_put_unknown(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct ptx_operand *o, unsigned flags)
{
	struct ptx_walk walk = ptx_operand_regs(o);
	ptx_reg r;

	while (ptx_walk_next(&walk, &r)) {
		uint32_t slot = step_slot(s, g, r);
		bool pred = sim_func(s, g)->f->regs[r].type == PTX_T_pred;

		if (slot == PTX_NONE)
			continue;
		struct val v = step_unknown(s, flags | (pred ? SYM_BOOL : 0));
		step_put_slot(s, w, g, ins, slot, &v);
	}
}

/* ---- arithmetic ---- */

static unsigned
type_bits(const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;

	return f->n_types ? ptx_type_bits(f->type[f->n_types - 1]) : 0;
}

static struct cell
part_cell(struct domain *d, struct cell c, unsigned index, unsigned bits)
{
	if (!c.s)
		return cell_int(c.v >> (index * bits) & bits_mask(bits));
	return cell_sym(
		sym_make(d, SYM_PART, index << 8 | bits, &c, 1, sym_div(d, &c, 1)));
}

/* mov.b64 {%r1, %r2}, %rd */
static void
unpack(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);
	struct val v = step_read(s, w, g, ptx_operand(ins, 1));
	unsigned n = ptx_parts(d), bits = n ? type_bits(ins) / n : 0;
	bool ok = bits > 0 && type_bits(ins) <= 64;

	v = affine_forget(&s->d, &v);
	for (unsigned k = 0; k < n; k++) {
		const struct ptx_operand *o = ptx_part(d, k);

		if (o->kind != PTX_O_REG || !step_value_wanted(s, g, o->id))
			continue;
		if (!ok) {
			step_put(s, w, g, ins, o,
				step_unknown(s, SYM_DIV | SYM_TAINT_MEM));
			continue;
		}
		if (v.kind == VAL_INT || v.kind == VAL_SYM) {
			step_put(s, w, g, ins, o,
				val_of_cell(part_cell(&s->d, val_flat(&v), k, bits)));
			continue;
		}
		for (unsigned t = 0; t < s->d.n; t++) {
			struct cell c = part_cell(&s->d, val_cell(&s->d, &v, t), k, bits);

			s->d.tv[t] = c.v;
			s->d.ts[t] = c.s;
		}
		domain_work(&s->d, s->d.n);
		step_put(s, w, g, ins, o, val_pack(&s->d, s->d.tv, s->d.ts));
	}
}

static struct cell
pack_cells(struct domain *d, const struct cell *x, unsigned n, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++) {
		if (x[i].s)
			return cell_sym(
				sym_make(d, SYM_PACK, bits, x, n, sym_div(d, x, n)));
		v |= (x[i].v & bits_mask(bits)) << (i * bits);
	}
	return cell_int(v);
}

/* mov.b64 %rd, {%r1, %r2} */
static void
pack(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *src = ptx_operand(ins, 1);
	unsigned n = ptx_parts(src), bits = n ? type_bits(ins) / n : 0;
	struct val v[EVAL_ARGS_MAX];
	struct cell x[EVAL_ARGS_MAX];
	bool flat = true;

	if (!n || n > EVAL_ARGS_MAX || !bits || type_bits(ins) > 64) {
		step_put_unknown(
			s, w, g, ins, ptx_operand(ins, 0), SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		struct val p = step_read(s, w, g, ptx_part(src, k));

		v[k] = affine_forget(&s->d, &p);
		flat = flat && (v[k].kind == VAL_INT || v[k].kind == VAL_SYM);
		x[k] = flat ? val_flat(&v[k]) : cell_int(0);
	}
	if (flat) {
		step_put(s, w, g, ins, ptx_operand(ins, 0),
			val_of_cell(pack_cells(&s->d, x, n, bits)));
		return;
	}
	for (unsigned t = 0; t < s->d.n; t++) {
		for (unsigned k = 0; k < n; k++)
			x[k] = val_cell(&s->d, &v[k], t);
		struct cell c = pack_cells(&s->d, x, n, bits);

		s->d.tv[t] = c.v;
		s->d.ts[t] = c.s;
	}
	domain_work(&s->d, s->d.n);
	step_put(s, w, g, ins, ptx_operand(ins, 0), val_pack(&s->d, s->d.tv, s->d.ts));
}

static void
setp(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	const struct ptx_operand *d = ptx_operand(ins, 0);
	struct val a[2], c, n = val_int(0), p = val_int(0);

	if (f->n_types != 1 || f->odd || ins->n_ops < 3 ||
		ptx_type_bits(f->type[0]) > 64 ||
		(f->sub != PTX_SUB_NONE && ins->n_ops < 4)) {
		step_put_unknown(s, w, g, ins, d, SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		a[i] = step_read(s, w, g, ptx_operand(ins, i + 1));
	c = eval_setp(&s->d, f, a);
	if (f->sub != PTX_SUB_NONE)
		p = step_read(s, w, g, ptx_operand(ins, 3));
	if (d->kind == PTX_O_PAIR) {
		n = val_not(&s->d, &c);
		if (f->sub != PTX_SUB_NONE)
			n = eval_combine(&s->d, f->sub, &n, &p);
	}
	if (f->sub != PTX_SUB_NONE)
		c = eval_combine(&s->d, f->sub, &c, &p);
	if (d->kind != PTX_O_PAIR) {
		step_put(s, w, g, ins, d, c);
		return;
	}
	step_put(s, w, g, ins, ptx_part(d, 0), c);
	step_put(s, w, g, ins, ptx_part(d, 1), n);
}

static bool
is_vector(const struct ptx_operand *o)
{
	return o && (o->kind == PTX_O_VEC || o->kind == PTX_O_PAIR);
}

static void
compute(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	const struct ptx_operand *d = ptx_operand(ins, 0);
	unsigned n = ins->n_ops - 1u;
	struct val a[EVAL_ARGS_MAX];
	bool plain = d->kind == PTX_O_REG && !d->part && n <= EVAL_ARGS_MAX &&
		     f->vec == 1 && !PTX_HAS(f, CC) && f->op != PTX_ADDC &&
		     f->op != PTX_SUBC && f->op != PTX_MADC;

	for (unsigned i = 0; i < n && plain; i++) {
		const struct ptx_operand *o = ptx_operand(ins, i + 1);

		plain = !is_vector(o);
		a[i] = plain ? step_read(s, w, g, o) : val_int(0);
	}
	if (!plain || f->nature != PTX_N_ALU || !n || f->op == PTX_ALLOCA ||
		f->op == PTX_STACKSAVE) {
		step_put_unknown(s, w, g, ins, d,
			SYM_DIV | SYM_TAINT_MEM | undefined_sources(s, w, g, ins));
		return;
	}
	struct val v = eval_value(&s->d, f, a, n, step_reg_bits(s, g, d->id));
	step_put_slot(s, w, g, ins, step_slot(s, g, d->id), &v);
}

/* PTX ISA "activemask": the lanes that execute it together.  Which they are is not
 * promised, but each of them gets the same mask and is in it. */
static void
active_mask(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	uint64_t v[LANES_MAX] = {0}, serial = ++s->next_load;
	uint32_t sy[LANES_MAX] = {0};

	if (ins->guard != PTX_NONE && !ins->split) {
		step_put_unknown(
			s, w, g, ins, ptx_operand(ins, 0), SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t act = lmask_warp(&g->mask, i), list;

		if (!act)
			continue;
		list = mask_list(s, w, g, i, act, NULL, 0);
		for (unsigned t = i * 32; t < i * 32 + 32 && t < s->d.n; t++)
			if (act >> (t & 31) & 1)
				sy[t] = mask_class(s, list, t, serial, MASK_ACTIVE).s;
	}
	domain_work(&s->d, s->d.n);
	step_put(s, w, g, ins, ptx_operand(ins, 0), val_pack(&s->d, v, sy));
}

static void
put_unknowns(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	for (unsigned k = 0; k < ins->n_dst; k++)
		step_put_unknown(s, w, g, ins, ptx_operand(ins, k),
			SYM_DIV | SYM_TAINT_MEM | undefined_sources(s, w, g, ins));
}

void
step_plain(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);
	uint32_t var, bytes;
	int64_t off;

	if (!d)
		return;
	if (s->trace)
		undefined_use(s, w, g, ins);
	switch ((int)ins->form->nature) {
	case PTX_N_LOAD: step_load(s, w, g, ins); return;
	case PTX_N_STORE:
		if (slice_param_access(ins, &var, &off, &bytes))
			step_store_param(s, w, g, ins, var, off, bytes);
		else
			memory_write(s, w, g, ins);
		return;
	case PTX_N_ATOM:
		memory_write(s, w, g, ins);
		put_unknowns(s, w, g, ins);
		return;
	case PTX_N_ACTIVEMASK: active_mask(s, w, g, ins); return;
	case PTX_N_ALU: break;
	default: put_unknowns(s, w, g, ins); return;
	}
	if (ins->form->op == PTX_SETP)
		setp(s, w, g, ins);
	else if (ins->form->op == PTX_MOV && d->kind == PTX_O_VEC)
		unpack(s, w, g, ins);
	else if (ins->form->op == PTX_MOV && ptx_operand(ins, 1) &&
		 ptx_operand(ins, 1)->kind == PTX_O_VEC)
		pack(s, w, g, ins);
	else
		compute(s, w, g, ins);
}
