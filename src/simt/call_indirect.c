/*
 * Calls through a register.  Where the function is known, lane by lane, each part of the
 * group calls its own.  One unknown for all lanes is one of the functions of the module
 * whose address is taken (docs/SAFETY.md): a world for each.
 */
#include "simt/memory.h"
#include "value/affine.h"

enum { CALLEES_MAX = 12 };

/* What lanes call: a function, or an unknown. */
struct callee {
	struct cell c;
	const struct ptx_func *f;
	struct lmask who;
};

/* A function that an unknown may stand for, and the fact that makes it so. */
struct choice {
	const struct ptx_func *f;
	struct fact fact;
};

static const struct ptx_func *
function_of(const struct sim *s, struct cell c)
{
	if (!c.s || sym_op(&s->d, c.s) != SYM_ADDRESS ||
		sym_operand(&s->d, c.s, 0).v != PTX_O_FUNC)
		return NULL;
	return &s->m->funcs[s->m->funcs[sym_operand(&s->d, c.s, 1).v].body];
}

static bool
add_callee(struct callee *v, unsigned *n, struct cell c, unsigned t)
{
	unsigned k = 0;

	while (k < *n && !cell_eq(v[k].c, c))
		k++;
	if (k == CALLEES_MAX)
		return false;
	if (k == *n)
		v[(*n)++] = (struct callee){.c = c};
	lmask_add(&v[k].who, t);
	return true;
}

/* False: too many different ones. */
static bool
find_callees(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *o, struct callee *v, unsigned *n)
{
	struct val x = step_read(s, w, g, o);

	x = affine_forget(&s->d, &x);
	*n = 0;
	LMASK_EACH(t, &g->mask)
	if (!add_callee(v, n, branch_resolve(s, w, val_cell(&s->d, &x, t)), t))
		return false;
	domain_work(&s->d, s->d.n);
	for (unsigned i = 0; i < *n; i++)
		v[i].f = function_of(s, v[i].c);
	return true;
}

/* The functions that an unknown may be; 0 if they are too many. */
static unsigned
find_choices(struct sim *s, const struct ptx_ins *ins, struct cell c, struct choice *v)
{
	struct domain *d = &s->d;
	unsigned n = 0;

	if (sym_op(d, c.s) == SYM_PHI) {
		struct cell p = sym_operand(d, c.s, 0);

		v[0] = (struct choice){
			function_of(s, sym_operand(d, c.s, 1)), {p.s, true}};
		v[1] = (struct choice){
			function_of(s, sym_operand(d, c.s, 2)), {p.s, false}};
		if (v[0].f && v[1].f)
			return 2;
	}
	for (uint32_t k = 0; k < s->m->n_funcs; k++) {
		struct cell arg[2] = {c, cell_int(k)};

		if (!slice_may_call(s->s, ins, k))
			continue;
		if (n == CALLEES_MAX)
			return 0;
		v[n++] = (struct choice){&s->m->funcs[k],
			{sym_make(d, SYM_CASE, 1, arg, 2, SYM_BOOL), true}};
	}
	return n;
}

/* What was chosen before on this path, or NULL. */
static const struct ptx_func *
chosen(const struct world *w, const struct choice *v, unsigned n)
{
	for (uint32_t i = 0; i < w->n_path; i++)
		for (unsigned k = 0; k < n; k++)
			if (w->path[i].sym == v[k].fact.sym &&
				w->path[i].is == v[k].fact.is)
				return v[k].f;
	return NULL;
}

static void
fork_call(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, unsigned taint, const struct choice *v, unsigned n,
	struct results *out)
{
	struct group h = *g;
	struct results res = {0}, done = {0};
	uint32_t id = sim_new_join(s, w, g, sim_func(s, g)->meet[g->bb]);

	h.joins = sim_push_join(s, g->joins, id);
	w->taint |= taint;
	for (unsigned i = 0; i < n; i++) {
		struct world *c = world_copy(s, w);
		struct group p = h;
		size_t cap = c->cap_path;

		if (++s->forks > s->max.forks)
			domain_stop(&s->d, STOP_BUDGET, "forks");
		arena_grow(s->mem, c->path, c->n_path, cap);
		c->cap_path = (uint32_t)cap;
		c->path[c->n_path++] = v[i].fact;
		if (call_function(s, c, &p, ins, v[i].f))
			world_push(s, c, &p);
		sim_schedule(s, c, id, true, &res);
	}
	for (size_t i = 0; i < res.n; i++) {
		struct result *r = &res.v[i];

		results_add(s, r->kind == OUT_DONE ? &done : out, r->kind, r->e, r->w);
	}
	fork_merge(s, &done, 0, out);
}

static bool
call_unknown(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	if (s->s->callable_sites)
		breach_add(s, w, g, RULE_CALL_UNKNOWN, ins, SYM_TAINT_MEM, NULL,
			"which function is called is not known, and it may synchronise");
	memory_forget_all(s, w, &g->mask);
	return call_skip(s, w, g, ins);
}

bool
call_indirect(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	struct results *out, bool *forked)
{
	struct callee v[CALLEES_MAX];
	struct choice choice[CALLEES_MAX];
	unsigned n, n_choices, known = 0;

	if (!find_callees(s, w, g, ptx_call_of(ins).target, v, &n))
		return call_unknown(s, w, g, ins);
	for (unsigned i = 0; i < n; i++)
		known += v[i].f != NULL;
	if (known == n && n == 1)
		return call_function(s, w, g, ins, v[0].f);
	if (known == n) {
		for (unsigned i = 0; i < n; i++) {
			struct group p = *g;

			p.mask = v[i].who;
			if (call_function(s, w, &p, ins, v[i].f))
				world_push(s, w, &p);
		}
		return false;
	}
	/* it is a function of this module */
	if (n > 1 || !s->s->callable_sites || sym_flags(&s->d, v[0].c.s) & SYM_DIV)
		return call_unknown(s, w, g, ins);
	n_choices = find_choices(s, ins, v[0].c, choice);
	if (!n_choices)
		return call_unknown(s, w, g, ins);
	const struct ptx_func *f = chosen(w, choice, n_choices);
	if (f)
		return call_function(s, w, g, ins, f);
	*forked = true;
	fork_call(s, w, g, ins, sym_flags(&s->d, v[0].c.s) & SYM_TAINTS, choice,
		n_choices, out);
	return false;
}
