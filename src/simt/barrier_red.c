/* Results of barrier.red: one value for everybody who took part. */
#include "simt/simt.h"

static void
write_result(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, struct cell c)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);
	struct val v = val_of_cell(c);

	if (d && d->kind == PTX_O_REG)
		step_write(s, w, g, d->id, &v);
}

/* The combination over all groups that arrived with .red; one value for everybody. */
static struct cell
reduced(struct sim *s, struct world *w, const struct group *const *g, unsigned n,
	const struct ptx_ins *ins)
{
	enum ptx_sub op = ins->form->sub;
	const struct ptx_operand *p = ptx_operand(ins, ins->n_ops - 1u);
	uint64_t count = 0, all = 1, any = 0;
	struct cell one = {0};
	unsigned taint = 0;
	bool same = true, known = true, first = true;

	for (unsigned i = 0; i < n; i++) {
		struct val v = step_read(s, w, g[i], p);

		domain_work(&s->d, s->d.n);
		LMASK_EACH(t, &g[i]->mask)
		{
			struct cell c = branch_resolve(s, w, val_cell(&s->d, &v, t));

			known = known && !c.s && !g[i]->unc;
			same = same && (first || cell_eq(one, c)) && !g[i]->unc;
			taint |= c.s ? sym_flags(&s->d, c.s) : 0;
			one = c;
			first = false;
			count += c.v & 1;
			all &= c.v;
			any |= c.v;
		}
	}
	if (known)
		return cell_int(op == PTX_SUB_POPC  ? count
				: op == PTX_SUB_AND ? all & 1
						    : any & 1);
	if (same && op != PTX_SUB_POPC)
		return one;
	taint &= SYM_TAINTS;
	return cell_sym(
		sym_fresh(&s->d, (taint ? taint : (unsigned)SYM_TAINT_MEM) |
					 (op == PTX_SUB_POPC ? 0u : (unsigned)SYM_BOOL)));
}

void
barrier_red_alone(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	if (ins->form->op == PTX_BARRIER_RED && step_wanted(s, g, ptx_operand(ins, 0)))
		write_result(s, w, g, ins, reduced(s, w, &g, 1, ins));
}

/* Each warp has completed the barrier by itself, with a result of its own. */
void
barrier_red_each_warp(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins)
{
	if (ins->form->op != PTX_BARRIER_RED || !step_wanted(s, g, ptx_operand(ins, 0)))
		return;
	for (unsigned i = 0; i < s->n_warps; i++) {
		struct group one = *g;
		const struct group *p = &one;

		one.mask = lmask_of_warp(i, lmask_warp(&g->mask, i));
		if (!lmask_empty(&one.mask))
			write_result(s, w, &one, ins, reduced(s, w, &p, 1, ins));
	}
}

void
barrier_red_all(struct sim *s, struct world *w, uint32_t id)
{
	const struct group **g = sim_alloc(s, w->n_bar, sizeof *g);
	const struct ptx_ins *ins = NULL;
	unsigned n = 0;
	bool one_kind = true;

	for (uint32_t i = 0; i < w->n_bar; i++) {
		const struct arrival *a = &w->bar[i];

		if (a->id != id || a->ins->form->op != PTX_BARRIER_RED)
			continue;
		/* predicates are read where each group stands */
		one_kind = one_kind && (!ins || ins == a->ins);
		ins = a->ins;
		g[n++] = &a->g;
	}
	if (!ins)
		return;
	struct cell c = one_kind ? reduced(s, w, g, n, ins)
				 : cell_sym(sym_fresh(&s->d, SYM_TAINT_MEM));
	for (uint32_t i = 0; i < w->n_bar; i++)
		if (w->bar[i].id == id && w->bar[i].ins->form->op == PTX_BARRIER_RED)
			write_result(s, w, &w->bar[i].g, w->bar[i].ins, c);
}
