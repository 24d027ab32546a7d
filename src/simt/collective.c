/* Warp collectives: who is named, who comes, what each lane gets. */
#include "simt/mask.h"
#include "simt/simt.h"
#include "value/affine.h"

/* The mask operand; all lanes of the warp where there is none. */
struct val
collective_mask(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *o = ptx_membermask(ins);
	struct val v;

	if (!o)
		return val_int(UINT32_MAX);
	v = step_read(s, w, g, o);
	return affine_forget(&s->d, &v);
}

struct cell
collective_mask_cell(
	struct sim *s, const struct world *w, const struct val *v, unsigned t)
{
	if (v->kind == VAL_INT)
		return cell_int(v->i & UINT32_MAX);
	struct cell c = branch_resolve(s, w, val_cell(&s->d, v, t));

	return c.s ? c : cell_int(c.v & UINT32_MAX);
}

/* ---- checks ---- */

struct check {
	struct sim *s;
	struct world *w;
	const struct group *g;
	const struct ptx_ins *ins;
	bool final; /* nobody else will come */
	bool block;
	struct lmask left; /* went on from where the group waits */
};

/*
 * Of lanes that exited after they had been ahead: those that surely went past where the
 * group is.  They went on from there, or are past the end of a branch that the group is
 * still in.  Where it has come out of that branch since, they may as well have returned
 * before they came to the instruction.
 */
static uint32_t
surely_past(const struct check *k, unsigned warp)
{
	uint32_t r = lmask_warp(&k->left, warp);

	for (const struct jstack *x = k->g->joins; x; x = x->up) {
		const struct join *j = world_join(k->w, x->join);

		r |= j ? lmask_warp(&j->passed, warp) : 0;
	}
	return r;
}

/* Lanes that the mask names exited, and had been ahead of others of their warp. */
static void
check_ahead(struct check *k, unsigned warp, uint32_t named, uint32_t ahead,
	struct breach_lanes l)
{
	uint32_t past = ahead & surely_past(k, warp);

	l.unsure_here = !past;
	breach_add(k->s, k->w, k->g, RULE_COLL_EXITED, k->ins, 0, &l,
		"warp %u: membermask 0x%08x names lanes that %s past this instruction "
		"and exited (0x%08x)",
		warp, (unsigned)named, past ? "went" : "may have gone",
		(unsigned)(past ? past : ahead));
}

static void
check_exits(struct check *k, unsigned warp, uint32_t named, uint32_t here, bool aligned)
{
	struct sim *s = k->s;
	struct world *w = k->w;
	uint32_t all = lmask_warp(&s->full, warp);
	uint32_t gone = named & (lmask_warp(&w->exited, warp) | ~all);
	uint32_t ahead = gone & lmask_warp(&w->ahead, warp);
	struct lmask maybe =
		lmask_and(lmask_minus(w->may_exit, w->exited), w->exit_split);
	uint32_t unsure = named & lmask_warp(&maybe, warp);
	struct breach_lanes l = {.waits = lmask_of_warp(warp, here),
		.exited = lmask_of_warp(warp, gone & all)};

	if (ahead && !aligned) {
		check_ahead(k, warp, named, ahead, l);
	} else if (gone && aligned) {
		breach_add(s, w, k->g, RULE_COLL_PARTIAL, k->ins, 0, &l,
			"warp %u: lanes 0x%08x are missing; every lane of the warp has "
			"to execute "
			"this instruction",
			warp, (unsigned)gone);
	} else if (unsure && k->ins->form->op == PTX_SHFL) {
		l.all_or_none = true; /* nobody waits for who is gone */
		l.unsure = lmask_of_warp(warp, unsure);
		breach_add(s, w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warp %u: lanes 0x%08x that the shuffle names may have exited",
			warp, (unsigned)unsure);
	} else if (unsure && aligned) {
		l.all_or_none = true;
		l.unsure = lmask_of_warp(warp, unsure);
		breach_add(s, w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warp %u: lanes 0x%08x may have exited; every lane of the warp "
			"has to "
			"execute this instruction",
			warp, (unsigned)unsure);
	}
}

/* The lanes `here` of a warp come with the known mask `named`. */
static void
check_known(struct check *k, unsigned warp, uint32_t here, uint32_t named, bool aligned)
{
	struct sim *s = k->s;
	struct lmask alive = world_alive(s, k->w);
	uint32_t live = lmask_warp(&alive, warp), miss = named & live & ~here;
	struct breach_lanes l = {.waits = lmask_of_warp(warp, here),
		.absent = lmask_of_warp(warp, miss),
		.exited = lmask_of_warp(warp, lmask_warp(&k->w->exited, warp))};

	if (here & ~named)
		breach_add(s, k->w, k->g, RULE_MASK_CALLER, k->ins, 0, &l,
			"warp %u: lanes 0x%08x execute this with membermask 0x%08x and "
			"are not in "
			"it",
			warp, (unsigned)(here & ~named), (unsigned)named);
	if (k->g->unc) {
		struct lmask m = lmask_of_warp(warp, named & here);

		if (miss || !unc_same(s, k->g, &m)) {
			l.all_or_none = !miss;
			l.unsure = m;
			breach_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
				"warp %u: membermask 0x%08x, and whether lanes 0x%08x "
				"come "
				"depends on what is not known",
				warp, (unsigned)named, (unsigned)(named & (here | miss)));
			return;
		}
	}
	if (miss && !k->final) {
		k->block = true;
		return;
	}
	if (miss)
		breach_add(s, k->w, k->g, RULE_COLL_ABSENT, k->ins, 0, &l,
			"warp %u: membermask 0x%08x, but only lanes 0x%08x come; 0x%08x "
			"do not",
			warp, (unsigned)named, (unsigned)here, (unsigned)miss);
	check_exits(k, warp, named, here, aligned);
}

/* Whichever lanes happened to be together exchange values, and nothing asks who they
 * are. */
static bool
is_chance(struct check *k, uint32_t lanes, const struct cell c[32])
{
	const struct ptx_form *f = k->ins->form;
	enum mask_kind kind;

	/* match.any only parts them further */
	if (sim_func(k->s, k->g)->mask_is_group || !(lanes & (lanes - 1)) ||
		(f->op == PTX_MATCH && f->sub == PTX_SUB_ANY))
		return false;
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1 && mask_class_kind(k->s, c[l], &kind) &&
			kind == MASK_ACTIVE)
			return true;
	return false;
}

/* Masks that are symbols, c by lane. */
static void
check_unknown(struct check *k, unsigned warp, uint32_t lanes, const struct cell c[32])
{
	struct sim *s = k->s;
	bool shfl = k->ins->form->op == PTX_SHFL;
	bool stale = false;
	struct mask_place q = {s, k->w, k->g, warp, NULL, true, shfl, &stale};
	struct breach_lanes who = {.unsure = lmask_of_warp(warp, lanes)};
	unsigned taint = 0;

	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1)
			taint |= sym_flags(&s->d, c[l].s) & SYM_TAINTS;
	if (!mask_names(&q, lanes, c)) {
		breach_add(s, k->w, k->g, RULE_MASK_UNKNOWN, k->ins, taint, NULL,
			"warp %u: the membermask is not known", warp);
		return;
	}
	if (shfl && stale)
		check_exits(k, warp, lanes, lanes, false);
	if (is_chance(k, lanes, c))
		breach_add(s, k->w, k->g, RULE_MASK_CHANCE, k->ins, taint, &who,
			"warp %u: the membermask names the lanes that happen to be "
			"together, and nothing asks which they are",
			warp);
}

static void
check_warp(struct check *k, unsigned warp, const struct val *mask)
{
	struct sim *s = k->s;
	uint32_t left = lmask_warp(&k->g->mask, warp), unknown = 0;
	bool aligned = !ptx_membermask(k->ins);
	struct cell c[32] = {{0}};

	domain_work(&s->d, 32);
	if (mask->kind == VAL_INT) {
		check_known(k, warp, left, (uint32_t)mask->i, aligned);
		return;
	}
	for (unsigned l = 0; l < 32; l++) {
		if (!(left >> l & 1))
			continue;
		c[l] = collective_mask_cell(s, k->w, mask, warp * 32 + l);
		if (c[l].s)
			unknown |= UINT32_C(1) << l;
	}
	if (unknown)
		check_unknown(k, warp, unknown, c);
	left &= ~unknown;
	while (left) {
		unsigned first = (unsigned)__builtin_ctz(left);
		uint32_t same = 0;

		for (unsigned l = first; l < 32; l++)
			if (left >> l & 1 && c[l].v == c[first].v)
				same |= UINT32_C(1) << l;
		left &= ~same;
		check_known(k, warp, same, (uint32_t)c[first].v, aligned);
	}
}

/* Four warps, the first of rank divisible by four. */
static void
check_warpgroup(struct check *k, unsigned first)
{
	struct sim *s = k->s;
	struct lmask alive = world_alive(s, k->w), unit = {{0}}, miss, here, gone;

	for (unsigned i = first; i < first + 4; i++)
		lmask_add_warp(&unit, i, UINT32_MAX);
	here = lmask_and(k->g->mask, unit);
	miss = lmask_minus(lmask_and(alive, unit), here);
	gone = lmask_minus(unit, lmask_or(alive, here));
	struct breach_lanes l = {
		.waits = here, .absent = miss, .exited = lmask_and(k->w->exited, unit)};
	if (k->g->unc && (!lmask_empty(&miss) || !unc_same(s, k->g, &here))) {
		breach_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warps %u..%u: whether the whole warpgroup comes depends on what "
			"is not "
			"known",
			first, first + 3);
		return;
	}
	if (!lmask_empty(&miss) && !k->final) {
		k->block = true;
		return;
	}
	if (!lmask_empty(&miss) || !lmask_empty(&gone))
		breach_add(s, k->w, k->g, RULE_WARPGROUP_PARTIAL, k->ins, 0, &l,
			"warps %u..%u: the whole warpgroup has to execute this "
			"instruction, only "
			"%s does",
			first, first + 3, breach_lanes_text(s, &here));
	struct lmask maybe = lmask_and(lmask_minus(k->w->may_exit, k->w->exited), unit);
	maybe = lmask_and(maybe, k->w->exit_part);
	if (!lmask_empty(&maybe))
		breach_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warps %u..%u: some may have exited", first, first + 3);
}

/* True if g has to wait for others. */
static bool
check_all(struct sim *s, struct world *w, const struct meeting *m, bool final)
{
	struct check k = {s, w, &m->g, m->ins, final, false, m->left};
	const struct group *g = &m->g;
	const struct ptx_ins *ins = m->ins;
	struct val mask;

	if (ins->form->nature == PTX_N_WARPGROUP) {
		for (unsigned i = 0; i < s->n_warps; i += 4) {
			uint64_t any = g->mask.w[i / 2] | g->mask.w[i / 2 + 1];

			if (any)
				check_warpgroup(&k, i);
		}
		return k.block;
	}
	if ((ins->form->op == PTX_SHFL || ins->form->op == PTX_VOTE) &&
		!PTX_HAS(ins->form, SYNC))
		return false;
	mask = collective_mask(s, w, g, ins);
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(&g->mask, i))
			check_warp(&k, i, &mask);
	return k.block;
}

/* ---- meeting ---- */

bool
collective_meet(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	const struct meeting m = {.g = *g, .ins = ins};

	if (!check_all(s, w, &m, false)) {
		clock_meet(s, w, &g->mask, ins->form->nature == PTX_N_WARPGROUP ? 4 : 1);
		collective_results(s, w, g, ins, &g->mask);
		return true;
	}
	size_t cap = w->cap_coll;
	if (w->n_coll >= w->cap_coll)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->coll[0]);
	arena_grow(s->mem, w->coll, w->n_coll, cap);
	w->cap_coll = (uint32_t)cap;
	w->coll[w->n_coll++] = m;
	return false;
}

/* An instruction and the calls that lead to it. */
static bool
same_site(const struct meeting *a, const struct meeting *b)
{
	return a->ins == b->ins && a->g.frame == b->g.frame;
}

/* Lanes of a warp that wait with this operation and mask. */
static uint32_t
lanes_with(struct sim *s, struct world *w, const struct ptx_form *form, unsigned warp,
	struct cell mask)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < w->n_coll; i++) {
		const struct meeting *o = &w->coll[i];
		uint32_t act = lmask_warp(&o->g.mask, warp);
		struct val v;

		if (!act || o->ins->form != form)
			continue;
		v = collective_mask(s, w, &o->g, o->ins);
		domain_work(&s->d, 32);
		for (unsigned l = 0; l < 32; l++)
			if (act >> l & 1 && cell_eq(mask, collective_mask_cell(s, w, &v,
								  warp * 32 + l)))
				r |= UINT32_C(1) << l;
	}
	return r;
}

/* Lanes of m in a warp whose masks name nobody who does not wait with them.  there: all
 * lanes that they meet. */
static uint32_t
ready_in_warp(struct sim *s, struct world *w, const struct meeting *m, unsigned warp,
	struct lmask *there)
{
	struct lmask alive = world_alive(s, w);
	struct val mask = collective_mask(s, w, &m->g, m->ins);
	uint32_t act = lmask_warp(&m->g.mask, warp), left = act, ready = 0;

	while (left) {
		unsigned lead = warp * 32 + (unsigned)__builtin_ctz(left);
		struct cell c = collective_mask_cell(s, w, &mask, lead);
		uint32_t with = lanes_with(s, w, m->ins->form, warp, c);
		uint32_t live = lmask_warp(&alive, warp);

		if (c.s || !((uint32_t)c.v & live & ~with)) {
			ready |= with & act;
			lmask_add_warp(there, warp, with);
		}
		left &= ~with;
	}
	return ready;
}

static struct lmask
ready_warpgroups(
	struct sim *s, struct world *w, const struct meeting *m, struct lmask *there)
{
	struct lmask alive = world_alive(s, w), ready = m->g.mask;

	for (uint32_t i = 0; i < w->n_coll; i++)
		if (same_site(&w->coll[i], m))
			*there = lmask_or(*there, w->coll[i].g.mask);
	for (unsigned i = 0; i < s->n_warps; i += 4) {
		struct lmask unit = {{0}}, live;

		for (unsigned k = i; k < i + 4; k++)
			lmask_add_warp(&unit, k, UINT32_MAX);
		live = lmask_and(alive, unit);
		if (lmask_exceeds(&live, there))
			ready = lmask_minus(ready, unit);
	}
	return ready;
}

/* The lanes of m for whom nobody is missing; there: with all that they meet. */
static struct lmask
ready_lanes(struct sim *s, struct world *w, const struct meeting *m, struct lmask *there)
{
	struct lmask r = {{0}};

	*there = r;
	if (m->ins->form->nature == PTX_N_WARPGROUP)
		return ready_warpgroups(s, w, m, there);
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(&m->g.mask, i))
			lmask_add_warp(&r, i, ready_in_warp(s, w, m, i, there));
	return r;
}

static void
go_on(struct sim *s, struct world *w, struct meeting m, const struct lmask *there)
{
	collective_results(s, w, &m.g, m.ins, there);
	m.g.ip++;
	world_rejoin(s, w, &m.g);
}

/* Lanes of one warp at different instructions, or past the place where they met. */
static void
check_sites(struct sim *s, struct world *w, const struct meeting *m,
	const struct meeting *all, uint32_t n, const struct lmask *there)
{
	struct lmask warps = lmask_whole_warps(&m->g.mask);
	struct lmask others = lmask_minus(lmask_and(*there, warps), m->g.mask);
	struct lmask same = m->g.mask;

	for (uint32_t i = 0; i < n; i++)
		if (same_site(&all[i], m))
			same = lmask_or(same, all[i].g.mask);
	others = lmask_minus(others, same);
	if (lmask_empty(&others))
		return;
	struct breach_lanes l = {.waits = m->g.mask, .elsewhere = others};
	struct breach *r = breach_add(s, w, &m->g, RULE_COLL_SITES, m->ins, 0, &l,
		"%s and %s meet at different instructions with one membermask",
		breach_lanes_text(s, &m->g.mask), breach_lanes_text(s, &others));
	if (r && !ptx_membermask(m->ins))
		r->sev = SEV_REFUSE;
}

/* Lanes that the mask names went past and are gone. */
static void
check_past(struct sim *s, struct world *w, const struct meeting *m)
{
	struct check k = {s, w, &m->g, m->ins, true, false, m->left};
	struct val mask = collective_mask(s, w, &m->g, m->ins);

	if (m->ins->form->nature == PTX_N_WARPGROUP)
		return;
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t act = lmask_warp(&m->g.mask, i);
		struct cell c;

		if (!act)
			continue;
		c = collective_mask_cell(
			s, w, &mask, i * 32 + (unsigned)__builtin_ctz(act));
		if (!c.s)
			check_exits(&k, i, (uint32_t)c.v, act, !ptx_membermask(m->ins));
	}
}

/* Lanes go on while others wait at the same instruction with masks that name them. */
static void
note_left_behind(
	struct sim *s, struct world *w, struct meeting *rest, const struct lmask *gone_on)
{
	struct val mask = collective_mask(s, w, &rest->g, rest->ins);

	LMASK_EACH(t, &rest->g.mask)
	{
		struct cell c = collective_mask_cell(s, w, &mask, t);
		uint32_t past = lmask_warp(gone_on, t / 32);

		if (!c.s)
			lmask_add_warp(&rest->left, t / 32, past & (uint32_t)c.v);
	}
	w->bypass = lmask_or(w->bypass, rest->left);
	w->ahead = lmask_or(w->ahead, rest->left);
}

/* Meetings of the lanes that wait no longer, out of those that wait; n: how many. */
static struct meeting *
take_ready(struct sim *s, struct world *w, const struct lmask *ready, uint32_t *n)
{
	struct meeting *m = sim_alloc(s, w->n_coll + 1, sizeof *m);
	uint32_t kept = 0;

	*n = 0;
	for (uint32_t i = 0; i < w->n_coll; i++) {
		struct meeting rest = w->coll[i];

		m[*n] = rest;
		m[*n].g.mask = ready[i];
		*n += !lmask_empty(&ready[i]);
		rest.g.mask = lmask_minus(rest.g.mask, ready[i]);
		if (lmask_empty(&rest.g.mask))
			continue;
		if (!lmask_empty(&ready[i]) && rest.ins->form->nature != PTX_N_WARPGROUP)
			note_left_behind(s, w, &rest, &ready[i]);
		w->coll[kept++] = rest;
	}
	w->n_coll = kept;
	return m;
}

bool
collective_release(struct sim *s, struct world *w, bool give_up)
{
	struct lmask *ready = sim_alloc(s, w->n_coll + 1, sizeof *ready);
	struct lmask *there = sim_alloc(s, w->n_coll + 1, sizeof *there);
	uint32_t n = 0;
	bool any = false;

	for (uint32_t i = 0; i < w->n_coll; i++) {
		struct lmask with, r = ready_lanes(s, w, &w->coll[i], &with);

		ready[i] = r;
		if (lmask_empty(&r))
			continue;
		any = true;
		there[n++] = with;
	}
	if (!any && !give_up)
		return false;
	if (!any) {
		/* they never complete: say so, and go on to find the rest */
		ready[0] = there[0] = w->coll[0].g.mask;
		check_all(s, w, &w->coll[0], true);
	}
	const struct meeting *m = take_ready(s, w, ready, &n);
	for (uint32_t i = 0; any && i < n; i++)
		check_sites(s, w, &m[i], m, n, &there[i]);
	for (uint32_t i = 0; i < n; i++) {
		struct lmask bypassed = lmask_and(w->ahead, w->exited);

		if (any && !lmask_empty(&bypassed))
			check_past(s, w, &m[i]);
		clock_meet(s, w, &there[i],
			m[i].ins->form->nature == PTX_N_WARPGROUP ? 4 : 1);
		go_on(s, w, m[i], &there[i]);
	}
	return true;
}
