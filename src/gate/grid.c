#include "gate/grid_parts.h"

enum {
	COUNTED_CLASSES_MAX = 64, /* after a hazard, only to count its blocks */
	CLASSES_MAX = 400,
	BISECT_MAX = 64,    /* blocks a class may have to be cut to single ones */
	STEPS_MAX = 400000, /* instructions, all classes */
	OPAQUE_AT = 6,      /* classes, before the grid is tried as one */
	FORKS_MAX = 4000,   /* a class */
	TRIPS_MAX = 600,    /* of a loop, before it is widened */
	DEPTH_MAX = 200,    /* nested branches on unknowns */
	STEP_LANES = 16,    /* what an instruction costs beside its lanes */
};
/* Lanes touched, all classes; where memory is followed, there is an answer already. */
static const uint64_t work_max = UINT64_C(64) << 20, work_max_memory = UINT64_C(8) << 20;
static const size_t bytes_max = (size_t)256 << 20; /* one class, with the reports */

struct grid {
	struct arena *out;
	struct arena vals, syms, mem;
	struct arena_cap memory; /* of these and, while it runs, of out */
	struct arena_mark mark[3];
	const struct slice *sl;
	const struct gate_query *q;
	struct grid_class *work;
	size_t n_work, cap_work;
	uint64_t steps, lanes, max;
	struct sim *s;
	struct grid_result r;
	struct sync_record *sync;
	size_t n_sync, cap_sync;
	bool trace, opaque;
	bool *unfollowed; /* see sim */
};

static uint64_t
class_blocks(const struct grid_class *c)
{
	uint64_t n = 1;

	for (int i = 0; i < 3; i++)
		n *= (uint64_t)(c->hi[i] - c->lo[i] + 1);
	return n;
}

static void
push(struct grid *g, const struct grid_class *c)
{
	arena_grow(g->out, g->work, g->n_work, g->cap_work);
	g->work[g->n_work++] = *c;
}

static void
prepare(struct grid *g, struct sim *s, const struct grid_class *c)
{
	unsigned n = (unsigned)dim_volume(g->q->launch.block);
	struct breach *breach = s->breach;
	size_t cap = s->cap_breaches;

	memset(s, 0, offsetof(struct sim, d));
	memset((char *)s + offsetof(struct sim, d) + sizeof s->d, 0,
		sizeof *s - offsetof(struct sim, d) - sizeof s->d);
	s->breach = breach;
	s->cap_breaches = cap;
	s->out = g->out;
	s->mem = &g->mem;
	s->s = g->sl;
	s->m = g->sl->m;
	s->q = g->q;
	domain_init(&s->d, &g->vals, &g->syms, n);
	for (int i = 0; i < 3; i++) {
		s->d.lo[i] = c->lo[i];
		s->d.hi[i] = c->hi[i];
		s->d.rank[i] = c->rank[i];
		s->d.step[i] = c->step[i];
	}
	for (int i = 0; i < SYNC_KINDS; i++)
		s->sync[i].least = 1;
	/* trying the grid as one may have spent all that is left */
	s->d.work_max = g->lanes < g->max ? g->max - g->lanes : 1;
	s->max = (struct sim_limits){
		.steps = g->steps < STEPS_MAX ? (uint32_t)(STEPS_MAX - g->steps) : 1,
		.forks = FORKS_MAX,
		.loop_trips = TRIPS_MAX,
		.depth = DEPTH_MAX};
	s->d.opaque = g->opaque;
	s->trace = g->trace;
	s->unfollowed = g->unfollowed;
	s->no_workspace = g->sl->workspace && !g->q->launch.cooperative;
	s->full = lmask_first_n(n);
	s->n_warps = (n + 31) / 32;
	s->single_block = class_blocks(c) == 1;
}

static void
out_of_memory(void *ctx)
{
	struct grid *g = ctx;

	domain_stop(&g->s->d, STOP_BUDGET, "memory");
}

static enum stop_why
run_capped(struct grid *g)
{
	enum stop_why why;

	g->out->cap = &g->memory;
	why = sim_run(g->s);
	g->out->cap = NULL;
	return why;
}

static void
split(struct grid *g, const struct grid_class *c)
{
	const struct domain *d = &g->s->d;
	int dim = d->split_dim;
	int64_t end = c->hi[dim];

	/* pushed from the last, so that the first blocks come first */
	for (size_t i = d->n_split + 1; i-- > 0;) {
		struct grid_class p = *c;

		p.lo[dim] = i ? d->split_at[i - 1] : c->lo[dim];
		p.hi[dim] = end;
		end = p.lo[dim] - 1;
		push(g, &p);
	}
}

static void
bisect(struct grid *g, const struct grid_class *c)
{
	int dim = 0;

	for (int i = 1; i < 3; i++)
		if (c->hi[i] - c->lo[i] > c->hi[dim] - c->lo[dim])
			dim = i;
	struct grid_class a = *c, b = *c;
	a.hi[dim] = c->lo[dim] + (c->hi[dim] - c->lo[dim]) / 2;
	b.lo[dim] = a.hi[dim] + 1;
	push(g, &b);
	push(g, &a);
}

/* Cutting helps only where nothing but the block is unknown. */
static bool
depends_on_block_alone(const struct sim *s)
{
	for (size_t i = 0; i < s->n_breaches; i++) {
		const struct breach *r = &s->breach[i];

		if ((r->taint & (SYM_TAINT_CTAID | SYM_TAINT_ARG | SYM_TAINT_MEM)) ==
				SYM_TAINT_CTAID ||
			(r->sev >= SEV_EXIT && r->taint & SYM_TAINT_CTAID))
			return true;
	}
	return false;
}

/* A certain hazard found under a condition on the block is not certain for the class. */
static void
weaken(struct sim *s)
{
	for (size_t i = 0; i < s->n_breaches; i++)
		if (s->breach[i].taint & SYM_TAINT_CTAID && !s->single_block)
			s->breach[i].sev = SEV_CAVEAT;
}

static bool
same_finding(const struct breach *a, const struct breach *b)
{
	return a->rule == b->rule && a->ins == b->ins && a->sev == b->sev &&
	       breach_same_place(a, b);
}

static void
keep(struct grid *g, const struct grid_class *c)
{
	struct sim *s = g->s;

	for (size_t i = 0; i < s->n_breaches; i++) {
		const struct breach *r = &s->breach[i];
		size_t k = 0;

		while (k < g->r.n && !same_finding(&g->r.v[k].r, r))
			k++;
		if (k < g->r.n) {
			g->r.v[k].n_blocks += class_blocks(c);
			continue;
		}
		arena_grow(g->out, g->r.v, g->r.n, g->r.cap);
		g->r.v[g->r.n++] = (struct grid_finding){*r, *c, class_blocks(c)};
	}
}

static void
spent(struct grid *g, const char *cap, const struct grid_class *c)
{
	if (!g->r.cap_hit) {
		g->r.cap_hit = cap;
		g->r.where = *c;
	}
}

static void
note_sync(struct grid *g, const struct grid_class *c)
{
	const struct sim *s = g->s;
	struct sync_record r = {.c = *c,
		.taint = s->sync_taint,
		.block_read = s->d.block_read,
		.cat = s->sync_cat};

	if (!g->sl->clusters && !g->sl->grid_bars)
		return;
	/* what a loop made unknown no longer says what it came from */
	if (r.taint & SYM_TAINT_LOOP)
		r.taint |= s->d.made & SYM_TAINT_MEM;
	for (int i = 0; i < SYNC_KINDS; i++) {
		r.sync[i] = s->sync[i];
		if (s->sync[i].least <= s->sync[i].most)
			continue;
		/* no end was seen: it may come at any time */
		r.sync[i] = (struct sync){0, UINT32_MAX};
		r.taint |= s->d.made & SYM_TAINT_MEM;
	}
	arena_grow(g->out, g->sync, g->n_sync, g->cap_sync);
	g->sync[g->n_sync++] = r;
}

static void
note_unmodelled(struct grid *g, enum stop_why why)
{
	const struct sim *s = g->s;

	g->r.unmodelled = why == STOP_UNMODELLED
				  ? s->d.cap
				  : "in another order it may count for the phase before";
	g->r.unmodelled_at = why == STOP_UNMODELLED ? s->unmodelled : s->unordered;
	g->r.unmodelled_taint = s->unmodelled_taint;
}

static bool
refused(const struct grid *g)
{
	for (size_t i = 0; i < g->r.n; i++) {
		enum gate_severity sev = g->r.v[i].r.sev;

		if (gate_refuses(g->q, sev))
			return true;
	}
	return false;
}

/* One class; false when the search should end. */
static bool
run_class(struct grid *g, const struct grid_class *c)
{
	struct sim *s = g->s;
	enum stop_why why;

	prepare(g, s, c);
	why = run_capped(g);
	g->steps += s->steps;
	g->lanes += s->d.work;
	if (why == STOP_SPLIT) {
		split(g, c);
		return true;
	}
	if (why == STOP_UNFOLLOWED) {
		push(g, c);
		return true;
	}
	if (why == STOP_UNMODELLED || (why == STOP_NONE && s->unordered)) {
		note_unmodelled(g, why);
		keep(g, c);
		return false;
	}
	if (why == STOP_BUDGET) {
		spent(g, s->d.cap, c);
		weaken(s);
		keep(g, c);
		/* what is left would be cut off too */
		return false;
	}
	bool can_cut = !s->single_block && why == STOP_NONE &&
		       (class_blocks(c) <= BISECT_MAX || g->r.classes < CLASSES_MAX / 2);
	if (can_cut && depends_on_block_alone(s)) {
		bisect(g, c);
		return true;
	}
	weaken(s);
	if (why == STOP_NONE)
		note_sync(g, c);
	keep(g, c);
	return true;
}

static void reset(struct grid *g);

/* Many classes: perhaps it does not matter which block it is.  True: no finding in any.
 */
static bool
same_in_all_blocks(struct grid *g, const struct grid_class *all, size_t n)
{
	struct sim *s = g->s;
	size_t before = g->n_sync;

	for (size_t i = 0; i < n; i++) {
		enum stop_why why;

		reset(g);
		g->opaque = true;
		prepare(g, s, &all[i]);
		why = run_capped(g);
		g->opaque = false;
		g->steps += s->steps;
		g->lanes += s->d.work;
		if (why != STOP_NONE || s->n_breaches || s->unordered) {
			g->n_sync = before;
			return false;
		}
		note_sync(g, &all[i]);
	}
	g->n_sync -= before;
	if (before)
		memmove(g->sync, g->sync + before, g->n_sync * sizeof g->sync[0]);
	return true;
}

/* The whole grid; where clusters matter, once for each place in a cluster. */
static size_t
first_classes(const struct grid *g, struct grid_class **v)
{
	const struct dim *n = &g->q->launch.grid, *c = &g->q->launch.cluster;
	struct dim one = {1, 1, 1}, by = g->sl->clusters ? *c : one;
	size_t count = (size_t)dim_volume(by), k = 0;

	*v = arena_news(g->out, count, struct grid_class);
	for (uint64_t i = 0; i < count; i++) {
		int64_t x = (int64_t)(i % by.x), y = (int64_t)(i / by.x % by.y),
			z = (int64_t)(i / (by.x * by.y));

		(*v)[k++] = (struct grid_class){{0, 0, 0},
			{(int64_t)(n->x / by.x) - 1, (int64_t)(n->y / by.y) - 1,
				(int64_t)(n->z / by.z) - 1},
			{x, y, z}, {(int64_t)by.x, (int64_t)by.y, (int64_t)by.z}};
	}
	return k;
}

static void
reset(struct grid *g)
{
	arena_pop(&g->vals, g->mark[0]);
	arena_pop(&g->syms, g->mark[1]);
	arena_pop(&g->mem, g->mark[2]);
}

/* Blocks that nobody ran are not counted: how many there are is not known. */
static void
forget_counts(struct grid *g)
{
	for (size_t i = 0; i < g->r.n; i++)
		g->r.v[i].n_blocks = 0;
}

struct grid_result
grid_run(
	struct arena *out, const struct slice *sl, const struct gate_query *q, bool trace)
{
	struct grid g = {.out = out, .sl = sl, .q = q, .trace = trace};
	struct grid_class *all;
	size_t n_all = first_classes(&g, &all);
	/* after a hazard further classes only count its blocks */
	unsigned after = 0;

	g.memory = (struct arena_cap){
		.max_bytes = bytes_max, .full = out_of_memory, .ctx = &g};
	g.vals.cap = g.syms.cap = g.mem.cap = &g.memory;
	arena_alloc(&g.vals, 1);
	arena_alloc(&g.syms, 1);
	g.max = sl->points ? work_max_memory : work_max;
	if (sl->points)
		g.unfollowed = arena_news(out, sl->m->n_vars + 1, bool);
	g.s = arena_new(&g.mem, struct sim);
	g.mark[0] = arena_mark(&g.vals);
	g.mark[1] = arena_mark(&g.syms);
	g.mark[2] = arena_mark(&g.mem);
	for (size_t i = n_all; i-- > 0;)
		push(&g, &all[i]);
	while (g.n_work) {
		struct grid_class c = g.work[--g.n_work];

		if (g.r.classes++ >= CLASSES_MAX || g.steps >= STEPS_MAX ||
			g.lanes >= g.max) {
			spent(&g, "block classes", &c);
			break;
		}
		if (g.r.classes == OPAQUE_AT && !g.r.n &&
			same_in_all_blocks(&g, all, n_all))
			break;
		reset(&g);
		if (!run_class(&g, &c))
			break;
		if (refused(&g) && ++after > COUNTED_CLASSES_MAX) {
			forget_counts(&g);
			break;
		}
	}
	if (!g.r.cap_hit && !g.r.unmodelled && !refused(&g))
		grid_compare_sync(&g.r, out, sl, g.sync, g.n_sync);
	arena_release(&g.vals);
	arena_release(&g.syms);
	arena_release(&g.mem);
	g.r.spent = g.lanes + g.steps * STEP_LANES;
	return g.r;
}
