/* Random uses of masks that follow the lanes that are there. */
#include "random_maker.h"

static const struct mask everybody = {MASK_CONST, UINT32_MAX};

/* A condition on a register that was just set, so that it is the same when asked twice.
 */
static struct cond
make_held(struct maker *m)
{
	uint32_t v = maker_pick(m, VARS), k = maker_pick(m, 3), cmp = maker_pick(m, 3);

	maker_emit(m, (struct ins){.op = INS_SET, .var = v, .e = maker_expr(m, 0)});
	return (struct cond){
		(enum compare)cmp, maker_leaf(m, EX_VAR, v), maker_leaf(m, EX_CONST, k)};
}

static struct cond
opposite(struct cond c)
{
	/* of an equality: an inequality, which may be wrong and is judged as it is */
	c.cmp = c.cmp == CMP_LT ? CMP_GE : CMP_LT;
	return c;
}

static void
make_use(struct maker *m, uint32_t mask)
{
	struct ins i = {.mask = {MASK_VAR, mask}};
	uint32_t x = maker_pick(m, 4);

	i.var = maker_pick(m, VARS);
	i.kind = maker_pick(m, 2);
	i.op = x == 0 ? INS_SYNCWARP : x == 1 ? INS_VOTE : x == 2 ? INS_REDUX : INS_MATCH;
	i.c = maker_cond(m);
	i.e = maker_expr(m, 1);
	maker_emit(m, i);
}

static void
make_vote(struct maker *m, uint32_t to, struct mask of, struct cond c)
{
	maker_emit(m, (struct ins){.op = INS_BALLOT, .var = to, .mask = of, .c = c});
}

/* A ballot within a ballot; one in four uses the wrong one. */
static void
make_nested(struct maker *m)
{
	uint32_t end = maker_label(m), inner = maker_label(m), x = maker_pick(m, 4);
	struct cond c = make_held(m), d;

	make_vote(m, MASKS, everybody, c);
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = end});
	d = make_held(m);
	make_vote(m, MASKS + 1, (struct mask){MASK_VAR, MASKS}, d);
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = d, .k = inner});
	make_use(m, x ? MASKS + 1 : MASKS);
	maker_put_label(m, inner);
	if (x > 1)
		make_use(m, MASKS);
	maker_put_label(m, end);
}

/* Each side of a branch has the mask of those that take it. */
static void
make_sides(struct maker *m)
{
	uint32_t other = maker_label(m), end = maker_label(m), x = maker_pick(m, 4);
	struct cond c = make_held(m);

	make_vote(m, MASKS, everybody, c);
	make_vote(m, MASKS + 1, everybody, opposite(c));
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = other});
	make_use(m, x ? MASKS : MASKS + 1);
	maker_emit(m, (struct ins){.op = INS_JUMP, .k = end});
	maker_put_label(m, other);
	make_use(m, x == 1 ? MASKS : MASKS + 1);
	maker_put_label(m, end);
}

/* Lanes leave a loop one by one; the mask of those that stay feeds itself. */
static void
make_followed(struct maker *m)
{
	uint32_t id = m->code->loops++, i = COUNTERS + 2 * id, n = i + 1;
	uint32_t head = maker_label(m), end = maker_label(m), x = maker_pick(m, 6);
	uint32_t bound = 1 + maker_pick(m, 3);
	struct cond more = {CMP_LT, maker_leaf(m, EX_VAR, i), maker_leaf(m, EX_VAR, n)},
		    c;
	const struct expr *one = maker_leaf(m, EX_CONST, 1);

	maker_emit(m, (struct ins){.op = INS_SET,
			      .var = MASKS,
			      .e = maker_leaf(m, EX_CONST, UINT32_MAX)});
	maker_emit(
		m, (struct ins){
			   .op = INS_SET, .var = n, .e = maker_leaf(m, EX_CONST, bound)});
	maker_emit(m,
		(struct ins){.op = INS_SET, .var = i, .e = maker_leaf(m, EX_CONST, 0)});
	m->loops |= UINT32_C(1) << id;
	maker_emit(m, (struct ins){.op = INS_ROUND0, .k = id});
	maker_put_label(m, head);
	c = make_held(m);
	if (x > 3)
		make_use(m, MASKS);
	make_vote(m, x ? MASKS : MASKS + 1, (struct mask){MASK_VAR, MASKS}, c);
	maker_emit(m,
		(struct ins){.op = INS_UNLESS, .c = x == 1 ? make_held(m) : c, .k = end});
	if (x > 2)
		make_use(m, MASKS);
	maker_emit(m, (struct ins){.op = INS_SET,
			      .var = i,
			      .e = maker_two(m, EX_ADD, maker_leaf(m, EX_VAR, i), one)});
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = more, .k = end});
	maker_emit(m, (struct ins){.op = INS_ROUND, .k = id});
	maker_emit(m, (struct ins){.op = INS_JUMP, .k = head});
	m->loops &= ~(UINT32_C(1) << id);
	maker_put_label(m, end);
}

/* Equal values, and what happens to their groups. */
static void
make_groups(struct maker *m)
{
	uint32_t end = maker_label(m), x = maker_pick(m, 4);
	struct cond c = make_held(m);

	maker_emit(m, (struct ins){.op = INS_MATCH,
			      .var = MASKS,
			      .mask = everybody,
			      .e = maker_expr(m, 1)});
	if (x > 1)
		make_vote(m, MASKS + 1, (struct mask){MASK_VAR, MASKS}, c);
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = end});
	make_use(m, x > 1 ? MASKS + 1 : MASKS);
	maker_put_label(m, end);
	if (x == 3)
		make_use(m, MASKS);
}

/* Those whose condition does not hold return. */
static void
make_left(struct maker *m)
{
	uint32_t go_on = maker_label(m), x = maker_pick(m, 3);
	struct cond c = make_held(m);

	make_vote(m, MASKS, everybody, x ? c : maker_cond(m));
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = opposite(c), .k = go_on});
	maker_emit(m, (struct ins){.op = INS_RETURN});
	maker_put_label(m, go_on);
	make_use(m, MASKS);
}

void
maker_masks(struct maker *m)
{
	uint32_t x = maker_pick(m, 9);

	if (x < 2)
		make_nested(m);
	else if (x < 4)
		make_sides(m);
	else if (x < 5)
		make_left(m);
	else if (x < 7 || m->code->loops >= LOOPS_MAX)
		make_groups(m);
	else
		make_followed(m);
}
