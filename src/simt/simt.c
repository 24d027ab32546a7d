#include "simt/memory.h"

const struct slice_func *
sim_func(const struct sim *s, const struct group *g)
{
	return &s->s->funcs[s->frame[g->frame].func];
}

void
sim_step_count(struct sim *s)
{
	if (++s->steps > s->max.steps)
		domain_stop(&s->d, STOP_BUDGET, "steps");
	domain_work(&s->d, 2);
}

/* ---- joins ---- */

const struct jstack *
sim_push_join(struct sim *s, const struct jstack *up, uint32_t id)
{
	struct jstack *j = sim_alloc(s, 1, sizeof *j);

	*j = (struct jstack){up, id, up ? up->depth + 1 : 1};
	return j;
}

uint32_t
sim_new_join(struct sim *s, struct world *w, const struct group *g, uint32_t bb)
{
	if (w->n_join >= w->cap_join) {
		size_t cap = w->cap_join;

		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->join[0]);
		w->join =
			arena_regrow(s->mem, w->join, w->n_join, &cap, sizeof w->join[0]);
		w->cap_join = (uint32_t)cap;
	}
	w->join[w->n_join++] = (struct join){.id = ++s->next_join,
		.frame = g->frame,
		.bb = bb,
		.expect = g->mask,
		.unc = g->unc};
	return s->next_join;
}

static struct join *
top_join(struct world *w, const struct group *g)
{
	return g->joins ? world_join(w, g->joins->join) : NULL;
}

static void
join_arrive(struct sim *s, struct join *j, const struct group *g)
{
	if (j->n >= j->cap) {
		size_t cap = j->cap;

		sim_charge(s, (cap ? cap * 2 : 8) * sizeof *g);
		j->arrived = arena_regrow(s->mem, j->arrived, j->n, &cap, sizeof *g);
		j->cap = (uint32_t)cap;
	}
	j->arrived[j->n++] = *g;
}

/* The waiters of a join as one group, past it. */
static struct group
join_merged(const struct join *j)
{
	struct group g = j->arrived[0];

	for (uint32_t i = 1; i < j->n; i++)
		g.mask = lmask_or(g.mask, j->arrived[i].mask);
	g.joins = g.joins->up;
	return g;
}

static void
join_check(struct sim *s, struct world *w, uint32_t id)
{
	struct join *j = world_join(w, id);
	struct lmask here;

	if (!j)
		return;
	here = lmask_or(w->exited, w->pending);
	for (uint32_t i = 0; i < j->n; i++)
		here = lmask_or(here, j->arrived[i].mask);
	if (lmask_exceeds(&j->expect, &here))
		return;
	if (!j->n) {
		world_drop_join(w, id);
		return;
	}
	struct group g = join_merged(j);
	uint32_t bb = j->bb;
	g.unc = j->unc;
	clock_meet(s, w, &g.mask, 1);
	world_drop_join(w, id);
	if (sim_enter(s, w, &g, bb))
		world_push(s, w, &g);
}

static void
join_check_all(struct sim *s, struct world *w)
{
	uint32_t n = w->n_join;
	uint32_t *id;

	if (!n)
		return;
	id = sim_alloc(s, n, sizeof *id);
	for (uint32_t i = 0; i < n; i++)
		id[i] = w->join[i].id;
	for (uint32_t i = 0; i < n; i++)
		join_check(s, w, id[i]);
}

void
sim_retire(struct sim *s, struct world *w, const struct group *g)
{
	struct lmask maybe = lmask_and(g->mask, unc_lanes(g));

	if (!lmask_empty(&maybe)) {
		unc_exit(s, w, g, &g->mask, NULL);
		w->may_exit = lmask_or(w->may_exit, maybe);
		w->pending = lmask_or(w->pending, maybe);
	}
	w->exited = lmask_or(w->exited, lmask_minus(g->mask, maybe));
	join_check_all(s, w);
}

/* ---- moving ---- */

static bool
is_empty_return(const struct slice_func *f, uint32_t bb)
{
	const struct bb *b = &f->c->bb[bb];

	return b->n_ins == 0 && (b->term == CFG_RET || b->term == CFG_EXIT);
}

static bool
is_done_tail(const struct sim *s, const struct slice_func *f, uint32_t bb)
{
	/* stores of the tail matter to who follows undefined values */
	bool skips = !s->trace || is_empty_return(f, bb);

	return skips && bb != f->c->exit && !f->c->bb[bb].reaches_site &&
	       !(f->writes && f->writes[bb]);
}

/* In a tail of the entry without sites: true if the lanes may as well be gone. */
static bool
tail_retires(const struct sim *s, struct world *w, const struct slice_func *f,
	struct group *g, uint32_t *bb)
{
	struct join *j = top_join(w, g);

	if (is_empty_return(f, *bb) || !j || j->frame != g->frame ||
		!is_done_tail(s, f, j->bb))
		return true;
	*bb = j->bb;
	return false;
}

bool
sim_enter(struct sim *s, struct world *w, struct group *g, uint32_t bb)
{
	for (;;) {
		const struct slice_func *f = sim_func(s, g);
		bool entry = f->f->entry && !g->calls;

		if (entry && is_done_tail(s, f, bb) && tail_retires(s, w, f, g, &bb)) {
			sim_retire(s, w, g);
			return false;
		}
		g->bb = bb;
		g->ip = 0;
		if (bb == f->c->exit && entry) {
			sim_retire(s, w, g);
			return false;
		}
		if (g->joins) {
			struct join *j = top_join(w, g);

			if (!j || (j->soft && j->frame == g->frame && j->bb == bb)) {
				g->joins = g->joins->up;
				continue;
			}
			if (j->frame == g->frame && j->bb == bb) {
				join_arrive(s, j, g);
				join_check(s, w, j->id);
				return false;
			}
		}
		if (bb == f->c->exit)
			step_return(s, w, g);
		return true;
	}
}

/* Where a loop has several entries nothing says where its lanes meet again. */
void
sim_note_parting(struct sim *s, struct world *w, const struct group *g, uint32_t at)
{
	const struct slice_func *f = sim_func(s, g);
	uint32_t ins = f->c->bb[at].term_ins;

	if (f->c->irreducible)
		breach_add(s, w, g, RULE_IRREDUCIBLE,
			ins == PTX_NONE ? NULL : &f->f->ins[ins], SYM_TAINT_LOOP, NULL,
			"lanes part here, and a loop of this function can be entered at "
			"more than "
			"one place: where they meet again is not defined");
}

void
sim_split(struct sim *s, struct world *w, const struct group *g, uint32_t at,
	const struct lmask *part, const uint32_t *to, unsigned n)
{
	const struct slice_func *f = sim_func(s, g);
	uint32_t meet = f->meet[at];
	struct join *top = top_join(w, g);
	struct group h = *g;

	sim_note_parting(s, w, g, at);
	if (!top || top->frame != g->frame || top->bb != meet || top->soft)
		h.joins = sim_push_join(s, g->joins, sim_new_join(s, w, g, meet));
	/* all parts exist before the first moves, so that no join completes early */
	for (unsigned i = 0; i < n; i++) {
		struct group p = h;

		if (lmask_empty(&part[i]))
			continue;
		p.mask = part[i];
		if (sim_enter(s, w, &p, to[i]))
			world_push(s, w, &p);
	}
}

/* ---- the scheduler ---- */

/* Runs one group until it blocks.  True: it forked, see out. */
static bool
run_group(struct sim *s, struct world *w, struct group *g, struct results *out)
{
	for (;;) {
		const struct slice_func *f = sim_func(s, g);
		uint32_t n = f->first[g->bb + 1] - f->first[g->bb];
		bool forked = false;

		if (g->ip >= n) {
			if (branch_term(s, w, g, out, &forked))
				continue;
			return forked;
		}
		const struct ptx_ins *ins = &f->f->ins[f->list[f->first[g->bb] + g->ip]];
		sim_step_count(s);
		switch ((int)ins->form->nature) {
		case PTX_N_BARRIER:
			if (!barrier_arrive(s, w, g, ins))
				return false;
			g->ip++;
			break;
		case PTX_N_COLLECTIVE:
		case PTX_N_WARPGROUP:
			if (!collective_meet(s, w, g, ins))
				return false;
			g->ip++;
			break;
		case PTX_N_CLUSTER:
			if (!cluster_step(s, w, g, ins))
				return false;
			g->ip++;
			break;
		case PTX_N_MBARRIER:
			if (!s->s->mbarriers)
				step_plain(s, w, g, ins);
			else if (!mbarrier_step(s, w, g, ins))
				return false;
			g->ip++;
			break;
		case PTX_N_CALL:
			if (!step_call(s, w, g, ins, out, &forked))
				return forked;
			break;
		default: step_plain(s, w, g, ins); g->ip++;
		}
	}
}

/* Arrived lanes of warps that nobody else of is expected: warps do not wait for each
 * other where branches meet. */
static struct lmask
complete_warps(const struct sim *s, const struct world *w, const struct join *j)
{
	struct lmask here = {{0}}, r = here,
		     gone = lmask_or(lmask_or(w->exited, w->pending), w->may_exit);

	for (uint32_t i = 0; i < j->n; i++) {
		if (j->arrived[i].unc || j->unc)
			return r;
		here = lmask_or(here, j->arrived[i].mask);
	}
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t come = lmask_warp(&here, i);

		if (!(lmask_warp(&j->expect, i) & ~come & ~lmask_warp(&gone, i)))
			lmask_add_warp(&r, i, come);
	}
	return r;
}

/* Whole warps leave the innermost join where some wait for other warps only. */
static bool
release_warps(struct sim *s, struct world *w)
{
	struct join *best = NULL;
	struct lmask go = {{0}};
	uint32_t k = 0;

	for (uint32_t i = 0; i < w->n_join; i++) {
		struct join *j = &w->join[i];
		struct lmask m;

		if (!j->n || (best && j->arrived[0].joins->depth <=
					      best->arrived[0].joins->depth))
			continue;
		m = complete_warps(s, w, j);
		if (lmask_empty(&m))
			continue;
		best = j;
		go = m;
	}
	if (!best)
		return false;
	struct group g = join_merged(best);
	uint32_t bb = best->bb;
	g.mask = go;
	best->expect = lmask_minus(best->expect, go);
	for (uint32_t i = 0; i < best->n; i++) {
		struct group *a = &best->arrived[i];

		a->mask = lmask_minus(a->mask, go);
		if (!lmask_empty(&a->mask))
			best->arrived[k++] = *a;
	}
	best->n = k;
	w->bypass = lmask_or(w->bypass, go);
	clock_meet(s, w, &g.mask, 1);
	if (sim_enter(s, w, &g, bb))
		world_push(s, w, &g);
	return true;
}

/* The innermost join that somebody waits at is given up: its waiters go on alone. */
static bool
give_up_join(struct sim *s, struct world *w)
{
	struct join *best = NULL;

	for (uint32_t i = 0; i < w->n_join; i++) {
		struct join *j = &w->join[i];

		if (j->n && (!best || j->arrived[0].joins->depth >
					      best->arrived[0].joins->depth))
			best = j;
	}
	if (!best)
		return false;
	struct group g = join_merged(best);
	struct lmask whole = complete_warps(s, w, best);
	struct lmask alone = lmask_minus(g.mask, whole);
	best->n = 0;
	best->soft = true;
	best->passed = lmask_or(best->passed, alone);
	w->bypass = lmask_or(w->bypass, g.mask);
	w->ahead = lmask_or(w->ahead, alone);
	if (sim_enter(s, w, &g, best->bb))
		world_push(s, w, &g);
	return true;
}

/* Lanes that a join waits for are gone without being counted (a trap). */
static bool
release_join(struct sim *s, struct world *w)
{
	for (uint32_t i = 0; i < w->n_join; i++) {
		struct join *j = &w->join[i];

		if (!j->n)
			continue;
		struct group g = join_merged(j);
		uint32_t bb = j->bb;
		world_drop_join(w, j->id);
		if (sim_enter(s, w, &g, bb))
			world_push(s, w, &g);
		return true;
	}
	return false;
}

/* Nothing runs.  True: something does now. */
static bool
quiesce(struct sim *s, struct world *w)
{
	sim_step_count(s);
	if (w->n_coll && collective_release(s, w, false))
		return true;
	if (barrier_release_any(s, w) || cluster_release(s, w))
		return true;
	bool blocked = w->n_coll || w->n_mwait || w->n_cwait || barrier_someone_waits(w);
	if (blocked && release_warps(s, w))
		return true;
	if (blocked)
		barrier_check_partial(s, w);
	if (blocked && give_up_join(s, w))
		return true;
	if (w->n_coll)
		return collective_release(s, w, true);
	if (blocked) {
		barrier_deadlock(s, w);
		cluster_deadlock(s, w);
		mbarrier_deadlock(s, w);
		return false;
	}
	if (release_join(s, w))
		return true;
	barrier_left_open(s, w);
	return false;
}

/* A certain hazard that holds for every block of the class ends the search. */
static void
stop_if_found(struct sim *s)
{
	for (size_t i = 0; i < s->n_breaches; i++) {
		const struct breach *r = &s->breach[i];
		bool refuses = gate_refuses(s->q, r->sev);

		if (r->rule == RULE_SHFL_ABSENT && !s->trace)
			continue;
		if (refuses && (s->single_block || !(r->taint & SYM_TAINT_CTAID)))
			domain_stop(&s->d, STOP_FOUND, NULL);
	}
}

/* How often the block met others, whatever happened in it. */
static void
note_end(struct sim *s, const struct world *w)
{
	if (w->side)
		return;
	for (int i = 0; i < SYNC_KINDS; i++)
		if (s->sync[i].least > s->sync[i].most)
			s->sync[i] = w->sync[i];
		else
			sync_cover(&s->sync[i], &w->sync[i]);
	s->sync_taint |= w->taint;
	s->sync_cat = w->cat ? w->cat : s->sync_cat;
}

static void
run_world(struct sim *s, struct world *w, uint32_t stop_join, bool has_stop,
	struct results *work, struct results *out)
{
	for (;;) {
		struct results forked = {0};

		if (has_stop && !world_join(w, stop_join)) {
			results_add(s, out, OUT_DONE, NULL, w);
			return;
		}
		if (!w->n_run) {
			bool more = quiesce(s, w);

			stop_if_found(s);
			if (more && !s->doomed)
				continue;
			s->doomed = false;
			note_end(s, w);
			results_add(s, out, OUT_END, NULL, w);
			return;
		}
		struct group g = w->run[--w->n_run];
		if (s->peeked)
			mbarrier_unmodelled(s, s->s->mbarrier_wait, SYM_TAINT_MEM,
				"a wait that does not block decides what is done");
		if (!run_group(s, w, &g, &forked)) {
			if (!s->doomed)
				continue;
			stop_if_found(s);
			s->doomed = false;
			note_end(s, w);
			results_add(s, out, OUT_END, NULL, w);
			return;
		}
		stop_if_found(s);
		for (size_t i = 0; i < forked.n; i++) {
			struct result *r = &forked.v[i];

			results_add(
				s, r->kind == OUT_DONE ? work : out, r->kind, r->e, r->w);
		}
		return;
	}
}

void
sim_schedule(struct sim *s, struct world *w, uint32_t stop_join, bool has_stop,
	struct results *out)
{
	struct results work = {0};

	if (++s->depth > s->max.depth)
		domain_stop(&s->d, STOP_BUDGET, "nesting");
	results_add(s, &work, OUT_DONE, NULL, w);
	while (work.n)
		run_world(s, work.v[--work.n].w, stop_join, has_stop, &work, out);
	s->depth--;
}

static void
make_tid(struct sim *s)
{
	uint64_t x = s->q->launch.block.x, y = s->q->launch.block.y;

	for (int axis = 0; axis < 3; axis++) {
		uint64_t run = axis == 0 ? 1 : axis == 1 ? x : x * y;
		uint64_t end = axis == 0 ? x : axis == 1 ? y : s->d.n, at = 0;

		if (run == s->d.n) {
			s->tid[axis] = val_int(0);
			continue;
		}
		for (unsigned t = 0, k = 0; t < s->d.n; t++) {
			s->d.tv[t] = at;
			if (++k == run) {
				k = 0;
				at = at + 1 == end ? 0 : at + 1;
			}
		}
		s->tid[axis] = val_pack(&s->d, s->d.tv, NULL);
	}
}

/* All worlds together are all that can happen. */
static void
settle(struct sim *s, const struct results *ends)
{
	if (!ends->n || s->may_trap || s->unseen || s->s->mbarrier_wait)
		return;
	for (size_t i = 0; i < ends->n; i++)
		if (!ends->v[i].w->sure)
			return;
	breach_whatever(s);
}

enum stop_why
sim_run(struct sim *s)
{
	struct results out = {0};
	jmp_buf env;

	s->d.out = &env;
	if (setjmp(env))
		return s->d.why;
	make_tid(s);
	struct world *w = world_new(s);
	struct group g = {.mask = s->full};
	size_t cap = s->cap_frames;
	arena_grow(s->mem, s->frame, s->n_frames, cap);
	s->cap_frames = (uint32_t)cap;
	s->frame[s->n_frames++] =
		(struct frame){.func = s->s->entry->body, .up = PTX_NONE};
	s->n_slots = s->s->funcs[s->s->entry->body].n_slots;
	memory_begin(s);
	if (sim_enter(s, w, &g, 0))
		world_push(s, w, &g);
	sim_schedule(s, w, 0, false, &out);
	settle(s, &out);
	return STOP_NONE;
}
