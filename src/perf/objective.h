/*
 * What is made small: the time of a launch, its energy, or an expression over both, the
 * declared work, and the candidate's parameters.
 *
 *     time_s   seconds of a launch        joules   of a launch: of finalists only
 *     bytes, flops   declared work        NAME     a parameter
 *
 * Energy is read off a counter that moves in steps, once for each finalist: what depends
 * on it is compared by the steps' error and never proven.  What depends on time alone is
 * decided from the readings, as time is.
 */
#ifndef PERF_OBJECTIVE_H
#define PERF_OBJECTIVE_H

#include "format/expr.h"
#include "perf/ranking.h"

struct objective {
	struct str text;         /* empty: time */
	const struct expr *expr; /* NULL: time */
	bool joules;             /* it depends on them */
};

/* "", "time", "energy" or an expression; false after a diag_error. */
bool objective_parse(
	struct arena *a, struct str text, struct objective *out, struct diag *d);

/* Of a launch of ns and joules (NaN: not known); NaN, with *why (may be NULL), when it
 * has no value there or is not positive. */
double objective_value(struct arena *a, const struct objective *o,
	const struct rank_entry *e, double ns, double joules, struct str *why);

/* Fills cost, cost_low and cost_high of an entry that ran, from its times, unless it
 * depends on joules that are not known.  False with *why when it has no value. */
bool objective_fill(struct arena *a, const struct objective *o, struct rank_entry *e,
	struct str *why);

#endif
