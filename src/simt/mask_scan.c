/*
 * The number of the first or last lane of a mask, as compilers compute it: exact, since a
 * lane beside it may be absent.
 *
 *	clz(brev(m)), 31 - bfind(brev(m)), popc(~m & (m - 1)), fns(m, 0, 1), elect.sync
 */
#include "simt/mask.h"
#include "value/linear.h"

enum { DEPTH_MAX = 8 };

/* Modulo 32: off + sign * the first or last lane. */
struct scan {
	unsigned sign, off;
	bool last;
};

/* The arm of a choice that is taken only where the mask is 0; 0: neither. */
static unsigned
empty_arm(const struct domain *d, const struct sym *phi, struct cell mask)
{
	const struct sym *c = phi->arg[0].s ? sym_of(d, phi->arg[0].s) : NULL,
			 *m = mask.s ? sym_of(d, mask.s) : NULL;

	if (c && c->op == SYM_CMP && c->tag >> 16 == PTX_CMP_EQ &&
		((cell_eq(c->arg[0], mask) && cell_eq(c->arg[1], cell_int(0))) ||
			(cell_eq(c->arg[1], mask) && cell_eq(c->arg[0], cell_int(0)))))
		return 1;
	/* that a mask is 0 may be known by another name */
	if (!m || m->op != SYM_PHI || !cell_eq(m->arg[0], phi->arg[0]))
		return 0;
	if (cell_eq(m->arg[1], cell_int(0)))
		return 1;
	return cell_eq(m->arg[2], cell_int(0)) ? 2 : 0;
}

/* by * mask - 1 */
static bool
is_mask_less_one(const struct domain *d, struct cell c, struct cell mask, uint64_t by)
{
	struct linear x;

	return linear_of(d, c, 32, &x) && x.n == 1 && x.k == UINT32_MAX &&
	       x.term[0].v == by && x.term[0].s == mask.s;
}

/* ~mask & (mask - 1): the lanes before the first. */
static bool
is_before_first(const struct domain *d, struct cell c, struct cell mask)
{
	const struct sym *x = c.s ? sym_of(d, c.s) : NULL;

	if (!x || x->op != SYM_INS || x->n != 2 || !mask.s ||
		((const struct ptx_form *)(uintptr_t)x->tag)->op != PTX_AND)
		return false;
	for (int i = 0; i < 2; i++)
		if (is_mask_less_one(d, x->arg[i], mask, UINT32_MAX) &&
			is_mask_less_one(d, x->arg[!i], mask, 1))
			return true;
	return false;
}

static bool
is_reversed(const struct domain *d, struct cell c, struct cell mask)
{
	const struct sym *x = c.s ? sym_of(d, c.s) : NULL;

	return x && x->op == SYM_INS && x->n == 1 && cell_eq(x->arg[0], mask) &&
	       ((const struct ptx_form *)(uintptr_t)x->tag)->op == PTX_BREV;
}

/* An instruction that counts bits of the mask. */
static bool
scan_bits(const struct domain *d, const struct sym *y, struct cell mask, struct scan *out)
{
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)y->tag;
	bool reversed = is_reversed(d, y->arg[0], mask), from_top = f->op == PTX_CLZ;

	*out = (struct scan){.sign = 1};
	if (f->op == PTX_POPC)
		return is_before_first(d, y->arg[0], mask);
	if (f->op == PTX_FNS)
		return y->n == 3 && cell_eq(y->arg[0], mask) &&
		       cell_eq(y->arg[1], cell_int(0)) && cell_eq(y->arg[2], cell_int(1));
	if ((f->op != PTX_CLZ && f->op != PTX_BFIND) || !f->n_types ||
		ptx_type_class(f->type[0]) == 's' || ptx_type_bits(f->type[0]) != 32)
		return false;
	from_top = from_top || PTX_HAS(f, SHIFTAMT);
	out->last = !reversed;
	/* from the top of the reversed mask is from the bottom of the mask */
	if (from_top != reversed)
		*out = (struct scan){.sign = 31, .off = 31, .last = !reversed};
	return reversed || cell_eq(y->arg[0], mask);
}

static bool
scan_of(const struct domain *d, struct cell x, struct cell mask, unsigned depth,
	struct scan *out)
{
	struct linear sum;
	const struct sym *y;

	if (!x.s || depth > DEPTH_MAX)
		return false;
	y = sym_of(d, x.s);
	*out = (struct scan){.sign = 1};
	if (y->op == SYM_LOAD)
		return (y->tag & 0xffff) == WHICH_ELECTED && y->n == 2 &&
		       cell_eq(y->arg[1], mask);
	if (y->op == SYM_PHI) {
		unsigned empty = empty_arm(d, y, mask);

		/* who executes this is in the mask, so that it is not 0 */
		return empty && scan_of(d, y->arg[3 - empty], mask, depth + 1, out);
	}
	if (y->op == SYM_INS && scan_bits(d, y, mask, out))
		return true;
	if (y->op == SYM_EXT && y->n)
		return scan_of(d, y->arg[0], mask, depth + 1, out);
	if (y->op != SYM_LINEAR || !linear_of(d, x, (unsigned)y->tag, &sum) ||
		sum.n != 1 || !scan_of(d, cell_sym(sum.term[0].s), mask, depth + 1, out))
		return false;
	out->off = (unsigned)(sum.k + sum.term[0].v * out->off) & 31;
	out->sign = (unsigned)(sum.term[0].v * out->sign) & 31;
	return true;
}

bool
mask_scan(const struct domain *d, struct cell x, struct cell mask, bool last)
{
	struct scan s;

	return scan_of(d, x, mask, 0, &s) && s.sign == 1 && s.off == 0 &&
	       (last || !s.last);
}
