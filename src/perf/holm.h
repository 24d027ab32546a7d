/*
 * Several tests at once: Holm's step-down adjustment (Holm, Scand. J. Statist. 6, 1979).
 * Rejecting where the adjusted p is at most alpha rejects any true hypothesis with a
 * probability of at most alpha, however the tests depend on one another.
 *
 *     p(1) <= ... <= p(n):  adjusted(i) = max over j <= i of min(1, (n - j + 1) p(j))
 */
#ifndef PERF_HOLM_H
#define PERF_HOLM_H

#include <stddef.h>

/* adjusted[i] belongs to p[i]; two arrays.  Quadratic in n, which is some dozens. */
void holm_adjust(const double *p, size_t n, double *adjusted);

#endif
