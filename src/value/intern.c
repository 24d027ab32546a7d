/* The same operation on the same operands is the same symbol. */
#include "value/intern.h"

enum {
	SLOTS_MIN = 256,
	SLOTS_MANY = 1 << 16,
	PAGES_MAX = 1 << (32 - SYM_PAGE_BITS),
	LIFT_MAX = 8, /* operands of an operation that gives a row */
};

/* What is looked for. */
struct key {
	enum sym_op op;
	uint64_t tag;
	const struct cell *arg;
	uint32_t n;
	unsigned flags; /* if it has to be made */
};

static uint32_t
page_new(struct sym_table *t, struct sym_page p)
{
	if (t->n_pages == PAGES_MAX)
		domain_stop(t->d, STOP_BUDGET, "symbols");
	if (t->n_pages == t->cap_pages) {
		size_t cap = t->cap_pages ? t->cap_pages * 2 : 16;
		struct sym_page *v = arena_raw(t->mem, cap, sizeof *v);

		if (t->n_pages)
			memcpy(v, t->page, t->n_pages * sizeof *v);
		t->page = v;
		t->cap_pages = cap;
	}
	t->page[t->n_pages] = p;
	return (uint32_t)t->n_pages++;
}

void
intern_init(struct domain *d, struct arena *mem)
{
	struct sym_table *t = arena_new(mem, struct sym_table);

	d->table = t;
	t->mem = mem;
	t->d = d;
}

/* Most launches of small kernels make no symbol. */
static void
table_open(struct sym_table *t)
{
	t->n_slots = SLOTS_MIN;
	t->slot = arena_array(t->mem, t->n_slots, sizeof *t->slot);
	t->last_n = 1; /* 0 is no symbol */
	page_new(t, (struct sym_page){.member = arena_array(
					      t->mem, SYM_PAGE, sizeof(struct sym *))});
}

/* ---- finding ---- */

static uint32_t
key_hash(const struct key *x)
{
	uint64_t h = (uint64_t)x->op * UINT64_C(0x9e3779b97f4a7c15) ^ x->tag;

	h *= UINT64_C(0xff51afd7ed558ccd);
	for (uint32_t i = 0; i < x->n; i++) {
		h ^= h >> 29;
		h = (h + x->arg[i].v) * UINT64_C(0xc4ceb9fe1a85ec53);
		h = (h ^ x->arg[i].s) * UINT64_C(0xff51afd7ed558ccd);
	}
	return (uint32_t)(h ^ h >> 32);
}

static bool
key_same(const struct sym *s, const struct key *x)
{
	if (s->op != x->op || s->tag != x->tag || s->n != x->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (!cell_eq(s->arg[i], x->arg[i]))
			return false;
	return true;
}

/* Is it what the slot was filled for: a whole row, or a symbol made alone? */
static bool
slot_holds(const struct sym_table *t, uint32_t s, bool row, const struct key *x)
{
	const struct sym_page *p = &t->page[s >> SYM_PAGE_BITS];

	if (row != (p->head.arg != NULL))
		return false;
	return key_same(row ? &p->head : p->member[s & (SYM_PAGE - 1)], x);
}

/* Empty if there is no such symbol, or row. */
static struct sym_slot *
slot_find(struct sym_table *t, uint32_t hash, bool row, const struct key *x)
{
	size_t k = hash & (t->n_slots - 1);

	for (; t->slot[k].s; k = (k + 1) & (t->n_slots - 1))
		if (t->slot[k].hash == hash && slot_holds(t, t->slot[k].s, row, x))
			break;
	return &t->slot[k];
}

static void
slots_grow(struct sym_table *t)
{
	struct sym_slot *old = t->slot;
	size_t n = t->n_slots;

	t->n_slots *= n < SLOTS_MANY ? 4 : 2;
	t->slot = arena_array(t->mem, t->n_slots, sizeof *t->slot);
	for (size_t i = 0; i < n; i++) {
		size_t k = old[i].hash & (t->n_slots - 1);

		if (!old[i].s)
			continue;
		while (t->slot[k].s)
			k = (k + 1) & (t->n_slots - 1);
		t->slot[k] = old[i];
	}
}

static void
slot_fill(struct sym_table *t, struct sym_slot *at, uint32_t hash, uint32_t s)
{
	*at = (struct sym_slot){hash, s};
	if (++t->used * 2 > t->n_slots)
		slots_grow(t);
}

/* What is kept of the key; its operands go to arg. */
static struct sym
key_copy(const struct domain *d, const struct key *x, struct cell *arg)
{
	struct sym s = {.op = x->op, .flags = x->flags, .tag = x->tag, .n = x->n};

	s.arg = x->n ? arg : NULL;
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->arg[i].s)
			s.flags |= sym_flags(d, x->arg[i].s) & SYM_TAINTS;
		arg[i] = x->arg[i];
	}
	return s;
}

/* A symbol and its operands lie side by side. */
struct sym_alone {
	struct sym s;
	struct cell arg[];
};

/* ---- looking ---- */

unsigned
sym_member(const struct domain *d, const struct cell *x, uint32_t n)
{
	unsigned lane = SYM_NO_ROW;

	for (uint32_t i = 0; i < n; i++) {
		unsigned k = x[i].s & (SYM_PAGE - 1);

		if (!sym_in_row(d, x[i].s))
			continue;
		if (lane != SYM_NO_ROW && lane != k)
			return SYM_MIXED;
		lane = k;
	}
	return lane;
}

/* The operands of members that were made one by one differ, and SYM_LANE's lane does. */
static void
note_look(struct sym_table *t, const struct sym_page *p)
{
	t->looked = t->looked || (p->row && (!p->head.arg || p->head.op == SYM_LANE));
}

struct cell
sym_row_operand(const struct domain *d, uint32_t s, uint32_t i)
{
	const struct sym_page *p = sym_page(d, s);

	note_look(d->table, p);
	if (i >= p->head.n)
		return cell_int(s & (SYM_PAGE - 1)); /* of SYM_LANE */
	struct cell c = p->head.arg[i];
	if (sym_in_row(d, c.s))
		c.s += s & (SYM_PAGE - 1);
	return c;
}

struct sym *
sym_at(const struct domain *d, uint32_t s)
{
	struct sym_table *t = d->table;
	struct sym_page *p = &t->page[s >> SYM_PAGE_BITS];
	unsigned k = s & (SYM_PAGE - 1);

	note_look(t, p);
	if (!p->member)
		p->member = arena_array(t->mem, d->n, sizeof(struct sym *));
	if (p->member[k])
		return p->member[k];
	struct sym *x = arena_array(t->mem, 1, sizeof *x);
	*x = p->head;
	x->n += x->op == SYM_LANE;
	x->arg = arena_array(t->mem, x->n, sizeof *x->arg);
	for (uint32_t i = 0; i < x->n; i++)
		x->arg[i] = sym_operand(d, s, i);
	p->member[k] = x;
	return x;
}

struct sym_time
sym_now(const struct domain *d)
{
	const struct sym_table *t = d->table;

	return (struct sym_time){t->n_pages, t->last, t->last_n};
}

bool
sym_is_older(const struct domain *d, uint32_t s, const struct sym_time *than)
{
	uint32_t page = s >> SYM_PAGE_BITS;

	(void)d;
	return page < than->n_pages &&
	       (page != than->last || (s & (SYM_PAGE - 1)) < than->last_n);
}

/* ---- symbols made alone ---- */

/* The number in a row of what the loop over lanes makes; 0: it is of another kind. */
static uint32_t
number_in_row(struct domain *d, const struct sym *x)
{
	struct sym_table *t = d->table;

	if (!d->alone || x->flags & SYM_DIV)
		return 0;
	if (!d->lanes_page) {
		struct sym_page p = {.row = true};

		p.head.op = x->op;
		p.head.flags = x->flags;
		p.member = arena_array(t->mem, d->n, sizeof(struct sym *));
		d->lanes_page = page_new(t, p);
	}
	const struct sym_page *p = &t->page[d->lanes_page];
	if (p->head.op != x->op || p->head.flags != x->flags || p->member[d->alone - 1])
		return 0;
	return d->lanes_page << SYM_PAGE_BITS | (d->alone - 1);
}

static uint32_t
number_alone(struct sym_table *t)
{
	if (t->last_n == SYM_PAGE) {
		t->last = page_new(
			t, (struct sym_page){.member = arena_array(t->mem, SYM_PAGE,
						     sizeof(struct sym *))});
		t->last_n = 0;
	}
	return t->last << SYM_PAGE_BITS | t->last_n++;
}

static uint32_t
sym_add(struct domain *d, const struct key *key)
{
	struct sym_table *t = d->table;
	struct sym_alone *x = arena_raw(t->mem, 1, sizeof *x + key->n * sizeof x->arg[0]);
	uint32_t id;

	domain_work(d, 1 + key->n / 8);
	x->s = key_copy(d, key, x->arg);
	id = number_in_row(d, &x->s);
	if (!id)
		id = number_alone(t);
	t->page[id >> SYM_PAGE_BITS].member[id & (SYM_PAGE - 1)] = &x->s;
	return id;
}

/* 0: there is none, and none is to be made. */
static uint32_t
find_alone(struct domain *d, const struct key *x, bool make)
{
	uint32_t hash = key_hash(x);
	struct sym_slot *at = slot_find(d->table, hash, false, x);
	uint32_t s = at->s;

	if (!s && make) {
		s = sym_add(d, x);
		slot_fill(d->table, at, hash, s);
	}
	return s;
}

uint32_t
sym_fresh(struct domain *d, unsigned flags)
{
	struct key x = {.op = SYM_FRESH, .tag = ++d->serial, .flags = flags};

	if (!d->table->n_pages)
		table_open(d->table);
	d->table->looked = true;
	return sym_add(d, &x);
}

/* ---- rows ---- */

/* Member 0 of the row of an operation on rows (operands as those of member 0). */
static uint32_t
find_row(struct domain *d, const struct key *x, bool make)
{
	struct sym_table *t = d->table;
	uint32_t *last = &t->row[x->op];

	if (*last && key_same(&t->page[*last].head, x))
		return *last << SYM_PAGE_BITS;
	uint32_t hash = key_hash(x);
	struct sym_slot *at = slot_find(t, hash, true, x);
	if (!at->s && !make)
		return 0;
	if (at->s) {
		*last = at->s >> SYM_PAGE_BITS;
	} else {
		domain_work(d, 1 + x->n / 8);
		struct cell *arg = arena_raw(t->mem, x->n, sizeof *arg);
		struct sym_page p = {.row = true, .head = key_copy(d, x, arg)};
		*last = page_new(t, p);
		slot_fill(t, at, hash, *last << SYM_PAGE_BITS);
	}
	return *last << SYM_PAGE_BITS;
}

uint32_t
sym_lane(struct domain *d, uint32_t s, unsigned t)
{
	struct cell c = cell_sym(s);
	struct key x = {SYM_LANE, 0, &c, 1, sym_flags(d, s) & SYM_BOOL};

	return find_row(d, &x, true) + t;
}

/* Operations on members of an operand's row were made alone; note: one is now. */
static bool
is_loose(const struct domain *d, const struct key *x, bool note)
{
	bool r = false;

	for (uint32_t i = 0; i < x->n; i++) {
		struct sym_page *p = &d->table->page[x->arg[i].s >> SYM_PAGE_BITS];

		if (!sym_in_row(d, x->arg[i].s))
			continue;
		r = r || p->loose;
		p->loose = p->loose || note;
	}
	return r;
}

/*
 * An operation on members k of rows is member k of a row.  Where numbers come in that
 * differ from lane to lane, that would be a row for each lane: such are made alone, and
 * what a loop over lanes makes alone is a row again.
 */
static uint32_t
find_member(struct domain *d, const struct key *x, unsigned k)
{
	struct cell up[LIFT_MAX];
	struct key row = *x;
	bool numbers = false;
	uint32_t s;

	if (is_loose(d, x, false)) {
		s = find_alone(d, x, false);
		d->table->looked = d->table->looked || s;
		if (s)
			return s;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		up[i] = x->arg[i];
		up[i].s -= sym_in_row(d, up[i].s) ? k : 0;
		numbers = numbers || !up[i].s;
	}
	row.arg = up;
	s = find_row(d, &row, !d->alone || !numbers);
	if (s)
		return s + k;
	is_loose(d, x, true);
	d->table->looked = true;
	return find_alone(d, x, true);
}

uint32_t
sym_make(struct domain *d, enum sym_op op, uint64_t tag, const struct cell *arg,
	uint32_t n, unsigned flags)
{
	struct sym_table *t = d->table;
	struct key x = {op, tag, arg, n, flags};
	unsigned k = sym_member(d, arg, n);

	d->made |= flags;
	if (k < SYM_PAGE && n <= LIFT_MAX)
		return find_member(d, &x, k);
	if (!t->n_pages)
		table_open(t);
	uint32_t s = find_alone(d, &x, true);
	t->looked = t->looked || k != SYM_NO_ROW || sym_in_row(d, s);
	return s;
}
