#include "slice/slice.h"

#include "slice/pointee.h"
#include "slice/slice_index.h"

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

/* ---- growing the slice ---- */

static void
add_value(struct slice_builder *b, uint32_t func, uint32_t value)
{
	struct slice_func *f = &b->s->funcs[func];

	if (f->slot[value] != PTX_NONE)
		return;
	f->value[f->n_slots] = value;
	f->slot[value] = f->n_slots++;
	arena_grow(b->a, b->values, b->n_values, b->cap_values);
	b->values[b->n_values++] = (struct item){func, value};
}

struct add_ctx {
	struct slice_builder *b;
	uint32_t func;
};

static void
add_value_fn(void *ctx, uint32_t value)
{
	struct add_ctx *x = ctx;

	add_value(x->b, x->func, value);
}

static void
add_reads(struct slice_builder *b, uint32_t func, const struct ptx_ins *ins)
{
	struct add_ctx x = {b, func};

	slice_each_read(&b->s->funcs[func], ins, add_value_fn, &x);
}

static void
add_operand(struct slice_builder *b, uint32_t func, const struct ptx_operand *o)
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
mark_block(struct slice_builder *b, uint32_t func, uint32_t bb)
{
	arena_grow(b->a, b->blocks, b->n_blocks, b->cap_blocks);
	b->blocks[b->n_blocks++] = (struct item){func, bb};
}

static void
mark_branch(struct slice_builder *b, uint32_t func, uint32_t x)
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
mark_controllers(struct slice_builder *b, uint32_t func, uint32_t bb)
{
	struct slice_work *w = &b->w[func];

	if (w->marked[bb])
		return;
	w->marked[bb] = true;
	for (uint32_t i = w->ctrl_first[bb]; i < w->ctrl_first[bb + 1]; i++)
		mark_branch(b, func, w->ctrl[i]);
}

/* The calls that lead to a write, or a check, matter as that does. */
static void
need_function(struct slice_builder *b, uint32_t func)
{
	uint32_t *stack, n = 0;

	if (b->w[func].needed)
		return;
	stack = arena_news(b->a, b->s->m->n_funcs, uint32_t);
	b->w[func].needed = true;
	stack[n++] = func;
	while (n) {
		uint32_t k = b->w[stack[--n]].callers;

		for (; k; k = b->caller[k - 1].next) {
			const struct caller *c = &b->caller[k - 1];

			if (!b->s->funcs[c->func].used)
				continue;
			b->s->funcs[c->func].ins[c->ins] = true;
			mark_block(b, c->func, c->bb);
			if (b->w[c->func].needed)
				continue;
			b->w[c->func].needed = true;
			stack[n++] = c->func;
		}
	}
}

static void
seed_instruction(struct slice_builder *b, uint32_t func, uint32_t i)
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
	case PTX_N_MBARRIER: add_reads(b, func, ins); break;
	default: break;
	}
}

/* One side can only trap. */
static bool
is_assertion(const struct slice_func *f, const struct bb *bb)
{
	return bb->term == CFG_BRANCH && slice_is_decision(bb) &&
	       f->c->bb[bb->succ[0]].can_exit != f->c->bb[bb->succ[1]].can_exit;
}

/* Assertions are taken to hold, but for two kinds. */
static void
seed_assertion(struct slice_builder *b, uint32_t func, uint32_t x)
{
	struct slice_func *f = &b->s->funcs[func];
	const struct slice_work *w = &b->w[func];

	/* nothing decides whether the branch is met: the kernel may trap at once */
	if (f->f->entry && !f->c->bb[x].in_loop &&
		w->ctrl_first[x] == w->ctrl_first[x + 1]) {
		mark_branch(b, func, x);
		return;
	}
	if (!b->s->workspace)
		return;
	if (!f->grid_check)
		f->grid_check = arena_news(b->a, f->c->n + 1, bool);
	f->grid_check[x] = true;
	mark_branch(b, func, x);
	need_function(b, func);
}

static void
seed(struct slice_builder *b, uint32_t func)
{
	struct slice_func *f = &b->s->funcs[func];

	slice_note_groups(b, f);
	for (uint32_t x = 0; x < f->c->n; x++) {
		const struct bb *bb = &f->c->bb[x];

		if (!bb->reachable)
			continue;
		/* where a loop has several entries, reconvergence is not what the
		 * post-dominators say: any branch may matter */
		if (f->c->irreducible && f->c->has_site && slice_is_decision(bb))
			mark_branch(b, func, x);
		if (is_assertion(f, bb))
			seed_assertion(b, func, x);
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
seed_all(struct slice_builder *b, uint32_t func)
{
	struct slice_func *f = &b->s->funcs[func];

	for (uint32_t i = 0; i < f->f->n_ins; i++)
		f->ins[i] = true;
	for (uint32_t v = 0; v < f->n_values; v++)
		add_value(b, func, v);
	for (uint32_t x = 0; x < f->c->n; x++)
		if (slice_is_decision(&f->c->bb[x]))
			mark_branch(b, func, x);
}

/* A value of a callee's parameter: the arguments of its calls matter. */
static void
follow_parameter(struct slice_builder *b, uint32_t func, uint32_t var)
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
			slice_each_piece(from, o->id, add_value_fn, &x);
		else
			add_operand(b, c->func, o);
		mark_block(b, c->func, c->bb);
	}
}

static void
follow_call(struct slice_builder *b, const struct ptx_ins *ins)
{
	const struct ptx_func *to = slice_callee(b->s->m, ins);

	for (uint32_t i = 0; i < b->s->m->n_funcs; i++) {
		const struct ptx_func *f = to ? to : &b->s->m->funcs[i];
		struct add_ctx x = {b, f->index};

		for (uint32_t k = 0; k < f->n_rets && b->s->funcs[f->index].used &&
				     (to || slice_may_call(b->s, ins, i));
			k++)
			slice_each_piece(
				&b->s->funcs[f->index], f->rets + k, add_value_fn, &x);
		if (to)
			return;
	}
}

/* ---- memory ---- */

/* The writes that a load of this variable may see. */
static void
need_variable(struct slice_builder *b, uint32_t var)
{
	const struct points *p = b->s->points;

	if (!p->follow[var] || b->needed[var])
		return;
	b->needed[var] = true;
	for (size_t i = 0; i < p->n_writers; i++) {
		const struct points_writer *x = &p->writer[i];
		struct slice_func *f = &b->s->funcs[x->func];

		if (x->to != POINTS_VAR + var &&
			!(x->to == POINTS_ANY && p->escaped[var]))
			continue;
		if (f->ins[x->ins])
			continue;
		f->ins[x->ins] = true;
		add_reads(b, x->func, &f->f->ins[x->ins]);
		mark_block(b, x->func, x->bb);
		need_function(b, x->func);
	}
}

static bool
may_follow(const struct ptx_ins *ins)
{
	enum ptx_space s = ins->form->space;
	unsigned address;

	return ins->form->nature == PTX_N_LOAD && points_is_access(ins, &address) &&
	       (s == PTX_SPACE_NONE || s == PTX_SPACE_SHARED || s == PTX_SPACE_LOCAL);
}

static void
follow_load(struct slice_builder *b, uint32_t func, const struct ptx_ins *ins)
{
	const struct points *p = b->s->points;

	if (!may_follow(ins))
		return;
	b->s->loads = true;
	if (!p)
		return;
	uint32_t to = points_of(p, b->s, func, ins);
	if (to >= POINTS_VAR)
		need_variable(b, to - POINTS_VAR);
	for (uint32_t v = 0; to == POINTS_ANY && v < b->s->m->n_vars; v++)
		if (p->escaped[v])
			need_variable(b, v);
}

static void
follow_value(struct slice_builder *b, struct item it)
{
	struct slice_func *f = &b->s->funcs[it.func];
	struct slice_work *w = &b->w[it.func];

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
		follow_load(b, it.func, ins);
		mark_block(b, it.func, d.bb);
	}
}

static void
grow(struct slice_builder *b)
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
list_instructions(struct slice_builder *b, struct slice_func *f)
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

static bool
block_writes(const struct slice_func *f, uint32_t x)
{
	for (uint32_t i = f->first[x]; i < f->first[x + 1]; i++) {
		const struct ptx_ins *ins = &f->f->ins[f->list[i]];

		if (ins->form->op == PTX_CALL || points_is_write(ins))
			return true;
	}
	return false;
}

static void
find_writes(struct slice_builder *b, struct slice_func *f)
{
	uint32_t *stack = arena_news(b->a, f->c->n + 1, uint32_t), n = 0;

	f->writes = arena_news(b->a, f->c->n + 1, bool);
	for (uint32_t x = 0; x < f->c->n; x++)
		if (block_writes(f, x)) {
			f->writes[x] = true;
			stack[n++] = x;
		}
	while (n) {
		const struct bb *y = &f->c->bb[stack[--n]];

		for (uint32_t i = 0; i < y->n_pred; i++) {
			if (f->writes[y->pred[i]])
				continue;
			f->writes[y->pred[i]] = true;
			stack[n++] = y->pred[i];
		}
	}
}

struct slice *
slice_build(struct arena *a, const struct ptx_module *m, const struct cfg *cfgs,
	const struct ptx_func *entry, enum slice_extent extent)
{
	struct slice *s = arena_new(a, struct slice);
	struct slice_builder b = {.a = a, .s = s};

	s->m = m;
	s->cfgs = cfgs;
	s->entry = entry;
	s->mbarriers = cfgs[entry->index].mbarriers;
	s->funcs = arena_news(a, m->n_funcs, struct slice_func);
	b.w = arena_news(a, m->n_funcs, struct slice_work);
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		s->funcs[i].f = &m->funcs[i];
		s->funcs[i].c = &cfgs[i];
		s->callable_sites =
			s->callable_sites || (!m->funcs[i].entry && cfgs[i].has_site);
	}
	slice_reach(&b, entry->index);
	for (uint32_t i = 0; i < m->n_funcs && !s->too_big; i++)
		if (s->funcs[i].used)
			slice_prepare(&b, i);
	if (s->too_big)
		return s;
	slice_guess_grid_bars(&b);
	if (extent == SLICE_MEMORY) {
		s->points = points_find(a, s);
		b.needed = arena_news(a, m->n_vars + 1, bool);
	}
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (s->funcs[i].used) {
			seed(&b, i);
			if (extent == SLICE_WHOLE)
				seed_all(&b, i);
		}
	grow(&b);
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (s->funcs[i].used) {
			list_instructions(&b, &s->funcs[i]);
			if (s->points)
				find_writes(&b, &s->funcs[i]);
		}
	return s;
}
