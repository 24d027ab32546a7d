/*
 * Symbols against numbers: random instructions on unknowns give symbols; with numbers for
 * the unknowns the symbol must come to what the instructions come to.  Unsigned ones with
 * any numbers, signed ones with numbers that do not overflow.
 */
#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "value/eval.h"
#include "value/symbol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;

enum { ROUNDS = 10000, UNKNOWNS = 7, WORLDS = 6, VALUES = 32, TRIPS = 1000 };

/* One value: what the gate says, and what it is in each world. */
struct value {
	struct cell c;
	unsigned bits;
	uint64_t is[WORLDS];
	bool wild[WORLDS]; /* a signed sum on the way overflowed */
};

struct test {
	struct domain *d;
	struct rng *r;
	bool is_signed;
	uint32_t sym[UNKNOWNS];
	struct value v[VALUES];
	unsigned n;
	uint64_t seed;
};

static uint64_t
mask(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static int64_t
signed_of(uint64_t v, unsigned bits)
{
	return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* ---- what a symbol comes to ---- */

static uint64_t worth(const struct test *t, struct cell c, unsigned world);

static uint64_t
worth_of_sum(const struct test *t, const struct sym *x, unsigned world)
{
	uint64_t r = x->arg[0].v;

	for (uint32_t i = 1; i < x->n; i++)
		r += x->arg[i].v * worth(t, (struct cell){0, x->arg[i].s}, world);
	return r & mask((unsigned)x->tag);
}

/* Without a modulus, symbols read as unsigned. */
static wide
whole(const struct test *t, struct cell c, unsigned world)
{
	const struct sym *x = sym_of(t->d, c.s);
	wide r;

	if (!c.s || x->op != SYM_LINEAR)
		return (wide)(c.s ? worth(t, c, world) : c.v);
	r = signed_of(x->arg[0].v, (unsigned)x->tag);
	for (uint32_t i = 1; i < x->n; i++)
		r += (wide)signed_of(x->arg[i].v, (unsigned)x->tag) *
		     (wide)worth(t, (struct cell){0, x->arg[i].s}, world);
	return r;
}

static uint64_t
worth_of_compare(const struct test *t, const struct sym *x, unsigned world)
{
	enum ptx_cmp cmp = (enum ptx_cmp)(x->tag >> 16);
	unsigned bits = x->tag >> 1 & 127;
	uint64_t a = worth(t, x->arg[0], world) & mask(bits);
	uint64_t b = worth(t, x->arg[1], world) & mask(bits);
	wide p = a, q = b;

	if (x->tag & 1) {
		p = signed_of(a, bits);
		q = signed_of(b, bits);
	}
	if (x->tag & 0x4000) {
		p = whole(t, x->arg[0], world);
		q = whole(t, x->arg[1], world);
	}
	switch ((int)cmp) {
	case PTX_CMP_EQ: return a == b;
	case PTX_CMP_LT:
	case PTX_CMP_LO: return p < q;
	case PTX_CMP_LE:
	case PTX_CMP_LS: return p <= q;
	default: fail_msg("comparison %d", cmp);
	}
	return 0;
}

static uint64_t
worth_of_instruction(const struct test *t, const struct sym *x, unsigned world)
{
	uint64_t a[EVAL_ARGS_MAX], r = 0;
	const struct ptx_form *f = (const struct ptx_form *)(uintptr_t)x->tag;

	for (uint32_t i = 0; i < x->n; i++)
		a[i] = worth(t, x->arg[i], world);
	/* a division by zero is worth nothing that could be compared */
	if (!eval_known(f, a, x->n, &r))
		return 0;
	return r & mask(PTX_HAS(f, WIDE) ? 64 : ptx_type_bits(f->type[0]));
}

static uint64_t
worth(const struct test *t, struct cell c, unsigned world)
{
	const struct sym *x = sym_of(t->d, c.s);
	uint64_t a;

	if (!c.s)
		return c.v;
	for (unsigned i = 0; i < UNKNOWNS; i++)
		if (c.s == t->sym[i])
			return t->v[i].is[world];
	switch ((int)x->op) {
	case SYM_LINEAR: return worth_of_sum(t, x, world);
	case SYM_PRODUCT:
		return worth(t, x->arg[0], world) * worth(t, x->arg[1], world) &
		       mask((unsigned)x->tag);
	case SYM_EXT:
		a = worth(t, x->arg[0], world);
		return x->tag & 1 ? (uint64_t)signed_of(a, x->tag >> 8 & 255) &
					    mask((unsigned)(x->tag >> 16))
				  : a;
	case SYM_NOT: return !worth(t, x->arg[0], world);
	case SYM_PHI: return worth(t, x->arg[worth(t, x->arg[0], world) ? 1 : 2], world);
	case SYM_CMP: return worth_of_compare(t, x, world);
	case SYM_INS: return worth_of_instruction(t, x, world);
	default: fail_msg("symbol of kind %d", x->op);
	}
	return 0;
}

/* ---- random instructions ---- */

#define FORM2(id, o, t, fl) \
	{ \
		.op = PTX_##o, .type = {PTX_T_##t}, .n_types = 1, .vec = 1, .flags = fl \
	}
#define FORMS(t) \
	FORM2(, ADD, t, 0), FORM2(, ADD, t, 0), FORM2(, SUB, t, 0), FORM2(, MUL, t, LO), \
		FORM2(, DIV, t, 0), FORM2(, REM, t, 0), FORM2(, SHR, t, 0), \
		FORM2(, SHL, t, 0), FORM2(, AND, t, 0), FORM2(, OR, t, 0), \
		FORM2(, XOR, t, 0), FORM2(, MIN, t, 0), FORM2(, MAX, t, 0), \
		FORM2(, NEG, t, 0), FORM2(, NOT, t, 0)
#define LO   (UINT64_C(1) << PTX_FBIT_LO)
#define WIDE (UINT64_C(1) << PTX_FBIT_WIDE)

enum { N_FORMS = 15 };
static const struct ptx_form forms[4][N_FORMS] = {
	{FORMS(u32)}, {FORMS(u64)}, {FORMS(s32)}, {FORMS(s64)}};
static const struct ptx_form widening[2] = {
	FORM2(, MUL, u32, WIDE), FORM2(, MUL, s32, WIDE)};

#define CVT(to, from) \
	{ \
		.op = PTX_CVT, .type = {PTX_T_##to, PTX_T_##from}, .n_types = 2, \
		.vec = 1 \
	}
static const struct ptx_form to_64[2] = {CVT(u64, u32), CVT(s64, s32)};
static const struct ptx_form to_32[2] = {CVT(u32, u64), CVT(u32, s64)};

static uint64_t
pick(struct test *t, uint64_t n)
{
	return rng_below(t->r, n);
}

static bool
overflows(const struct test *t, const struct ptx_form *f, const uint64_t *a, uint64_t is,
	unsigned bits)
{
	unsigned from = ptx_type_bits(f->type[f->n_types - 1]);
	wide x = signed_of(a[0], from), y = signed_of(a[1], from), r;

	if (!t->is_signed)
		return false;
	switch ((int)f->op) {
	case PTX_ADD: r = x + y; break;
	case PTX_SUB: r = x - y; break;
	case PTX_MUL: r = x * y; break;
	case PTX_SHL: r = a[1] < 40 ? x * ((wide)1 << a[1]) : (wide)1 << 100; break;
	case PTX_NEG: r = -x; break;
	case PTX_CVT: r = x; break;
	default: return false;
	}
	return r != signed_of(is, bits);
}

static void
apply(struct test *t, const struct ptx_form *f, unsigned n, const struct value *a,
	const struct value *b, unsigned bits)
{
	struct value r = {.bits = bits};
	struct val x[2] = {val_of_cell(a->c), val_of_cell(b->c)}, y;
	uint64_t arg[2];

	y = eval_value(t->d, f, x, n, bits);
	r.c = val_flat(&y);
	for (unsigned w = 0; w < WORLDS; w++) {
		uint64_t is = 0;

		arg[0] = a->is[w];
		arg[1] = b->is[w];
		if (!eval_known(f, arg, n, &is))
			return; /* a division by zero */
		r.is[w] = is & mask(bits);
		r.wild[w] = a->wild[w] || (n > 1 && b->wild[w]) ||
			    overflows(t, f, arg, r.is[w], bits);
		if (!r.wild[w] && worth(t, r.c, w) != r.is[w])
			fail_msg("seed %llu, operation %d: %llx is called %llx",
				(unsigned long long)t->seed, f->op,
				(unsigned long long)r.is[w],
				(unsigned long long)worth(t, r.c, w));
	}
	t->v[t->n++] = r;
}

static const struct value *
operand(struct test *t, unsigned bits, struct value *number)
{
	unsigned i = (unsigned)pick(t, t->n);

	if (t->v[i].bits == bits && pick(t, 4))
		return &t->v[i];
	uint64_t v = pick(t, 2)   ? pick(t, 5)
		     : pick(t, 2) ? pick(t, 70)
				  : UINT64_C(1) << pick(t, 12);
	*number = (struct value){.bits = bits};
	if (!pick(t, 4))
		v = -v;
	number->c = cell_int(v & mask(bits));
	for (unsigned w = 0; w < WORLDS; w++)
		number->is[w] = v & mask(bits);
	return number;
}

static void
compare(struct test *t)
{
	static const enum ptx_cmp cmps[] = {
		PTX_CMP_EQ, PTX_CMP_NE, PTX_CMP_LT, PTX_CMP_LE, PTX_CMP_GT, PTX_CMP_GE};
	unsigned bits = pick(t, 2) ? 32 : 64;
	enum ptx_type type = t->is_signed ? (bits == 32 ? PTX_T_s32 : PTX_T_s64)
					  : (bits == 32 ? PTX_T_u32 : PTX_T_u64);
	struct ptx_form f = {.op = PTX_SETP,
		.type = {type},
		.n_types = 1,
		.vec = 1,
		.cmp = cmps[pick(t, 6)]};
	struct value n[2];
	const struct value *a = operand(t, bits, &n[0]), *b = operand(t, bits, &n[1]);
	struct val x[2] = {val_of_cell(a->c), val_of_cell(b->c)}, y;

	y = eval_setp(t->d, &f, x);
	for (unsigned w = 0; w < WORLDS; w++) {
		bool is;

		assert_true(eval_compare(f.cmp, type, a->is[w], b->is[w], &is));
		if (!a->wild[w] && !b->wild[w] && worth(t, val_flat(&y), w) != is)
			fail_msg("seed %llu: %llx %d %llx is called %d",
				(unsigned long long)t->seed, (unsigned long long)a->is[w],
				f.cmp, (unsigned long long)b->is[w], !is);
	}
}

/* An aligned unknown and something below its alignment, as lanes hold it. */
static void
index_of_lane(struct test *t)
{
	struct value n = {.bits = 32};
	const struct value *a = &t->v[1 + pick(t, 2)];
	uint64_t v = pick(t, 3) ? pick(t, 3) : pick(t, 300);

	n.c = cell_int(v);
	for (unsigned w = 0; w < WORLDS; w++)
		n.is[w] = v;
	apply(t, &forms[2 * t->is_signed][0], 2, a, &n, 32);
}

static void
step(struct test *t)
{
	unsigned k = (unsigned)pick(t, 20), bits = pick(t, 2) ? 32 : 64;
	struct value n[2];
	const struct value *a = operand(t, bits, &n[0]), *b = operand(t, bits, &n[1]);

	if (k < 6)
		compare(t);
	else if (k < 9)
		index_of_lane(t);
	else if (k == 9 && bits == 32)
		apply(t, &to_64[t->is_signed], 1, a, a, 64);
	else if (k == 10 && bits == 64)
		apply(t, &to_32[t->is_signed], 1, a, a, 32);
	else if (k == 11 && bits == 32)
		apply(t, &widening[t->is_signed], 2, a, b, 64);
	else {
		const struct ptx_form *f =
			&forms[2 * t->is_signed + (bits == 64)][pick(t, N_FORMS)];

		apply(t, f, f->op == PTX_NEG || f->op == PTX_NOT ? 1 : 2, a, b, bits);
	}
}

/* ---- unknowns ---- */

static uint64_t
any_number(struct test *t, unsigned bits, unsigned align)
{
	uint64_t v = rng_next(t->r);

	/* small ones are equal, and next to each other, often enough */
	if (pick(t, 2))
		v = pick(t, 2) ? v % 4 : -(v % 4);
	else if (t->is_signed || !pick(t, 3))
		v = pick(t, 2) ? v % 1000 : -(v % 1000);
	return v << align & mask(bits);
}

static void
unknowns(struct test *t)
{
	static const unsigned align[UNKNOWNS] = {0, 5, 8, 0, 0, 0, 10};

	for (unsigned i = 0; i < UNKNOWNS; i++) {
		struct value *v = &t->v[t->n++];
		struct cell a = cell_int(align[i]);

		*v = (struct value){.bits = i < 5 ? 32 : 64};
		t->sym[i] = sym_make(t->d, i == 4 ? SYM_TRIP : SYM_FRESH, i + 1, &a,
			i != 4 && align[i] ? 1 : 0, i == 3 ? SYM_BOOL : 0);
		v->c = (struct cell){0, t->sym[i]};
		for (unsigned w = 0; w < WORLDS; w++)
			v->is[w] = i == 3   ? pick(t, 2)
				   : i == 4 ? pick(t, TRIPS)
					    : any_number(t, v->bits, align[i]);
		if (i == 4) {
			/* as a register holds it */
			struct cell sum[2] = {cell_int(0), {1, t->sym[i]}};

			v->c = (struct cell){
				0, sym_make(t->d, SYM_LINEAR, 32, sum, 2, 0)};
		}
	}
}

static void
one(struct rng *r, bool is_signed, uint64_t seed)
{
	struct arena vals = {0}, syms = {0}, own = {0};
	struct test *t = arena_new(&own, struct test);

	*t = (struct test){.r = r, .is_signed = is_signed, .seed = seed};
	t->d = arena_new(&own, struct domain);
	domain_init(t->d, &vals, &syms, 32);
	t->d->work_max = UINT64_MAX;
	unknowns(t);
	for (unsigned i = 0; i < 90 && t->n < VALUES; i++)
		step(t);
	arena_release(&vals);
	arena_release(&syms);
	arena_release(&own);
}

static void
run(bool is_signed)
{
	const char *s = getenv("LANEWISE_SEED");
	uint64_t seed = 20260303;

	if (s)
		str_to_u64(str_of(s), &seed);
	struct rng r = {seed + is_signed};
	for (unsigned i = 0; i < ROUNDS; i++)
		one(&r, is_signed, seed);
}

static void
test_unsigned(void **state)
{
	(void)state;
	run(false);
}

static void
test_signed(void **state)
{
	(void)state;
	run(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsigned),
		cmocka_unit_test(test_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
