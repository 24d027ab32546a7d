#include "lane_state.h"

enum { STEPS_MAX = 3000 };

/* ---- values ---- */

static struct value
leaf_value(struct run *r, unsigned t, const struct expr *e)
{
	struct thread *x = &r->t[t];
	const struct frame *f = &x->f[x->depth];
	const uint32_t *b = r->k->block;
	struct value v = {0};

	switch ((int)e->op) {
	case EX_CONST: v.v = e->k; break;
	case EX_LINEAR: v.v = t; break;
	case EX_TID_X: v.v = t % b[0]; break;
	case EX_TID_Y: v.v = t / b[0] % b[1]; break;
	case EX_LANE: v.v = t % 32; break;
	case EX_WARP: v.v = t / 32; break;
	case EX_CTA_X: v.v = r->cta[0]; break;
	case EX_CTA_Y: v.v = r->cta[1]; break;
	case EX_ARG: v.v = r->k->args[e->k]; break;
	case EX_VAR:
		v.v = f->v[e->k];
		v.undefined = f->undefined >> e->k & 1;
		break;
	case EX_LOAD: v.v = r->mem->word[e->k]; break;
	case EX_LOAD_LANE: v.v = r->mem->lane[t][e->k]; break;
	default:
		v.v = r->mem->atomic >= 0 ? (uint32_t)r->mem->atomic
					  : rng_at(r->mem->atomics + t, x->serial++) & 3;
	}
	return v;
}

struct value
lane_value(struct run *r, unsigned t, const struct expr *e)
{
	struct value a, b, v;

	if (e->op < EX_ADD)
		return leaf_value(r, t, e);
	a = lane_value(r, t, e->a);
	b = lane_value(r, t, e->b);
	v.undefined = a.undefined || b.undefined;
	switch ((int)e->op) {
	case EX_ADD: v.v = a.v + b.v; break;
	case EX_SUB: v.v = a.v - b.v; break;
	case EX_MUL: v.v = a.v * b.v; break;
	case EX_AND: v.v = a.v & b.v; break;
	case EX_SHR: v.v = a.v >> (b.v & 31); break;
	default: v.v = (int32_t)a.v < (int32_t)b.v ? a.v : b.v;
	}
	return v;
}

uint32_t
lane_used(struct run *r, unsigned t, const struct expr *e)
{
	struct value v = lane_value(r, t, e);

	r->grey = r->grey || v.undefined;
	return v.v;
}

bool
lane_holds(struct run *r, unsigned t, const struct cond *c)
{
	int32_t a = (int32_t)lane_used(r, t, c->a), b = (int32_t)lane_used(r, t, c->b);

	return c->cmp == CMP_LT ? a < b : c->cmp == CMP_EQ ? a == b : a >= b;
}

void
lane_set(struct run *r, unsigned t, uint32_t var, struct value v)
{
	struct frame *f = &r->t[t].f[r->t[t].depth];

	f->v[var] = v.v;
	f->undefined &= ~(UINT32_C(1) << var);
	f->undefined |= (uint32_t)v.undefined << var;
}

uint32_t
lane_mask(struct run *r, unsigned t, const struct mask *m)
{
	const struct frame *f = &r->t[t].f[r->t[t].depth];

	if (m->kind == MASK_CONST)
		return m->v;
	if (m->kind == MASK_TILE)
		return ((UINT32_C(1) << m->v) - 1) << (t % 32 & ~(m->v - 1));
	r->grey = r->grey || (f->undefined >> m->v & 1);
	return f->v[m->v];
}

/* ---- one thread ---- */

static struct frame
new_frame(unsigned func)
{
	struct frame f = {.func = func};

	for (uint32_t i = 0; i < VARS; i++)
		f.v[i] = i;
	for (uint32_t i = 0; i < LOCAL_WORDS; i++)
		f.local[i] = i;
	for (uint32_t i = MASKS; i < SLOTS; i++)
		f.v[i] = UINT32_MAX;
	return f;
}

static void
call(struct run *r, unsigned t, const struct ins *i)
{
	struct value v = lane_value(r, t, i->e);
	struct thread *x = &r->t[t];

	x->f[x->depth].pc++;
	x->f[++x->depth] = new_frame(i->k);
	x->f[x->depth].into = i->var;
	lane_set(r, t, 0, v);
	/* the argument is stored there */
	x->f[x->depth].local[0] = v.v;
	r->grey = r->grey || (v.undefined && random_code_has_frame(&r->k->func[i->k]));
}

/* The end of a function; true: of the thread. */
static bool
leave(struct run *r, unsigned t)
{
	struct thread *x = &r->t[t];
	struct frame *f = &x->f[x->depth];
	struct value v = {f->v[0], f->undefined & 1};
	uint32_t into = f->into;

	if (!x->depth)
		return true;
	x->depth--;
	lane_set(r, t, into, v);
	return false;
}

/* A word of shared or local memory. */
static uint32_t *
word(struct run *r, unsigned t, const struct ins *i)
{
	uint32_t at = i->k + (i->at ? lane_used(r, t, i->at) : 0);

	if (i->area == AREA_LOCAL)
		return &r->t[t].f[r->t[t].depth].local[at % LOCAL_WORDS];
	return &r->shared[at % SHARED_WORDS];
}

/* Executes what meets nobody; false: it does not go on by itself. */
static bool
step(struct run *r, unsigned t, const struct ins *i)
{
	struct frame *f = &r->t[t].f[r->t[t].depth];
	struct value v = {0};
	uint32_t *at;

	switch (i->op) {
	case INS_SET: lane_set(r, t, i->var, lane_value(r, t, i->e)); break;
	case INS_STORE:
		v.v = lane_used(r, t, i->e);
		at = word(r, t, i);
		*at = i->kind == 2 ? *at + v.v : v.v;
		break;
	case INS_LOAD:
		v.v = *word(r, t, i);
		lane_set(r, t, i->var, v);
		break;
	case INS_UNLESS:
	case INS_GUARD:
		if (!lane_holds(r, t, &i->c))
			f->pc = r->label[i->k];
		break;
	case INS_JUMP: f->pc = r->label[i->k]; break;
	case INS_SWITCH: f->pc = r->label[i->way[lane_used(r, t, i->e) & 3]]; break;
	case INS_ROUND0: f->round[i->k] = 0; break;
	case INS_ROUND: f->round[i->k]++; break;
	case INS_NOTHING:
	case INS_LABEL: break;
	default: return false;
	}
	f->pc++;
	return true;
}

/* Runs a thread to where it waits, or to its end. */
static void
advance(struct run *r, unsigned t)
{
	struct thread *x = &r->t[t];

	while (!x->ended) {
		const struct frame *f = &x->f[x->depth];
		const struct code *c = &r->k->func[f->func];
		const struct ins *i = &c->v[f->pc];

		if (++x->steps > STEPS_MAX) {
			r->long_run = true;
			x->ended = true;
		} else if (f->pc >= c->n) {
			/* the entry's tail stores register 0 */
			r->grey = r->grey || (!x->depth && f->undefined & 1);
			x->ended = leave(r, t);
		} else if (i->op == INS_RETURN) {
			x->ended = leave(r, t);
		} else if (i->op == INS_EXIT) {
			x->ended = true;
		} else if (i->op == INS_CALL) {
			call(r, t, i);
		} else if (!step(r, t, i)) {
			return;
		}
	}
}

void
lane_go_on(struct run *r, unsigned t)
{
	r->t[t].f[r->t[t].depth].pc++;
	advance(r, t);
}

/* ---- places ---- */

const struct ins *
lane_site(const struct run *r, unsigned t)
{
	const struct frame *f = &r->t[t].f[r->t[t].depth];

	return r->t[t].ended ? NULL : &r->k->func[f->func].v[f->pc];
}

bool
lane_same_place(struct run *r, unsigned a, unsigned b)
{
	const struct thread *x = &r->t[a], *y = &r->t[b];

	if (x->depth != y->depth)
		return false;
	for (unsigned d = 0; d <= x->depth; d++) {
		const struct frame *f = &x->f[d], *g = &y->f[d];

		if (f->func != g->func || f->pc != g->pc)
			return false;
	}
	for (unsigned d = 0; d <= x->depth; d++) {
		const struct frame *f = &x->f[d], *g = &y->f[d];
		/* a call is behind its frame's pc */
		uint32_t in = r->k->func[f->func].v[f->pc - (d < x->depth)].loops;

		for (unsigned l = 0; l < LOOPS_MAX; l++)
			if (in >> l & 1 && f->round[l] != g->round[l])
				r->grey = true;
	}
	return true;
}

/* ---- barriers ---- */

static unsigned
warp_end(const struct run *r, unsigned w)
{
	return w * 32 + 32 < r->n ? w * 32 + 32 : r->n;
}

/* A thread of the warp if what is left of it stands at one place, or -1. */
static int
whole_warp(struct run *r, unsigned w)
{
	int first = -1;

	for (unsigned t = w * 32; t < warp_end(r, w); t++) {
		if (!lane_site(r, t))
			continue;
		if (first >= 0 && !lane_same_place(r, (unsigned)first, t))
			return -1;
		first = first < 0 ? (int)t : first;
	}
	return first;
}

static void
warp_goes_on(struct run *r, unsigned w)
{
	for (unsigned t = w * 32; t < warp_end(r, w); t++)
		if (!r->t[t].ended)
			lane_go_on(r, t);
}

/* A warp arrives at a counted barrier. */
static void
arrive(struct run *r, unsigned w, unsigned first, const struct ins *i)
{
	uint32_t me = UINT32_C(1) << w, id = lane_used(r, first, i->e) % NAMED_MAX,
		 go = 0;
	struct counted *b = &r->bar[id];

	for (unsigned t = w * 32; t < warp_end(r, w); t++) {
		r->grey = r->grey || r->t[t].ended;
		r->bad = r->bad || (!r->t[t].ended && lane_used(r, t, i->e) != id);
	}
	/* a count that the block cannot bring never completes */
	r->bad = r->bad || i->k % 32 || i->k > (r->n + 31) / 32 * 32;
	r->bad = r->bad || b->warps & me || (b->warps && b->count != i->k);
	b->count = i->k;
	b->warps |= me;
	if (i->op == INS_NAMED_SYNC)
		b->waiting |= me;
	unsigned n = 32 * (unsigned)__builtin_popcount(b->warps);
	r->bad = r->bad || n > b->count;
	if (r->bad)
		return;
	if (n == b->count) {
		go = b->waiting;
		*b = (struct counted){0};
	}
	if (i->op == INS_NAMED_ARRIVE)
		warp_goes_on(r, w);
	for (unsigned x = 0; x < WARPS; x++)
		if (go >> x & 1)
			warp_goes_on(r, x);
}

static bool
waits_already(const struct run *r, unsigned w)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < NAMED_MAX; i++)
		all |= r->bar[i].waiting;
	return all >> w & 1;
}

/* One arrival, of the warp that is preferred. */
static bool
run_counted(struct run *r)
{
	for (unsigned k = 0; k < WARPS; k++) {
		unsigned w = r->warp[k];
		bool grey = r->grey;
		int t = waits_already(r, w) || w * 32 >= r->n ? -1 : whole_warp(r, w);
		const struct ins *i = t < 0 ? NULL : lane_site(r, (unsigned)t);

		if (i && (i->op == INS_NAMED_SYNC || i->op == INS_NAMED_ARRIVE)) {
			arrive(r, w, (unsigned)t, i);
			return true;
		}
		r->grey = grey;
	}
	return false;
}

/* All threads of the block at one barrier go on; bad where they are not. */
static void
run_barrier(struct run *r)
{
	const struct ins *i = lane_site(r, 0);
	struct value any = {0};

	r->bad = !i || (i->op != INS_BARRIER && i->op != INS_BARRIER_OR);
	for (unsigned t = 1; t < r->n && !r->bad; t++)
		r->bad = !lane_site(r, t) || !lane_same_place(r, 0, t);
	if (r->bad)
		return;
	for (unsigned t = 0; t < r->n && i->op == INS_BARRIER_OR; t++)
		any.v |= lane_holds(r, t, &i->c);
	for (unsigned t = 0; t < r->n && i->op == INS_BARRIER_OR; t++)
		lane_set(r, t, i->var, any);
	for (unsigned t = 0; t < r->n; t++)
		r->t[t].f[r->t[t].depth].pc++;
	for (unsigned t = 0; t < r->n; t++)
		advance(r, t);
}

/* ---- blocks ---- */

static enum truth
run_block(struct run *r)
{
	memset(r->bar, 0, sizeof r->bar);
	memcpy(r->shared, r->mem->shared, sizeof r->shared);
	r->grey = r->bad = r->long_run = false;
	for (unsigned t = 0; t < r->n; t++) {
		r->t[t] = (struct thread){0};
		r->t[t].f[0] = new_frame(0);
	}
	for (unsigned t = 0; t < r->n; t++)
		advance(r, t);
	for (;;) {
		bool all = true;

		while (!r->long_run && !r->bad &&
			(lane_run_collectives(r) || run_counted(r)))
			continue;
		for (unsigned t = 0; t < r->n; t++)
			all = all && r->t[t].ended;
		for (unsigned i = 0; i < NAMED_MAX && all; i++)
			r->grey = r->grey || r->bar[i].warps; /* left open */
		if (!all && !r->bad && !r->long_run)
			run_barrier(r);
		if (r->long_run)
			return TOO_LONG;
		if (r->bad)
			return HAZARD;
		if (all)
			return r->grey ? GREY : FINE;
	}
}

static void
find_labels(struct run *r)
{
	for (unsigned f = 0; f < r->k->n_funcs; f++)
		for (unsigned i = 0; i < r->k->func[f].n; i++)
			if (r->k->func[f].v[i].op == INS_LABEL)
				r->label[r->k->func[f].v[i].k] = i;
}

enum truth
lane_run(const struct random_kernel *k, const struct memory *mem, unsigned order)
{
	static const unsigned orders[][WARPS] = {
		{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
	enum truth worst = FINE;
	static struct run r;

	r.k = k;
	r.mem = mem;
	r.n = k->block[0] * k->block[1] * k->block[2];
	memcpy(r.warp, orders[order % 4], sizeof r.warp);
	find_labels(&r);
	for (r.cta[1] = 0; r.cta[1] < k->grid[1]; r.cta[1]++)
		for (r.cta[0] = 0; r.cta[0] < k->grid[0]; r.cta[0]++) {
			enum truth t = run_block(&r);

			if (t == TOO_LONG)
				return t;
			worst = t > worst ? t : worst;
		}
	return worst;
}
