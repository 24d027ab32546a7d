/* What the readers of recorded.h share. */
#ifndef SEARCH_RECORDED_PARTS_H
#define SEARCH_RECORDED_PARTS_H

#include "search/recorded.h"

/* Larger times mean failure: Kernel Tuner used 1e20 and sys.float_info.max. */
#define RECORDED_TIME_MAX_MS 1e19

bool recorded_value(const struct json *v, struct value *out, struct diag *d);
/* Adds a parameter; false after a diag_error. */
bool recorded_add_param(
	struct recorded *r, const struct json *at, struct str name, struct diag *d);
/* Adds a value that the parameter does not have yet; false after a diag_error. */
bool recorded_add_value(struct arena *a, struct recorded_param *p, const struct json *at,
	struct value v, struct diag *d);
/* Index of a value, or -1. */
long recorded_find_value(const struct recorded_param *p, struct value v);
/* A row without choice or times; every phase is NaN. */
struct recorded_row *recorded_add_row(struct arena *a, struct recorded *r);
/* A time: a number that is one, or a fault in words or as a number. False after a
 * diag_error. */
bool recorded_time(
	struct recorded_row *row, const struct json *v, double scale, struct diag *d);
/* A list of numbers; false after a diag_error. */
bool recorded_times(struct arena *a, struct recorded_row *row, const struct json *v,
	double scale, struct diag *d);
/* The fault that a word stands for; false if none. */
bool recorded_fault_of(struct str word, enum recorded_fault *f);

/* Parameters and their values, in rising order, of a list of results, each of which has
 * its own under `key`; false after a diag_error. */
bool recorded_collect(struct arena *a, struct recorded *r, const struct json *results,
	const char *key, struct diag *d);
/* The choice of one of them. */
uint16_t *recorded_choice(
	struct arena *a, const struct recorded *r, const struct json *of, struct diag *d);

#define RECORDED_OWN "lanewise/results.v1"

/* What Kernel Tuner calls it. */
const char *recorded_fault_kt(enum recorded_fault f);
const char *recorded_phase_kt(enum recorded_phase p);

/* Each reads one format from its top-level object; false after a diag_error. */
bool recorded_read_kt(
	struct arena *a, struct recorded *r, const struct json *top, struct diag *d);
bool recorded_read_t4(
	struct arena *a, struct recorded *r, const struct json *top, struct diag *d);
bool recorded_read_own(struct arena *a, struct recorded *r, const struct json *top,
	struct str size, struct diag *d);

/* A text of the same length or longer that ends as JSON has to: what a killed writer left
 * unfinished is cut off, open brackets are closed, and NaN and Infinity, which Python
 * writes, become "".  Offsets stay as they are. */
struct str json_mend(struct arena *a, struct str text);

#endif
