/* What each lane gets from a warp collective. */
#include "gate/affine.h"
#include "gate/simt.h"

/* ---- collective_results ---- */

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
	struct val mask = collective_mask(s, w, g, ins);
	struct lane_out *r = sim_alloc(s, 1, sizeof *r), *p = sim_alloc(s, 1, sizeof *p);
	struct lmask bad = {{0}};
	uint64_t serial = ++s->next_load;

	a = affine_forget(d, &a);
	bool flat = val_uniform(d, &a);
	LMASK_EACH(t, &g->mask)
	{
		struct cell x = val_cell(d, &b, t), y = val_cell(d, &c, t);
		struct cell m = collective_mask_cell(s, w, &mask, t);
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
		if (from.in_range && !here)
			lmask_add(&bad, t);
		if (here && lmask_has(&g->mask, src))
			out_set(r, t, val_cell(d, &a, src));
		else if (!from.in_range)
			out_set(r, t, val_cell(d, &a, t));
		else
			out_set(r, t, undefined_cell(s, g, ins, t));
	}
	domain_work(d, 2 * (uint64_t)d->n);
	if (!lmask_empty(&bad) && !s->trace) {
		struct breach_lanes l = {.waits = g->mask, .absent = bad};

		breach_add(s, w, g, RULE_SHFL_ABSENT, ins, 0, &l,
			"a lane that does not take part is read by %s: the value is "
			"undefined",
			breach_lanes_text(s, &bad));
	}
	write_out(s, w, g, dst_part(ins, 0), r);
	write_out(s, w, g, dst_part(ins, 1), p);
}

static struct cell
normal(struct sim *s, struct cell c)
{
	if (!c.s)
		return cell_int(1);
	if (sym_op(&s->d, c.s) == SYM_NOT)
		return (struct cell){0, sym_operand(&s->d, c.s, 0).s};
	return (struct cell){1, c.s};
}

static struct cell
ballot_unknown(struct sim *s, struct world *w, const struct group *g, unsigned warp,
	const struct cell *v, uint32_t act)
{
	struct cell key[BALLOT_MAX], cond[UNC_KEY_MAX];
	uint32_t n = 0;

	for (unsigned l = 0; l < 32; l++) {
		unsigned k;

		if (!(act >> l & 1) || cell_is(v[l], 0))
			continue;
		k = unc_key(s, g, warp * 32 + l, cond, UNC_KEY_MAX - 1);
		cond[k] = normal(s, v[l]);
		n = collective_add_key(s, w, key, n, l, cond, k + 1);
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
	struct cell r = {0}, arg[2] = {cell_int(warp), cell_int(act)};
	bool any_match = ins->form->op == PTX_MATCH && ins->form->sub == PTX_SUB_ANY;
	unsigned flags = SYM_TAINT_MEM;

	for (unsigned l = 0; l < 32; l++) {
		known = known && (!(act >> l & 1) || !v[l].s);
		if (act >> l & 1 && v[l].s)
			flags |= sym_flags(&s->d, v[l].s) & SYM_TAINTS;
	}
	if (g->unc) {
		/* lanes that are only possibly here count only if all are under one
		 * condition */
		struct lmask m = lmask_of_warp(warp, act);

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
			sym_make(&s->d, SYM_LOAD, serial << 16 | 0xfffb, arg, 2, flags));
	}
	for (unsigned l = 0; l < 32; l++)
		lane[l] = r;
}

/* Who votes with lane `first`: the lanes of `left` with its mask; *all: nobody else does.
 */
static uint32_t
voters(struct sim *s, struct world *w, const struct val *mask, unsigned warp,
	uint32_t left, uint32_t there, bool *all)
{
	unsigned first = (unsigned)__builtin_ctz(left);
	struct cell c = collective_mask_cell(s, w, mask, warp * 32 + first);
	struct lmask alive = world_alive(s, w);
	uint32_t same = 0, others;

	for (unsigned l = first; l < 32; l++)
		if (left >> l & 1 &&
			cell_eq(c, collective_mask_cell(s, w, mask, warp * 32 + l)))
			same |= UINT32_C(1) << l;
	others = c.s ? there : (uint32_t)c.v & lmask_warp(&alive, warp);
	*all = !(others & ~same);
	return same;
}

static void
result_sources(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	struct val src = step_read(s, w, g, ptx_operand(ins, 1));
	struct val mask = collective_mask(s, w, g, ins);
	struct lane_out *r = sim_alloc(s, 1, sizeof *r);
	uint64_t serial = ++s->next_load;
	bool truth = ins->form->op == PTX_VOTE && ins->form->sub != PTX_SUB_BALLOT;
	unsigned flags = SYM_TAINT_MEM | (truth ? (unsigned)SYM_BOOL : 0);

	src = affine_forget(&s->d, &src);
	domain_work(&s->d, s->d.n);
	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t act = lmask_warp(&g->mask, i), left = act, same;
		struct cell v[32] = {{0}}, lane[32] = {{0}};
		bool all;

		for (unsigned l = 0; l < 32; l++)
			if (act >> l & 1)
				v[l] = branch_resolve(
					s, w, val_cell(&s->d, &src, i * 32 + l));
		for (; left; left &= ~same) {
			same = voters(s, w, &mask, i, left, lmask_warp(there, i), &all);
			if (all)
				result_warp(s, w, g, ins, i, v, same, serial, lane);
			for (unsigned l = 0; l < 32; l++)
				if (same >> l & 1)
					out_set(r, i * 32 + l,
						all ? lane[l]
						    : cell_sym(sym_fresh(&s->d, flags)));
		}
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
result_elect(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there)
{
	struct val mask = collective_mask(s, w, g, ins);
	struct lane_out *r = sim_alloc(s, 1, sizeof *r), *p = sim_alloc(s, 1, sizeof *p);

	LMASK_EACH(t, &g->mask)
	{
		struct cell m = collective_mask_cell(s, w, &mask, t), lane = cell_int(t);
		uint32_t act = lmask_warp(there, t / 32);
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
	case PTX_REDUX: result_sources(s, w, g, ins, there); break;
	case PTX_ELECT: result_elect(s, w, g, ins, there); break;
	default: result_unknown(s, w, g, ins);
	}
}
