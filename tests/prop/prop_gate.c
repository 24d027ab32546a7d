/*
 * The gate against an interpreter that shares no code with it: random structured kernels,
 * every thread of every block run alone from site to site, with the rules written down
 * once more in the plainest way.  A launch that goes wrong must not be clean, one that
 * always goes right must not be refused, and with nothing unknown it must be clean.
 * LANEWISE_SEED chooses the stream; a failure prints it and the kernel.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/rng.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
	KNOWN_KERNELS = 4000,
	DATA_KERNELS = 1500,
	OPEN_EVERY = 8, /* kernels that are judged without their arguments, too */
	MEMORIES = 6,
	VARS = 4,
	CODE_MAX = 400,
	THREADS_MAX = 128,
	UNIFORM_WORDS = 8,
	STEPS_MAX = 3000,
};

/* ---- kernels ---- */

enum expr_op { CONST, TID, ARG, CTA, VAR, LOAD, LOAD_TID, ADD, SUB, MUL, AND, SHR, MIN };
struct expr {
	enum expr_op op;
	uint32_t k;
	struct expr *a, *b;
};

enum cmp { LT, EQ, GE };
struct cond {
	enum cmp cmp;
	struct expr *a, *b;
};

/* Statements as they are generated: nested code is flattened at once, in a form that the
 * interpreter runs and the printer prints. */
enum op { SET, BAR, RED, NAMED, ARRIVE, SYNCWARP, VOTE, SHFL, UNLESS, JUMP, LABEL, END };
struct ins {
	enum op op;
	/* var: or barrier number; to: label; mask: or thread count; lanes: of shfl */
	uint32_t var, to, mask, lanes;
	struct expr *e;
	struct cond c;
};

struct kernel {
	struct arena *a;
	struct rng *r;
	struct ins code[CODE_MAX];
	unsigned n, labels, loops;
	int budget;
	bool data, named;
	uint32_t args[2];
};

static uint32_t
pick(struct kernel *k, uint32_t n)
{
	return (uint32_t)rng_below(k->r, n);
}

static struct expr *
leaf(struct kernel *k, enum expr_op op, uint32_t v)
{
	struct expr *e = arena_new(k->a, struct expr);

	*e = (struct expr){.op = op, .k = v};
	return e;
}

static struct expr *
two(struct kernel *k, enum expr_op op, struct expr *a, struct expr *b)
{
	struct expr *e = arena_new(k->a, struct expr);

	*e = (struct expr){.op = op, .a = a, .b = b};
	return e;
}

static struct expr *
make_expr(struct kernel *k, unsigned depth)
{
	static const enum expr_op ops[] = {ADD, SUB, MUL, AND, SHR, MIN};
	uint32_t x = pick(k, 100);

	if (x < 20)
		return leaf(k, CONST, pick(k, 8));
	if (x < 40 || depth > 1)
		return leaf(k, TID, 0);
	if (x < 50)
		return leaf(k, ARG, pick(k, 2));
	if (x < 60)
		return leaf(k, CTA, 0);
	if (x < 75)
		return leaf(k, VAR, pick(k, VARS));
	if (k->data && x < 82)
		return leaf(k, LOAD, pick(k, UNIFORM_WORDS));
	if (k->data && x < 87)
		return leaf(k, LOAD_TID, pick(k, 4));
	return two(k, ops[pick(k, 6)], make_expr(k, depth + 1), make_expr(k, depth + 1));
}

static struct cond
make_cond(struct kernel *k)
{
	static const uint32_t edge[] = {16, 32, 64, 40, 96, 128};
	uint32_t x = pick(k, 100);

	if (x < 12)
		return (struct cond){
			LT, leaf(k, TID, 0), leaf(k, CONST, edge[pick(k, 6)])};
	if (x < 24)
		return (struct cond){EQ, two(k, SHR, leaf(k, TID, 0), leaf(k, CONST, 5)),
			leaf(k, CONST, pick(k, 3))};
	if (x < 34)
		return (struct cond){LT, leaf(k, CTA, 0), leaf(k, CONST, pick(k, 4))};
	if (x < 44)
		return (struct cond){
			EQ, leaf(k, ARG, pick(k, 2)), leaf(k, CONST, pick(k, 4))};
	if (k->data && x < 55)
		return (struct cond){
			LT, leaf(k, LOAD, pick(k, UNIFORM_WORDS)), leaf(k, CONST, 2)};
	if (k->data && x < 62)
		return (struct cond){
			LT, leaf(k, LOAD_TID, pick(k, 4)), leaf(k, CONST, 2)};
	return (struct cond){(enum cmp)pick(k, 3), make_expr(k, 0), make_expr(k, 0)};
}

static void
emit(struct kernel *k, struct ins i)
{
	if (k->n < CODE_MAX - 1)
		k->code[k->n++] = i;
}

static void make_block(struct kernel *k, unsigned depth, uint32_t end_of_loop);

static void
make_if(struct kernel *k, unsigned depth, uint32_t end_of_loop)
{
	uint32_t other = k->labels++, end = k->labels++;
	bool both = pick(k, 10) < 4;

	emit(k, (struct ins){.op = UNLESS, .c = make_cond(k), .to = other});
	make_block(k, depth + 1, end_of_loop);
	if (both)
		emit(k, (struct ins){.op = JUMP, .to = end});
	emit(k, (struct ins){.op = LABEL, .to = other});
	if (!both)
		return;
	make_block(k, depth + 1, end_of_loop);
	emit(k, (struct ins){.op = LABEL, .to = end});
}

/* for (i = 0; i < n; i++), with variables of its own */
static void
make_loop(struct kernel *k, unsigned depth)
{
	uint32_t head = k->labels++, end = k->labels++;
	uint32_t i = VARS + 2 * k->loops, n = i + 1, x = pick(k, 10);
	struct expr *count = x < 4   ? leaf(k, CONST, 1 + pick(k, 3))
			     : x < 6 ? leaf(k, ARG, pick(k, 2))
				     : two(k, AND, make_expr(k, 1), leaf(k, CONST, 3));

	k->loops++;
	emit(k, (struct ins){.op = SET, .var = n, .e = count});
	emit(k, (struct ins){.op = SET, .var = i, .e = leaf(k, CONST, 0)});
	emit(k, (struct ins){.op = LABEL, .to = head});
	emit(k, (struct ins){.op = UNLESS,
			.to = end,
			.c = {LT, leaf(k, VAR, i), leaf(k, VAR, n)}});
	make_block(k, depth + 1, end);
	emit(k, (struct ins){.op = SET,
			.var = i,
			.e = two(k, ADD, leaf(k, VAR, i), leaf(k, CONST, 1))});
	emit(k, (struct ins){.op = JUMP, .to = head});
	emit(k, (struct ins){.op = LABEL, .to = end});
}

static uint32_t
make_mask(struct kernel *k)
{
	uint32_t x = pick(k, 10);

	return x < 7 ? UINT32_MAX : x < 8 ? 0xffff : x < 9 ? 0xffff0000 : 0xff;
}

static void
make_statement(struct kernel *k, unsigned depth, uint32_t end_of_loop)
{
	uint32_t x = pick(k, 100);

	k->budget--;
	if (k->named && pick(k, 4) == 0) {
		emit(k, (struct ins){.op = pick(k, 3) ? NAMED : ARRIVE,
				.var = 1 + pick(k, 2),
				.mask = 32 * (1 + pick(k, 4))});
		return;
	}
	if (x < 22 || (depth >= 3 && x >= 66))
		emit(k, (struct ins){
				.op = SET, .var = pick(k, VARS), .e = make_expr(k, 0)});
	else if (x < 38)
		emit(k, (struct ins){.op = BAR});
	else if (x < 45)
		emit(k, (struct ins){.op = SYNCWARP, .mask = make_mask(k)});
	else if (x < 51)
		emit(k, (struct ins){.op = VOTE,
				.var = pick(k, VARS),
				.mask = make_mask(k),
				.c = make_cond(k)});
	else if (x < 56)
		emit(k, (struct ins){.op = SHFL,
				.var = pick(k, VARS),
				.mask = UINT32_MAX,
				.lanes = 1u << pick(k, 5),
				.e = make_expr(k, 1)});
	else if (x < 60)
		emit(k, (struct ins){.op = RED, .var = pick(k, VARS), .c = make_cond(k)});
	else if (x < 63 && depth > 0)
		emit(k, (struct ins){.op = END});
	else if (x < 66 && end_of_loop)
		emit(k, (struct ins){.op = UNLESS, .c = make_cond(k), .to = end_of_loop});
	else if (x < 86)
		make_if(k, depth, end_of_loop);
	else if (k->loops < 4)
		make_loop(k, depth);
}

static void
make_block(struct kernel *k, unsigned depth, uint32_t end_of_loop)
{
	for (uint32_t n = 2 + pick(k, 3); n && k->budget > 0; n--)
		make_statement(k, depth, end_of_loop);
}

/* ---- printing ---- */

struct printer {
	struct buf b;
	unsigned r, p;
};

static unsigned
print_expr(struct printer *o, const struct expr *e)
{
	static const char *const ops[] = {[ADD] = "add.s32",
		[SUB] = "sub.s32",
		[MUL] = "mul.lo.s32",
		[AND] = "and.b32",
		[SHR] = "shr.u32",
		[MIN] = "min.s32"};
	unsigned a, b, r;

	if (e->op >= ADD) {
		a = print_expr(o, e->a);
		b = print_expr(o, e->b);
		if (e->op == SHR) {
			buf_addf(&o->b, "\tand.b32 %%r%u, %%r%u, 31;\n", o->r, b);
			b = o->r++;
		}
		r = o->r++;
		buf_addf(&o->b, "\t%s %%r%u, %%r%u, %%r%u;\n", ops[e->op], r, a, b);
		return r;
	}
	r = o->r++;
	if (e->op == CONST)
		buf_addf(&o->b, "\tmov.u32 %%r%u, %u;\n", r, (unsigned)e->k);
	else if (e->op == TID || e->op == CTA)
		buf_addf(&o->b, "\tmov.u32 %%r%u, %s;\n", r,
			e->op == TID ? "%tid.x" : "%ctaid.x");
	else if (e->op == ARG)
		buf_addf(&o->b, "\tld.param.u32 %%r%u, [k_param_%u];\n", r,
			(unsigned)e->k + 1);
	else if (e->op == VAR)
		buf_addf(&o->b, "\tmov.u32 %%r%u, %%v%u;\n", r, (unsigned)e->k);
	else if (e->op == LOAD)
		buf_addf(&o->b,
			"\tld.param.u64 %%rd1, [k_param_0];\n"
			"\tld.global.nc.u32 %%r%u, [%%rd1+%u];\n",
			r, 4 * (unsigned)e->k);
	else
		buf_addf(&o->b,
			"\tld.param.u64 %%rd1, [k_param_0];\n\tmov.u32 %%r%u, %%tid.x;\n"
			"\tmad.wide.u32 %%rd2, %%r%u, 16, %%rd1;\n"
			"\tld.global.nc.u32 %%r%u, [%%rd2+%u];\n",
			r, r, r, 1024 + 4 * (unsigned)e->k);
	return r;
}

static unsigned
print_cond(struct printer *o, const struct cond *c)
{
	static const char *const names[] = {[LT] = "lt", [EQ] = "eq", [GE] = "ge"};
	unsigned a = print_expr(o, c->a), b = print_expr(o, c->b), p = o->p++;

	buf_addf(&o->b, "\tsetp.%s.s32 %%p%u, %%r%u, %%r%u;\n", names[c->cmp], p, a, b);
	return p;
}

static void
print_ins(struct printer *o, const struct ins *i)
{
	unsigned p, q;

	switch (i->op) {
	case SET:
		buf_addf(&o->b, "\tmov.u32 %%v%u, %%r%u;\n", (unsigned)i->var,
			print_expr(o, i->e));
		break;
	case BAR: buf_adds(&o->b, "\tbar.sync 0;\n"); break;
	case NAMED:
	case ARRIVE:
		buf_addf(&o->b, "\tbar.%s %u, %u;\n", i->op == NAMED ? "sync" : "arrive",
			(unsigned)i->var, (unsigned)i->mask);
		break;
	case SYNCWARP:
		buf_addf(&o->b, "\tbar.warp.sync 0x%x;\n", (unsigned)i->mask);
		break;
	case RED:
	case VOTE:
		p = print_cond(o, &i->c);
		q = o->p++;
		if (i->op == RED)
			buf_addf(&o->b, "\tbar.red.or.pred %%p%u, 0, %%p%u;\n", q, p);
		else
			buf_addf(&o->b, "\tvote.sync.any.pred %%p%u, %%p%u, 0x%x;\n", q,
				p, (unsigned)i->mask);
		buf_addf(&o->b, "\tselp.u32 %%v%u, 1, 0, %%p%u;\n", (unsigned)i->var, q);
		break;
	case SHFL:
		p = print_expr(o, i->e);
		buf_addf(&o->b, "\tshfl.sync.bfly.b32 %%v%u, %%r%u, %u, 31, 0x%x;\n",
			(unsigned)i->var, p, (unsigned)i->lanes, (unsigned)i->mask);
		break;
	case UNLESS:
		p = print_cond(o, &i->c);
		buf_addf(&o->b, "\t@!%%p%u bra $L%u;\n", p, (unsigned)i->to);
		break;
	case JUMP: buf_addf(&o->b, "\tbra.uni $L%u;\n", (unsigned)i->to); break;
	case LABEL: buf_addf(&o->b, "$L%u:\n", (unsigned)i->to); break;
	case END: buf_adds(&o->b, "\tbra $RET;\n"); break;
	}
}

static struct str
print_kernel(const struct kernel *k)
{
	struct printer o = {.b = {.a = k->a}, .r = 1, .p = 1};
	struct buf head = {.a = k->a};
	unsigned vars = VARS + 2 * k->loops;

	for (unsigned i = 0; i < vars; i++)
		buf_addf(&o.b, "\tmov.u32 %%v%u, %u;\n", i, i < VARS ? i : 0);
	for (unsigned i = 0; i < k->n; i++)
		print_ins(&o, &k->code[i]);
	buf_adds(&head, ".version 9.0\n.target sm_90\n.address_size 64\n"
			".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, "
			".param .u32 k_param_2)\n{\n");
	buf_addf(&head,
		"\t.reg .pred %%p<%u>; .reg .b32 %%r<%u>; .reg .b32 %%v<%u>; .reg .b64 "
		"%%rd<4>;\n",
		o.p + 1, o.r + 1, vars);
	buf_addstr(&head, buf_str(&o.b));
	/* a tail that is not empty, so that an early return differs from falling through
	 */
	buf_adds(&head,
		"\tld.param.u64 %rd1, [k_param_0];\n\tst.global.u32 [%rd1], %v0;\n"
		"$RET:\n\tret;\n}\n");
	return buf_str(&head);
}

/* ---- running ---- */

enum truth { FINE, GREY, HAZARD, TOO_LONG };

struct thread {
	unsigned pc, steps;
	bool ended;
	uint32_t v[VARS + 8];
};

/* One numbered barrier: warps that arrived in this phase, and those that wait. */
struct numbered {
	uint32_t count, warps, waiting;
};

struct run {
	const struct kernel *k;
	const uint32_t *mem; /* UNIFORM_WORDS, then 4 for each thread */
	unsigned label[CODE_MAX * 2];
	struct thread t[THREADS_MAX];
	unsigned n;
	uint32_t cta;
	bool grey, long_run;
	struct numbered bar[4];
};

static uint32_t
value(const struct run *r, unsigned t, const struct expr *e)
{
	uint32_t a, b;

	switch (e->op) {
	case CONST: return e->k;
	case TID: return t;
	case ARG: return r->k->args[e->k];
	case CTA: return r->cta;
	case VAR: return r->t[t].v[e->k];
	case LOAD: return r->mem[e->k];
	case LOAD_TID: return r->mem[UNIFORM_WORDS + 4 * t + e->k];
	default: break;
	}
	a = value(r, t, e->a);
	b = value(r, t, e->b);
	switch (e->op) {
	case ADD: return a + b;
	case SUB: return a - b;
	case MUL: return a * b;
	case AND: return a & b;
	case SHR: return a >> (b & 31);
	default: return (int32_t)a < (int32_t)b ? a : b;
	}
}

static bool
holds(const struct run *r, unsigned t, const struct cond *c)
{
	int32_t a = (int32_t)value(r, t, c->a), b = (int32_t)value(r, t, c->b);

	return c->cmp == LT ? a < b : c->cmp == EQ ? a == b : a >= b;
}

/* Runs a thread to its next site or its end. */
static void
advance(struct run *r, unsigned t)
{
	struct thread *x = &r->t[t];

	for (; x->pc < r->k->n; x->pc++) {
		const struct ins *i = &r->k->code[x->pc];

		if (++x->steps > STEPS_MAX) {
			r->long_run = true;
			break;
		}
		if (i->op == SET)
			x->v[i->var] = value(r, t, i->e);
		else if (i->op == JUMP || (i->op == UNLESS && !holds(r, t, &i->c)))
			x->pc = r->label[i->to];
		else if (i->op == END)
			break;
		else if (i->op != LABEL && i->op != UNLESS)
			return;
	}
	x->ended = true;
}

static const struct ins *
site_of(const struct run *r, unsigned t)
{
	return r->t[t].ended ? NULL : &r->k->code[r->t[t].pc];
}

static bool
is_collective(const struct ins *i)
{
	return i && (i->op == SYNCWARP || i->op == VOTE || i->op == SHFL);
}

/* The lanes of w that wait with the same operation and mask as lane t. */
static uint32_t
partners(const struct run *r, unsigned w, unsigned t, bool *sites)
{
	const struct ins *i = site_of(r, t);
	uint32_t m = 0;

	for (unsigned l = 0; l < 32 && w + l < r->n; l++) {
		const struct ins *j = site_of(r, w + l);

		if (!is_collective(j) || j->op != i->op || j->mask != i->mask)
			continue;
		m |= UINT32_C(1) << l;
		*sites = *sites || j != i;
	}
	return m;
}

static void
meet(struct run *r, unsigned w, uint32_t lanes)
{
	uint32_t out[32] = {0};
	bool any = false;

	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1 && site_of(r, w + l)->op == VOTE)
			any = holds(r, w + l, &site_of(r, w + l)->c) || any;
	for (unsigned l = 0; l < 32; l++) {
		const struct ins *i;

		if (!(lanes >> l & 1))
			continue;
		i = site_of(r, w + l);
		out[l] = any;
		if (i->op != SHFL)
			continue;
		unsigned from = l ^ i->lanes;
		if (!(lanes >> from & 1))
			r->grey = true; /* undefined, which may or may not matter */
		else
			out[l] = value(r, w + from, site_of(r, w + from)->e);
	}
	for (unsigned l = 0; l < 32; l++) {
		if (!(lanes >> l & 1))
			continue;
		const struct ins *i = site_of(r, w + l);
		if (i->op != SYNCWARP)
			r->t[w + l].v[i->var] = out[l];
	}
	for (unsigned l = 0; l < 32; l++)
		if (lanes >> l & 1) {
			r->t[w + l].pc++;
			advance(r, w + l);
		}
}

/* Completes what collectives can be; sets *bad on a caller outside its mask. */
static bool
run_collectives(struct run *r, bool *bad)
{
	bool some = false;

	for (unsigned t = 0; t < r->n; t++) {
		const struct ins *i = site_of(r, t);

		*bad = *bad || (is_collective(i) && !(i->mask >> (t & 31) & 1));
	}
	if (*bad)
		return false;
	for (unsigned w = 0; w < r->n; w += 32)
		for (unsigned l = 0; l < 32 && w + l < r->n; l++) {
			const struct ins *i = site_of(r, w + l);
			uint32_t live = 0, gone = 0, here;
			bool sites = false;

			if (!is_collective(i))
				continue;
			if (!(i->mask >> l & 1))
				return some; /* found the next time round */
			for (unsigned k = 0; k < 32; k++)
				if (w + k < r->n && !r->t[w + k].ended)
					live |= UINT32_C(1) << k;
				else
					gone |= UINT32_C(1) << k;
			here = partners(r, w, w + l, &sites);
			if (here & ~i->mask) {
				*bad = true;
				return false;
			}
			if (i->mask & live & ~here)
				continue;
			/* lanes named and gone: right or wrong by how they went */
			r->grey = r->grey || sites || (i->mask & gone);
			meet(r, w, here);
			some = true;
		}
	return some;
}

static void
warp_goes_on(struct run *r, unsigned warp)
{
	for (unsigned t = warp * 32; t < warp * 32 + 32 && t < r->n; t++)
		if (!r->t[t].ended) {
			r->t[t].pc++;
			advance(r, t);
		}
}

/* The instruction at which the whole of a warp that is left stands, or NULL. */
static const struct ins *
warp_site(struct run *r, unsigned warp)
{
	const struct ins *at = NULL;
	for (unsigned t = warp * 32; t < warp * 32 + 32 && t < r->n; t++) {
		const struct ins *i = site_of(r, t);
		if (!i)
			continue;
		if (at && i != at)
			return NULL;
		at = i;
	}
	return at;
}

/* Warps arrive at numbered barriers, in order; sets *bad where that goes wrong. */
static bool
run_numbered(struct run *r, bool *bad)
{
	bool some = false;
	for (unsigned w = 0; w * 32 < r->n; w++) {
		const struct ins *i = warp_site(r, w);
		uint32_t me = UINT32_C(1) << w;
		if (!i || (i->op != NAMED && i->op != ARRIVE))
			continue;
		struct numbered *b = &r->bar[i->var];
		if (b->waiting & me)
			continue;
		*bad = *bad || (b->warps & me) || (b->warps && b->count != i->mask);
		b->count = i->mask;
		b->warps |= me;
		unsigned n = 32 * (unsigned)__builtin_popcount(b->warps);
		*bad = *bad || n > b->count;
		if (*bad)
			return false;
		some = true;
		for (unsigned t = w * 32; t < w * 32 + 32 && t < r->n; t++)
			r->grey = r->grey || r->t[t].ended;
		if (i->op == NAMED)
			b->waiting |= me;
		uint32_t go = n == b->count ? b->waiting : 0;
		if (n == b->count)
			*b = (struct numbered){0};
		if (i->op == ARRIVE)
			warp_goes_on(r, w);
		for (unsigned x = 0; x < 4; x++)
			if (go >> x & 1)
				warp_goes_on(r, x);
	}
	return some;
}

/* All threads at one barrier go on. */
static enum truth
run_barrier(struct run *r)
{
	const struct ins *first = NULL;
	bool any = false;

	for (unsigned t = 0; t < r->n; t++) {
		const struct ins *i = site_of(r, t);

		if (!i || (i->op != BAR && i->op != RED))
			return HAZARD;
		if (first && i != first)
			return HAZARD;
		first = i;
	}
	for (unsigned t = 0; t < r->n && first->op == RED; t++)
		any = holds(r, t, &first->c) || any;
	for (unsigned t = 0; t < r->n; t++) {
		if (first->op == RED)
			r->t[t].v[first->var] = any;
		r->t[t].pc++;
	}
	for (unsigned t = 0; t < r->n; t++)
		advance(r, t);
	return FINE;
}

static enum truth
run_block(struct run *r)
{
	memset(r->bar, 0, sizeof r->bar);
	for (unsigned t = 0; t < r->n; t++) {
		r->t[t] = (struct thread){0};
		for (uint32_t i = 0; i < VARS; i++)
			r->t[t].v[i] = i;
		advance(r, t);
	}
	for (;;) {
		bool all = true, bad = false;

		while (run_collectives(r, &bad) && !r->long_run)
			continue;
		if (!bad && !r->long_run && run_numbered(r, &bad))
			continue;
		if (r->long_run)
			return TOO_LONG;
		if (bad)
			return HAZARD;
		for (unsigned t = 0; t < r->n; t++)
			all = all && r->t[t].ended;
		for (unsigned i = 0; i < 4 && all; i++)
			r->grey = r->grey || r->bar[i].warps; /* left open */
		if (all)
			return r->grey ? GREY : FINE;
		if (run_barrier(r) == HAZARD)
			return r->grey ? GREY : HAZARD;
	}
}

static enum truth
run_launch(const struct kernel *k, unsigned n, uint32_t grid, const uint32_t *mem)
{
	enum truth worst = FINE;
	static struct run r;

	r = (struct run){.k = k, .mem = mem, .n = n};
	for (unsigned i = 0; i < k->n; i++)
		if (k->code[i].op == LABEL)
			r.label[k->code[i].to] = i;
	for (r.cta = 0; r.cta < grid; r.cta++) {
		r.grey = false;
		enum truth t = run_block(&r);
		worst = t > worst ? t : worst;
	}
	return worst;
}

/* ---- comparing ---- */

struct tally {
	unsigned n[4][4];
	unsigned conditions; /* that held for the arguments */
};

/* Refused only because another order of arrivals might go wrong: one order proves
 * nothing. */
static bool
depends_on_order(const struct verdict *v)
{
	static const char *const rules[] = {"LW012", "LW013", "LW014", "LW015"};
	for (size_t i = 0; i < v->n_findings; i++) {
		bool timing = v->findings[i].kind != VERDICT_REFUSED;
		for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
			timing = timing || str_is(v->findings[i].rule, rules[k]);
		if (!timing)
			return false;
	}
	return true;
}

static struct verdict
ask(const struct kernel *k, unsigned n, uint32_t grid, struct str text, bool given)
{
	struct diag d = {0};
	struct source src = {"k.ptx", text};
	struct str why = {0};
	unsigned char bytes[2][4];
	struct gate_arg args[3] = {{GATE_ARG_POINTER, NULL, 0}};
	struct gate_query q = {.launch = {.block = {n, 1, 1},
				       .grid = {grid, 1, 1},
				       .cluster = {1, 1, 1}},
		.args = args,
		.n_args = 3};

	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 4; j++)
			bytes[i][j] = (unsigned char)(k->args[i] >> (8 * j));
		if (given)
			args[i + 1] = (struct gate_arg){GATE_ARG_BYTES, bytes[i], 4};
	}
	const struct ptx_module *m = ptx_parse(k->a, &src, &d);
	assert_non_null(m);
	struct gate_kernel *g = gate_prepare(k->a, m, STR_LIT("k"), &why);
	assert_non_null(g);
	return gate_check(k->a, g, &q);
}

/* "argument 1 >= 3 as unsigned and ..." of these arguments; false if it says more. */
static bool
holds_for(const char *c, const uint32_t args[2])
{
	static const char *const words[] = {"== ", "!= ", "<= ", ">= ", "< ", "> "};

	for (;;) {
		char *end;
		size_t w = 0;
		bool is[6];

		if (strncmp(c, "argument ", 9) != 0 || (c[9] != '1' && c[9] != '2'))
			return false;
		uint32_t arg = args[c[9] - '1'];
		while (w < 6 && strncmp(c + 11, words[w], strlen(words[w])) != 0)
			w++;
		if (w == 6)
			return false;
		long long x = strtoll(c + 11 + strlen(words[w]), &end, 10);
		bool big = !strncmp(end, " as unsigned", 12);
		long long v = big ? (long long)arg : (long long)(int32_t)arg;
		is[0] = v == x;
		is[1] = v != x;
		is[2] = v <= x;
		is[3] = v >= x;
		is[4] = v < x;
		is[5] = v > x;
		if (!is[w])
			return false;
		end += big ? 12 : 0;
		if (strncmp(end, " and ", 5) != 0)
			return *end == '\0' || *end == ';';
		c = end + 5;
	}
}

/* A finding says that the launch is refused with these arguments. */
static bool
refuses(struct arena *a, const struct verdict *v, const uint32_t args[2])
{
	for (size_t i = 0; i < v->n_findings; i++) {
		const char *m = str_c(a, v->findings[i].message);
		const char *at = strstr(m, "; refused if ");

		if (at && holds_for(at + 13, args))
			return true;
	}
	return false;
}

static void
fill(struct rng *r, uint32_t *mem, unsigned n, unsigned round)
{
	static const uint32_t uniform[] = {0, 1, 2, 3, 5}, each[] = {0, 1, 2, 3, 4, 7};

	for (unsigned i = 0; i < UNIFORM_WORDS + 4 * n; i++) {
		bool u = i < UNIFORM_WORDS;

		mem[i] = round == 1   ? 0
			 : round == 2 ? 3
			 : u          ? uniform[rng_below(r, 5)]
			 : round == 3 ? 1
				      : each[rng_below(r, 6)];
	}
}

static void
one_kernel(struct rng *r, bool data, uint64_t seed, unsigned serial, struct tally *sum)
{
	static const unsigned sizes[] = {32, 64, 96, 128, 48}, grids[] = {1, 3, 5};
	uint32_t mem[UNIFORM_WORDS + 4 * THREADS_MAX];
	struct arena a = {0};
	static struct kernel k;
	enum truth truth = FINE;
	bool hazard = false;

	k = (struct kernel){.a = &a, .r = r, .budget = 22, .data = data, .labels = 1};
	k.named = pick(&k, 4) == 0;
	k.args[0] = pick(&k, 4);
	k.args[1] = pick(&k, 4);
	make_block(&k, 0, 0);
	unsigned n = sizes[pick(&k, 5)], grid = grids[pick(&k, 3)];
	for (unsigned i = 0; i < (data ? MEMORIES : 1) && truth != TOO_LONG; i++) {
		fill(r, mem, n, i);
		enum truth t = run_launch(&k, n, grid, mem);
		hazard = hazard || t == HAZARD;
		truth = t > truth ? t : truth;
	}
	/* what holds for every argument holds for these; seldom, for it takes long */
	for (int open = serial % OPEN_EVERY == 0; truth != TOO_LONG && open >= 0;
		open--) {
		struct str text = print_kernel(&k);
		struct verdict verdict = ask(&k, n, grid, text, !open);
		enum verdict_kind v = verdict.kind;
		bool wrong = (hazard && v == VERDICT_CLEAN) ||
			     (truth == FINE && v == VERDICT_REFUSED &&
				     !depends_on_order(&verdict)) ||
			     v == VERDICT_ERROR;

		if (open && v == VERDICT_CAVEAT && refuses(&a, &verdict, k.args)) {
			/* then the launch with them is */
			struct verdict with = ask(&k, n, grid, text, true);

			wrong = wrong || with.kind != VERDICT_REFUSED;
			sum->conditions++;
		}
		sum->n[truth][v] += !open;
		if (wrong) {
			/* cmocka cuts long messages */
			fwrite(text.s, 1, text.n, stderr);
			fail_msg("seed %llu, kernel %u: %u threads, %u blocks, args %u "
				 "%u%s: %s, "
				 "and it is %s",
				(unsigned long long)seed, serial, n, grid,
				(unsigned)k.args[0], (unsigned)k.args[1],
				open ? " (not given)" : "", verdict_name(v),
				hazard ? "a hazard" : "fine");
		}
	}
	arena_release(&a);
}

static void
run_many(unsigned kernels, bool data)
{
	const char *s = getenv("LANEWISE_SEED");
	uint64_t seed = 20260202;
	struct tally t = {0};

	if (s)
		str_to_u64(str_of(s), &seed);
	struct rng r = {seed + data};
	for (unsigned i = 0; i < kernels; i++)
		one_kernel(&r, data, seed, i, &t);
	print_message("fine: clean %u caveat %u; hazard: refused %u caveat %u\n",
		t.n[FINE][VERDICT_CLEAN], t.n[FINE][VERDICT_CAVEAT],
		t.n[HAZARD][VERDICT_REFUSED], t.n[HAZARD][VERDICT_CAVEAT]);
	print_message("conditions that held: %u\n", t.conditions);
	/* that it decides is a property too: all of what is known, most of the rest */
	assert_true(t.n[FINE][VERDICT_CLEAN] > kernels / 4);
	if (!data)
		assert_true(t.n[FINE][VERDICT_CAVEAT] + t.n[HAZARD][VERDICT_CAVEAT] <=
			    kernels / 100);
	else
		assert_true(t.n[FINE][VERDICT_CAVEAT] * 10 <= t.n[FINE][VERDICT_CLEAN]);
}

static void
test_known(void **state)
{
	run_many(KNOWN_KERNELS, false);
}

static void
test_data(void **state)
{
	run_many(DATA_KERNELS, true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
