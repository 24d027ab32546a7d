/* Merging worlds, and states of loops that cover every time round. */
#include "simt/memory.h"
#include "simt/stride.h"
#include "value/affine.h"

/* The facts of a that b does not have: how many, and the last. */
static uint32_t
facts_beyond(const struct world *a, const struct world *b, struct fact *last)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_path; i++) {
		bool found = false;

		for (uint32_t j = 0; j < b->n_path; j++)
			found = found || (b->path[j].sym == a->path[i].sym &&
						 b->path[j].is == a->path[i].is);
		if (found)
			continue;
		*last = a->path[i];
		n++;
	}
	return n;
}

/* Some other world may have ended where these two say nothing. */
static bool
leaves_out(const struct world *a, const struct world *b)
{
	struct fact x = {0}, y = {0};
	uint32_t n = facts_beyond(a, b, &x), m = facts_beyond(b, a, &y);

	return n && m && !(n == 1 && m == 1 && x.sym == y.sym);
}

static struct world *
merge_two(struct sim *s, struct world *a, struct world *b, struct cell p, uint32_t sym)
{
	struct world *w = world_copy(s, a);
	uint32_t n = a->n_regs > b->n_regs ? a->n_regs : b->n_regs, k = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct val x = world_get(a, i), y = world_get(b, i), pv = val_of_cell(p);

		if (val_same(&s->d, &x, &y))
			continue;
		if (memory_is_slot(s, i)) {
			*world_reg(s, w, i) = memory_merge(s, i, &pv, &x, &y);
			continue;
		}
		x = affine_forget(&s->d, &x);
		y = affine_forget(&s->d, &y);
		*world_reg(s, w, i) = val_phi(&s->d, &pv, &x, &y);
	}
	order_join(s, w, w, b);
	for (uint32_t i = 0; i < a->n_path; i++) {
		struct fact f = a->path[i];

		for (uint32_t j = 0; j < b->n_path; j++)
			if (b->path[j].sym == f.sym && b->path[j].is == f.is &&
				f.sym != sym) {
				w->path[k++] = f;
				break;
			}
	}
	w->n_path = k;
	w->partial = a->partial || b->partial || leaves_out(a, b);
	w->sure = a->sure && b->sure;
	w->may_exit = lmask_or(a->may_exit, b->may_exit);
	if (a->exits != b->exits)
		world_forget_stays(s, w);
	w->exit_split = lmask_or(a->exit_split, b->exit_split);
	w->exit_part = lmask_or(a->exit_part, b->exit_part);
	w->pending = lmask_or(a->pending, b->pending);
	w->taint = a->taint | b->taint;
	for (int i = 0; i < SYNC_KINDS; i++)
		sync_cover(&w->sync[i], &b->sync[i]);
	for (uint32_t i = 0; i < b->n_visit; i++)
		for (uint32_t j = 0; j < w->n_visit; j++)
			if (w->visit[j].frame == b->visit[i].frame &&
				w->visit[j].bb == b->visit[i].bb &&
				w->visit[j].n < b->visit[i].n)
				w->visit[j].n = b->visit[i].n;
	return w;
}

/* An unknown that says which of two worlds is real. */
static struct cell
which(struct sim *s, const struct world *a, const struct world *b)
{
	unsigned taint = (a->taint | b->taint) & SYM_TAINTS;

	return cell_sym(
		sym_fresh(&s->d, SYM_BOOL | (taint ? taint : (unsigned)SYM_TAINT_MEM)));
}

/* 1 or 0 if the path assumes the symbol true or false, -1 if neither. */
static int
path_is(const struct world *w, uint32_t sym)
{
	for (uint32_t i = 0; i < w->n_path; i++)
		if (w->path[i].sym == sym)
			return w->path[i].is;
	return -1;
}

struct world *
fork_merge_two(struct sim *s, struct world *a, struct world *b)
{
	return merge_two(s, a, b, which(s, a, b), 0);
}

void
fork_merge(struct sim *s, struct results *in, uint32_t sym, struct results *out)
{
	for (size_t i = 0; i < in->n; i++) {
		struct world *a = in->v[i].w;

		if (!a)
			continue;
		for (size_t j = i + 1; j < in->n; j++) {
			struct world *b = in->v[j].w;

			if (!b || !world_same_shape(s, a, b))
				continue;
			int pa = path_is(a, sym), pb = path_is(b, sym);
			if (sym && in->n == 2 && pa >= 0 && pb >= 0 && pa != pb) {
				a = merge_two(
					s, pa ? a : b, pa ? b : a, cell_sym(sym), sym);
			} else {
				struct cell p = which(s, a, b);

				a = merge_two(s, a, b, p, 0);
			}
			in->v[j].w = NULL;
		}
		results_add(s, out, OUT_DONE, NULL, a);
	}
}

/* ---- widening ---- */

static bool
is_widened(const struct sim *s, struct cell c, const struct entry *e, uint32_t slot)
{
	const struct sym *x;

	if (!c.s ||
		(sym_op(&s->d, c.s) != SYM_FRESH && sym_op(&s->d, c.s) != SYM_BALLOT &&
			sym_op(&s->d, c.s) != SYM_CLASS))
		return false;
	x = sym_of(&s->d, c.s);
	return x->widened_in == e->id && x->widened_slot == slot;
}

static struct cell
widened(struct sim *s, const struct entry *e, uint32_t slot, unsigned flags)
{
	uint32_t x = sym_fresh(&s->d, flags | SYM_TAINT_LOOP);

	sym_at(&s->d, x)->widened_in = e->id;
	sym_at(&s->d, x)->widened_slot = slot;
	return cell_sym(x);
}

static unsigned
undefined_of(const struct sim *s, struct cell a, struct cell b)
{
	unsigned f = a.s ? sym_flags(&s->d, a.s) : 0;

	f |= b.s ? sym_flags(&s->d, b.s) : 0;
	return f & SYM_KEPT;
}

static bool
is_div(const struct sim *s, const struct val *v)
{
	return v->kind == VAL_SYM && (sym_flags(&s->d, v->s) & SYM_DIV);
}

/* Old and new content of lanes, and the symbol that stands for both. */
struct pair {
	struct cell old, now;
	uint32_t sym;
	bool several; /* the old content has become something else elsewhere, too */
};

/* Pairs, each once: found by the old content alone, or by both. */
struct pairs {
	bool both;
	struct pair *v;
	unsigned n;
	uint16_t slot[2 * LANES_MAX]; /* index + 1 */
};

static struct pairs *
pairs_new(struct sim *s, bool both)
{
	struct pairs *p = sim_alloc(s, 1, sizeof *p);

	p->both = both;
	p->v = sim_alloc(s, s->d.n, sizeof *p->v);
	return p;
}

static struct pair *
pair_of(struct pairs *p, struct cell old, struct cell now, bool *added)
{
	uint64_t h = (old.v ^ (uint64_t)old.s << 32) * UINT64_C(0x9e3779b97f4a7c15);

	if (p->both)
		h = (h ^ h >> 29 ^ now.v ^ (uint64_t)now.s << 32) *
		    UINT64_C(0xff51afd7ed558ccd);
	unsigned k = (unsigned)(h >> 32) % (2 * LANES_MAX);
	for (; p->slot[k]; k = (k + 1) % (2 * LANES_MAX)) {
		struct pair *x = &p->v[p->slot[k] - 1];

		if (cell_eq(x->old, old) && (!p->both || cell_eq(x->now, now))) {
			*added = false;
			return x;
		}
	}
	*added = true;
	p->v[p->n] = (struct pair){old, now, 0, false};
	p->slot[k] = (uint16_t)(p->n + 1);
	return &p->v[p->n++];
}

/* What each symbol of ours has become; NULL if there are none. */
static struct pairs *
own_pairs(struct sim *s, const struct entry *e, uint32_t slot, const struct val *h,
	const struct val *b)
{
	struct pairs *own = NULL;

	for (unsigned t = 0; t < s->d.n; t++) {
		struct cell x = val_cell(&s->d, h, t), y = val_cell(&s->d, b, t);
		bool added;

		if (!is_widened(s, x, e, slot))
			continue;
		own = own ? own : pairs_new(s, false);
		struct pair *p = pair_of(own, x, y, &added);
		p->several = p->several || !cell_eq(p->now, y);
	}
	return own;
}

/* The neighbours have other contents than lane t. */
static bool
is_alone(struct domain *d, const struct val *h, const struct val *b, unsigned t)
{
	struct cell x = val_cell(d, h, t), y = val_cell(d, b, t);

	for (unsigned k = t ? t - 1 : t + 1; k <= t + 1 && k < d->n; k += 2)
		if (cell_eq(x, val_cell(d, h, k)) && cell_eq(y, val_cell(d, b, k)))
			return false;
	return true;
}

/* Lanes that were equal in both states stay equal: one fresh symbol for each class. */
static struct val
widen_lanes(struct sim *s, const struct entry *e, uint32_t slot, const struct val *h,
	const struct val *b)
{
	struct domain *d = &s->d;
	struct pairs *own = own_pairs(s, e, slot, h, b), *seen = NULL;
	uint64_t *v = sim_alloc(s, d->n, sizeof *v);
	uint32_t *sy = sim_alloc(s, d->n, sizeof *sy);

	domain_work(d, 2 * (uint64_t)d->n);
	sym_lanes_begin(d);
	for (unsigned t = 0; t < d->n; t++) {
		struct cell x = val_cell(d, h, t), y = val_cell(d, b, t);
		bool added;

		v[t] = x.v;
		sy[t] = x.s;
		if (cell_eq(x, y) || (is_widened(s, x, e, slot) &&
					     !pair_of(own, x, y, &added)->several))
			continue;
		seen = seen ? seen : pairs_new(s, true);
		struct pair *p = pair_of(seen, x, y, &added);
		sym_lanes_at(d, t, is_alone(d, h, b, t));
		if (added)
			p->sym = widened(s, e, slot, undefined_of(s, x, y)).s;
		v[t] = 0;
		sy[t] = p->sym;
	}
	sym_lanes_end(d);
	return seen ? val_pack(d, v, sy) : *h;
}

/* What the register may hold at the loop's head, given the old and a new content. */
static struct val
widen_value(struct sim *s, const struct entry *e, uint32_t slot, const struct val *head,
	const struct val *back)
{
	struct domain *d = &s->d;
	struct val h = affine_forget(d, head), b = affine_forget(d, back);

	if (val_same(d, head, back) || val_same(d, &h, &b) || b.kind == VAL_NONE ||
		h.kind == VAL_NONE)
		return *head;
	if (is_div(s, &h))
		return is_widened(s, cell_sym(h.s), e, slot)
			       ? h
			       : val_of_cell(widened(s, e, slot,
					 SYM_DIV |
						 ((val_taint(d, &h) | val_taint(d, &b)) &
							 SYM_KEPT)));
	if (h.kind == VAL_LANES || b.kind == VAL_LANES)
		return widen_lanes(s, e, slot, &h, &b);
	if (is_div(s, &b))
		return val_of_cell(
			widened(s, e, slot, SYM_DIV | (val_taint(d, &b) & SYM_KEPT)));
	bool boolean = sym_is_bool(d, val_flat(&h)) && sym_is_bool(d, val_flat(&b));
	if (is_widened(s, val_flat(&h), e, slot) &&
		(boolean || !sym_is_bool(d, val_flat(&h))))
		return h; /* still one for all lanes */
	return val_of_cell(widened(s, e, slot,
		(boolean ? (unsigned)SYM_BOOL : 0) |
			undefined_of(s, val_flat(&h), val_flat(&b))));
}

/* A register at the head that covers what came back. */
static struct val
widen_slot(struct sim *s, const struct entry *e, uint32_t slot, const struct val *head,
	const struct results *backs, struct val *back, struct agreement *agree)
{
	struct val h = affine_forget(&s->d, head), v = *head;
	bool same = true, counts;

	for (size_t k = 0; k < backs->n; k++) {
		struct val b = world_get(backs->v[k].w, slot);

		/* a word that is not known at the end is not at the head */
		if (b.kind == VAL_NONE && memory_is_slot(s, slot))
			return b;
		same = same && val_same(&s->d, head, &b);
		back[k] = affine_forget(&s->d, &b);
	}
	if (same && !agree)
		return v;
	counts = !same && stride_widen(s, e, slot, &h, backs, back, &v);
	if (counts && (!agree || agree_leaves(s, e, &v)))
		return val_same(&s->d, &v, &h) ? *head : v;
	v = *head;
	for (size_t k = 0; k < backs->n; k++) {
		struct val b = world_get(backs->v[k].w, slot), x;

		v = agree && agree_widen(s, agree, e, slot, (uint32_t)k, &v, &b, &x)
			    ? x
			    : widen_value(s, e, slot, &v, &b);
	}
	return v;
}

/* The head that covers itself and the states that came back; NULL: it did already. */
struct world *
fork_widen(struct sim *s, const struct world *head, const struct results *backs,
	const struct entry *e)
{
	struct world *w = world_copy(s, head);
	struct val *back = sim_alloc(s, backs->n, sizeof *back);
	struct agreement *agree = s->memory ? agree_begin(s) : NULL;
	bool changed = false;

	for (uint32_t i = 0; i < head->n_regs; i++) {
		const struct val *v = &head->regs[i];

		if (v->kind == VAL_NONE)
			continue;
		w->regs[i] = widen_slot(s, e, i, v, backs, back, agree);
		changed = changed || !val_same(&s->d, &w->regs[i], v);
	}
	for (size_t k = 0; k < backs->n; k++) {
		const struct world *b = backs->v[k].w;

		if (b->exits != head->exits && head->exits_in != e->id) {
			changed = true;
			world_forget_stays(s, w);
			w->exits_in = e->id;
		}
		changed = changed || lmask_exceeds(&b->may_exit, &w->may_exit) ||
			  lmask_exceeds(&b->exit_split, &w->exit_split) ||
			  lmask_exceeds(&b->exit_part, &w->exit_part);
		w->may_exit = lmask_or(w->may_exit, b->may_exit);
		w->exit_split = lmask_or(w->exit_split, b->exit_split);
		w->exit_part = lmask_or(w->exit_part, b->exit_part);
		w->taint |= b->taint;
		changed = order_join(s, w, w, b) || changed;
		for (int i = 0; i < SYNC_KINDS; i++) {
			bool more = b->sync[i].most > w->sync[i].most;

			/* once round or often */
			w->sync[i].most = more ? UINT32_MAX : w->sync[i].most;
			changed = changed || more;
		}
	}
	return changed ? w : NULL;
}

/* The lanes that came back uncertain stay so at the head: a generic condition, the same
 * for a warp that always came back as a whole. */
const struct unc *
fork_loop_condition(struct sim *s, const struct unc *base, const struct lmask *who,
	const struct lmask *split)
{
	struct domain *d = &s->d;
	uint64_t *v = sim_alloc(s, d->n, sizeof *v);
	uint32_t *sy = sim_alloc(s, d->n, sizeof *sy);
	uint32_t div = sym_fresh(d, SYM_DIV | SYM_BOOL | SYM_TAINT_LOOP), warp = 0;

	for (unsigned t = 0; t < d->n; t++) {
		if (t % 32 == 0)
			warp = sym_fresh(d, SYM_BOOL | SYM_TAINT_LOOP);
		sy[t] = lmask_has(split, t) ? cell_lane(d, cell_sym(div), t).s : warp;
	}
	struct val pred = val_pack(d, v, sy);
	return unc_push(s, base, &pred, true, who);
}
