/* The ends of blocks. */
#include "simt/simt.h"
#include "simt/truth.h"
#include "value/affine.h"

enum {
	UNIFORM_TRIPS = 300, /* times the trip limit while barriers are open */
	RESOLVE_MAX = 256
};

/* What the path knows about a boolean symbol. */
static bool
path_find(const struct world *w, uint32_t sym, bool *is)
{
	for (uint32_t i = w->n_path; i-- > 0;)
		if (w->path[i].sym == sym) {
			*is = w->path[i].is;
			return true;
		}
	return false;
}

static bool
is_made_of_others(enum sym_op op)
{
	return op == SYM_NOT || op == SYM_AND || op == SYM_OR || op == SYM_PHI;
}

/* left: symbols that may still be looked at.  They share operands: without a bound a walk
 * takes time exponential in their depth. */
static struct cell
resolve(struct sim *s, const struct world *w, struct cell c, unsigned *left)
{
	struct domain *d = &s->d;
	bool is;

	if (!c.s || !*left)
		return c;
	--*left;
	if (path_find(w, c.s, &is))
		return cell_int(is);
	enum sym_op op = sym_op(d, c.s);
	if (!is_made_of_others(op))
		return c;
	struct cell a = sym_operand(d, c.s, 0), x = resolve(s, w, a, left);
	if (op == SYM_PHI)
		return x.s ? c : resolve(s, w, sym_operand(d, c.s, x.v ? 1 : 2), left);
	if (op == SYM_NOT)
		return cell_eq(a, x) ? c : cell_not(d, x);
	struct cell b = sym_operand(d, c.s, 1), y = resolve(s, w, b, left);
	if (cell_eq(a, x) && cell_eq(b, y))
		return c;
	return op == SYM_AND ? cell_and(d, x, y) : cell_or(d, x, y);
}

struct cell
branch_resolve(struct sim *s, const struct world *w, struct cell c)
{
	unsigned left = RESOLVE_MAX;
	struct cell a = c;
	bool is;

	if (c.s && s->no_workspace && sym_flags(&s->d, c.s) & SYM_WORKSPACE) {
		struct truth k = {.s = s, .w = w};

		return truth_value(&k, c);
	}
	if (!w->n_path || !c.s)
		return c;
	/* mostly one unknown or its negation */
	bool negated = sym_op(&s->d, c.s) == SYM_NOT;
	if (negated)
		a = sym_operand(&s->d, c.s, 0);
	if (is_made_of_others(sym_op(&s->d, a.s)))
		return resolve(s, w, c, &left);
	if (negated && path_find(w, c.s, &is))
		return cell_int(is);
	return path_find(w, a.s, &is) ? cell_int(is != negated) : c;
}

static void
side_add(struct sides *r, unsigned t, struct cell c)
{
	if (!c.s) {
		lmask_add(c.v & 1 ? &r->yes : &r->no, t);
		return;
	}
	lmask_add(&r->unsure, t);
	if (r->n_sym == 0 || (r->n_sym == 1 && r->sym[0] != c.s))
		r->sym[r->n_sym++] = c.s;
}

static void
side_all(struct sides *r, const struct lmask *m, struct cell c)
{
	if (!c.s) {
		*(c.v & 1 ? &r->yes : &r->no) = *m;
		return;
	}
	r->unsure = *m;
	r->sym[0] = c.s;
	r->n_sym = 1;
}

struct sides
branch_sides(struct sim *s, const struct world *w, const struct group *g,
	const struct val *pred, bool neg)
{
	struct sides r = {0};
	struct cell last = {0}, got = {0};
	bool first = true;

	if (pred->kind == VAL_INT || pred->kind == VAL_SYM) {
		side_all(&r, &g->mask, branch_resolve(s, w, val_flat(pred)));
	} else {
		domain_work(&s->d, s->d.n);
		LMASK_EACH(t, &g->mask)
		{
			struct cell c = val_cell(&s->d, pred, t);

			if (first || !cell_eq(c, last))
				got = branch_resolve(s, w, c);
			first = false;
			last = c;
			side_add(&r, t, got);
		}
	}
	if (neg) {
		struct lmask m = r.yes;

		r.yes = r.no;
		r.no = m;
	}
	return r;
}

static uint32_t *
visits(struct sim *s, struct world *w, uint32_t frame, uint32_t bb)
{
	for (uint32_t i = 0; i < w->n_visit; i++)
		if (w->visit[i].frame == frame && w->visit[i].bb == bb)
			return &w->visit[i].n;
	size_t cap = w->cap_visit;
	if (w->n_visit >= w->cap_visit)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->visit[0]);
	arena_grow(s->mem, w->visit, w->n_visit, cap);
	w->cap_visit = (uint32_t)cap;
	w->visit[w->n_visit] = (struct visit){frame, bb, 0};
	return &w->visit[w->n_visit++].n;
}

static bool
leaves_loop(const struct slice_func *f, uint32_t bb, uint32_t to)
{
	return to == f->c->exit || f->c->bb[to].scc != f->c->bb[bb].scc;
}

/* Known in every lane. */
static bool
term_known(struct sim *s, struct world *w, struct group *g, const struct val *pred,
	const struct sides *v, struct results *out, bool *forked)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	uint32_t *n = NULL;

	if (b->in_loop) {
		n = visits(s, w, g->frame, g->bb);
		++*n;
		bool long_run = *n > s->max.loop_trips &&
				(*n > s->max.loop_trips * UNIFORM_TRIPS ||
					(!w->n_bar && !w->n_mbar)) &&
				!w->n_run;
		if (long_run) {
			*forked = true;
			fork_run(s, w, g, pred, true, out);
			return false;
		}
	}
	bool yes = !lmask_empty(&v->yes), no = !lmask_empty(&v->no);
	if (yes != no) {
		uint32_t to = b->succ[yes ? 0 : 1];

		if (n && leaves_loop(f, g->bb, to))
			*n = 0;
		return sim_enter(s, w, g, to);
	}
	struct lmask part[2] = {v->yes, v->no};
	sim_split(s, w, g, g->bb, part, b->succ, 2);
	return false;
}

/* These lanes trap, or may, where it is asked for the workspace that only cooperative
 * launches have: grid.sync() begins so. */
static void
check_grid_launch(struct sim *s, struct world *w, const struct group *g,
	const struct lmask *dies, const struct lmask *unsure, unsigned taint)
{
	const struct slice_func *f = sim_func(s, g);
	uint32_t i = f->c->bb[g->bb].term_ins;
	struct breach_lanes l = {.unsure_here = lmask_empty(dies)};

	if (l.unsure_here && lmask_empty(unsure))
		return;
	breach_add(s, w, g, RULE_GRID_LAUNCH, i == PTX_NONE ? NULL : &f->f->ins[i],
		l.unsure_here ? taint : 0, &l,
		"%s %s to a barrier of the grid, which traps: the launch is not "
		"cooperative (--cooperative, or the spec's 'cooperative')",
		breach_lanes_text(s, l.unsure_here ? unsure : dies),
		l.unsure_here ? "may come" : "come");
}

/* One side of the branch traps or never ends: that is assumed not to happen, unless it is
 * known to. */
static bool
term_trap(struct sim *s, struct world *w, struct group *g, bool first_lives)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	struct val pred = step_reg(s, w, g, b->cond);
	unsigned taint = val_taint(&s->d, &pred);
	struct lmask alive = world_alive(s, w), dies = {{0}};
	struct sides v = {0};

	sim_step_count(s);
	if (pred.kind != VAL_AFFINE && pred.kind != VAL_NONE) {
		v = branch_sides(s, w, g, &pred, b->cond_neg);
		dies = first_lives ? v.no : v.yes;
	}
	if (taint & SYM_WORKSPACE) {
		check_grid_launch(s, w, g, &dies, &v.unsure, taint);
	} else if (lmask_empty(&dies) || (f->grid_check && f->grid_check[g->bb])) {
		/* taken to hold */
	} else if (g->unc || w->n_path) {
		s->may_trap = true;
	} else {
		breach_add(s, w, g, RULE_JUDGED_NOT,
			b->term_ins == PTX_NONE ? NULL : &f->f->ins[b->term_ins], 0, NULL,
			"%s can only trap or run for ever from here; what comes after is "
			"not judged",
			breach_lanes_text(s, &dies));
		if (lmask_eq(&dies, &alive)) {
			sim_retire(s, w, g);
			return false;
		}
	}
	return sim_enter(s, w, g, b->succ[first_lives ? 0 : 1]);
}

static bool
term_branch(struct sim *s, struct world *w, struct group *g, struct results *out,
	bool *forked)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];

	if (!f->branch[g->bb]) {
		if (!b->can_exit) {
			/* traps or never ends */
			sim_retire(s, w, g);
			return false;
		}
		return sim_enter(s, w, g, b->ipdom);
	}
	if (b->succ[0] == b->succ[1])
		return sim_enter(s, w, g, b->succ[0]);
	/* a trap is assumed not to happen */
	bool can0 = f->c->bb[b->succ[0]].can_exit, can1 = f->c->bb[b->succ[1]].can_exit;
	if (can0 != can1)
		return term_trap(s, w, g, can0);
	struct val pred = step_reg(s, w, g, b->cond);
	sim_step_count(s);
	pred = (pred.kind == VAL_AFFINE || pred.kind == VAL_NONE)
		       ? val_sym(sym_fresh(&s->d,
				 SYM_DIV | SYM_BOOL | SYM_TAINT_CTAID | SYM_TAINT_MEM))
		       : pred;
	if (s->trace)
		undefined_branch(s, w, g,
			b->term_ins == PTX_NONE ? NULL : &f->f->ins[b->term_ins], &pred);
	struct sides v = branch_sides(s, w, g, &pred, b->cond_neg);
	if (s->s->mbarriers && !lmask_empty(&v.unsure))
		mbarrier_branch(s, w, g, &pred, &v);
	if (lmask_empty(&v.unsure))
		return term_known(s, w, g, &pred, &v, out, forked);
	*forked = true;
	fork_run(s, w, g, &pred, false, out);
	return false;
}

/* ---- switches ---- */

static bool
switch_known(struct sim *s, struct world *w, struct group *g, const struct val *v)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	uint32_t n = 0, *to = sim_alloc(s, b->n_succ, sizeof *to);
	struct lmask *part = sim_alloc(s, b->n_succ, sizeof *part);

	LMASK_EACH(t, &g->mask)
	{
		uint64_t x = val_cell(&s->d, v, t).v;
		uint32_t target = b->succ[x < b->n_succ ? x : b->n_succ - 1], k = 0;

		while (k < n && to[k] != target)
			k++;
		if (k == n)
			to[n++] = target;
		lmask_add(&part[k], t);
	}
	if (n == 1)
		return sim_enter(s, w, g, to[0]);
	sim_split(s, w, g, g->bb, part, to, n);
	return false;
}

/* One unknown for all lanes: a world for each target. */
static void
switch_fork(struct sim *s, struct world *w, const struct group *g, struct cell x,
	struct results *out)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	struct group h = *g;
	struct results res = {0}, done = {0};
	uint32_t id = sim_new_join(s, w, g, f->meet[g->bb]);

	h.joins = sim_push_join(s, g->joins, id);
	w->taint |= sym_flags(&s->d, x.s) & SYM_TAINTS;
	for (uint32_t i = 0; i < b->n_succ; i++) {
		uint32_t k = 0;

		while (b->succ[k] != b->succ[i])
			k++;
		if (k < i)
			continue;
		if (++s->forks > s->max.forks)
			domain_stop(&s->d, STOP_BUDGET, "forks");
		struct world *c = world_copy(s, w);
		struct group p = h;
		struct cell arg[2] = {x, cell_int(b->succ[i])};
		uint32_t fact = sym_make(&s->d, SYM_CASE, 0, arg, 2, SYM_BOOL);

		world_assume(s, c, fact, true);
		if (sim_enter(s, c, &p, b->succ[i]))
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
term_switch(struct sim *s, struct world *w, struct group *g, struct results *out,
	bool *forked)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	const struct ptx_ins *ins = &f->f->ins[b->term_ins];

	if (!b->n_succ || !b->can_exit) {
		sim_retire(s, w, g);
		return false;
	}
	if (!f->branch[g->bb])
		return sim_enter(s, w, g, b->ipdom);
	struct val v = step_read(s, w, g, ptx_operand(ins, 0));

	v = affine_forget(&s->d, &v);
	struct cell first = val_cell(&s->d, &v, lmask_next(&g->mask, 0));
	bool known = true, same = true;
	LMASK_EACH(t, &g->mask)
	{
		struct cell c = val_cell(&s->d, &v, t);

		known = known && !c.s;
		same = same && cell_eq(c, first);
	}
	if (known)
		return switch_known(s, w, g, &v);
	if (same) {
		*forked = true;
		switch_fork(s, w, g, first, out);
		return false;
	}
	unsigned taint = val_taint(&s->d, &v) & SYM_TAINTS;
	breach_add(s, w, g, RULE_DATA_SWITCH, ins, taint, NULL,
		"a switch whose value differs between threads and depends on data "
		"decides who "
		"synchronises");
	/* what the ways write is not known, nor whether lanes leave there */
	struct val any = val_sym(sym_fresh(&s->d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));
	g->unc = unc_push(s, g->unc, &any, true, &g->mask);
	return sim_enter(s, w, g, f->meet[g->bb]);
}

bool
branch_term(struct sim *s, struct world *w, struct group *g, struct results *out,
	bool *forked)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];

	switch (b->term) {
	case CFG_FALL:
	case CFG_JUMP: sim_step_count(s); return sim_enter(s, w, g, b->succ[0]);
	case CFG_RET: return sim_enter(s, w, g, f->c->exit);
	case CFG_EXIT:
	case CFG_TRAP: sim_retire(s, w, g); return false;
	case CFG_BRANCH: return term_branch(s, w, g, out, forked);
	case CFG_SWITCH: return term_switch(s, w, g, out, forked);
	}
	return false;
}
