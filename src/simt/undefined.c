/*
 * Undefined values: PTX ISA "shfl.sync": "results are undefined if a thread sources a
 * register from an inactive thread or a thread that is not in membermask".  Tree
 * reductions do so on purpose in lanes whose result nobody uses, so what counts is
 * whether such a value leaves the registers: a store, an atomic, an address, a branch
 * that does more than choose between values.
 */
#include "simt/simt.h"

enum { CHOICE_BLOCKS_MAX = 16 };
enum level { UNDEF_NO, UNDEF_MAYBE, UNDEF_SURE };

struct found {
	enum level level;
	uint32_t by; /* the undefined symbol that it comes from, or 0 */
};

struct cell
undefined_cell(
	struct sim *s, const struct group *g, const struct ptx_ins *shfl, unsigned t)
{
	struct cell arg[3] = {cell_int(t), cell_int(++s->next_load), cell_int(g->frame)};

	return cell_sym(sym_make(&s->d, SYM_UNDEF, (uint64_t)(uintptr_t)shfl, arg, 3,
		SYM_TAINT_MEM | SYM_UNDEFINED));
}

static struct found find(struct domain *d, struct cell c, unsigned depth);

/* Undefined for sure if the condition is, or both that it chooses from. */
static struct found
find_phi(struct domain *d, const struct sym *x, unsigned depth)
{
	struct found r = {UNDEF_MAYBE, 0}, a[3];

	for (int i = 0; i < 3; i++) {
		a[i] = find(d, x->arg[i], depth + 1);
		r.by = a[i].by ? a[i].by : r.by;
	}
	if (a[0].level == UNDEF_SURE ||
		(a[1].level == UNDEF_SURE && a[2].level == UNDEF_SURE))
		r.level = UNDEF_SURE;
	return r;
}

/* Undefined for sure if one operand is, but for what is added each time round. */
static struct found
find_operands(struct domain *d, const struct sym *x, unsigned depth)
{
	struct found r = {UNDEF_MAYBE, 0}, a;

	for (uint32_t i = 0; i < x->n && r.level != UNDEF_SURE; i++) {
		a = find(d, x->arg[i], depth + 1);
		r.by = a.by ? a.by : r.by;
		/* a loop that did not run has added nothing */
		if (a.level == UNDEF_SURE && x->op != SYM_TRIP)
			r.level = UNDEF_SURE;
	}
	return r;
}

static struct found
find(struct domain *d, struct cell c, unsigned depth)
{
	struct found r = {UNDEF_NO, 0};
	struct sym *x;

	if (!c.s || !(sym_flags(d, c.s) & SYM_UNDEFINED))
		return r;
	x = sym_at(d, c.s);
	if (x->undefined)
		return (struct found){(enum level)(x->undefined - 1), x->undefined_by};
	if (x->op == SYM_UNDEF)
		r = (struct found){UNDEF_SURE, c.s};
	else if (depth > 200)
		return (struct found){UNDEF_MAYBE, 0};
	else if (x->op == SYM_PHI)
		r = find_phi(d, x, depth);
	else
		r = find_operands(d, x, depth);
	domain_work(d, 1 + x->n);
	x->undefined = (uint8_t)(1 + r.level);
	x->undefined_by = r.by;
	return r;
}

static void
tell(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *at,
	struct found f, const struct lmask *lanes)
{
	struct breach_lanes l = {.reads = *lanes};
	struct ptx_where where = breach_where(s, at, g->frame);
	const struct ptx_ins *ins = at;
	struct group from = *g;

	if (f.by) {
		const struct sym *x = sym_of(&s->d, f.by);

		ins = (const struct ptx_ins *)(uintptr_t)x->tag;
		from.frame = (uint32_t)x->arg[2].v;
	}
	struct breach *r = breach_add(s, w, &from, RULE_SHFL_ABSENT, ins, 0, &l,
		"a lane that does not take part is read by %s, and the undefined "
		"value is used at %s",
		breach_lanes_text(s, lanes), breach_place(s->out, at, &where));

	if (r && f.level != UNDEF_SURE)
		r->sev = SEV_CAVEAT;
}

static void
check_value(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct val *v, const struct val *guard, bool neg)
{
	struct found worst = {UNDEF_NO, 0};
	struct lmask bad = {{0}};

	if (!(val_taint(&s->d, v) & SYM_UNDEFINED))
		return;
	LMASK_EACH(t, &g->mask)
	{
		struct cell p = val_cell(&s->d, guard, t);
		struct found f = find(&s->d, val_cell(&s->d, v, t), 0);

		domain_work(&s->d, 8);
		if (f.level == UNDEF_NO || (!p.s && (p.v & 1) == neg))
			continue;
		if (p.s)
			f.level = UNDEF_MAYBE;
		lmask_add(&bad, t);
		if (f.level > worst.level)
			worst = f;
	}
	if (worst.level != UNDEF_NO)
		tell(s, w, g, ins, worst, &bad);
}

static bool
leaves_registers(const struct ptx_ins *ins)
{
	switch ((int)ins->form->nature) {
	case PTX_N_ALU:
	case PTX_N_ACTIVEMASK:
	case PTX_N_HINT: return false;
	case PTX_N_STORE:
	case PTX_N_LOAD: return ins->form->space != PTX_SPACE_PARAM;
	default: return true;
	}
}

/* Every register that an instruction reads, as values. */
static void
each_source(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct val *guard, unsigned *taint)
{
	for (unsigned k = 0; k < ins->n_ops; k++) {
		const struct ptx_operand *o = ptx_operand(ins, k);
		struct ptx_walk walk = ptx_operand_regs(o);
		ptx_reg r;

		if (k < ins->n_dst && o->kind != PTX_O_ADDR)
			continue;
		while (ptx_walk_next(&walk, &r)) {
			struct val v = step_reg(s, w, g, r);

			if (taint)
				*taint |= val_taint(&s->d, &v);
			else
				check_value(s, w, g, ins, &v, guard, ins->guard_neg);
		}
	}
}

void
undefined_use(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct val guard = val_int(!ins->guard_neg);

	if (!leaves_registers(ins))
		return;
	if (ins->guard != PTX_NONE && !ins->split)
		guard = step_reg(s, w, g, ins->guard);
	if (guard.kind == VAL_AFFINE || guard.kind == VAL_NONE)
		guard = val_sym(sym_fresh(&s->d, SYM_BOOL | SYM_TAINT_MEM));
	each_source(s, w, g, ins, &guard, NULL);
}

/*
 * The two ways of a branch meet again and only compute: it chooses between values, which
 * are undefined from there on wherever the condition is.  A load is no more than a value.
 */
static bool
only_chooses(const struct cfg *c, uint32_t branch)
{
	uint32_t todo[CHOICE_BLOCKS_MAX], n = 1;

	todo[0] = branch;
	for (uint32_t i = 0; i < n; i++) {
		const struct bb *b = &c->bb[todo[i]];

		for (uint32_t k = 0; k < b->n_ins && i; k++)
			if (leaves_registers(&c->f->ins[b->first + k]) &&
				c->f->ins[b->first + k].form->nature != PTX_N_LOAD)
				return false;
		for (uint32_t k = 0; k < b->n_succ; k++) {
			uint32_t to = b->succ[k], seen = 0;

			if (to == c->bb[branch].ipdom)
				continue;
			while (seen < n && todo[seen] != to)
				seen++;
			if (to == c->exit || !c->bb[to].can_exit ||
				c->bb[to].rpo <= b->rpo)
				return false;
			if (seen == n && n == CHOICE_BLOCKS_MAX)
				return false;
			if (seen == n)
				todo[n++] = to;
		}
	}
	return c->bb[branch].ipdom != c->exit;
}

void
undefined_branch(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct val *pred)
{
	struct val always = val_int(1);

	if (!only_chooses(sim_func(s, g)->c, g->bb))
		check_value(s, w, g, ins, pred, &always, false);
}

unsigned
undefined_sources(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	unsigned taint = 0;

	if (s->trace)
		each_source(s, w, g, ins, NULL, &taint);
	return taint & SYM_UNDEFINED;
}
