#include "ptx/cfg.h"

#include "base/arena.h"
#include "base/die.h"
#include "ptx/digraph.h"

/* A graph while it is built. */
struct build {
	struct arena *a;
	struct cfg *c;
	const struct ptx_func *f;
	size_t cap;        /* of c->bb */
	uint32_t *head;    /* block that begins at an instruction; [n_ins] is the end */
	bool *must_head;   /* a block has to begin here */
	struct graph g, r; /* reachable edges, the virtual exit included */
	uint32_t *edge_from, *edge_to;
	size_t n_edges, cap_from, cap_to;
};

static bool
is_jump(enum ptx_nature n)
{
	return n == PTX_N_BRANCH || n == PTX_N_SWITCH || n == PTX_N_RET ||
	       n == PTX_N_EXIT || n == PTX_N_TRAP;
}

static bool
never_returns(const struct ptx_module *m, const struct ptx_ins *ins)
{
	if (ins->form->nature != PTX_N_CALL)
		return false;
	struct ptx_call c = ptx_call_of(ins);
	if (c.target->kind == PTX_O_FUNC) {
		const struct ptx_func *f = &m->funcs[c.target->id];
		return f->noreturn || m->funcs[f->body].noreturn ||
		       m->funcs[f->body].traps;
	}
	return c.proto->kind == PTX_O_PROTO && m->protos[c.proto->id].noreturn;
}

static void
mark_heads(struct build *b)
{
	const struct ptx_func *f = b->f;
	b->head = arena_news(b->a, (size_t)f->n_ins + 1, uint32_t);
	b->must_head = arena_news(b->a, (size_t)f->n_ins + 1, bool);
	for (uint32_t i = 0; i <= f->n_ins; i++)
		b->head[i] = PTX_NONE;
	for (uint32_t i = 0; i < f->n_labels; i++)
		b->must_head[f->labels[i].ins] = true;
	for (uint32_t i = 0; i < f->n_ins; i++) {
		const struct ptx_ins *ins = &f->ins[i];
		bool goes_on = ins->split || (ins->form->nature == PTX_N_BRANCH &&
						     ins->guard != PTX_NONE);
		if (goes_on)
			b->must_head[i + 1] = true;
	}
}

static struct bb *
new_block(struct build *b, uint32_t first)
{
	struct cfg *c = b->c;
	arena_grow(b->a, c->bb, c->n, b->cap);
	struct bb *bb = &c->bb[c->n++];
	*bb = (struct bb){.first = first, .term_ins = PTX_NONE, .cond = PTX_NONE};
	if (first < b->f->n_ins)
		bb->line = b->f->ins[first].line;
	return bb;
}

static enum cfg_term
term_of(const struct ptx_ins *ins)
{
	enum ptx_nature n = ins->form->nature;
	if (n == PTX_N_BRANCH)
		return ins->guard == PTX_NONE ? CFG_JUMP : CFG_BRANCH;
	if (n == PTX_N_SWITCH)
		return CFG_SWITCH;
	if (n == PTX_N_RET)
		return CFG_RET;
	return n == PTX_N_EXIT ? CFG_EXIT : CFG_TRAP;
}

/* Adds instruction i to the open block; true if that closes it. */
static bool
add_instruction(struct build *b, struct bb *bb, uint32_t i)
{
	const struct ptx_ins *ins = &b->f->ins[i];
	b->c->bb_of[i] = (uint32_t)(bb - b->c->bb);
	if (is_jump(ins->form->nature)) {
		bb->term = term_of(ins);
		bb->term_ins = i;
		if (bb->term == CFG_BRANCH) {
			bb->cond = ins->guard;
			bb->cond_neg = ins->guard_neg;
		}
		return true;
	}
	bb->n_ins++;
	if (never_returns(b->c->m, ins)) {
		bb->term = CFG_TRAP;
		bb->term_ins = i;
		return true;
	}
	return false;
}

/* @p ins: the open block ends with a branch over a block of its own for ins. */
static struct bb *
split_guard(struct build *b, struct bb *bb, uint32_t i)
{
	const struct ptx_ins *ins = &b->f->ins[i];
	bb->term = CFG_BRANCH;
	bb->term_ins = i;
	bb->cond = ins->guard;
	bb->cond_neg = !ins->guard_neg;
	return new_block(b, i);
}

static void
make_blocks(struct build *b)
{
	const struct ptx_func *f = b->f;
	struct bb *open = NULL;
	for (uint32_t i = 0; i < f->n_ins; i++) {
		if (!open || b->must_head[i]) {
			open = new_block(b, i); /* an open one falls through */
			b->head[i] = b->c->n - 1;
		}
		if (f->ins[i].split)
			open = split_guard(b, open, i);
		if (add_instruction(b, open, i))
			open = NULL;
	}
	if (open || b->must_head[f->n_ins] || !b->c->n) {
		if (!open || b->must_head[f->n_ins] || !b->c->n)
			open = new_block(b, f->n_ins);
		b->head[f->n_ins] = b->c->n - 1;
		open->term = CFG_RET;
		if (open->first == f->n_ins && f->n_ins)
			open->line = f->ins[f->n_ins - 1].line;
	}
	b->c->exit = b->c->n;
	new_block(b, f->n_ins);
	b->c->n--;
}

static uint32_t
label_block(const struct build *b, uint32_t label)
{
	return b->head[b->f->labels[label].ins];
}

/* Where a jump or a taken branch goes. */
static uint32_t
taken_block(const struct build *b, const struct bb *bb)
{
	const struct ptx_ins *ins = &b->f->ins[bb->term_ins];
	return ins->split ? b->head[bb->term_ins + 1] : label_block(b, ins->ops[0].id);
}

static void
set_switch(struct build *b, struct bb *bb)
{
	const struct ptx_operand *o = ptx_operand(&b->f->ins[bb->term_ins], 1);
	const struct ptx_table *t = &b->f->tables[o->id];
	bb->n_succ = t->calls ? 0 : t->n;
	bb->succ = arena_news(b->a, (size_t)bb->n_succ + 1, uint32_t);
	for (uint32_t i = 0; i < bb->n_succ; i++)
		bb->succ[i] = label_block(b, t->to[i]);
}

static void
set_successors(struct build *b, uint32_t v)
{
	struct bb *bb = &b->c->bb[v];
	uint32_t two[2] = {0};
	switch (bb->term) {
	case CFG_FALL: two[0] = v + 1, bb->n_succ = 1; break;
	case CFG_JUMP: two[0] = taken_block(b, bb), bb->n_succ = 1; break;
	case CFG_BRANCH:
		two[0] = taken_block(b, bb);
		two[1] =
			b->f->ins[bb->term_ins].split ? v + 1 : b->head[bb->term_ins + 1];
		bb->n_succ = 2;
		break;
	case CFG_SWITCH: set_switch(b, bb); return;
	case CFG_RET:
	case CFG_EXIT: two[0] = b->c->exit, bb->n_succ = 1; break;
	case CFG_TRAP: break;
	}
	bb->succ = arena_news(b->a, 2, uint32_t);
	memcpy(bb->succ, two, sizeof two);
}

static void
add_edge(struct build *b, uint32_t from, uint32_t to)
{
	arena_grow(b->a, b->edge_from, b->n_edges, b->cap_from);
	arena_grow(b->a, b->edge_to, b->n_edges, b->cap_to);
	b->edge_from[b->n_edges] = from;
	b->edge_to[b->n_edges++] = to;
}

static void
mark_reachable(struct build *b)
{
	struct cfg *c = b->c;
	uint32_t *stack = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	uint32_t n = 0;
	c->bb[0].reachable = true;
	stack[n++] = 0;
	while (n) {
		const struct bb *bb = &c->bb[stack[--n]];
		for (uint32_t i = 0; i < bb->n_succ; i++)
			if (!c->bb[bb->succ[i]].reachable) {
				c->bb[bb->succ[i]].reachable = true;
				stack[n++] = bb->succ[i];
			}
	}
	for (uint32_t v = 0; v < c->n; v++)
		for (uint32_t i = 0; c->bb[v].reachable && i < c->bb[v].n_succ; i++)
			add_edge(b, v, c->bb[v].succ[i]);
	b->g = graph_new(b->a, c->n + 1, b->edge_from, b->edge_to, b->n_edges);
	b->r = graph_reverse(b->a, &b->g);
	for (uint32_t v = 0; v <= c->n; v++) {
		c->bb[v].pred = &b->r.to[b->r.off[v]];
		c->bb[v].n_pred = b->r.off[v + 1] - b->r.off[v];
	}
}

static void
order_blocks(struct build *b)
{
	struct cfg *c = b->c;
	uint32_t *order = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	uint32_t n = graph_rpo(b->a, &b->g, 0, order);
	for (uint32_t v = 0; v <= c->n; v++)
		c->bb[v].rpo = PTX_NONE;
	c->rpo = order;
	for (uint32_t i = 0; i < n; i++)
		if (order[i] != c->exit) {
			c->bb[order[i]].rpo = c->n_rpo;
			c->rpo[c->n_rpo++] = order[i];
		}
}

/* Post-dominators in a graph of successors; what never exits gets the virtual exit. */
static uint32_t *
post_dominators(struct build *b, const struct graph *g, const struct graph *r)
{
	uint32_t exit = b->c->exit;
	uint32_t *ipdom = arena_news(b->a, (size_t)exit + 1, uint32_t);
	graph_dominators(b->a, r, g, exit, ipdom);
	return ipdom;
}

/* Intervals of the dominator tree, so that a query is two comparisons. */
static void
number_dominators(struct build *b, const uint32_t *idom)
{
	struct cfg *c = b->c;
	uint32_t n = 0, *from = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	uint32_t *to = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	for (uint32_t i = 1; i < c->n_rpo; i++) {
		from[n] = idom[c->rpo[i]];
		to[n++] = c->rpo[i];
	}
	struct graph tree = graph_new(b->a, c->n + 1, from, to, n);
	uint32_t *order = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	uint32_t *size = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	uint32_t k = graph_rpo(b->a, &tree, 0, order);
	c->dom_in = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	c->dom_out = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	for (uint32_t i = k; i-- > 0;) { /* children follow their parent */
		uint32_t v = order[i];
		size[v]++;
		c->dom_in[v] = i;
		c->dom_out[v] = i + size[v] - 1;
		if (v != 0)
			size[idom[v]] += size[v];
	}
}

bool
cfg_dominates(const struct cfg *c, uint32_t a, uint32_t b)
{
	if (c->bb[a].rpo == PTX_NONE || c->bb[b].rpo == PTX_NONE)
		return false;
	return c->dom_in[a] <= c->dom_in[b] && c->dom_out[b] <= c->dom_out[a];
}

static void
find_dominators(struct build *b)
{
	struct cfg *c = b->c;
	uint32_t *idom = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	graph_dominators(b->a, &b->g, &b->r, 0, idom);
	uint32_t *ipdom = post_dominators(b, &b->g, &b->r);
	for (uint32_t v = 0; v <= c->n; v++) {
		struct bb *bb = &c->bb[v];
		bb->idom = idom[v];
		bb->can_exit = ipdom[v] != PTX_NONE;
		bb->ipdom = bb->can_exit ? ipdom[v] : c->exit;
		bb->ipdom2 = bb->ipdom;
	}
	number_dominators(b, idom);
}

static void
find_loops(struct build *b)
{
	struct cfg *c = b->c;
	uint32_t *scc = arena_news(b->a, (size_t)c->n + 1, uint32_t);
	c->n_scc = graph_scc(b->a, &b->g, 0, scc);
	for (uint32_t v = 0; v <= c->n; v++) {
		struct bb *bb = &c->bb[v];
		bb->scc = scc[v];
		bb->in_loop = scc[v] != PTX_NONE;
		if (!bb->reachable)
			continue;
		for (uint32_t i = 0; i < bb->n_succ; i++) {
			uint32_t w = bb->succ[i];
			bb->loop_exit |= bb->in_loop && scc[w] != scc[v];
			/* a retreating edge to what does not dominate its source */
			if (w != c->exit && c->bb[w].rpo <= bb->rpo &&
				!cfg_dominates(c, w, v))
				c->irreducible = true;
		}
	}
}

static void
build_one(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	struct cfg *c)
{
	struct build b = {.a = a, .c = c, .f = f};
	c->m = m;
	c->f = f;
	if (!f->defined)
		return;
	c->bb_of = arena_news(a, (size_t)f->n_ins + 1, uint32_t);
	mark_heads(&b);
	make_blocks(&b);
	for (uint32_t v = 0; v < c->n; v++)
		set_successors(&b, v);
	mark_reachable(&b);
	order_blocks(&b);
	find_dominators(&b);
	find_loops(&b);
}

/* ---- sites ---- */

static bool
is_meeting(const struct cfg *c, enum ptx_nature n)
{
	return n == PTX_N_BARRIER || n == PTX_N_CLUSTER || n == PTX_N_COLLECTIVE ||
	       n == PTX_N_WARPGROUP || (c->mbarriers && n == PTX_N_MBARRIER);
}

/* The functions a call may reach: one, a table's, or (false) nobody knows. */
static bool
call_targets(
	const struct cfg *c, const struct ptx_ins *ins, const uint32_t **to, uint32_t *n)
{
	struct ptx_call call = ptx_call_of(ins);
	*n = 0;
	if (call.target->kind == PTX_O_FUNC) {
		*to = &c->m->funcs[call.target->id].body;
		*n = 1;
		return true;
	}
	if (call.proto->kind != PTX_O_TABLE)
		return false;
	const struct ptx_table *t = &c->f->tables[call.proto->id];
	*to = t->to;
	*n = t->n;
	return t->calls;
}

bool
cfg_is_site(const struct cfg *cfgs, const struct cfg *c, const struct ptx_ins *ins)
{
	if (is_meeting(c, ins->form->nature))
		return true;
	if (ins->form->nature != PTX_N_CALL)
		return false;
	const uint32_t *to;
	uint32_t n;
	if (!call_targets(c, ins, &to, &n))
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (cfgs[c->m->funcs[to[i]].body].has_site)
			return true;
	return false;
}

struct call_edges {
	uint32_t *callee, *caller;
	size_t n, cap_callee, cap_caller;
};

/* A function that ends its threads decides who reaches the sites of its callers. */
static bool
ends_threads(const struct cfg *c)
{
	for (uint32_t v = 0; v < c->n && !c->f->entry; v++)
		if (c->bb[v].reachable && c->bb[v].term == CFG_EXIT)
			return true;
	return false;
}

static void
scan_calls(struct arena *a, struct cfg *c, struct call_edges *e)
{
	c->has_site |= c->f->opaque || ends_threads(c);
	for (uint32_t i = 0; c->n && i < c->f->n_ins; i++) {
		const struct ptx_ins *ins = &c->f->ins[i];
		if (!c->bb[c->bb_of[i]].reachable)
			continue;
		c->has_site |= is_meeting(c, ins->form->nature);
		if (ins->form->nature != PTX_N_CALL)
			continue;
		const uint32_t *to;
		uint32_t n;
		if (!call_targets(c, ins, &to, &n))
			c->has_site = true;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t callee = c->m->funcs[to[k]].body;
			arena_grow(a, e->callee, e->n, e->cap_callee);
			arena_grow(a, e->caller, e->n, e->cap_caller);
			e->callee[e->n] = callee;
			e->caller[e->n++] = c->f->index;
		}
	}
}

/* Who calls a function with a site has one: backwards over the call graph. */
static void
spread_sites(struct arena *a, struct cfg *cfgs, uint32_t n, const struct call_edges *e)
{
	struct graph callers = graph_new(a, n, e->callee, e->caller, e->n);
	uint32_t *stack = arena_news(a, (size_t)n + 1, uint32_t), k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (cfgs[i].has_site)
			stack[k++] = i;
	while (k) {
		uint32_t f = stack[--k];
		for (uint32_t i = callers.off[f]; i < callers.off[f + 1]; i++)
			if (!cfgs[callers.to[i]].has_site) {
				cfgs[callers.to[i]].has_site = true;
				stack[k++] = callers.to[i];
			}
	}
}

static void
mark_sites(struct arena *a, const struct cfg *cfgs, struct cfg *c)
{
	uint32_t *stack = arena_news(a, (size_t)c->n + 1, uint32_t), n = 0;
	for (uint32_t i = 0; i < c->f->n_ins; i++)
		if (cfg_is_site(cfgs, c, &c->f->ins[i]))
			c->bb[c->bb_of[i]].has_site = true;
	for (uint32_t v = 0; v < c->n; v++)
		if (c->bb[v].reachable && c->bb[v].has_site) {
			c->bb[v].reaches_site = true;
			stack[n++] = v;
		}
	while (n) {
		const struct bb *bb = &c->bb[stack[--n]];
		for (uint32_t i = 0; i < bb->n_pred; i++)
			if (!c->bb[bb->pred[i]].reaches_site) {
				c->bb[bb->pred[i]].reaches_site = true;
				stack[n++] = bb->pred[i];
			}
	}
}

static bool
is_empty_return(const struct cfg *c, uint32_t v)
{
	const struct bb *bb = &c->bb[v];
	return !bb->reaches_site && bb->n_ins == 0 &&
	       (bb->term == CFG_RET || bb->term == CFG_EXIT);
}

/* The graph without early exits, see cfg.h: edges that it leaves out. */
struct late {
	uint32_t end; /* the last block that has a site and then only returns */
	bool *lost;   /* blocks that would not come to the exit: all their edges stay */
};

static bool
is_early(const struct cfg *c, const struct bb *bb, uint32_t to)
{
	return to == c->exit ||
	       (!c->bb[to].reaches_site &&
		       (bb->ipdom == c->exit || is_empty_return(c, bb->ipdom)));
}

/* Sites, and then nothing but a return. */
static bool
is_end(const struct cfg *c, uint32_t v)
{
	const struct bb *bb = &c->bb[v];
	if (!bb->reachable || !bb->reaches_site || bb->term == CFG_TRAP)
		return false;
	for (uint32_t i = 0; i < bb->n_succ; i++)
		if (!is_early(c, bb, bb->succ[i]))
			return false;
	return true;
}

static void
add_late_edges(struct build *b, uint32_t v, const struct late *late)
{
	const struct cfg *c = b->c;
	const struct bb *bb = &c->bb[v];
	if (!bb->reaches_site) {
		if (bb->can_exit)
			add_edge(b, v, c->exit);
		return;
	}
	for (uint32_t i = 0; i < bb->n_succ; i++)
		if (late->lost[v] || !is_early(c, bb, bb->succ[i]))
			add_edge(b, v, bb->succ[i]);
	if (v == late->end)
		add_edge(b, v, c->exit);
}

/* Adds what cannot come to the exit; false if nothing. */
static bool
find_lost(struct arena *a, const struct cfg *c, const struct graph *r, bool *lost)
{
	uint32_t *stack = arena_news(a, (size_t)c->n + 1, uint32_t), n = 0;
	bool *seen = arena_news(a, (size_t)c->n + 1, bool), any = false;
	stack[n++] = c->exit;
	seen[c->exit] = true;
	while (n) {
		uint32_t v = stack[--n];
		for (uint32_t i = r->off[v]; i < r->off[v + 1]; i++)
			if (!seen[r->to[i]]) {
				seen[r->to[i]] = true;
				stack[n++] = r->to[i];
			}
	}
	for (uint32_t v = 0; v < c->n; v++) {
		if (seen[v] || lost[v] || !c->bb[v].reachable || !c->bb[v].can_exit)
			continue;
		lost[v] = any = true;
	}
	return any;
}

static void
find_late_joins(struct arena *a, struct cfg *c)
{
	struct late late = {PTX_NONE, arena_news(a, (size_t)c->n + 1, bool)};
	struct graph g, r;
	struct build b;
	for (uint32_t v = 0; v < c->n; v++)
		if (is_end(c, v))
			late.end = v;
	do {
		b = (struct build){.a = a, .c = c, .f = c->f};
		for (uint32_t v = 0; v < c->n; v++)
			if (c->bb[v].reachable)
				add_late_edges(&b, v, &late);
		g = graph_new(a, c->n + 1, b.edge_from, b.edge_to, b.n_edges);
		r = graph_reverse(a, &g);
	} while (find_lost(a, c, &r, late.lost));
	const uint32_t *ipdom2 = post_dominators(&b, &g, &r);
	for (uint32_t v = 0; v < c->n; v++)
		if (ipdom2[v] != PTX_NONE && ipdom2[v] != c->exit)
			c->bb[v].ipdom2 = ipdom2[v];
}

struct cfg *
cfg_build(struct arena *a, const struct ptx_module *m, bool mbarriers)
{
	struct cfg *cfgs = arena_news(a, (size_t)m->n_funcs + 1, struct cfg);
	struct call_edges e = {0};
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		build_one(a, m, &m->funcs[i], &cfgs[i]);
		cfgs[i].mbarriers = mbarriers;
		scan_calls(a, &cfgs[i], &e);
	}
	spread_sites(a, cfgs, m->n_funcs, &e);
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		if (!cfgs[i].n)
			continue;
		mark_sites(a, cfgs, &cfgs[i]);
		if (m->funcs[i].entry)
			find_late_joins(a, &cfgs[i]);
	}
	return cfgs;
}
