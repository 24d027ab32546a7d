/* Branches on unknowns, and loops around them. */
#include "simt/mask.h"
#include "simt/memory.h"
#include "simt/simt.h"
#include "value/affine.h"

enum { ROUNDS_MAX = 12, MISSES_MAX = 6, OPEN_MAX = 24 };

/* One branch while it is explored. */
struct fork {
	struct sim *s;
	struct group g; /* with the join of this branch */
	uint32_t join;
	uint32_t bb, frame;
	uint32_t pred_slot; /* or PTX_NONE */
	struct val pred;    /* before the first round */
	const struct slice_func *f;
	const struct bb *b;
};

/* ---- coming back ---- */

/* Joins above the loop's that only g itself is expected at. */
static const struct jstack *
drop_own_joins(struct world *w, const struct group *g, uint32_t depth)
{
	const struct jstack *k = g->joins;
	struct lmask mine = lmask_or(lmask_or(g->mask, w->exited), w->pending);

	while (k && k->depth > depth) {
		const struct join *j = world_join(w, k->join);

		if (j && lmask_exceeds(&j->expect, &mine))
			break;
		k = k->up;
	}
	return k;
}

/* How often we are under this branch. */
static unsigned
times_open(const struct fork *k)
{
	unsigned n = 0;

	for (size_t i = 0; i < k->s->n_active; i++)
		n += k->s->active[i]->frame == k->frame && k->s->active[i]->bb == k->bb;
	return n;
}

/* True: this is the head of a loop that we are in, or the search ends here. */
static bool
came_back(struct fork *k, struct world *w, struct results *out)
{
	struct sim *s = k->s;

	for (size_t i = s->n_active; i-- > 0;) {
		struct entry *e = s->active[i];
		struct group g = k->g;

		if (e->frame != k->frame || e->bb != k->bb)
			continue;
		g.joins = drop_own_joins(w, &k->g, e->g.joins ? e->g.joins->depth : 0);
		if (jstack_same(g.joins, e->g.joins) && lmask_eq(&g.mask, &e->g.mask) &&
			unc_within(g.unc, e->g.unc)) {
			g.unc = e->g.unc;
			world_push(s, w, &g);
			if (world_same_shape(s, w, e->head)) {
				unc_note_need(s, w, &k->g, e);
				mask_loop_back(s, w, &k->g, &k->pred, e);
				results_add(s, out, OUT_BACK, e, w);
				return true;
			}
			w->n_run--;
		}
		if (++e->misses > MISSES_MAX || times_open(k) > OPEN_MAX) {
			breach_add(s, w, NULL, RULE_LOOP_STATE,
				k->b->term_ins == PTX_NONE
					? NULL
					: &k->f->f->ins[k->b->term_ins],
				SYM_TAINT_LOOP, NULL,
				"a loop depends on unknown values and its threads are in "
				"different places each time round");
			results_add(s, out, OUT_END, NULL, w);
			return true;
		}
		break;
	}
	return false;
}

/* ---- exploring ---- */

static bool
is_empty_exit(const struct fork *k, uint32_t to)
{
	const struct bb *t = &k->f->c->bb[to];

	return k->f->f->entry && !k->g.calls && to != k->f->c->exit && !t->reaches_site &&
	       t->n_ins == 0 && (t->term == CFG_RET || t->term == CFG_EXIT);
}

/* No lane of the group comes out of its loop but by exits: it ends some time, and whoever
 * waits elsewhere goes on without them.  w: without the group. */
static void
others_go_on(struct fork *k, struct world *w, const struct group *g, struct results *res)
{
	struct lmask unsure = unc_lanes(g), maybe = lmask_and(g->mask, unsure);

	k->s->unseen = true;
	if (!(w->n_run || w->n_bar || w->n_coll || w->n_mwait || w->n_cwait ||
		    w->n_cpart))
		return;
	w->exited = lmask_or(w->exited, lmask_minus(g->mask, unsure));
	w->may_exit = lmask_or(w->may_exit, maybe);
	w->pending = lmask_or(w->pending, maybe);
	w->exits = ++k->s->next_load;
	world_drop_join(w, k->join);
	results_add(k->s, res, OUT_DONE, NULL, w);
}

static bool
only_back(const struct results *r, size_t from)
{
	for (; from < r->n; from++)
		if (r->v[from].kind != OUT_BACK)
			return false;
	return true;
}

/* One side is an early return: its unsure lanes may be gone, the rest goes on. */
static bool
explore_exit(struct fork *k, const struct world *head, const struct sides *v,
	const struct val *pred, struct results *res)
{
	struct sim *s = k->s;

	for (unsigned side = 0; side < 2; side++) {
		if (!is_empty_exit(k, k->b->succ[side]))
			continue;
		struct world *w = world_copy(s, head);
		struct group g = w->run[--w->n_run];
		struct lmask gone = side ? v->no : v->yes, stay = side ? v->yes : v->no;
		struct lmask who = lmask_or(gone, v->unsure);

		uint64_t before = w->exits;

		unc_exit(s, w, &g, &who, pred);
		if (g.unc) {
			/* lanes that are only possibly here are possibly gone */
			struct lmask maybe = lmask_and(gone, unc_lanes(&g));

			w->may_exit = lmask_or(w->may_exit, maybe);
			w->pending = lmask_or(w->pending, maybe);
			gone = lmask_minus(gone, maybe);
		}
		w->may_exit = lmask_or(w->may_exit, v->unsure);
		w->exited = lmask_or(w->exited, gone);
		/* the world in which all leave here and now does not go on */
		s->unseen = s->unseen || (lmask_empty(&stay) && !w->sure);
		g.mask = lmask_or(stay, v->unsure);
		struct stay *x = sim_alloc(s, 1, sizeof *x);
		*x = (struct stay){g.stay, *pred, side ? !k->b->cond_neg : k->b->cond_neg,
			v->unsure, before, w->exits};
		g.stay = x;
		if (sim_enter(s, w, &g, k->b->succ[!side]))
			world_push(s, w, &g);
		size_t n = res->n;
		sim_schedule(s, w, k->join, true, res);
		if (only_back(res, n)) {
			w = world_copy(s, head);
			w->n_run--;
			others_go_on(k, w, &k->g, res);
		}
		return true;
	}
	return false;
}

/* What one side of an uncertain region did. */
struct side_end {
	struct world *w;          /* merged; NULL if no lane came out */
	struct results ended;     /* worlds in which all its lanes left */
	struct lmask sure;        /* gone whenever they took this side */
	struct lmask may;         /* possibly gone */
	struct lmask split, part; /* exit_split, exit_part */
	bool exits;               /* more lanes may be gone than before */
	unsigned taint;
};

static void
side_add_result(
	struct side_end *r, const struct world *head, const struct world *w, bool first)
{
	struct lmask sure = lmask_or(w->exited, w->pending);

	r->exits = r->exits || w->exits != head->exits;
	r->sure = first ? sure : lmask_and(r->sure, sure);
	r->may = lmask_or(r->may, lmask_or(sure, w->may_exit));
	r->split = lmask_or(r->split, w->exit_split);
	r->part = lmask_or(r->part, w->exit_part);
	r->taint |= w->taint;
}

static struct side_end
explore_side(struct fork *k, const struct world *head, const struct lmask *mask,
	const struct lmask *unsure, const struct val *pred, bool when, uint32_t to,
	struct results *back)
{
	struct sim *s = k->s;
	struct world *w = world_copy(s, head);
	struct group g = head->run[head->n_run - 1];
	struct results res = {0}, done = {0}, merged = {0};
	struct side_end r = {0};
	struct lmask before = lmask_or(head->exited, head->may_exit);
	bool first = true;

	g.mask = *mask;
	g.unc = unc_push(s, g.unc, pred, when, unsure);
	w->n_run = w->n_bar = w->n_coll = w->n_mwait = w->n_cwait = 0;
	w->side = true;
	w->pending = (struct lmask){{0}};
	struct join *j = world_join(w, k->join);
	j->expect = g.mask;
	j->n = 0;
	if (sim_enter(s, w, &g, to))
		world_push(s, w, &g);
	sim_schedule(s, w, k->join, true, &res);
	for (size_t i = 0; i < res.n; i++) {
		struct result *x = &res.v[i];

		if (x->kind == OUT_BACK) {
			results_add(s, back, OUT_BACK, x->e, x->w);
			/* lanes that go round again are not gone on this side */
			r.sure = (struct lmask){{0}};
			first = false;
			continue;
		}
		struct lmask gone = lmask_or(x->w->exited, x->w->pending);
		if (x->kind != OUT_DONE && lmask_exceeds(mask, &gone))
			s->unseen = true;
		results_add(
			s, x->kind == OUT_DONE ? &done : &r.ended, x->kind, NULL, x->w);
		side_add_result(&r, head, x->w, first);
		first = false;
	}
	r.may = lmask_minus(r.may, before);
	r.sure = lmask_minus(lmask_and(r.sure, *mask), before);
	fork_merge(s, &done, 0, &merged);
	/* worlds of different shapes: one stands for all, so forget what differs */
	for (size_t i = 1; i < merged.n; i++) {
		merged.v[0].w = fork_merge_two(s, merged.v[0].w, merged.v[i].w);
	}
	r.w = merged.n ? merged.v[0].w : NULL;
	return r;
}

static void
join_sides(struct fork *k, const struct world *head, struct world *out, struct world *a,
	struct world *b, const struct val *pred, bool when)
{
	struct sim *s = k->s;
	struct val p = when ? *pred : val_not(&s->d, pred);
	uint32_t n = a->n_regs > b->n_regs ? a->n_regs : b->n_regs;
	struct lmask alive = world_alive(s, head);
	bool others = lmask_exceeds(&alive, &k->g.mask);

	for (uint32_t i = 0; i < n; i++) {
		struct val x = world_get(a, i), y = world_get(b, i),
			   old = world_get(head, i);

		if (val_same(&s->d, &x, &y)) {
			*world_reg(s, out, i) = x;
			continue;
		}
		if (memory_is_slot(s, i)) {
			*world_reg(s, out, i) = memory_merge(s, i, &p, &x, &y);
			continue;
		}
		if (old.kind == VAL_NONE && (x.kind == VAL_NONE || y.kind == VAL_NONE)) {
			/* written on one side only: nobody else may read it */
			*world_reg(s, out, i) = x.kind == VAL_NONE ? y : x;
			continue;
		}
		x = affine_forget(&s->d, &x);
		y = affine_forget(&s->d, &y);
		struct val v = val_phi(&s->d, &p, &x, &y);
		if (others && old.kind != VAL_NONE)
			v = val_select(&s->d, &k->g.mask, &v, &old);
		*world_reg(s, out, i) = v;
	}
}

/* The world after both sides, without the group. */
static struct world *
after_both(struct fork *k, const struct world *head, const struct sides *v,
	const struct side_end *a, const struct side_end *b, const struct val *pred,
	struct lmask *surely)
{
	struct sim *s = k->s;
	struct world *w = world_copy(s, head);
	struct group g0 = w->run[--w->n_run];
	struct lmask both = lmask_and(lmask_and(a->sure, b->sure), v->unsure);
	struct lmask maybe = lmask_or(a->may, b->may), unsure = unc_lanes(&g0);

	*surely = lmask_or(
		lmask_or(lmask_and(a->sure, v->yes), lmask_and(b->sure, v->no)), both);
	struct lmask out = lmask_and(lmask_or(maybe, *surely), g0.mask);
	unc_exit(s, w, &g0, &out, pred);
	if (a->exits || b->exits)
		w->exits = ++s->next_load;
	w->exit_split = lmask_or(w->exit_split, lmask_or(a->split, b->split));
	w->exit_part = lmask_or(w->exit_part, lmask_or(a->part, b->part));
	w->taint |= a->taint | b->taint;
	w->exited = lmask_or(w->exited, lmask_minus(*surely, unsure));
	w->may_exit = lmask_or(w->may_exit, lmask_minus(out, w->exited));
	w->pending = lmask_or(w->pending, lmask_and(*surely, unsure));
	return w;
}

/* Who comes back from one side comes back, too, when lanes left on the other. */
static void
back_without(const struct results *r, size_t from, const struct world *head,
	const struct world *after)
{
	for (; after->exits != head->exits && from < r->n; from++) {
		struct world *w = r->v[from].w;

		if (r->v[from].kind != OUT_BACK)
			continue;
		w->may_exit =
			lmask_minus(lmask_or(w->may_exit, after->may_exit), w->exited);
		w->exit_split = lmask_or(w->exit_split, after->exit_split);
		w->exit_part = lmask_or(w->exit_part, after->exit_part);
		w->exits = after->exits;
	}
}

/* Several unknowns: both sides run with their sure and the unsure lanes. */
static void
explore_both(struct fork *k, const struct world *head, const struct sides *v,
	const struct val *pred, struct results *res)
{
	struct sim *s = k->s;
	struct group g = head->run[head->n_run - 1];
	bool when = !k->b->cond_neg;
	uint64_t before = order_now(s);
	size_t first = res->n;
	struct lmask my = lmask_or(v->yes, v->unsure), mn = lmask_or(v->no, v->unsure),
		     surely;
	struct side_end a =
		explore_side(k, head, &my, &v->unsure, pred, when, k->b->succ[0], res);
	struct side_end b =
		explore_side(k, head, &mn, &v->unsure, pred, !when, k->b->succ[1], res);
	struct world *w = after_both(k, head, v, &a, &b, pred, &surely);

	back_without(res, first, head, w);

	if (a.w && b.w) {
		join_sides(k, head, w, a.w, b.w, pred, when);
		order_both(s, w, a.w, b.w, before);
	} else if (a.w || b.w) {
		const struct world *x = a.w ? a.w : b.w;

		for (uint32_t i = 0; i < x->n_regs; i++)
			*world_reg(s, w, i) = x->regs[i];
		order_take(s, w, x);
	}
	for (size_t i = 0; i < a.ended.n; i++)
		order_absorb(s, w, a.ended.v[i].w, before);
	for (size_t i = 0; i < b.ended.n; i++)
		order_absorb(s, w, b.ended.v[i].w, before);
	g.mask = lmask_minus(g.mask, surely);
	bool none = lmask_empty(&g.mask);
	if (!a.w && !b.w && !none) {
		others_go_on(k, w, &g, res); /* those who are left went round a loop */
		return;
	}
	uint32_t bb = world_join(w, k->join)->bb;
	g.unc = world_join(w, k->join)->unc; /* all lanes of a loop have left it */
	g.joins = g.joins->up;
	world_drop_join(w, k->join);
	if (!none && sim_enter(s, w, &g, bb))
		world_push(s, w, &g);
	results_add(s, res, OUT_DONE, NULL, w);
}

static void
enter_sides(struct fork *k, struct world *w, const struct sides *v)
{
	struct sim *s = k->s;
	struct group g = w->run[--w->n_run];
	bool yes = !lmask_empty(&v->yes), no = !lmask_empty(&v->no);

	if (yes && no) {
		struct lmask part[2] = {v->yes, v->no};

		sim_split(s, w, &g, k->bb, part, k->b->succ, 2);
	} else if (sim_enter(s, w, &g, k->b->succ[yes ? 0 : 1])) {
		world_push(s, w, &g);
	}
}

/* One unknown for all undecided lanes: a world for each answer. */
static uint32_t
explore_worlds(struct fork *k, const struct world *head, uint32_t sym,
	const struct val *pred, struct results *res)
{
	struct sim *s = k->s;

	if (sym_op(&s->d, sym) == SYM_NOT)
		sym = sym_operand(&s->d, sym, 0).s;
	for (int is = 1; is >= 0; is--) {
		struct world *w = world_copy(s, head);

		world_assume(s, w, sym, is);
		struct sides v =
			branch_sides(s, w, &w->run[w->n_run - 1], pred, k->b->cond_neg);
		if (!lmask_empty(&v.unsure)) {
			/* the symbol's own structure hides the answer */
			explore_both(k, w, &v, pred, res);
			continue;
		}
		enter_sides(k, w, &v);
		sim_schedule(s, w, k->join, true, res);
	}
	return sym;
}

/* One round from the head; returns the symbol that the worlds differ in, or 0. */
static uint32_t
explore(struct fork *k, const struct world *head, struct results *res)
{
	struct sim *s = k->s;
	struct val pred = k->pred;

	if (k->pred_slot != PTX_NONE && world_get(head, k->pred_slot).kind != VAL_NONE &&
		world_get(head, k->pred_slot).kind != VAL_AFFINE)
		pred = world_get(head, k->pred_slot);
	struct sides v =
		branch_sides(s, head, &head->run[head->n_run - 1], &pred, k->b->cond_neg);
	if (lmask_empty(&v.unsure)) {
		struct world *w = world_copy(s, head);

		enter_sides(k, w, &v);
		sim_schedule(s, w, k->join, true, res);
		return 0;
	}
	if (v.n_sym == 1 && !(sym_flags(&s->d, v.sym[0]) & SYM_DIV))
		return explore_worlds(k, head, v.sym[0], &pred, res);
	if (!explore_exit(k, head, &v, &pred, res))
		explore_both(k, head, &v, &pred, res);
	return 0;
}

static void
taint_of(struct sim *s, struct world *w, const struct val *pred)
{
	if (pred->kind == VAL_SYM)
		w->taint |= sym_flags(&s->d, pred->s) & SYM_TAINTS;
	if (pred->kind == VAL_LANES && pred->l->s)
		for (unsigned t = 0; t < s->d.n; t++)
			if (pred->l->s[t])
				w->taint |= sym_flags(&s->d, pred->l->s[t]) & SYM_TAINTS;
}

static void
open_join(struct fork *k, struct world *w)
{
	struct sim *s = k->s;
	const struct bb *b = k->b;
	uint32_t meet = k->f->meet[k->bb];
	struct join *top = k->g.joins ? world_join(w, k->g.joins->join) : NULL;

	if (b->loop_exit && meet != k->f->c->exit && k->f->c->bb[meet].scc == b->scc)
		meet = b->ipdom; /* the loop is left by an early return */
	if (top && top->frame == k->frame && top->bb == meet && !top->soft && !top->n &&
		lmask_eq(&top->expect, &k->g.mask)) {
		k->join = top->id;
		return;
	}
	k->join = sim_new_join(s, w, &k->g, meet);
	k->g.joins = sim_push_join(s, k->g.joins, k->join);
}

/* Repeats rounds until what comes back is covered by the head. */
static void
fixpoint(struct fork *k, struct world *head, struct results *out)
{
	struct sim *s = k->s;
	const struct unc *base = k->g.unc;
	const struct world *before = head;
	struct lmask wx = {{0}}, wsplit = {{0}};
	struct results done = {0};
	uint32_t sym = 0, id = ++s->next_entry;
	struct sym_time began = sym_now(&s->d);
	unsigned round = 1;

	for (;; round++) {
		struct results res = {0}, backs = {0};
		struct entry *e = sim_alloc(s, 1, sizeof *e);

		*e = (struct entry){.frame = k->frame,
			.bb = k->bb,
			.head = head,
			.g = head->run[head->n_run - 1],
			.id = id,
			.began = began};
		if (k->b->in_loop) {
			arena_grow(s->mem, s->active, s->n_active, s->cap_active);
			s->active[s->n_active++] = e;
		}
		sym = explore(k, head, &res);
		s->n_active -= k->b->in_loop;
		for (size_t i = 0; i < res.n; i++)
			if (res.v[i].kind == OUT_BACK && res.v[i].e == e)
				results_add(s, &backs, OUT_BACK, e, res.v[i].w);
		struct world *next = backs.n ? fork_widen(s, head, &backs, e) : NULL;
		bool more = lmask_exceeds(&e->need, &wx) ||
			    lmask_exceeds(&e->need_split, &wsplit);
		if (backs.n && more) {
			wx = lmask_or(wx, e->need);
			wsplit = lmask_or(wsplit, e->need_split);
			next = next ? next : world_copy(s, head);
			next->run[next->n_run - 1].unc =
				fork_loop_condition(s, base, &wx, &wsplit);
		}
		next = mask_loop_head(s, head, next, &backs, e, k->pred_slot);
		if (!next || round == ROUNDS_MAX) {
			s->unseen = s->unseen || next;
			if (next)
				breach_add(s, head, NULL, RULE_LOOP_STATE,
					k->b->term_ins == PTX_NONE
						? NULL
						: &k->f->f->ins[k->b->term_ins],
					SYM_TAINT_LOOP, NULL,
					"what a loop changes could not be bounded");
			for (size_t i = 0; i < res.n; i++) {
				struct result *r = &res.v[i];

				if (r->kind == OUT_DONE && !lmask_empty(&wx))
					fork_leave(s, before, r->w, &k->g.mask, &wx,
						&wsplit);
				if (r->kind == OUT_DONE)
					results_add(s, &done, OUT_DONE, NULL, r->w);
				else if (r->kind != OUT_BACK || r->e != e)
					results_add(s, out, r->kind, r->e, r->w);
			}
			break;
		}
		head = next;
	}
	fork_merge(s, &done, round == 1 && done.n == 2 ? sym : 0, out);
}

void
fork_run(struct sim *s, struct world *w, const struct group *g, const struct val *pred,
	bool forced, struct results *out)
{
	struct fork k = {.s = s, .g = *g, .frame = g->frame, .bb = g->bb, .pred = *pred};

	if (++s->forks > s->max.forks)
		domain_stop(&s->d, STOP_BUDGET, "forks");
	k.f = sim_func(s, g);
	k.b = &k.f->c->bb[g->bb];
	uint32_t slot = k.f->slot[k.b->cond];
	k.pred_slot = slot == PTX_NONE ? PTX_NONE : s->frame[g->frame].base + slot;
	taint_of(s, w, pred);
	if (!val_uniform(&s->d, pred))
		sim_note_parting(s, w, g, g->bb);
	if (came_back(&k, w, out))
		return;
	open_join(&k, w);
	if (forced) {
		/* forget the predicate; lanes that were equal stay equal */
		k.pred = val_sym(
			sym_fresh(&s->d, SYM_BOOL | SYM_TAINT_LOOP |
						 (pred->kind == VAL_INT ? 0 : SYM_DIV)));
		if (k.pred_slot != PTX_NONE)
			*world_reg(s, w, k.pred_slot) = k.pred;
	}
	world_push(s, w, &k.g);
	fixpoint(&k, w, out);
}
