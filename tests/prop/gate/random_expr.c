/* Random expressions, conditions and masks. */
#include "random_maker.h"

uint32_t
maker_pick(struct maker *m, uint32_t n)
{
	return (uint32_t)rng_below(&m->r, n);
}

const struct expr *
maker_leaf(struct maker *m, enum expr_op op, uint32_t k)
{
	struct expr *e = arena_new(m->a, struct expr);

	*e = (struct expr){.op = op, .k = k};
	return e;
}

const struct expr *
maker_two(struct maker *m, enum expr_op op, const struct expr *a, const struct expr *b)
{
	struct expr *e = arena_new(m->a, struct expr);

	*e = (struct expr){.op = op, .a = a, .b = b};
	return e;
}

static const struct expr *
number(struct maker *m, uint32_t n)
{
	uint32_t v = maker_pick(m, n);

	return maker_leaf(m, EX_CONST, v);
}

const struct expr *
maker_argument(struct maker *m)
{
	uint32_t i = maker_pick(m, 2);

	return m->func ? maker_leaf(m, EX_VAR, 0) : maker_leaf(m, EX_ARG, i);
}

static const struct expr *
make_thread(struct maker *m)
{
	uint32_t x = maker_pick(m, 10);

	if (x < 6)
		return maker_leaf(m, EX_LINEAR, 0);
	if (x < 8)
		return maker_leaf(m, m->wide ? EX_TID_X : EX_LINEAR, 0);
	if (x < 9)
		return maker_leaf(m, m->wide ? EX_TID_Y : EX_LANE, 0);
	return maker_leaf(m, EX_LANE, 0);
}

static const struct expr *
make_load(struct maker *m)
{
	uint32_t x = maker_pick(m, 12), k = maker_pick(m, UNIFORM_WORDS);

	if (x < 7)
		return maker_leaf(m, EX_LOAD, k);
	return maker_leaf(m, x < 11 ? EX_LOAD_LANE : EX_ATOMIC, k % LANE_WORDS);
}

const struct expr *
maker_expr(struct maker *m, unsigned depth)
{
	uint32_t x = maker_pick(m, 100), k;

	if (x < 20)
		return number(m, 8);
	if (x < 40 || depth > 1)
		return make_thread(m);
	if (x < 50)
		return maker_argument(m);
	if (x < 60) {
		k = maker_pick(m, 4);
		return maker_leaf(m, k || !m->wide ? EX_CTA_X : EX_CTA_Y, 0);
	}
	if (x < 75) {
		k = maker_pick(m, VARS);
		return maker_leaf(m, EX_VAR, k);
	}
	if (m->k->data && x < 87)
		return make_load(m);
	k = maker_pick(m, N_EXPR_OPS - EX_ADD);
	const struct expr *a = maker_expr(m, depth + 1);
	const struct expr *b = maker_expr(m, depth + 1);
	return maker_two(m, (enum expr_op)(EX_ADD + k), a, b);
}

static struct cond
compare(enum compare cmp, const struct expr *a, const struct expr *b)
{
	return (struct cond){cmp, a, b};
}

struct cond
maker_cond(struct maker *m)
{
	static const uint32_t edge[] = {16, 32, 64, 40, 96, 128};
	uint32_t x = maker_pick(m, 100), k;
	const struct expr *a, *b;

	if (x < 10) {
		k = maker_pick(m, 6);
		return compare(CMP_LT, maker_leaf(m, EX_LINEAR, 0),
			maker_leaf(m, EX_CONST, edge[k]));
	}
	if (x < 20)
		return compare(CMP_EQ, maker_leaf(m, EX_WARP, 0), number(m, 3));
	if (x < 32)
		return compare(CMP_LT, maker_leaf(m, EX_CTA_X, 0), number(m, 4));
	if (x < 44) {
		a = maker_argument(m);
		return compare(CMP_EQ, a, number(m, 4));
	}
	if (x < 48) {
		k = maker_pick(m, VARS);
		return compare(
			CMP_GE, maker_leaf(m, EX_VAR, k), maker_leaf(m, EX_CONST, 1));
	}
	if (x < 50)
		return compare(CMP_LT, maker_leaf(m, EX_TID_Y, 0), number(m, 4));
	if (m->k->data && x < 66) {
		a = make_load(m);
		return compare(CMP_LT, a, maker_leaf(m, EX_CONST, 2));
	}
	k = maker_pick(m, 3);
	a = maker_expr(m, 0);
	b = maker_expr(m, 0);
	return compare((enum compare)k, a, b);
}

struct mask
maker_mask(struct maker *m)
{
	static const uint32_t lanes[] = {0xffff, 0xffff0000, 0xff, 0x55555555};
	uint32_t x = maker_pick(m, 20), k = maker_pick(m, 4);

	if (x < 12)
		return (struct mask){MASK_CONST, UINT32_MAX};
	if (x < 15)
		return (struct mask){MASK_CONST, lanes[k]};
	if (x < 17)
		return (struct mask){MASK_TILE, k < 2 ? 16 : k < 3 ? 8 : 4};
	return (struct mask){MASK_VAR, MASKS + k % MASK_VARS};
}
