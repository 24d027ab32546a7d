#include "simt/lane_out.h"

struct lane_out *
lane_out_begin(struct sim *s, unsigned k)
{
	if (!s->lane_out[k])
		s->lane_out[k] = sim_alloc(s, 1, sizeof *s->lane_out[k]);
	memset(s->lane_out[k]->set, 0, sizeof s->lane_out[k]->set);
	return s->lane_out[k];
}

/* Lanes without a result keep what they had; a neighbour's value keeps it uniform. */
static struct val
as_value(struct sim *s, struct lane_out *o)
{
	unsigned first = 0;

	while (first < s->d.n && !o->set[first])
		first++;
	for (unsigned t = 0; t < s->d.n; t++)
		if (!o->set[t]) {
			o->v[t] = o->v[first];
			o->s[t] = o->s[first];
		}
	return val_pack(&s->d, o->v, o->s);
}

void
lane_out_write(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *d, struct lane_out *o)
{
	struct val v;

	if (!d || d->kind != PTX_O_REG || !step_wanted(s, g, d))
		return;
	v = as_value(s, o);
	step_write(s, w, g, d->id, &v);
}

const struct ptx_operand *
lane_out_dst(const struct ptx_ins *ins, unsigned k)
{
	const struct ptx_operand *d = ptx_operand(ins, 0);

	if (!d)
		return NULL;
	if (d->kind == PTX_O_PAIR)
		return ptx_part(d, k);
	return k == 0 ? d : NULL;
}
