#include "toolchain/paramuse.h"

#include "base/arena.h"

/* Parameters past the 61st are not looked at: they stay as declared.  The bits behind
 * them are the dimensions of the block's index. */
enum { MAX_PARAMS = 61 };

static const uint64_t PARAM_BITS = (UINT64_C(1) << MAX_PARAMS) - 1;

struct flow {
	const struct ptx_module *m;
	const struct ptx_func *f;
	uint64_t *from; /* per register: bit per parameter or dimension its value may come
			   from */
	struct kernel_use *use;
	bool changed;
};

/* The parameter that an address operand names, or -1. */
static int
param_of(const struct flow *w, const struct ptx_operand *o)
{
	const struct ptx_operand *base = o->kind == PTX_O_ADDR ? ptx_part(o, 0) : NULL;
	if (!base || base->kind != PTX_O_VAR)
		return -1;
	const struct ptx_var *v = &w->m->vars[base->id];
	if (v->func != w->f->index || v->ret || v->param >= MAX_PARAMS)
		return -1;
	return (int)v->param;
}

static uint64_t
regs_from(const struct flow *w, struct ptx_walk walk)
{
	uint64_t bits = 0;
	ptx_reg r;
	while (ptx_walk_next(&walk, &r))
		bits |= w->from[r];
	return bits;
}

static void
assign(struct flow *w, const struct ptx_ins *ins, uint64_t bits)
{
	struct ptx_walk walk = ptx_writes(ins);
	ptx_reg r;
	while (ptx_walk_next(&walk, &r)) {
		w->changed |= (w->from[r] | bits) != w->from[r];
		w->from[r] |= bits;
	}
}

static uint64_t
dimensions_read(const struct ptx_ins *ins)
{
	const struct ptx_operand *end = ins->ops + ins->n_entries;
	uint64_t bits = 0;
	for (const struct ptx_operand *o = ins->ops; o < end; o++)
		if (o->kind == PTX_O_SREG && o->id == PTX_SREG_CTAID)
			bits |= UINT64_C(1)
				<< (MAX_PARAMS + (o->part == 'z' ? 2 : o->part == 'y'));
	return bits;
}

/* A value that was loaded or compared has nothing of the address it came from. */
static void
flow_through(struct flow *w, const struct ptx_ins *ins)
{
	if (ins->form->op == PTX_LD && ins->form->space == PTX_SPACE_PARAM) {
		const struct ptx_operand *o = ptx_operand(ins, 1);
		int p = o ? param_of(w, o) : -1;
		if (p >= 0)
			assign(w, ins, UINT64_C(1) << p);
	} else if (ins->form->nature == PTX_N_ALU && ins->form->cmp == PTX_CMP_NONE) {
		assign(w, ins, regs_from(w, ptx_reads(ins)) | dimensions_read(ins));
	}
}

/* A comparison of one dimension's blocks with one parameter; the first one counts. */
static void
note_bound(struct flow *w, const struct ptx_ins *ins)
{
	uint64_t bits[2] = {0};
	unsigned n = 0;
	if (ins->form->op != PTX_SETP)
		return;
	for (unsigned k = ins->n_dst; k < ins->n_ops && n < 2; k++)
		bits[n++] = regs_from(w, ptx_operand_regs(ptx_operand(ins, k)));
	for (unsigned side = 0; n == 2 && side < 2; side++) {
		uint64_t dim = bits[side] >> MAX_PARAMS, param = bits[1 - side];
		for (unsigned d = 0; d < 3; d++)
			for (unsigned p = 0; dim == UINT64_C(1) << d && p < MAX_PARAMS;
				p++)
				if (param == UINT64_C(1) << p && !w->use->grid_bound[d])
					w->use->grid_bound[d] = p + 1;
	}
}

/* .b32 may hold anything: LLVM 22 loads floats so. */
static bool
memory_type(enum ptx_type t, enum dtype *out)
{
	char class = ptx_type_class(t);
	if (ptx_type_bits(t) < 8 || !class || !strchr("fus", class))
		return false;
	*out = ptx_param_type(t, ptx_type_bits(t) / 8);
	return true;
}

static void
note_access(struct flow *w, const struct ptx_ins *ins)
{
	enum ptx_nature nature = ins->form->nature;
	bool load = nature == PTX_N_LOAD || nature == PTX_N_ATOM;
	bool store = nature == PTX_N_STORE || nature == PTX_N_ATOM;
	enum ptx_space space = ins->form->space;
	if ((!load && !store) || (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_NONE))
		return;
	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);
		uint64_t bits =
			o->kind == PTX_O_ADDR ? regs_from(w, ptx_operand_regs(o)) : 0;
		bits &= PARAM_BITS;
		for (unsigned p = 0; p < MAX_PARAMS && bits >> p; p++) {
			struct param_use *u = &w->use->params[p];
			if (!(bits >> p & 1) || p >= w->f->n_params)
				continue;
			u->loaded |= load || ins->form->op == PTX_RED;
			u->stored |= store;
			u->typed |= memory_type(ins->form->type[0], &u->type);
		}
	}
}

/*
 * Only 64-bit parameters can be pointers; an index is part of an address too.  The
 * entry's own parameters say .ptr, those of the function that it calls do not.
 */
static void
keep_pointers(struct flow *w, const struct ptx_func *entry)
{
	for (uint32_t p = 0; p < entry->n_params; p++) {
		const struct ptx_var *v = &w->m->vars[entry->params + p];
		struct param_use *u = &w->use->params[p];
		u->pointer &= !v->array && v->bytes == 8;
		u->pointer |= v->ptr;
		if (!u->pointer)
			*u = (struct param_use){0};
	}
}

static void
note_pointer(struct flow *w, const struct ptx_ins *ins)
{
	if (ins->form->op != PTX_CVTA)
		return;
	uint64_t bits = regs_from(w, ptx_reads(ins));
	for (uint32_t p = 0; p < MAX_PARAMS && p < w->f->n_params; p++)
		w->use->params[p].pointer |= bits >> p & 1;
}

static void
note_special(struct kernel_use *use, const struct ptx_ins *ins)
{
	const struct ptx_operand *end = ins->ops + ins->n_entries;
	for (const struct ptx_operand *o = ins->ops; o < end; o++) {
		if (o->kind != PTX_O_SREG ||
			(o->id != PTX_SREG_TID && o->id != PTX_SREG_CTAID))
			continue;
		unsigned n = o->part == 'z' ? 3 : o->part == 'y' ? 2 : 1;
		unsigned *dims =
			o->id == PTX_SREG_TID ? &use->block_dims : &use->grid_dims;
		if (n > *dims)
			*dims = n;
	}
}

static void
note_shared(struct kernel_use *use, const struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->n_vars; i++)
		use->dynamic_shared |=
			m->vars[i].space == PTX_SPACE_SHARED && m->vars[i].dynamic;
}

/*
 * The function that has the kernel's code.  Newer clang (seen: 22.1) makes of a kernel in
 * OpenCL C an entry that may do nothing but call this one with the same parameters.
 */
static const struct ptx_func *
code_of(struct arena *a, const struct ptx_module *m, const struct ptx_func *entry)
{
	struct str name = str_fmt(a, "__clang_ocl_kern_imp_%.*s", STR_ARG(entry->name));
	const struct ptx_func *f = ptx_find_func(m, name);
	for (uint32_t i = 0;
		f && f->defined && f->n_params == entry->n_params && i < entry->n_ins;
		i++)
		if (entry->ins[i].form->op == PTX_CALL)
			return f;
	return entry;
}

struct kernel_use
kernel_use(struct arena *a, const struct ptx_module *m, const struct ptx_func *entry)
{
	const struct ptx_func *f = code_of(a, m, entry);
	struct kernel_use use = {.block_dims = 1, .grid_dims = 1};
	struct flow w = {m, f, arena_news(a, f->n_regs, uint64_t), &use, true};
	use.params = arena_news(a, f->n_params + MAX_PARAMS, struct param_use);
	/* A chain of copies against the order of the text takes a round each; no compiler
	 * writes long ones, and what is missed is only a hint that is missed. */
	for (int round = 0; w.changed && round < 64; round++) {
		w.changed = false;
		for (uint32_t i = 0; i < f->n_ins; i++)
			flow_through(&w, &f->ins[i]);
	}
	for (uint32_t i = 0; i < f->n_ins; i++) {
		note_pointer(&w, &f->ins[i]);
		note_access(&w, &f->ins[i]);
		note_special(&use, &f->ins[i]);
		note_bound(&w, &f->ins[i]);
	}
	keep_pointers(&w, entry);
	note_shared(&use, m);
	return use;
}

enum dtype
ptx_param_type(enum ptx_type t, uint64_t bytes)
{
	char class = ptx_type_class(t);
	if (t == PTX_T_bf16)
		return DTYPE_BF16;
	switch (bytes) {
	case 1: return class == 's' ? DTYPE_I8 : DTYPE_U8;
	case 2: return class == 'f' ? DTYPE_F16 : class == 's' ? DTYPE_I16 : DTYPE_U16;
	case 4: return class == 'f' ? DTYPE_F32 : class == 's' ? DTYPE_I32 : DTYPE_U32;
	default: return class == 'f' ? DTYPE_F64 : class == 's' ? DTYPE_I64 : DTYPE_U64;
	}
}
