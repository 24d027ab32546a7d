/* Calls: one frame for each chain of call instructions. */
#include "simt/memory.h"

enum { CALL_DEPTH_MAX = 16 };

static uint32_t
frame_of(struct sim *s, uint32_t up, const struct ptx_ins *ins, uint32_t func)
{
	domain_work(&s->d, s->n_frames / 8);
	for (uint32_t i = 0; i < s->n_frames; i++)
		if (s->frame[i].up == up && s->frame[i].ins == ins &&
			s->frame[i].func == func)
			return i;
	size_t cap = s->cap_frames;
	if (s->n_frames >= s->cap_frames)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof s->frame[0]);
	arena_grow(s->mem, s->frame, s->n_frames, cap);
	s->cap_frames = (uint32_t)cap;
	s->frame[s->n_frames] = (struct frame){func, up, ins, s->n_slots};
	s->n_slots += s->s->funcs[func].n_slots;
	if (s->n_slots > 1 << 20)
		domain_stop(&s->d, STOP_BUDGET, "memory");
	return s->n_frames++;
}

/* Copies the pieces of variable `from` of one frame to variable `to` of another. */
static void
copy_pieces(struct sim *s, struct world *w, const struct lmask *mask, uint32_t frame_from,
	uint32_t from, uint32_t frame_to, uint32_t to)
{
	const struct slice_func *a = &s->s->funcs[s->frame[frame_from].func];
	const struct slice_func *b = &s->s->funcs[s->frame[frame_to].func];

	for (uint32_t i = 0; i < b->n_pieces; i++) {
		const struct slice_piece *p = &b->piece[i];
		uint32_t slot = b->slot[b->f->n_regs + i], q;
		struct val v = {.kind = VAL_NONE};

		if (p->var != to || slot == PTX_NONE)
			continue;
		q = slice_piece_find(a, from, p->offset, p->bytes);
		if (q != PTX_NONE && !a->piece[q].mixed &&
			a->slot[a->f->n_regs + q] != PTX_NONE)
			v = world_get(
				w, s->frame[frame_from].base + a->slot[a->f->n_regs + q]);
		if (v.kind == VAL_NONE)
			v = step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
		step_write_slot(s, w, mask, s->frame[frame_to].base + slot, &v);
	}
}

static void
pass_arguments(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_func *to, const struct ptx_operand *args, uint32_t frame)
{
	const struct slice_func *b = &s->s->funcs[to->index];

	for (uint32_t k = 0; k < to->n_params; k++) {
		const struct ptx_operand *o = args ? ptx_part(args, k) : NULL;
		uint32_t var = to->params + k;

		if (o && o->kind == PTX_O_VAR) {
			copy_pieces(s, w, &g->mask, g->frame, o->id, frame, var);
			continue;
		}
		for (uint32_t i = 0; i < b->n_pieces; i++) {
			uint32_t slot = b->slot[b->f->n_regs + i];

			if (b->piece[i].var != var || slot == PTX_NONE)
				continue;
			struct val v = o && b->piece[i].offset == 0
					       ? step_read(s, w, g, o)
					       : step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
			step_write_slot(s, w, &g->mask, s->frame[frame].base + slot, &v);
		}
	}
}

static void
forget_results(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct slice_func *f = sim_func(s, g);
	const struct ptx_operand *rets = ptx_call_of(ins).rets;

	for (unsigned k = 0; rets && k < ptx_parts(rets); k++) {
		const struct ptx_operand *o = ptx_part(rets, k);

		if (o->kind != PTX_O_VAR) {
			step_put_unknown(s, w, g, ins, o, SYM_DIV | SYM_TAINT_MEM);
			continue;
		}
		for (uint32_t i = 0; i < f->n_pieces; i++) {
			uint32_t slot = step_slot(s, g, f->f->n_regs + i);

			if (f->piece[i].var != o->id || slot == PTX_NONE)
				continue;
			struct val v = step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
			step_write_slot(s, w, &g->mask, slot, &v);
		}
	}
}

bool
call_skip(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	forget_results(s, w, g, ins);
	g->ip++;
	return true;
}

static bool
call_opaque(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	const struct ptx_func *to)
{
	breach_add(s, w, g, RULE_CALL_UNKNOWN, ins, SYM_TAINT_MEM, NULL,
		"'%.*s' has no body here, and it may synchronise", STR_ARG(to->name));
	memory_forget_all(s, w, &g->mask);
	return call_skip(s, w, g, ins);
}

bool
call_function(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	const struct ptx_func *to)
{
	if (to->opaque)
		return call_opaque(s, w, g, ins, to);
	if (!s->s->funcs[to->index].used || !s->s->funcs[to->index].c->n)
		return call_skip(s, w, g, ins);
	if (g->calls && g->calls->depth >= CALL_DEPTH_MAX) {
		breach_add(s, w, g, RULE_RECURSION, ins, SYM_TAINT_LOOP, NULL,
			"calls nest deeper than %d", CALL_DEPTH_MAX);
		memory_forget_all(s, w, &g->mask);
		return call_skip(s, w, g, ins);
	}
	uint32_t frame = frame_of(s, g->frame, ins, to->index);
	pass_arguments(s, w, g, to, ptx_call_of(ins).args, frame);
	memory_enter(s, w, frame, &g->mask);
	struct ret *r = sim_alloc(s, 1, sizeof *r);
	*r = (struct ret){g->calls, g->frame, g->bb, g->ip + 1,
		g->calls ? g->calls->depth + 1 : 1, ins};
	g->calls = r;
	g->frame = frame;
	return sim_enter(s, w, g, 0);
}

bool
step_call(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	struct results *out, bool *forked)
{
	const struct ptx_func *to = slice_callee(s->m, ins);

	if (to)
		return call_function(s, w, g, ins, to);
	if (ptx_call_of(ins).target->kind == PTX_O_REG)
		return call_indirect(s, w, g, ins, out, forked);
	return call_skip(s, w, g, ins);
}

void
step_return(struct sim *s, struct world *w, struct group *g)
{
	const struct ret *r = g->calls;
	const struct ptx_func *from = sim_func(s, g)->f;
	const struct ptx_operand *rets = ptx_call_of(r->ins).rets;
	uint32_t frame = g->frame;

	g->calls = r->up;
	g->frame = r->frame;
	g->bb = r->bb;
	g->ip = r->ip;
	for (unsigned k = 0; rets && k < ptx_parts(rets) && k < from->n_rets; k++) {
		const struct ptx_operand *o = ptx_part(rets, k);
		uint32_t var = from->rets + k;

		if (o->kind == PTX_O_VAR) {
			copy_pieces(s, w, &g->mask, frame, var, g->frame, o->id);
			continue;
		}
		const struct slice_func *f = &s->s->funcs[from->index];
		for (uint32_t i = 0; i < f->n_pieces; i++) {
			uint32_t slot = f->slot[f->f->n_regs + i];

			if (f->piece[i].var != var || f->piece[i].offset ||
				slot == PTX_NONE)
				continue;
			struct val v = world_get(w, s->frame[frame].base + slot);
			if (o->kind == PTX_O_REG && v.kind != VAL_NONE)
				step_write(s, w, g, o->id, &v);
		}
	}
}
