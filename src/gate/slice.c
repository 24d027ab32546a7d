#include "gate/slice.h"

enum { REGION_MAX = 32 << 20 }; /* block visits when regions are listed */

/* A definition: block and instruction. */
struct def {
	uint32_t bb, ins;
};

struct caller {
	uint32_t func, bb, ins;
	uint32_t next; /* index + 1 */
};

/* What a function needs while the slice grows. */
struct work_func {
	uint32_t *def_first; /* by value, n_values + 1 */
	struct def *def;
	uint32_t *ctrl_first; /* by block: branches whose region holds it */
	uint32_t *ctrl;
	uint32_t callers; /* index + 1 */
	bool *marked;     /* blocks whose controlling branches are in */
};

struct item {
	uint32_t func, what;
};

struct builder {
	struct arena *a;
	struct slice *s;
	struct work_func *w;
	struct caller *caller;
	size_t n_callers, cap_callers;
	struct item *values; /* work list of relevant values */
	size_t n_values, cap_values;
	struct item *blocks; /* work list of blocks to mark */
	size_t n_blocks, cap_blocks;
	uint64_t visits;
};

unsigned
slice_parts(const struct ptx_ins *ins)
{
	const struct ptx_operand *o =
		ptx_operand(ins, ins->form->nature == PTX_N_STORE ? 1 : 0);

	return o && o->kind == PTX_O_VEC ? ptx_parts(o) : 1;
}

bool
slice_param_access(
	const struct ptx_ins *ins, uint32_t *var, int64_t *offset, uint32_t *bytes)
{
	const struct ptx_form *f = ins->form;
	bool load = f->op == PTX_LD;

	if (!load && f->op != PTX_ST)
		return false;
	if (f->space != PTX_SPACE_PARAM && !PTX_HAS(f, ENTRY_PARAM) &&
		!PTX_HAS(f, FUNC_PARAM))
		return false;
	const struct ptx_operand *o = ptx_operand(ins, load ? 1 : 0);
	const struct ptx_operand *base =
		o && o->kind == PTX_O_ADDR ? ptx_part(o, 0) : NULL;
	if (!base || base->kind != PTX_O_VAR || !f->n_types)
		return false;
	*var = base->id;
	*offset = o->i + base->i;
	*bytes = (ptx_type_bits(f->type[f->n_types - 1]) + 7) / 8;
	return *bytes > 0;
}

uint32_t
slice_piece_find(const struct slice_func *s, uint32_t var, int64_t offset, uint32_t bytes)
{
	for (uint32_t i = 0; i < s->n_pieces; i++)
		if (s->piece[i].var == var && s->piece[i].offset == offset &&
			s->piece[i].bytes == bytes)
			return i;
	return PTX_NONE;
}

const struct ptx_func *
slice_callee(const struct ptx_module *m, const struct ptx_ins *ins)
{
	const struct ptx_operand *t = ptx_call_of(ins).target;

	return t && t->kind == PTX_O_FUNC ? &m->funcs[m->funcs[t->id].body] : NULL;
}

/* ---- which functions ---- */

static void
note_unmodelled(struct slice *s, const struct ptx_ins *ins)
{
	enum ptx_op op = ins->form->op;

	if ((op == PTX_MBARRIER_TEST || op == PTX_MBARRIER_TRY) && !s->mbarrier_wait)
		s->mbarrier_wait = ins;
	if ((op == PTX_SHFL || op == PTX_VOTE) && !PTX_HAS(ins->form, SYNC) &&
		!s->not_sync)
		s->not_sync = ins;
	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);

		/* cooperative groups read the grid barrier's address from %envreg1:2 */
		if (o->kind == PTX_O_SREG && o->id == PTX_SREG_UNKNOWN && !s->grid_sync)
			s->grid_sync = ins;
	}
}

static void
reach_functions(struct builder *b, uint32_t root)
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
			note_unmodelled(s, ins);
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

/* ---- pieces of parameters ---- */

static void
add_piece(struct builder *b, struct slice_func *f, uint32_t *cap, uint32_t var,
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
find_pieces(struct builder *b, struct slice_func *f)
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

/* ---- definitions ---- */

typedef void value_fn(void *ctx, uint32_t value);

static void
each_piece_of(const struct slice_func *f, uint32_t var, value_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < f->n_pieces; i++)
		if (f->piece[i].var == var)
			fn(ctx, f->f->n_regs + i);
}

static void
each_access(
	const struct slice_func *f, const struct ptx_ins *ins, value_fn *fn, void *ctx)
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
each_write(const struct slice_func *f, const struct ptx_ins *ins, value_fn *fn, void *ctx)
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
				each_piece_of(f, ptx_part(rets, k)->id, fn, ctx);
	}
}

static void
each_read(const struct slice_func *f, const struct ptx_ins *ins, value_fn *fn, void *ctx)
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
find_defs(struct builder *b, struct slice_func *f, struct work_func *w)
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

static void
find_callers(struct builder *b, uint32_t index)
{
	struct slice_func *f = &b->s->funcs[index];

	for (uint32_t i = 0; i < f->f->n_ins; i++) {
		const struct ptx_ins *ins = &f->f->ins[i];
		const struct ptx_func *to =
			ins->form->op == PTX_CALL ? slice_callee(b->s->m, ins) : NULL;

		if (!to || !f->c->bb[f->c->bb_of[i]].reachable)
			continue;
		arena_grow(b->a, b->caller, b->n_callers, b->cap_callers);
		b->caller[b->n_callers] = (struct caller){
			index, f->c->bb_of[i], i, b->w[to->index].callers};
		b->w[to->index].callers = (uint32_t)++b->n_callers;
	}
}

/* ---- control ---- */

static bool
is_decision(const struct bb *bb)
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
find_control(struct builder *b, struct slice_func *f, struct work_func *w)
{
	const struct cfg *c = f->c;
	struct region r = {arena_news(b->a, c->n + 1, uint32_t),
		arena_news(b->a, c->n + 1, uint32_t), 0};
	uint32_t *count = arena_news(b->a, c->n + 1, uint32_t), stamp = 0;

	w->ctrl_first = arena_news(b->a, c->n + 1, uint32_t);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t x = 0; x < c->n; x++) {
			if (!is_decision(&c->bb[x]))
				continue;
			stamp++;
			region_push(c, &r, x, c->bb[x].ipdom, stamp);
			while (r.n) {
				uint32_t y = r.stack[--r.n];

				if (++b->visits > REGION_MAX)
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

/* ---- growing the slice ---- */

static void
add_value(struct builder *b, uint32_t func, uint32_t value)
{
	struct slice_func *f = &b->s->funcs[func];

	if (f->slot[value] != PTX_NONE)
		return;
	f->slot[value] = f->n_slots++;
	arena_grow(b->a, b->values, b->n_values, b->cap_values);
	b->values[b->n_values++] = (struct item){func, value};
}

struct add_ctx {
	struct builder *b;
	uint32_t func;
};

static void
add_value_fn(void *ctx, uint32_t value)
{
	struct add_ctx *x = ctx;

	add_value(x->b, x->func, value);
}

static void
add_reads(struct builder *b, uint32_t func, const struct ptx_ins *ins)
{
	struct add_ctx x = {b, func};

	each_read(&b->s->funcs[func], ins, add_value_fn, &x);
}

static void
add_operand(struct builder *b, uint32_t func, const struct ptx_operand *o)
{
	struct ptx_walk w;
	ptx_reg r;

	if (!o)
		return;
	w = ptx_operand_regs(o);
	while (ptx_walk_next(&w, &r))
		add_value(b, func, r);
}

static void
mark_block(struct builder *b, uint32_t func, uint32_t bb)
{
	arena_grow(b->a, b->blocks, b->n_blocks, b->cap_blocks);
	b->blocks[b->n_blocks++] = (struct item){func, bb};
}

static void
mark_branch(struct builder *b, uint32_t func, uint32_t x)
{
	struct slice_func *f = &b->s->funcs[func];
	const struct bb *y = &f->c->bb[x];

	if (f->branch[x])
		return;
	f->branch[x] = true;
	if (y->term == CFG_BRANCH)
		add_value(b, func, y->cond);
	else
		add_operand(b, func, ptx_operand(&f->f->ins[y->term_ins], 0));
	mark_block(b, func, x);
}

static void
mark_controllers(struct builder *b, uint32_t func, uint32_t bb)
{
	struct work_func *w = &b->w[func];

	if (w->marked[bb])
		return;
	w->marked[bb] = true;
	for (uint32_t i = w->ctrl_first[bb]; i < w->ctrl_first[bb + 1]; i++)
		mark_branch(b, func, w->ctrl[i]);
}

static void
seed_instruction(struct builder *b, uint32_t func, uint32_t i)
{
	struct slice_func *f = &b->s->funcs[func];
	const struct ptx_ins *ins = &f->f->ins[i];

	f->ins[i] = true;
	f->has_site = true;
	switch ((int)ins->form->nature) {
	case PTX_N_BARRIER:
		add_operand(b, func, ptx_barrier_id(ins));
		add_operand(b, func, ptx_barrier_count(ins));
		break;
	case PTX_N_COLLECTIVE:
		add_operand(b, func, ptx_membermask(ins));
		if (ins->form->op == PTX_SHFL) {
			add_operand(b, func, ptx_operand(ins, 2));
			add_operand(b, func, ptx_operand(ins, 3));
		}
		break;
	case PTX_N_CALL: add_operand(b, func, ptx_call_of(ins).target); break;
	default: break;
	}
}

static void
seed(struct builder *b, uint32_t func)
{
	struct slice_func *f = &b->s->funcs[func];

	for (uint32_t x = 0; x < f->c->n; x++) {
		const struct bb *bb = &f->c->bb[x];

		if (!bb->reachable)
			continue;
		/* where a loop has several entries, reconvergence is not what the
		 * post-dominators say: any branch may matter */
		if (f->c->irreducible && f->c->has_site && is_decision(bb))
			mark_branch(b, func, x);
		if (bb->term == CFG_RET || bb->term == CFG_EXIT)
			mark_block(b, func, x);
		for (uint32_t i = bb->first; i < bb->first + bb->n_ins; i++)
			if (cfg_is_site(b->s->cfgs, f->c, &f->f->ins[i])) {
				seed_instruction(b, func, i);
				mark_block(b, func, x);
			}
	}
}

static void
seed_all(struct builder *b, uint32_t func)
{
	struct slice_func *f = &b->s->funcs[func];

	for (uint32_t i = 0; i < f->f->n_ins; i++)
		f->ins[i] = true;
	for (uint32_t v = 0; v < f->n_values; v++)
		add_value(b, func, v);
	for (uint32_t x = 0; x < f->c->n; x++)
		if (is_decision(&f->c->bb[x]))
			mark_branch(b, func, x);
}

/* A value of a callee's parameter: the arguments of its calls matter. */
static void
follow_parameter(struct builder *b, uint32_t func, uint32_t var)
{
	const struct ptx_var *v = &b->s->m->vars[var];

	if (v->param == PTX_NONE || v->ret || v->func != func ||
		b->s->funcs[func].f->entry)
		return;
	for (uint32_t k = b->w[func].callers; k; k = b->caller[k - 1].next) {
		const struct caller *c = &b->caller[k - 1];
		struct slice_func *from = &b->s->funcs[c->func];
		const struct ptx_operand *args = ptx_call_of(&from->f->ins[c->ins]).args;
		const struct ptx_operand *o = args ? ptx_part(args, v->param) : NULL;
		struct add_ctx x = {b, c->func};

		if (!from->used)
			continue;
		from->ins[c->ins] = true;
		if (o && o->kind == PTX_O_VAR)
			each_piece_of(from, o->id, add_value_fn, &x);
		else
			add_operand(b, c->func, o);
		mark_block(b, c->func, c->bb);
	}
}

static void
follow_call(struct builder *b, const struct ptx_ins *ins)
{
	const struct ptx_func *to = slice_callee(b->s->m, ins);

	if (!to || !b->s->funcs[to->index].used)
		return;
	struct add_ctx x = {b, to->index};
	for (uint32_t k = 0; k < to->n_rets; k++)
		each_piece_of(&b->s->funcs[to->index], to->rets + k, add_value_fn, &x);
}

static void
follow_value(struct builder *b, struct item it)
{
	struct slice_func *f = &b->s->funcs[it.func];
	struct work_func *w = &b->w[it.func];

	if (it.what >= f->f->n_regs)
		follow_parameter(b, it.func, f->piece[it.what - f->f->n_regs].var);
	for (uint32_t i = w->def_first[it.what]; i < w->def_first[it.what + 1]; i++) {
		struct def d = w->def[i];
		const struct ptx_ins *ins = &f->f->ins[d.ins];

		f->ins[d.ins] = true;
		if (ins->form->op == PTX_CALL)
			follow_call(b, ins);
		else
			add_reads(b, it.func, ins);
		mark_block(b, it.func, d.bb);
	}
}

static void
grow(struct builder *b)
{
	while (b->n_values || b->n_blocks) {
		while (b->n_blocks) {
			struct item it = b->blocks[--b->n_blocks];

			mark_controllers(b, it.func, it.what);
		}
		if (b->n_values)
			follow_value(b, b->values[--b->n_values]);
	}
}

/* ---- */

static void
list_instructions(struct builder *b, struct slice_func *f)
{
	uint32_t n = 0;

	f->first = arena_news(b->a, f->c->n + 1, uint32_t);
	f->list = arena_news(b->a, f->f->n_ins + 1, uint32_t);
	for (uint32_t x = 0; x < f->c->n; x++) {
		const struct bb *bb = &f->c->bb[x];

		f->first[x] = n;
		for (uint32_t i = bb->first; i < bb->first + bb->n_ins; i++)
			if (f->ins[i])
				f->list[n++] = i;
	}
	f->first[f->c->n] = n;
	b->s->n_relevant += n;
	b->s->n_ins += f->f->n_ins;
	b->s->has_site = b->s->has_site || f->has_site;
}

static void
prepare(struct builder *b, uint32_t i)
{
	struct slice_func *f = &b->s->funcs[i];

	find_pieces(b, f);
	f->slot = arena_news(b->a, f->n_values, uint32_t);
	for (uint32_t v = 0; v < f->n_values; v++)
		f->slot[v] = PTX_NONE;
	f->ins = arena_news(b->a, f->f->n_ins + 1, bool);
	f->branch = arena_news(b->a, f->c->n + 1, bool);
	b->w[i].marked = arena_news(b->a, f->c->n + 1, bool);
	find_defs(b, f, &b->w[i]);
	find_callers(b, i);
	if (!find_control(b, f, &b->w[i]))
		b->s->too_big = "branches";
}

struct slice *
slice_build(struct arena *a, const struct ptx_module *m, const struct cfg *cfgs,
	const struct ptx_func *entry, bool whole)
{
	struct slice *s = arena_new(a, struct slice);
	struct builder b = {.a = a, .s = s};

	s->m = m;
	s->cfgs = cfgs;
	s->entry = entry;
	s->funcs = arena_news(a, m->n_funcs, struct slice_func);
	b.w = arena_news(a, m->n_funcs, struct work_func);
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		s->funcs[i].f = &m->funcs[i];
		s->funcs[i].c = &cfgs[i];
	}
	reach_functions(&b, entry->index);
	for (uint32_t i = 0; i < m->n_funcs && !s->too_big; i++)
		if (s->funcs[i].used)
			prepare(&b, i);
	if (s->too_big)
		return s;
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (s->funcs[i].used) {
			seed(&b, i);
			if (whole)
				seed_all(&b, i);
		}
	grow(&b);
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (s->funcs[i].used)
			list_instructions(&b, &s->funcs[i]);
	return s;
}
