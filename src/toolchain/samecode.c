#include "toolchain/samecode.h"

static bool
same_operand(const struct ptx_operand *x, const struct ptx_operand *y)
{
	return x->kind == y->kind && x->part == y->part && x->neg == y->neg &&
	       x->n == y->n && x->id == y->id && x->i == y->i;
}

static bool
same_ins(const struct ptx_ins *x, const struct ptx_ins *y)
{
	if (!str_eq(x->form->text, y->form->text) || x->guard != y->guard ||
		x->guard_neg != y->guard_neg || x->n_entries != y->n_entries)
		return false;
	for (unsigned i = 0; i < x->n_entries; i++)
		if (!same_operand(&x->ops[i], &y->ops[i]))
			return false;
	return true;
}

static bool
same_dim(struct ptx_dim x, struct ptx_dim y)
{
	return x.v[0] == y.v[0] && x.v[1] == y.v[1] && x.v[2] == y.v[2];
}

static bool
same_func(const struct ptx_func *x, const struct ptx_func *y)
{
	if (x->n_ins != y->n_ins || x->shared_bytes != y->shared_bytes ||
		x->local_bytes != y->local_bytes || !same_dim(x->maxntid, y->maxntid) ||
		!same_dim(x->reqntid, y->reqntid) || x->minnctapersm != y->minnctapersm)
		return false;
	for (uint32_t i = 0; i < x->n_ins; i++)
		if (!same_ins(&x->ins[i], &y->ins[i]))
			return false;
	return true;
}

/* Of variables outside of functions. */
static bool
same_memory(const struct ptx_module *m, const struct ptx_module *n)
{
	if (m->n_vars != n->n_vars)
		return false;
	for (uint32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].func == PTX_NONE && m->vars[i].bytes != n->vars[i].bytes)
			return false;
	return true;
}

bool
same_code(const struct ptx_module *m, const struct ptx_module *n, struct str name)
{
	bool found = false;
	if (m->n_funcs != n->n_funcs || !same_memory(m, n))
		return false;
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		const struct ptx_func *x = &m->funcs[i], *y = &n->funcs[i];
		bool is_it = str_eq(x->name, name);
		if (!str_eq(x->name, y->name) ||
			((is_it || !x->entry) && !same_func(x, y)))
			return false;
		found |= is_it;
	}
	return found;
}
