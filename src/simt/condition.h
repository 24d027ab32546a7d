/*
 * For which kernel arguments: conditions in the words of a message.
 */
#ifndef SIMT_CONDITION_H
#define SIMT_CONDITION_H

#include "model/verdict.h"
#include "simt/simt.h"

enum { CONDITION_ARGUMENTS = 4, CONDITION_CASES = 4 };

/* A scalar argument of 1, 2, 4 or 8 bytes has this value. */
struct argument_value {
	uint32_t position;
	unsigned bytes;
	uint64_t value;
};

/* What arguments must be, "argument 1 > 960 and argument 2 == 0", and values that are. */
struct condition {
	struct str text;
	unsigned n_values, n_cases;
	struct argument_value cases[CONDITION_CASES][CONDITION_ARGUMENTS];
};

/* What the path of the world assumes; NULL when that is something else than comparisons
 * of scalar arguments with numbers and with each other, or nothing was found that meets
 * it. */
const struct condition *condition_of_path(struct sim *s, const struct world *w);

/* The verdict for a query; VERDICT_ERROR when no more may be asked. */
typedef enum verdict_kind condition_judge(void *ctx, const struct gate_query *q);

/* Launches with arguments that meet the condition are refused, as many as may be judged,
 * at least one: the path of a hazard leaves no doubt of it, what happens beside it may.
 */
bool condition_confirmed(const struct condition *c, const struct gate_query *q,
	condition_judge *judge, void *ctx);

/*
 * Which values of the scalar arguments that matter and were not given make the launch
 * clean or refused, found by judging it with them: each argument alone and, if none
 * decides alone, one with another held; every value named was judged.
 * "; with argument 1 in 0..1024: clean iff argument 1 % 256 == 0, refused otherwise";
 * empty when no value decides.
 */
struct str condition_of_values(struct arena *a, const struct slice *s,
	const struct gate_query *q, condition_judge *judge, void *ctx);

#endif
