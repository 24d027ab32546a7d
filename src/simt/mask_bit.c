/* Masks bit by bit: and, or, xor and choices of lists. */
#include "simt/mask.h"

struct warp_mask {
	struct domain *d;
	unsigned warp;
};

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
	for (size_t i = 0; i < 4; i++)
		r[i] = cell_phi(d, x[2], r[2 * i + 1], r[2 * i]);
	for (size_t i = 0; i < 2; i++)
		r[i] = cell_phi(d, x[1], r[2 * i + 1], r[2 * i]);
	return cell_phi(d, x[0], r[1], r[0]);
}

static bool bit_of(const struct warp_mask *q, struct cell c, unsigned lane,
	unsigned depth, struct cell *r);

static bool
ins_bit(const struct warp_mask *q, const struct sym *x, unsigned lane, unsigned depth,
	struct cell *r)
{
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;
	struct domain *d = q->d;
	struct cell b[3] = {{0}};
	unsigned n = f->op == PTX_LOP3 ? 3 : f->op == PTX_NOT ? 1 : 2;

	if (!f->n_types || ptx_type_bits(f->type[0]) != 32 || x->n < n)
		return false;
	if (f->op != PTX_AND && f->op != PTX_OR && f->op != PTX_XOR && f->op != PTX_NOT &&
		(f->op != PTX_LOP3 || x->n != 4 || x->arg[3].s))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!bit_of(q, x->arg[i], lane, depth + 1, &b[i]))
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
bit_of(const struct warp_mask *q, struct cell c, unsigned lane, unsigned depth,
	struct cell *r)
{
	struct domain *d = q->d;
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
	case SYM_LINEAR:
		/* all bits but those of another mask */
		if (x.n != 2 || x.arg[0].v != UINT32_MAX || x.arg[1].v != UINT32_MAX ||
			!bit_of(q, cell_sym(x.arg[1].s), lane, depth + 1, &a))
			return false;
		*r = cell_not(d, a);
		return true;
	case SYM_INS: return ins_bit(q, &x, lane, depth, r);
	case SYM_PHI:
		if (!bit_of(q, x.arg[1], lane, depth + 1, &a) ||
			!bit_of(q, x.arg[2], lane, depth + 1, &b))
			return false;
		*r = cell_phi(d, x.arg[0], a, b);
		return true;
	default: return false;
	}
}

bool
mask_bit(struct domain *d, unsigned warp, struct cell c, unsigned lane, struct cell *r)
{
	struct warp_mask q = {d, warp};

	return bit_of(&q, c, lane, 0, r);
}
