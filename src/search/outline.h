/*
 * A space that somebody else described, on its way to a spec: T1 input files and
 * launchbound's kernel.toml.  Expressions are texts in the language of specs
 * (format/expr.h); what the other format has no words for is left out.
 */
#ifndef SEARCH_OUTLINE_H
#define SEARCH_OUTLINE_H

#include "format/json.h"
#include "model/spec.h"

struct outline {
	struct str kernel, entry; /* entry: empty if it is the kernel's name */
	struct str source, language;
	struct str *flags; /* of the compiler */
	size_t n_flags;
	struct outline_param {
		struct str name;
		bool launch;
		struct value *values;
		size_t n;
	} params[SPEC_PARAMS_MAX];
	size_t n_params;
	struct str *constraints;
	size_t n_constraints, cap_constraints;
	struct str block[3], grid[3]; /* empty: 1 */
	struct str size_key; /* a name with a value, of the only size; or empty */
	struct value size_value;
	struct outline_arg {
		struct str name, type;
		struct str count; /* empty: a scalar, whose value is: */
		struct str value; /* empty: not known */
		bool output;
	} * args;
	size_t n_args, cap_args;
	bool launchbound; /* candidates have launchbound's ids */
};

enum outline_format {
	OUTLINE_NONE,       /* neither */
	OUTLINE_T1,         /* a T1 input file (schema 1.0.0 of kernel_tuner/schema/T1) */
	OUTLINE_LAUNCHBOUND /* launchbound's kernel.toml (version 1.2.0) */
};

enum outline_format outline_format_of(const struct source *src);
/* NULL after a diag_error; src must live as long as the outline. */
struct outline *outline_read(
	struct arena *a, const struct source *src, enum outline_format f, struct diag *d);

/* A lanewise.json. */
struct str outline_write(struct arena *a, const struct outline *o);

/* All candidates, one a line: launchbound's id where that is where it came from, ours,
 * and the parameters; RFC 4180. A text without bytes (s is NULL) after a diag_error. */
struct str outline_csv(struct arena *a, const struct outline *o, struct diag *d);

/*
 * The values that a Python expression lists: lists and tuples of numbers, strings and
 * booleans, list(), range(), comprehensions over those with one "for" and one "if", and
 * sums of them.  Elements may be computed with the operators of format/expr.h.  Nothing
 * else is read, and nothing is executed. false after a diag_error.
 */
bool pylist_read(struct arena *a, struct str text, struct place at, struct value **v,
	size_t *n, struct diag *d);

#endif
