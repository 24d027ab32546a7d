/*
 * Masks that follow the lanes of a loop: mask = ballot(mask, p) and a branch on p, as in
 * look-back loops.  What a loop changes is widened to something unknown; but a register
 * that held the mask of the lanes at the head in every state that came back holds it
 * there in all, and so it is the list of the lanes that are at the head.
 */
#include "simt/mask.h"
#include "value/affine.h"

/* Which lanes a mask at a branch names. */
enum follows { FOLLOWS_NONE, FOLLOWS_ALL, FOLLOWS_TRUE, FOLLOWS_FALSE };

/* One mask for all lanes, or a partition of them. */
enum shape { SHAPE_ONE, SHAPE_MATCHED, SHAPE_ACTIVE };

/* One warp at the head of a loop. */
struct at_head {
	struct sim *s;
	struct world *w;
	const struct group *g;
	unsigned warp, lead; /* lead: the first of the lanes */
	uint32_t lanes;
	bool has_pred;
	struct cell pred[32];
};

static struct at_head
place_of(struct sim *s, struct world *w, const struct group *g, const struct val *pred,
	unsigned warp)
{
	struct at_head p = {.s = s, .w = w, .g = g, .warp = warp};

	p.lanes = lmask_warp(&g->mask, warp);
	p.lead = warp * 32 + (unsigned)__builtin_ctz(p.lanes);
	p.has_pred = pred->kind != VAL_NONE && pred->kind != VAL_AFFINE;
	for (unsigned l = 0; l < 32 && p.has_pred; l++)
		if (p.lanes >> l & 1)
			p.pred[l] = val_cell(&s->d, pred, warp * 32 + l);
	return p;
}

/* All warps of the group; how many. */
static unsigned
places_of(struct sim *s, struct world *w, const struct group *g, const struct val *pred,
	struct at_head p[WARPS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_warps; i++)
		if (lmask_warp(&g->mask, i))
			p[n++] = place_of(s, w, g, pred, i);
	return n;
}

static void
masks_of(const struct at_head *p, const struct val *v, struct cell c[32])
{
	for (unsigned l = 0; l < 32; l++)
		if (p->lanes >> l & 1)
			c[l] = collective_mask_cell(p->s, p->w, v, p->warp * 32 + l);
}

static enum follows
follows(const struct at_head *p, const struct cell c[32])
{
	struct mask_place q = {p->s, p->w, p->g, p->warp, NULL, true, true, NULL};

	if (mask_names(&q, p->lanes, c))
		return FOLLOWS_ALL;
	q.pred = p->pred;
	if (p->has_pred && mask_names(&q, p->lanes, c))
		return FOLLOWS_TRUE;
	q.when = false;
	if (p->has_pred && mask_names(&q, p->lanes, c))
		return FOLLOWS_FALSE;
	return FOLLOWS_NONE;
}

static enum shape
shape_of(const struct at_head *p, const struct cell c[32])
{
	unsigned lead = (unsigned)__builtin_ctz(p->lanes);
	enum shape r = SHAPE_ONE;
	enum mask_kind kind;

	for (unsigned l = lead; l < 32; l++) {
		if (!(p->lanes >> l & 1))
			continue;
		if (mask_class_kind(p->s, c[l], &kind) && kind == MASK_ACTIVE)
			return SHAPE_ACTIVE;
		if (!cell_eq(c[l], c[lead]) || !mask_is_plain(p->s, c[l]))
			r = SHAPE_MATCHED;
	}
	return r;
}

static bool
is_list(const struct sym *x)
{
	return x && (x->op == SYM_BALLOT || x->op == SYM_CLASS);
}

/* Else it holds no list. */
static bool
has_symbols(const struct val *v)
{
	return v->kind == VAL_SYM || (v->kind == VAL_LANES && v->l->s);
}

static bool
is_list_op(enum sym_op op)
{
	return op == SYM_BALLOT || op == SYM_CLASS || op == SYM_FOLLOWS;
}

/* The list that the first of the lanes holds, or what mask_loop_back made of it; else
 * NULL. */
static const struct sym *
lead_symbol(const struct at_head *p, const struct val *v)
{
	uint32_t s = v->kind == VAL_SYM ? v->s : has_symbols(v) ? v->l->s[p->lead] : 0;

	return s && is_list_op(sym_op(&p->s->d, s)) ? sym_of(&p->s->d, s) : NULL;
}

/* Of these places, those where lead_symbol finds one in the register: a bit for each. */
static uint32_t
holds_list(const struct at_head *p, unsigned n, const struct val *v)
{
	const struct domain *d = &p->s->d;
	uint32_t r = 0;

	if (v->kind == VAL_SYM)
		return is_list_op(sym_op(d, v->s)) ? UINT32_MAX : 0;
	for (unsigned i = 0; has_symbols(v) && i < n; i++) {
		uint32_t s = v->l->s[p[i].lead];

		if (s && is_list_op(sym_op(d, s)))
			r |= UINT32_C(1) << i;
	}
	return r;
}

/* A list that mask_loop_head made for this loop. */
static bool
is_followed(const struct at_head *p, const struct val *v, const struct entry *e,
	uint32_t slot)
{
	const struct sym *x = lead_symbol(p, v);

	return is_list(x) && x->widened_in == e->id && x->widened_slot == slot;
}

static void
put(struct sim *s, struct val *v, const struct at_head *p, const struct cell c[32])
{
	struct domain *d = &s->d;

	for (unsigned t = 0; t < d->n; t++) {
		struct cell x = val_cell(d, v, t);

		if (t / 32 == p->warp && p->lanes >> (t & 31) & 1)
			x = c[t & 31];
		d->tv[t] = x.v;
		d->ts[t] = x.s;
	}
	domain_work(d, d->n);
	*v = val_pack(d, d->tv, d->ts);
}

/* A register that came back holds a list, and not as at the head. */
static bool
may_follow(const struct at_head *p, const struct val *b, const struct entry *e,
	uint32_t slot)
{
	if (!is_list(lead_symbol(p, b)))
		return false;
	struct val h = world_get(e->head, slot);
	return h.kind != VAL_NONE &&
	       (!val_same(&p->s->d, b, &h) || is_followed(p, &h, e, slot));
}

static void
back_register(const struct at_head *p, const struct val *b, const struct entry *e,
	uint32_t slot)
{
	struct sim *s = p->s;
	struct cell c[32] = {{0}}, arg[3] = {cell_int(p->warp)};

	masks_of(p, b, c);
	arg[1] = cell_int(follows(p, c));
	if (cell_is(arg[1], FOLLOWS_NONE))
		return;
	arg[2] = cell_int(shape_of(p, c));
	struct cell x = cell_sym(sym_make(&s->d, SYM_FOLLOWS, e->id, arg, 3, 0));
	for (unsigned l = 0; l < 32; l++)
		c[l] = x;
	put(s, world_reg(s, p->w, slot), p, c);
}

void
mask_loop_back(struct sim *s, struct world *w, const struct group *g,
	const struct val *pred, const struct entry *e)
{
	struct at_head p[WARPS_MAX];
	unsigned n = places_of(s, w, g, pred, p);

	for (uint32_t k = 0; k < e->head->n_regs; k++) {
		struct val b = world_get(w, k);
		uint32_t lists = holds_list(p, n, &b);

		for (unsigned i = 0; lists && i < n; i++) {
			if (!(lists >> i & 1) || !may_follow(&p[i], &b, e, k))
				continue;
			back_register(&p[i], &b, e, k);
			b = world_get(w, k);
		}
	}
}

/* What all states that came back say of a register; shape: raised to theirs. */
static enum follows
all_follow(const struct at_head *p, const struct results *backs, const struct entry *e,
	uint32_t slot, enum shape *shape)
{
	enum follows r = FOLLOWS_NONE;

	for (size_t i = 0; i < backs->n; i++) {
		struct val b = world_get(backs->v[i].w, slot);
		const struct sym *x = lead_symbol(p, &b);

		if (!x || x->op != SYM_FOLLOWS || x->tag != e->id)
			return FOLLOWS_NONE;
		if (i && r != (enum follows)x->arg[1].v)
			return FOLLOWS_NONE;
		r = (enum follows)x->arg[1].v;
		if (x->arg[2].v > *shape)
			*shape = (enum shape)x->arg[2].v;
	}
	return r;
}

/* A fresh mask of the lanes at p, in the loop's name. */
static void
follow(const struct at_head *p, const struct entry *e, uint32_t slot, enum follows how,
	enum shape shape, struct val *v)
{
	struct sim *s = p->s;
	struct cell c[32] = {{0}}, sel[32];
	uint64_t serial = ++s->next_load;

	for (unsigned l = 0; l < 32; l++)
		sel[l] = how == FOLLOWS_ALL    ? cell_int(1)
			 : how == FOLLOWS_TRUE ? p->pred[l]
					       : cell_not(&s->d, p->pred[l]);
	uint32_t list = mask_list(s, p->w, p->g, p->warp, p->lanes, sel, serial);
	for (unsigned l = 0; l < 32; l++) {
		if (!(p->lanes >> l & 1))
			continue;
		c[l] = shape == SHAPE_ONE ? cell_sym(list)
					  : mask_class(s, list, p->warp * 32 + l, serial,
						    shape == SHAPE_ACTIVE ? MASK_ACTIVE
									  : MASK_MATCHED);
		sym_at(&s->d, c[l].s)->widened_in = e->id;
		sym_at(&s->d, c[l].s)->widened_slot = slot;
	}
	put(s, v, p, c);
}

/* It followed the lanes before, and one state that came back says it does not. */
static void
unfollow(const struct at_head *p, const struct entry *e, uint32_t slot, struct val *v)
{
	struct sim *s = p->s;
	uint32_t x = sym_fresh(&s->d, SYM_TAINT_MEM | SYM_TAINT_LOOP);
	struct cell c[32];

	sym_at(&s->d, x)->widened_in = e->id;
	sym_at(&s->d, x)->widened_slot = slot;
	for (unsigned l = 0; l < 32; l++)
		c[l] = cell_sym(x);
	put(s, v, p, c);
}

static struct world *
head_register(struct sim *s, const struct at_head *old, struct world *next,
	const struct results *backs, const struct entry *e, uint32_t pred_slot,
	uint32_t slot)
{
	struct val h = world_get(old->w, slot);

	if (h.kind == VAL_NONE || h.kind == VAL_AFFINE)
		return next;
	bool was = is_followed(old, &h, e, slot);
	enum shape shape = SHAPE_ONE;
	enum follows how = all_follow(old, backs, e, slot, &shape);
	if (how == FOLLOWS_NONE && !was)
		return next;
	struct cell c[32] = {{0}};
	masks_of(old, &h, c);
	enum shape own = shape_of(old, c);
	shape = own > shape ? own : shape;
	if (how != FOLLOWS_NONE && !was && follows(old, c) != how)
		how = FOLLOWS_NONE;
	if (how == FOLLOWS_NONE && !was)
		return next;
	if (how != FOLLOWS_NONE && !next)
		return next; /* as it was */
	next = next ? next : world_copy(s, old->w);
	if (how == FOLLOWS_NONE) {
		unfollow(old, e, slot, world_reg(s, next, slot));
		return next;
	}
	const struct val pred = world_get(next, pred_slot);
	struct at_head p =
		place_of(s, next, &next->run[next->n_run - 1], &pred, old->warp);
	follow(&p, e, slot, how, shape, world_reg(s, next, slot));
	return next;
}

struct world *
mask_loop_head(struct sim *s, const struct world *head, struct world *next,
	const struct results *backs, const struct entry *e, uint32_t pred_slot)
{
	const struct group *g = &head->run[head->n_run - 1];
	struct val pred = world_get(head, pred_slot);
	struct world *w = backs->n ? world_copy(s, head) : NULL;

	struct at_head old[WARPS_MAX];
	unsigned n = w ? places_of(s, w, g, &pred, old) : 0;

	for (uint32_t k = 0; n && k < head->n_regs; k++) {
		struct val h = world_get(head, k), b = world_get(backs->v[0].w, k);
		uint32_t lists = holds_list(old, n, &h) | holds_list(old, n, &b);

		for (unsigned i = 0; lists && i < n; i++)
			if (lists >> i & 1)
				next = head_register(
					s, &old[i], next, backs, e, pred_slot, k);
	}
	return next;
}
