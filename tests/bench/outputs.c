/*
 * How fast inputs are made and outputs are compared: millions of elements in a second of
 * one core, the best of as many runs as fit into the seconds given.  Times are of the
 * processor, of all threads together.
 */
#include "backend/compare.h"
#include "backend/fill.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 24 };

static double seconds = 0.5;

static const enum dtype types[] = {DTYPE_F64, DTYPE_F32, DTYPE_TF32, DTYPE_F16,
	DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2, DTYPE_I8, DTYPE_I32};

typedef void body(void *ctx);

static double
rate(body *run, void *ctx)
{
	double start = (double)clock(), best = 1e30;
	do {
		double from = (double)clock();
		run(ctx);
		double took = (double)clock() - from;
		best = took < best ? took : best;
	} while ((double)clock() - start < seconds * CLOCKS_PER_SEC);
	return N * 1e-6 * CLOCKS_PER_SEC / best;
}

struct fill_ctx {
	struct arg v;
	void *to;
};

static void
fill(void *ctx)
{
	struct fill_ctx *f = ctx;
	fill_all(&f->v, 1, 0, N, f->to);
}

static void
fills(void *to)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		printf("fill %-5s", dtype_name(types[i]));
		for (unsigned f = 0; f < FILL_FILE; f++) {
			struct fill_ctx c = {
				{.type = types[i], .fill = (enum fill)f}, to};
			c.v.count = N;
			if (fill_fits(c.v.fill, types[i]) && f != FILL_ZEROS)
				printf("  %s %.0f", fill_name(c.v.fill), rate(fill, &c));
		}
		putchar('\n');
	}
}

struct compare_ctx {
	struct ref_output r;
	const void *got;
	uint64_t wrong;
};

static void
compare(void *ctx)
{
	struct compare_ctx *c = ctx;
	struct tolerance t = {0, 1, 0}; /* nothing is wrong */
	c->wrong += compare_output(c->got, &c->r, t).n_wrong;
}

/* Equal to the reference; and off by more than a place everywhere. */
static void
compares(void *got, double *want)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		enum dtype t = types[i];
		struct compare_ctx c = {
			{.name = STR_LIT("o"), .type = t, .count = N, .data = want}, got,
			0};
		struct fill_ctx f = {{.type = t, .fill = FILL_EXACT, .count = N}, got};
		fill(&f);
		ref_widen(t, got, N, want);
		printf("compare %-5s  equal %.0f", dtype_name(t), rate(compare, &c));
		if (dtype_is_float(t)) {
			for (size_t k = 0; k < N; k++)
				want[k] *= 1.37;
			printf("  different %.0f", rate(compare, &c));
		}
		printf("%s\n", c.wrong ? "  (wrong ones: no time)" : "");
	}
}

int
main(int argc, char **argv)
{
	struct arena a = {0};
	void *to = arena_alloc(&a, N * 8);
	double *want = arena_alloc(&a, N * 8);
	if (argc > 1)
		seconds = strtod(argv[1], NULL);
	fills(to);
	compares(to, want);
	return 0;
}
