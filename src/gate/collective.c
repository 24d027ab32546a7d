/* Warp collectives: who is named, who comes, what each lane gets. */
#include "gate/affine.h"
#include "gate/simt.h"

enum { KEY_MAX = 64, BALLOT_MAX = 32 * (KEY_MAX + 2) };

static struct lmask
warp_mask(unsigned warp, uint32_t lanes)
{
	struct lmask m = {{0}};

	lmask_add_warp(&m, warp, lanes);
	return m;
}

/* The mask operand; all lanes of the warp where there is none. */
static struct val
mask_value(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *o = ptx_membermask(ins);
	struct val v;

	if (!o)
		return val_int(UINT32_MAX);
	v = step_read(s, w, g, o);
	return affine_forget(&s->d, &v);
}

static struct cell
mask_cell(struct sim *s, const struct world *w, const struct val *v, unsigned t)
{
	struct cell c = branch_resolve(s, w, val_cell(&s->d, v, t));

	return c.s ? c : cell_int(c.v & UINT32_MAX);
}

/* ---- masks that are not numbers ---- */

/* Lane, number of conditions, conditions: as a ballot records them. */
static uint32_t
add_key(struct sim *s, const struct world *w, struct cell *key, uint32_t n, unsigned lane,
	const struct cell *cond, unsigned n_cond)
{
	uint32_t at = n++, k = 0;

	(void)w;
	for (unsigned i = 0; i < n_cond; i++)
		if (cond[i].s) {
			key[n++] = cond[i];
			k++;
		}
	(void)s;
	key[at] = cell_int((uint64_t)k << 8 | lane);
	return n;
}

/* Drops what the path knows: 0 if the lane is out, else the cells left. */
static bool
known_conditions(struct sim *s, const struct world *w, const struct cell *cond,
	unsigned n, struct cell *out, unsigned *n_out)
{
	*n_out = 0;
	for (unsigned i = 0; i < n; i++) {
		struct cell c = cond[i];

		if (!c.s)
			continue;
		struct cell r = branch_resolve(s, w, cell_sym(c.s));
		if (r.s) {
			out[(*n_out)++] = c;
			continue;
		}
		if ((r.v & 1) != (c.v & 1))
			return false;
	}
	return true;
}

/* The symbolic ballot names exactly the lanes of g in the warp. */
static bool
ballot_names(struct sim *s, struct world *w, const struct group *g, unsigned warp,
	struct cell mask)
{
	struct cell have[BALLOT_MAX], want[BALLOT_MAX], cond[KEY_MAX], left[KEY_MAX];
	uint32_t n_have = 0, n_want = 0;
	struct sym b = *sym_of(&s->d, mask.s);
	uint32_t act = lmask_warp(&g->mask, warp);
	unsigned n_left;

	if (b.op != SYM_BALLOT || b.tag != warp)
		return false;
	for (uint32_t i = 0; i < b.n;) {
		unsigned lane = b.arg[i].v & 255;
		uint32_t k = (uint32_t)(b.arg[i].v >> 8);

		if (known_conditions(s, w, &b.arg[i + 1], k, left, &n_left))
			n_want = add_key(s, w, want, n_want, lane, left, n_left);
		i += 1 + k;
	}
	for (unsigned l = 0; l < 32; l++) {
		if (!(act >> l & 1))
			continue;
		unsigned k = unc_key(s, g, warp * 32 + l, cond, KEY_MAX);
		if (!known_conditions(s, w, cond, k, left, &n_left))
			return false;
		n_have = add_key(s, w, have, n_have, l, left, n_left);
	}
	if (n_have != n_want)
		return false;
	for (uint32_t i = 0; i < n_have; i++)
		if (!cell_eq(have[i], want[i]))
			return false;
	return true;
}

/* All masks come from one match.any that exactly these lanes executed, under the same
 * conditions: each lane is in its own set, and the sets are equal or disjoint. */
static bool
match_names(struct sim *s, const struct group *g, unsigned warp, const struct val *v)
{
	uint32_t act = lmask_warp(&g->mask, warp);
	bool first = true;
	uint64_t tag = 0;

	for (unsigned l = 0; l < 32; l++) {
		struct cell c;

		if (!(act >> l & 1))
			continue;
		c = val_cell(&s->d, v, warp * 32 + l);
		if (!c.s || sym_of(&s->d, c.s)->op != SYM_MATCH)
			return false;
		const struct sym *x = sym_of(&s->d, c.s);
		if (!first && x->tag != tag)
			return false;
		tag = x->tag;
		first = false;
		if (x->arg[0].v != warp * 32 + l || x->arg[1].v != act ||
			x->arg[2].v != (uint64_t)(uintptr_t)g->unc)
			return false;
	}
	return !first;
}

/* ---- checks ---- */

struct check {
	struct sim *s;
	struct world *w;
	const struct group *g;
	const struct ptx_ins *ins;
	bool final; /* nobody else will come */
	bool block;
};

static void
check_exits(struct check *k, unsigned warp, uint32_t named, uint32_t here, bool aligned)
{
	struct sim *s = k->s;
	struct world *w = k->w;
	uint32_t all = lmask_warp(&s->full, warp);
	uint32_t gone = named & (lmask_warp(&w->exited, warp) | ~all);
	uint32_t past = gone & lmask_warp(&w->bypass, warp);
	struct lmask maybe =
		lmask_and(lmask_minus(w->may_exit, w->exited), w->exit_split);
	uint32_t unsure = named & lmask_warp(&maybe, warp);
	struct report_lanes l = {
		.waits = warp_mask(warp, here), .exited = warp_mask(warp, gone & all)};

	if (past && !aligned) {
		report_add(s, w, k->g, RULE_COLL_EXITED, k->ins, 0, &l,
			"warp %u: membermask 0x%08x names lanes that went past this "
			"instruction "
			"and exited (0x%08x)",
			warp, (unsigned)named, (unsigned)past);
	} else if (gone && aligned) {
		report_add(s, w, k->g, RULE_COLL_PARTIAL, k->ins, 0, &l,
			"warp %u: lanes 0x%08x are missing; every lane of the warp has "
			"to execute "
			"this instruction",
			warp, (unsigned)gone);
	} else if (unsure && k->ins->form->op == PTX_SHFL) {
		l.unsure = warp_mask(warp, unsure);
		report_add(s, w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warp %u: lanes 0x%08x that the shuffle names may have exited",
			warp, (unsigned)unsure);
	} else if (unsure && aligned) {
		l.unsure = warp_mask(warp, unsure);
		report_add(s, w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
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
	struct report_lanes l = {.waits = warp_mask(warp, here),
		.absent = warp_mask(warp, miss),
		.exited = warp_mask(warp, lmask_warp(&k->w->exited, warp))};

	if (here & ~named)
		report_add(s, k->w, k->g, RULE_MASK_CALLER, k->ins, 0, &l,
			"warp %u: lanes 0x%08x execute this with membermask 0x%08x and "
			"are not in "
			"it",
			warp, (unsigned)(here & ~named), (unsigned)named);
	if (k->g->unc) {
		struct lmask m = warp_mask(warp, named & here);

		if (miss || !unc_same(s, k->g, &m)) {
			l.unsure = m;
			report_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
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
		report_add(s, k->w, k->g, RULE_COLL_ABSENT, k->ins, 0, &l,
			"warp %u: membermask 0x%08x, but only lanes 0x%08x come; 0x%08x "
			"do not",
			warp, (unsigned)named, (unsigned)here, (unsigned)miss);
	check_exits(k, warp, named, here, aligned);
}

static void
check_unknown(struct check *k, unsigned warp, const struct val *mask, struct cell c,
	bool uniform)
{
	struct sim *s = k->s;

	if (uniform && c.s && ballot_names(s, k->w, k->g, warp, c))
		return;
	if (match_names(s, k->g, warp, mask))
		return;
	report_add(s, k->w, k->g, RULE_MASK_UNKNOWN, k->ins,
		c.s ? sym_of(&s->d, c.s)->flags & SYM_TAINTS : 0, NULL,
		"warp %u: the membermask is not known", warp);
}

static void
check_warp(struct check *k, unsigned warp, const struct val *mask)
{
	struct sim *s = k->s;
	uint32_t act = lmask_warp(&k->g->mask, warp), left = act;
	bool aligned = !ptx_membermask(k->ins);
	struct cell c[32];
	bool known = true, uniform = true;
	unsigned lead = (unsigned)__builtin_ctz(act);

	for (unsigned l = 0; l < 32; l++) {
		if (!(act >> l & 1))
			continue;
		c[l] = mask_cell(s, k->w, mask, warp * 32 + l);
		known = known && !c[l].s;
		uniform = uniform && cell_eq(c[l], c[lead]);
	}
	domain_work(&s->d, 32);
	if (!known) {
		check_unknown(k, warp, mask, c[lead], uniform);
		return;
	}
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
	struct report_lanes l = {
		.waits = here, .absent = miss, .exited = lmask_and(k->w->exited, unit)};
	if (k->g->unc && (!lmask_empty(&miss) || !unc_same(s, k->g, &here))) {
		report_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
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
		report_add(s, k->w, k->g, RULE_WARPGROUP_PARTIAL, k->ins, 0, &l,
			"warps %u..%u: the whole warpgroup has to execute this "
			"instruction, only "
			"%s does",
			first, first + 3, report_lanes_text(s, &here));
	struct lmask maybe = lmask_and(lmask_minus(k->w->may_exit, k->w->exited), unit);
	if (!lmask_empty(&maybe))
		report_add(s, k->w, k->g, RULE_DATA_COLLECTIVE, k->ins, 0, &l,
			"warps %u..%u: some may have exited", first, first + 3);
}

/* True if g has to wait for others. */
static bool
check_all(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, bool final)
{
	struct check k = {s, w, g, ins, final, false};
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
	mask = mask_value(s, w, g, ins);
	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(&g->mask, i))
			check_warp(&k, i, &mask);
	return k.block;
}

/* ---- results ---- */

struct lane_out {
	uint64_t v[LANES_MAX];
	uint32_t s[LANES_MAX];
	bool set[LANES_MAX];
};

static void
out_set(struct lane_out *o, unsigned t, struct cell c)
{
	o->v[t] = c.v;
	o->s[t] = c.s;
	o->set[t] = true;
}

/* Lanes without a result keep what they had; a neighbour's value keeps it uniform. */
static struct val
out_value(struct sim *s, struct lane_out *o)
{
	unsigned first = 0;

	while (first < s->d.n && !o->set[first])
		first++;
	for (unsigned t = 0; t < s->d.n; t++)
		if (!o->set[t]) {
			o->v[t] = o->v[first];
			o->s[t] = o->s[first];
		}
	return val_pack(&s->d, o->v, o->s);
}

static void
write_out(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *d, struct lane_out *o)
{
	struct val v;

	if (!d || d->kind != PTX_O_REG || !step_wanted(s, g, d))
		return;
	v = out_value(s, o);
	step_write(s, w, g, d->id, &v);
}

static const struct ptx_operand *
dst_part(const struct ptx_ins *ins, unsigned k)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);

	if (!d)
		return NULL;
	if (d->kind == PTX_O_PAIR)
		return ptx_part(d, k);
	return k == 0 ? d : NULL;
}

struct shfl_from {
	unsigned lane;
	bool in_range; /* the predicate of shfl */
};

/* PTX ISA "shfl.sync". */
static struct shfl_from
shfl_source(enum ptx_sub mode, unsigned lane, uint64_t b, uint64_t c)
{
	unsigned by = b & 31, seg = c >> 8 & 31, clamp = c & 31;
	unsigned max = (lane & seg) | (clamp & ~seg & 31), min = lane & seg;
	int j;
	bool ok;

	switch ((int)mode) {
	case PTX_SUB_UP:
		j = (int)lane - (int)by;
		ok = j >= (int)max;
		break;
	case PTX_SUB_DOWN:
		j = (int)(lane + by);
		ok = j <= (int)max;
		break;
	case PTX_SUB_BFLY:
		j = (int)(lane ^ by);
		ok = j <= (int)max;
		break;
	default: j = (int)(min | (by & ~seg & 31)); ok = j <= (int)max;
	}
	return (struct shfl_from){ok ? (unsigned)j : lane, ok};
}

/* `there`: all lanes that meet here, g's and those of other groups. */
static void
result_shfl(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	struct domain *d = &s->d;
	bool want = step_wanted(s, g, ptx_operand(ins, 0));
	struct val a = want ? step_read(s, w, g, ptx_operand(ins, 1)) : val_int(0);
	struct val b = step_read(s, w, g, ptx_operand(ins, 2));
	struct val c = step_read(s, w, g, ptx_operand(ins, 3));
	struct val mask = mask_value(s, w, g, ins);
	struct lane_out *r = sim_alloc(s, 1, sizeof *r), *p = sim_alloc(s, 1, sizeof *p);
	struct lmask bad = {{0}};
	uint64_t serial = ++s->next_load;

	a = affine_forget(d, &a);
	bool flat = val_uniform(d, &a);
	LMASK_EACH(t, &g->mask)
	{
		struct cell x = val_cell(d, &b, t), y = val_cell(d, &c, t);
		struct cell m = mask_cell(s, w, &mask, t);
		struct cell key[2] = {x, cell_int(t / 32)};
		struct cell lane = cell_int(t);

		if (x.s || y.s) {
			/* one unknown source for all: still one value for the warp */
			bool idx = ins->form->sub == PTX_SUB_IDX && !y.s;
			uint32_t sym = sym_make(d, SYM_LOAD,
				serial << 16 | (idx ? 0xfffe : 0xffff), idx ? key : &lane,
				idx ? 2 : 1,
				SYM_TAINT_MEM | (val_taint(d, &a) & SYM_UNDEFINED));
			out_set(r, t, flat ? val_flat(&a) : cell_sym(sym));
			out_set(p, t,
				cell_sym(sym_make(d, SYM_LOAD, serial << 16 | 0xfffd,
					&lane, 1, SYM_BOOL | SYM_TAINT_MEM)));
			continue;
		}
		struct shfl_from from = shfl_source(ins->form->sub, t & 31, x.v, y.v);
		unsigned src = (t & ~31u) + from.lane;
		out_set(p, t, cell_int(from.in_range));
		bool here = src < d->n && lmask_has(there, src);
		if (from.in_range && !m.s && !(m.v >> from.lane & 1))
			here = false;
		if (from.in_range && !here && !g->unc)
			lmask_add(&bad, t);
		if (here && lmask_has(&g->mask, src))
			out_set(r, t, val_cell(d, &a, src));
		else if (!from.in_range)
			out_set(r, t, val_cell(d, &a, t));
		else
			out_set(r, t, undefined_cell(s, ins, t));
	}
	domain_work(d, 2 * d->n);
	if (!lmask_empty(&bad) && !s->trace) {
		struct report_lanes l = {.waits = g->mask, .absent = bad};

		report_add(s, w, g, RULE_SHFL_ABSENT, ins, 0, &l,
			"%s reads a lane that does not take part: the value is undefined",
			report_lanes_text(s, &bad));
	}
	write_out(s, w, g, dst_part(ins, 0), r);
	write_out(s, w, g, dst_part(ins, 1), p);
}

static struct cell
normal(struct sim *s, struct cell c)
{
	const struct sym *x;

	if (!c.s)
		return cell_int(1);
	x = sym_of(&s->d, c.s);
	if (x->op == SYM_NOT)
		return (struct cell){0, x->arg[0].s};
	return (struct cell){1, c.s};
}

static struct cell
ballot_unknown(struct sim *s, struct world *w, const struct group *g, unsigned warp,
	const struct cell *v, uint32_t act)
{
	struct cell key[BALLOT_MAX], cond[KEY_MAX];
	uint32_t n = 0;

	for (unsigned l = 0; l < 32; l++) {
		unsigned k;

		if (!(act >> l & 1) || cell_is(v[l], 0))
			continue;
		k = unc_key(s, g, warp * 32 + l, cond, KEY_MAX - 1);
		cond[k] = normal(s, v[l]);
		n = add_key(s, w, key, n, l, cond, k + 1);
	}
	return cell_sym(sym_make(&s->d, SYM_BALLOT, warp, key, n, 0));
}

static struct cell
vote_unknown(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, unsigned warp, const struct cell *v, uint32_t act)
{
	struct cell x[33];
	uint32_t n = 0;
	bool same = true;

	if (ins->form->sub == PTX_SUB_BALLOT)
		return ballot_unknown(s, w, g, warp, v, act);
	for (unsigned l = 0; l < 32; l++)
		if (act >> l & 1) {
			same = same && (n == 0 || cell_eq(x[0], v[l]));
			x[n++] = v[l];
		}
	if (same && ins->form->sub == PTX_SUB_UNI)
		return cell_int(1);
	if (same)
		return x[0];
	return cell_sym(sym_make(&s->d, SYM_VOTE, ins->form->sub, x, n, SYM_BOOL));
}

static struct cell
vote_known(enum ptx_sub op, const struct cell *v, uint32_t act)
{
	uint32_t yes = 0;

	for (unsigned l = 0; l < 32; l++)
		if (act >> l & 1 && v[l].v & 1)
			yes |= UINT32_C(1) << l;
	switch ((int)op) {
	case PTX_SUB_BALLOT: return cell_int(yes);
	case PTX_SUB_ALL: return cell_int(yes == act);
	case PTX_SUB_ANY: return cell_int(yes != 0);
	default: return cell_int(yes == 0 || yes == act);
	}
}

static bool
redux_known(
	const struct ptx_form *f, const struct cell *v, uint32_t act, struct cell *out)
{
	enum ptx_type t = f->n_types ? f->type[0] : PTX_T_NONE;
	bool is_signed = t == PTX_T_s32, first = true;
	int64_t r = 0;

	if (t != PTX_T_s32 && t != PTX_T_u32 && t != PTX_T_b32)
		return false;
	for (unsigned l = 0; l < 32; l++) {
		if (!(act >> l & 1))
			continue;
		int64_t x =
			is_signed ? (int32_t)(uint32_t)v[l].v : (int64_t)(uint32_t)v[l].v;
		if (first)
			r = x;
		else if (f->sub == PTX_SUB_ADD)
			r += x;
		else if (f->sub == PTX_SUB_MIN)
			r = x < r ? x : r;
		else if (f->sub == PTX_SUB_MAX)
			r = x > r ? x : r;
		else if (f->sub == PTX_SUB_AND)
			r &= x;
		else if (f->sub == PTX_SUB_OR)
			r |= x;
		else if (f->sub == PTX_SUB_XOR)
			r ^= x;
		else
			return false;
		first = false;
	}
	*out = cell_int((uint64_t)r & UINT32_MAX);
	return true;
}

/* One warp's lanes of vote, redux or match; `lane` gets each lane's result. */
static void
result_warp(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, unsigned warp, const struct cell *v, uint32_t act,
	uint64_t serial, struct cell *lane)
{
	bool known = true;
	struct cell r = {0}, arg[3] = {cell_int(warp)};
	bool any_match = ins->form->op == PTX_MATCH && ins->form->sub == PTX_SUB_ANY;
	unsigned flags = SYM_TAINT_MEM;

	for (unsigned l = 0; l < 32; l++) {
		known = known && (!(act >> l & 1) || !v[l].s);
		if (act >> l & 1 && v[l].s)
			flags |= sym_of(&s->d, v[l].s)->flags & SYM_TAINTS;
	}
	if (g->unc) {
		/* lanes that are only possibly here count only if all are under one
		 * condition */
		struct lmask m = warp_mask(warp, act);

		known = known && unc_same(s, g, &m);
	}
	for (unsigned l = 0; l < 32; l++) {
		uint32_t same = 0;

		if (!(act >> l & 1))
			continue;
		if (any_match && known) {
			for (unsigned k = 0; k < 32; k++)
				if (act >> k & 1 && v[k].v == v[l].v)
					same |= UINT32_C(1) << k;
			lane[l] = cell_int(same);
		} else if (any_match) {
			struct cell key[3] = {cell_int(warp * 32 + l), cell_int(act),
				cell_int((uint64_t)(uintptr_t)g->unc)};

			lane[l] = cell_sym(
				sym_make(&s->d, SYM_MATCH, serial, key, 3, flags));
		}
	}
	if (any_match)
		return;
	if (ins->form->op == PTX_VOTE) {
		r = known ? vote_known(ins->form->sub, v, act)
			  : vote_unknown(s, w, g, ins, warp, v, act);
	} else if (ins->form->op == PTX_REDUX && known &&
		   redux_known(ins->form, v, act, &r)) {
		/* done */
	} else if (ins->form->op == PTX_MATCH && known) {
		bool same = true;
		unsigned lead = (unsigned)__builtin_ctz(act);

		for (unsigned l = 0; l < 32; l++)
			same = same && (!(act >> l & 1) || v[l].v == v[lead].v);
		r = cell_int(same ? act : 0);
	} else {
		r = cell_sym(
			sym_make(&s->d, SYM_LOAD, serial << 16 | 0xfffb, arg, 1, flags));
	}
	for (unsigned l = 0; l < 32; l++)
		lane[l] = r;
}

static void
result_sources(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct val src = step_read(s, w, g, ptx_operand(ins, 1));
	struct lane_out *r = sim_alloc(s, 1, sizeof *r);
	uint64_t serial = ++s->next_load;

	src = affine_forget(&s->d, &src);
	domain_work(&s->d, s->d.n);
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t act = lmask_warp(&g->mask, i);
		struct cell v[32] = {{0}}, lane[32] = {{0}};

		if (!act)
			continue;
		for (unsigned l = 0; l < 32; l++)
			if (act >> l & 1)
				v[l] = branch_resolve(
					s, w, val_cell(&s->d, &src, i * 32 + l));
		result_warp(s, w, g, ins, i, v, act, serial, lane);
		for (unsigned l = 0; l < 32; l++)
			if (act >> l & 1)
				out_set(r, i * 32 + l, lane[l]);
	}
	write_out(s, w, g, dst_part(ins, 0), r);
	const struct ptx_operand *p = dst_part(ins, 1);
	if (p && p->kind == PTX_O_REG) {
		struct val v =
			val_sym(sym_fresh(&s->d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));

		step_write(s, w, g, p->id, &v);
	}
}

/* elect.sync: deterministic; taken as the lowest lane of the mask. */
static void
result_elect(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct val mask = mask_value(s, w, g, ins);
	struct lane_out *r = sim_alloc(s, 1, sizeof *r), *p = sim_alloc(s, 1, sizeof *p);

	LMASK_EACH(t, &g->mask)
	{
		struct cell m = mask_cell(s, w, &mask, t), lane = cell_int(t);
		uint32_t act = lmask_warp(&g->mask, t / 32);
		uint32_t named = m.s ? act : (uint32_t)m.v & act;
		unsigned leader = named ? (unsigned)__builtin_ctz(named) : t & 31;

		if (m.s || g->unc) {
			uint64_t tag = (uint64_t)++s->next_load << 16 | 0xfffa;

			out_set(r, t,
				cell_sym(sym_make(
					&s->d, SYM_LOAD, tag, &lane, 1, SYM_TAINT_MEM)));
			out_set(p, t,
				cell_sym(sym_make(&s->d, SYM_LOAD, tag ^ 3, &lane, 1,
					SYM_BOOL | SYM_TAINT_MEM)));
			continue;
		}
		out_set(r, t, cell_int(leader));
		out_set(p, t, cell_int((t & 31) == leader));
	}
	write_out(s, w, g, dst_part(ins, 0), r);
	write_out(s, w, g, dst_part(ins, 1), p);
}

static void
result_unknown(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	for (unsigned k = 0; k < ins->n_dst; k++) {
		struct ptx_walk walk = ptx_operand_regs(ptx_operand(ins, k));
		ptx_reg r;

		while (ptx_walk_next(&walk, &r)) {
			struct val v = val_sym(sym_fresh(
				&s->d, SYM_DIV | SYM_TAINT_MEM |
					       undefined_sources(s, w, g, ins)));

			step_write(s, w, g, r, &v);
		}
	}
}

static void
results(struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins,
	const struct lmask *there)
{
	if (ins->form->op == PTX_SHFL) {
		/* also says who reads whom */
		result_shfl(s, w, g, ins, there);
		return;
	}
	if (!ins->n_dst || !step_wanted(s, g, ptx_operand(ins, 0)))
		return;
	switch ((int)ins->form->op) {
	case PTX_VOTE:
	case PTX_MATCH:
	case PTX_REDUX: result_sources(s, w, g, ins); break;
	case PTX_ELECT: result_elect(s, w, g, ins); break;
	default: result_unknown(s, w, g, ins);
	}
}

/* ---- meeting ---- */

bool
collective_meet(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	s->sites++;
	if (!check_all(s, w, g, ins, false)) {
		results(s, w, g, ins, &g->mask);
		return true;
	}
	size_t cap = w->cap_coll;
	if (w->n_coll >= w->cap_coll)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->coll[0]);
	arena_grow(s->mem, w->coll, w->n_coll, cap);
	w->cap_coll = (uint32_t)cap;
	w->coll[w->n_coll++] = (struct meeting){*g, ins};
	return false;
}

/* Lanes of the warp (or warpgroup) of t that wait with the same operation and mask. */
static void
gather(struct sim *s, struct world *w, const struct meeting *m, struct lmask *there)
{
	struct val mask = mask_value(s, w, &m->g, m->ins);

	*there = m->g.mask;
	for (uint32_t i = 0; i < w->n_coll; i++) {
		const struct meeting *o = &w->coll[i];
		struct val other;

		if (o == m || o->ins->form != m->ins->form)
			continue;
		if (m->ins->form->nature == PTX_N_WARPGROUP) {
			if (o->ins == m->ins)
				*there = lmask_or(*there, o->g.mask);
			continue;
		}
		other = mask_value(s, w, &o->g, o->ins);
		domain_work(&s->d, s->d.n);
		LMASK_EACH(t, &o->g.mask)
		{
			uint32_t act = lmask_warp(&m->g.mask, t / 32);

			if (!act)
				continue;
			unsigned lead = (t & ~31u) + (unsigned)__builtin_ctz(act);
			if (cell_eq(mask_cell(s, w, &other, t),
				    mask_cell(s, w, &mask, lead)))
				lmask_add(there, t);
		}
	}
}

static bool
is_complete(struct sim *s, struct world *w, const struct meeting *m,
	const struct lmask *there)
{
	struct lmask alive = world_alive(s, w);
	struct val mask = mask_value(s, w, &m->g, m->ins);

	if (m->ins->form->nature == PTX_N_WARPGROUP) {
		LMASK_EACH(t, &m->g.mask)
		{
			unsigned first = t / 128 * 4;

			for (unsigned i = first; i < first + 4 && i < s->n_warps; i++)
				if (lmask_warp(&alive, i) & ~lmask_warp(there, i))
					return false;
		}
		return true;
	}
	LMASK_EACH(t, &m->g.mask)
	{
		struct cell c = mask_cell(s, w, &mask, t);
		uint32_t live = lmask_warp(&alive, t / 32);

		if (!c.s && (uint32_t)c.v & live & ~lmask_warp(there, t / 32))
			return false;
	}
	return true;
}

static void
go_on(struct sim *s, struct world *w, struct meeting m, const struct lmask *there)
{
	results(s, w, &m.g, m.ins, there);
	m.g.ip++;
	/* groups of one place run as one again */
	for (uint32_t i = 0; i < w->n_run; i++) {
		struct group *g = &w->run[i];

		if (g->frame == m.g.frame && g->bb == m.g.bb && g->ip == m.g.ip &&
			g->unc == m.g.unc && g->calls == m.g.calls &&
			jstack_same(g->joins, m.g.joins)) {
			g->mask = lmask_or(g->mask, m.g.mask);
			return;
		}
	}
	world_push(s, w, &m.g);
}

/* Lanes of one warp at different instructions, or past the place where they met. */
static void
check_sites(struct sim *s, struct world *w, const struct meeting *m,
	const struct lmask *there)
{
	struct lmask warps = lmask_whole_warps(&m->g.mask);
	struct lmask others = lmask_minus(lmask_and(*there, warps), m->g.mask);
	struct lmask same = m->g.mask;

	for (uint32_t i = 0; i < w->n_coll; i++)
		if (w->coll[i].ins == m->ins)
			same = lmask_or(same, w->coll[i].g.mask);
	others = lmask_minus(others, same);
	if (lmask_empty(&others))
		return;
	struct report_lanes l = {.waits = m->g.mask, .elsewhere = others};
	struct report *r = report_add(s, w, &m->g, RULE_COLL_SITES, m->ins, 0, &l,
		"%s and %s meet at different instructions with one membermask",
		report_lanes_text(s, &m->g.mask), report_lanes_text(s, &others));
	if (r && !ptx_membermask(m->ins))
		r->sev = SEV_REFUSE;
}

/* Lanes that the mask names went past and are gone. */
static void
check_past(struct sim *s, struct world *w, const struct meeting *m)
{
	struct check k = {s, w, &m->g, m->ins, true, false};
	struct val mask = mask_value(s, w, &m->g, m->ins);

	if (m->ins->form->nature == PTX_N_WARPGROUP)
		return;
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t act = lmask_warp(&m->g.mask, i);
		struct cell c;

		if (!act)
			continue;
		c = mask_cell(s, w, &mask, i * 32 + (unsigned)__builtin_ctz(act));
		if (!c.s)
			check_exits(&k, i, (uint32_t)c.v, act, !ptx_membermask(m->ins));
	}
}

bool
collective_release(struct sim *s, struct world *w, bool give_up)
{
	bool *ready = sim_alloc(s, w->n_coll + 1, sizeof *ready);
	struct lmask *there = sim_alloc(s, w->n_coll + 1, sizeof *there);
	struct meeting *m = sim_alloc(s, w->n_coll + 1, sizeof *m);
	uint32_t n = w->n_coll, k = 0;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		m[i] = w->coll[i];
		gather(s, w, &w->coll[i], &there[i]);
		ready[i] = is_complete(s, w, &w->coll[i], &there[i]);
		any = any || ready[i];
	}
	if (!any && !give_up)
		return false;
	if (!any) {
		/* they never complete: say so, and go on to find the rest */
		ready[0] = true;
		check_all(s, w, &m[0].g, m[0].ins, true);
	} else {
		for (uint32_t i = 0; i < n; i++)
			if (ready[i])
				check_sites(s, w, &m[i], &there[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		if (!ready[i])
			w->coll[k++] = m[i];
	w->n_coll = k;
	for (uint32_t i = 0; i < n; i++) {
		struct lmask bypassed = lmask_and(w->bypass, w->exited);

		if (!ready[i])
			continue;
		if (any && !lmask_empty(&bypassed))
			check_past(s, w, &m[i]);
		go_on(s, w, m[i], &there[i]);
	}
	return true;
}
