/*
 * The gate against an interpreter that shares no code with it (gate/lane_run.h): random
 * structured kernels.  A launch that goes wrong must not be clean, and one that goes
 * right must not be refused.
 *
 *     prop_gate                          a short run, as a test
 *     prop_gate KERNELS [JOBS [SEED]]    a long one, which prints each disagreement
 *     prop_gate strict KERNELS SEED      prints needless caveats, too
 *     prop_gate only SEED SERIAL         one kernel
 */
#include "gate/comparison.h"

#include "base/hash.h"
#include "base/str.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHORT_RUN = 3000, OPEN_EVERY = 8, DATA_EVERY = 3, JOBS_MAX = 64 };
static const uint64_t default_seed = 20260202;

/* What a kernel's verdict may depend on. */
enum class { KNOWN, MEMORY, DATA, SURE_DATA, N_CLASSES };

struct tally {
	unsigned n[N_CLASSES][4][4]; /* truth, verdict */
	unsigned open[4];            /* verdicts without arguments */
	unsigned conditions, wrong, kernels;
};

static bool
has_memory(const struct random_kernel *k)
{
	for (unsigned f = 0; f < k->n_funcs; f++)
		for (unsigned i = 0; i < k->func[f].n; i++)
			if (k->func[f].v[i].op == INS_LOAD)
				return true;
	return false;
}

static void
count(struct tally *t, const struct random_kernel *k, const struct comparison *c,
	bool given)
{
	/* data do not matter where all contents of memory end alike */
	enum class class = k->data         ? (c->best == c->worst ? SURE_DATA : DATA)
			   : has_memory(k) ? MEMORY
					   : KNOWN;

	t->conditions += c->condition;
	t->wrong += c->wrong != AGREE;
	if (given)
		t->n[class][c->worst][c->verdict.kind]++;
	else
		t->open[c->verdict.kind]++;
}

static void
report(struct random_kernel *k, const struct comparison *c, uint64_t seed,
	uint64_t serial, bool given)
{
	struct arena a = {0};
	struct comparison small = *c;

	fprintf(stderr, "// seed %llu kernel %llu: %s\n", (unsigned long long)seed,
		(unsigned long long)serial, wrong_name(c->wrong));
	comparison_shrink(k, seed + serial, given, c->wrong);
	comparison_truth(k, seed + serial, &small);
	comparison_verdict(&a, k, given, &small);
	comparison_print(&a, k, &small, given,
		str_c(&a, str_fmt(&a, "seed %llu kernel %llu", (unsigned long long)seed,
				  (unsigned long long)serial)));
	arena_release(&a);
}

static void
one_kernel(uint64_t seed, uint64_t serial, struct tally *t)
{
	static struct random_kernel k;
	struct arena a = {0};
	struct comparison c;

	random_kernel_make(&a, &k, seed, serial, serial % DATA_EVERY == 0);
	comparison_truth(&k, seed + serial, &c);
	t->kernels++;
	for (int open = serial % OPEN_EVERY == 0; c.worst != TOO_LONG && open >= 0;
		open--) {
		comparison_verdict(&a, &k, !open, &c);
		count(t, &k, &c, !open);
		if (c.wrong == AGREE)
			continue;
		report(&k, &c, seed, serial, !open);
		break;
	}
	arena_release(&a);
}

static void
print_tally(const struct tally *t)
{
	static const char *const class[] = {[KNOWN] = "known",
		[MEMORY] = "known, in memory",
		[DATA] = "data decide",
		[SURE_DATA] = "random data"};
	static const char *const truth[] = {"fine", "grey", "hazard"};

	for (int c = 0; c < N_CLASSES; c++)
		for (int i = 0; i < 3; i++) {
			const unsigned *n = t->n[c][i];
			unsigned all =
				n[VERDICT_CLEAN] + n[VERDICT_CAVEAT] + n[VERDICT_REFUSED];

			if (all)
				printf("%-20s %-7s clean %6u caveat %6u (%.1f%%) refused "
				       "%6u\n",
					class[c], truth[i], n[VERDICT_CLEAN],
					n[VERDICT_CAVEAT],
					100.0 * n[VERDICT_CAVEAT] / all,
					n[VERDICT_REFUSED]);
		}
	printf("no arguments given: clean %u caveat %u refused %u; conditions that held "
	       "%u\n",
		t->open[VERDICT_CLEAN], t->open[VERDICT_CAVEAT], t->open[VERDICT_REFUSED],
		t->conditions);
	printf("%u kernels, %u disagreements\n", t->kernels, t->wrong);
}

/* ---- the long run ---- */

static void
run_job(uint64_t seed, uint64_t kernels, unsigned job, unsigned jobs, struct tally *t)
{
	for (uint64_t i = job; i < kernels; i += jobs)
		one_kernel(seed, i, t);
}

static void
add_tally(struct tally *to, const struct tally *t)
{
	unsigned *x = (unsigned *)to;
	const unsigned *y = (const unsigned *)t;

	for (size_t i = 0; i < sizeof *t / sizeof *x; i++)
		x[i] += y[i];
}

static int
long_run(uint64_t kernels, unsigned jobs, uint64_t seed)
{
	size_t size = JOBS_MAX * sizeof(struct tally);
	struct tally sum = {0}, *t = mmap(NULL, size, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, bad = 0;

	if (t == MAP_FAILED)
		return 2;
	jobs = jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
	for (unsigned j = 0; j < jobs; j++) {
		pid_t pid = fork();

		if (pid < 0)
			return 2;
		if (pid == 0) {
			run_job(seed, kernels, j, jobs, &t[j]);
			_exit(0);
		}
	}
	for (unsigned j = 0; j < jobs; j++)
		if (wait(&status) < 0 || status != 0)
			bad = 1;
	for (unsigned j = 0; j < jobs; j++)
		add_tally(&sum, &t[j]);
	printf("seed %llu\n", (unsigned long long)seed);
	print_tally(&sum);
	if (bad)
		printf("a job ended early\n");
	return bad || sum.wrong;
}

static int
only(uint64_t seed, uint64_t serial)
{
	static struct random_kernel k;
	struct arena a = {0};
	struct comparison c;
	struct tally t = {0};

	random_kernel_make(&a, &k, seed, serial, serial % DATA_EVERY == 0);
	comparison_truth(&k, seed + serial, &c);
	comparison_verdict(&a, &k, true, &c);
	printf("worst %d best %d, %s\n", c.worst, c.best, verdict_name(c.verdict.kind));
	comparison_print(&a, &k, &c, true, "as made");
	arena_release(&a);
	one_kernel(seed, serial, &t);
	return t.wrong != 0;
}

/* ---- the test ---- */

static void
test_agrees(void **state)
{
	const char *s = getenv("LANEWISE_SEED");
	uint64_t seed = default_seed;
	struct tally t = {0};

	if (s)
		str_to_u64(str_of(s), &seed);
	run_job(seed, SHORT_RUN, 0, 1, &t);
	print_tally(&t);
	assert_int_equal(t.wrong, 0);
	/* that it decides is a property too */
	const unsigned *fine = t.n[KNOWN][FINE], *wrong = t.n[KNOWN][HAZARD];
	assert_true(fine[VERDICT_CLEAN] > SHORT_RUN / 10);
	assert_true(wrong[VERDICT_REFUSED] > SHORT_RUN / 10);
	assert_true(fine[VERDICT_CAVEAT] * 20 <= fine[VERDICT_CLEAN]);
}

/* One seed makes the same kernels with every compiler. */
static void
test_same_kernels(void **state)
{
	static struct random_kernel k;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 200; i++) {
		struct arena a = {0};

		random_kernel_make(&a, &k, 1, i, i % DATA_EVERY == 0);
		struct str text = random_kernel_ptx(&a, &k);
		sum = sum * 31 + hash_bytes(text).lo;
		arena_release(&a);
	}
	assert_int_equal(sum, UINT64_C(0x8c208f4855034ac2));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_kernels),
		cmocka_unit_test(test_agrees),
	};
	uint64_t n[3] = {0, 1, default_seed};

	for (int i = 1; i < argc && i < 4; i++)
		str_to_u64(str_of(argv[i]), &n[i - 1]);
	if (argc > 3 && str_is(str_of(argv[1]), "only"))
		return only(n[1], n[2]);
	if (argc > 3 && str_is(str_of(argv[1]), "strict")) {
		comparison_strict = true;
		return long_run(n[1], 1, n[2]);
	}
	if (argc > 1)
		return long_run(n[0], (unsigned)n[1], n[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
