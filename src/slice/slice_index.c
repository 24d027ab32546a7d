#include "slice/slice_index.h"

enum { REGION_MAX = 32 << 20 }; /* edges followed when regions are listed */

static void
note_unmodelled(struct slice *s, const struct ptx_ins *ins, bool in_loop)
{
	enum ptx_op op = ins->form->op;
	enum ptx_sem sem = ins->form->sem;

	if (in_loop && (op == PTX_ATOM || (op == PTX_LD && sem != PTX_SEM_NONE &&
						  sem != PTX_SEM_WEAK)))
		s->flag_read = ins;

	if ((op == PTX_MBARRIER_TEST || op == PTX_MBARRIER_TRY) && !s->mbarrier_wait)
		s->mbarrier_wait = ins;
	if ((op == PTX_SHFL || op == PTX_VOTE) && !PTX_HAS(ins->form, SYNC) &&
		!s->not_sync)
		s->not_sync = ins;
	if (ins->form->nature == PTX_N_CLUSTER || op == PTX_MAPA || op == PTX_GETCTARANK)
		s->clusters = true;
	s->remote = s->remote || op == PTX_MAPA ||
		    (ins->form->nature == PTX_N_MBARRIER &&
			    ins->form->space == PTX_SPACE_CLUSTER);
	s->brings_bytes = s->brings_bytes || op == PTX_CP_BULK ||
			  op == PTX_CP_REDUCE_BULK || op == PTX_MBARRIER_COMPLETE ||
			  op == PTX_ST_ASYNC || op == PTX_RED_ASYNC ||
			  op == PTX_CLC_TRY || op == PTX_UNKNOWN;
	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);

		if (o->kind == PTX_O_SREG && o->id >= PTX_SREG_CLUSTERID &&
			o->id <= PTX_SREG_CLUSTER_NCTARANK)
			s->clusters = true;
		/* cooperative groups read the grid barrier's address from %envreg1:2 */
		if (o->kind == PTX_O_SREG && o->id == PTX_SREG_UNKNOWN && !s->grid_sync)
			s->grid_sync = ins;
		s->workspace = s->workspace || slice_is_workspace(s->m, o);
	}
}

void
slice_reach(struct slice_builder *b, uint32_t root)
{
	struct slice *s = b->s;
	uint32_t *stack = arena_news(b->a, s->m->n_funcs + 1, uint32_t);
	size_t n = 0;

	stack[n++] = root;
	s->funcs[root].used = true;
	while (n) {
		struct slice_func *f = &s->funcs[stack[--n]];

		for (uint32_t i = 0; i < f->f->n_ins; i++) {
			const struct ptx_ins *ins = &f->f->ins[i];

			if (!f->c->bb[f->c->bb_of[i]].reachable)
				continue;
			note_unmodelled(s, ins, f->c->bb[f->c->bb_of[i]].in_loop);
			n = slice_reach_taken(b, ins, stack, n);
			for (uint32_t k = 0; k < ins->n_entries; k++) {
				const struct ptx_operand *o = &ins->ops[k];

				if (o->kind != PTX_O_FUNC)
					continue;
				uint32_t to = s->m->funcs[o->id].body;
				if (s->funcs[to].used || !s->cfgs[to].n)
					continue;
				s->funcs[to].used = true;
				stack[n++] = to;
			}
		}
	}
}

static void
add_piece(struct slice_builder *b, struct slice_func *f, uint32_t *cap, uint32_t var,
	int64_t off, uint32_t bytes)
{
	bool mixed = false;

	if (slice_piece_find(f, var, off, bytes) != PTX_NONE)
		return;
	for (uint32_t i = 0; i < f->n_pieces; i++) {
		struct slice_piece *p = &f->piece[i];

		if (p->var == var && p->offset < off + bytes &&
			off < p->offset + p->bytes)
			p->mixed = mixed = true;
	}
	size_t c = *cap;
	arena_grow(b->a, f->piece, f->n_pieces, c);
	*cap = (uint32_t)c;
	f->piece[f->n_pieces++] = (struct slice_piece){var, off, bytes, mixed};
}

static void
find_pieces(struct slice_builder *b, struct slice_func *f)
{
	uint32_t cap = 0, var, bytes;
	int64_t off;

	for (uint32_t i = 0; i < f->f->n_ins && f->n_pieces < 4096; i++) {
		const struct ptx_ins *ins = &f->f->ins[i];

		if (!slice_param_access(ins, &var, &off, &bytes))
			continue;
		for (unsigned k = 0; k < slice_parts(ins); k++)
			add_piece(b, f, &cap, var, off + (int64_t)k * bytes, bytes);
	}
	f->n_values = f->f->n_regs + f->n_pieces;
}

void
slice_each_piece(const struct slice_func *f, uint32_t var, slice_value_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < f->n_pieces; i++)
		if (f->piece[i].var == var)
			fn(ctx, f->f->n_regs + i);
}

static void
each_access(const struct slice_func *f, const struct ptx_ins *ins, slice_value_fn *fn,
	void *ctx)
{
	uint32_t var, bytes;
	int64_t off;

	if (!slice_param_access(ins, &var, &off, &bytes))
		return;
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		uint32_t p = slice_piece_find(f, var, off + (int64_t)k * bytes, bytes);

		if (p != PTX_NONE)
			fn(ctx, f->f->n_regs + p);
	}
}

static void
each_write(const struct slice_func *f, const struct ptx_ins *ins, slice_value_fn *fn,
	void *ctx)
{
	struct ptx_walk w = ptx_writes(ins);
	ptx_reg r;

	while (ptx_walk_next(&w, &r))
		fn(ctx, r);
	if (ins->form->op == PTX_ST)
		each_access(f, ins, fn, ctx);
	if (ins->form->op == PTX_CALL) {
		const struct ptx_operand *rets = ptx_call_of(ins).rets;

		for (unsigned k = 0; rets && k < ptx_parts(rets); k++)
			if (ptx_part(rets, k)->kind == PTX_O_VAR)
				slice_each_piece(f, ptx_part(rets, k)->id, fn, ctx);
	}
}

void
slice_each_read(const struct slice_func *f, const struct ptx_ins *ins, slice_value_fn *fn,
	void *ctx)
{
	struct ptx_walk w = ptx_reads(ins);
	ptx_reg r;

	while (ptx_walk_next(&w, &r))
		fn(ctx, r);
	if (ins->form->op == PTX_LD)
		each_access(f, ins, fn, ctx);
}

struct def_pass {
	uint32_t *count; /* first pass */
	struct def *def; /* second pass */
	uint32_t *first;
	struct def at;
};

static void
def_count(void *ctx, uint32_t value)
{
	((struct def_pass *)ctx)->count[value]++;
}

static void
def_store(void *ctx, uint32_t value)
{
	struct def_pass *p = ctx;

	p->def[p->first[value] + p->count[value]++] = p->at;
}

static void
find_defs(struct slice_builder *b, struct slice_func *f, struct slice_work *w)
{
	struct def_pass p = {.count = arena_news(b->a, f->n_values + 1, uint32_t)};

	w->def_first = arena_news(b->a, f->n_values + 1, uint32_t);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < f->f->n_ins; i++) {
			p.at = (struct def){f->c->bb_of[i], i};
			if (f->c->bb[p.at.bb].reachable)
				each_write(f, &f->f->ins[i], pass ? def_store : def_count,
					&p);
		}
		if (pass)
			break;
		for (uint32_t v = 0; v < f->n_values; v++) {
			w->def_first[v + 1] = w->def_first[v] + p.count[v];
			p.count[v] = 0;
		}
		p.first = w->def_first;
		p.def = w->def =
			arena_news(b->a, w->def_first[f->n_values] + 1, struct def);
	}
}

bool
slice_is_decision(const struct bb *bb)
{
	return bb->reachable && (bb->term == CFG_BRANCH || bb->term == CFG_SWITCH) &&
	       bb->n_succ > 1;
}

struct region {
	uint32_t *stack, *seen; /* seen[b]: stamp of the last region that holds b */
	uint32_t n;
};

static void
region_push(const struct cfg *c, struct region *r, uint32_t from, uint32_t stop,
	uint32_t stamp)
{
	for (uint32_t i = 0; i < c->bb[from].n_succ; i++) {
		uint32_t to = c->bb[from].succ[i];

		if (to == stop || to == c->exit || r->seen[to] == stamp)
			continue;
		r->seen[to] = stamp;
		r->stack[r->n++] = to;
	}
}

/* Lists, for every block, the branches whose region it is in: counted in the first pass,
 * stored in the second. */
static bool
find_control(struct slice_builder *b, struct slice_func *f, struct slice_work *w)
{
	const struct cfg *c = f->c;
	struct region r = {arena_news(b->a, c->n + 1, uint32_t),
		arena_news(b->a, c->n + 1, uint32_t), 0};
	uint32_t *count = arena_news(b->a, c->n + 1, uint32_t), stamp = 0;

	w->ctrl_first = arena_news(b->a, c->n + 1, uint32_t);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t x = 0; x < c->n; x++) {
			if (!slice_is_decision(&c->bb[x]))
				continue;
			stamp++;
			b->visits += c->bb[x].n_succ;
			region_push(c, &r, x, c->bb[x].ipdom, stamp);
			while (r.n) {
				uint32_t y = r.stack[--r.n];

				b->visits += 1 + c->bb[y].n_succ;
				if (b->visits > REGION_MAX)
					return false;
				if (pass)
					w->ctrl[w->ctrl_first[y] + count[y]] = x;
				count[y]++;
				region_push(c, &r, y, c->bb[x].ipdom, stamp);
			}
		}
		if (pass)
			break;
		for (uint32_t x = 0; x < c->n; x++) {
			w->ctrl_first[x + 1] = w->ctrl_first[x] + count[x];
			count[x] = 0;
		}
		w->ctrl = arena_news(b->a, w->ctrl_first[c->n] + 1, uint32_t);
	}
	return true;
}

void
slice_prepare(struct slice_builder *b, uint32_t i)
{
	struct slice_func *f = &b->s->funcs[i];

	find_pieces(b, f);
	f->slot = arena_news(b->a, f->n_values, uint32_t);
	f->value = arena_news(b->a, f->n_values, uint32_t);
	for (uint32_t v = 0; v < f->n_values; v++)
		f->slot[v] = PTX_NONE;
	f->ins = arena_news(b->a, f->f->n_ins + 1, bool);
	f->branch = arena_news(b->a, f->c->n + 1, bool);
	b->w[i].marked = arena_news(b->a, f->c->n + 1, bool);
	slice_find_meets(b, f);
	if (b->s->mbarriers)
		slice_find_waits(b, f);
	find_defs(b, f, &b->w[i]);
	slice_find_grid_bars(b, f);
	slice_find_callers(b, i);
	if (!find_control(b, f, &b->w[i]))
		b->s->too_big = "branches";
}
