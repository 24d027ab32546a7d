/*
 * Undefined values: PTX ISA "shfl.sync": "results are undefined if a thread sources a
 * register from an inactive thread or a thread that is not in membermask".  Tree
 * reductions do so on purpose in lanes whose result nobody uses, so what counts is
 * whether such a value leaves the registers: a store, an atomic, an address, a branch.
 */
#include "gate/simt.h"

enum level { UNDEF_NO, UNDEF_MAYBE, UNDEF_SURE };

struct found {
	enum level level;
	const struct ptx_ins *shfl; /* a shuffle that it comes from */
};

struct cell
undefined_cell(struct sim *s, const struct ptx_ins *shfl, unsigned t)
{
	struct cell arg[2] = {cell_int(t), cell_int(++s->next_load)};

	return cell_sym(sym_make(&s->d, SYM_UNDEF, (uint64_t)(uintptr_t)shfl, arg, 2,
		SYM_TAINT_MEM | SYM_UNDEFINED));
}

static struct found find(struct domain *d, struct cell c, unsigned depth);

/* Undefined for sure if the condition is, or both that it chooses from. */
static struct found
find_phi(struct domain *d, const struct sym *x, unsigned depth)
{
	struct found r = {UNDEF_MAYBE, NULL}, a[3];

	for (int i = 0; i < 3; i++) {
		a[i] = find(d, x->arg[i], depth + 1);
		r.shfl = a[i].shfl ? a[i].shfl : r.shfl;
	}
	if (a[0].level == UNDEF_SURE ||
		(a[1].level == UNDEF_SURE && a[2].level == UNDEF_SURE))
		r.level = UNDEF_SURE;
	return r;
}

/* Undefined for sure if one operand is. */
static struct found
find_operands(struct domain *d, const struct sym *x, unsigned depth)
{
	struct found r = {UNDEF_MAYBE, NULL}, a;

	for (uint32_t i = 0; i < x->n && r.level != UNDEF_SURE; i++) {
		a = find(d, x->arg[i], depth + 1);
		r.shfl = a.shfl ? a.shfl : r.shfl;
		if (a.level == UNDEF_SURE)
			r.level = UNDEF_SURE;
	}
	return r;
}

static struct found
find(struct domain *d, struct cell c, unsigned depth)
{
	struct found r = {UNDEF_NO, NULL};
	struct sym *x;

	if (!c.s || !(sym_flags(d, c.s) & SYM_UNDEFINED))
		return r;
	x = sym_at(d, c.s);
	if (x->undefined)
		return (struct found){(enum level)(x->undefined - 1), x->undefined_by};
	if (x->op == SYM_UNDEF)
		r = (struct found){UNDEF_SURE, (const struct ptx_ins *)(uintptr_t)x->tag};
	else if (depth > 200)
		return (struct found){UNDEF_MAYBE, NULL};
	else if (x->op == SYM_PHI)
		r = find_phi(d, x, depth);
	else
		r = find_operands(d, x, depth);
	domain_work(d, 1 + x->n);
	x->undefined = (uint8_t)(1 + r.level);
	x->undefined_by = r.shfl;
	return r;
}

static void
tell(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *at,
	struct found f, const struct lmask *lanes)
{
	struct breach_lanes l = {.waits = lmask_minus(g->mask, *lanes), .absent = *lanes};
	struct ptx_where where = breach_where(s, at, g->frame);
	struct breach *r =
		breach_add(s, w, g, RULE_SHFL_ABSENT, f.shfl ? f.shfl : at, 0, &l,
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
	struct found worst = {UNDEF_NO, NULL};
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

void
undefined_branch(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct val *pred)
{
	struct val always = val_int(1);

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
