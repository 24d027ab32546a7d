/*
 * Who comes after what was done to shared words.  PTX ISA "Memory Consistency Model":
 * barriers and bar.warp.sync order what their participants did before with what they do
 * after.  Fences, atomics and mbarriers may order more; that is not used.
 */
#include "simt/memory.h"

static const struct lmask nobody = {{0}};

/* NULL: nothing was done since all threads met. */
static const struct touch *
touched(const struct world *w, uint32_t word)
{
	if (word >= w->n_touch || w->touch[word].epoch != w->epoch)
		return NULL;
	return &w->touch[word];
}

static struct touch *
touch_of(struct sim *s, struct world *w, uint32_t word)
{
	if (word >= w->n_touch) {
		uint32_t n = s->memory->n_words + s->memory->n_words / 2 + 8;
		struct touch *t = sim_alloc(s, n, sizeof *t);

		if (w->n_touch)
			memcpy(t, w->touch, w->n_touch * sizeof *t);
		w->touch = t;
		w->n_touch = n;
	}
	/* 0 is the epoch of entries that were never used */
	if (!w->epoch)
		w->epoch = 1;
	struct touch *t = &w->touch[word];
	if (t->epoch != w->epoch)
		*t = (struct touch){.epoch = w->epoch,
			.known = &s->full,
			.seen = &s->full,
			.readers = &nobody};
	return t;
}

static const struct lmask *
kept(struct sim *s, const struct lmask *m)
{
	struct lmask *c;

	if (lmask_count(m) == 1)
		return memory_lane(s, lmask_next(m, 0));
	c = sim_alloc(s, 1, sizeof *c);
	*c = *m;
	return c;
}

/* Nothing orders a read and a write: the run cannot tell what is read. */
static void
conflict(struct sim *s, uint32_t word)
{
	const struct memory *m = s->memory;

	s->unfollowed[m->region[m->word[word].region].var] = true;
	domain_stop(&s->d, STOP_UNFOLLOWED, NULL);
}

static bool
written_before(const struct touch *t, const struct lmask *who)
{
	return !t || !t->wrote || !lmask_exceeds(who, t->known);
}

static uint32_t
rest_of(const struct sim *s, uint32_t word)
{
	return s->memory->region[s->memory->word[word].region].rest;
}

/* What else is at the same bytes: the next word after `i`, which is `word` at first;
 * PTX_NONE at the end. */
static uint32_t
next_at(const struct sim *s, uint32_t word, uint32_t i)
{
	const struct memory *m = s->memory;
	const struct word *x = &m->word[word];
	const struct region *r = &m->region[x->region];
	uint32_t k = i == word ? r->first : m->word[i].next;

	if (!r->mixed || !x->bytes)
		return PTX_NONE;
	for (; k; k = m->word[k - 1].next) {
		const struct word *y = &m->word[k - 1];

		if (k - 1 != word && y->off < x->off + x->bytes &&
			x->off < y->off + y->bytes)
			return k - 1;
	}
	return PTX_NONE;
}

/* All writes to these bytes come before what `who` does now. */
static bool
all_before(struct sim *s, const struct world *w, uint32_t word, const struct lmask *who,
	bool *several)
{
	const struct touch *t = touched(w, rest_of(s, word));
	bool r = written_before(t, who);

	for (uint32_t i = word; i != PTX_NONE && r; i = next_at(s, word, i)) {
		t = touched(w, i);
		r = written_before(t, who);
		*several = *several || (t && t->wrote && t->several);
	}
	return r;
}

void
order_read(struct sim *s, struct world *w, uint32_t word, const struct lmask *who)
{
	bool several = false;

	if (!all_before(s, w, word, who, &several))
		conflict(s, word);
	struct touch *t = touch_of(s, w, word);
	bool one = lmask_count(who) == 1;
	struct lmask r = lmask_or(*t->readers, *who);
	struct lmask seen = one ? lmask_and(*t->seen, *who) : nobody;
	t->read = ++s->memory->tick;
	if (!lmask_eq(&r, t->readers))
		t->readers = kept(s, &r);
	if (!lmask_eq(&seen, t->seen))
		t->seen = lmask_empty(&seen) ? &nobody : kept(s, &seen);
}

bool
order_write(struct sim *s, struct world *w, uint32_t word, const struct lmask *who,
	enum order_value v)
{
	bool several = false;
	bool before = all_before(s, w, word, who, &several), ordered = before && !several;
	bool rest = written_before(touched(w, rest_of(s, word)), who);

	for (uint32_t i = word; i != PTX_NONE; i = next_at(s, word, i)) {
		const struct touch *x = touched(w, i);

		if (x && x->read && lmask_exceeds(who, x->seen))
			conflict(s, word);
	}
	struct touch *t = touch_of(s, w, word);
	if (ordered) {
		t->several = lmask_count(who) > 1;
		t->known = t->several && v == ORDER_ANY ? &nobody : kept(s, who);
	} else {
		struct lmask all = lmask_or(*t->known, *who);

		t->several = true;
		t->known = v == ORDER_SAME && rest ? kept(s, &all) : &nobody;
	}
	t->wrote = t->learnt = ++s->memory->tick;
	return ordered;
}

uint64_t
order_now(const struct sim *s)
{
	return s->memory ? s->memory->tick : 0;
}

/* ---- barriers ---- */

struct learn {
	struct sim *s;
	const struct world *w;
	const struct lmask *from, *to;
	uint32_t id; /* of a barrier with arrivals that did not wait */
	const struct lmask *last_in, *last_out;
};

static const struct lmask *
widened(struct learn *l, const struct lmask *m)
{
	if (!l->last_out || l->last_in != m) {
		struct lmask x = lmask_or(*m, *l->to);

		l->last_in = m;
		l->last_out = kept(l->s, &x);
	}
	return l->last_out;
}

static bool
brings(const struct learn *l, const struct touch *t, bool write)
{
	struct lmask all = *l->from;

	for (uint32_t i = 0; i < l->w->n_bar; i++) {
		const struct arrival *a = &l->w->bar[i];

		if (a->id != l->id || a->waits || a->tick < t->learnt ||
			(!write && a->tick < t->read))
			continue;
		all = lmask_or(all, a->g.mask);
	}
	if (write)
		return lmask_meets(&all, t->known);
	return lmask_meets(&all, t->seen) || !lmask_exceeds(t->readers, &all);
}

static void
learn_touch(struct learn *l, struct touch *t)
{
	bool k = t->wrote && lmask_exceeds(l->to, t->known) && brings(l, t, true);
	bool r = t->read && lmask_exceeds(l->to, t->seen) && brings(l, t, false);

	if (k)
		t->known = widened(l, t->known);
	if (r)
		t->seen = widened(l, t->seen);
	if (k || r)
		t->learnt = ++l->s->memory->tick;
}

void
order_barrier(struct sim *s, struct world *w, const struct lmask *from,
	const struct lmask *to, uint32_t id)
{
	struct lmask alive = world_alive(s, w);
	struct learn l = {s, w, from, to, id, NULL, NULL};

	if (!s->memory)
		return;
	if (lmask_empty(&w->exited) && lmask_eq(from, &alive) && lmask_eq(to, &alive)) {
		w->epoch = ++s->memory->tick;
		return;
	}
	domain_work(&s->d, w->n_touch);
	for (uint32_t i = 0; i < w->n_touch; i++)
		if (touched(w, i))
			learn_touch(&l, &w->touch[i]);
}

/* At most one set of lanes in a warp. */
static void
learn_warps(struct sim *s, struct touch *t, const struct lmask *sets)
{
	struct lmask known = *t->known, seen = *t->seen;

	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t set = lmask_warp(sets, i);
		struct lmask m = lmask_of_warp(i, set);

		if (!set)
			continue;
		if (t->wrote && lmask_warp(t->known, i) & set)
			lmask_add_warp(&known, i, set);
		if (t->read &&
			(lmask_warp(t->seen, i) & set || !lmask_exceeds(t->readers, &m)))
			lmask_add_warp(&seen, i, set);
	}
	bool k = !lmask_eq(&known, t->known), r = !lmask_eq(&seen, t->seen);
	if (k)
		t->known = kept(s, &known);
	if (r)
		t->seen = kept(s, &seen);
	if (k || r)
		t->learnt = ++s->memory->tick;
}

/* The lanes of a warp that have the mask of the first of them. */
static uint32_t
one_set(struct sim *s, unsigned warp, uint32_t in, uint32_t there, const struct val *mask)
{
	uint32_t set = 0;
	struct cell c = val_cell(&s->d, mask, warp * 32 + (unsigned)__builtin_ctz(in));

	for (unsigned k = 0; k < 32; k++)
		if (in >> k & 1 && cell_eq(c, val_cell(&s->d, mask, warp * 32 + k)))
			set |= UINT32_C(1) << k;
	return set == in ? in | there : set;
}

void
order_warps(struct sim *s, struct world *w, const struct lmask *who,
	const struct lmask *there, const struct val *mask)
{
	struct lmask left = *who;

	if (!s->memory)
		return;
	while (!lmask_empty(&left)) {
		struct lmask sets = {{0}};

		for (unsigned i = 0; i < s->n_warps; i++) {
			uint32_t in = lmask_warp(&left, i);

			if (in)
				lmask_add_warp(&sets, i,
					one_set(s, i, in, lmask_warp(there, i), mask));
		}
		left = lmask_minus(left, sets);
		domain_work(&s->d, s->d.n + (uint64_t)w->n_touch * 2);
		for (uint32_t i = 0; i < w->n_touch; i++)
			if (touched(w, i))
				learn_warps(s, &w->touch[i], &sets);
	}
}

/* ---- merging ---- */

static bool
join_touch(struct sim *s, struct touch *r, const struct touch *a, const struct touch *b)
{
	static const struct touch none;
	struct touch old = *r;

	a = a ? a : &none;
	b = b ? b : &none;
	struct lmask known =
		lmask_and(a->wrote ? *a->known : s->full, b->wrote ? *b->known : s->full);
	struct lmask seen =
		lmask_and(a->read ? *a->seen : s->full, b->read ? *b->seen : s->full);
	struct lmask readers =
		lmask_or(a->read ? *a->readers : nobody, b->read ? *b->readers : nobody);
	r->wrote = a->wrote > b->wrote ? a->wrote : b->wrote;
	r->read = a->read > b->read ? a->read : b->read;
	r->learnt = a->learnt > b->learnt ? a->learnt : b->learnt;
	r->several = a->several || b->several;
	bool k = !lmask_eq(&known, old.known), e = !lmask_eq(&seen, old.seen),
	     p = !lmask_eq(&readers, old.readers);
	if (k)
		r->known = kept(s, &known);
	if (e)
		r->seen = kept(s, &seen);
	if (p)
		r->readers = kept(s, &readers);
	return k || e || p || r->several != old.several || !r->wrote != !old.wrote ||
	       !r->read != !old.read;
}

bool
order_join(struct sim *s, struct world *w, const struct world *a, const struct world *b)
{
	bool changed = false;
	uint32_t n = s->memory ? s->memory->n_words : 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct touch *x = touched(a, i), *y = touched(b, i);
		struct touch cx, cy;

		if (!x && !y)
			continue;
		/* w may be a, and its array may move */
		if (x)
			cx = *x;
		if (y)
			cy = *y;
		struct touch *r = touch_of(s, w, i);
		changed = join_touch(s, r, x ? &cx : NULL, y ? &cy : NULL) || changed;
	}
	domain_work(&s->d, n);
	return changed;
}

static bool
since(const struct touch *t, uint64_t when, bool write)
{
	return t && (write ? t->wrote : t->read) > when;
}

/* The word was written since then, or what is at the same bytes. */
static bool
written_since(const struct sim *s, const struct world *w, uint32_t word, uint64_t when)
{
	bool r = since(touched(w, rest_of(s, word)), when, true);

	for (uint32_t i = word; i != PTX_NONE && !r; i = next_at(s, word, i))
		r = since(touched(w, i), when, true);
	return r;
}

static void
compare_sides(struct sim *s, const struct world *a, const struct world *b, uint64_t when)
{
	uint32_t n = s->memory ? s->memory->n_words : 0;

	for (uint32_t i = 0; i < n; i++) {
		if (rest_of(s, i) == PTX_NONE)
			continue;
		if ((since(touched(a, i), when, false) && written_since(s, b, i, when)) ||
			(since(touched(b, i), when, false) &&
				written_since(s, a, i, when)))
			conflict(s, i);
	}
	domain_work(&s->d, n);
}

void
order_take(struct sim *s, struct world *w, const struct world *x)
{
	if (!s->memory)
		return;
	w->touch = sim_alloc(s, x->n_touch + 1, sizeof *w->touch);
	if (x->n_touch)
		memcpy(w->touch, x->touch, x->n_touch * sizeof *w->touch);
	w->n_touch = x->n_touch;
	w->epoch = x->epoch;
}

void
order_both(struct sim *s, struct world *w, const struct world *a, const struct world *b,
	uint64_t when)
{
	compare_sides(s, a, b, when);
	order_take(s, w, a);
	order_join(s, w, w, b);
	/* which of several lanes wrote is not known: none has to have seen its own */
	for (uint32_t i = 0; i < w->n_touch; i++)
		if (since(touched(w, i), when, true) && w->touch[i].several)
			w->touch[i].known = &nobody;
}

void
order_absorb(struct sim *s, struct world *w, const struct world *ended, uint64_t when)
{
	uint32_t n = s->memory ? s->memory->n_words : 0;

	compare_sides(s, w, ended, when);
	for (uint32_t i = 0; i < n; i++) {
		const struct word x = s->memory->word[i];
		const struct touch *e = touched(ended, i);

		if (!s->memory->region[x.region].shared || !e)
			continue;
		if (since(e, when, true)) {
			struct val a = world_get(ended, x.slot), b = world_get(w, x.slot);

			if (!val_same(&s->d, &a, &b)) {
				struct val v = memory_merge(s, x.slot, NULL, &a, &b);

				memory_put(s, w, i, &v);
			}
		}
		struct touch before = *e, *t = touch_of(s, w, i);
		struct touch now = *t;
		join_touch(s, t, &now, &before);
		if (since(&before, when, true)) {
			t->known = &nobody;
			t->several = true;
		}
	}
	domain_work(&s->d, n);
}
