#include "perf/signed_rank.h"

#include "base/die.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Ranks are doubled, so mid-ranks are integers; their sum is at most n (n + 1). */
enum { SUM_MAX = SIGNED_RANK_MAX * (SIGNED_RANK_MAX + 1) };

static void
check(size_t n)
{
	if (n > SIGNED_RANK_MAX)
		BUG("a signed-rank test of %zu differences", n);
}

/*
 * How many of the 2^n choices of signs have a positive sum of at most `limit`, below the
 * whole sum: at most 2^64 - 1 choices, so 64 bits hold it for n = 64, too.  ways[s] after
 * that: with a sum of exactly s.
 */
static uint64_t
count(const unsigned *rank, size_t n, size_t limit, uint64_t *ways)
{
	uint64_t all = 0;

	memset(ways, 0, (limit + 1) * sizeof *ways);
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t s = limit + 1; s-- > rank[i];)
			ways[s] += ways[s - rank[i]];
	for (size_t s = 0; s <= limit; s++)
		all += ways[s];
	return all;
}

static int
by_magnitude(const void *x, const void *y)
{
	const double p = fabs(*(const double *)x), q = fabs(*(const double *)y);

	return (p > q) - (p < q);
}

/* The doubled ranks of the differences that are not zero, and the smaller of the sums
 * over the positive and the negative. */
static size_t
ranks(const double *d, size_t n, unsigned *rank, size_t *smaller)
{
	double v[SIGNED_RANK_MAX];
	size_t m = 0, plus = 0, minus = 0;

	memcpy(v, d, n * sizeof *v);
	qsort(v, n, sizeof *v, by_magnitude);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && fabs(v[end]) == fabs(v[i]);)
			end++;
		for (size_t k = i; k < end && v[i] != 0; k++) {
			rank[m] = (unsigned)(i + 1 + end);
			*(v[k] > 0 ? &plus : &minus) += rank[m++];
		}
	}
	*smaller = plus < minus ? plus : minus;
	return m;
}

double
signed_rank_p(const double *d, size_t n)
{
	unsigned rank[SIGNED_RANK_MAX];
	uint64_t ways[SUM_MAX / 2 + 1];
	size_t m, smaller;
	double p;

	check(n);
	m = ranks(d, n, rank, &smaller);
	if (!m)
		return 1;
	p = ldexp((double)count(rank, m, smaller, ways), 1 - (int)m);
	return p < 1 ? p : 1;
}

int
signed_rank_critical(size_t n, double alpha)
{
	unsigned rank[SIGNED_RANK_MAX];
	uint64_t ways[SUM_MAX / 4 + 1], all = 0, most;
	size_t half = n * (n + 1) / 4, w = 0;

	check(n);
	if (!n || !(alpha > 0))
		return -1;
	for (size_t i = 0; i < n; i++)
		rank[i] = (unsigned)i + 1;
	count(rank, n, half, ways);
	/* 2 count / 2^n <= alpha, with both sides whole: no rounding decides. */
	most = (uint64_t)ldexp(alpha < 1 ? alpha : 1, (int)n - 1);
	while (w <= half && ways[w] <= most - all)
		all += ways[w++];
	return (int)w - 1;
}

static int
ascending(const void *x, const void *y)
{
	const double *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

void
walsh_set(struct walsh *w, const double *d, size_t n)
{
	check(n);
	if (!n)
		BUG("no differences");
	w->n = n;
	w->n_averages = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			w->v[w->n_averages++] = (d[i] + d[k]) / 2;
	qsort(w->v, w->n_averages, sizeof *w->v, ascending);
}

double
walsh_median(const struct walsh *w)
{
	return (w->v[(w->n_averages - 1) / 2] + w->v[w->n_averages / 2]) / 2;
}

struct walsh_interval
walsh_interval(const struct walsh *w, double alpha)
{
	int c = signed_rank_critical(w->n, alpha);

	if (c < 0)
		return (struct walsh_interval){-(double)INFINITY, (double)INFINITY};
	return (struct walsh_interval){w->v[c], w->v[w->n_averages - 1 - (size_t)c]};
}
