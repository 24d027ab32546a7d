/*
 * What a loop adds to its registers.
 *
 * A register that grows by the same amount every time round is its first value plus that
 * amount times the number of rounds, and this number is one for all registers: counters
 * stay in step, and lanes keep their distance.  Where the amount changes, the register is
 * its first value plus something unknown, one for all lanes that always grew alike.
 */
#include "simt/stride.h"

#include "simt/memory.h"
#include "value/linear.h"

/* One register while it is looked at. */
struct stride {
	struct sim *s;
	const struct entry *e;
	uint32_t slot;
	unsigned width, n; /* lanes; 1 if all are alike */
	const struct val *head;
	const struct results *backs;
	struct lane *lane;
	const bool *mixed; /* by class that the head tells apart */
};

struct lane {
	struct linear all;  /* the head */
	struct linear base; /* and without what this loop added */
	struct cell head;
	struct cell step; /* that the head counts on, 0 if none */
	struct cell diff; /* what the first back added */
	uint32_t own;     /* the unknown of this loop in the head, or 0 */
	uint32_t began;   /* the class that the head tells apart */
	uint32_t class;   /* lanes of one class grew alike */
	unsigned align;   /* of all that was added */
	unsigned flags;
	bool same; /* every back added diff */
	bool boolean, broken;
	bool replaced; /* by something else, where it was not defined */
};

/* Numbers for pairs of a number and a cell, from 0. */
struct classes {
	struct sim *s;
	struct class
	{
		uint32_t first, number;
		struct cell second;
		bool used;
	} * slot;
	uint32_t n, mask;
	struct class last; /* found: the next lane's is often the same */
};

/* Most registers have one class or a few, and few have one for each lane. */
enum { CLASSES_MIN = 16 };

/* The slot of the pair, or the one that it gets. */
static struct class *
class_find(const struct classes *c, uint32_t first, struct cell second)
{
	uint64_t h = (first ^ second.v ^ (uint64_t)second.s << 32) *
		     UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) & c->mask;

	while (c->slot[i].used &&
		(c->slot[i].first != first || !cell_eq(c->slot[i].second, second)))
		i = (i + 1) & c->mask;
	return &c->slot[i];
}

static void
classes_grow(struct classes *c)
{
	struct classes more = *c;

	more.mask = c->mask ? 4 * c->mask + 3 : CLASSES_MIN - 1;
	more.slot = sim_alloc(c->s, (size_t)more.mask + 1, sizeof *more.slot);
	for (uint32_t i = 0; c->slot && i <= c->mask; i++)
		if (c->slot[i].used)
			*class_find(&more, c->slot[i].first, c->slot[i].second) =
				c->slot[i];
	*c = more;
}

static uint32_t
class_number(struct classes *c, uint32_t first, struct cell second)
{
	if (c->last.used && c->last.first == first && cell_eq(c->last.second, second))
		return c->last.number;
	if (2 * c->n >= c->mask)
		classes_grow(c);
	struct class *at = class_find(c, first, second);

	if (!at->used) {
		domain_work(&c->s->d, 1);
		*at = (struct class){first, c->n++, second, true};
	}
	c->last = *at;
	return at->number;
}

static unsigned
slot_bits(const struct sim *s, uint32_t slot)
{
	uint32_t i = s->n_frames;

	if (memory_is_slot(s, slot))
		return memory_bytes(s, slot) * 8;
	while (i-- > 0 && s->frame[i].base > slot)
		;
	const struct slice_func *f = &s->s->funcs[s->frame[i].func];
	uint32_t at = slot - s->frame[i].base;
	if (at >= f->n_slots)
		return 0;
	uint32_t v = f->value[at];
	if (v >= f->f->n_regs)
		return f->piece[v - f->f->n_regs].bytes * 8;
	enum ptx_type t = f->f->regs[v].type;
	return ptx_type_class(t) == 'f' ? 0 : ptx_type_bits(t);
}

static uint32_t
trip_symbol(struct sim *s, const struct entry *e, struct cell step)
{
	return sym_make(&s->d, SYM_TRIP, e->id, &step, step.s ? 1 : 0, SYM_TAINT_LOOP);
}

/* What the head holds of this loop, taken out of it. */
static bool
read_head(const struct stride *r, struct lane *l)
{
	const struct domain *d = &r->s->d;
	const struct linear *x = &l->all;

	if (!linear_of(d, l->head, r->width, &l->all))
		return false;
	l->base.width = r->width;
	l->base.k = x->k;
	l->base.n = 0;
	l->step = l->diff = cell_int(0);
	l->own = l->began = l->class = 0;
	l->align = 64;
	l->flags = 0;
	l->same = l->boolean = true;
	l->broken = l->replaced = false;
	for (unsigned i = 0; i < x->n; i++) {
		const struct sym *y = sym_head(d, x->term[i].s);
		bool counts = y->op == SYM_TRIP && y->tag == r->e->id;
		bool own = y->widened_in == r->e->id && y->widened_slot == r->slot &&
			   x->term[i].v == 1;

		if (counts)
			l->step = y->n ? sym_operand(d, x->term[i].s, 0)
				       : cell_int(x->term[i].v);
		else if (own)
			l->own = x->term[i].s;
		else
			l->base.term[l->base.n++] = x->term[i];
		if (counts || own)
			l->align = bounds_align(d, x->term[i].s);
		if (counts && !y->n)
			l->align = (unsigned)__builtin_ctzll(x->term[i].v);
	}
	return true;
}

static bool
is_undefined(const struct domain *d, struct cell c)
{
	return c.s && sym_flags(d, c.s) & SYM_UNDEFINED;
}

/* What a back added, as a cell too. */
static struct cell
add_back(struct stride *r, struct lane *l, struct cell now, const struct linear *diff,
	bool first)
{
	struct domain *d = &r->s->d;
	unsigned align = diff->n ? bounds_align_terms(d, diff) : 64;
	struct cell c = linear_cell(d, diff);

	if (diff->k && (unsigned)__builtin_ctzll(diff->k) < align)
		align = (unsigned)__builtin_ctzll(diff->k);
	l->same = l->same && (first || cell_eq(c, l->diff));
	l->diff = first ? c : l->diff;
	l->align = align < l->align ? align : l->align;
	l->boolean = l->boolean && sym_is_bool(d, now);
	l->broken = l->broken || !cell_is(c, 0);
	l->flags |= now.s ? sym_flags(d, now.s) & SYM_KEPT : 0;
	l->replaced = l->replaced ||
		      (is_undefined(d, c) && is_undefined(d, linear_cell(d, &l->base)));
	return c;
}

/* Back number k: what it added to each lane, and classes by that. */
static bool
read_back(struct stride *r, size_t k, const struct val *back)
{
	struct domain *d = &r->s->d;
	struct classes seen = {.s = r->s};

	domain_work(d, r->n);
	for (unsigned t = 0; t < r->n; t++) {
		struct lane *l = &r->lane[t];
		struct cell now = r->n == 1 ? val_flat(back) : val_cell(d, back, t);
		struct linear y;

		if (!linear_of(d, now, r->width, &y) ||
			!linear_add(&y, &l->all, UINT64_MAX))
			return false;
		l->class = class_number(&seen, l->class, add_back(r, l, now, &y, k == 0));
	}
	return true;
}

/* Classes within what the head already tells apart. */
static void
start_classes(struct stride *r)
{
	struct classes own = {.s = r->s}, all = {.s = r->s};

	for (unsigned t = 0; t < r->n; t++) {
		struct lane *l = &r->lane[t];
		uint32_t i = class_number(&own, l->own, (struct cell){0});

		l->began = class_number(&all, i, l->step);
		l->class = l->began;
	}
}

/* Lanes that the head took for alike did not grow alike: by class of the head. */
static bool *
mixed_classes(struct stride *r)
{
	bool *mixed = sim_alloc(r->s, r->n, sizeof *mixed);
	struct first {
		uint32_t class;
		bool known;
	} *first = sim_alloc(r->s, r->n, sizeof *first);

	for (unsigned t = 0; t < r->n; t++) {
		struct lane *l = &r->lane[t];
		struct first *f = &first[l->began];

		mixed[l->began] = mixed[l->began] || (f->known && f->class != l->class);
		*f = (struct first){l->class, true};
	}
	return mixed;
}

/* The head covers what came back to lane t. */
static bool
covers(const struct stride *r, unsigned t)
{
	const struct lane *l = &r->lane[t];
	if (!l->broken)
		return true;
	if (l->replaced)
		return false;
	if (!l->own)
		return (l->step.s || l->step.v) && l->same && cell_eq(l->diff, l->step);
	if (sym_flags(&r->s->d, l->own) & SYM_BOOL && !l->boolean)
		return false;
	return l->align >= bounds_align(&r->s->d, l->own) && !r->mixed[l->began];
}

/* The amount is a number, or made of what was there before the loop. */
static bool
is_fixed(const struct stride *r, struct cell c)
{
	struct linear x;

	if (!linear_of(&r->s->d, c, r->width, &x))
		return false;
	for (unsigned i = 0; i < x.n; i++)
		if (!sym_is_older(&r->s->d, x.term[i].s, &r->e->began))
			return false;
	return true;
}

static struct cell
head_counting(struct stride *r, const struct lane *l)
{
	struct linear x = l->base, k = {.width = r->width, .n = 1};

	k.term[0] = (struct cell){
		l->diff.s ? 1 : l->diff.v, trip_symbol(r->s, r->e, l->diff)};
	return linear_add(&x, &k, 1) ? linear_cell(&r->s->d, &x) : (struct cell){0};
}

static uint32_t
fresh(struct stride *r, unsigned align, unsigned flags)
{
	struct domain *d = &r->s->d;
	struct cell a = cell_int(align);
	uint32_t x = sym_make(
		d, SYM_FRESH, ++d->serial, &a, align ? 1 : 0, flags | SYM_TAINT_LOOP);

	sym_at(d, x)->widened_in = r->e->id;
	sym_at(d, x)->widened_slot = r->slot;
	return x;
}

/* 0 or 1 before the loop, and all that came back; or not yet known to be more. */
static bool
may_be_boolean(struct stride *r, const struct lane *l)
{
	struct domain *d = &r->s->d;
	struct cell base = linear_cell(d, &l->base);
	uint64_t next = (base.v + l->step.v) & bits_mask(r->width);

	if (l->own)
		return l->boolean && sym_is_bool(d, l->head);
	return sym_is_bool(d, base) &&
	       (l->boolean || (!base.s && !l->step.s && l->step.v && next <= 1));
}

struct made {
	uint32_t class, sym;
	bool boolean;
};

/* The head of lane t with something unknown, which lanes of its class share. */
static bool
head_unknown(struct stride *r, unsigned t, struct made *made, unsigned *n_made,
	struct cell *out)
{
	struct domain *d = &r->s->d;
	struct lane *l = &r->lane[t];
	struct linear x = l->base, k = {.width = r->width, .n = 1};
	bool boolean = may_be_boolean(r, l);
	unsigned i = 0;

	/* what is replaced is not made of what it was, nor is it another lane's */
	if (boolean || l->replaced)
		x = (struct linear){.width = r->width};
	while (i < *n_made &&
		(l->replaced || made[i].class != l->class || made[i].boolean != boolean))
		i++;
	if (i == *n_made) {
		unsigned align = boolean || l->replaced ? 0 : l->align,
			 flags = l->flags | (l->replaced ? SYM_UNDEFINED : 0);

		for (unsigned o = t; o < r->n; o++)
			if (r->lane[o].class == l->class) {
				flags |= r->lane[o].flags;
				if (!boolean && r->lane[o].align < align)
					align = r->lane[o].align;
			}
		if (align >= r->width)
			align = 0;
		made[(*n_made)++] = (struct made){l->replaced ? UINT32_MAX : l->class,
			fresh(r, align, flags | (boolean ? (unsigned)SYM_BOOL : 0)),
			boolean};
		domain_work(d, r->n / 8 + 1);
	}
	k.term[0] = (struct cell){1, made[i].sym};
	if (!linear_add(&x, &k, 1))
		return false;
	*out = linear_cell(d, &x);
	return true;
}

static bool
widen_lanes(struct stride *r, struct val *out)
{
	struct domain *d = &r->s->d;
	struct made *made = sim_raw(r->s, 2 * (size_t)r->n, sizeof *made);
	uint64_t *v = sim_raw(r->s, r->n, sizeof *v);
	uint32_t *sy = sim_raw(r->s, r->n, sizeof *sy);
	unsigned n_made = 0;
	bool changed = false;

	for (unsigned t = 0; t < r->n; t++) {
		struct lane *l = &r->lane[t];
		struct cell c = l->head;
		bool first = !l->own && !l->step.s && !l->step.v;

		if (!covers(r, t)) {
			changed = true;
			c = (struct cell){0};
			if (first && !l->replaced && l->same && is_fixed(r, l->diff))
				c = head_counting(r, l);
			if (!c.s && !head_unknown(r, t, made, &n_made, &c))
				return false;
		}
		v[t] = c.v;
		sy[t] = c.s;
		domain_work(d, 1);
	}
	if (!changed)
		*out = *r->head;
	else if (r->n == 1)
		*out = val_of_cell((struct cell){v[0], sy[0]});
	else
		*out = val_pack(d, v, sy);
	return true;
}

static bool
is_flat(const struct val *v)
{
	return v->kind == VAL_INT || v->kind == VAL_SYM;
}

static bool
is_divergent(const struct sim *s, const struct val *v)
{
	return v->kind == VAL_SYM && sym_flags(&s->d, v->s) & SYM_DIV;
}

bool
stride_widen(struct sim *s, const struct entry *e, uint32_t slot, const struct val *head,
	const struct results *backs, const struct val *back, struct val *out)
{
	struct stride r = {s, e, slot, slot_bits(s, slot), 1, head, backs, NULL, NULL};

	if (r.width < 16 || r.width > 64 || is_divergent(s, head))
		return false;
	for (size_t k = 0; k < backs->n; k++) {
		if (back[k].kind == VAL_NONE || is_divergent(s, &back[k]))
			return false;
		if (!is_flat(head) || !is_flat(&back[k]))
			r.n = s->d.n;
	}
	sim_charge(s, r.n * sizeof *r.lane);
	if (!s->stride)
		s->stride = arena_raw(s->mem, s->d.n, sizeof *s->stride);
	r.lane = s->stride;
	for (unsigned t = 0; t < r.n; t++) {
		r.lane[t].head = r.n == 1 ? val_flat(head) : val_cell(&s->d, head, t);
		if (!read_head(&r, &r.lane[t]))
			return false;
	}
	start_classes(&r);
	for (size_t k = 0; k < backs->n; k++)
		if (!read_back(&r, k, &back[k]))
			return false;
	r.mixed = mixed_classes(&r);
	return widen_lanes(&r, out);
}
