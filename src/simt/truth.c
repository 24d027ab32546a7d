#include "simt/truth.h"

#include "value/eval.h"
#include "value/known.h"
#include "value/linear.h"

enum { NODES_MAX = 512 };

static bool
truth_of(const struct truth *k, uint32_t sym, bool *is)
{
	for (unsigned i = k->n; i-- > 0;)
		if (k->at[i].s == sym) {
			*is = k->at[i].v & 1;
			return true;
		}
	for (uint32_t i = k->w->n_path; i-- > 0;)
		if (k->w->path[i].sym == sym) {
			*is = k->w->path[i].is;
			return true;
		}
	return false;
}

void
truth_add(struct truth *k, struct cell cond)
{
	if (k->n == TRUTH_MAX)
		domain_stop(&k->s->d, STOP_BUDGET, "nesting");
	k->at[k->n++] = cond;
}

static struct cell under(struct truth *k, struct cell c);

static unsigned
result_bits(const struct ptx_form *f)
{
	unsigned bits = f->n_types ? ptx_type_bits(f->type[0]) : 0;

	if (PTX_HAS(f, WIDE))
		bits *= 2;
	return bits && bits < 64 ? bits : 64;
}

static struct cell
under_ins(struct truth *k, struct cell c)
{
	struct domain *d = &k->s->d;
	/* by value: making symbols moves the table */
	struct sym x = *sym_head(d, c.s);
	struct val v[EVAL_ARGS_MAX], r;
	bool changed = false;

	if (x.n > EVAL_ARGS_MAX)
		return c;
	for (uint32_t i = 0; i < x.n; i++) {
		struct cell a = sym_operand(d, c.s, i), y = under(k, a);

		changed = changed || !cell_eq(y, a);
		v[i] = val_of_cell(y);
	}
	if (!changed)
		return c;
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x.tag;
	r = eval_value(d, f, v, x.n, result_bits(f));
	return val_flat(&r);
}

static struct cell
under_sum(struct truth *k, struct cell c, unsigned width)
{
	struct domain *d = &k->s->d;
	struct linear x, r, t;

	if (!linear_of(d, c, width, &x))
		return c;
	r = (struct linear){.width = width, .k = x.k};
	for (unsigned i = 0; i < x.n; i++)
		if (!linear_of(d, under(k, cell_sym(x.term[i].s)), width, &t) ||
			!linear_add(&r, &t, x.term[i].v))
			return c;
	return linear_cell(d, &r);
}

/* Operand i, with what is known put in. */
static struct cell
under_operand(struct truth *k, uint32_t sym, uint32_t i)
{
	return under(k, sym_operand(&k->s->d, sym, i));
}

/* A comparison of integers that are both known. */
static struct cell
under_compare(struct truth *k, struct cell c)
{
	uint64_t tag = sym_head(&k->s->d, c.s)->tag;
	unsigned width = (unsigned)(tag & 0xffff) >> 1;
	struct cell x = under_operand(k, c.s, 0), y = under_operand(k, c.s, 1);

	if (tag & 0x8000 || x.s || y.s || !width || width > 64)
		return c;
	uint64_t a = x.v & bits_mask(width), b = y.v & bits_mask(width);
	bool less = tag & 1 ? known_sext(a, width) < known_sext(b, width) : a < b;
	switch ((int)(tag >> 16)) {
	case PTX_CMP_EQ: return cell_int(a == b);
	case PTX_CMP_LT:
	case PTX_CMP_LO: return cell_int(less);
	case PTX_CMP_LE:
	case PTX_CMP_LS: return cell_int(less || a == b);
	default: return c;
	}
}

/* A number made of the bits of others that are known. */
static struct cell
under_bits(struct truth *k, struct cell c)
{
	struct domain *d = &k->s->d;
	struct sym x = *sym_head(d, c.s);
	uint64_t v = 0;

	for (uint32_t i = 0; i < x.n; i++) {
		struct cell a = under_operand(k, c.s, i);

		if (a.s)
			return c;
		if (x.op == SYM_PACK)
			v |= (a.v & bits_mask((unsigned)x.tag)) << (i * x.tag);
		else
			v += a.v;
	}
	if (x.op == SYM_OFFSET || x.op == SYM_PACK)
		return cell_int(v);
	unsigned bits = x.tag & 0xff, from = (unsigned)(x.tag >> 8) & 0xff;
	if (x.op == SYM_PART && x.tag >> 32 == 0)
		return cell_int(v >> (from * bits) & bits_mask(bits));
	if (x.op == SYM_EXT && !(x.tag & 1))
		return cell_int(v & bits_mask(from));
	return v ? c : cell_int(0);
}

/* The value, with what is known put in. */
static struct cell
under(struct truth *k, struct cell c)
{
	struct domain *d = &k->s->d;
	bool is;

	if (!c.s || !k->left)
		return c;
	k->left--;
	domain_work(d, 1);
	if (truth_of(k, c.s, &is))
		return cell_int(is);
	switch ((int)sym_op(d, c.s)) {
	case SYM_NOT: return cell_not(d, under_operand(k, c.s, 0));
	case SYM_AND:
		return cell_and(d, under_operand(k, c.s, 0), under_operand(k, c.s, 1));
	case SYM_OR:
		return cell_or(d, under_operand(k, c.s, 0), under_operand(k, c.s, 1));
	case SYM_PHI: {
		struct cell p = under_operand(k, c.s, 0);

		if (!p.s)
			return under_operand(k, c.s, p.v ? 1 : 2);
		return cell_phi(d, p, under_operand(k, c.s, 1), under_operand(k, c.s, 2));
	}
	case SYM_LINEAR: return under_sum(k, c, (unsigned)sym_head(d, c.s)->tag);
	case SYM_INS: return under_ins(k, c);
	case SYM_CMP: return under_compare(k, c);
	case SYM_EXT:
	case SYM_PART:
	case SYM_PACK:
	case SYM_OFFSET: return under_bits(k, c);
	case SYM_SREG:
		/* there is none */
		return sym_flags(d, c.s) & SYM_WORKSPACE ? cell_int(0) : c;
	default: return c;
	}
}

struct cell
truth_value(struct truth *k, struct cell c)
{
	k->left = NODES_MAX;
	return under(k, c);
}
