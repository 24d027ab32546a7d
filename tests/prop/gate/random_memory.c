/* Random uses of memory without data races. */
#include "random_maker.h"

static void
put(struct maker *m, struct ins i, uint32_t unit)
{
	i.unit = unit;
	maker_emit(m, i);
}

/* if (c) word = e; */
static void
put_store(struct maker *m, struct cond c, struct ins store, bool guard, uint32_t unit)
{
	uint32_t label = maker_label(m);

	put(m, (struct ins){.op = guard ? INS_GUARD : INS_UNLESS, .c = c, .k = label},
		unit);
	put(m, store, unit);
	maker_put_label(m, label);
}

/* One thread writes; in half of the cases others write or add to it later. */
static void
make_flag(struct maker *m)
{
	const struct ins barrier = {.op = INS_BARRIER};
	uint32_t k = maker_pick(m, FLAGS), who = maker_pick(m, 32),
		 kind = maker_pick(m, 8), v = maker_pick(m, VARS);
	struct cond one = {
		CMP_EQ, maker_leaf(m, EX_LINEAR, 0), maker_leaf(m, EX_CONST, who)};
	struct ins store = {.op = INS_STORE, .k = k, .kind = !kind};
	uint32_t unit = maker_label(m);

	store.e = maker_expr(m, 0);
	put(m, barrier, unit);
	put_store(m, one, store, kind & 1, unit);
	put(m, barrier, unit);
	if (kind >= 6) {
		/* all who do write the same, or what is added up */
		struct cond some = maker_cond(m);

		store.e = maker_leaf(m, EX_CONST, 1);
		store.kind = kind == 6 ? 0 : 2;
		put_store(m, some, store, false, unit);
		put(m, barrier, unit);
	}
	put(m, (struct ins){.op = INS_LOAD, .k = k, .var = v, .kind = !kind}, unit);
}

/* Each thread writes a word; after a barrier it reads that of another one. */
static void
make_slots(struct maker *m)
{
	const struct ins barrier = {.op = INS_BARRIER};
	const uint32_t *b = m->k->block;
	uint32_t n = b[0] * b[1] * b[2], all = 1, x = maker_pick(m, 3),
		 v = maker_pick(m, VARS);
	uint32_t by = maker_pick(m, 32), unit = maker_label(m);
	struct ins i = {
		.op = INS_STORE, .k = SLOT_WORDS, .at = maker_leaf(m, EX_LINEAR, 0)};

	while (all * 2 <= n)
		all *= 2;
	i.e = maker_expr(m, 0);
	put(m, barrier, unit);
	put(m, i, unit);
	put(m, barrier, unit);
	if (x)
		i.at = maker_two(m, EX_ADD, i.at, maker_leaf(m, EX_CONST, by));
	else
		i.at = maker_leaf(m, EX_CONST, by);
	i.at = maker_two(m, EX_AND, i.at, maker_leaf(m, EX_CONST, all - 1));
	i.op = INS_LOAD;
	i.var = v;
	put(m, i, unit);
}

/* The first lane of a warp writes a word that its others read. */
static void
make_warp_word(struct maker *m)
{
	const struct ins sync = {.op = INS_SYNCWARP, .mask = {MASK_CONST, UINT32_MAX}};
	struct cond one = {CMP_EQ, maker_leaf(m, EX_LANE, 0), maker_leaf(m, EX_CONST, 0)};
	struct ins i = {
		.op = INS_STORE, .k = WARP_WORDS, .at = maker_leaf(m, EX_WARP, 0)};
	uint32_t v = maker_pick(m, VARS), unit = maker_label(m);

	i.e = maker_expr(m, 0);
	put(m, sync, unit);
	put_store(m, one, i, false, unit);
	put(m, sync, unit);
	i.op = INS_LOAD;
	i.var = v;
	put(m, i, unit);
}

static void
make_local(struct maker *m)
{
	uint32_t load = maker_pick(m, 2), x = maker_pick(m, 4), k = maker_pick(m, VARS);
	struct ins i = {.op = load ? INS_LOAD : INS_STORE, .area = AREA_LOCAL};

	if (x)
		i.k = k;
	else
		i.at = maker_two(m, EX_AND, maker_leaf(m, EX_VAR, k),
			maker_leaf(m, EX_CONST, LOCAL_WORDS - 1));
	i.var = maker_pick(m, VARS);
	if (!load)
		i.e = maker_expr(m, 0);
	maker_emit(m, i);
}

void
maker_memory(struct maker *m)
{
	uint32_t x = maker_pick(m, 10);

	if (x < 4)
		make_flag(m);
	else if (x < 6)
		make_slots(m);
	else if (x < 7)
		make_warp_word(m);
	else
		make_local(m);
}
