#include "ptx/ptx.h"

const struct ptx_operand *
ptx_operand(const struct ptx_ins *ins, unsigned k)
{
	if (k >= ins->n_ops)
		return NULL;
	const struct ptx_operand *o = ins->ops;
	while (k--)
		o = PTX_NEXT(o);
	return o;
}

const struct ptx_operand *
ptx_part(const struct ptx_operand *o, unsigned k)
{
	const struct ptx_operand *end = PTX_NEXT(o), *part = o + 1;
	while (part < end && k--)
		part = PTX_NEXT(part);
	return part < end ? part : NULL;
}

unsigned
ptx_parts(const struct ptx_operand *o)
{
	unsigned n = 0;
	for (const struct ptx_operand *p = o + 1; p < PTX_NEXT(o); p = PTX_NEXT(p))
		n++;
	return n;
}

struct ptx_call
ptx_call_of(const struct ptx_ins *ins)
{
	struct ptx_call c = {.rets = ins->ops};
	c.target = PTX_NEXT(c.rets);
	c.args = PTX_NEXT(c.target);
	c.proto = PTX_NEXT(c.args);
	return c;
}

const struct ptx_operand *
ptx_membermask(const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	if (!ins->n_ops)
		return NULL;
	if (f->op == PTX_BAR_WARP_SYNC || f->op == PTX_ELECT)
		return ptx_operand(ins, ins->n_ops - 1u);
	bool lanes = f->op == PTX_SHFL || f->op == PTX_VOTE || f->op == PTX_MATCH ||
		     f->op == PTX_REDUX;
	return lanes && PTX_HAS(f, SYNC) ? ptx_operand(ins, ins->n_ops - 1u) : NULL;
}

const struct ptx_operand *
ptx_barrier_id(const struct ptx_ins *ins)
{
	if (ins->form->nature != PTX_N_BARRIER)
		return NULL;
	return ptx_operand(ins, ins->form->op == PTX_BARRIER_RED);
}

/* bar.red d, a{, b}, {!}c;  bar.sync a{, b}; */
const struct ptx_operand *
ptx_barrier_count(const struct ptx_ins *ins)
{
	if (ins->form->nature != PTX_N_BARRIER)
		return NULL;
	if (ins->form->op == PTX_BARRIER_RED)
		return ins->n_ops == 4 ? ptx_operand(ins, 2) : NULL;
	return ptx_operand(ins, 1);
}

/* ---- registers of an instruction ---- */

/* Implicit registers that a walk still has to give. */
enum { EXTRA_GUARD = 1, EXTRA_CC = 2 };

static const struct ptx_operand *
after_results(const struct ptx_ins *ins)
{
	const struct ptx_operand *o = ins->ops;
	for (unsigned k = 0; k < ins->n_dst; k++)
		o = PTX_NEXT(o);
	return o;
}

static bool
keeps_old(const struct ptx_ins *ins)
{
	return (ins->guard != PTX_NONE && !ins->split) || ins->form->op == PTX_WGMMA_MMA;
}

struct ptx_walk
ptx_writes(const struct ptx_ins *ins)
{
	struct ptx_walk w = {.ins = ins, .writes = true, .o = ins->ops};
	w.end = ins->n_dst ? after_results(ins) : ins->ops;
	w.extra = PTX_HAS(ins->form, CC) ? EXTRA_CC : 0;
	return w;
}

struct ptx_walk
ptx_reads(const struct ptx_ins *ins)
{
	struct ptx_walk w = {.ins = ins, .o = ins->ops, .end = ins->ops + ins->n_entries};
	enum ptx_op op = ins->form->op;
	if (!keeps_old(ins))
		w.o = after_results(ins);
	if (ins->guard != PTX_NONE && !ins->split)
		w.extra |= EXTRA_GUARD;
	if (op == PTX_ADDC || op == PTX_SUBC || op == PTX_MADC)
		w.extra |= EXTRA_CC;
	return w;
}

struct ptx_walk
ptx_operand_regs(const struct ptx_operand *o)
{
	return (struct ptx_walk){.o = o, .end = PTX_NEXT(o)};
}

bool
ptx_walk_next(struct ptx_walk *w, ptx_reg *reg)
{
	for (; w->o < w->end; w->o++)
		if (w->o->kind == PTX_O_REG) {
			*reg = w->o++->id;
			return true;
		}
	if (w->extra & EXTRA_GUARD) {
		w->extra &= ~(unsigned)EXTRA_GUARD;
		*reg = w->ins->guard;
		return true;
	}
	if (w->extra & EXTRA_CC) {
		w->extra &= ~(unsigned)EXTRA_CC;
		*reg = PTX_REG_CC;
		return true;
	}
	return false;
}
