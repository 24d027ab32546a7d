/* Loads and stores of words that are followed. */
#include "simt/memory.h"
#include "slice/pointee.h"
#include "value/affine.h"

/* One instruction, one part of its vector. */
struct access {
	struct sim *s;
	struct world *w;
	const struct group *g;
	const struct ptx_ins *ins;
	struct val address;
	uint32_t class; /* pointee.h */
	int64_t off;    /* of the part */
	uint32_t bytes;
	enum ptx_type type;
};

static bool
access_begin(struct access *a, struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins)
{
	const struct ptx_form *f = ins->form;
	unsigned at;

	*a = (struct access){s, w, g, ins, {0}, 0, 0, 0, PTX_T_NONE};
	if (!s->memory || !points_is_access(ins, &at))
		return false;
	if (f->space != PTX_SPACE_NONE && f->space != PTX_SPACE_SHARED &&
		f->space != PTX_SPACE_LOCAL)
		return false;
	a->class = points_of(s->s->points, s->s, sim_func(s, g)->f->index, ins);
	if (a->class == POINTS_NOWHERE || a->class == POINTS_GLOBAL)
		return false;
	if (a->class >= POINTS_VAR && !memory_follows(s, a->class - POINTS_VAR))
		return false;
	a->type = f->type[f->n_types - 1];
	a->bytes = (ptx_type_bits(a->type) + 7) / 8;
	struct val v = step_read(s, w, g, ptx_operand(ins, at));
	a->address = affine_forget(&s->d, &v);
	return a->bytes > 0;
}

static const struct ptx_operand *
part_at(const struct ptx_operand *o, unsigned k)
{
	return o->kind == PTX_O_VEC ? ptx_part(o, k) : o;
}

static bool
is_flat(const struct sim *s, const struct val *v)
{
	return v->kind == VAL_INT || (v->kind == VAL_SYM && val_uniform(&s->d, v));
}

/* ---- loads ---- */

/* The load is what it would be without memory: one value for one address, if nobody may
 * write meanwhile. */
static struct cell
plain_load(struct access *a, struct cell address, uint64_t when)
{
	const struct ptx_form *f = a->ins->form;
	bool same = f->space != PTX_SPACE_LOCAL &&
		    (f->sem == PTX_SEM_NONE || f->sem == PTX_SEM_WEAK);

	if (!address.s || sym_flags(&a->s->d, address.s) & SYM_LOCAL)
		same = false;
	if (!same)
		return cell_sym(sym_fresh(&a->s->d, SYM_TAINT_MEM | memory_stray(a->s)));
	struct cell x[2] = {address, cell_int((uint64_t)a->off)};
	return cell_sym(sym_make(&a->s->d, SYM_LOAD, when << 16 | (uint64_t)a->type << 8,
		x, 2, SYM_TAINT_MEM | memory_stray(a->s)));
}

static struct val
extended(struct access *a, const struct val *v, unsigned reg_bits)
{
	struct domain *d = &a->s->d;
	uint64_t n[LANES_MAX];
	uint32_t sy[LANES_MAX];

	if (v->kind == VAL_AFFINE)
		return *v;
	if (v->kind == VAL_INT || v->kind == VAL_SYM)
		return val_of_cell(memory_extend(a->s, val_flat(v), a->type, reg_bits));
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = memory_extend(a->s, val_cell(d, v, t), a->type, reg_bits);

		n[t] = c.v;
		sy[t] = c.s;
	}
	domain_work(d, d->n);
	return val_pack(d, n, sy);
}

/* One of several words, it is not known which: the same for all lanes where all of them
 * are. */
static struct val
load_among(struct access *a, const struct spot *p)
{
	struct sim *s = a->s;
	const struct region *r = &s->memory->region[p->region];
	unsigned flags = SYM_TAINT_MEM | memory_stray(s);
	bool boolean = true;

	if (p->hi - p->lo > 64 * (int64_t)a->bytes || r->mixed || r->shared)
		return step_unknown(s, SYM_DIV | flags);
	uint32_t n = 0, found = r->first;
	for (uint32_t i = found; i; i = s->memory->word[i - 1].next) {
		const struct word *x = &s->memory->word[i - 1];
		struct val v = world_get(a->w, x->slot);

		if (x->off + x->bytes <= p->lo || x->off >= p->hi + a->bytes)
			continue;
		n++;
		if (v.kind == VAL_NONE || !val_uniform(&s->d, &v) ||
			v.kind == VAL_AFFINE || x->bytes != a->bytes)
			return step_unknown(s, SYM_DIV | flags);
		boolean = boolean && sym_is_bool(&s->d, val_flat(&v));
		flags |= val_taint(&s->d, &v);
	}
	if ((int64_t)n * a->bytes < p->hi - p->lo + a->bytes)
		return step_unknown(s, SYM_DIV | flags);
	flags |= val_taint(&s->d, &a->address) & ~(unsigned)SYM_LOCAL;
	return step_unknown(s, flags | (boolean ? (unsigned)SYM_BOOL : 0));
}

/* All lanes name the same place. */
static struct val
load_one(struct access *a, const struct spot *p)
{
	struct sim *s = a->s;

	if (!p->exact)
		return load_among(a, p);
	uint32_t i = memory_word(s, p->region, p->lo, a->bytes);
	if (s->memory->region[p->region].shared)
		order_read(s, a->w, i, &a->g->mask);
	return memory_content(s, a->w, i);
}

/* The lanes before and after read elsewhere. */
static bool
is_alone(struct access *a, unsigned t, struct cell at)
{
	struct domain *d = &a->s->d;

	return (t == 0 || !cell_eq(at, val_cell(d, &a->address, t - 1))) &&
	       (t + 1 == d->n || !cell_eq(at, val_cell(d, &a->address, t + 1)));
}

static struct val
load_each(struct access *a, uint64_t when)
{
	struct sim *s = a->s;
	struct domain *d = &s->d;
	uint64_t n[LANES_MAX];
	uint32_t sy[LANES_MAX];
	struct cell first = {0};
	bool any = false;

	sym_lanes_begin(d);
	LMASK_EACH(t, &a->g->mask)
	{
		struct cell at = val_cell(d, &a->address, t), c;

		sym_lanes_at(d, t, is_alone(a, t, at));
		struct spot p = address_spot(s, at, a->off);

		if (p.region != PTX_NONE && p.exact) {
			uint32_t i = memory_word(s, p.region, p.lo, a->bytes);

			if (s->memory->region[p.region].shared)
				order_read(s, a->w, i, memory_lane(s, t));
			struct val v = memory_content(s, a->w, i);
			c = val_cell(d, &v, t);
		} else {
			c = plain_load(a, at, when);
		}
		n[t] = c.v;
		sy[t] = c.s;
		first = any ? first : c;
		any = true;
	}
	sym_lanes_end(d);
	/* what lanes hold that are not here does not matter */
	for (unsigned t = 0; t < d->n; t++)
		if (!lmask_has(&a->g->mask, t)) {
			n[t] = first.v;
			sy[t] = first.s;
		}
	domain_work(d, (uint64_t)d->n * 4);
	return val_pack(d, n, sy);
}

bool
memory_load(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);
	struct spot p = {.region = PTX_NONE};
	struct access a;

	if (!access_begin(&a, s, w, g, ins))
		return false;
	if (a.address.kind == VAL_INT)
		return false;
	bool one = is_flat(s, &a.address);
	if (!one && a.address.kind != VAL_LANES)
		return false;
	if (one)
		p = address_spot(s, val_flat(&a.address), 0);
	if (one && (p.region == PTX_NONE ||
			   (!p.exact && s->memory->region[p.region].shared)))
		return false;
	uint64_t when = ++s->next_load;
	for (unsigned k = 0; k < slice_parts(ins); k++) {
		const struct ptx_operand *o = part_at(d, k);

		if (o->kind != PTX_O_REG || !step_value_wanted(s, g, o->id))
			continue;
		a.off = (int64_t)k * a.bytes;
		struct spot q = p;
		q.lo += a.off;
		q.hi += a.off;
		struct val v = one ? load_one(&a, &q) : load_each(&a, when);
		v = extended(&a, &v, step_reg_bits(s, g, o->id));
		step_put(s, w, g, ins, o, v);
	}
	return true;
}

/* ---- writes ---- */

/* The bytes of a register that are stored. */
static struct cell
cut_cell(struct access *a, struct cell c, unsigned reg_bits)
{
	struct domain *d = &a->s->d;

	if (!c.s)
		return cell_int(c.v & bits_mask(8 * a->bytes));
	if (reg_bits <= 8 * a->bytes || sym_is_bool(d, c))
		return c;
	return cell_sym(
		sym_make(d, SYM_PART, (uint64_t)8 * a->bytes, &c, 1, sym_div(d, &c, 1)));
}

static struct val
cut_val(struct access *a, const struct val *v, unsigned reg_bits)
{
	struct domain *d = &a->s->d;
	uint64_t n[LANES_MAX];
	uint32_t sy[LANES_MAX];

	if (v->kind == VAL_AFFINE && reg_bits <= 8 * a->bytes)
		return *v;
	struct val x = affine_forget(d, v);
	if (x.kind == VAL_INT || x.kind == VAL_SYM)
		return val_of_cell(cut_cell(a, val_flat(&x), reg_bits));
	if (x.kind == VAL_NONE)
		return step_unknown(a->s, SYM_DIV | SYM_TAINT_MEM);
	for (unsigned t = 0; t < d->n; t++) {
		struct cell c = cut_cell(a, val_cell(d, &x, t), reg_bits);

		n[t] = c.v;
		sy[t] = c.s;
	}
	domain_work(d, d->n);
	return val_pack(d, n, sy);
}

/* What is stored: of an atomic, something else in every case. */
static struct val
stored(struct access *a, unsigned k)
{
	const struct ptx_operand *o = ptx_operand(a->ins, 1);

	if (a->ins->form->op != PTX_ST || !o)
		return step_unknown(a->s, SYM_DIV | SYM_TAINT_MEM);
	o = part_at(o, k);
	if (o->kind == PTX_O_F64 && a->bytes != 8)
		return step_unknown(a->s, SYM_DIV | SYM_TAINT_MEM);
	struct val v = step_read(a->s, a->w, a->g, o);
	return cut_val(
		a, &v, o->kind == PTX_O_REG ? step_reg_bits(a->s, a->g, o->id) : 0u);
}

/* Lanes that write for sure, and those that may. */
struct writers {
	struct lmask all, maybe;
	struct val guard; /* INT 1: none */
};

static struct writers
writers_of(struct access *a)
{
	struct sim *s = a->s;
	const struct ptx_ins *ins = a->ins;
	struct writers r = {.all = a->g->mask, .guard = val_int(1)};

	if (ins->guard != PTX_NONE && !ins->split) {
		struct val p = step_reg(s, a->w, a->g, ins->guard);

		if (p.kind == VAL_AFFINE || p.kind == VAL_NONE)
			p = step_unknown(s, SYM_DIV | SYM_BOOL | SYM_TAINT_MEM);
		struct sides v = branch_sides(s, a->w, a->g, &p, ins->guard_neg);
		r.all = lmask_or(v.yes, v.unsure);
		r.maybe = v.unsure;
		r.guard = ins->guard_neg ? val_not(&s->d, &p) : p;
	}
	/* a lane that may have left does what it does only if it has not */
	r.maybe = lmask_or(
		r.maybe, lmask_and(r.all, lmask_minus(a->w->may_exit, a->w->exited)));
	return r;
}

/* One word of shared memory; v is uniform: what all of them write if `alike`. */
static void
write_shared(struct access *a, uint32_t word, const struct lmask *who, bool maybe,
	bool alike, const struct val *v)
{
	struct sim *s = a->s;
	struct val old = memory_content(s, a->w, word), x = *v;
	bool same = val_same(&s->d, &old, v);
	bool ordered = order_write(s, a->w, word, who,
		same    ? ORDER_SAME
		: alike ? ORDER_ALIKE
			: ORDER_ANY);

	if (same)
		return;
	if (!ordered)
		x = step_unknown(s, SYM_TAINT_MEM);
	if (maybe && ordered) {
		struct val p = step_unknown(s, SYM_BOOL | SYM_TAINT_MEM);

		x = affine_forget(&s->d, &x);
		old = affine_forget(&s->d, &old);
		x = val_phi(&s->d, &p, &x, &old);
	}
	memory_put(s, a->w, word, &x);
}

/* Several lanes, one shared word. */
static void
write_together(struct access *a, uint32_t word, const struct writers *r, struct val v)
{
	struct sim *s = a->s;
	unsigned t0 = lmask_next(&r->all, 0);
	struct cell c = {0};
	bool same = true;

	if (v.kind == VAL_AFFINE && !val_uniform(&s->d, &v))
		v = affine_forget(&s->d, &v);
	if (!is_flat(s, &v) && v.kind != VAL_AFFINE) {
		c = val_cell(&s->d, &v, t0);
		LMASK_EACH(t, &r->all)
		same = same && cell_eq(c, val_cell(&s->d, &v, t));
		domain_work(&s->d, s->d.n);
		v = same ? val_of_cell(c) : step_unknown(s, SYM_TAINT_MEM);
	}
	write_shared(a, word, &r->all, !lmask_empty(&r->maybe), same, &v);
}

static void
write_local(struct access *a, uint32_t word, const struct writers *r,
	const struct lmask *who, const struct val *v)
{
	struct sim *s = a->s;
	struct lmask alive = world_alive(s, a->w);
	struct val x = *v, old = world_get(a->w, s->memory->word[word].slot);
	bool part = lmask_exceeds(&alive, who);

	if (old.kind == VAL_NONE && (part || r->guard.kind != VAL_INT))
		old = memory_content(s, a->w, word);
	if (r->guard.kind != VAL_INT) {
		x = affine_forget(&s->d, &x);
		struct val y = affine_forget(&s->d, &old);
		x = val_phi(&s->d, &r->guard, &x, &y);
	}
	if (part)
		x = val_select(&s->d, who, &x, &old);
	memory_put(s, a->w, word, &x);
}

/* One of several words of local memory. */
static void
write_among(struct access *a, const struct spot *p, const struct lmask *who,
	const struct val *v)
{
	struct sim *s = a->s;
	const struct region r = s->memory->region[p->region];
	struct lmask alive = world_alive(s, a->w);
	bool flat = is_flat(s, &a->address);

	/* accesses are aligned, PTX ISA "Addresses as Operands" */
	bool apart = !r.mixed && r.bytes == a->bytes && p->lo % (int64_t)a->bytes == 0;
	if (r.shared || !apart) {
		memory_forget(s, a->w, p, a->bytes, who);
		return;
	}
	for (uint32_t i = r.first; i; i = s->memory->word[i - 1].next) {
		const struct word x = s->memory->word[i - 1];
		struct val old = world_get(a->w, x.slot);

		if (x.off + x.bytes <= p->lo || x.off >= p->hi + a->bytes ||
			old.kind == VAL_NONE)
			continue;
		struct val q = step_unknown(
			s, SYM_BOOL | SYM_TAINT_MEM | (flat ? 0u : (unsigned)SYM_DIV));
		struct val n = affine_forget(&s->d, v), o = affine_forget(&s->d, &old);
		n = val_phi(&s->d, &q, &n, &o);
		if (lmask_exceeds(&alive, who))
			n = val_select(&s->d, who, &n, &old);
		memory_put(s, a->w, i - 1, &n);
	}
}

static void
write_each(struct access *a, const struct writers *r, const struct val *v)
{
	struct sim *s = a->s;
	struct domain *d = &s->d;

	domain_work(d, (uint64_t)d->n * 4);
	LMASK_EACH(t, &r->all)
	{
		struct cell at = val_cell(d, &a->address, t);
		struct spot p = address_spot(s, at, a->off);
		const struct lmask *who = memory_lane(s, t);
		struct val c = val_of_cell(val_cell(d, v, t));

		if (p.region == PTX_NONE) {
			memory_forget_class(s, a->w, a->class, who);
		} else if (!p.exact) {
			write_among(a, &p, who, v);
		} else if (s->memory->region[p.region].shared) {
			write_shared(a, memory_word(s, p.region, p.lo, a->bytes), who,
				lmask_has(&r->maybe, t), true, &c);
		} else {
			write_local(
				a, memory_word(s, p.region, p.lo, a->bytes), r, who, v);
		}
	}
}

void
memory_write(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	struct access a;

	if (!access_begin(&a, s, w, g, ins))
		return;
	struct writers r = writers_of(&a);
	if (lmask_empty(&r.all))
		return;
	for (unsigned k = 0; k < (ins->form->op == PTX_ST ? slice_parts(ins) : 1); k++) {
		struct val v = stored(&a, k);

		a.off = (int64_t)k * a.bytes;
		if (!is_flat(s, &a.address) && a.address.kind == VAL_LANES) {
			write_each(&a, &r, &v);
			continue;
		}
		struct spot p = {.region = PTX_NONE};
		if (is_flat(s, &a.address))
			p = address_spot(s, val_flat(&a.address), a.off);
		if (p.region == PTX_NONE) {
			memory_forget_class(s, w, a.class, &r.all);
			continue;
		}
		if (!p.exact) {
			write_among(&a, &p, &r.all, &v);
			continue;
		}
		uint32_t word = memory_word(s, p.region, p.lo, a.bytes);
		if (s->memory->region[p.region].shared)
			write_together(&a, word, &r, v);
		else
			write_local(&a, word, &r, &r.all, &v);
	}
}
