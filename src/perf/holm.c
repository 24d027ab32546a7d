#include "perf/holm.h"

#include <math.h>

/* The first of equals counts as the smaller: each has a place of its own. */
static size_t
place(const double *p, size_t n, size_t i)
{
	size_t before = 0;

	for (size_t k = 0; k < n; k++)
		before += k < i ? p[k] <= p[i] : p[k] < p[i];
	return before;
}

void
holm_adjust(const double *p, size_t n, double *adjusted)
{
	for (size_t i = 0; i < n; i++)
		adjusted[i] = 0;
	for (size_t k = 0; k < n; k++) {
		double mine = fmin(1, (double)(n - place(p, n, k)) * p[k]);
		for (size_t i = 0; i < n; i++)
			if (p[i] >= p[k])
				adjusted[i] = fmax(adjusted[i], mine);
	}
}
