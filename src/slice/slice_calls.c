/* Who calls whom: directly, or through a register any function whose address is taken. */
#include "slice/slice_index.h"

enum { CALLERS_MAX = 1 << 16 };

static bool
is_indirect(const struct ptx_ins *ins)
{
	return ins->form->op == PTX_CALL && ptx_call_of(ins).target->kind == PTX_O_REG;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Functions that the first value of a variable names. */
static void
take_from_text(struct slice *s, struct str init)
{
	for (size_t i = 0; i < init.n;) {
		size_t end = i;

		while (end < init.n && is_word(init.s[end]))
			end++;
		const struct ptx_func *f =
			end > i ? ptx_find_func(s->m, str_sub(init, i, end)) : NULL;
		if (f)
			s->taken[f->index] = true;
		i = end > i ? end : i + 1;
	}
}

static bool *
find_taken(struct slice_builder *b)
{
	struct slice *s = b->s;
	bool *taken = s->taken = arena_news(b->a, s->m->n_funcs + 1, bool);

	for (uint32_t k = 0; k < s->m->n_funcs; k++) {
		const struct ptx_func *f = &s->m->funcs[k];

		for (uint32_t i = 0; i < f->n_ins; i++) {
			const struct ptx_ins *ins = &f->ins[i];
			bool call = ins->form->op == PTX_CALL;

			for (uint32_t e = 0; e < ins->n_entries; e++)
				if (ins->ops[e].kind == PTX_O_FUNC &&
					!(call &&
						&ins->ops[e] == ptx_call_of(ins).target))
					taken[s->m->funcs[ins->ops[e].id].body] = true;
		}
	}
	for (uint32_t v = 0; v < s->m->n_vars; v++)
		if (s->m->vars[v].init.n)
			take_from_text(s, s->m->vars[v].init);
	return taken;
}

size_t
slice_reach_taken(
	struct slice_builder *b, const struct ptx_ins *ins, uint32_t *stack, size_t n)
{
	struct slice *s = b->s;

	if (!is_indirect(ins) || s->taken)
		return n;
	const bool *taken = find_taken(b);
	for (uint32_t k = 0; k < s->m->n_funcs; k++) {
		if (!taken[k] || s->funcs[k].used || !s->cfgs[k].n)
			continue;
		s->funcs[k].used = true;
		stack[n++] = k;
	}
	return n;
}

bool
slice_may_call(const struct slice *s, const struct ptx_ins *ins, uint32_t func)
{
	const struct ptx_operand *p = ptx_call_of(ins).proto;
	const struct ptx_func *f = &s->m->funcs[func];

	if (!s->taken || !is_indirect(ins) || !s->taken[func] || f->entry)
		return false;
	if (!p || p->kind != PTX_O_PROTO)
		return true;
	return s->m->protos[p->id].n_params == f->n_params &&
	       s->m->protos[p->id].n_rets == f->n_rets;
}

static void
add_caller(struct slice_builder *b, uint32_t to, struct caller c)
{
	c.next = b->w[to].callers;
	arena_grow(b->a, b->caller, b->n_callers, b->cap_callers);
	b->caller[b->n_callers] = c;
	b->w[to].callers = (uint32_t)++b->n_callers;
}

void
slice_find_callers(struct slice_builder *b, uint32_t index)
{
	struct slice_func *f = &b->s->funcs[index];

	for (uint32_t i = 0; i < f->f->n_ins; i++) {
		const struct ptx_ins *ins = &f->f->ins[i];
		struct caller c = {index, f->c->bb_of[i], i, 0};

		if (ins->form->op != PTX_CALL || !f->c->bb[c.bb].reachable)
			continue;
		const struct ptx_func *to = slice_callee(b->s->m, ins);
		if (to)
			add_caller(b, to->index, c);
		for (uint32_t k = 0; !to && k < b->s->m->n_funcs; k++)
			if (slice_may_call(b->s, ins, k))
				add_caller(b, k, c);
		if (b->n_callers > CALLERS_MAX)
			b->s->too_big = "calls";
	}
}
