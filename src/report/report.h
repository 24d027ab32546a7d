/*
 * The report: rankings of all kernels, with hazards traced back to source lines.  Text
 * for people (100 columns, plain ASCII), JSON for programs (lanewise/report.v1); the same
 * content in both, docs/reference/report.md describes it.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/hazard.h"

struct report_kernel {
	const struct ranking *r;
	struct hazards refused; /* why candidates were not admitted */
	struct hazards caveats; /* what the gate could not decide */
	struct hazards errors;  /* what could not be judged: it does not compile */
};

struct report {
	struct report_kernel *kernels;
	size_t n_kernels;
	int exit_status; /* rank_exit_status, or of a misfit EXIT_TROUBLE */
};

/* dir: the folder with line maps and staged sources, ".lanewise". */
struct report report_build(
	struct arena *a, struct ranking **rankings, size_t n, const char *dir);

enum { REPORT_COLUMNS = 100, REPORT_TOP = 10 };

/* top: how many candidates of a ranking are shown; 0: all. */
struct str report_text(struct arena *a, const struct report *r, size_t top);
struct str report_json(struct arena *a, const struct report *r);

/* A finished run in `dir` (".lanewise" or ".lanewise/K", with report.json): the rankings
 * of the kernels it lists, NULL after a diag_error. */
struct ranking **report_load(struct arena *a, const char *dir, size_t *n, struct diag *d);
/* The one of this kernel; dies when there is none, with the nearest name. */
struct ranking **report_only(struct arena *a, struct ranking **v, size_t *n,
	struct str kernel, const char *dir);
/* Prints DIR/report.txt as it is; the exit status is the one of the report, or
 * EXIT_TROUBLE after saying what is missing. */
int report_show(struct arena *a, const char *dir);

#endif
