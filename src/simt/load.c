/* Loads, and stores to parameters of calls. */
#include "simt/memory.h"
#include "simt/simt.h"
#include "slice/pointee.h"
#include "value/affine.h"
#include "value/val_map.h"

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
	if (a->kind != GATE_ARG_BYTES || !bytes || (uint64_t)off + bytes > a->n)
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
		return step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
	uint32_t slot = step_slot(s, g, f->f->n_regs + p);
	struct val x = {.kind = VAL_NONE};
	if (slot != PTX_NONE)
		x = world_get(w, slot);
	return x.kind == VAL_NONE ? step_unknown(s, SYM_DIV | SYM_TAINT_MEM) : x;
}

static void
load_param(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);

	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = part_of(d, k);

		if (o->kind == PTX_O_REG && step_value_wanted(s, g, o->id))
			step_put(s, w, g, ins, o,
				load_piece(s, w, g, ins, var, off + (int64_t)k * bytes,
					bytes));
	}
}

void
step_store_param(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes)
{
	const struct slice_func *f = sim_func(s, g);
	const struct ptx_operand *src = ptx_operand(ins, 1);

	for (unsigned k = 0; k < slice_parts(ins); k++) {
		uint32_t p = slice_piece_find(f, var, off + (int64_t)k * bytes, bytes);
		uint32_t slot =
			p == PTX_NONE ? PTX_NONE : step_slot(s, g, f->f->n_regs + p);

		if (slot == PTX_NONE)
			continue;
		struct val v = step_read(s, w, g, part_of(src, k));
		if (v.kind == VAL_INT)
			v.i &= bits_mask(bytes * 8);
		step_put_slot(s, w, g, ins, slot, &v);
	}
}

/*
 * Equal addresses in one execution of a step_load give equal values, if the program has
 * no data race; read-only memory gives equal values at any time.  What other threads may
 * write while we read (volatile, relaxed, acquire), and what each thread has to itself
 * (local), is another step_unknown in every lane.
 */
static bool
is_shared_read(const struct ptx_form *f)
{
	return (f->op == PTX_LD || f->op == PTX_LDU) && f->space != PTX_SPACE_LOCAL &&
	       (f->sem == PTX_SEM_NONE || f->sem == PTX_SEM_WEAK);
}

struct how_loaded {
	uint64_t tag;
	unsigned flags;
};

static struct cell
lane_load(struct domain *d, const void *how, const struct cell *x, unsigned n)
{
	const struct how_loaded *h = how;

	return cell_sym(sym_make(d, SYM_LOAD, h->tag, x, n, sym_div(d, x, n) | h->flags));
}

/* What is not known of a load that is not followed.  Debug code keeps the address of the
 * grid's workspace in local memory. */
static unsigned
loaded_flags(const struct sim *s, const struct group *g, const struct ptx_ins *ins)
{
	enum ptx_space space = ins->form->space;
	const struct points *p = s->s->points;

	if (!s->no_workspace ||
		(space != PTX_SPACE_NONE && space != PTX_SPACE_LOCAL &&
			space != PTX_SPACE_SHARED) ||
		(p && points_of(p, s->s, sim_func(s, g)->f->index, ins) == POINTS_GLOBAL))
		return SYM_TAINT_MEM;
	return SYM_TAINT_MEM | SYM_WORKSPACE;
}

/* The address is in a parameter of this entry. */
static bool
is_own_param(struct sim *s, const struct group *g, const struct val *a, uint32_t *var,
	int64_t *off)
{
	struct anchor p;
	const struct sym *x;

	if (a->kind != VAL_SYM)
		return false;
	p = address_anchor(s, cell_sym(a->s));
	x = p.root ? sym_of(&s->d, p.root) : NULL;
	if (!x || x->op != SYM_ADDRESS || x->arg[0].v != PTX_O_VAR)
		return false;
	*var = (uint32_t)x->arg[1].v;
	*off = p.offset;
	return sim_func(s, g)->f->entry &&
	       s->m->vars[*var].func == sim_func(s, g)->f->index &&
	       s->m->vars[*var].param != PTX_NONE;
}

void
step_load(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
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
	if (memory_load(s, w, g, ins))
		return;
	unsigned flags = loaded_flags(s, g, ins);
	if (!is_shared_read(f) || !from || from->kind != PTX_O_ADDR) {
		step_put_unknown(s, w, g, ins, d, SYM_DIV | flags);
		return;
	}
	struct val a = step_read(s, w, g, from);
	a = affine_forget(&s->d, &a);
	if (f->space == PTX_SPACE_PARAM && f->n_types &&
		is_own_param(s, g, &a, &var, &off)) {
		load_param(s, w, g, ins, var, off,
			(ptx_type_bits(f->type[f->n_types - 1]) + 7) / 8);
		return;
	}
	/* parameters of a function that is no entry are each thread's own, too */
	bool own = (val_taint(&s->d, &a) & SYM_LOCAL) != 0 ||
		   (f->space == PTX_SPACE_PARAM && !sim_func(s, g)->f->entry);
	if (own) {
		step_put_unknown(s, w, g, ins, d, SYM_DIV | flags);
		return;
	}
	bool fixed = PTX_HAS(f, NC) || f->space == PTX_SPACE_CONST ||
		     f->space == PTX_SPACE_PARAM;
	uint64_t when = fixed ? 0 : ++s->next_load;
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = part_of(d, k);
		uint64_t type = f->n_types ? f->type[f->n_types - 1] : 0;
		struct how_loaded how = {
			when << 16 | type << 8 | (uint64_t)f->vec << 4 | k, flags};

		if (o->kind == PTX_O_REG && step_value_wanted(s, g, o->id))
			step_put(s, w, g, ins, o,
				val_map(&s->d, lane_load, &how, &a, 1, UINT64_MAX));
	}
}
