/*
 * From the record of a final (model/final_record.h) to the readings that decide it.
 *
 * Left out are members that failed, with their reason in the record; rounds in which a
 * visit of a member that did not fail is void; a control whose twin failed.  The control
 * is the member of its point.
 */
#ifndef PERF_FINAL_INPUT_H
#define PERF_FINAL_INPUT_H

#include "perf/final.h"

/* NULL, or why nothing can be decided; *out has no problem (final_problem) otherwise. */
const char *final_input(struct arena *a, const struct final_record *f, double margin,
	struct final_readings *out);

#endif
