/* Verdicts as text for people: findings with their source line and lanes. */
#ifndef CMD_CHECK_SHOW_H
#define CMD_CHECK_SHOW_H

#include "cmd/check_kernel.h"
#include "report/excerpt.h"

void check_show(
	struct excerpts *e, const struct check_kernel *k, const struct verdict *v);
/* The arguments that are not known: what could make more of a caveat. */
void check_show_unknown(
	struct arena *a, const struct check_kernel *k, const struct gate_query *q);
/* How many of several launches have which verdict. */
void check_show_count(const struct verdict *v, size_t n);
/* The status of a launch with this verdict. */
int check_status(enum verdict_kind k);

#endif
