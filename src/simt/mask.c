#include "simt/mask.h"

#include "simt/truth.h"

enum {
	NODES_MAX = 512,
	SPLITS_MAX = 5,
	NO_LANE = 255,
	LIST_MAX = 3 + 32 * (UNC_KEY_MAX + 1),
	FACTS_MAX = 2 * UNC_KEY_MAX,
	CONDITIONS_MAX = 2 * UNC_KEY_MAX,
};

/* ---- making ---- */

static struct cell
normal(struct sim *s, struct cell c)
{
	return sym_op(&s->d, c.s) == SYM_NOT
		       ? (struct cell){0, sym_operand(&s->d, c.s, 0).s}
		       : (struct cell){1, c.s};
}

uint32_t
mask_list(struct sim *s, const struct world *w, const struct group *g, unsigned warp,
	uint32_t lanes, const struct cell *v, uint64_t mark)
{
	struct cell key[LIST_MAX], cond[UNC_KEY_MAX];
	uint32_t n = 0;

	if (mark || w->exits) {
		key[n++] = cell_int(2 << 8 | NO_LANE);
		key[n++] = cell_int(w->exits);
		key[n++] = cell_int(mark);
	}
	for (unsigned l = 0; l < 32; l++) {
		uint32_t at = n, k = 0, have;

		if (!(lanes >> l & 1) || (v && cell_is(v[l], 0)))
			continue;
		have = g->unc ? unc_key(s, g, warp * 32 + l, cond, UNC_KEY_MAX - 1) : 0;
		if (v && v[l].s)
			cond[have++] = normal(s, v[l]);
		n++;
		for (uint32_t i = 0; i < have; i++)
			if (cond[i].s) {
				key[n++] = cond[i];
				k++;
			}
		key[at] = cell_int((uint64_t)k << 8 | l);
	}
	return sym_make(&s->d, SYM_BALLOT, warp, key, n, 0);
}

struct cell
mask_class(struct sim *s, uint32_t list, unsigned t, uint64_t serial, enum mask_kind kind)
{
	struct cell key[3] = {cell_int(t), cell_sym(list), cell_int(kind)};

	return cell_sym(sym_make(&s->d, SYM_CLASS, serial, key, 3, SYM_TAINT_MEM));
}

bool
mask_class_kind(const struct sim *s, struct cell c, enum mask_kind *kind)
{
	if (!c.s || sym_op(&s->d, c.s) != SYM_CLASS)
		return false;
	*kind = (enum mask_kind)sym_operand(&s->d, c.s, 2).v;
	return true;
}

/* ---- exactly the lanes that are here ---- */

/* Values of two lanes, and the lanes. */
struct both {
	unsigned lane[2];
	uint64_t part; /* the partition */
};

/* Alike but for the class that each lane is in: lanes of one class find the same. */
static bool
same_but_class(const struct domain *d, const struct both *of, struct cell a,
	struct cell b, unsigned depth)
{
	const struct sym *x, *y;

	if (cell_eq(a, b))
		return true;
	if (!a.s || !b.s || a.v != b.v || depth > 8)
		return false;
	x = sym_of(d, a.s);
	y = sym_of(d, b.s);
	if (x->op != y->op || x->tag != y->tag || x->n != y->n || x->n == 0 || x->n > 8)
		return false;
	if (x->op == SYM_CLASS)
		return x->tag == of->part && cell_eq(x->arg[1], y->arg[1]) &&
		       x->arg[0].v == of->lane[0] && y->arg[0].v == of->lane[1];
	for (uint32_t i = 0; i < x->n; i++)
		if (!same_but_class(d, of, x->arg[i], y->arg[i], depth + 1))
			return false;
	return true;
}

/* A condition of g that all these lanes are under alike says nothing of who is here: they
 * all are, or none. */
static bool
is_common(const struct mask_place *q, const struct unc *u, uint32_t lanes, uint64_t part)
{
	struct domain *d = &q->s->d;
	unsigned lead = q->warp * 32 + (unsigned)__builtin_ctz(lanes);
	struct cell a = val_cell(d, &u->pred, lead), b;

	if (lanes & ~lmask_warp(&u->who, q->warp))
		return false;
	for (unsigned l = 0; l < 32; l++) {
		struct both of = {{lead, q->warp * 32 + l}, part};

		if (!(lanes >> l & 1))
			continue;
		b = val_cell(d, &u->pred, of.lane[1]);
		if (!cell_eq(a, b) && !(part && same_but_class(d, &of, a, b, 0)))
			return false;
	}
	domain_work(d, 32);
	return true;
}

/* The conditions of g that lanes have each for themselves; the others go to k.  False:
 * those cannot all hold, so nobody comes. */
static bool
own_conditions(const struct mask_place *q, uint32_t lanes, uint64_t part, struct truth *k,
	const struct unc **own, unsigned *n)
{
	unsigned lead = q->warp * 32 + (unsigned)__builtin_ctz(lanes);

	*n = 0;
	for (const struct unc *u = q->g->unc; u; u = u->up) {
		struct cell c = val_cell(&q->s->d, &u->pred, lead);

		if (!(lmask_warp(&u->who, q->warp) & lanes))
			continue;
		if (!is_common(q, u, lanes, part)) {
			if (*n == UNC_KEY_MAX)
				domain_stop(&q->s->d, STOP_BUDGET, "nesting");
			own[(*n)++] = u;
			continue;
		}
		if (!is_common(q, u, lanes, 0))
			continue;
		c = truth_value(k, c);
		if (!c.s && (c.v & 1) != u->when)
			return false;
		if (!c.s)
			continue;
		c = normal(q->s, c);
		c.v = (c.v & 1) == u->when;
		truth_add(k, c);
	}
	return true;
}

/* Conditions that say whether a lane is here: of the group, and, where those that are
 * gone count, on which it would have exited since the mask was made. */
struct presence {
	const struct mask_place *q;
	struct truth facts;
	const struct unc *own[UNC_KEY_MAX];
	unsigned n_own;
	const struct stay *since; /* exits after the mask was made: up to this one */
	const struct cell *sel;   /* by lane, or NULL: it comes when this is `when` */
	bool when;
};

/* One condition more: false if it is known not to hold. */
static bool
add_condition(struct truth *k, struct cell c, bool is, struct cell *cond, unsigned *n)
{
	c = truth_value(k, c);
	if (!c.s)
		return (c.v & 1) == is;
	c = normal(k->s, c);
	c.v = (c.v & 1) == is;
	truth_add(k, c);
	cond[(*n)++] = c;
	return true;
}

/* The conditions of a lane.  False: one is known not to hold. */
static bool
lane_conditions(const struct presence *p, unsigned lane, struct truth *k,
	struct cell *cond, unsigned *n)
{
	const struct mask_place *q = p->q;
	unsigned t = q->warp * 32 + lane;
	bool since = true;

	*n = 0;
	for (unsigned i = 0; i < p->n_own; i++)
		if (lmask_has(&p->own[i]->who, t) &&
			!add_condition(k, val_cell(&q->s->d, &p->own[i]->pred, t),
				p->own[i]->when, cond, n))
			return false;
	if (p->sel && !add_condition(k, p->sel[lane], p->when, cond, n))
		return false;
	if (q->pred && !add_condition(k, q->pred[lane], q->when, cond, n))
		return false;
	for (const struct stay *x = q->g->stay; x; x = x->up) {
		unsigned had = *n;

		since = since && x != p->since;
		if (!lmask_has(&x->who, t) || (k->n >= FACTS_MAX && !(since && q->exact)))
			continue;
		if (!add_condition(k, val_cell(&q->s->d, &x->pred, t), x->when, cond, n))
			return false;
		if (!since || !q->exact)
			*n = had; /* only a fact */
		else if (*n > CONDITIONS_MAX)
			domain_stop(&q->s->d, STOP_BUDGET, "nesting");
	}
	return true;
}

/* Named if and only if all its conditions hold. */
static bool
named_when_here(const struct presence *p, unsigned lane, struct cell bit)
{
	struct truth k, facts;
	struct cell cond[CONDITIONS_MAX + 4];
	unsigned n;

	truth_copy(&k, &p->facts);
	if (!lane_conditions(p, lane, &k, cond, &n))
		return cell_is(truth_value(&k, bit), 0);
	if (!cell_is(truth_value(&k, bit), 1))
		return false;
	truth_copy(&facts, &p->facts);
	for (unsigned i = 0; i < n; i++) {
		facts.n = p->facts.n;
		cond[i].v ^= 1;
		truth_add(&facts, cond[i]);
		if (!cell_is(truth_value(&facts, bit), 0))
			return false;
	}
	return true;
}

/* When the lists in the mask were made, in terms of world.exits.  False: it has none, or
 * of different times. */
static bool
made_at(const struct domain *d, struct cell c, unsigned depth, bool *found,
	uint64_t *exits)
{
	const struct sym *x;
	uint64_t at = 0;

	if (!c.s || depth > 8)
		return true;
	x = sym_of(d, c.s);
	if (x->op == SYM_BALLOT) {
		if (x->n && (x->arg[0].v & 255) == NO_LANE)
			at = x->arg[1].v;
		if (*found && *exits != at)
			return false;
		*found = true;
		*exits = at;
		return true;
	}
	if (x->op != SYM_PHI && !sym_is_computed(x->op))
		return true;
	for (uint32_t i = 0; i < x->n; i++)
		if (!made_at(d, x->arg[i], depth + 1, found, exits))
			return false;
	return true;
}

/* The oldest exit that was known of when the mask was made.  False: lanes may have left
 * since, and it is not known on which conditions. */
static bool
exits_since(const struct mask_place *q, struct cell c, const struct stay **since)
{
	uint64_t at = q->w->exits, made = 0;
	const struct stay *x = q->g->stay;
	bool found = false;

	*since = x;
	if (!made_at(&q->s->d, c, 0, &found, &made) || !found)
		return false;
	for (; at != made; x = x->up) {
		if (!x || x->after != at)
			return false;
		at = x->before;
	}
	*since = x;
	return true;
}

/* The mask c names exactly these lanes, each when its cell of sel is `when`; part: c is
 * the list of a partition, or 0. */
static bool
names_lanes(const struct mask_place *q, const struct truth *facts, uint32_t lanes,
	struct cell c, uint64_t part, const struct cell *sel, bool when)
{
	struct presence p;
	struct lmask alive = world_alive(q->s, q->w);
	struct lmask past = lmask_and(q->w->ahead, q->w->exited);
	uint32_t others =
		q->exact ? lmask_warp(&q->s->full, q->warp)
			 : lmask_warp(&alive, q->warp) | lmask_warp(&past, q->warp);

	p.q = q;
	p.sel = sel;
	p.when = when;
	truth_copy(&p.facts, facts);
	if (!own_conditions(q, lanes, part, &p.facts, p.own, &p.n_own))
		return true;
	if (!exits_since(q, c, &p.since) && q->stale)
		*q->stale = true;
	for (unsigned l = 0; l < 32; l++) {
		uint32_t one = UINT32_C(1) << l;
		struct cell bit;

		if (!mask_bit(&q->s->d, q->warp, c, l, &bit))
			return false;
		if (lanes & one) {
			if (!named_when_here(&p, l, bit))
				return false;
		} else if (others & one) {
			struct truth k;

			truth_copy(&k, &p.facts);
			if (!cell_is(truth_value(&k, bit), 0))
				return false;
		}
	}
	return true;
}

/* ---- masks by lane ---- */

/* The first choice that the value makes. */
static bool
choice_of(const struct domain *d, struct cell c, unsigned depth, struct cell *cond)
{
	const struct sym *x;

	if (!c.s || depth > 8)
		return false;
	x = sym_of(d, c.s);
	if (x->op == SYM_PHI) {
		*cond = x->arg[0];
		return true;
	}
	if (!sym_is_computed(x->op) || x->n > 8)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (choice_of(d, x->arg[i], depth + 1, cond))
			return true;
	return false;
}

static struct cell
chosen(const struct truth *facts, struct cell c, struct cell cond, bool is)
{
	struct truth k;

	truth_copy(&k, facts);
	truth_add(&k, (struct cell){is, cond.s});
	return truth_value(&k, c);
}

static bool names_all(const struct mask_place *q, const struct truth *facts,
	uint32_t lanes, const struct cell *c, unsigned depth);

/* All lanes of S choose by one condition: either answer has to be right. */
static bool
names_common_choice(const struct mask_place *q, const struct truth *facts, uint32_t lanes,
	const struct cell *c, struct cell cond, unsigned depth)
{
	struct cell y[32] = {{0}};

	for (unsigned is = 0; is < 2; is++) {
		struct truth k;

		truth_copy(&k, facts);
		truth_add(&k, (struct cell){is, cond.s});
		for (unsigned l = 0; l < 32; l++)
			if (lanes >> l & 1)
				y[l] = truth_value(&k, c[l]);
		if (!names_all(q, &k, lanes, y, depth + 1))
			return false;
	}
	return true;
}

/* Lanes that choose by their own conditions between the same two masks. */
static bool
names_own_choice(const struct mask_place *q, const struct truth *facts, uint32_t lanes,
	const struct cell *c, uint32_t *done, unsigned depth)
{
	struct domain *d = &q->s->d;
	unsigned lead = (unsigned)__builtin_ctz(lanes);
	struct cell cond[32] = {{0}}, a, b;
	uint32_t same = 0, alike = 0;

	if (depth > SPLITS_MAX || !choice_of(d, c[lead], 0, &cond[lead]))
		return false;
	a = chosen(facts, c[lead], cond[lead], true);
	b = chosen(facts, c[lead], cond[lead], false);
	for (unsigned l = lead; l < 32; l++) {
		if (!(lanes >> l & 1) || !choice_of(d, c[l], 0, &cond[l]))
			continue;
		if (cell_eq(cond[l], cond[lead]))
			same |= UINT32_C(1) << l;
		if (cell_eq(chosen(facts, c[l], cond[l], true), a) &&
			cell_eq(chosen(facts, c[l], cond[l], false), b))
			alike |= UINT32_C(1) << l;
	}
	if (!(alike & ~same)) {
		*done = same;
		return names_common_choice(q, facts, same, c, cond[lead], depth);
	}
	*done = alike;
	return names_lanes(q, facts, alike, a, 0, cond, true) &&
	       names_lanes(q, facts, alike, b, 0, cond, false);
}

/* Lanes of one partition. */
static uint32_t
classmates(const struct domain *d, uint32_t lanes, const struct cell *c, unsigned warp)
{
	const struct sym *x = sym_of(d, c[__builtin_ctz(lanes)].s);
	uint32_t r = 0;

	for (unsigned l = 0; l < 32; l++) {
		const struct sym *y;

		if (!(lanes >> l & 1) || !c[l].s)
			continue;
		y = sym_of(d, c[l].s);
		if (y->op == SYM_CLASS && y->tag == x->tag &&
			cell_eq(y->arg[1], x->arg[1]) && y->arg[0].v == warp * 32 + l)
			r |= UINT32_C(1) << l;
	}
	return r;
}

static bool
names_all(const struct mask_place *q, const struct truth *facts, uint32_t lanes,
	const struct cell *c, unsigned depth)
{
	struct domain *d = &q->s->d;

	while (lanes) {
		unsigned lead = (unsigned)__builtin_ctz(lanes);
		struct cell cond;
		uint32_t same = 0;

		if (c[lead].s && sym_op(d, c[lead].s) == SYM_CLASS) {
			struct sym x = *sym_of(d, c[lead].s);

			same = classmates(d, lanes, c, q->warp);
			if (!(same >> lead & 1) || !names_lanes(q, facts, same, x.arg[1],
							   x.tag, NULL, false))
				return false;
		} else if (choice_of(d, c[lead], 0, &cond)) {
			if (!names_own_choice(q, facts, lanes, c, &same, depth))
				return false;
		} else {
			for (unsigned l = lead; l < 32; l++)
				if (lanes >> l & 1 && cell_eq(c[l], c[lead]))
					same |= UINT32_C(1) << l;
			if (!names_lanes(q, facts, same, c[lead], 0, NULL, false))
				return false;
		}
		lanes &= ~same;
	}
	return true;
}

bool
mask_names(const struct mask_place *q, uint32_t lanes, const struct cell *c)
{
	struct truth facts;

	facts.s = q->s;
	facts.w = q->w;
	facts.n = 0;
	return names_all(q, &facts, lanes, c, 0);
}

bool
mask_is_plain(const struct sim *s, struct cell c)
{
	struct cell cond;

	return !c.s ||
	       (sym_op(&s->d, c.s) != SYM_CLASS && !choice_of(&s->d, c, 0, &cond));
}
