/* Which variables can be followed: all that may write them is understood. */
#include "slice/pointee.h"

struct follower {
	struct points *p;
	const struct slice *s;
	struct arena *a;
	uint32_t func;
};

static void
block_space(struct follower *f, enum ptx_space space)
{
	for (uint32_t v = 0; v < f->s->m->n_vars; v++)
		if (f->s->m->vars[v].space == space)
			f->p->follow[v] = false;
}

static void
block_class(struct follower *f, uint32_t class)
{
	if (class >= POINTS_VAR)
		f->p->follow[class - POINTS_VAR] = false;
	for (uint32_t v = 0; class == POINTS_ANY && v < f->s->m->n_vars; v++)
		if (f->p->escaped[v])
			f->p->follow[v] = false;
}

static bool
is_shared(enum ptx_space space)
{
	return space == PTX_SPACE_SHARED || space == PTX_SPACE_CLUSTER;
}

/* Writes memory in a way that is not modelled: whatever its addresses name. */
static void
block_addresses(struct follower *f, const struct ptx_ins *ins)
{
	bool named = false;

	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);
		uint32_t class = o->kind == PTX_O_ADDR
					 ? points_of_operand(f->p, f->s, f->func, o)
					 : 0u;

		if (o->kind != PTX_O_ADDR)
			continue;
		if (class == POINTS_NOWHERE)
			class = POINTS_ANY;
		named = named || class >= POINTS_VAR;
		block_class(f, class);
	}
	bool shared = is_shared(ins->form->space) || is_shared(ins->form->space2);
	if (shared && !named)
		block_space(f, PTX_SPACE_SHARED);
}

static void
note_writer(struct follower *f, const struct ptx_ins *ins, uint32_t i)
{
	uint32_t class = points_of(f->p, f->s, f->func, ins);
	enum ptx_space space = ins->form->space;
	struct points *p = f->p;

	if (space == PTX_SPACE_CLUSTER) {
		block_space(f, PTX_SPACE_SHARED);
		return;
	}
	if (class == POINTS_GLOBAL || class == POINTS_NOWHERE) {
		/* an address that is a mere number, or an argument */
		if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL)
			block_space(f, space);
		else if (class == POINTS_NOWHERE && space == PTX_SPACE_NONE)
			block_class(f, POINTS_ANY);
		return;
	}
	if (space != PTX_SPACE_NONE && space != PTX_SPACE_SHARED &&
		space != PTX_SPACE_LOCAL)
		return;
	arena_grow(f->a, p->writer, p->n_writers, p->cap_writers);
	p->writer[p->n_writers++] =
		(struct points_writer){f->func, f->s->funcs[f->func].c->bb_of[i], i,
			class == POINTS_ANY ? (uint32_t)POINTS_ANY : class};
}

static bool
is_harmless(const struct ptx_module *m, const struct ptx_operand *target)
{
	static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};

	if (target->kind != PTX_O_FUNC)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (str_is(m->funcs[target->id].name, names[i]))
			return true;
	return false;
}

static void
block(struct follower *f, const struct ptx_ins *ins, uint32_t i)
{
	unsigned address;
	uint32_t var, bytes;
	int64_t off;

	if (points_is_write(ins)) {
		if (slice_param_access(ins, &var, &off, &bytes))
			return;
		if (points_is_access(ins, &address))
			note_writer(f, ins, i);
		else
			block_addresses(f, ins);
		return;
	}
	switch ((int)ins->form->nature) {
	case PTX_N_ASYNC:
	case PTX_N_MBARRIER:
	case PTX_N_STORE:
	case PTX_N_ATOM:
	case PTX_N_COLLECTIVE:
	case PTX_N_OTHER:
		if (ins->form->op != PTX_LDMATRIX && ins->form->op != PTX_WMMA_LOAD)
			block_addresses(f, ins);
		return;
	case PTX_N_CALL: {
		struct ptx_call c = ptx_call_of(ins);
		const struct ptx_func *to = slice_callee(f->s->m, ins);

		/* a function of another module may know this module's variables */
		if ((!to || !f->p->at[to->index]) && c.target->kind != PTX_O_REG &&
			!is_harmless(f->s->m, c.target)) {
			block_class(f, POINTS_ANY);
			block_space(f, PTX_SPACE_SHARED);
		}
		return;
	}
	default: break;
	}
	/* other blocks of the cluster write here */
	if (ins->form->op == PTX_MAPA)
		block_space(f, PTX_SPACE_SHARED);
}

void
points_follow(struct arena *a, struct points *p, const struct slice *s)
{
	struct follower f = {p, s, a, 0};

	for (uint32_t v = 0; v < s->m->n_vars; v++)
		p->follow[v] = s->m->vars[v].space == PTX_SPACE_SHARED ||
			       s->m->vars[v].space == PTX_SPACE_LOCAL;
	for (uint32_t k = 0; k < s->m->n_funcs; k++) {
		const struct slice_func *sf = &s->funcs[k];

		f.func = k;
		for (uint32_t i = 0; p->at[k] && i < sf->f->n_ins; i++)
			if (sf->c->bb[sf->c->bb_of[i]].reachable)
				block(&f, &sf->f->ins[i], i);
	}
	for (uint32_t v = 0; v < s->m->n_vars; v++)
		p->any = p->any || p->follow[v];
}
