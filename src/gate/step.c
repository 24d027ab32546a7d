/* Instructions that meet nobody: operands, loads, arithmetic, calls. */
#include "gate/affine.h"
#include "gate/eval.h"
#include "gate/simt.h"

enum { CALL_DEPTH_MAX = 16 };

static uint64_t
ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static struct val
unknown(struct sim *s, unsigned flags)
{
	return val_sym(sym_fresh(&s->d, flags));
}

/* ---- registers ---- */

static uint32_t
slot_of(const struct sim *s, const struct group *g, uint32_t value)
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
	uint32_t slot = slot_of(s, g, r);

	if (slot != PTX_NONE)
		step_write_slot(s, w, &g->mask, slot, v);
}

struct val
step_reg(struct sim *s, struct world *w, const struct group *g, ptx_reg r)
{
	uint32_t slot = slot_of(s, g, r);
	struct val v = {.kind = VAL_NONE};

	if (slot != PTX_NONE)
		v = world_get(w, slot);
	if (v.kind == VAL_NONE) {
		const struct slice_func *f = sim_func(s, g);
		bool pred = f->f->regs[r].type == PTX_T_pred;

		/* never written: whatever it holds */
		return unknown(s, SYM_DIV | SYM_TAINT_MEM | (pred ? SYM_BOOL : 0));
	}
	return v;
}

static unsigned
reg_bits(const struct sim *s, const struct group *g, ptx_reg r)
{
	unsigned bits = ptx_type_bits(sim_func(s, g)->f->regs[r].type);

	return bits ? bits : 64;
}

/* ---- operands ---- */

static struct val
lane_values(struct sim *s, uint64_t (*fn)(unsigned lane))
{
	for (unsigned t = 0; t < s->d.n; t++)
		s->d.tv[t] = fn(t & 31);
	return val_pack(&s->d, s->d.tv, NULL);
}

static uint64_t
lane_id(unsigned l)
{
	return l;
}

static uint64_t
lane_eq(unsigned l)
{
	return UINT64_C(1) << l;
}

static uint64_t
lane_lt(unsigned l)
{
	return (UINT64_C(1) << l) - 1;
}

static uint64_t
lane_le(unsigned l)
{
	return (UINT64_C(2) << l) - 1;
}

static uint64_t
lane_gt(unsigned l)
{
	return UINT32_MAX & ~lane_le(l);
}

static uint64_t
lane_ge(unsigned l)
{
	return UINT32_MAX & ~lane_lt(l);
}

static int
axis_of(char part)
{
	return part == 'y' ? 1 : part == 'z' ? 2 : part == 'x' || part == 0 ? 0 : -1;
}

static uint64_t
dim_axis(const struct dim *d, int axis)
{
	return axis == 0 ? d->x : axis == 1 ? d->y : d->z;
}

static struct val
warp_id(struct sim *s)
{
	uint64_t v[LANES_MAX] = {0};
	uint32_t sy[LANES_MAX] = {0};

	/* PTX ISA: %warpid may change during execution and need not be tid/32 */
	for (unsigned t = 0; t < s->d.n; t++) {
		struct cell c = cell_int(t / 32);

		sy[t] = sym_make(&s->d, SYM_SREG, PTX_SREG_WARPID, &c, 1, SYM_TAINT_MEM);
	}
	return val_pack(&s->d, v, sy);
}

static struct val
read_sreg(struct sim *s, const struct ptx_operand *o)
{
	const struct launch *l = &s->q->launch;
	int axis = axis_of(o->part);
	bool in3 = axis >= 0;

	switch ((int)o->id) {
	case PTX_SREG_TID: return in3 ? s->tid[axis] : val_int(0);
	case PTX_SREG_NTID: return val_int(in3 ? dim_axis(&l->block, axis) : 1);
	case PTX_SREG_CTAID: return in3 ? affine_ctaid(&s->d, axis) : val_int(0);
	case PTX_SREG_NCTAID: return val_int(in3 ? dim_axis(&l->grid, axis) : 1);
	case PTX_SREG_LANEID: return lane_values(s, lane_id);
	case PTX_SREG_LANEMASK_EQ: return lane_values(s, lane_eq);
	case PTX_SREG_LANEMASK_LT: return lane_values(s, lane_lt);
	case PTX_SREG_LANEMASK_LE: return lane_values(s, lane_le);
	case PTX_SREG_LANEMASK_GT: return lane_values(s, lane_gt);
	case PTX_SREG_LANEMASK_GE: return lane_values(s, lane_ge);
	case PTX_SREG_WARPID: return warp_id(s);
	case PTX_SREG_CLUSTER_NCTAID:
		return val_int(in3 ? dim_axis(&l->cluster, axis) : 1);
	case PTX_SREG_CLUSTER_NCTARANK: return val_int(dim_volume(l->cluster));
	case PTX_SREG_DYNAMIC_SMEM: return val_int(l->shared_bytes);
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK_HI:
	case PTX_SREG_CLOCK64:
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO:
	case PTX_SREG_GLOBALTIMER_HI: return unknown(s, SYM_DIV | SYM_TAINT_MEM);
	case PTX_SREG_UNKNOWN:
	case PTX_SREG_NWARPID:
	case PTX_SREG_SMID:
	case PTX_SREG_NSMID:
	case PTX_SREG_GRIDID:
	case PTX_SREG_CLUSTERID:
	case PTX_SREG_NCLUSTERID:
	case PTX_SREG_CLUSTER_CTAID:
	case PTX_SREG_CLUSTER_CTARANK:
	default: break;
	}
	/* %smid may change while a block runs; the others are the same for the block */
	if (o->id == PTX_SREG_SMID)
		return unknown(s, SYM_DIV | SYM_TAINT_MEM);
	if (o->id == PTX_SREG_UNKNOWN)
		return val_sym(sym_make(&s->d, SYM_SREG, (uint64_t)o->i << 8 | 1, NULL, 0,
			SYM_TAINT_MEM));
	return val_sym(sym_make(&s->d, SYM_SREG,
		(uint64_t)o->id << 16 | (uint64_t)(unsigned char)o->part << 8, NULL, 0,
		SYM_TAINT_CTAID | SYM_TAINT_MEM));
}

static struct val
address_of(struct sim *s, const struct ptx_operand *o)
{
	struct cell arg[2] = {cell_int(o->kind), cell_int(o->id)};
	struct val v = val_sym(sym_make(&s->d, SYM_ADDRESS, 0, arg, 2, 0));

	return o->i ? eval_offset(&s->d, &v, o->i) : v;
}

struct val
step_read(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *o)
{
	struct val v;

	if (!o)
		return unknown(s, SYM_DIV | SYM_TAINT_MEM);
	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_O_REG:
		if (o->part)
			break;
		v = step_reg(s, w, g, o->id);
		return o->neg ? val_not(&s->d, &v) : v;
	case PTX_O_INT: return val_int((uint64_t)o->i);
	case PTX_O_F32:
	case PTX_O_F64: return val_int((uint64_t)o->i);
	case PTX_O_SREG: return read_sreg(s, o);
	case PTX_O_VAR:
	case PTX_O_FUNC:
	case PTX_O_NAME: return address_of(s, o);
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
	return unknown(s, SYM_DIV | SYM_TAINT_MEM);
}

static bool
value_wanted(const struct sim *s, const struct group *g, uint32_t value)
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
		if (value_wanted(s, g, r))
			return true;
	return false;
}

/* ---- writing under a guard ---- */

static void
put_slot(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t slot, const struct val *v)
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
		v.i &= ones(reg_bits(s, g, r));
	return v;
}

static void
put(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	const struct ptx_operand *o, struct val v)
{
	if (o->kind != PTX_O_REG || o->part)
		return;
	v = cut(s, g, o->id, v);
	put_slot(s, w, g, ins, slot_of(s, g, o->id), &v);
}

/* Every register of an operand becomes unknown. */
static void
put_unknown(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct ptx_operand *o, unsigned flags)
{
	struct ptx_walk walk = ptx_operand_regs(o);
	ptx_reg r;

	while (ptx_walk_next(&walk, &r)) {
		uint32_t slot = slot_of(s, g, r);
		bool pred = sim_func(s, g)->f->regs[r].type == PTX_T_pred;

		if (slot == PTX_NONE)
			continue;
		struct val v = unknown(s, flags | (pred ? SYM_BOOL : 0));
		put_slot(s, w, g, ins, slot, &v);
	}
}

/* ---- loads and stores ---- */

static const struct ptx_operand *
part_of(const struct ptx_operand *o, unsigned k)
{
	return o->kind == PTX_O_VEC ? ptx_part(o, k) : o;
}

/* The bytes of a kernel argument, if they were given. */
static bool
argument(const struct sim *s, const struct ptx_var *v, int64_t off, uint32_t bytes,
	enum ptx_type type, uint64_t *out)
{
	const struct gate_arg *a;

	if (v->param == PTX_NONE || v->param >= s->q->n_args || bytes > 8 || off < 0)
		return false;
	a = &s->q->args[v->param];
	if (a->kind != GATE_ARG_BYTES || (uint64_t)off + bytes > a->n)
		return false;
	*out = 0;
	for (uint32_t i = 0; i < bytes; i++)
		*out |= (uint64_t)a->bytes[(uint64_t)off + i] << (8 * i);
	if (ptx_type_class(type) == 's' && bytes < 8 && *out >> (8 * bytes - 1) & 1)
		*out |= UINT64_MAX << (8 * bytes);
	return true;
}

static struct val
load_piece(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes)
{
	const struct slice_func *f = sim_func(s, g);
	const struct ptx_var *v = &s->m->vars[var];
	uint32_t p = slice_piece_find(f, var, off, bytes);
	enum ptx_type type = ins->form->type[ins->form->n_types - 1];
	bool own = v->func == f->f->index && v->param != PTX_NONE && f->f->entry;
	uint64_t known;

	if (own && argument(s, v, off, bytes, type, &known))
		return val_int(known);
	if (own) {
		struct cell arg[3] = {cell_int(var), cell_int((uint64_t)off),
			cell_int((uint64_t)bytes << 8 | type)};

		return val_sym(sym_make(&s->d, SYM_PARAM, 0, arg, 3, SYM_TAINT_ARG));
	}
	if (p == PTX_NONE || f->piece[p].mixed)
		return unknown(s, SYM_DIV | SYM_TAINT_MEM);
	uint32_t slot = slot_of(s, g, f->f->n_regs + p);
	struct val x =
		slot == PTX_NONE ? (struct val){.kind = VAL_NONE} : world_get(w, slot);
	return x.kind == VAL_NONE ? unknown(s, SYM_DIV | SYM_TAINT_MEM) : x;
}

static void
load_param(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);

	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = part_of(d, k);

		if (o->kind == PTX_O_REG && value_wanted(s, g, o->id))
			put(s, w, g, ins, o,
				load_piece(s, w, g, ins, var, off + (int64_t)k * bytes,
					bytes));
	}
}

static void
store_param(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes)
{
	const struct slice_func *f = sim_func(s, g);
	const struct ptx_operand *src = ptx_operand(ins, 1);

	for (unsigned k = 0; k < slice_parts(ins); k++) {
		uint32_t p = slice_piece_find(f, var, off + (int64_t)k * bytes, bytes);
		uint32_t slot =
			p == PTX_NONE ? PTX_NONE : slot_of(s, g, f->f->n_regs + p);

		if (slot == PTX_NONE)
			continue;
		struct val v = step_read(s, w, g, part_of(src, k));
		if (v.kind == VAL_INT)
			v.i &= ones(bytes * 8);
		put_slot(s, w, g, ins, slot, &v);
	}
}

/*
 * Equal addresses in one execution of a load give equal values, if the program has no
 * data race; read-only memory gives equal values at any time.  What other threads may
 * write while we read (volatile, relaxed, acquire), and what each thread has to itself
 * (local), is another unknown in every lane.
 */
static bool
is_shared_read(const struct ptx_form *f)
{
	return (f->op == PTX_LD || f->op == PTX_LDU) && f->space != PTX_SPACE_LOCAL &&
	       (f->sem == PTX_SEM_NONE || f->sem == PTX_SEM_WEAK);
}

static struct val
load_value(struct sim *s, const struct val *address, uint64_t tag)
{
	struct domain *d = &s->d;
	uint64_t v[LANES_MAX];
	uint32_t sy[LANES_MAX];

	if (address->kind == VAL_INT || address->kind == VAL_SYM) {
		struct cell c = val_flat(address);

		return val_sym(sym_make(
			d, SYM_LOAD, tag, &c, 1, sym_div(d, &c, 1) | SYM_TAINT_MEM));
	}
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = val_cell(d, address, t);

		v[t] = 0;
		sy[t] = sym_make(d, SYM_LOAD, tag, &c, 1, SYM_TAINT_MEM);
	}
	domain_work(d, d->n);
	return val_pack(d, v, sy);
}

static void
load(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	const struct ptx_operand *d = ptx_operand(ins, 0), *from = ptx_operand(ins, 1);
	uint32_t var, bytes;
	int64_t off;

	if (!d || !step_wanted(s, g, d))
		return;
	if (slice_param_access(ins, &var, &off, &bytes)) {
		load_param(s, w, g, ins, var, off, bytes);
		return;
	}
	if (!is_shared_read(f) || !from || from->kind != PTX_O_ADDR) {
		put_unknown(s, w, g, ins, d, SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	struct val a = step_read(s, w, g, from);
	a = affine_forget(&s->d, &a);
	bool fixed = PTX_HAS(f, NC) || f->space == PTX_SPACE_CONST ||
		     f->space == PTX_SPACE_PARAM;
	uint64_t when = fixed ? 0 : ++s->next_load;
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = part_of(d, k);
		uint64_t type = f->n_types ? f->type[f->n_types - 1] : 0;

		if (o->kind == PTX_O_REG && value_wanted(s, g, o->id))
			put(s, w, g, ins, o,
				load_value(s, &a,
					when << 16 | type << 8 | (uint64_t)f->vec << 4 |
						k));
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
		return cell_int(c.v >> (index * bits) & ones(bits));
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

		if (o->kind != PTX_O_REG || !value_wanted(s, g, o->id))
			continue;
		if (!ok) {
			put(s, w, g, ins, o, unknown(s, SYM_DIV | SYM_TAINT_MEM));
			continue;
		}
		if (v.kind == VAL_INT || v.kind == VAL_SYM) {
			put(s, w, g, ins, o,
				val_of_cell(part_cell(&s->d, val_flat(&v), k, bits)));
			continue;
		}
		for (unsigned t = 0; t < s->d.n; t++) {
			struct cell c = part_cell(&s->d, val_cell(&s->d, &v, t), k, bits);

			s->d.tv[t] = c.v;
			s->d.ts[t] = c.s;
		}
		domain_work(&s->d, s->d.n);
		put(s, w, g, ins, o, val_pack(&s->d, s->d.tv, s->d.ts));
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
		v |= (x[i].v & ones(bits)) << (i * bits);
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
		put_unknown(s, w, g, ins, ptx_operand(ins, 0), SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		struct val p = step_read(s, w, g, ptx_part(src, k));

		v[k] = affine_forget(&s->d, &p);
		flat = flat && (v[k].kind == VAL_INT || v[k].kind == VAL_SYM);
		x[k] = flat ? val_flat(&v[k]) : cell_int(0);
	}
	if (flat) {
		put(s, w, g, ins, ptx_operand(ins, 0),
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
	put(s, w, g, ins, ptx_operand(ins, 0), val_pack(&s->d, s->d.tv, s->d.ts));
}

static void
setp(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	const struct ptx_operand *d = ptx_operand(ins, 0);
	struct val a[2], c, n;

	if (f->n_types != 1 || f->odd || ins->n_ops < 3 ||
		ptx_type_bits(f->type[0]) > 64 ||
		(f->sub != PTX_SUB_NONE && ins->n_ops < 4)) {
		put_unknown(s, w, g, ins, d, SYM_DIV | SYM_TAINT_MEM);
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		a[i] = step_read(s, w, g, ptx_operand(ins, i + 1));
	c = eval_setp(&s->d, f, a);
	n = val_not(&s->d, &c);
	if (f->sub != PTX_SUB_NONE) {
		struct val p = step_read(s, w, g, ptx_operand(ins, 3));

		c = eval_combine(&s->d, f->sub, &c, &p);
		n = eval_combine(&s->d, f->sub, &n, &p);
	}
	if (d->kind != PTX_O_PAIR) {
		put(s, w, g, ins, d, c);
		return;
	}
	put(s, w, g, ins, ptx_part(d, 0), c);
	put(s, w, g, ins, ptx_part(d, 1), n);
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
	if (!plain || f->nature != PTX_N_ALU || !n) {
		put_unknown(s, w, g, ins, d,
			SYM_DIV | SYM_TAINT_MEM | undefined_sources(s, w, g, ins));
		return;
	}
	struct val v = eval_value(&s->d, f, a, n, reg_bits(s, g, d->id));
	put_slot(s, w, g, ins, slot_of(s, g, d->id), &v);
}

static void
active_mask(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	uint64_t v[LANES_MAX] = {0};
	uint32_t sy[LANES_MAX], x = 0;

	for (unsigned t = 0; t < s->d.n; t++) {
		if (t % 32 == 0)
			x = sym_fresh(&s->d, SYM_TAINT_MEM);
		sy[t] = x;
	}
	put(s, w, g, ins, ptx_operand(ins, 0), val_pack(&s->d, v, sy));
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
	case PTX_N_LOAD: load(s, w, g, ins); return;
	case PTX_N_STORE:
		if (slice_param_access(ins, &var, &off, &bytes))
			store_param(s, w, g, ins, var, off, bytes);
		return;
	case PTX_N_ACTIVEMASK: active_mask(s, w, g, ins); return;
	case PTX_N_ALU: break;
	default:
		for (unsigned k = 0; k < ins->n_dst; k++)
			put_unknown(s, w, g, ins, ptx_operand(ins, k),
				SYM_DIV | SYM_TAINT_MEM |
					undefined_sources(s, w, g, ins));
		return;
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

/* ---- calls ---- */

static uint32_t
frame_of(struct sim *s, uint32_t up, const struct ptx_ins *ins, uint32_t func)
{
	for (uint32_t i = 0; i < s->n_frames; i++)
		if (s->frame[i].up == up && s->frame[i].ins == ins &&
			s->frame[i].func == func)
			return i;
	size_t cap = s->cap_frames;
	if (s->n_frames >= s->cap_frames)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof s->frame[0]);
	arena_grow(s->mem, s->frame, s->n_frames, cap);
	s->cap_frames = (uint32_t)cap;
	s->frame[s->n_frames] = (struct frame){func, up, ins, s->n_slots};
	s->n_slots += s->s->funcs[func].n_slots;
	if (s->n_slots > 1 << 20)
		domain_stop(&s->d, STOP_BUDGET, "memory");
	return s->n_frames++;
}

/* Copies the pieces of variable `from` of one frame to variable `to` of another. */
static void
copy_pieces(struct sim *s, struct world *w, const struct lmask *mask, uint32_t frame_from,
	uint32_t from, uint32_t frame_to, uint32_t to)
{
	const struct slice_func *a = &s->s->funcs[s->frame[frame_from].func];
	const struct slice_func *b = &s->s->funcs[s->frame[frame_to].func];

	for (uint32_t i = 0; i < b->n_pieces; i++) {
		const struct slice_piece *p = &b->piece[i];
		uint32_t slot = b->slot[b->f->n_regs + i], q;
		struct val v = {.kind = VAL_NONE};

		if (p->var != to || slot == PTX_NONE)
			continue;
		q = slice_piece_find(a, from, p->offset, p->bytes);
		if (q != PTX_NONE && !a->piece[q].mixed &&
			a->slot[a->f->n_regs + q] != PTX_NONE)
			v = world_get(
				w, s->frame[frame_from].base + a->slot[a->f->n_regs + q]);
		if (v.kind == VAL_NONE)
			v = unknown(s, SYM_DIV | SYM_TAINT_MEM);
		step_write_slot(s, w, mask, s->frame[frame_to].base + slot, &v);
	}
}

static void
pass_arguments(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_func *to, const struct ptx_operand *args, uint32_t frame)
{
	const struct slice_func *b = &s->s->funcs[to->index];

	for (uint32_t k = 0; k < to->n_params; k++) {
		const struct ptx_operand *o = args ? ptx_part(args, k) : NULL;
		uint32_t var = to->params + k;

		if (o && o->kind == PTX_O_VAR) {
			copy_pieces(s, w, &g->mask, g->frame, o->id, frame, var);
			continue;
		}
		for (uint32_t i = 0; i < b->n_pieces; i++) {
			uint32_t slot = b->slot[b->f->n_regs + i];

			if (b->piece[i].var != var || slot == PTX_NONE)
				continue;
			struct val v = o && b->piece[i].offset == 0
					       ? step_read(s, w, g, o)
					       : unknown(s, SYM_DIV | SYM_TAINT_MEM);
			step_write_slot(s, w, &g->mask, s->frame[frame].base + slot, &v);
		}
	}
}

static void
forget_results(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct slice_func *f = sim_func(s, g);
	const struct ptx_operand *rets = ptx_call_of(ins).rets;

	for (unsigned k = 0; rets && k < ptx_parts(rets); k++) {
		const struct ptx_operand *o = ptx_part(rets, k);

		if (o->kind != PTX_O_VAR) {
			put_unknown(s, w, g, ins, o, SYM_DIV | SYM_TAINT_MEM);
			continue;
		}
		for (uint32_t i = 0; i < f->n_pieces; i++) {
			uint32_t slot = slot_of(s, g, f->f->n_regs + i);

			if (f->piece[i].var != o->id || slot == PTX_NONE)
				continue;
			struct val v = unknown(s, SYM_DIV | SYM_TAINT_MEM);
			step_write_slot(s, w, &g->mask, slot, &v);
		}
	}
}

/* The one function that all lanes of the group call through a register, or NULL. */
static const struct ptx_func *
indirect_callee(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *o)
{
	struct val v = step_read(s, w, g, o);
	struct cell first = val_cell(&s->d, &v, lmask_next(&g->mask, 0));

	if (!first.s || sym_of(&s->d, first.s)->op != SYM_ADDRESS)
		return NULL;
	LMASK_EACH(t, &g->mask)
	if (!cell_eq(val_cell(&s->d, &v, t), first))
		return NULL;
	const struct sym *x = sym_of(&s->d, first.s);
	return x->arg[0].v == PTX_O_FUNC ? &s->m->funcs[s->m->funcs[x->arg[1].v].body]
					 : NULL;
}

bool
step_call(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	struct ptx_call c = ptx_call_of(ins);
	const struct ptx_func *to = slice_callee(s->m, ins);

	if (!to && c.target->kind == PTX_O_REG) {
		to = indirect_callee(s, w, g, c.target);
		if (!to)
			report_add(s, w, g, RULE_CALL_UNKNOWN, ins, SYM_TAINT_MEM, NULL,
				"which function is called is not known, and it may "
				"synchronise");
	}
	if (!to || !s->s->funcs[to->index].used || !s->s->funcs[to->index].c->n) {
		forget_results(s, w, g, ins);
		g->ip++;
		return true;
	}
	if (g->calls && g->calls->depth >= CALL_DEPTH_MAX) {
		report_add(s, w, g, RULE_RECURSION, ins, SYM_TAINT_LOOP, NULL,
			"calls nest deeper than %d", CALL_DEPTH_MAX);
		forget_results(s, w, g, ins);
		g->ip++;
		return true;
	}
	uint32_t frame = frame_of(s, g->frame, ins, to->index);
	pass_arguments(s, w, g, to, c.args, frame);
	struct ret *r = sim_alloc(s, 1, sizeof *r);
	*r = (struct ret){g->calls, g->frame, g->bb, g->ip + 1,
		g->calls ? g->calls->depth + 1 : 1, ins};
	g->calls = r;
	g->frame = frame;
	return sim_enter(s, w, g, 0);
}

void
step_return(struct sim *s, struct world *w, struct group *g)
{
	const struct ret *r = g->calls;
	const struct ptx_func *from = sim_func(s, g)->f;
	const struct ptx_operand *rets = ptx_call_of(r->ins).rets;
	uint32_t frame = g->frame;

	g->calls = r->up;
	g->frame = r->frame;
	g->bb = r->bb;
	g->ip = r->ip;
	for (unsigned k = 0; rets && k < ptx_parts(rets) && k < from->n_rets; k++) {
		const struct ptx_operand *o = ptx_part(rets, k);
		uint32_t var = from->rets + k;

		if (o->kind == PTX_O_VAR) {
			copy_pieces(s, w, &g->mask, frame, var, g->frame, o->id);
			continue;
		}
		const struct slice_func *f = &s->s->funcs[from->index];
		for (uint32_t i = 0; i < f->n_pieces; i++) {
			uint32_t slot = f->slot[f->f->n_regs + i];

			if (f->piece[i].var != var || f->piece[i].offset ||
				slot == PTX_NONE)
				continue;
			struct val v = world_get(w, s->frame[frame].base + slot);
			if (o->kind == PTX_O_REG && v.kind != VAL_NONE)
				step_write(s, w, g, o->id, &v);
		}
	}
}
