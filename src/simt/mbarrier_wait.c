/* Waits for phases of mbarriers: who blocks, who goes on, who waits for ever. */
#include "simt/simt.h"
#include "value/affine.h"

static void
write_answer(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, struct val v)
{
	if (ins->n_dst && step_wanted(s, g, ptx_operand(ins, 0)))
		step_put(s, w, g, ins, ptx_operand(ins, 0), v);
}

/* The lanes saw that the last phase is complete. */
static void
saw(struct sim *s, struct world *w, const struct lmask *m, uint32_t i,
	const struct ptx_ins *ins)
{
	for (unsigned k = 0; k < s->n_warps; k++)
		if (lmask_warp(m, k)) {
			clock_learn(s, w, m, k, &w->mbar[i].done);
			w->mbar[i].waits.of[k] = clock_tick(s, w, m, k);
		}
	w->mbar[i].waited = ins;
}

void
mbarrier_release(struct sim *s, struct world *w, uint32_t i)
{
	uint32_t k = 0, n = w->n_mwait;

	for (uint32_t j = 0; j < n; j++) {
		struct mwait m = w->mwait[j];

		if (m.bar != i || m.phase >= w->mbar[i].phase) {
			w->mwait[k++] = m;
			continue;
		}
		saw(s, w, &m.g.mask, i, m.ins);
		write_answer(s, w, &m.g, m.ins, val_int(1));
		m.g.ip++;
		world_rejoin(s, w, &m.g);
	}
	w->n_mwait = k;
}

static void
block(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t i, uint32_t phase)
{
	size_t cap = w->cap_mwait;

	if (w->n_mwait >= w->cap_mwait)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->mwait[0]);
	arena_grow(s->mem, w->mwait, w->n_mwait, cap);
	w->cap_mwait = (uint32_t)cap;
	w->mwait[w->n_mwait++] = (struct mwait){*g, ins, i, phase};
}

/* A phase more than one back is no longer told from the open one. */
static void
overrun(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t phase, uint32_t open)
{
	struct breach_lanes l = {.waits = g->mask};

	breach_add(s, w, g, RULE_MBAR_OVERRUN, ins, 0, &l,
		"%s %s for phase %u of an mbarrier that may be in phase %u by then",
		breach_lanes_text(s, &g->mask),
		breach_verb(breach_lanes_text(s, &g->mask), "waits", "wait"), phase,
		open);
}

/* Does the instruction stand in a loop that only waits? */
static bool
is_blocking(struct sim *s, const struct group *g, const struct ptx_ins *ins)
{
	const struct slice_func *f = sim_func(s, g);

	return f->blocks[ins - f->f->ins];
}

/* The lanes of g wait for one phase (-1: the one before the first). */
static bool
wait_for(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t i, int64_t phase)
{
	const struct mbar *b = &w->mbar[i];
	uint64_t tag = (uint64_t)i << 32 | (uint32_t)phase;
	bool known = true, over = true;

	for (unsigned k = 0; k < s->n_warps; k++)
		if (lmask_warp(&g->mask, k)) {
			const struct clock *c = clock_of(s, w, &g->mask, k);

			known = known && mbarrier_knows(c, b, i, phase);
			over = over && mbarrier_knows(c, b, i, phase + 1);
		}
	if (!known)
		s->unordered = ins;
	if (phase + 1 < (int64_t)b->phase)
		overrun(s, w, g, ins, (uint32_t)phase, b->phase);
	if (!is_blocking(s, g, ins) && !over) {
		struct cell when = cell_int(++s->next_load);

		/* each thread asks for itself */
		write_answer(s, w, g, ins,
			val_sym(sym_make(&s->d, SYM_PEEK, tag, &when, 1,
				SYM_BOOL | SYM_DIV | SYM_TAINT_MEM)));
		return true;
	}
	if (s->peeked && sym_of(&s->d, s->peeked)->tag != tag)
		mbarrier_unmodelled(s, ins, SYM_TAINT_MEM,
			"a wait that does not block decides what is done");
	s->peeked = 0;
	if (phase < (int64_t)b->phase) {
		saw(s, w, &g->mask, i, ins);
		write_answer(s, w, g, ins, val_int(1));
		return true;
	}
	block(s, w, g, ins, i, (uint32_t)phase);
	return false;
}

static int64_t
phase_of(struct sim *s, struct world *w, struct cell c, const struct ptx_ins *ins,
	uint32_t i)
{
	const struct mbar *b = &w->mbar[i];

	if (PTX_HAS(ins->form, PARITY) && !c.s)
		return (b->phase & 1) != (c.v & 1) ? (int64_t)b->phase - 1 : b->phase;
	if (!PTX_HAS(ins->form, PARITY) && c.s) {
		const struct sym *x = sym_of(&s->d, c.s);

		if (x->op == SYM_STATE && x->tag >> 32 == i)
			return (int64_t)(x->tag & UINT32_MAX);
	}
	mbarrier_unmodelled(s, ins, c.s ? sym_of(&s->d, c.s)->flags : 0,
		"which phase this waits for is not known");
}

bool
mbarrier_wait(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t i, const struct ptx_operand *which)
{
	struct val v = step_read(s, w, g, which);
	struct lmask left = g->mask;
	bool blocked = false;

	v = affine_forget(&s->d, &v);
	while (!lmask_empty(&left)) {
		struct cell c = val_cell(&s->d, &v, lmask_next(&left, 0));
		struct group p = *g;

		p.mask = (struct lmask){{0}};
		LMASK_EACH(t, &left)
		if (cell_eq(val_cell(&s->d, &v, t), c))
			lmask_add(&p.mask, t);
		left = lmask_minus(left, p.mask);
		domain_work(&s->d, s->d.n);
		if (wait_for(s, w, &p, ins, i, phase_of(s, w, c, ins, i))) {
			if (!blocked && lmask_empty(&left) && lmask_eq(&p.mask, &g->mask))
				return true;
			p.ip++;
			world_rejoin(s, w, &p);
		}
		blocked = true;
	}
	return false;
}

/* ---- branches on waits that do not block ---- */

static bool
is_peek(const struct domain *d, uint32_t s)
{
	return sym_op(d, s) == SYM_PEEK ||
	       (sym_op(d, s) == SYM_LANE && is_peek(d, sym_operand(d, s, 0).s));
}

/* The one answer that a condition asks: 0 if there is none, PTX_NONE if several. */
static uint32_t
peek_in(const struct sim *s, struct cell c, unsigned depth)
{
	uint32_t found = 0;

	if (!c.s || depth > 8)
		return 0;
	if (is_peek(&s->d, c.s))
		return c.s;
	const struct sym *x = sym_of(&s->d, c.s);
	for (uint32_t i = 0; i < x->n && i < 4; i++) {
		uint32_t k = peek_in(s, x->arg[i], depth + 1);

		if (k && found && k != found)
			return PTX_NONE;
		found = k ? k : found;
	}
	return found;
}

/* The sides of a branch if all answers of one phase are no; false: they decide it not.
 * peek: one of them. */
static bool
sides_if_not_over(struct sim *s, struct world *w, const struct val *pred, bool neg,
	struct sides *r, uint32_t *peek)
{
	struct domain *d = &s->d;
	struct lmask unsure = r->unsure;
	struct world probe = *w;

	probe.path = sim_alloc(s, w->n_path + 1, sizeof *probe.path);
	if (w->n_path)
		memcpy(probe.path, w->path, w->n_path * sizeof *probe.path);
	probe.n_path++;
	r->unsure = (struct lmask){{0}};
	*peek = 0;
	domain_work(d, d->n);
	LMASK_EACH(t, &unsure)
	{
		struct cell c = branch_resolve(s, w, val_cell(d, pred, t));
		uint32_t k = peek_in(s, c, 0), x = k;

		if (!k || k == PTX_NONE)
			return false;
		if (sym_op(d, x) == SYM_LANE)
			x = sym_operand(d, x, 0).s;
		if (*peek && sym_of(d, x)->tag != sym_of(d, *peek)->tag)
			return false;
		*peek = x;
		probe.path[w->n_path] = (struct fact){.sym = k, .is = false};
		c = branch_resolve(s, &probe, c);
		if (c.s)
			return false;
		lmask_add((c.v & 1) != neg ? &r->yes : &r->no, t);
	}
	return true;
}

/*
 * Who saw the phase complete skips a wait for it that would end at once, so the side that
 * waits stands for both: if it does nothing else (slice_wait.c), and the wait is for the
 * same phase (wait_for).
 */
bool
mbarrier_branch(struct sim *s, struct world *w, const struct group *g,
	const struct val *pred, struct sides *v)
{
	const struct slice_func *f = sim_func(s, g);
	const struct bb *b = &f->c->bb[g->bb];
	struct sides r = *v;
	uint32_t peek;

	if (!sides_if_not_over(s, w, pred, b->cond_neg, &r, &peek))
		return false;
	bool yes = lmask_empty(&r.no), no = lmask_empty(&r.yes);
	if (yes == no ||
		!slice_only_waits(f, g->bb, b->succ[yes ? 0 : 1], b->succ[yes ? 1 : 0]))
		return false;
	*v = r;
	s->peeked = peek;
	return true;
}

/* ---- for ever ---- */

void
mbarrier_deadlock(struct sim *s, struct world *w)
{
	struct lmask alive = world_alive(s, w);

	for (uint32_t i = 0; i < w->n_mwait; i++) {
		const struct mwait *m = &w->mwait[i];
		const struct mbar *b = &w->mbar[m->bar];
		struct lmask here = {{0}}, all = here;

		for (uint32_t k = 0; k < w->n_mwait; k++) {
			all = lmask_or(all, w->mwait[k].g.mask);
			if (w->mwait[k].ins == m->ins && w->mwait[k].bar == m->bar)
				here = lmask_or(here, w->mwait[k].g.mask);
		}
		for (uint32_t k = 0; k < w->n_bar; k++)
			if (w->bar[k].waits)
				all = lmask_or(all, w->bar[k].g.mask);
		struct breach_lanes l = {.waits = here,
			.elsewhere = lmask_minus(all, here),
			.absent = lmask_minus(alive, all),
			.exited = w->exited,
			.by = &m->g};
		if (b->stuck) {
			breach_add(s, w, NULL, RULE_MBAR_STARVED, m->ins, 0, &l,
				"%s %s for ever: a phase of the mbarrier expects bytes, "
				"and "
				"nothing in this kernel brings any",
				breach_lanes_text(s, &here),
				breach_verb(
					breach_lanes_text(s, &here), "waits", "wait"));
			continue;
		}
		breach_add(s, w, NULL, RULE_MBAR_STARVED, m->ins, 0, &l,
			"%s %s for ever: a phase of the mbarrier counts %u arrivals, %u "
			"never "
			"come",
			breach_lanes_text(s, &here),
			breach_verb(breach_lanes_text(s, &here), "waits", "wait"),
			b->count, b->pending);
	}
}
