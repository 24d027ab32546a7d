/*
 * The end of a loop that lanes leave in different trips.  While they run it, one symbol
 * stands for what all lanes that are in the same trip hold; after it they are together
 * again, and each has what the trip in which it left gave it.
 */
#include "simt/memory.h"
#include "value/affine.h"

enum { WHOLE_WARP = 1 << 16, NOT_PARTED = 1 << 17 };

struct leaving {
	struct sim *s;
	const struct lmask *all, *who, *split;
};

/* Lanes with one number left together. */
static uint64_t
party(const struct leaving *k, unsigned t)
{
	if (!lmask_has(k->who, t))
		return NOT_PARTED;
	return lmask_has(k->split, t) ? t : WHOLE_WARP | t / 32;
}

static struct cell
left_with(const struct leaving *k, struct cell c, unsigned t)
{
	struct domain *d = &k->s->d;
	bool not = sym_op(d, c.s) == SYM_NOT;
	struct cell arg[2] = {not ? sym_operand(d, c.s, 0) : c, cell_int(party(k, t))};
	struct cell r = cell_sym(sym_make(
		d, SYM_LEFT, 0, arg, 2, (sym_flags(d, c.s) & SYM_BOOL) | SYM_TAINT_LOOP));

	return not ? cell_not(d, r) : r;
}

static bool
is_flat_number(const struct val *v)
{
	return v->kind == VAL_NONE || v->kind == VAL_INT || v->kind == VAL_AFFINE ||
	       (v->kind == VAL_LANES && !v->l->s);
}

void
fork_leave(struct sim *s, const struct world *before, struct world *w,
	const struct lmask *all, const struct lmask *who, const struct lmask *split)
{
	struct domain *d = &s->d;
	struct leaving k = {s, all, who, split};

	for (uint32_t i = 0; i < w->n_regs; i++) {
		struct val now = w->regs[i], was = world_get(before, i);

		if (is_flat_number(&now) || val_same(d, &now, &was) ||
			(now.kind == VAL_SYM && sym_flags(d, now.s) & SYM_DIV))
			continue;
		if (memory_is_slot(s, i)) {
			/* which trip wrote it last is not known */
			w->regs[i] = (struct val){.kind = VAL_NONE};
			continue;
		}
		was = affine_forget(d, &was);
		for (unsigned t = 0; t < d->n; t++) {
			struct cell c = val_cell(d, &now, t);
			bool keep = !c.s || !lmask_has(all, t) ||
				    (was.kind != VAL_NONE &&
					    cell_eq(c, val_cell(d, &was, t)));

			c = keep ? c : left_with(&k, c, t);
			d->tv[t] = c.v;
			d->ts[t] = c.s;
		}
		domain_work(d, 2 * (uint64_t)d->n);
		w->regs[i] = val_pack(d, d->tv, d->ts);
	}
}
