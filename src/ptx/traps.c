/*
 * Functions that do nothing but trap: in debug code (-G) `__trap()` is a call of one, and
 * what comes behind that call is never run.
 */
#include "ptx/parse.h"

static bool
ends_here(const struct ptx_module *m, const struct ptx_ins *ins)
{
	if (ins->form->nature == PTX_N_TRAP)
		return true;
	if (ins->form->nature != PTX_N_CALL)
		return false;
	const struct ptx_operand *to = ptx_call_of(ins).target;
	const struct ptx_func *f = to->kind == PTX_O_FUNC ? &m->funcs[to->id] : NULL;
	return f &&
	       (f->noreturn || m->funcs[f->body].noreturn || m->funcs[f->body].traps);
}

/* Every thread that enters comes to a trap, and meets nobody before it. */
static bool
only_traps(const struct ptx_module *m, const struct ptx_func *f)
{
	for (uint32_t i = 0; i < f->n_ins; i++) {
		const struct ptx_ins *ins = &f->ins[i];

		switch ((int)ins->form->nature) {
		case PTX_N_ALU:
		case PTX_N_LOAD:
		case PTX_N_STORE: continue;
		default: return ins->guard == PTX_NONE && ends_here(m, ins);
		}
	}
	return false;
}

void
ptx_find_traps(struct ptx_module *m)
{
	bool changed;

	do {
		changed = false;
		for (uint32_t i = 0; i < m->n_funcs; i++) {
			struct ptx_func *f = &m->funcs[i];

			if (f->traps || f->entry || !only_traps(m, f))
				continue;
			f->traps = changed = true;
		}
	} while (changed);
}
