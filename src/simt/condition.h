/*
 * For which kernel arguments: conditions in the words of a message.
 */
#ifndef SIMT_CONDITION_H
#define SIMT_CONDITION_H

#include "model/verdict.h"
#include "simt/simt.h"

/* What the path of the world assumes, "argument 1 > 960 and argument 2 == 0"; empty when
 * it assumes something else than comparisons of scalar arguments with numbers. */
struct str condition_of_path(struct sim *s, const struct world *w);

/* The verdict for a query; VERDICT_ERROR when no more may be asked. */
typedef enum verdict_kind condition_judge(void *ctx, const struct gate_query *q);

/*
 * Which values of the 32-bit arguments that matter and were not given make the launch
 * clean or refused, found by judging it with them, each argument alone: every value named
 * was judged.  "; with argument 1 in 0..1024: clean iff argument 1 % 256 == 0, refused
 * otherwise"; empty when no value decides.
 */
struct str condition_of_values(struct arena *a, const struct slice *s,
	const struct gate_query *q, condition_judge *judge, void *ctx);

#endif
