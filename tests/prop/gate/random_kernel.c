/* Makes random kernels. */
#include "random_maker.h"

enum { MAKE_DEPTH = 4 };

void
maker_emit(struct maker *m, struct ins i)
{
	i.loops = m->loops;
	if (m->code->n < CODE_MAX - 2)
		m->code->v[m->code->n++] = i;
}

uint32_t
maker_label(struct maker *m)
{
	return m->k->labels++;
}

void
maker_put_label(struct maker *m, uint32_t k)
{
	maker_emit(m, (struct ins){.op = INS_LABEL, .k = k});
}

static void make_block(struct maker *m);

static void
make_if(struct maker *m)
{
	uint32_t other = maker_label(m), end = maker_label(m), x = maker_pick(m, 10);
	struct cond c = maker_cond(m);

	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = other});
	make_block(m);
	if (x < 4)
		maker_emit(m, (struct ins){.op = INS_JUMP, .k = end});
	maker_put_label(m, other);
	if (x < 4)
		make_block(m);
	maker_put_label(m, end);
}

static void
make_switch(struct maker *m)
{
	struct ins i = {.op = INS_SWITCH};
	uint32_t end = maker_label(m), ways = 2 + maker_pick(m, 3),
		 fall = maker_pick(m, 3);

	i.e = maker_expr(m, 0);
	for (uint32_t k = 0; k < WAYS; k++)
		i.way[k] = k < ways ? maker_label(m) : end;
	maker_emit(m, i);
	for (uint32_t k = 0; k < ways; k++) {
		maker_put_label(m, i.way[k]);
		make_block(m);
		if (k || fall)
			maker_emit(m, (struct ins){.op = INS_JUMP, .k = end});
	}
	maker_put_label(m, end);
}

static const struct expr *
make_bound(struct maker *m)
{
	uint32_t x = maker_pick(m, 10);
	const struct expr *e;

	if (x < 4) {
		x = maker_pick(m, 3);
		return maker_leaf(m, EX_CONST, 1 + x);
	}
	if (x < 6 && !m->func)
		return maker_argument(m);
	e = maker_expr(m, 1);
	return maker_two(m, EX_AND, e, maker_leaf(m, EX_CONST, 3));
}

/* for (i = 0; i < n; i++), or its test at the end */
static void
make_loop(struct maker *m)
{
	uint32_t head = maker_label(m), next = maker_label(m), end = maker_label(m);
	uint32_t id = m->code->loops++, i = COUNTERS + 2 * id, n = i + 1;
	uint32_t at_end = maker_pick(m, 4), to_end = m->to_end, to_next = m->to_next;
	struct cond more = {CMP_LT, maker_leaf(m, EX_VAR, i), maker_leaf(m, EX_VAR, n)};
	const struct expr *bound = make_bound(m);

	maker_emit(m, (struct ins){.op = INS_SET, .var = n, .e = bound});
	maker_emit(m,
		(struct ins){.op = INS_SET, .var = i, .e = maker_leaf(m, EX_CONST, 0)});
	m->loops |= UINT32_C(1) << id;
	m->to_end = end;
	m->to_next = next;
	maker_emit(m, (struct ins){.op = INS_ROUND0, .k = id});
	maker_put_label(m, head);
	if (at_end)
		maker_emit(m, (struct ins){.op = INS_UNLESS, .k = end, .c = more});
	make_block(m);
	maker_put_label(m, next);
	maker_emit(m, (struct ins){.op = INS_SET,
			      .var = i,
			      .e = maker_two(m, EX_ADD, maker_leaf(m, EX_VAR, i),
				      maker_leaf(m, EX_CONST, 1))});
	maker_emit(m, (struct ins){.op = INS_ROUND, .k = id});
	if (!at_end)
		maker_emit(m, (struct ins){.op = INS_UNLESS, .k = end, .c = more});
	maker_emit(m, (struct ins){.op = INS_JUMP, .k = head});
	m->loops &= ~(UINT32_C(1) << id);
	m->to_end = to_end;
	m->to_next = to_next;
	maker_put_label(m, end);
}

/* Counted barriers: a known number, or one of each warp, or one that data choose. */
static void
make_named(struct maker *m)
{
	struct ins i = {.op = INS_NAMED_SYNC};
	uint32_t x = maker_pick(m, 3), y = maker_pick(m, 16), z = maker_pick(m, 4),
		 w = maker_pick(m, 40);
	const struct expr *one = maker_leaf(m, EX_CONST, 1);

	if (!x)
		i.op = INS_NAMED_ARRIVE;
	i.k = w ? 32 * (1 + z) : 48;
	if (y < 10)
		i.e = maker_leaf(m, EX_CONST, 1 + y % 2);
	else if (y < 12)
		i.e = maker_two(m, EX_ADD, maker_leaf(m, EX_WARP, 0), one);
	else if (y < 14)
		i.e = maker_two(m, EX_ADD,
			maker_two(m, EX_SHR, maker_leaf(m, EX_WARP, 0), one), one);
	else if (m->k->data && y < 15)
		i.e = maker_two(m, EX_ADD,
			maker_two(m, EX_AND, maker_leaf(m, EX_LOAD, z), one), one);
	else
		i.e = maker_two(
			m, EX_ADD, maker_two(m, EX_AND, maker_argument(m), one), one);
	maker_emit(m, i);
}

/* mask = ballot(c); if (c) { a collective of those lanes } */
static void
make_ballot(struct maker *m)
{
	uint32_t var = MASKS + maker_pick(m, MASK_VARS), v = maker_pick(m, VARS),
		 use = maker_pick(m, 3);
	uint32_t end = maker_label(m);
	struct mask full = {MASK_CONST, UINT32_MAX}, own = {MASK_VAR, var};
	struct cond c = maker_cond(m);
	const struct expr *e = maker_expr(m, 1);

	maker_emit(m, (struct ins){.op = INS_BALLOT, .var = var, .mask = full, .c = c});
	if (!use)
		return;
	maker_emit(m, (struct ins){.op = INS_UNLESS, .c = c, .k = end});
	if (use == 1)
		maker_emit(m, (struct ins){.op = INS_SYNCWARP, .mask = own});
	else
		maker_emit(
			m, (struct ins){.op = INS_REDUX, .mask = own, .var = v, .e = e});
	maker_put_label(m, end);
}

static void
make_shuffle(struct maker *m)
{
	struct ins i = {.op = INS_SHUFFLE, .mask = {MASK_CONST, UINT32_MAX}};
	uint32_t x = maker_pick(m, 5), other = maker_pick(m, 8);

	i.var = maker_pick(m, VARS);
	i.kind = maker_pick(m, 4);
	i.k = i.kind == 1 ? x : 1u << x;
	if (!other)
		i.mask = maker_mask(m);
	i.e = maker_expr(m, 1);
	maker_emit(m, i);
}

static void
make_collective(struct maker *m)
{
	struct ins i = {0};
	uint32_t x = maker_pick(m, 20);

	i.mask = maker_mask(m);
	i.var = maker_pick(m, VARS);
	i.kind = maker_pick(m, 2);
	if (x < 7) {
		i.op = INS_SYNCWARP;
	} else if (x < 12) {
		i.op = INS_VOTE;
		i.c = maker_cond(m);
	} else if (x < 14) {
		i.op = INS_BALLOT;
		i.c = maker_cond(m);
		i.var = x < 13 ? i.var : MASKS + i.kind;
	} else if (x < 17) {
		i.op = INS_REDUX;
		i.e = maker_expr(m, 1);
	} else {
		i.op = INS_MATCH;
		i.e = maker_expr(m, 1);
		i.var = x < 19 ? i.var : MASKS + i.kind;
	}
	maker_emit(m, i);
}

static void
make_barrier(struct maker *m)
{
	uint32_t x = maker_pick(m, 16), label, v;
	struct ins i = {.op = INS_BARRIER, .kind = x == 0};

	if (x < 3) {
		i.op = INS_BARRIER_OR;
		v = maker_pick(m, VARS);
		i.var = v;
		i.c = maker_cond(m);
	}
	if (x < 14) {
		maker_emit(m, i);
		return;
	}
	label = maker_label(m);
	struct cond c = maker_cond(m);
	maker_emit(m, (struct ins){.op = INS_GUARD, .c = c, .k = label});
	maker_emit(m, i);
	maker_put_label(m, label);
}

static void
make_call(struct maker *m)
{
	struct ins i = {.op = INS_CALL};
	uint32_t x = maker_pick(m, 8);

	i.k = m->func + 1 + (m->func + 2 < m->k->n_funcs && x < 3);
	i.var = maker_pick(m, VARS);
	i.e = maker_expr(m, 1);
	maker_emit(m, i);
}

/* return, exit, break or continue, most of them under a condition of their own */
static void
make_leave(struct maker *m)
{
	uint32_t x = maker_pick(m, 10), label;
	struct ins i = {.op = x < 5 ? INS_RETURN : INS_EXIT};
	bool loop = m->to_end && x < 7;

	if (loop)
		i = (struct ins){.op = INS_JUMP, .k = x < 4 ? m->to_end : m->to_next};
	x = maker_pick(m, 8);
	if (x < 3 && m->depth > 1) {
		maker_emit(m, i);
		return;
	}
	struct cond c = maker_cond(m);
	label = maker_label(m);
	maker_emit(m, (struct ins){.op = loop || x > 1 ? INS_UNLESS : INS_GUARD,
			      .c = c,
			      .k = label});
	maker_emit(m, i);
	maker_put_label(m, label);
}

/* Of few kinds, so that the flow of control is deep. */
static void
make_plain(struct maker *m)
{
	struct ins i = {.op = INS_SYNCWARP, .mask = {MASK_CONST, UINT32_MAX}};
	uint32_t x = maker_pick(m, 100), v = maker_pick(m, VARS);
	bool deep = m->depth >= MAKE_DEPTH;

	m->budget--;
	if (x < 15 || (deep && x >= 58)) {
		i = (struct ins){.op = INS_SET, .var = v};
		i.e = maker_expr(m, 0);
	} else if (x < 32) {
		i = (struct ins){.op = INS_BARRIER};
	} else if (x < 42) {
		i.op = INS_VOTE;
		i.var = v;
		i.c = maker_cond(m);
	} else if (x < 58 && x >= 48) {
		make_leave(m);
		return;
	} else if (x >= 58) {
		if (x < 80 || m->code->loops == LOOPS_MAX)
			make_if(m);
		else
			make_loop(m);
		return;
	}
	maker_emit(m, i);
}

static void
make_statement(struct maker *m)
{
	uint32_t x = maker_pick(m, 100), v = maker_pick(m, VARS),
		 named = maker_pick(m, 4);
	bool deep = m->depth >= MAKE_DEPTH;

	m->budget--;
	if (m->k->named && !named)
		make_named(m);
	else if (x < 18 || (deep && x >= 68))
		maker_emit(
			m, (struct ins){.op = INS_SET, .var = v, .e = maker_expr(m, 0)});
	else if (x < 34)
		make_barrier(m);
	else if (x < 46)
		make_collective(m);
	else if (x < 51)
		make_shuffle(m);
	else if (x < 53)
		make_ballot(m);
	else if (x < 55)
		maker_masks(m);
	else if (x < 60 && m->memory)
		maker_memory(m);
	else if (x < 64)
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
	uint32_t n = 2 + maker_pick(m, 3);

	m->depth++;
	for (; n && m->budget > 0; n--)
		if (m->plain)
			make_plain(m);
		else
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
	uint32_t b = maker_pick(m, 6), g = maker_pick(m, 3), y = maker_pick(m, 3);

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
	uint32_t named = maker_pick(&m, 4), calls = maker_pick(&m, 3),
		 memory = maker_pick(&m, 2);
	uint32_t wide = maker_pick(&m, 4), plain = maker_pick(&m, 4);

	*k = (struct random_kernel){.labels = 1, .data = data, .named = !named};
	m.calls = !calls && plain;
	m.memory = !memory;
	m.wide = !wide;
	m.plain = !plain;
	k->n_funcs = m.calls ? FUNCS_MAX : 1;
	k->args[0] = maker_pick(&m, 4);
	k->args[1] = maker_pick(&m, 4);
	make_launch(&m);
	for (m.func = 0; m.func < k->n_funcs; m.func++) {
		m.code = &k->func[m.func];
		m.budget = m.func ? 6 : 22;
		m.depth = m.func ? 1 : 0;
		make_block(&m);
	}
}
