/* Warp collectives of the interpreter. */
#include "lane_state.h"

bool
lane_is_collective(const struct ins *i)
{
	return i && i->op >= INS_SYNCWARP && i->op <= INS_REDUX;
}

/* Lanes of the warp that has lane t that wait with its operation and mask. */
static uint32_t
partners(struct run *r, unsigned t, bool *elsewhere)
{
	const struct ins *i = lane_site(r, t);
	uint32_t m = 0, mask = lane_mask(r, t, &i->mask);
	unsigned w = t & ~31u;

	for (unsigned l = 0; l < 32 && w + l < r->n; l++) {
		const struct ins *j = lane_site(r, w + l);

		if (!lane_is_collective(j) || j->op != i->op || j->kind != i->kind ||
			lane_mask(r, w + l, &j->mask) != mask)
			continue;
		m |= UINT32_C(1) << l;
		*elsewhere = *elsewhere || !lane_same_place(r, t, w + l);
	}
	return m;
}

/* The lane that lane l of a shuffle reads; itself where that is out of range. */
static unsigned
shuffle_source(const struct ins *i, unsigned l)
{
	unsigned k = i->k;

	switch (i->kind) {
	case 0: return l ^ k;
	case 1: return k;
	case 2: return l + k > 31 ? l : l + k;
	default: return l < k ? l : l - k;
	}
}

static struct value
shuffled(struct run *r, unsigned w, unsigned l, uint32_t lanes, uint32_t mask)
{
	unsigned from = shuffle_source(lane_site(r, w + l), l);
	struct value v = {0, true};

	if ((lanes & mask) >> from & 1)
		v = lane_value(r, w + from, lane_site(r, w + from)->e);
	return v;
}

/* What lane l gets, given what each lane brings. */
static struct value
result(struct run *r, unsigned w, unsigned l, uint32_t lanes, const uint32_t *in)
{
	const struct ins *i = lane_site(r, w + l);
	struct value v = {0};
	uint32_t same = 0, sum = 0;
	int32_t least = INT32_MAX;

	for (unsigned j = 0; j < 32; j++) {
		if (!(lanes >> j & 1))
			continue;
		same |= (uint32_t)(in[j] == in[l]) << j;
		sum += in[j];
		least = (int32_t)in[j] < least ? (int32_t)in[j] : least;
		v.v |= (uint32_t)(in[j] != 0) << j; /* a ballot */
	}
	if (i->op == INS_SHUFFLE)
		return shuffled(r, w, l, lanes, lane_mask(r, w + l, &i->mask));
	if (i->op == INS_VOTE)
		v.v = i->kind ? v.v == lanes : v.v != 0;
	else if (i->op == INS_MATCH)
		v.v = !i->kind ? same : same == lanes ? lanes : 0;
	else if (i->op == INS_REDUX)
		v.v = i->kind ? (uint32_t)least : sum;
	return v;
}

static void
meet(struct run *r, unsigned w, uint32_t lanes)
{
	uint32_t in[32] = {0};
	struct value out[32];

	for (unsigned l = 0; l < 32; l++) {
		const struct ins *i = lanes >> l & 1 ? lane_site(r, w + l) : NULL;

		if (i && (i->op == INS_VOTE || i->op == INS_BALLOT))
			in[l] = lane_holds(r, w + l, &i->c);
		else if (i && (i->op == INS_MATCH || i->op == INS_REDUX))
			in[l] = lane_used(r, w + l, i->e);
	}
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1)
			out[l] = result(r, w, l, lanes, in);
	for (unsigned l = 0; l < 32; l++) {
		if (!(lanes >> l & 1))
			continue;
		if (lane_site(r, w + l)->op != INS_SYNCWARP)
			lane_set(r, w + l, lane_site(r, w + l)->var, out[l]);
		lane_go_on(r, w + l);
	}
}

/* The collective that lane t waits at, if all lanes that it names are there. */
static bool
try_collective(struct run *r, unsigned t)
{
	const struct ins *i = lane_site(r, t);
	uint32_t live = 0, gone = 0, here, mask = lane_mask(r, t, &i->mask);
	unsigned w = t & ~31u;
	bool elsewhere = false, grey = r->grey;

	for (unsigned l = 0; l < 32 && w + l < r->n; l++)
		*(r->t[w + l].ended ? &gone : &live) |= UINT32_C(1) << l;
	here = partners(r, t, &elsewhere);
	r->bad = r->bad || here & ~mask;
	if (r->bad || mask & live & ~here) {
		r->grey = grey;
		return false;
	}
	r->grey = r->grey || elsewhere || mask & gone;
	meet(r, w, here);
	return true;
}

bool
lane_run_collectives(struct run *r)
{
	bool some = false;

	for (unsigned t = 0; t < r->n && !r->bad; t++)
		if (lane_is_collective(lane_site(r, t)))
			some = try_collective(r, t) || some;
	return some;
}
