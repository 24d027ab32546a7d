/* Loops that do nothing but wait for an mbarrier. */
#include "slice/slice_index.h"

static bool
is_wait(const struct ptx_ins *ins)
{
	return ins->form->op == PTX_MBARRIER_TEST || ins->form->op == PTX_MBARRIER_TRY;
}

/* Marks the natural loop of head h; the number of its blocks, 0 if it has none. */
static uint32_t
natural_loop(const struct cfg *c, uint32_t h, bool *in, uint32_t *stack)
{
	uint32_t n = 0, size = 1;

	memset(in, 0, c->n + 1);
	in[h] = true;
	for (uint32_t i = 0; i < c->bb[h].n_pred; i++) {
		uint32_t t = c->bb[h].pred[i];

		if (!cfg_dominates(c, h, t))
			continue;
		if (t == h || !in[t]) {
			size += t != h;
			in[t] = true;
			if (t != h)
				stack[n++] = t;
		}
	}
	if (size == 1) {
		bool self = false;

		for (uint32_t i = 0; i < c->bb[h].n_pred; i++)
			self = self || c->bb[h].pred[i] == h;
		return self;
	}
	while (n) {
		const struct bb *x = &c->bb[stack[--n]];

		for (uint32_t i = 0; i < x->n_pred; i++)
			if (!in[x->pred[i]]) {
				in[x->pred[i]] = true;
				size++;
				stack[n++] = x->pred[i];
			}
	}
	return size;
}

/* The register comes, inside the loop, from the answer of a wait. */
static bool
from_wait(const struct cfg *c, const bool *in, ptx_reg r, unsigned depth)
{
	if (depth > 6)
		return false;
	for (uint32_t i = 0; i < c->f->n_ins; i++) {
		const struct ptx_ins *ins = &c->f->ins[i];
		struct ptx_walk w;
		ptx_reg x;
		bool writes = false;

		if (!in[c->bb_of[i]])
			continue;
		w = ptx_writes(ins);
		while (ptx_walk_next(&w, &x))
			writes = writes || x == r;
		if (!writes)
			continue;
		if (is_wait(ins))
			return true;
		if (ins->form->nature != PTX_N_ALU)
			return false;
		w = ptx_reads(ins);
		while (ptx_walk_next(&w, &x))
			if (x != r && from_wait(c, in, x, depth + 1))
				return true;
	}
	return false;
}

/* Nothing else happens in the loop, and only the answer leaves it. */
static bool
only_waits(const struct cfg *cfgs, const struct cfg *c, const bool *in)
{
	for (uint32_t x = 0; x < c->n; x++) {
		const struct bb *b = &c->bb[x];

		if (!in[x])
			continue;
		for (uint32_t i = b->first; i < b->first + b->n_ins; i++)
			if (cfg_is_site(cfgs, c, &c->f->ins[i]) &&
				!is_wait(&c->f->ins[i]))
				return false;
		for (uint32_t i = 0; i < b->n_succ; i++) {
			if (in[b->succ[i]] || !c->bb[b->succ[i]].can_exit)
				continue;
			if (b->term != CFG_BRANCH || !from_wait(c, in, b->cond, 0))
				return false;
		}
	}
	return true;
}

static bool
wait_blocks(struct slice_builder *b, const struct cfg *c, uint32_t at, bool *in,
	uint32_t *stack)
{
	uint32_t x = c->bb_of[at], h = x;

	for (unsigned i = 0; i < 64; i++) {
		uint32_t up = c->bb[h].idom;

		b->visits += c->n;
		if (natural_loop(c, h, in, stack) && in[x])
			return only_waits(b->s->cfgs, c, in);
		if (up == h || up == PTX_NONE)
			break;
		h = up;
	}
	return false;
}

/* Fills `blocks` of a function. */
void
slice_find_waits(struct slice_builder *b, struct slice_func *f)
{
	bool *in = arena_news(b->a, f->c->n + 1, bool);
	uint32_t *stack = arena_news(b->a, f->c->n + 1, uint32_t);

	f->blocks = arena_news(b->a, f->f->n_ins + 1, bool);
	for (uint32_t i = 0; i < f->f->n_ins; i++)
		if (is_wait(&f->f->ins[i]) && f->c->bb[f->c->bb_of[i]].reachable)
			f->blocks[i] = wait_blocks(b, f->c, i, in, stack);
}

struct side {
	const struct slice_func *f;
	uint32_t meet;
	uint32_t seen[16], n;
	uint32_t waits;
	bool else_too; /* it does something else */
};

static bool
in_side(const struct side *s, uint32_t x)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->seen[i] == x)
			return true;
	return false;
}

/* What is done from block x up to where the sides meet. */
static void
look(struct side *s, uint32_t x)
{
	const struct slice_func *f = s->f;

	if (x == s->meet || in_side(s, x))
		return;
	if (x == f->c->exit || s->n == 16) {
		s->else_too = true;
		return;
	}
	s->seen[s->n++] = x;
	for (uint32_t i = f->first[x]; i < f->first[x + 1]; i++) {
		const struct ptx_ins *ins = &f->f->ins[f->list[i]];

		if (is_wait(ins))
			s->waits++;
		else if (ins->form->nature != PTX_N_ALU)
			s->else_too = true;
	}
	for (uint32_t i = 0; i < f->c->bb[x].n_succ; i++)
		look(s, f->c->bb[x].succ[i]);
}

/* A value that the side computes is read elsewhere. */
static bool
leaks(const struct side *s)
{
	const struct slice_func *f = s->f;

	for (uint32_t i = 0; i < f->first[f->c->n]; i++) {
		const struct ptx_ins *ins = &f->f->ins[f->list[i]];
		struct ptx_walk w = ptx_writes(ins);
		ptx_reg r, x;

		if (!in_side(s, f->c->bb_of[f->list[i]]))
			continue;
		while (ptx_walk_next(&w, &r))
			for (uint32_t k = 0; k < f->first[f->c->n]; k++) {
				struct ptx_walk v = ptx_reads(&f->f->ins[f->list[k]]);

				if (in_side(s, f->c->bb_of[f->list[k]]))
					continue;
				while (ptx_walk_next(&v, &x))
					if (x == r)
						return true;
			}
	}
	return false;
}

bool
slice_only_waits(
	const struct slice_func *f, uint32_t bb, uint32_t waiting, uint32_t other)
{
	struct side a = {.f = f, .meet = f->meet[bb]}, b = a;

	look(&a, waiting);
	look(&b, other);
	return !a.else_too && a.waits == 1 && !b.else_too && !b.waits && !leaks(&a) &&
	       !leaks(&b);
}
