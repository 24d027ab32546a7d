#include "simt/memory.h"

#include "slice/pointee.h"
#include "value/affine.h"

enum { WORDS_MAX = 8192, HASH_MIN = 1024, FAR = 1 << 30 };

/* ---- regions and words ---- */

bool
memory_follows(const struct sim *s, uint32_t var)
{
	return s->memory && s->s->points->follow[var] && !s->unfollowed[var];
}

uint32_t
memory_region(struct sim *s, uint32_t var, uint32_t frame)
{
	struct memory *m = s->memory;
	bool shared = s->m->vars[var].space == PTX_SPACE_SHARED;

	for (uint32_t i = 0; i < m->n_regions; i++)
		if (m->region[i].var == var && (shared || m->region[i].frame == frame))
			return i;
	size_t cap = m->cap_regions;
	if (m->n_regions >= m->cap_regions)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof m->region[0]);
	arena_grow(s->mem, m->region, m->n_regions, cap);
	m->cap_regions = (uint32_t)cap;
	uint32_t r = m->n_regions++;
	m->region[r] = (struct region){.var = var,
		.frame = shared ? 0 : frame,
		.shared = shared,
		.rest = PTX_NONE};
	if (shared)
		m->region[r].rest = memory_word(s, r, 0, 0);
	return r;
}

void
memory_begin(struct sim *s)
{
	const struct points *p = s->s->points;

	s->memory = NULL;
	if (!p || !p->any)
		return;
	s->memory = sim_alloc(s, 1, sizeof *s->memory);
	s->memory->lane = sim_alloc(s, s->d.n, sizeof *s->memory->lane);
	s->memory->tick = 1;
	/* a write to anywhere has to find them */
	for (uint32_t v = 0; v < s->m->n_vars; v++)
		if (memory_follows(s, v) && p->first[v] == v &&
			s->m->vars[v].space == PTX_SPACE_SHARED)
			memory_region(s, v, 0);
}

static uint32_t
word_hash(uint32_t region, int64_t off, uint32_t bytes)
{
	uint64_t h = ((uint64_t)off * 16 + bytes) * UINT64_C(0x9e3779b97f4a7c15) + region;

	return (uint32_t)(h ^ h >> 32);
}

static void
hash_grow(struct sim *s)
{
	struct memory *m = s->memory;

	m->n_hash = m->n_hash ? m->n_hash * 4 : HASH_MIN;
	m->hash = sim_alloc(s, m->n_hash, sizeof *m->hash);
	for (uint32_t i = 0; i < m->n_words; i++) {
		const struct word *x = &m->word[i];
		uint32_t k = word_hash(x->region, x->off, x->bytes) & (m->n_hash - 1);

		while (m->hash[k])
			k = (k + 1) & (m->n_hash - 1);
		m->hash[k] = i + 1;
	}
}

static uint32_t
new_slot(struct sim *s, uint32_t word)
{
	struct memory *m = s->memory;
	uint32_t slot = s->n_slots++;

	if (slot >= 1 << 20)
		domain_stop(&s->d, STOP_BUDGET, "memory");
	if (slot >= m->n_of_slot) {
		uint32_t n = slot * 2 + 64, *v = sim_alloc(s, n, sizeof *v);

		if (m->n_of_slot)
			memcpy(v, m->of_slot, m->n_of_slot * sizeof *v);
		m->of_slot = v;
		m->n_of_slot = n;
	}
	m->of_slot[slot] = word + 1;
	return slot;
}

static void
add_to_region(struct memory *m, uint32_t i)
{
	struct word *x = &m->word[i];
	struct region *r = &m->region[x->region];

	if (!x->bytes)
		return;
	if (r->first) {
		const struct word *y = &m->word[r->first - 1];

		r->mixed = r->mixed || y->bytes != x->bytes ||
			   (y->off - x->off) % (int64_t)x->bytes != 0;
	}
	r->bytes = x->bytes;
	x->next = r->first;
	r->first = i + 1;
}

uint32_t
memory_word(struct sim *s, uint32_t region, int64_t off, uint32_t bytes)
{
	struct memory *m = s->memory;
	uint32_t h = word_hash(region, off, bytes), k;

	if (2 * m->n_words >= m->n_hash)
		hash_grow(s);
	for (k = h & (m->n_hash - 1); m->hash[k]; k = (k + 1) & (m->n_hash - 1)) {
		const struct word *x = &m->word[m->hash[k] - 1];

		if (x->region == region && x->off == off && x->bytes == bytes)
			return m->hash[k] - 1;
	}
	if (m->n_words >= WORDS_MAX) {
		/* too large to be followed word by word */
		s->unfollowed[m->region[region].var] = true;
		domain_stop(&s->d, STOP_UNFOLLOWED, NULL);
	}
	size_t cap = m->cap_words;
	if (m->n_words >= m->cap_words)
		sim_charge(s, (cap ? cap * 2 : 8) * sizeof m->word[0]);
	arena_grow(s->mem, m->word, m->n_words, cap);
	m->cap_words = (uint32_t)cap;
	uint32_t i = m->n_words++;
	m->word[i] = (struct word){.region = region, .off = off, .bytes = bytes};
	m->word[i].slot = new_slot(s, i);
	m->hash[k] = i + 1;
	add_to_region(m, i);
	return i;
}

bool
memory_is_slot(const struct sim *s, uint32_t slot)
{
	return s->memory && slot < s->memory->n_of_slot && s->memory->of_slot[slot];
}

uint32_t
memory_bytes(const struct sim *s, uint32_t slot)
{
	return s->memory->word[s->memory->of_slot[slot] - 1].bytes;
}

const struct lmask *
memory_lane(struct sim *s, unsigned t)
{
	if (!s->memory->lane[t]) {
		struct lmask *m = sim_alloc(s, 1, sizeof *m);

		lmask_add(m, t);
		s->memory->lane[t] = m;
	}
	return s->memory->lane[t];
}

/* ---- contents ---- */

unsigned
memory_stray(const struct sim *s)
{
	return s->no_workspace ? SYM_WORKSPACE : 0u;
}

static struct val
unknown(struct sim *s, const struct word *x)
{
	bool shared = s->memory->region[x->region].shared;

	return val_sym(sym_fresh(&s->d,
		SYM_TAINT_MEM | (shared ? 0u : (unsigned)SYM_DIV) | memory_stray(s)));
}

static struct cell
part_of_cell(struct domain *d, struct cell c, unsigned at, unsigned bytes)
{
	if (!c.s)
		return cell_int(c.v >> (8 * at) & bits_mask(8 * bytes));
	if (!at && sym_is_bool(d, c))
		return c;
	if (at % bytes)
		return cell_sym(sym_fresh(d, SYM_TAINT_MEM | sym_div(d, &c, 1)));
	return cell_sym(
		sym_make(d, SYM_PART, (uint64_t)(at / bytes) << 8 | (uint64_t)8 * bytes,
			&c, 1, sym_div(d, &c, 1)));
}

/* Bytes [at, at + bytes) of a value. */
static struct val
part_of_val(struct sim *s, const struct val *v, unsigned at, unsigned bytes)
{
	struct domain *d = &s->d;
	struct val x = affine_forget(d, v);
	uint64_t n[LANES_MAX];
	uint32_t sy[LANES_MAX];

	if (x.kind == VAL_INT || x.kind == VAL_SYM)
		return val_of_cell(part_of_cell(d, val_flat(&x), at, bytes));
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = part_of_cell(d, val_cell(d, &x, t), at, bytes);

		n[t] = c.v;
		sy[t] = c.s;
	}
	domain_work(d, d->n);
	return val_pack(d, n, sy);
}

static bool
overlap(const struct word *a, const struct word *b)
{
	return a->off < b->off + b->bytes && b->off < a->off + a->bytes;
}

static bool
holds(const struct word *a, const struct word *b)
{
	return a->off <= b->off && b->off + b->bytes <= a->off + a->bytes;
}

/* From words of other sizes at the same place; NONE if they do not say. */
static struct val
derived(struct sim *s, struct world *w, const struct word *x)
{
	struct memory *m = s->memory;
	struct val r = {.kind = VAL_NONE};
	uint64_t n = 0, have = 0;

	for (uint32_t i = m->region[x->region].first; i; i = m->word[i - 1].next) {
		const struct word *y = &m->word[i - 1];
		struct val v = world_get(w, y->slot);

		domain_work(&s->d, 1);
		if (y == x || v.kind == VAL_NONE || !overlap(x, y))
			continue;
		if (holds(y, x))
			return part_of_val(s, &v, (unsigned)(x->off - y->off), x->bytes);
		if (!holds(x, y) || v.kind != VAL_INT)
			continue;
		unsigned at = (unsigned)(y->off - x->off);
		n |= (v.i & bits_mask(8 * y->bytes)) << (8 * at);
		have |= bits_mask(y->bytes) << at;
	}
	return have == bits_mask(x->bytes) ? val_int(n) : r;
}

struct val
memory_content(struct sim *s, struct world *w, uint32_t word)
{
	struct word x = s->memory->word[word];
	struct val v = world_get(w, x.slot);

	if (v.kind != VAL_NONE)
		return v;
	if (s->memory->region[x.region].mixed)
		v = derived(s, w, &s->memory->word[word]);
	if (v.kind == VAL_NONE)
		v = unknown(s, &x);
	*world_reg(s, w, x.slot) = v;
	return v;
}

void
memory_put(struct sim *s, struct world *w, uint32_t word, const struct val *v)
{
	struct memory *m = s->memory;
	const struct word *x = &m->word[word];

	*world_reg(s, w, x->slot) = *v;
	if (!m->region[x->region].mixed)
		return;
	for (uint32_t i = m->region[x->region].first; i; i = m->word[i - 1].next) {
		const struct word *y = &m->word[i - 1];
		struct val r = {.kind = VAL_NONE};

		domain_work(&s->d, 1);
		if (y == x || !overlap(x, y))
			continue;
		struct val old = world_get(w, y->slot);
		if (holds(x, y)) {
			r = part_of_val(s, v, (unsigned)(y->off - x->off), y->bytes);
		} else if (holds(y, x) && old.kind == VAL_INT && v->kind == VAL_INT) {
			unsigned at = 8 * (unsigned)(x->off - y->off);
			uint64_t mask = bits_mask(8 * x->bytes);

			r = val_int((old.i & ~(mask << at)) | (v->i & mask) << at);
		}
		*world_reg(s, w, y->slot) = r;
	}
}

struct cell
memory_extend(struct sim *s, struct cell c, enum ptx_type type, unsigned reg_bits)
{
	unsigned bits = ptx_type_bits(type);
	bool sign = ptx_type_class(type) == 's' && bits < reg_bits;

	if (!c.s) {
		if (sign && c.v >> (bits - 1) & 1)
			c.v |= UINT64_MAX << bits;
		return cell_int(c.v & bits_mask(reg_bits));
	}
	if (!sign || sym_is_bool(&s->d, c))
		return c;
	return cell_sym(sym_make(
		&s->d, SYM_PART, UINT64_C(1) << 32 | bits, &c, 1, sym_div(&s->d, &c, 1)));
}

/* ---- what is not known ---- */

static void
forget_word(struct sim *s, struct world *w, uint32_t i, const struct lmask *who)
{
	struct word x = s->memory->word[i];
	struct val v = unknown(s, &x), old = world_get(w, x.slot);
	struct lmask alive = world_alive(s, w);

	if (s->memory->region[x.region].shared)
		order_write(s, w, i, who, ORDER_ANY);
	else if (old.kind != VAL_NONE && lmask_exceeds(&alive, who))
		v = val_select(&s->d, who, &v, &old);
	memory_put(s, w, i, &v);
}

void
memory_forget(struct sim *s, struct world *w, const struct spot *p, uint32_t bytes,
	const struct lmask *who)
{
	struct region r = s->memory->region[p->region];

	for (uint32_t i = r.first; i; i = s->memory->word[i - 1].next) {
		const struct word *x = &s->memory->word[i - 1];

		domain_work(&s->d, 1);
		if (x->off < p->hi + bytes && p->lo < x->off + x->bytes)
			forget_word(s, w, i - 1, who);
	}
	if (r.shared)
		order_write(s, w, r.rest, who, ORDER_ANY);
}

static void
forget_region(struct sim *s, struct world *w, uint32_t r, const struct lmask *who)
{
	struct spot all = {.region = r, .lo = -FAR, .hi = FAR};

	if (memory_follows(s, s->memory->region[r].var))
		memory_forget(s, w, &all, 0, who);
}

void
memory_forget_class(
	struct sim *s, struct world *w, uint32_t class, const struct lmask *who)
{
	for (uint32_t r = 0; r < s->memory->n_regions; r++) {
		uint32_t var = s->memory->region[r].var;

		if (class == POINTS_VAR + var ||
			(class == POINTS_ANY && s->s->points->escaped[var]))
			forget_region(s, w, r, who);
	}
}

void
memory_forget_all(struct sim *s, struct world *w, const struct lmask *who)
{
	if (!s->memory)
		return;
	for (uint32_t r = 0; r < s->memory->n_regions; r++)
		forget_region(s, w, r, who);
}

void
memory_enter(struct sim *s, struct world *w, uint32_t frame, const struct lmask *who)
{
	if (!s->memory)
		return;
	for (uint32_t r = 0; r < s->memory->n_regions; r++)
		if (!s->memory->region[r].shared && s->memory->region[r].frame == frame)
			forget_region(s, w, r, who);
}

struct val
memory_merge(struct sim *s, uint32_t slot, const struct val *p, const struct val *a,
	const struct val *b)
{
	struct memory *m = s->memory;
	bool shared = m->region[m->word[m->of_slot[slot] - 1].region].shared;
	struct val x, y, q = {.kind = VAL_NONE};

	if (a->kind == VAL_NONE || b->kind == VAL_NONE)
		return q;
	if (val_same(&s->d, a, b))
		return *a;
	x = affine_forget(&s->d, a);
	y = affine_forget(&s->d, b);
	if (p && (!shared || val_uniform(&s->d, p)))
		q = *p;
	else
		q = val_sym(sym_fresh(&s->d,
			SYM_BOOL | SYM_TAINT_MEM | (shared ? 0u : (unsigned)SYM_DIV)));
	return val_phi(&s->d, &q, &x, &y);
}
