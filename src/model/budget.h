/*
 * How much a search may spend on each problem (kernel at a size): candidates, or seconds
 * of one of two clocks.
 *
 *     200          candidates that are measured; refused ones do not count
 *     90s 10m 1.5h by the clock on the wall, of the whole run
 *     device:60s   that the device spends on timed launches, of each problem
 */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include "base/str.h"

enum budget_kind { BUDGET_NONE, BUDGET_CANDIDATES, BUDGET_WALL, BUDGET_DEVICE };

struct budget {
	enum budget_kind kind;
	uint64_t candidates;
	double seconds;  /* WALL, DEVICE */
	struct str text; /* as written */
};

/* False when the text is none of these, or nothing at all may be spent. */
bool budget_parse(struct str text, struct budget *out);

#endif
