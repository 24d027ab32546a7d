/* Worlds: everything that differs between two runs of the same block. */
#include "simt/memory.h"

/* Clearing and copying memory takes time; how much there may be is grid.c's cap. */
void
sim_charge(struct sim *s, size_t bytes)
{
	domain_work(&s->d, bytes / 32);
}

void *
sim_alloc(struct sim *s, size_t n, size_t size)
{
	sim_charge(s, n * size);
	return arena_array(s->mem, n, size);
}

void *
sim_raw(struct sim *s, size_t n, size_t size)
{
	sim_charge(s, n * size);
	return arena_raw(s->mem, n, size);
}

struct world *
world_new(struct sim *s)
{
	return sim_alloc(s, 1, sizeof(struct world));
}

static void *
copied(struct sim *s, const void *v, size_t n, size_t size)
{
	if (!n)
		return NULL;
	return memcpy(sim_raw(s, n, size), v, n * size);
}

struct world *
world_copy(struct sim *s, const struct world *w)
{
	struct world *c = world_new(s);

	*c = *w;
	c->regs = copied(s, w->regs, w->n_regs, sizeof *w->regs);
	c->cap_regs = w->n_regs;
	c->run = copied(s, w->run, w->n_run, sizeof *w->run);
	c->cap_run = w->n_run;
	c->bar = copied(s, w->bar, w->n_bar, sizeof *w->bar);
	c->cap_bar = w->n_bar;
	c->coll = copied(s, w->coll, w->n_coll, sizeof *w->coll);
	c->cap_coll = w->n_coll;
	c->join = copied(s, w->join, w->n_join, sizeof *w->join);
	c->cap_join = w->n_join;
	for (uint32_t i = 0; i < c->n_join; i++) {
		struct join *j = &c->join[i];

		j->arrived = copied(s, j->arrived, j->n, sizeof *j->arrived);
		j->cap = j->n;
	}
	c->path = copied(s, w->path, w->n_path, sizeof *w->path);
	c->cap_path = w->n_path;
	c->visit = copied(s, w->visit, w->n_visit, sizeof *w->visit);
	c->cap_visit = w->n_visit;
	c->cwait = copied(s, w->cwait, w->n_cwait, sizeof *w->cwait);
	c->cap_cwait = w->n_cwait;
	c->cpart = copied(s, w->cpart, w->n_cpart, sizeof *w->cpart);
	c->cap_cpart = w->n_cpart;
	if (w->clocks)
		c->clocks = clock_copy(s, w->clocks);
	c->mbar = copied(s, w->mbar, w->n_mbar, sizeof *w->mbar);
	c->cap_mbar = w->n_mbar;
	c->mwait = copied(s, w->mwait, w->n_mwait, sizeof *w->mwait);
	c->cap_mwait = w->n_mwait;
	c->touch = copied(s, w->touch, w->n_touch, sizeof *w->touch);
	domain_work(&s->d, 16 + w->n_regs);
	return c;
}

bool
jstack_same(const struct jstack *a, const struct jstack *b)
{
	for (; a != b; a = a->up, b = b->up)
		if (!a || !b || a->join != b->join || a->depth != b->depth)
			return false;
	return true;
}

static bool
group_same(const struct group *a, const struct group *b)
{
	return a->frame == b->frame && a->bb == b->bb && a->ip == b->ip &&
	       a->unc == b->unc && lmask_eq(&a->mask, &b->mask) &&
	       jstack_same(a->joins, b->joins);
}

/* The same groups in any order. */
static bool
groups_same(struct sim *s, const struct group *a, uint32_t n, const struct group *b,
	uint32_t m)
{
	if (n != m)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;

		while (k < m && !group_same(&a[i], &b[k]))
			k++;
		domain_work(&s->d, k + 1);
		if (k == m)
			return false;
	}
	return true;
}

static bool
arrival_same(const struct arrival *a, const struct arrival *b)
{
	if (a->id != b->id || a->waits != b->waits || a->counted != b->counted ||
		a->count != b->count || a->ins != b->ins)
		return false;
	return a->waits ? group_same(&a->g, &b->g) : lmask_eq(&a->g.mask, &b->g.mask);
}

static bool
arrivals_same(const struct world *a, const struct world *b)
{
	if (a->n_bar != b->n_bar)
		return false;
	for (uint32_t i = 0; i < a->n_bar; i++) {
		uint32_t k = 0;

		while (k < b->n_bar && !arrival_same(&a->bar[i], &b->bar[k]))
			k++;
		if (k == b->n_bar)
			return false;
	}
	return true;
}

static bool
meetings_same(const struct world *a, const struct world *b)
{
	if (a->n_coll != b->n_coll)
		return false;
	for (uint32_t i = 0; i < a->n_coll; i++) {
		uint32_t k = 0;

		while (k < b->n_coll &&
			(a->coll[i].ins != b->coll[k].ins ||
				!lmask_eq(&a->coll[i].left, &b->coll[k].left) ||
				!group_same(&a->coll[i].g, &b->coll[k].g)))
			k++;
		if (k == b->n_coll)
			return false;
	}
	return true;
}

/* The same lanes went on at each that both have. */
static bool
passed_same(const struct world *a, const struct world *b)
{
	for (uint32_t i = 0; i < a->n_join; i++) {
		uint32_t k = 0;

		while (k < b->n_join && b->join[k].id != a->join[i].id)
			k++;
		if (k < b->n_join && !lmask_eq(&a->join[i].passed, &b->join[k].passed))
			return false;
	}
	return true;
}

/* Joins that somebody waits at. */
static bool
joins_same(struct sim *s, const struct world *a, const struct world *b)
{
	uint32_t n = 0, m = 0;

	for (uint32_t i = 0; i < b->n_join; i++)
		m += b->join[i].n > 0;
	for (uint32_t i = 0; i < a->n_join; i++) {
		const struct join *j = &a->join[i];
		uint32_t k = 0;

		if (!j->n)
			continue;
		n++;
		while (k < b->n_join && b->join[k].id != j->id)
			k++;
		if (k == b->n_join || !groups_same(s, j->arrived, j->n,
					      b->join[k].arrived, b->join[k].n))
			return false;
	}
	return n == m;
}

bool
world_same_shape(struct sim *s, const struct world *a, const struct world *b)
{
	return lmask_eq(&a->exited, &b->exited) && lmask_eq(&a->bypass, &b->bypass) &&
	       lmask_eq(&a->ahead, &b->ahead) && lmask_eq(&a->pending, &b->pending) &&
	       groups_same(s, a->run, a->n_run, b->run, b->n_run) &&
	       arrivals_same(a, b) && meetings_same(a, b) && joins_same(s, a, b) &&
	       passed_same(a, b) && cluster_same(a, b) && mbarrier_same(a, b) &&
	       clock_same(s, a->clocks, b->clocks);
}

void
world_push(struct sim *s, struct world *w, const struct group *g)
{
	if (w->n_run >= w->cap_run) {
		size_t cap = w->cap_run;

		sim_charge(s, (cap ? cap * 2 : 8) * sizeof *g);
		w->run = arena_regrow(s->mem, w->run, w->n_run, &cap, sizeof *g);
		w->cap_run = (uint32_t)cap;
	}
	w->run[w->n_run++] = *g;
}

void
world_rejoin(struct sim *s, struct world *w, const struct group *g)
{
	for (uint32_t i = 0; i < w->n_run; i++) {
		struct group *r = &w->run[i];

		if (r->frame == g->frame && r->bb == g->bb && r->ip == g->ip &&
			r->unc == g->unc && r->calls == g->calls &&
			jstack_same(r->joins, g->joins)) {
			r->mask = lmask_or(r->mask, g->mask);
			return;
		}
	}
	world_push(s, w, g);
}

struct val
world_get(const struct world *w, uint32_t slot)
{
	return slot < w->n_regs ? w->regs[slot] : (struct val){.kind = VAL_NONE};
}

struct val *
world_reg(struct sim *s, struct world *w, uint32_t slot)
{
	uint32_t n = s->n_slots > slot ? s->n_slots : slot + 1;

	if (n > w->cap_regs) {
		uint32_t cap = w->n_regs ? 2 * n : n;
		struct val *v = sim_alloc(s, cap, sizeof *v);

		if (w->n_regs)
			memcpy(v, w->regs, w->n_regs * sizeof *v);
		w->regs = v;
		w->cap_regs = cap;
	}
	if (slot >= w->n_regs)
		w->n_regs = n;
	return &w->regs[slot];
}

struct join *
world_join(struct world *w, uint32_t id)
{
	for (uint32_t i = w->n_join; i-- > 0;)
		if (w->join[i].id == id)
			return &w->join[i];
	return NULL;
}

void
world_drop_join(struct world *w, uint32_t id)
{
	for (uint32_t i = 0; i < w->n_join; i++)
		if (w->join[i].id == id) {
			memmove(&w->join[i], &w->join[i + 1],
				(w->n_join - i - 1) * sizeof w->join[0]);
			w->n_join--;
			return;
		}
}

void
world_assume(struct sim *s, struct world *w, uint32_t sym, bool is)
{
	size_t cap = w->cap_path;

	if (w->n_path >= w->cap_path)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof w->path[0]);
	arena_grow(s->mem, w->path, w->n_path, cap);
	w->cap_path = (uint32_t)cap;
	w->path[w->n_path++] = (struct fact){sym, is};
}

void
world_forget_stays(struct sim *s, struct world *w)
{
	w->exits = ++s->next_load;
	for (uint32_t i = 0; i < w->n_run; i++)
		w->run[i].stay = NULL;
	for (uint32_t i = 0; i < w->n_bar; i++)
		w->bar[i].g.stay = NULL;
	for (uint32_t i = 0; i < w->n_coll; i++)
		w->coll[i].g.stay = NULL;
	for (uint32_t i = 0; i < w->n_mwait; i++)
		w->mwait[i].g.stay = NULL;
	for (uint32_t i = 0; i < w->n_join; i++)
		for (uint32_t k = 0; k < w->join[i].n; k++)
			w->join[i].arrived[k].stay = NULL;
}

struct lmask
world_alive(const struct sim *s, const struct world *w)
{
	return lmask_minus(s->full, w->exited);
}

void
results_add(struct sim *s, struct results *r, enum outcome k, struct entry *e,
	struct world *w)
{
	if (r->n >= r->cap)
		sim_charge(s, (r->cap ? r->cap * 2 : 8) * sizeof *r->v);
	arena_grow(s->mem, r->v, r->n, r->cap);
	r->v[r->n++] = (struct result){k, e, w};
}
