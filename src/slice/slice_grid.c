/*
 * Barriers of the grid, as cooperative groups makes them: a barrier of the block, an
 * atomic addition to a word whose address is read from %envreg1 and %envreg2, a loop that
 * waits for it to change, a barrier of the block.
 */
#include "slice/slice_index.h"

/* The register comes from one of the driver's registers. */
static bool
from_driver(
	const struct slice_func *f, const struct slice_work *w, ptx_reg r, unsigned depth)
{
	if (depth > 8)
		return false;
	for (uint32_t i = w->def_first[r]; i < w->def_first[r + 1]; i++) {
		const struct ptx_ins *ins = &f->f->ins[w->def[i].ins];
		struct ptx_walk v = ptx_reads(ins);
		ptx_reg x;

		for (unsigned k = 0; k < ins->n_ops; k++) {
			const struct ptx_operand *o = ptx_operand(ins, k);

			if (o->kind == PTX_O_SREG && o->id == PTX_SREG_UNKNOWN)
				return true;
		}
		if (ins->form->nature != PTX_N_ALU)
			continue;
		while (ptx_walk_next(&v, &x))
			if (x != r && from_driver(f, w, x, depth + 1))
				return true;
	}
	return false;
}

static bool
is_arrival(const struct slice_func *f, const struct slice_work *w, uint32_t i)
{
	const struct ptx_ins *ins = &f->f->ins[i];
	struct ptx_walk v;
	ptx_reg r;

	if (ins->form->op != PTX_ATOM && ins->form->op != PTX_RED)
		return false;
	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);

		if (o->kind != PTX_O_ADDR)
			continue;
		v = ptx_operand_regs(o);
		while (ptx_walk_next(&v, &r))
			if (from_driver(f, w, r, 0))
				return true;
	}
	return false;
}

/* The last barrier that is always run before instruction i. */
static void
mark_barrier_before(struct slice_builder *b, struct slice_func *f, uint32_t i)
{
	const struct cfg *c = f->c;
	uint32_t x = c->bb_of[i], end = i;

	for (unsigned n = 0; n < 64; n++) {
		for (uint32_t k = end; k-- > c->bb[x].first;)
			if (f->f->ins[k].form->nature == PTX_N_BARRIER) {
				f->grid_bar[k] = true;
				if (!b->s->grid_bars)
					b->s->grid_sync = &f->f->ins[k];
				b->s->grid_bars = true;
				return;
			}
		if (c->bb[x].idom == x || c->bb[x].idom == PTX_NONE)
			return;
		x = c->bb[x].idom;
		end = c->bb[x].first + c->bb[x].n_ins;
	}
}

bool
slice_is_workspace(const struct ptx_module *m, const struct ptx_operand *o)
{
	return o->kind == PTX_O_SREG && o->id == PTX_SREG_UNKNOWN &&
	       (str_is(m->names[o->i], "%envreg1") || str_is(m->names[o->i], "%envreg2"));
}

/* Fills `grid_bar` of a function. */
void
slice_find_grid_bars(struct slice_builder *b, struct slice_func *f)
{
	const struct slice_work *w = &b->w[f->f->index];

	f->grid_bar = arena_news(b->a, f->f->n_ins + 1, bool);
	if (!b->s->grid_sync)
		return;
	for (uint32_t i = 0; i < f->f->n_ins; i++)
		if (f->c->bb[f->c->bb_of[i]].reachable && is_arrival(f, w, i))
			mark_barrier_before(b, f, i);
}

/* In debug code the word's address goes through memory. */
void
slice_guess_grid_bars(struct slice_builder *b)
{
	struct slice *s = b->s;

	if (!s->grid_sync || s->grid_bars)
		return;
	for (uint32_t i = 0; i < s->m->n_funcs; i++) {
		struct slice_func *f = &s->funcs[i];

		for (uint32_t k = 0; f->used && k < f->f->n_ins; k++)
			f->grid_bar[k] = f->f->ins[k].form->nature == PTX_N_BARRIER;
	}
	s->grid_bars = s->grid_guess = true;
}
