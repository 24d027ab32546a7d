/*
 * Whether a function treats the lanes that activemask names as a group: asks for its
 * size, a rank in it or its first lane.  Where it does not, the mask can only be meant as
 * "everybody who took this branch", which it is not (LW022).
 */
#include "slice/slice_index.h"

static bool
reads_any(const struct ptx_ins *ins, const bool *from)
{
	struct ptx_walk w = ptx_reads(ins);
	ptx_reg r;

	while (ptx_walk_next(&w, &r))
		if (from[r])
			return true;
	return false;
}

static bool
writes_new(const struct ptx_ins *ins, bool *to)
{
	struct ptx_walk w = ptx_writes(ins);
	bool any = false;
	ptx_reg r;

	while (ptx_walk_next(&w, &r)) {
		any = any || !to[r];
		to[r] = true;
	}
	return any;
}

/* The result is a mask or a lane of it, if an operand is. */
static bool
is_mask_arithmetic(const struct ptx_ins *ins)
{
	switch ((int)ins->form->op) {
	case PTX_MOV:
	case PTX_AND:
	case PTX_OR:
	case PTX_XOR:
	case PTX_NOT:
	case PTX_LOP3:
	case PTX_SELP:
	case PTX_SHL:
	case PTX_SHR:
	case PTX_CVT:
	case PTX_BREV:
	case PTX_BFIND:
	case PTX_CLZ:
	case PTX_ADD:
	case PTX_SUB:
	case PTX_MATCH: return true;
	case PTX_VOTE: return ins->form->sub == PTX_SUB_BALLOT;
	default: return false;
	}
}

/* The one instruction that writes a register, if it is `op`. */
static const struct ptx_ins *
written_by(const struct slice_func *f, ptx_reg r, enum ptx_op op)
{
	const struct ptx_ins *by = NULL;

	for (uint32_t i = 0; i < f->f->n_ins; i++) {
		struct ptx_walk w = ptx_writes(&f->f->ins[i]);
		ptx_reg x;

		while (ptx_walk_next(&w, &x)) {
			if (x == r && by)
				return NULL;
			by = x == r ? &f->f->ins[i] : by;
		}
	}
	return by && by->form->op == op ? by : NULL;
}

/* popc(~m & (m - 1)): the first lane of m, as LLVM writes ffs; with it goes a comparison
 * of m with 0.  nvcc has brev and bfind for it, which ask nothing either. */
static bool
is_first_lane(const struct slice_func *f, const struct ptx_ins *popc)
{
	struct ptx_walk w = ptx_reads(popc);
	ptx_reg r;

	while (ptx_walk_next(&w, &r)) {
		const struct ptx_ins *and = written_by(f, r, PTX_AND);

		if (!and)
			continue;
		struct ptx_walk v = ptx_reads(and);
		while (ptx_walk_next(&v, &r))
			if (written_by(f, r, PTX_NOT))
				return true;
	}
	return false;
}

/* Is the mask itself empty? */
static bool
compares_with_zero(const struct slice_func *f, const struct ptx_ins *setp)
{
	bool zero = false, mask = false;

	for (unsigned k = setp->n_dst; k < setp->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(setp, k);

		zero = zero || (o->kind == PTX_O_INT && !o->i);
		mask = mask ||
		       (o->kind == PTX_O_REG && written_by(f, o->id, PTX_ACTIVEMASK));
	}
	return zero && mask;
}

static bool
is_question(const struct slice_func *f, const struct ptx_ins *ins)
{
	switch ((int)ins->form->op) {
	case PTX_POPC: return !is_first_lane(f, ins);
	case PTX_SETP: return !compares_with_zero(f, ins);
	case PTX_FNS:
	case PTX_ELECT: return true;
	default: return false;
	}
}

void
slice_note_groups(struct slice_builder *b, struct slice_func *f)
{
	bool *from = arena_news(b->a, f->f->n_regs + 1, bool);
	bool more = false;

	for (uint32_t i = 0; i < f->f->n_ins; i++)
		if (f->f->ins[i].form->nature == PTX_N_ACTIVEMASK)
			more = writes_new(&f->f->ins[i], from) || more;
	while (more && !f->mask_is_group) {
		more = false;
		for (uint32_t i = 0; i < f->f->n_ins; i++) {
			const struct ptx_ins *ins = &f->f->ins[i];

			if (!reads_any(ins, from))
				continue;
			f->mask_is_group = f->mask_is_group || is_question(f, ins);
			if (is_mask_arithmetic(ins))
				more = writes_new(ins, from) || more;
		}
	}
}
