/*
 * A recorded space: candidates of one kernel with what measuring them gave, as we and
 * others have written it down.  Read from
 *
 *   our own results.json (lanewise/results.v1), at one size;
 *   Kernel Tuner's cache files: also those that end early, because a run was killed or
 *   goes on, and both ways in which failures were written: as text or as a huge number in
 *   place of the time, and under "__error__" (kernel_tuner/util.py, 1.5.0);
 *   T4 results (schema version 1.0.0 of kernel_tuner/schema/T4), whose compile time is
 *   "compilation" or "compilation_time".
 *
 * Nothing in a file is ever executed, and whatever is wrong with it is an error with a
 * place.  Times are milliseconds, as in both formats.
 */
#ifndef SEARCH_RECORDED_H
#define SEARCH_RECORDED_H

#include "format/json.h"
#include "search/search.h"

/* Why a candidate has no time, in the words of T4. */
enum recorded_fault {
	FAULT_NONE,
	FAULT_CONSTRAINTS, /* refused before it was run */
	FAULT_COMPILE,
	FAULT_RUNTIME,
	FAULT_CORRECTNESS,
	FAULT_TIMEOUT,
	FAULTS
};

/* Where tuning time went, in the words of Kernel Tuner. */
enum recorded_phase {
	PHASE_COMPILE,
	PHASE_VERIFICATION,
	PHASE_BENCHMARK,
	PHASE_STRATEGY,
	PHASE_FRAMEWORK,
	PHASES
};

struct recorded_row {
	uint16_t *choice; /* per parameter: index of its value */
	enum recorded_fault fault;
	double time_ms; /* FAULT_NONE: positive */
	double *times_ms;
	size_t n_times;
	double phase_ms[PHASES]; /* NaN: not recorded */
	struct str timestamp;    /* may be empty */
};

struct recorded_param {
	struct str name;
	struct value *values;
	size_t n, cap;
};

struct recorded {
	struct str kernel, device; /* empty: not recorded */
	struct value *problem;     /* sizes, or one string */
	size_t n_problem;
	bool problem_is_list;
	struct recorded_param params[SPEC_PARAMS_MAX];
	size_t n_params;
	struct recorded_row *rows; /* in lexicographic order of their choices */
	size_t n, cap;
	const struct recorded_row **order; /* the same as they stood in the file */
};

/* size: of our own results, when they are at several; else empty. NULL after a
 * diag_error. */
struct recorded *recorded_read(
	struct arena *a, const char *path, struct str size, struct diag *d);
/* The same for a text, which lives as long as what is returned. */
struct recorded *recorded_parse(
	struct arena *a, const struct source *src, struct str size, struct diag *d);

struct str recorded_write_kt(struct arena *a, const struct recorded *r);
struct str recorded_write_t4(struct arena *a, const struct recorded *r);
/* One line a candidate: its parameters, "ok" or why it failed, its time; RFC 4180. */
struct str recorded_write_csv(struct arena *a, const struct recorded *r);

/* The recorded candidates as a field: place i is rows[i]. */
struct field recorded_field(const struct recorded *r);
/* What evaluating rows[i] gives. */
enum search_outcome recorded_outcome(
	const struct recorded *r, uint64_t i, double *time_ms);

const char *recorded_fault_name(enum recorded_fault f); /* as in T4; "correct" */
/* As Python's str(): True, 1.0. */
struct str recorded_value_text(struct arena *a, struct value v);

#endif
