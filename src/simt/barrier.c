/* CTA barriers: who arrives, who waits, when one completes. */
#include "simt/simt.h"

enum { NO_BARRIER = 16 }; /* nobody arrived at it without waiting */

/* ---- arriving ---- */

static void
add_arrival(struct sim *s, struct world *w, const struct arrival *a)
{
	size_t cap = w->cap_bar;

	if (w->n_bar >= w->cap_bar)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof *a);
	arena_grow(s->mem, w->bar, w->n_bar, cap);
	w->cap_bar = (uint32_t)cap;
	w->bar[w->n_bar] = *a;
	w->bar[w->n_bar++].unsure = lmask_exceeds(&w->may_exit, &w->exited);
}

static void
check_double(struct sim *s, struct world *w, const struct group *g, uint32_t id,
	const struct ptx_ins *ins)
{
	for (uint32_t i = 0; i < w->n_bar; i++) {
		struct lmask again;

		if (w->bar[i].id != id || !lmask_meets(&w->bar[i].g.mask, &g->mask))
			continue;
		again = lmask_and(w->bar[i].g.mask, g->mask);
		struct breach_lanes l = {.waits = again};
		breach_add(s, w, g, RULE_BAR_DOUBLE_ARRIVE, ins, 0, &l,
			"%s: a second arrival at barrier %u before it completes",
			breach_lanes_text(s, &again), id);
		return;
	}
}

static bool try_release(struct sim *s, struct world *w, uint32_t id);

/* Under a condition that depends on data. */
static void
arrive_unsure(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, bool counted)
{
	struct lmask alive = world_alive(s, w), unsure = unc_lanes(g);
	struct breach_lanes l = {.waits = lmask_minus(g->mask, unsure),
		.unsure = lmask_and(g->mask, unsure),
		.absent = lmask_minus(alive, g->mask)};

	l.all_or_none = !counted && lmask_empty(&l.absent);
	if (!(lmask_eq(&g->mask, &alive) && unc_same(s, g, &alive) && !w->n_bar))
		breach_add(s, w, g, RULE_DATA_BARRIER, ins, 0, &l,
			"a barrier under a condition that is not known: %s may or may "
			"not be here",
			breach_lanes_text(s, &l.unsure));
	else {
		barrier_note_exits(s, w, &g->mask, g, ins);
		order_barrier(s, w, &g->mask, &g->mask, NO_BARRIER);
	}
	barrier_red_alone(s, w, g, ins);
}

static bool
is_open(const struct world *w, uint32_t id)
{
	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == id)
			return true;
	return false;
}

/* All live lanes of each of its warps are here. */
static bool
is_whole(const struct sim *s, const struct world *w, const struct group *g)
{
	struct lmask alive = world_alive(s, w), warps = lmask_whole_warps(&g->mask);
	struct lmask all = lmask_and(alive, warps);

	return lmask_eq(&all, &g->mask);
}

/* The block begins a barrier of the grid. */
static void
note_grid(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct slice_func *f = sim_func(s, g);

	if (f->grid_bar[ins - f->f->ins])
		sync_count(&w->sync[SYNC_GRID]);
}

/* One warp set, one number, one count.  True: g goes on. */
static bool
arrive(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	struct cell number, struct cell count, bool counted)
{
	struct lmask alive = world_alive(s, w);
	struct arrival a = {.ins = ins,
		.counted = counted,
		.g = *g,
		.alive = alive,
		.tick = order_now(s)};

	if (number.s || count.s) {
		unsigned taint = number.s ? sym_flags(&s->d, number.s) : 0;

		taint |= count.s ? sym_flags(&s->d, count.s) : 0;
		breach_add(s, w, g, RULE_BAR_UNKNOWN, ins, taint & SYM_TAINTS, NULL,
			"the barrier's number or thread count is not known");
		barrier_red_alone(s, w, g, ins);
		return true;
	}
	a.id = (uint32_t)number.v;
	a.count = (uint32_t)count.v;
	struct breach_lanes l = {.waits = g->mask};
	if (a.id > 15) {
		breach_add(s, w, g, RULE_BAR_ID_RANGE, ins, 0, &l,
			"barrier number %u; a block has barriers 0 to 15", a.id);
		barrier_red_alone(s, w, g, ins);
		return true;
	}
	if (counted && (a.count % 32 || !a.count))
		breach_add(s, w, g, RULE_BAR_COUNT, ins, 0, &l,
			"thread count %u is not a positive multiple of 32", a.count);
	if (g->unc) {
		arrive_unsure(s, w, g, ins, counted);
		return true;
	}
	a.waits = ins->form->op != PTX_BARRIER_ARRIVE;
	if (a.waits && !counted && lmask_eq(&g->mask, &alive) && !is_open(w, a.id)) {
		note_grid(s, w, g, ins);
		phase_all(s, w, &g->mask, a.id, ins);
		order_barrier(s, w, &g->mask, &g->mask, NO_BARRIER);
		barrier_note_exits(s, w, &g->mask, g, ins);
		barrier_red_alone(s, w, g, ins);
		return true;
	}
	if (counted && a.count == 32 && is_whole(s, w, g) && !is_open(w, a.id)) {
		phase_alone(s, w, &g->mask, a.id, ins);
		struct val whole = val_int(0);
		order_warps(s, w, &g->mask, &g->mask, &whole);
		barrier_red_each_warp(s, w, g, ins);
		return true;
	}
	if (counted)
		barrier_note_missing_warps(s, w, g, ins, a.count);
	phase_arrive(s, w, &g->mask, a.id, ins);
	check_double(s, w, g, a.id, ins);
	add_arrival(s, w, &a);
	if (!a.waits) {
		try_release(s, w, a.id);
		return true;
	}
	return false;
}

static struct cell
masked(struct cell c)
{
	return c.s ? c : cell_int(c.v & UINT32_MAX);
}

/* A number or count in a register may differ between warps: one arrival for each. */
static bool
arrive_by_value(struct sim *s, struct world *w, struct group *g,
	const struct ptx_ins *ins, const struct val *id, const struct val *count,
	bool counted)
{
	struct lmask left = g->mask;
	bool split = false;

	if (val_uniform(&s->d, id) && val_uniform(&s->d, count))
		return arrive(s, w, g, ins, masked(val_cell(&s->d, id, 0)),
			masked(val_cell(&s->d, count, 0)), counted);
	while (!lmask_empty(&left)) {
		unsigned first = lmask_next(&left, 0);
		struct cell a = masked(val_cell(&s->d, id, first));
		struct cell b = masked(val_cell(&s->d, count, first));
		struct group p = *g;

		p.mask = (struct lmask){{0}};
		LMASK_EACH(t, &left)
		{
			if (cell_eq(a, masked(val_cell(&s->d, id, t))) &&
				cell_eq(b, masked(val_cell(&s->d, count, t))))
				lmask_add(&p.mask, t);
		}
		domain_work(&s->d, s->d.n);
		left = lmask_minus(left, p.mask);
		split = split || !lmask_empty(&left);
		if (!split)
			return arrive(s, w, g, ins, a, b, counted);
		if (arrive(s, w, &p, ins, a, b, counted)) {
			p.ip++;
			world_push(s, w, &p);
		}
	}
	return false;
}

bool
barrier_arrive(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *id = ptx_barrier_id(ins),
				 *count = ptx_barrier_count(ins);
	struct val a = id ? step_read(s, w, g, id) : val_int(0);
	struct val b = count ? step_read(s, w, g, count) : val_int(0);

	return arrive_by_value(s, w, g, ins, &a, &b, count != NULL);
}

/* ---- completing ---- */

/* A site is an instruction and the calls that lead to it: a function that is called from
 * both sides of a condition has a barrier on each. */
static bool
same_site(const struct arrival *a, const struct arrival *b)
{
	return a->ins == b->ins && a->g.frame == b->g.frame;
}

/* Aligned forms: every warp whole at one instruction. */
static void
check_partial(struct sim *s, struct world *w, uint32_t id)
{
	struct lmask alive = world_alive(s, w);

	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];
		struct lmask here = a->g.mask, warps, miss;
		bool first = true;

		if (a->id != id || !PTX_HAS(a->ins->form, ALIGNED))
			continue;
		for (uint32_t k = 0; k < w->n_bar; k++) {
			if (w->bar[k].id != id || !same_site(&w->bar[k], a))
				continue;
			here = lmask_or(here, w->bar[k].g.mask);
			first = first && k >= i;
		}
		warps = lmask_whole_warps(&here);
		miss = lmask_minus(lmask_and(alive, warps), here);
		if (!first || lmask_empty(&miss))
			continue;
		struct breach_lanes l = {.waits = here, .absent = miss, .by = &a->g};
		breach_add(s, w, NULL, RULE_BAR_PARTIAL_WARP, a->ins, 0, &l,
			"waiting here: %s; not coming, of the same warp: %s",
			breach_lanes_text(s, &here), breach_lanes_text(s, &miss));
	}
}

void
barrier_check_partial(struct sim *s, struct world *w)
{
	for (uint32_t id = 0; id < 16; id++)
		check_partial(s, w, id);
}

struct tally {
	struct lmask here, waiters;
	const struct arrival *first, *other; /* other: at another instruction */
	bool counted, uncounted, mixed, red;
	uint32_t count;
};

static struct tally
tally_of(const struct world *w, uint32_t id)
{
	struct tally t = {0};

	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];

		if (a->id != id)
			continue;
		t.here = lmask_or(t.here, a->g.mask);
		if (a->waits)
			t.waiters = lmask_or(t.waiters, a->g.mask);
		if (t.first && !same_site(t.first, a) && !t.other)
			t.other = a;
		t.first = t.first ? t.first : a;
		t.mixed = t.mixed || (t.counted && a->counted && t.count != a->count);
		t.counted = t.counted || a->counted;
		t.uncounted = t.uncounted || !a->counted;
		if (a->counted && a->count > t.count)
			t.count = a->count;
		t.red = t.red || a->ins->form->op == PTX_BARRIER_RED;
	}
	t.mixed = t.mixed || (t.counted && t.uncounted);
	return t;
}

static unsigned
warps_in(const struct sim *s, const struct lmask *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_warps; i++)
		n += lmask_warp(m, i) != 0;
	return n;
}

/* Order of blame: the source line if it is known. */
static uint64_t
site_order(struct sim *s, const struct arrival *a)
{
	uint32_t line = breach_where(s, a->ins, a->g.frame).line;

	return (uint64_t)(line ? line : UINT32_MAX) << 32 | a->ins->line;
}

/* The place of those who wait at a barrier that comes first in the source, whatever the
 * order in which the compiler put its blocks. */
static const struct arrival *
first_wait(struct sim *s, const struct world *w, uint32_t id)
{
	const struct arrival *first = NULL;

	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == id && w->bar[i].waits &&
			(!first || site_order(s, &w->bar[i]) < site_order(s, first)))
			first = &w->bar[i];
	return first;
}

static struct lmask
lanes_at(const struct world *w, const struct arrival *at)
{
	struct lmask m = {{0}};

	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == at->id && same_site(&w->bar[i], at))
			m = lmask_or(m, w->bar[i].g.mask);
	return m;
}

/* `called`: and where it was called, since the instruction alone does not tell. */
static const char *
arrival_place(struct sim *s, const struct arrival *a, bool called)
{
	const struct frame *f = &s->frame[a->g.frame];
	struct ptx_where at = breach_where(s, a->ins, a->g.frame);
	const char *place = breach_place(s->out, a->ins, &at);

	if (!called || !f->ins)
		return place;
	at = breach_where(s, f->ins, f->up);
	return str_c(s->out, str_fmt(s->out, "%s called at %s", place,
				     breach_place(s->out, f->ins, &at)));
}

static void
check_sites(struct sim *s, struct world *w, uint32_t id, const struct tally *t)
{
	const struct arrival *first = t->first, *other = NULL;

	if (!t->other || t->counted)
		return;
	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == id &&
			site_order(s, &w->bar[i]) < site_order(s, first))
			first = &w->bar[i];
	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == id && !same_site(&w->bar[i], first) &&
			(!other || site_order(s, &w->bar[i]) < site_order(s, other)))
			other = &w->bar[i];
	if (!other)
		return;
	bool called = first->ins == other->ins;
	struct lmask here = lanes_at(w, first), there = lanes_at(w, other);
	const char *who = breach_lanes_text(s, &here);
	const char *others = breach_lanes_text(s, &there);
	struct breach_lanes l = {
		.waits = here, .elsewhere = lmask_minus(t->here, here), .by = &first->g};
	breach_add(s, w, NULL, RULE_BAR_SITES, first->ins, 0, &l,
		"%s %s at %s; %s %s at %s", who, breach_verb(who, "waits", "wait"),
		arrival_place(s, first, called), others,
		breach_verb(others, "waits", "wait"), arrival_place(s, other, called));
}

/* Who arrives goes on, so lanes of its warp that did not come may be gone by now. */
static void
check_arrivers(struct sim *s, struct world *w, uint32_t id)
{
	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];

		if (a->id != id || a->waits || !PTX_HAS(a->ins->form, ALIGNED))
			continue;
		struct lmask here = lanes_at(w, a), warps = lmask_whole_warps(&a->g.mask);
		struct lmask gone = lmask_and(
			lmask_minus(lmask_and(a->alive, warps), here), w->exited);
		struct breach_lanes l = {.waits = here,
			.exited = gone,
			.by = &a->g,
			.unsure_here = a->unsure};
		if (!lmask_empty(&gone))
			breach_add(s, w, NULL, RULE_BAR_EXITED, a->ins, 0, &l,
				"arriving here: %s; of the same warp, exited without: %s",
				breach_lanes_text(s, &here), breach_lanes_text(s, &gone));
	}
}

/* Waiters of a completed barrier run again; those at one place as one group. */
static void
resume(struct sim *s, struct world *w, uint32_t id)
{
	uint32_t from = w->n_run, k = 0;

	for (uint32_t i = 0; i < w->n_bar; i++) {
		struct arrival a = w->bar[i];
		uint32_t j = from;

		if (a.id != id) {
			w->bar[k++] = a;
			continue;
		}
		if (!a.waits)
			continue;
		a.g.ip++;
		while (j < w->n_run &&
			!(w->run[j].frame == a.g.frame && w->run[j].bb == a.g.bb &&
				w->run[j].ip == a.g.ip && w->run[j].unc == a.g.unc &&
				w->run[j].calls == a.g.calls &&
				jstack_same(w->run[j].joins, a.g.joins)))
			j++;
		if (j < w->n_run)
			w->run[j].mask = lmask_or(w->run[j].mask, a.g.mask);
		else
			world_push(s, w, &a.g);
	}
	w->n_bar = k;
}

static bool
try_release(struct sim *s, struct world *w, uint32_t id)
{
	struct tally t = tally_of(w, id);
	struct lmask alive = world_alive(s, w);
	struct breach_lanes l = {.waits = t.here, .by = t.first ? &t.first->g : NULL};

	if (!t.first)
		return false;
	if (!t.counted && lmask_exceeds(&alive, &t.here))
		return false;
	uint32_t n = 32 * warps_in(s, &t.here);
	if (t.counted && n < t.count && !t.mixed)
		return false;
	if (t.mixed) {
		breach_add(s, w, NULL, RULE_BAR_COUNT_MISMATCH, t.first->ins, 0, &l,
			"barrier %u is used with different thread counts in one phase",
			id);
		if (n < t.count && lmask_exceeds(&alive, &t.here))
			return false;
	}
	if (t.counted && n > t.count) {
		breach_add(s, w, NULL, RULE_BAR_OVERSUBSCRIBED, t.first->ins, 0, &l,
			"barrier %u: %u threads arrive for a count of %u, so which warps "
			"meet "
			"depends on timing",
			id, n, t.count);
	}
	check_partial(s, w, id);
	check_arrivers(s, w, id);
	if (!t.counted)
		barrier_note_exits(s, w, &t.here, &t.first->g, t.first->ins);
	check_sites(s, w, id, &t);
	if (t.red)
		barrier_red_all(s, w, id);
	note_grid(s, w, &t.first->g, t.first->ins);
	phase_complete(s, w, id, &t.waiters);
	order_barrier(s, w, &t.waiters, &t.waiters, id);
	resume(s, w, id);
	return true;
}

bool
barrier_someone_waits(const struct world *w)
{
	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].waits)
			return true;
	return false;
}

bool
barrier_release_any(struct sim *s, struct world *w)
{
	for (uint32_t id = 0; id < 16; id++) {
		bool waits = false;

		for (uint32_t i = 0; i < w->n_bar; i++)
			waits = waits || (w->bar[i].id == id && w->bar[i].waits);
		if (waits && try_release(s, w, id))
			return true;
	}
	return false;
}

void
barrier_deadlock(struct sim *s, struct world *w)
{
	struct lmask alive = world_alive(s, w);
	uint16_t seen = 0;

	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];

		if (!a->waits || seen >> a->id & 1)
			continue;
		seen |= (uint16_t)(1u << a->id);
		struct tally t = tally_of(w, a->id);
		const struct arrival *at = first_wait(s, w, a->id);
		struct lmask all = {{0}}, missing = lmask_minus(alive, t.here);
		for (uint32_t k = 0; k < w->n_bar; k++)
			if (w->bar[k].waits)
				all = lmask_or(all, w->bar[k].g.mask);
		struct breach_lanes l = {.waits = t.waiters,
			.elsewhere = lmask_minus(all, t.waiters),
			.exited = w->exited,
			.absent = lmask_minus(alive, all),
			.by = &at->g};
		if (t.counted)
			breach_add(s, w, NULL, RULE_BAR_STARVED, at->ins, 0, &l,
				"barrier %u counts %u threads, only %u ever arrive (%s)",
				a->id, t.count, 32 * warps_in(s, &t.here),
				breach_lanes_text(s, &t.here));
		else
			breach_add(s, w, NULL, RULE_BAR_DEADLOCK, at->ins, 0, &l,
				"waiting here for ever: %s; never coming: %s",
				breach_lanes_text(s, &t.waiters),
				breach_lanes_text(s, &missing));
	}
}

void
barrier_left_open(struct sim *s, struct world *w)
{
	for (uint32_t id = 0; id < 16; id++)
		check_arrivers(s, w, id);
	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];
		struct breach_lanes l = {
			.waits = a->g.mask, .by = &a->g, .unsure_here = a->unsure};

		/* who is not waited for harms nobody */
		if (!a->counted || a->count <= 32 * s->n_warps)
			continue;
		breach_add(s, w, NULL, RULE_BAR_LEFT_OPEN, a->ins, 0, &l,
			"barrier %u counts %u threads, the block has %u: %s arrive at "
			"what can "
			"never complete",
			a->id, a->count, s->d.n, breach_lanes_text(s, &a->g.mask));
	}
}
