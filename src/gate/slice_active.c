/*
 * Whether a function treats the lanes that activemask names as a group: asks for its
 * size, a rank in it or its first lane.  Where it does not, the mask can only be meant as
 * "everybody who took this branch", which it is not (LW022).
 */
#include "gate/slice_index.h"

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

static bool
is_question(const struct ptx_ins *ins)
{
	enum ptx_op op = ins->form->op;

	return op == PTX_POPC || op == PTX_SETP || op == PTX_FNS || op == PTX_ELECT;
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
			f->mask_is_group = f->mask_is_group || is_question(ins);
			if (is_mask_arithmetic(ins))
				more = writes_new(ins, from) || more;
		}
	}
}
