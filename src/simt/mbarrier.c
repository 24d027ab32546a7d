/*
 * mbarriers in shared memory: how many arrive in each phase, and who knows of it.
 *
 * Sources: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
 * One schedule is run.  It stands for all of them if nobody can arrive before the phase
 * before is over (`unordered` otherwise), and no phase can become complete before all who
 * wait for the one before it have seen that (LW019 otherwise): both are asked of vector
 * clocks.  Bytes that a phase waits for are assumed to come.
 */
#include "simt/memory.h"
#include "simt/simt.h"
#include "value/affine.h"

void
mbarrier_unmodelled(
	struct sim *s, const struct ptx_ins *ins, unsigned taint, const char *why)
{
	s->unmodelled = ins;
	s->unmodelled_taint = taint & SYM_TAINTS;
	domain_stop(&s->d, STOP_UNMODELLED, why);
}

/* ---- addresses ---- */

/* A variable by name, or NULL. */
static const struct ptx_var *
variable(const struct sim *s, uint32_t root)
{
	const struct sym *x = root ? sym_of(&s->d, root) : NULL;

	return x && x->op == SYM_ADDRESS && x->arg[0].v == PTX_O_VAR
		       ? &s->m->vars[x->arg[1].v]
		       : NULL;
}

/* Two variables are two places, but all of dynamic shared memory begin at one. */
static bool
is_elsewhere(const struct sim *s, uint32_t a, uint32_t b)
{
	const struct ptx_var *x = variable(s, a), *y = variable(s, b);

	return x && y && x != y && !(x->dynamic && y->dynamic);
}

static bool
is_remote(const struct sim *s, uint32_t root)
{
	const struct sym *x = root ? sym_of(&s->d, root) : NULL;

	return x && x->op == SYM_INS &&
	       ((const struct ptx_form *)(uintptr_t)x->tag)->op == PTX_MAPA;
}

static uint32_t
find(struct sim *s, struct world *w, struct cell address, const struct ptx_ins *ins)
{
	struct anchor at = address_anchor(s, address);
	struct {
		uint32_t root, offset;
	} p = {at.root, (uint32_t)at.offset};

	for (uint32_t i = 0; i < w->n_mbar; i++) {
		const struct mbar *b = &w->mbar[i];

		if (b->root == p.root && b->offset == p.offset)
			return i;
		if (b->root != p.root && !is_elsewhere(s, b->root, p.root))
			mbarrier_unmodelled(s, ins,
				address.s ? sym_of(&s->d, address.s)->flags : 0,
				is_remote(s, p.root)
					? "it is in another block of the cluster"
					: "which mbarrier this is, is not known");
	}
	if (w->n_mbar == MBARS_MAX)
		mbarrier_unmodelled(s, ins, 0, "there are too many mbarriers");
	size_t cap = w->cap_mbar;
	if (w->n_mbar >= w->cap_mbar)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->mbar[0]);
	arena_grow(s->mem, w->mbar, w->n_mbar, cap);
	w->cap_mbar = (uint32_t)cap;
	w->mbar[w->n_mbar] = (struct mbar){.root = p.root, .offset = p.offset};
	return w->n_mbar++;
}

/* ---- arrivals ---- */

bool
mbarrier_knows(const struct clock *k, const struct mbar *b, uint32_t i, int64_t phases)
{
	if (!clock_covers(k, &b->init))
		return false;
	if (phases <= b->base || k->of[WARPS_MAX + i] >= phases)
		return true;
	return phases <= b->phase && !b->last_tx && clock_covers(k, &b->last);
}

static void
complete(struct sim *s, struct world *w, uint32_t i)
{
	struct mbar *b = &w->mbar[i];

	if (!clock_covers(&b->arriving, &b->waits)) {
		struct lmask late = {{0}};

		for (unsigned k = 0; k < s->n_warps; k++)
			if (b->arriving.of[k] < b->waits.of[k])
				lmask_add_warp(&late, k, lmask_warp(&s->full, k));
		struct breach_lanes l = {.waits = late};
		breach_add(s, w, NULL, RULE_MBAR_OVERRUN, b->waited, 0, &l,
			"the mbarrier may complete a second phase before %s saw the "
			"first: "
			"nothing orders the arrivals after this wait",
			breach_lanes_text(s, &late));
	}
	b->phase++;
	b->done = b->arriving;
	b->done.of[WARPS_MAX + i] = b->phase;
	b->last = b->open;
	b->last_tx = b->tx;
	b->pending = b->count;
	b->tx = b->bytes = false;
	memset(&b->arriving, 0, sizeof b->arriving);
	memset(&b->open, 0, sizeof b->open);
	memset(&b->waits, 0, sizeof b->waits);
	mbarrier_release(s, w, i);
}

/* n arrivals of one warp. */
static void
arrive_warp(struct sim *s, struct world *w, const struct lmask *m, unsigned warp,
	uint32_t i, uint64_t n, const struct ptx_ins *ins)
{
	struct mbar *b = &w->mbar[i];
	struct clock own = *clock_of(s, w, m, warp);

	if (!mbarrier_knows(&own, b, i, b->phase))
		s->unordered = ins;
	memset(&own, 0, sizeof own);
	own.of[WARPS_MAX + i] = b->phase;
	clock_learn(s, w, m, warp, &own);
	while (n && !b->stuck) {
		uint64_t now = n < b->pending ? n : b->pending;

		b->open.of[warp] = clock_tick(s, w, m, warp);
		clock_raise(&b->arriving, clock_of(s, w, m, warp));
		b->pending -= (uint32_t)now;
		n -= now;
		if (n)
			s->unordered = ins;
		b->stuck = !b->pending && b->bytes;
		if (!b->pending && !b->stuck)
			complete(s, w, i);
		b = &w->mbar[i];
		sim_step_count(s);
	}
}

static const struct ptx_operand *
address_operand(const struct ptx_ins *ins, unsigned *at)
{
	for (unsigned k = 0; k < ins->n_ops; k++)
		if (ptx_operand(ins, k)->kind == PTX_O_ADDR) {
			*at = k;
			return ptx_operand(ins, k);
		}
	return NULL;
}

/* A number that all lanes of m have. */
static uint64_t
number(struct sim *s, struct world *w, const struct group *g, const struct ptx_operand *o,
	const struct ptx_ins *ins)
{
	struct val v = step_read(s, w, g, o);
	struct cell first;

	v = affine_forget(&s->d, &v);
	first = val_cell(&s->d, &v, lmask_next(&g->mask, 0));
	LMASK_EACH(t, &g->mask)
	{
		struct cell c = val_cell(&s->d, &v, t);

		if (c.s || !cell_eq(c, first))
			mbarrier_unmodelled(s, ins, c.s ? sym_of(&s->d, c.s)->flags : 0,
				"a count is not known");
	}
	return first.v & UINT32_MAX;
}

/* Lane by lane: each gets the phase in which it arrived. */
static void
write_state(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t i)
{
	uint64_t tag = (uint64_t)i << 32 | w->mbar[i].phase;

	if (ins->n_dst && step_wanted(s, g, ptx_operand(ins, 0)))
		step_put(s, w, g, ins, ptx_operand(ins, 0),
			val_sym(sym_make(&s->d, SYM_STATE, tag, NULL, 0, 0)));
}

/* Bytes that nothing in the kernel brings: then their number decides. */
static bool
expects(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	unsigned at)
{
	return !s->s->brings_bytes && number(s, w, g, ptx_operand(ins, at + 1), ins);
}

static void
arrive(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t i, unsigned at)
{
	const struct ptx_form *f = ins->form;
	bool tx = f->op == PTX_MBARRIER_ARRIVE && PTX_HAS(f, EXPECT_TX);
	uint64_t each = 1;

	/* without .noinc the count that it takes was added before */
	if (f->op == PTX_CP_ASYNC_MBARRIER && !PTX_HAS(f, NOINC))
		return;
	if (f->op == PTX_TCGEN05_COMMIT || f->op == PTX_CP_ASYNC_MBARRIER)
		tx = true;
	else if (tx)
		w->mbar[i].bytes = expects(s, w, g, ins, at) || w->mbar[i].bytes;
	else if (at + 1u < ins->n_ops)
		each = number(s, w, g, ptx_operand(ins, at + 1), ins);
	for (unsigned k = 0; k < s->n_warps; k++) {
		uint32_t lanes = lmask_warp(&g->mask, k);
		struct group one = *g;

		if (!lanes)
			continue;
		one.mask = lmask_of_warp(k, lanes);
		w->mbar[i].tx = w->mbar[i].tx || tx;
		if (f->op == PTX_MBARRIER_ARRIVE_DROP)
			w->mbar[i].count -=
				(uint32_t)(each * (unsigned)__builtin_popcount(lanes));
		write_state(s, w, &one, ins, i);
		arrive_warp(s, w, &one.mask, k, i,
			each * (unsigned)__builtin_popcount(lanes), ins);
	}
}

/* Who has clock k comes after all arrivals and waits. */
static bool
is_idle(const struct mbar *b, uint32_t i, const struct clock *k)
{
	return mbarrier_knows(k, b, i, b->phase) && clock_covers(k, &b->waits) &&
	       clock_covers(k, &b->open);
}

static void
init(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t i, unsigned at)
{
	uint64_t n = number(s, w, g, ptx_operand(ins, at + 1), ins);
	struct mbar *b = &w->mbar[i];
	unsigned warp = lmask_next(&g->mask, 0) / 32;
	const struct clock *k = clock_of(s, w, &g->mask, warp);
	/* known phases stay known */
	uint32_t first = b->count ? (b->phase + 2) & ~1u : 0;

	if (!n || n > 0xfffff || lmask_count(&g->mask) != 1)
		mbarrier_unmodelled(s, ins, 0, "an mbarrier is not set up by one thread");
	if (b->count && !is_idle(b, i, k))
		mbarrier_unmodelled(s, ins, 0, "an mbarrier is set up again in use");
	*b = (struct mbar){.root = b->root,
		.offset = b->offset,
		.live = true,
		.count = (uint32_t)n,
		.pending = (uint32_t)n,
		.phase = first,
		.base = first};
	b->init.of[warp] = clock_tick(s, w, &g->mask, warp);
}

static void
end(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	uint32_t i)
{
	unsigned warp = lmask_next(&g->mask, 0) / 32;

	if (!is_idle(&w->mbar[i], i, clock_of(s, w, &g->mask, warp)))
		mbarrier_unmodelled(s, ins, 0, "an mbarrier is given up in use");
	w->mbar[i].live = false;
}

/* ---- one instruction ---- */

static bool
at_one_place(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t i, unsigned at)
{
	const struct ptx_form *f = ins->form;

	if (f->op == PTX_MBARRIER_INIT) {
		init(s, w, g, ins, i, at);
		return true;
	}
	if (!w->mbar[i].live)
		mbarrier_unmodelled(
			s, ins, 0, "it is not an mbarrier that this block has set up");
	switch ((int)f->op) {
	case PTX_MBARRIER_INVAL: end(s, w, g, ins, i); return true;
	case PTX_MBARRIER_EXPECT:
		w->mbar[i].tx = true;
		w->mbar[i].bytes = expects(s, w, g, ins, at) || w->mbar[i].bytes;
		return true;
	case PTX_MBARRIER_COMPLETE: return true;
	case PTX_MBARRIER_TEST:
	case PTX_MBARRIER_TRY:
		return mbarrier_wait(s, w, g, ins, i, ptx_operand(ins, at + 1));
	default: break;
	}
	if (PTX_HAS(f, NOCOMPLETE))
		mbarrier_unmodelled(s, ins, 0, "arrivals without completion");
	arrive(s, w, g, ins, i, at);
	return true;
}

/* Lanes whose guard is true. */
static struct lmask
guarded(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct lmask m = {{0}};

	if (ins->guard == PTX_NONE || ins->split)
		return g->mask;
	struct val p = step_reg(s, w, g, ins->guard);
	p = affine_forget(&s->d, &p);
	LMASK_EACH(t, &g->mask)
	{
		struct cell c = branch_resolve(s, w, val_cell(&s->d, &p, t));

		if (c.s)
			mbarrier_unmodelled(s, ins, sym_of(&s->d, c.s)->flags,
				"who executes this is not known");
		if ((c.v & 1) != ins->guard_neg)
			lmask_add(&m, t);
	}
	return m;
}

bool
mbarrier_step(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	struct lmask left = guarded(s, w, g, ins), stay = lmask_minus(g->mask, left);
	unsigned at = 0;
	const struct ptx_operand *o = address_operand(ins, &at);
	struct group p = *g;

	if (lmask_empty(&left))
		return true;
	if (!o || g->unc)
		mbarrier_unmodelled(s, ins, SYM_TAINT_MEM,
			o ? "who executes this is not known" : "an unknown form");
	struct val v = step_read(s, w, g, o);
	v = affine_forget(&s->d, &v);
	while (!lmask_empty(&left)) {
		struct cell a = val_cell(&s->d, &v, lmask_next(&left, 0));

		p.mask = (struct lmask){{0}};
		LMASK_EACH(t, &left)
		if (cell_eq(val_cell(&s->d, &v, t), a))
			lmask_add(&p.mask, t);
		left = lmask_minus(left, p.mask);
		domain_work(&s->d, s->d.n);
		if (at_one_place(s, w, &p, ins, find(s, w, a, ins), at))
			stay = lmask_or(stay, p.mask);
	}
	g->mask = stay;
	return !lmask_empty(&stay);
}

/* ---- the world as a whole ---- */

void
mbarrier_all_known(struct world *w)
{
	for (uint32_t i = 0; i < w->n_mbar; i++) {
		struct mbar *b = &w->mbar[i];

		/* events are counted anew */
		memset(&b->arriving, 0, sizeof b->arriving);
		memset(&b->done, 0, sizeof b->done);
		memset(&b->init, 0, sizeof b->init);
		b->last_tx = false;
		memset(&b->open, 0, sizeof b->open);
		memset(&b->last, 0, sizeof b->last);
		memset(&b->waits, 0, sizeof b->waits);
	}
}

bool
mbarrier_same(const struct world *a, const struct world *b)
{
	if (a->n_mbar != b->n_mbar || a->n_mwait || b->n_mwait)
		return false;
	return !a->n_mbar || memcmp(a->mbar, b->mbar, a->n_mbar * sizeof a->mbar[0]) == 0;
}
