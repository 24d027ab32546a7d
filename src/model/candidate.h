/*
 * A candidate: one assignment of all parameters, as indices into their values; and what
 * follows from it: label, id, specialization, launch shape and arguments.
 *
 * Label: "BLOCK=64,TILE=128", parameters in spec order; "default" without any.  Used as a
 * file name and inside the graph when it is plain ([A-Za-z0-9._=,+-], at most 100 bytes);
 * otherwise the id is used. Id: 16 hex digits of XXH3-128 over "name=value\n" lines
 * sorted by name, so that it does not depend on how the spec is formatted.
 */
#ifndef MODEL_CANDIDATE_H
#define MODEL_CANDIDATE_H

#include "model/arg.h"
#include "model/device.h"
#include "model/launch.h"
#include "model/spec.h"

struct candidate {
	const uint16_t *choice; /* per parameter: index of its value */
	uint32_t sizes; /* bit i: sizes[i] admits it (the spec allows at most 32 sizes) */
};

struct str candidate_label(
	struct arena *a, const struct kernel *k, const struct candidate *c);
struct str candidate_id(
	struct arena *a, const struct kernel *k, const struct candidate *c);
/* The label if it is plain, else the id. */
struct str candidate_name(
	struct arena *a, const struct kernel *k, const struct candidate *c);
struct value candidate_value(
	const struct kernel *k, const struct candidate *c, size_t param);

/* The specialization: the compile and source parameters only; "default" when there are
 * none.  Candidates with equal names share lower, gate and compile. */
struct str specialization_name(
	struct arena *a, const struct kernel *k, const struct candidate *c);
/* "TILE=128 UNROLL=4": the defines, in spec order; true and false are 1 and 0. */
struct str specialization_defines(
	struct arena *a, const struct kernel *k, const struct candidate *c);
/* One of the kernel's flags, with values in the place of {NAME}. */
struct str specialization_flag(struct arena *a, const struct kernel *k,
	const struct candidate *c, struct str flag);
/* The source file, {PARAM} replaced. */
struct str specialization_source(
	struct arena *a, const struct kernel *k, const struct candidate *c);

/* Names in scope of an expression: parameters, then the size's names, then device.*. */
struct scope {
	const struct kernel *k;
	const struct candidate *c; /* NULL: no parameters in scope */
	const struct size *size;   /* NULL: no size names in scope */
	const struct device *dev;  /* NULL: no device names in scope */
};
bool scope_lookup(void *scope, struct str name, struct value *out); /* an expr_lookup */

/* Evaluate; false after a diag_error naming expression and assignment (negative or
 * fractional counts, zero block sizes, unknown names, ...). */
bool candidate_launch(
	struct arena *a, const struct scope *s, struct launch *out, struct diag *d);
/* The file that a template names here, {NAME} replaced: of a spec that was checked. */
struct str candidate_path(struct arena *a, const struct scope *s, struct str template);
/* The file of an input is as the spec names it: what is in it is the caller's to say. */
bool candidate_args(struct arena *a, const struct scope *s, struct arg **v, size_t *n,
	struct diag *d);
/* A whole number of at least `least`, which may be written as a real; `what` is for the
 * message. */
bool candidate_whole(struct arena *a, const struct scope *s, const char *what,
	const struct expr *e, uint64_t least, uint64_t *out, struct diag *d);
/* What stands beside the kernel, as model/library.h writes it; empty when nothing does.
 * The path of a shared object is as in the spec: who hands it on says where it is. */
bool candidate_library(
	struct arena *a, const struct scope *s, struct str *text, struct diag *d);
/* A number such as work.bytes; *out is NaN when e is NULL. */
bool candidate_number(struct arena *a, const struct scope *s, const struct expr *e,
	double *out, struct diag *d);

#endif
