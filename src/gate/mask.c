#include "gate/mask.h"

#include "gate/eval.h"

enum {
	NODES_MAX = 512,
	SPLITS_MAX = 5,
	NO_LANE = 255,
	LIST_MAX = 3 + 32 * (UNC_KEY_MAX + 1),
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
		have = unc_key(s, g, warp * 32 + l, cond, UNC_KEY_MAX - 1);
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

/* ---- what is known ---- */

/* Symbols and what they are taken to be, besides what the path of the world says. */
struct truth {
	struct sim *s;
	const struct world *w;
	struct cell at[UNC_KEY_MAX + SPLITS_MAX + 2]; /* symbol s is v */
	unsigned n;
	unsigned left; /* nodes that may still be looked at */
};

static bool
truth_of(const struct truth *k, uint32_t sym, bool *is)
{
	for (unsigned i = k->n; i-- > 0;)
		if (k->at[i].s == sym) {
			*is = k->at[i].v & 1;
			return true;
		}
	for (uint32_t i = k->w->n_path; i-- > 0;)
		if (k->w->path[i].sym == sym) {
			*is = k->w->path[i].is;
			return true;
		}
	return false;
}

static void
truth_add(struct truth *k, struct cell cond)
{
	if (k->n == sizeof k->at / sizeof k->at[0])
		domain_stop(&k->s->d, STOP_BUDGET, "nesting");
	k->at[k->n++] = cond;
}

static struct cell under(struct truth *k, struct cell c);

static struct cell
under_ins(struct truth *k, struct cell c, const struct sym *x)
{
	struct val v[EVAL_ARGS_MAX], r;
	bool changed = false;

	if (x->n > EVAL_ARGS_MAX)
		return c;
	for (uint32_t i = 0; i < x->n; i++) {
		struct cell y = under(k, x->arg[i]);

		changed = changed || !cell_eq(y, x->arg[i]);
		v[i] = val_of_cell(y);
	}
	if (!changed)
		return c;
	r = eval_value(&k->s->d, (const struct ptx_form *)(uintptr_t)x->tag, v, x->n, 32);
	return val_flat(&r);
}

/* The value, with what is known put in. */
static struct cell
under(struct truth *k, struct cell c)
{
	struct domain *d = &k->s->d;
	bool is;

	if (!c.s || !k->left)
		return c;
	k->left--;
	domain_work(d, 1);
	if (truth_of(k, c.s, &is))
		return cell_int(is);
	/* by value: making symbols moves the table */
	struct sym x = *sym_of(d, c.s);
	switch ((int)x.op) {
	case SYM_NOT: return cell_not(d, under(k, x.arg[0]));
	case SYM_AND: return cell_and(d, under(k, x.arg[0]), under(k, x.arg[1]));
	case SYM_OR: return cell_or(d, under(k, x.arg[0]), under(k, x.arg[1]));
	case SYM_PHI: {
		struct cell p = under(k, x.arg[0]);

		if (!p.s)
			return under(k, x.arg[p.v ? 1 : 2]);
		return cell_phi(d, p, under(k, x.arg[1]), under(k, x.arg[2]));
	}
	case SYM_INS: return under_ins(k, c, &x);
	default: return c;
	}
}

static struct cell
known(struct truth *k, struct cell c)
{
	k->left = NODES_MAX;
	return under(k, c);
}

/* ---- one bit of a mask ---- */

static struct cell
condition(struct domain *d, struct cell c)
{
	return c.v & 1 ? cell_sym(c.s) : cell_not(d, cell_sym(c.s));
}

static struct cell
list_bit(struct domain *d, const struct sym *b, unsigned lane)
{
	struct cell r = cell_int(1);

	for (uint32_t i = 0; i < b->n;) {
		uint32_t n = (uint32_t)(b->arg[i].v >> 8);

		if ((b->arg[i].v & 255) != lane) {
			i += 1 + n;
			continue;
		}
		for (uint32_t k = i + 1; k <= i + n; k++)
			r = cell_and(d, r, condition(d, b->arg[k]));
		return r;
	}
	return cell_int(0);
}

static struct cell
xor_cells(struct domain *d, struct cell a, struct cell b)
{
	return cell_phi(d, a, cell_not(d, b), b);
}

/* lop3: bit 4a + 2b + c of the table. */
static struct cell
lop3_cells(struct domain *d, const struct cell *x, uint64_t table)
{
	struct cell r[8];

	for (unsigned i = 0; i < 8; i++)
		r[i] = cell_int(table >> i & 1);
	for (unsigned i = 0; i < 4; i++)
		r[i] = cell_phi(d, x[2], r[2 * i + 1], r[2 * i]);
	for (unsigned i = 0; i < 2; i++)
		r[i] = cell_phi(d, x[1], r[2 * i + 1], r[2 * i]);
	return cell_phi(d, x[0], r[1], r[0]);
}

static bool mask_bit(const struct mask_place *q, struct cell c, unsigned lane,
	unsigned depth, struct cell *r);

static bool
ins_bit(const struct mask_place *q, const struct sym *x, unsigned lane, unsigned depth,
	struct cell *r)
{
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	struct domain *d = &q->s->d;
	struct cell b[3] = {{0}};
	unsigned n = f->op == PTX_LOP3 ? 3 : f->op == PTX_NOT ? 1 : 2;

	if (!f->n_types || ptx_type_bits(f->type[0]) != 32 || x->n < n)
		return false;
	if (f->op != PTX_AND && f->op != PTX_OR && f->op != PTX_XOR && f->op != PTX_NOT &&
		(f->op != PTX_LOP3 || x->n != 4 || x->arg[3].s))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!mask_bit(q, x->arg[i], lane, depth + 1, &b[i]))
			return false;
	switch ((int)f->op) {
	case PTX_AND: *r = cell_and(d, b[0], b[1]); break;
	case PTX_OR: *r = cell_or(d, b[0], b[1]); break;
	case PTX_XOR: *r = xor_cells(d, b[0], b[1]); break;
	case PTX_NOT: *r = cell_not(d, b[0]); break;
	default: *r = lop3_cells(d, b, x->arg[3].v);
	}
	return true;
}

/* Whether the mask names the lane: 0, 1 or a boolean symbol.  False: not known how. */
static bool
mask_bit(const struct mask_place *q, struct cell c, unsigned lane, unsigned depth,
	struct cell *r)
{
	struct domain *d = &q->s->d;
	struct cell a, b;

	if (!c.s) {
		*r = cell_int(c.v >> lane & 1);
		return true;
	}
	if (depth > 8)
		return false;
	struct sym x = *sym_of(d, c.s);
	switch ((int)x.op) {
	case SYM_BALLOT: *r = list_bit(d, &x, lane); return x.tag == q->warp;
	case SYM_INS: return ins_bit(q, &x, lane, depth, r);
	case SYM_PHI:
		if (!mask_bit(q, x.arg[1], lane, depth + 1, &a) ||
			!mask_bit(q, x.arg[2], lane, depth + 1, &b))
			return false;
		*r = cell_phi(d, x.arg[0], a, b);
		return true;
	default: return false;
	}
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
	if (!a.s || !b.s || depth > 8)
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

/* The conditions of g that lanes have each for themselves; the others go to k. */
static unsigned
own_conditions(const struct mask_place *q, uint32_t lanes, uint64_t part, struct truth *k,
	const struct unc **own)
{
	unsigned n = 0, lead = q->warp * 32 + (unsigned)__builtin_ctz(lanes);

	for (const struct unc *u = q->g->unc; u; u = u->up) {
		struct cell c = val_cell(&q->s->d, &u->pred, lead);

		if (!(lmask_warp(&u->who, q->warp) & lanes))
			continue;
		if (!is_common(q, u, lanes, part)) {
			if (n == UNC_KEY_MAX)
				domain_stop(&q->s->d, STOP_BUDGET, "nesting");
			own[n++] = u;
		} else if (c.s && is_common(q, u, lanes, 0)) {
			c = normal(q->s, c);
			c.v = (c.v & 1) == u->when;
			truth_add(k, c);
		}
	}
	return n;
}

/* Named if and only if all its own conditions hold. */
static bool
named_when_here(const struct mask_place *q, const struct truth *facts,
	const struct unc *const *own, unsigned n_own, const struct cell *sel, bool when,
	unsigned lane, struct cell bit)
{
	struct truth k = *facts;
	struct cell cond[UNC_KEY_MAX + 2];
	unsigned n = 0;

	for (unsigned i = 0; i <= n_own + 1; i++) {
		struct cell c;
		bool is;

		if (i < n_own && !lmask_has(&own[i]->who, q->warp * 32 + lane))
			continue;
		if (i < n_own) {
			c = val_cell(&q->s->d, &own[i]->pred, q->warp * 32 + lane);
			is = own[i]->when;
		} else if (i == n_own ? sel != NULL : q->pred != NULL) {
			c = i == n_own ? sel[lane] : q->pred[lane];
			is = i == n_own ? when : q->when;
		} else {
			continue;
		}
		c = known(&k, c);
		if (!c.s && (c.v & 1) != is)
			return cell_is(known(&k, bit), 0); /* not here */
		if (!c.s)
			continue;
		c = normal(q->s, c);
		c.v = (c.v & 1) == is;
		cond[n++] = c;
		truth_add(&k, c);
	}
	if (!cell_is(known(&k, bit), 1))
		return false;
	for (unsigned i = 0; i < n; i++) {
		k = *facts;
		cond[i].v ^= 1;
		truth_add(&k, cond[i]);
		if (!cell_is(known(&k, bit), 0))
			return false;
	}
	return true;
}

/* The mask c names exactly these lanes, each when its cell of sel is `when`; part: c is
 * the list of a partition, or 0. */
static bool
names_lanes(const struct mask_place *q, const struct truth *facts, uint32_t lanes,
	struct cell c, uint64_t part, const struct cell *sel, bool when)
{
	struct truth k = *facts;
	const struct unc *own[UNC_KEY_MAX];
	struct lmask alive = world_alive(q->s, q->w);
	struct lmask past = lmask_and(q->w->bypass, q->w->exited);
	uint32_t others =
		q->exact ? UINT32_MAX
			 : lmask_warp(&alive, q->warp) | lmask_warp(&past, q->warp);
	unsigned n = own_conditions(q, lanes, part, &k, own);

	for (unsigned l = 0; l < 32; l++) {
		uint32_t one = UINT32_C(1) << l;
		struct cell bit;

		if (!mask_bit(q, c, l, 0, &bit))
			return false;
		if (lanes & one) {
			if (!named_when_here(q, &k, own, n, sel, when, l, bit))
				return false;
		} else if (others & one && !cell_is(known(&k, bit), 0)) {
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
	if (x->op != SYM_INS || x->n > EVAL_ARGS_MAX)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (choice_of(d, x->arg[i], depth + 1, cond))
			return true;
	return false;
}

static struct cell
chosen(const struct truth *facts, struct cell c, struct cell cond, bool is)
{
	struct truth k = *facts;

	truth_add(&k, (struct cell){is, cond.s});
	return known(&k, c);
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
		struct truth k = *facts;

		truth_add(&k, (struct cell){is, cond.s});
		for (unsigned l = 0; l < 32; l++)
			if (lanes >> l & 1)
				y[l] = known(&k, c[l]);
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
	struct truth facts = {.s = q->s, .w = q->w};

	return names_all(q, &facts, lanes, c, 0);
}

/* All lists in the value are of lanes that could be gone then just as now. */
static bool
is_recent(const struct mask_place *q, struct cell c, unsigned depth)
{
	const struct sym *x;
	uint64_t exits = 0;

	if (!c.s || depth > 8)
		return false;
	x = sym_of(&q->s->d, c.s);
	if (x->op == SYM_CLASS)
		return is_recent(q, x->arg[1], depth + 1);
	if (x->op == SYM_BALLOT) {
		if (x->n && (x->arg[0].v & 255) == NO_LANE)
			exits = x->arg[1].v;
		return exits == q->w->exits;
	}
	if (x->op == SYM_PHI)
		return is_recent(q, x->arg[1], depth + 1) &&
		       is_recent(q, x->arg[2], depth + 1);
	if (x->op != SYM_INS)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->arg[i].s && is_recent(q, x->arg[i], depth + 1))
			return true;
	return false;
}

bool
mask_is_recent(const struct mask_place *q, uint32_t lanes, const struct cell *c)
{
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1 && !is_recent(q, c[l], 0))
			return false;
	return true;
}

bool
mask_is_plain(const struct sim *s, struct cell c)
{
	struct cell cond;

	return !c.s ||
	       (sym_op(&s->d, c.s) != SYM_CLASS && !choice_of(&s->d, c, 0, &cond));
}

static bool
mentions(const struct domain *d, struct cell x, const struct sym *class, unsigned depth,
	unsigned *left)
{
	const struct sym *y;

	if (!x.s || depth > 12 || !*left)
		return false;
	--*left;
	y = sym_of(d, x.s);
	if (y->op == SYM_CLASS)
		return y->tag == class->tag;
	for (uint32_t i = 0; i < y->n; i++)
		if (mentions(d, y->arg[i], class, depth + 1, left))
			return true;
	return false;
}

bool
mask_in(const struct sim *s, struct cell mask, struct cell x)
{
	unsigned left = NODES_MAX;

	if (!mask.s || sym_op(&s->d, mask.s) != SYM_CLASS)
		return false;
	return mentions(&s->d, x, sym_of(&s->d, mask.s), 0, &left);
}
