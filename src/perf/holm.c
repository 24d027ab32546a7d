#include "perf/holm.h"

#include <math.h>

static size_t
n_below(const double *p, size_t n, double limit)
{
	size_t below = 0;

	for (size_t k = 0; k < n; k++)
		below += p[k] < limit;
	return below;
}

/* Of equals the first has the largest factor, and its product is the largest of theirs:
 * so all may have its place. */
void
holm_adjust(const double *p, size_t n, double *adjusted)
{
	for (size_t i = 0; i < n; i++)
		adjusted[i] = 0;
	for (size_t k = 0; k < n; k++) {
		double mine = fmin(1, (double)(n - n_below(p, n, p[k])) * p[k]);
		for (size_t i = 0; i < n; i++)
			if (p[i] >= p[k])
				adjusted[i] = fmax(adjusted[i], mine);
	}
}
