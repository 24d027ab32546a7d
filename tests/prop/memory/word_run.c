/* Each thread alone, in a random order. */
#include "word_kernel.h"

enum { STEPS = 60000 };

struct lane {
	unsigned pc;
	uint32_t r[REGS + 3];
	unsigned char own[LOCAL_BYTES];
	bool waits, left;
};

struct machine {
	const struct word_kernel *k;
	struct rng r;
	struct lane lane[LANES];
	unsigned char shared[SHARED_BYTES];
	uint32_t one[SITES], each[SITES][LANES], arg;
	enum truth truth;
};

static uint32_t
small(struct rng *r, unsigned mode)
{
	return mode == 0 ? 0 : mode == 1 ? 1 : (uint32_t)rng_below(r, mode == 2 ? 4 : 40);
}

static void
start(struct machine *m, const struct word_kernel *k, uint64_t seed, bool arg_known)
{
	*m = (struct machine){.k = k, .r = {seed}};
	unsigned mode = (unsigned)rng_below(&m->r, 5);

	for (unsigned i = 0; i < SITES; i++)
		m->one[i] = small(&m->r, mode);
	for (unsigned i = 0; i < SITES; i++)
		for (unsigned t = 0; t < LANES; t++)
			m->each[i][t] = small(&m->r, mode);
	for (unsigned i = 0; i < SHARED_BYTES; i++)
		m->shared[i] = (unsigned char)(i % 4 ? 0 : small(&m->r, mode));
	m->arg = arg_known ? (uint32_t)WORD_ARG : (uint32_t)rng_below(&m->r, 70);
	for (unsigned t = 0; t < k->threads; t++) {
		m->lane[t].r[REGS + 2] = 1;
		for (unsigned i = 0; i < LOCAL_BYTES; i++)
			m->lane[t].own[i] =
				(unsigned char)(i % 4 ? 0 : small(&m->r, mode));
	}
}

static void
access_memory(struct machine *m, struct lane *l, const struct word_ins *i)
{
	unsigned at = i->imm + (i->mask ? (l->r[i->a] & i->mask) * i->width : 0);
	unsigned char *p = i->space == LOCAL    ? l->own
			   : i->space == SECOND ? m->shared + SHARED_BYTES / 2
						: m->shared;
	uint32_t x = 0;

	for (unsigned b = 0; b < i->width; b++)
		x |= (uint32_t)p[at + b] << (8 * b);
	uint32_t y = i->op == COUNT ? x + l->r[i->b] : l->r[i->b];
	for (unsigned b = 0; b < i->width && i->op != LOAD; b++)
		p[at + b] = (unsigned char)(y >> (8 * b));
	if (i->sign && x >> (8 * i->width - 1) & 1)
		x |= UINT32_MAX << (8 * i->width - 1);
	if (i->op != STORE)
		l->r[i->d] = x;
}

static void
step(struct machine *m, unsigned t)
{
	struct lane *l = &m->lane[t];
	const struct word_ins *i = &m->k->v[l->pc++];
	uint32_t a = l->r[i->a], b = l->r[i->b];

	switch (i->op) {
	case SET: l->r[i->d] = i->imm; return;
	case TID: l->r[i->d] = t; return;
	case ARG: l->r[i->d] = m->arg; return;
	case DATA: l->r[i->d] = i->each ? m->each[i->imm][t] : m->one[i->imm]; return;
	case ADD: l->r[i->d] = a + b; return;
	case AND: l->r[i->d] = a & b; return;
	case XOR: l->r[i->d] = a ^ b; return;
	case LESS: l->r[i->d] = a < b; return;
	case LOAD:
	case STORE:
	case COUNT: access_memory(m, l, i); return;
	case BAR:
	case WARP:
		l->pc--;
		l->waits = true;
		return;
	case BRA:
		if (!(i->less ? a < i->imm : a == i->imm))
			l->pc = i->target;
		return;
	case JUMP: l->pc = i->target; return;
	case LEAVE: l->left = true; return;
	}
}

/* The lanes [from, to) meet.  Those at one place on different rounds of a loop, or at
 * different instructions of a warp, are for the other tests. */
static bool
meets(struct machine *m, unsigned from, unsigned to, enum op op, bool *left, bool *apart)
{
	const struct lane *first = NULL;

	for (unsigned t = from; t < to; t++) {
		const struct lane *l = &m->lane[t];

		if (l->left) {
			*left = true;
			continue;
		}
		if (!l->waits || m->k->v[l->pc].op != op)
			return false;
		if (first && first->pc != l->pc)
			*apart = true;
		unsigned depth = m->k->v[l->pc].depth;
		for (unsigned d = 0; first && d < depth; d++)
			if (first->r[COUNTERS + d] != l->r[COUNTERS + d] && !*apart)
				m->truth = m->truth < GREY ? GREY : m->truth;
		first = first ? first : l;
	}
	return first != NULL;
}

static void
release(struct machine *m, unsigned from, unsigned to)
{
	for (unsigned t = from; t < to; t++)
		if (!m->lane[t].left) {
			m->lane[t].waits = false;
			m->lane[t].pc++;
		}
}

/* True: somebody runs again. */
static bool
settle(struct machine *m)
{
	unsigned n = m->k->threads;
	bool left = false, apart = false, any = false;

	for (unsigned t = 0; t < n; t += 32) {
		unsigned to = t + 32 < n ? t + 32 : n;

		left = apart = false;
		if (!meets(m, t, to, WARP, &left, &apart))
			continue;
		if ((left || apart) && m->truth < GREY)
			m->truth = GREY;
		release(m, t, to);
		any = true;
	}
	if (any)
		return true;
	left = apart = false;
	if (meets(m, 0, n, BAR, &left, &apart)) {
		if (left || apart)
			m->truth = HAZARD;
		release(m, 0, n);
		return m->truth != HAZARD;
	}
	for (unsigned t = 0; t < n; t++)
		if (!m->lane[t].left)
			m->truth = HAZARD;
	return false;
}

static enum truth
run(struct machine *m)
{
	unsigned n = m->k->threads, steps = 0;

	for (;;) {
		unsigned ready = 0, t, of = (unsigned)rng_below(&m->r, n);

		for (unsigned i = 0; i < n && !ready; i++) {
			t = (of + i) % n;
			ready = !m->lane[t].left && !m->lane[t].waits;
		}
		if (!ready) {
			if (!settle(m))
				return m->truth;
			continue;
		}
		unsigned most = 1 + (unsigned)rng_below(&m->r, 24);
		while (most-- && !m->lane[t].left && !m->lane[t].waits) {
			step(m, t);
			if (++steps > STEPS)
				return GREY;
		}
	}
}

enum truth
word_run(const struct word_kernel *k, uint64_t seed, bool arg_given)
{
	static struct machine m;

	start(&m, k, seed, arg_given);
	return run(&m);
}
