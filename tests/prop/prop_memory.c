/*
 * What travels through memory, against an interpreter that runs each thread alone and
 * shares no code with the gate: random kernels whose branches hang on words of shared and
 * local memory, written at known and unknown places, in order and in races.  Shared
 * accesses are volatile, so that a race has an outcome, and whatever the gate calls clean
 * has to be so for every schedule.
 *
 *     prop_memory                      a short run, as a test
 *     prop_memory KERNELS [SEED]       a long one, which prints each disagreement
 *     prop_memory only SEED SERIAL     one kernel
 */
#include "memory/word_kernel.h"

#include "base/diag.h"
#include "gate/gate.h"
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHORT_RUN = 1500, RUNS = 10 };

static struct verdict
ask(struct arena *a, const struct word_kernel *k, bool arg_known)
{
	static const unsigned char two[4] = {WORD_ARG};
	struct diag d = {0};
	struct source *src = arena_new(a, struct source);
	struct str why = {0};
	struct gate_arg args[2] = {{0}, {GATE_ARG_BYTES, two, 4}};
	struct gate_query q = {.launch = {.grid = {1, 1, 1},
				       .block = {k->threads, 1, 1},
				       .cluster = {1, 1, 1}},
		.args = args,
		.n_args = arg_known ? 2 : 1,
		.no_conditions = true};

	*src = (struct source){"k.ptx", word_kernel_ptx(a, k)};
	const struct ptx_module *m = ptx_parse(a, src, &d);
	assert_non_null(m);
	struct gate_kernel *g = gate_prepare(a, m, STR_LIT("k"), &why);
	assert_non_null(g);
	return gate_check(a, g, &q);
}

struct tally {
	unsigned n[3][4], wrong; /* truth, verdict */
};

static void
one(uint64_t seed, uint64_t serial, bool print, struct tally *t)
{
	static struct word_kernel k;
	struct arena a = {0};
	enum truth worst = FINE, best = HAZARD;
	bool grey = false, known = serial % 2;

	word_kernel_make(&k, seed, serial);
	for (unsigned i = 0; i < RUNS; i++) {
		enum truth x = word_run(&k, rng_at(seed + serial, i), known);

		grey = grey || x == GREY;
		worst = x > worst ? x : worst;
		best = x < best ? x : best;
	}
	struct verdict v = ask(&a, &k, known);
	bool wrong = (v.kind == VERDICT_CLEAN && worst == HAZARD) ||
		     (v.kind == VERDICT_REFUSED && best == FINE);
	t->n[grey ? GREY : worst][v.kind]++;
	if (wrong || print) {
		struct str text = word_kernel_ptx(&a, &k);

		printf("seed %llu serial %llu block %u: worst %d best %d, %s %.*s\n%.*s",
			(unsigned long long)seed, (unsigned long long)serial, k.threads,
			worst, best, verdict_name(v.kind),
			STR_ARG(v.n_findings ? v.findings[0].message : STR_LIT("")),
			STR_ARG(text));
	}
	t->wrong += wrong;
	arena_release(&a);
}

static void
print_tally(const struct tally *t)
{
	static const char *const names[] = {"fine", "grey", "hazard"};

	for (int i = 0; i < 3; i++)
		printf("%-7s clean %6u caveat %6u refused %6u\n", names[i],
			t->n[i][VERDICT_CLEAN], t->n[i][VERDICT_CAVEAT],
			t->n[i][VERDICT_REFUSED]);
	printf("%u disagreements\n", t->wrong);
}

static void
test_agrees(void **state)
{
	struct tally t = {0};

	(void)state;
	for (uint64_t i = 0; i < SHORT_RUN; i++)
		one(20260202, i, false, &t);
	print_tally(&t);
	assert_int_equal(t.wrong, 0);
	assert_true(t.n[FINE][VERDICT_CLEAN] > SHORT_RUN / 10);
	assert_true(t.n[HAZARD][VERDICT_REFUSED] > SHORT_RUN / 20);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees)};
	uint64_t n[3] = {0, 20260202, 0};
	struct tally t = {0};

	for (int i = 1; i < argc && i < 4; i++)
		str_to_u64(str_of(argv[i]), &n[i - 1]);
	if (argc > 3 && str_is(str_of(argv[1]), "only")) {
		one(n[1], n[2], true, &t);
		return t.wrong != 0;
	}
	for (uint64_t i = 0; argc > 1 && i < n[0]; i++)
		one(n[1], i, false, &t);
	if (argc > 1) {
		print_tally(&t);
		return t.wrong != 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
