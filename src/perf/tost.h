/*
 * Equivalence: two one-sided tests (Schuirmann, J. Pharmacokin. Biopharm. 15, 1987).  The
 * centre of the differences is nearer to 0 than the margin when both "it is -margin or
 * less" and "it is margin or more" are rejected at alpha, which is when the interval of
 * confidence 1 - 2 alpha lies inside the margin.  Calling two things equal because their
 * difference was not found is no such test.
 */
#ifndef PERF_TOST_H
#define PERF_TOST_H

#include "perf/signed_rank.h"

#include <stdbool.h>

bool tost_equivalent(const struct walsh *w, double margin, double alpha);

#endif
