/* What each lane gets from a warp collective. */
#include "simt/lane_out.h"
#include "simt/mask.h"
#include "value/affine.h"

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

/* A shuffle of the lanes of g; there: all lanes that meet, those of other groups too. */
struct shfl {
	struct sim *s;
	struct world *w;
	const struct group *g;
	const struct ptx_ins *ins;
	const struct lmask *there;
	struct val value, by, clamp, mask;
	uint64_t serial;
	unsigned undefined; /* SYM_UNDEFINED if a lane's value may be */
	bool predicates;    /* wanted */
};

/* Whether the lane that is read takes part. */
enum partner { PARTNER_SURE, PARTNER_MAYBE, PARTNER_ABSENT };

/* Lanes that lane l may read when it is not known which. */
static uint32_t
lanes_in_reach(unsigned l, struct cell clamp)
{
	unsigned seg = clamp.v >> 8 & 31;
	uint32_t r = 0;

	if (clamp.s || !seg)
		return UINT32_MAX;
	for (unsigned i = 0; i < 32; i++)
		if ((i & seg) == (l & seg))
			r |= UINT32_C(1) << i;
	return r;
}

static enum partner
unknown_partner(const struct shfl *k, unsigned t, struct cell x, struct cell clamp)
{
	struct domain *d = &k->s->d;
	struct cell mask = collective_mask_cell(k->s, k->w, &k->mask, t);
	uint32_t reach = lanes_in_reach(t & 31, clamp);
	/* a complement names lanes that do not exist, behind all that do */
	bool whole = lmask_warp(&k->s->full, t / 32) == UINT32_MAX;

	if (!mask.s && !(reach & ~((uint32_t)mask.v & lmask_warp(k->there, t / 32))))
		return PARTNER_SURE;
	if (k->ins->form->sub == PTX_SUB_IDX && !clamp.s && clamp.v == 31 &&
		(mask_scan(d, x, val_cell(d, &k->mask, t), whole) ||
			mask_scan(d, x, mask, whole)))
		return PARTNER_SURE;
	return PARTNER_MAYBE;
}

static enum partner
known_partner(const struct shfl *k, unsigned t, unsigned from)
{
	struct sim *s = k->s;
	struct cell mine = collective_mask_cell(s, k->w, &k->mask, t), other;
	struct lmask both = {{0}};

	if (from >= s->d.n || !lmask_has(k->there, from))
		return PARTNER_ABSENT;
	if (!mine.s)
		return mine.v >> (from & 31) & 1 ? PARTNER_SURE : PARTNER_ABSENT;
	if (from == t)
		return PARTNER_SURE;
	other = collective_mask_cell(s, k->w, &k->mask, from);
	lmask_add(&both, t);
	lmask_add(&both, from);
	return cell_eq(mine, other) && mask_is_plain(s, mine) && unc_same(s, k->g, &both)
		       ? PARTNER_SURE
		       : PARTNER_MAYBE;
}

/* What a lane reads from one that is not known. */
static struct cell
shfl_unknown(const struct shfl *k, unsigned t, struct cell x, struct cell clamp)
{
	struct domain *d = &k->s->d;
	bool idx = k->ins->form->sub == PTX_SUB_IDX && !clamp.s;
	/* one unknown source for all: still one value for the warp or segment */
	struct cell key[2] = {
		x, cell_int(idx ? (uint64_t)(t / 32) << 16 |
					    (clamp.v >> 8 & t & 31) << 8 | (clamp.v & 31)
				: t)};
	unsigned taint = SYM_TAINT_MEM | k->undefined;

	if (val_uniform(d, &k->value))
		return val_flat(&k->value);
	return cell_sym(sym_make(d, SYM_LOAD, k->serial << 16 | (idx ? 0xfffe : 0xffff),
		idx ? key : &key[1], idx ? 2 : 1, taint));
}

/* The value of lane t and shfl's predicate. */
static enum partner
shfl_lane(const struct shfl *k, unsigned t, struct cell *value, struct cell *pred)
{
	struct domain *d = &k->s->d;
	struct cell x = val_cell(d, &k->by, t), y = val_cell(d, &k->clamp, t),
		    lane = cell_int(t);
	enum partner r;

	if (x.s || y.s) {
		*pred = k->predicates
				? cell_sym(sym_make(d, SYM_LOAD, k->serial << 16 | 0xfffd,
					  &lane, 1, SYM_BOOL | SYM_TAINT_MEM))
				: cell_int(0);
		*value = shfl_unknown(k, t, x, y);
		r = unknown_partner(k, t, x, y);
	} else {
		struct shfl_from from = shfl_source(k->ins->form->sub, t & 31, x.v, y.v);
		unsigned src = (t & ~31u) + from.lane;

		*pred = cell_int(from.in_range);
		r = from.in_range ? known_partner(k, t, src) : PARTNER_SURE;
		*value = src < d->n && lmask_has(&k->g->mask, src)
				 ? val_cell(d, &k->value, src)
				 : cell_sym(sym_fresh(d, SYM_TAINT_MEM));
	}
	if (r == PARTNER_ABSENT)
		*value = undefined_cell(k->s, k->g, k->ins, t);
	if (r == PARTNER_MAYBE && k->s->trace)
		*value = cell_phi(d, cell_sym(sym_fresh(d, SYM_BOOL | SYM_TAINT_MEM)),
			undefined_cell(k->s, k->g, k->ins, t), *value);
	return r;
}

static void
result_shfl(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	bool want = step_wanted(s, g, ptx_operand(ins, 0));
	struct lane_out *r = lane_out_begin(s, 0), *p = lane_out_begin(s, 1);
	struct shfl k = {.s = s, .w = w, .g = g, .ins = ins, .there = there};
	struct lmask bad = {{0}};

	k.value = want ? step_read(s, w, g, ptx_operand(ins, 1)) : val_int(0);
	k.value = affine_forget(&s->d, &k.value);
	k.undefined = val_taint(&s->d, &k.value) & SYM_UNDEFINED;
	k.by = step_read(s, w, g, ptx_operand(ins, 2));
	k.clamp = step_read(s, w, g, ptx_operand(ins, 3));
	k.mask = collective_mask(s, w, g, ins);
	k.serial = ++s->next_load;
	k.predicates = lane_out_dst(ins, 1) != NULL;
	sym_lanes_begin(&s->d);
	LMASK_EACH(t, &g->mask)
	{
		struct cell v, pred;

		sym_lanes_at(&s->d, t, ins->form->sub != PTX_SUB_IDX);
		if (shfl_lane(&k, t, &v, &pred) != PARTNER_SURE)
			lmask_add(&bad, t);
		lane_out_set(r, t, v);
		lane_out_set(p, t, pred);
	}
	sym_lanes_end(&s->d);
	domain_work(&s->d, 2 * (uint64_t)s->d.n);
	if (!lmask_empty(&bad) && !s->trace) {
		struct breach_lanes l = {.reads = bad};

		breach_add(s, w, g, RULE_SHFL_ABSENT, ins, 0, &l,
			"a lane that does not take part is read by %s: the value is "
			"undefined",
			breach_lanes_text(s, &bad));
	}
	lane_out_write(s, w, g, lane_out_dst(ins, 0), r);
	lane_out_write(s, w, g, lane_out_dst(ins, 1), p);
}

/* elect.sync: deterministic; taken as the lowest lane of the mask.  Where that is not
 * known it is one unknown for the lanes of a mask. */
static void
result_elect(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	struct val mask = collective_mask(s, w, g, ins);
	struct lane_out *r = lane_out_begin(s, 0), *p = lane_out_begin(s, 1);
	struct lmask maybe =
		lmask_and(lmask_minus(w->may_exit, w->exited), w->exit_split);
	uint64_t serial = ++s->next_load;

	LMASK_EACH(t, &g->mask)
	{
		struct cell m = collective_mask_cell(s, w, &mask, t);
		struct cell key[2] = {cell_int(t / 32), m}, mine = cell_int(t);
		uint32_t act = lmask_warp(there, t / 32);
		uint32_t named = m.s ? act : (uint32_t)m.v & act;
		unsigned leader = named ? (unsigned)__builtin_ctz(named) : t & 31;

		if (m.s || g->unc || named & lmask_warp(&maybe, t / 32)) {
			lane_out_set(r, t,
				cell_sym(sym_make(&s->d, SYM_LOAD,
					serial << 16 | WHICH_ELECTED, key, 2,
					SYM_TAINT_MEM)));
			lane_out_set(p, t,
				cell_sym(sym_make(&s->d, SYM_LOAD,
					serial << 16 | (WHICH_ELECTED - 1), &mine, 1,
					SYM_BOOL | SYM_TAINT_MEM)));
			continue;
		}
		lane_out_set(r, t, cell_int(leader));
		lane_out_set(p, t, cell_int((t & 31) == leader));
	}
	lane_out_write(s, w, g, lane_out_dst(ins, 0), r);
	lane_out_write(s, w, g, lane_out_dst(ins, 1), p);
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

void
collective_results(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	if (ins->form->op == PTX_BAR_WARP_SYNC && s->memory) {
		struct val mask = collective_mask(s, w, g, ins);

		order_warps(s, w, &g->mask, there, &mask);
	}
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
	case PTX_REDUX: vote_results(s, w, g, ins, there); break;
	case PTX_ELECT: result_elect(s, w, g, ins, there); break;
	default: result_unknown(s, w, g, ins);
	}
}
