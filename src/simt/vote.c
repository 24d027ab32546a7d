/*
 * What lanes get from vote, redux and match.  Each result is of the lanes that a mask
 * names, so the lanes of a warp are taken together by their masks.
 */
#include "simt/lane_out.h"
#include "simt/mask.h"
#include "value/affine.h"

/* Lanes of one warp that vote, and their masks. */
struct voters {
	struct sim *s;
	struct world *w;
	const struct group *g;
	const struct ptx_ins *ins;
	unsigned warp;
	uint64_t serial;
	struct cell mask[32], v[32];
	struct cell out[32], pred[32]; /* results */
};

/* Results that are not known but one for all these lanes; mask: a part of the identity.
 */
static struct cell
unknown(const struct voters *k, unsigned which, struct cell mask, unsigned flags)
{
	struct cell arg[2] = {cell_int(k->warp), mask};

	return cell_sym(sym_make(&k->s->d, SYM_LOAD, k->serial << 16 | which, arg, 2,
		flags | SYM_TAINT_MEM));
}

enum { WHICH_VALUE = 0xfffb, WHICH_PRED = 0xfff9 };

static void
give(struct voters *k, uint32_t lanes, struct cell c)
{
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1)
			k->out[l] = c;
}

static unsigned
taint_of(const struct voters *k, uint32_t lanes)
{
	unsigned f = 0;

	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1 && k->v[l].s)
			f |= sym_flags(&k->s->d, k->v[l].s) & SYM_TAINTS;
	return f;
}

static struct cell
vote_known(enum ptx_sub op, const struct cell *v, uint32_t lanes)
{
	uint32_t yes = 0;

	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1 && v[l].v & 1)
			yes |= UINT32_C(1) << l;
	switch ((int)op) {
	case PTX_SUB_BALLOT: return cell_int(yes);
	case PTX_SUB_ALL: return cell_int(yes == lanes);
	case PTX_SUB_ANY: return cell_int(yes != 0);
	default: return cell_int(yes == 0 || yes == lanes);
	}
}

/* What voters of one mind find; false: they are not. */
static bool
vote_same(const struct voters *k, uint32_t lanes, struct cell *r)
{
	unsigned lead = (unsigned)__builtin_ctz(lanes);

	for (unsigned l = lead; l < 32; l++)
		if (lanes >> l & 1 && !cell_eq(k->v[l], k->v[lead]))
			return false;
	*r = k->ins->form->sub == PTX_SUB_UNI ? cell_int(1) : k->v[lead];
	return true;
}

/* here: who votes is known.  One mask for all. */
static struct cell
vote_unknown(const struct voters *k, uint32_t lanes, bool here)
{
	struct cell x[32], r;
	uint32_t n = 0;

	bool same = vote_same(k, lanes, &r);

	if (k->ins->form->sub == PTX_SUB_BALLOT && same && here)
		return cell_phi(&k->s->d, r, cell_int(lanes), cell_int(0));
	if (k->ins->form->sub == PTX_SUB_BALLOT)
		return cell_sym(mask_list(k->s, k->w, k->g, k->warp, lanes, k->v, 0));
	if (same)
		return r;
	if (!here)
		return unknown(
			k, WHICH_VALUE, cell_int(lanes), SYM_BOOL | taint_of(k, lanes));
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1)
			x[n++] = k->v[l];
	return cell_sym(sym_make(&k->s->d, SYM_VOTE, k->ins->form->sub, x, n, SYM_BOOL));
}

static bool
redux_known(
	const struct ptx_form *f, const struct cell *v, uint32_t lanes, struct cell *out)
{
	enum ptx_type t = f->n_types ? f->type[0] : PTX_T_NONE;
	bool is_signed = t == PTX_T_s32, first = true;
	int64_t r = 0;

	if (t != PTX_T_s32 && t != PTX_T_u32 && t != PTX_T_b32)
		return false;
	for (unsigned l = 0; l < 32; l++) {
		if (!(lanes >> l & 1))
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

/* ---- match ---- */

/* Lanes find those with the same value: known values, or the classes of a partition. */
static void
match_any(struct voters *k, uint32_t lanes, bool known, bool here)
{
	uint32_t list = known ? 0 : mask_list(k->s, k->w, k->g, k->warp, lanes, NULL, 0);
	struct cell one;

	if (!known && vote_same(k, lanes, &one)) {
		give(k, lanes, here ? cell_int(lanes) : cell_sym(list));
		return;
	}
	for (unsigned l = 0; l < 32; l++) {
		uint32_t same = 0;

		if (!(lanes >> l & 1))
			continue;
		for (unsigned i = 0; known && i < 32; i++)
			if (lanes >> i & 1 && k->v[i].v == k->v[l].v)
				same |= UINT32_C(1) << i;
		k->out[l] = known ? cell_int(same)
				  : mask_class(k->s, list, k->warp * 32 + l, k->serial,
					    MASK_MATCHED);
	}
}

/* The lanes that are left of the mask where all have the same value, or 0. */
static void
match_all(struct voters *k, unsigned l, struct cell mask, struct cell same)
{
	k->pred[l] = same;
	k->out[l] = cell_phi(&k->s->d, same, mask, cell_int(0));
}

/* here: all lanes come for sure. */
static void
match_all_of(struct voters *k, uint32_t lanes, bool known, bool here)
{
	struct cell same, one;

	if (vote_same(k, lanes, &one))
		same = cell_int(1);
	else
		same = known ? cell_int(0)
			     : unknown(k, WHICH_PRED, cell_int(lanes),
				       SYM_BOOL | taint_of(k, lanes));
	for (unsigned l = 0; l < 32; l++) {
		struct cell left = k->mask[l];

		if (!(lanes >> l & 1))
			continue;
		/* a number may name lanes that are gone */
		if (!left.s)
			left = here ? cell_int(lanes)
				    : unknown(k, WHICH_VALUE, cell_int(lanes),
					      taint_of(k, lanes) | SYM_TAINT_MEM);
		match_all(k, l, left, same);
	}
}

/* ---- by mask ---- */

/* Lanes with one mask: these of them are in it.  alone: it names nobody else. */
static void
vote_one_mask(struct voters *k, uint32_t lanes, bool alone)
{
	struct lmask m = lmask_of_warp(k->warp, lanes);
	struct lmask maybe = lmask_and(k->w->may_exit, k->w->exit_split);
	bool here = alone && unc_same(k->s, k->g, &m) && !lmask_meets(&maybe, &m);
	bool known = here;
	const struct ptx_form *f = k->ins->form;
	struct cell r;

	for (unsigned l = 0; l < 32; l++)
		known = known && (!(lanes >> l & 1) || !k->v[l].s);
	if (alone && f->op == PTX_MATCH && f->sub == PTX_SUB_ANY)
		match_any(k, lanes, known, here);
	else if (alone && f->op == PTX_MATCH)
		match_all_of(k, lanes, known, here);
	else if (alone && f->op == PTX_VOTE)
		give(k, lanes,
			known ? vote_known(f->sub, k->v, lanes)
			      : vote_unknown(k, lanes, here));
	else if (alone && known && redux_known(f, k->v, lanes, &r))
		give(k, lanes, r);
	else
		give(k, lanes,
			unknown(k, WHICH_VALUE, cell_int(lanes), taint_of(k, lanes)));
}

/* Lanes whose masks part them in a way that is not known: each class has results of its
 * own, which a lane's mask stands for. */
static void
vote_classes(struct voters *k, uint32_t lanes)
{
	const struct ptx_form *f = k->ins->form;
	bool ballot = f->op == PTX_VOTE && f->sub == PTX_SUB_BALLOT;
	bool match = f->op == PTX_MATCH && f->sub == PTX_SUB_ANY;
	unsigned flags =
		taint_of(k, lanes) | (f->op == PTX_VOTE ? (unsigned)SYM_BOOL : 0);
	uint32_t list = ballot || match ? mask_list(k->s, k->w, k->g, k->warp, lanes,
						  ballot ? k->v : NULL, 0)
					: 0;
	struct cell r;

	for (unsigned l = 0; l < 32; l++) {
		enum mask_kind kind = MASK_MATCHED;

		if (!(lanes >> l & 1))
			continue;
		mask_class_kind(k->s, k->mask[l], &kind);
		if (ballot || match)
			k->out[l] =
				mask_class(k->s, list, k->warp * 32 + l, k->serial, kind);
		else if (f->op == PTX_VOTE && vote_same(k, lanes, &r))
			k->out[l] = r;
		else if (f->op == PTX_MATCH)
			match_all(k, l, k->mask[l],
				unknown(k, WHICH_PRED, k->mask[l], flags | SYM_BOOL));
		else
			k->out[l] = unknown(k, WHICH_VALUE, k->mask[l], flags);
	}
}

/* Lanes of `left` that have the mask of lane `lead`. */
static uint32_t
same_mask(const struct voters *k, uint32_t left, unsigned lead)
{
	uint32_t r = 0;

	for (unsigned l = lead; l < 32; l++)
		if (left >> l & 1 && cell_eq(k->mask[l], k->mask[lead]))
			r |= UINT32_C(1) << l;
	return r;
}

static void
vote_warp(struct voters *k, uint32_t act, uint32_t others)
{
	struct lmask alive = world_alive(k->s, k->w);
	uint32_t left = act, classes = 0, live = lmask_warp(&alive, k->warp);

	for (unsigned l = 0; l < 32; l++)
		if (act >> l & 1 && k->mask[l].s && !mask_is_plain(k->s, k->mask[l]))
			classes |= UINT32_C(1) << l;
	if (classes)
		vote_classes(k, classes);
	left &= ~classes;
	while (left) {
		unsigned lead = (unsigned)__builtin_ctz(left);
		uint32_t same = same_mask(k, left, lead), in = same, more = others;

		if (!k->mask[lead].s) {
			in &= (uint32_t)k->mask[lead].v;
			give(k, same & ~in, cell_sym(sym_fresh(&k->s->d, SYM_TAINT_MEM)));
			more = (uint32_t)k->mask[lead].v & live & ~same;
		}
		left &= ~same;
		if (in)
			vote_one_mask(k, in, !more);
	}
}

void
vote_results(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	struct val src = step_read(s, w, g, ptx_operand(ins, 1)),
		   mask = collective_mask(s, w, g, ins);
	struct lane_out *r = lane_out_begin(s, 0), *p = lane_out_begin(s, 1);
	struct voters k = {s, w, g, ins, 0, ++s->next_load, {{0}}, {{0}}, {{0}}, {{0}}};

	struct cell any = cell_sym(sym_fresh(&s->d, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM));
	bool preds = lane_out_dst(ins, 1) != NULL;

	src = affine_forget(&s->d, &src);
	domain_work(&s->d, 2 * (uint64_t)s->d.n);
	for (k.warp = 0; k.warp < s->n_warps; k.warp++) {
		uint32_t act = lmask_warp(&g->mask, k.warp);

		if (!act)
			continue;
		for (unsigned l = 0; l < 32; l++) {
			unsigned t = k.warp * 32 + l;

			if (!(act >> l & 1))
				continue;
			k.v[l] = branch_resolve(s, w, val_cell(&s->d, &src, t));
			k.mask[l] = collective_mask_cell(s, w, &mask, t);
			if (preds)
				k.pred[l] = cell_lane(&s->d, any, t);
		}
		vote_warp(&k, act, lmask_warp(there, k.warp) & ~act);
		for (unsigned l = 0; l < 32; l++)
			if (act >> l & 1) {
				lane_out_set(r, k.warp * 32 + l, k.out[l]);
				if (preds)
					lane_out_set(p, k.warp * 32 + l, k.pred[l]);
			}
	}
	lane_out_write(s, w, g, lane_out_dst(ins, 0), r);
	lane_out_write(s, w, g, lane_out_dst(ins, 1), p);
}
