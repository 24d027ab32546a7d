/* Special registers. */
#include "simt/simt.h"
#include "value/affine.h"

static struct val
lane_values(struct sim *s, uint64_t (*fn)(unsigned lane))
{
	for (unsigned t = 0; t < s->d.n; t++)
		s->d.tv[t] = fn(t & 31);
	return val_pack(&s->d, s->d.tv, NULL);
}

static uint64_t
lane_id(unsigned l)
{
	return l;
}

static uint64_t
lane_eq(unsigned l)
{
	return UINT64_C(1) << l;
}

static uint64_t
lane_lt(unsigned l)
{
	return (UINT64_C(1) << l) - 1;
}

static uint64_t
lane_le(unsigned l)
{
	return (UINT64_C(2) << l) - 1;
}

static uint64_t
lane_gt(unsigned l)
{
	return UINT32_MAX & ~lane_le(l);
}

static uint64_t
lane_ge(unsigned l)
{
	return UINT32_MAX & ~lane_lt(l);
}

static int
axis_of(char part)
{
	return part == 'y' ? 1 : part == 'z' ? 2 : part == 'x' || part == 0 ? 0 : -1;
}

static uint64_t
dim_axis(const struct dim *d, int axis)
{
	return axis == 0 ? d->x : axis == 1 ? d->y : d->z;
}

static struct val
warp_id(struct sim *s)
{
	uint64_t v[LANES_MAX] = {0};
	uint32_t sy[LANES_MAX] = {0};

	/* PTX ISA: %warpid may change during execution and need not be tid/32 */
	for (unsigned t = 0; t < s->d.n; t++) {
		struct cell c = cell_int(t / 32);

		sy[t] = sym_make(&s->d, SYM_SREG, PTX_SREG_WARPID, &c, 1, SYM_TAINT_MEM);
	}
	return val_pack(&s->d, v, sy);
}

struct val
step_sreg(struct sim *s, const struct ptx_operand *o)
{
	const struct launch *l = &s->q->launch;
	int axis = axis_of(o->part);
	bool in3 = axis >= 0;

	switch ((int)o->id) {
	case PTX_SREG_TID: return in3 ? s->tid[axis] : val_int(0);
	case PTX_SREG_NTID: return val_int(in3 ? dim_axis(&l->block, axis) : 1);
	case PTX_SREG_CTAID: return in3 ? affine_ctaid(&s->d, axis) : val_int(0);
	case PTX_SREG_NCTAID: return val_int(in3 ? dim_axis(&l->grid, axis) : 1);
	case PTX_SREG_LANEID: return lane_values(s, lane_id);
	case PTX_SREG_LANEMASK_EQ: return lane_values(s, lane_eq);
	case PTX_SREG_LANEMASK_LT: return lane_values(s, lane_lt);
	case PTX_SREG_LANEMASK_LE: return lane_values(s, lane_le);
	case PTX_SREG_LANEMASK_GT: return lane_values(s, lane_gt);
	case PTX_SREG_LANEMASK_GE: return lane_values(s, lane_ge);
	case PTX_SREG_WARPID: return warp_id(s);
	case PTX_SREG_CLUSTER_NCTAID:
		return val_int(in3 ? dim_axis(&l->cluster, axis) : 1);
	case PTX_SREG_CLUSTER_NCTARANK: return val_int(dim_volume(l->cluster));
	case PTX_SREG_CLUSTER_CTAID:
		s->d.block_read = true;
		return val_int(in3 ? (uint64_t)s->d.rank[axis] : 0);
	case PTX_SREG_CLUSTER_CTARANK:
		s->d.block_read = true;
		return val_int(
			(uint64_t)s->d.rank[0] +
			l->cluster.x * ((uint64_t)s->d.rank[1] +
					       l->cluster.y * (uint64_t)s->d.rank[2]));
	case PTX_SREG_CLUSTERID: return in3 ? affine_number(&s->d, axis) : val_int(0);
	case PTX_SREG_NCLUSTERID:
		return val_int(
			in3 ? dim_axis(&l->grid, axis) / dim_axis(&l->cluster, axis) : 1);
	case PTX_SREG_DYNAMIC_SMEM: return val_int(l->shared_bytes);
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK_HI:
	case PTX_SREG_CLOCK64:
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO:
	case PTX_SREG_GLOBALTIMER_HI: return step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
	case PTX_SREG_UNKNOWN:
	case PTX_SREG_NWARPID:
	case PTX_SREG_SMID:
	case PTX_SREG_NSMID:
	case PTX_SREG_GRIDID:
	default: break;
	}
	/* %smid may change while a block runs; the others are the same for the block */
	if (o->id == PTX_SREG_SMID)
		return step_unknown(s, SYM_DIV | SYM_TAINT_MEM);
	/* 0 if it is not there, as truth.c knows: so a branch sees what it asks */
	if (o->id == PTX_SREG_UNKNOWN) {
		unsigned taint = s->no_workspace ? SYM_WORKSPACE : 0;

		if (!slice_is_workspace(s->m, o))
			taint = SYM_TAINT_MEM;
		return val_sym(sym_make(
			&s->d, SYM_SREG, (uint64_t)o->i << 8 | 1, NULL, 0, taint));
	}
	return val_sym(sym_make(&s->d, SYM_SREG,
		(uint64_t)o->id << 16 | (uint64_t)(unsigned char)o->part << 8, NULL, 0,
		SYM_TAINT_CTAID | SYM_TAINT_MEM));
}
