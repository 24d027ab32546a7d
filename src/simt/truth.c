#include "simt/truth.h"

#include "value/eval.h"
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
	r = eval_value(d, (const struct ptx_form *)(uintptr_t)x.tag, v, x.n, 32);
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
	default: return c;
	}
}

struct cell
truth_value(struct truth *k, struct cell c)
{
	k->left = NODES_MAX;
	return under(k, c);
}
