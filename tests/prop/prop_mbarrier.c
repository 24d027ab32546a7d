/*
 * mbarriers against all schedules: warps with straight-line programs of arrivals, waits
 * and named barriers, run in every order by a search that shares no code with the gate.
 * Clean: no order hangs.  Refused because somebody waits for ever: some order hangs.
 *
 *     prop_mbarrier [KERNELS [SEED]]
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { WARPS = 3, BARS = 3, STEPS_MAX = 8, SHORT_RUN = 1500, STATES = 1 << 15 };
enum op { ARRIVE, WAIT, MEET };

struct step {
	enum op op;
	unsigned bar, parity;
};

struct program {
	unsigned warps, count[BARS]; /* warps that a phase counts */
	struct step step[WARPS][STEPS_MAX];
	unsigned n[WARPS];
};

struct state {
	unsigned pc[WARPS], pending[BARS], phase[BARS];
	unsigned met; /* warps at the named barrier of two */
};

static uint64_t seed_state;

static unsigned
pick(unsigned n)
{
	seed_state = seed_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(seed_state >> 33) % n;
}

/* ---- one step of one warp; false: it cannot go on ---- */

static bool
advance(const struct program *p, struct state *s, unsigned w)
{
	const struct step *x = &p->step[w][s->pc[w]];

	if (s->pc[w] >= p->n[w] || s->met >> w & 1)
		return false;
	switch (x->op) {
	case ARRIVE:
		if (--s->pending[x->bar] == 0) {
			s->pending[x->bar] = p->count[x->bar];
			s->phase[x->bar] ^= 1;
		}
		break;
	case WAIT:
		if (s->phase[x->bar] == x->parity)
			return false;
		break;
	case MEET:
		if (!s->met) {
			s->met = 1u << w;
			return true;
		}
		for (unsigned k = 0; k < p->warps; k++)
			s->pc[k] += s->met >> k & 1;
		s->met = 0;
		break;
	}
	s->pc[w]++;
	return true;
}

static uint64_t
key_of(const struct program *p, const struct state *s)
{
	uint64_t k = 1;

	for (unsigned w = 0; w < p->warps; w++)
		k = k << 4 | s->pc[w];
	for (unsigned b = 0; b < BARS; b++)
		k = k << 4 | s->pending[b] << 1 | s->phase[b];
	return k << 3 | s->met;
}

static bool
seen_before(uint64_t *seen, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (STATES - 1);

	for (; seen[i]; i = (i + 1) & (STATES - 1))
		if (seen[i] == key)
			return true;
	seen[i] = key;
	return false;
}

/* Some order ends with a warp that can never go on. */
static bool
may_hang(const struct program *p, struct state s, uint64_t *seen)
{
	bool moved = false, done = true;

	if (seen_before(seen, key_of(p, &s)))
		return false;
	for (unsigned w = 0; w < p->warps; w++) {
		struct state next = s;

		done = done && s.pc[w] >= p->n[w];
		if (!advance(p, &next, w))
			continue;
		moved = true;
		if (may_hang(p, next, seen))
			return true;
	}
	return !moved && !done;
}

/* ---- programs ---- */

static struct state
start(const struct program *p)
{
	struct state s = {0};

	memcpy(s.pending, p->count, sizeof s.pending);
	return s;
}

/* A program that goes right in one order, and then perhaps a change. */
static struct program
make(void)
{
	struct program p = {.warps = 2 + pick(2)};
	struct state s;
	unsigned total = 4 + pick(14);

	for (unsigned b = 0; b < BARS; b++)
		p.count[b] = 1 + pick(p.warps);
	s = start(&p);
	for (unsigned i = 0; i < total; i++) {
		unsigned w = pick(p.warps), b = pick(BARS), v = pick(p.warps);
		struct step x = {(enum op)pick(2), b, s.phase[b] ^ 1};

		if (pick(8) == 0 && v != w && p.n[v] < STEPS_MAX && p.n[w] < STEPS_MAX) {
			x.op = MEET;
			p.step[v][p.n[v]++] = x;
			s.pc[v]++;
		}
		if (p.n[w] == STEPS_MAX)
			continue;
		p.step[w][p.n[w]++] = x;
		if (x.op == MEET)
			s.pc[w]++;
		else
			advance(&p, &s, w);
	}
	if (pick(3) == 0) {
		struct step *x;
		unsigned w = pick(p.warps);

		if (p.n[w]) {
			x = &p.step[w][pick(p.n[w])];
			if (x->op == WAIT)
				x->parity ^= 1;
			else if (x->op == ARRIVE)
				x->bar = pick(BARS);
		}
	}
	return p;
}

static struct str
text_of(struct arena *a, const struct program *p)
{
	struct buf b = {.a = a};

	buf_adds(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
		     ".reg .pred %p<8>;\n.reg .b32 %r<8>;\n.shared .align 8 .b64 m[8];\n"
		     "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r3, m;\n"
		     "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n");
	for (unsigned i = 0; i < BARS; i++)
		buf_addf(&b, "mbarrier.init.shared.b64 [%%r3+%u], %u;\n", 8 * i,
			32 * p->count[i]);
	buf_adds(&b, "L:\nbar.sync 0;\n");
	for (unsigned w = 0; w < p->warps; w++) {
		buf_addf(&b, "setp.ne.u32 %%p2, %%r2, %u;\n@%%p2 bra W%u;\n", w, w);
		for (unsigned i = 0; i < p->n[w]; i++) {
			const struct step *x = &p->step[w][i];

			if (x->op == ARRIVE)
				buf_addf(&b, "mbarrier.arrive.shared.b64 _, [%%r3+%u];\n",
					8 * x->bar);
			else if (x->op == MEET)
				buf_adds(&b, "bar.sync 1, 64;\n");
			else
				buf_addf(&b,
					"{\nT: mbarrier.try_wait.parity.shared.b64 %%p3, "
					"[%%r3+%u], %u;\n@!%%p3 bra T;\n}\n",
					8 * x->bar, x->parity);
		}
		buf_addf(&b, "bra END;\nW%u:\n", w);
	}
	buf_adds(&b, "END:\nret;\n}\n");
	return buf_str(&b);
}

/* ---- comparing ---- */

static bool
waits_for_ever(const struct verdict *v)
{
	bool any = false;

	for (size_t i = 0; i < v->n_findings; i++) {
		const struct finding *f = &v->findings[i];

		if (f->kind != VERDICT_REFUSED)
			continue;
		if (!str_is(f->rule, "LW018") && !str_is(f->rule, "LW016"))
			return false;
		any = true;
	}
	return any;
}

static unsigned
compare(const struct program *p, unsigned table[2][4])
{
	struct arena a = {0};
	struct str text = text_of(&a, p), why = {0};
	struct source src = {"mbarriers", text};
	struct diag d = {0};
	const struct ptx_module *m = ptx_parse(&a, &src, &d);
	struct gate_query q = {.launch = {.block = {UINT64_C(32) * p->warps, 1, 1},
				       .grid = {1, 1, 1},
				       .cluster = {1, 1, 1}}};
	uint64_t *seen = arena_news(&a, STATES, uint64_t);
	unsigned wrong = 0;

	if (!m)
		fail_msg("%.*s", STR_ARG(text));
	struct verdict v = gate_check(&a, gate_prepare(&a, m, why, &why), &q);
	bool hangs = may_hang(p, start(p), seen);

	table[hangs][v.kind]++;
	if ((v.kind == VERDICT_CLEAN && hangs) || (waits_for_ever(&v) && !hangs) ||
		v.kind == VERDICT_ERROR) {
		fprintf(stderr, "%s, though it %s\n%.*s", verdict_name(v.kind),
			hangs ? "may hang" : "cannot hang", STR_ARG(text));
		wrong = 1;
	}
	arena_release(&a);
	return wrong;
}

static unsigned
run(unsigned n, uint64_t seed)
{
	unsigned table[2][4] = {{0}}, wrong = 0;

	for (unsigned i = 0; i < n; i++) {
		seed_state = seed + i * UINT64_C(0x9e3779b97f4a7c15);
		pick(1);
		struct program p = make();
		wrong += compare(&p, table);
	}
	for (int h = 0; h < 2; h++)
		printf("%s: clean %u caveat %u refused %u\n",
			h ? "may hang" : "cannot hang", table[h][VERDICT_CLEAN],
			table[h][VERDICT_CAVEAT], table[h][VERDICT_REFUSED]);
	return wrong;
}

static void
test_schedules(void **state)
{
	(void)state;
	assert_int_equal(run(SHORT_RUN, 20261130), 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedules)};

	if (argc > 1)
		return run((unsigned)strtoul(argv[1], NULL, 10),
			       argc > 2 ? strtoull(argv[2], NULL, 10) : 1) != 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
