#include "perf/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE ((double)NAN)

/* t(0.975, df), df = 1..30; e.g. NIST/SEMATECH e-Handbook, section 1.3.6.7.2. */
static const double t95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
	2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
	2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

double
stats_t95(double df)
{
	if (!(df >= 2))
		return t95[0];
	if (df < 31)
		return t95[(int)df - 1];
	if (df < 60)
		return 2.042;
	if (df < 120)
		return 2.000;
	return 1.980;
}

static int
ascending(const void *x, const void *y)
{
	const double *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

double
stats_median(struct arena *a, const double *v, size_t n)
{
	double *sorted;

	if (!n)
		return NONE;
	sorted = arena_news(a, n, double);
	memcpy(sorted, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, ascending);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double
correlation(const double *v, size_t n, double mean)
{
	double with = 0, square = 0, r;

	if (n < 3)
		return 0;
	for (size_t i = 0; i < n; i++)
		square += (v[i] - mean) * (v[i] - mean);
	for (size_t i = 1; i < n; i++)
		with += (v[i - 1] - mean) * (v[i] - mean);
	r = square > 0 ? with / square : 0;
	return r < 0 ? 0 : r > 0.9 ? 0.9 : r;
}

static double
deviation(const double *v, size_t n, double mean)
{
	double square = 0;

	if (n < 2)
		return NONE;
	for (size_t i = 0; i < n; i++)
		square += (v[i] - mean) * (v[i] - mean);
	return sqrt(square / (double)(n - 1));
}

struct summary
stats_summary(struct arena *a, const double *v, size_t n)
{
	struct summary s = {.n = n, .low = NONE, .high = NONE};
	double df, half;

	for (size_t i = 0; i < n; i++)
		s.mean += v[i] / (double)n;
	if (!n)
		s.mean = NONE;
	s.median = stats_median(a, v, n);
	s.deviation = deviation(v, n, s.mean);
	s.correlation = correlation(v, n, s.mean);
	s.n_effective = (double)n * (1 - s.correlation) / (1 + s.correlation);
	if (n < 3)
		return s;
	df = s.n_effective - 1 > 2 ? s.n_effective - 1 : 2;
	half = stats_t95(df) * s.deviation / sqrt(s.n_effective);
	s.low = s.median - half > 0 ? s.median - half : 0;
	s.high = s.median + half;
	return s;
}
