/* Makes random kernels. */
#include "random_kernel.h"

enum { MAKE_DEPTH = 4 };

struct maker {
	struct arena *a;
	struct rng r;
	struct random_kernel *k;
	struct code *code; /* of the function that is being made */
	unsigned func, depth;
	uint32_t loops;           /* around this place */
	uint32_t to_end, to_next; /* labels of the innermost loop, or 0 */
	int budget;               /* statements that are left */
	bool calls, shared, wide;
};

static uint32_t
pick(struct maker *m, uint32_t n)
{
	return (uint32_t)rng_below(&m->r, n);
}

/* ---- expressions ---- */

static const struct expr *
leaf(struct maker *m, enum expr_op op, uint32_t k)
{
	struct expr *e = arena_new(m->a, struct expr);

	*e = (struct expr){.op = op, .k = k};
	return e;
}

static const struct expr *
two(struct maker *m, enum expr_op op, const struct expr *a, const struct expr *b)
{
	struct expr *e = arena_new(m->a, struct expr);

	*e = (struct expr){.op = op, .a = a, .b = b};
	return e;
}

static const struct expr *
number(struct maker *m, uint32_t n)
{
	uint32_t v = pick(m, n);

	return leaf(m, EX_CONST, v);
}

/* An argument; functions have none. */
static const struct expr *
make_argument(struct maker *m)
{
	uint32_t i = pick(m, 2);

	return m->func ? leaf(m, EX_VAR, 0) : leaf(m, EX_ARG, i);
}

static const struct expr *
make_thread(struct maker *m)
{
	uint32_t x = pick(m, 10);

	if (x < 6)
		return leaf(m, EX_LINEAR, 0);
	if (x < 8)
		return leaf(m, m->wide ? EX_TID_X : EX_LINEAR, 0);
	if (x < 9)
		return leaf(m, m->wide ? EX_TID_Y : EX_LANE, 0);
	return leaf(m, EX_LANE, 0);
}

static const struct expr *
make_load(struct maker *m)
{
	uint32_t x = pick(m, 12), k = pick(m, UNIFORM_WORDS);

	if (x < 7)
		return leaf(m, EX_LOAD, k);
	return leaf(m, x < 11 ? EX_LOAD_LANE : EX_ATOMIC, k % LANE_WORDS);
}

static const struct expr *
make_expr(struct maker *m, unsigned depth)
{
	uint32_t x = pick(m, 100), k;

	if (x < 20)
		return number(m, 8);
	if (x < 40 || depth > 1)
		return make_thread(m);
	if (x < 50)
		return make_argument(m);
	if (x < 60) {
		k = pick(m, 4);
		return leaf(m, k || !m->wide ? EX_CTA_X : EX_CTA_Y, 0);
	}
	if (x < 75) {
		k = pick(m, VARS);
		return leaf(m, EX_VAR, k);
	}
	if (m->k->data && x < 87)
		return make_load(m);
	k = pick(m, N_EXPR_OPS - EX_ADD);
	const struct expr *a = make_expr(m, depth + 1);
	const struct expr *b = make_expr(m, depth + 1);
	return two(m, (enum expr_op)(EX_ADD + k), a, b);
}

static struct cond
compare(enum compare cmp, const struct expr *a, const struct expr *b)
{
	return (struct cond){cmp, a, b};
}

static struct cond
make_cond(struct maker *m)
{
	static const uint32_t edge[] = {16, 32, 64, 40, 96, 128};
	uint32_t x = pick(m, 100), k;
	const struct expr *a, *b;

	if (x < 10) {
		k = pick(m, 6);
		return compare(CMP_LT, leaf(m, EX_LINEAR, 0), leaf(m, EX_CONST, edge[k]));
	}
	if (x < 20)
		return compare(CMP_EQ, leaf(m, EX_WARP, 0), number(m, 3));
	if (x < 32)
		return compare(CMP_LT, leaf(m, EX_CTA_X, 0), number(m, 4));
	if (x < 44) {
		a = make_argument(m);
		return compare(CMP_EQ, a, number(m, 4));
	}
	if (x < 48) {
		k = pick(m, VARS);
		return compare(CMP_GE, leaf(m, EX_VAR, k), leaf(m, EX_CONST, 1));
	}
	if (x < 50)
		return compare(CMP_LT, leaf(m, EX_TID_Y, 0), number(m, 4));
	if (m->k->data && x < 66) {
		a = make_load(m);
		return compare(CMP_LT, a, leaf(m, EX_CONST, 2));
	}
	k = pick(m, 3);
	a = make_expr(m, 0);
	b = make_expr(m, 0);
	return compare((enum compare)k, a, b);
}

static struct mask
make_mask(struct maker *m)
{
	static const uint32_t lanes[] = {0xffff, 0xffff0000, 0xff, 0x55555555};
	uint32_t x = pick(m, 20), k = pick(m, 4);

	if (x < 12)
		return (struct mask){MASK_CONST, UINT32_MAX};
	if (x < 15)
		return (struct mask){MASK_CONST, lanes[k]};
	if (x < 17)
		return (struct mask){MASK_TILE, k < 2 ? 16 : k < 3 ? 8 : 4};
	return (struct mask){MASK_VAR, MASKS + k % MASK_VARS};
}

/* ---- statements ---- */

static void
emit(struct maker *m, struct ins i)
{
	i.loops = m->loops;
	if (m->code->n < CODE_MAX - 2)
		m->code->v[m->code->n++] = i;
}

static uint32_t
new_label(struct maker *m)
{
	return m->k->labels++;
}

static void
put_label(struct maker *m, uint32_t k)
{
	emit(m, (struct ins){.op = INS_LABEL, .k = k});
}

static void make_block(struct maker *m);

static void
make_if(struct maker *m)
{
	uint32_t other = new_label(m), end = new_label(m), x = pick(m, 10);
	struct cond c = make_cond(m);

	emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = other});
	make_block(m);
	if (x < 4)
		emit(m, (struct ins){.op = INS_JUMP, .k = end});
	put_label(m, other);
	if (x < 4)
		make_block(m);
	put_label(m, end);
}

static void
make_switch(struct maker *m)
{
	struct ins i = {.op = INS_SWITCH};
	uint32_t end = new_label(m), ways = 2 + pick(m, 3), fall = pick(m, 3);

	i.e = make_expr(m, 0);
	for (uint32_t k = 0; k < WAYS; k++)
		i.way[k] = k < ways ? new_label(m) : end;
	emit(m, i);
	for (uint32_t k = 0; k < ways; k++) {
		put_label(m, i.way[k]);
		make_block(m);
		if (k || fall)
			emit(m, (struct ins){.op = INS_JUMP, .k = end});
	}
	put_label(m, end);
}

static const struct expr *
make_bound(struct maker *m)
{
	uint32_t x = pick(m, 10);
	const struct expr *e;

	if (x < 4) {
		x = pick(m, 3);
		return leaf(m, EX_CONST, 1 + x);
	}
	if (x < 6 && !m->func)
		return make_argument(m);
	e = make_expr(m, 1);
	return two(m, EX_AND, e, leaf(m, EX_CONST, 3));
}

/* for (i = 0; i < n; i++), or its test at the end */
static void
make_loop(struct maker *m)
{
	uint32_t head = new_label(m), next = new_label(m), end = new_label(m);
	uint32_t id = m->code->loops++, i = COUNTERS + 2 * id, n = i + 1;
	uint32_t at_end = pick(m, 4), to_end = m->to_end, to_next = m->to_next;
	struct cond more = {CMP_LT, leaf(m, EX_VAR, i), leaf(m, EX_VAR, n)};
	const struct expr *bound = make_bound(m);

	emit(m, (struct ins){.op = INS_SET, .var = n, .e = bound});
	emit(m, (struct ins){.op = INS_SET, .var = i, .e = leaf(m, EX_CONST, 0)});
	m->loops |= UINT32_C(1) << id;
	m->to_end = end;
	m->to_next = next;
	emit(m, (struct ins){.op = INS_ROUND0, .k = id});
	put_label(m, head);
	if (at_end)
		emit(m, (struct ins){.op = INS_UNLESS, .k = end, .c = more});
	make_block(m);
	put_label(m, next);
	emit(m, (struct ins){.op = INS_SET,
			.var = i,
			.e = two(m, EX_ADD, leaf(m, EX_VAR, i), leaf(m, EX_CONST, 1))});
	emit(m, (struct ins){.op = INS_ROUND, .k = id});
	if (!at_end)
		emit(m, (struct ins){.op = INS_UNLESS, .k = end, .c = more});
	emit(m, (struct ins){.op = INS_JUMP, .k = head});
	m->loops &= ~(UINT32_C(1) << id);
	m->to_end = to_end;
	m->to_next = to_next;
	put_label(m, end);
}

/* Counted barriers: a known number, or one of each warp, or one that data choose. */
static void
make_named(struct maker *m)
{
	struct ins i = {.op = INS_NAMED_SYNC};
	uint32_t x = pick(m, 3), y = pick(m, 16), z = pick(m, 4), w = pick(m, 40);
	const struct expr *one = leaf(m, EX_CONST, 1);

	if (!x)
		i.op = INS_NAMED_ARRIVE;
	i.k = w ? 32 * (1 + z) : 48;
	if (y < 10)
		i.e = leaf(m, EX_CONST, 1 + y % 2);
	else if (y < 12)
		i.e = two(m, EX_ADD, leaf(m, EX_WARP, 0), one);
	else if (y < 14)
		i.e = two(m, EX_ADD, two(m, EX_SHR, leaf(m, EX_WARP, 0), one), one);
	else if (m->k->data && y < 15)
		i.e = two(m, EX_ADD, two(m, EX_AND, leaf(m, EX_LOAD, z), one), one);
	else
		i.e = two(m, EX_ADD, two(m, EX_AND, make_argument(m), one), one);
	emit(m, i);
}

/* One thread, or all with what may be the same, write a word that others read later. */
static void
make_flag(struct maker *m)
{
	uint32_t k = pick(m, SHARED_WORDS), who = pick(m, 32), kind = pick(m, 4);
	uint32_t v = pick(m, VARS), label = new_label(m);
	struct cond one = {CMP_EQ, leaf(m, EX_LINEAR, 0), leaf(m, EX_CONST, who)};
	const struct expr *e = make_expr(m, 0);

	emit(m, (struct ins){.op = INS_BARRIER});
	emit(m, (struct ins){
			.op = kind & 2 ? INS_GUARD : INS_UNLESS, .c = one, .k = label});
	emit(m, (struct ins){.op = INS_STORE, .k = k, .e = e, .kind = !kind});
	put_label(m, label);
	emit(m, (struct ins){.op = INS_BARRIER});
	emit(m, (struct ins){.op = INS_LOAD, .k = k, .var = v, .kind = !kind});
}

/* mask = ballot(c); if (c) { a collective of those lanes } */
static void
make_ballot(struct maker *m)
{
	uint32_t var = MASKS + pick(m, MASK_VARS), v = pick(m, VARS), use = pick(m, 3);
	uint32_t end = new_label(m);
	struct mask full = {MASK_CONST, UINT32_MAX}, own = {MASK_VAR, var};
	struct cond c = make_cond(m);
	const struct expr *e = make_expr(m, 1);

	emit(m, (struct ins){.op = INS_BALLOT, .var = var, .mask = full, .c = c});
	if (!use)
		return;
	emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = end});
	if (use == 1)
		emit(m, (struct ins){.op = INS_SYNCWARP, .mask = own});
	else
		emit(m, (struct ins){.op = INS_REDUX, .mask = own, .var = v, .e = e});
	put_label(m, end);
}

static void
make_shuffle(struct maker *m)
{
	struct ins i = {.op = INS_SHUFFLE, .mask = {MASK_CONST, UINT32_MAX}};
	uint32_t x = pick(m, 5), other = pick(m, 8);

	i.var = pick(m, VARS);
	i.kind = pick(m, 4);
	i.k = i.kind == 1 ? x : 1u << x;
	if (!other)
		i.mask = make_mask(m);
	i.e = make_expr(m, 1);
	emit(m, i);
}

static void
make_collective(struct maker *m)
{
	struct ins i = {0};
	uint32_t x = pick(m, 20);

	i.mask = make_mask(m);
	i.var = pick(m, VARS);
	i.kind = pick(m, 2);
	if (x < 7) {
		i.op = INS_SYNCWARP;
	} else if (x < 12) {
		i.op = INS_VOTE;
		i.c = make_cond(m);
	} else if (x < 14) {
		i.op = INS_BALLOT;
		i.c = make_cond(m);
		i.var = x < 13 ? i.var : MASKS + i.kind;
	} else if (x < 17) {
		i.op = INS_REDUX;
		i.e = make_expr(m, 1);
	} else {
		i.op = INS_MATCH;
		i.e = make_expr(m, 1);
		i.var = x < 19 ? i.var : MASKS + i.kind;
	}
	emit(m, i);
}

static void
make_barrier(struct maker *m)
{
	uint32_t x = pick(m, 16), label, v;
	struct ins i = {.op = INS_BARRIER, .kind = x == 0};

	if (x < 3) {
		i.op = INS_BARRIER_OR;
		v = pick(m, VARS);
		i.var = v;
		i.c = make_cond(m);
	}
	if (x < 14) {
		emit(m, i);
		return;
	}
	label = new_label(m);
	struct cond c = make_cond(m);
	emit(m, (struct ins){.op = INS_GUARD, .c = c, .k = label});
	emit(m, i);
	put_label(m, label);
}

static void
make_call(struct maker *m)
{
	struct ins i = {.op = INS_CALL};
	uint32_t x = pick(m, 8);

	i.k = m->func + 1 + (m->func + 2 < m->k->n_funcs && x < 3);
	i.var = pick(m, VARS);
	i.e = make_expr(m, 1);
	emit(m, i);
}

/* return, exit, break or continue, most of them under a condition of their own */
static void
make_leave(struct maker *m)
{
	uint32_t x = pick(m, 10), label;
	struct ins i = {.op = x < 5 ? INS_RETURN : INS_EXIT};
	bool loop = m->to_end && x < 7;

	if (loop)
		i = (struct ins){.op = INS_JUMP, .k = x < 4 ? m->to_end : m->to_next};
	x = pick(m, 4);
	if (!x && m->depth > 1) {
		emit(m, i);
		return;
	}
	struct cond c = make_cond(m);
	label = new_label(m);
	emit(m, (struct ins){.op = loop || x > 1 ? INS_UNLESS : INS_GUARD,
			.c = c,
			.k = label});
	emit(m, i);
	put_label(m, label);
}

static void
make_statement(struct maker *m)
{
	uint32_t x = pick(m, 100), v = pick(m, VARS), named = pick(m, 4);
	bool deep = m->depth >= MAKE_DEPTH;

	m->budget--;
	if (m->k->named && !named)
		make_named(m);
	else if (x < 18 || (deep && x >= 68))
		emit(m, (struct ins){.op = INS_SET, .var = v, .e = make_expr(m, 0)});
	else if (x < 34)
		make_barrier(m);
	else if (x < 46)
		make_collective(m);
	else if (x < 51)
		make_shuffle(m);
	else if (x < 55)
		make_ballot(m);
	else if (x < 59 && m->shared)
		make_flag(m);
	else if (x < 63)
		make_leave(m);
	else if (x < 68 && m->calls && m->func + 1 < m->k->n_funcs)
		make_call(m);
	else if (x < 84)
		make_if(m);
	else if (x < 88)
		make_switch(m);
	else if (m->code->loops < LOOPS_MAX)
		make_loop(m);
}

static void
make_block(struct maker *m)
{
	uint32_t n = 2 + pick(m, 3);

	m->depth++;
	for (; n && m->budget > 0; n--)
		make_statement(m);
	m->depth--;
}

static void
make_launch(struct maker *m)
{
	static const uint32_t line[][3] = {
		{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {48, 1, 1}, {33, 1, 1}};
	static const uint32_t wide[][3] = {
		{16, 4, 1}, {8, 4, 3}, {20, 5, 1}, {32, 2, 1}, {64, 2, 1}, {4, 4, 8}};
	static const uint32_t grids[] = {1, 3, 5};
	struct random_kernel *k = m->k;
	uint32_t b = pick(m, 6), g = pick(m, 3), y = pick(m, 3);

	memcpy(k->block, m->wide ? wide[b] : line[b], sizeof k->block);
	k->grid[0] = grids[g];
	k->grid[1] = m->wide && y == 0 ? 2 : 1;
	k->grid[2] = 1;
}

void
random_kernel_make(struct arena *a, struct random_kernel *k, uint64_t seed,
	uint64_t serial, bool data)
{
	struct maker m = {.a = a, .k = k, .r = {rng_at(seed, 2 * serial + data)}};
	uint32_t named = pick(&m, 4), calls = pick(&m, 3), shared = pick(&m, 2);
	uint32_t wide = pick(&m, 4);

	*k = (struct random_kernel){.labels = 1, .data = data, .named = !named};
	m.calls = !calls;
	m.shared = !shared;
	m.wide = !wide;
	k->n_funcs = m.calls ? FUNCS_MAX : 1;
	k->args[0] = pick(&m, 4);
	k->args[1] = pick(&m, 4);
	make_launch(&m);
	for (m.func = 0; m.func < k->n_funcs; m.func++) {
		m.code = &k->func[m.func];
		m.budget = m.func ? 6 : 22;
		m.depth = m.func ? 1 : 0;
		make_block(&m);
	}
}
