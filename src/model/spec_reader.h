/*
 * How the spec is read, shared by the spec_*.c files only: a table of keys (spec_keys.c)
 * calls a reader per member (spec_fields.c, spec_params.c, spec_args.c, spec.c); what
 * spans several members is checked afterwards (spec_check.c).
 *
 * A reader takes the JSON value, whose kind fits the key's type already, and the struct
 * to fill.  Errors are reported and counted; reading goes on with the next member.
 */
#ifndef MODEL_SPEC_READER_H
#define MODEL_SPEC_READER_H

#include "format/json.h"
#include "model/spec.h"

struct spec_reader {
	struct arena *a;
	struct diag *d;
	unsigned errors_before;
};

enum spec_where {
	WHERE_SPEC,   /* struct spec */
	WHERE_APPLY,  /* struct spec */
	WHERE_KERNEL, /* struct kernel, and so on down to WORK */
	WHERE_LAUNCH,
	WHERE_WORK,
	WHERE_MEASURE,   /* struct measure_spec */
	WHERE_SEARCH,    /* struct search_spec */
	WHERE_VERIFY,    /* struct verify_spec */
	WHERE_TOLERANCE, /* struct tolerance */
	WHERE_PARAM,     /* struct param */
	WHERE_VALUES,    /* struct param */
	WHERE_ARG,       /* struct arg_spec */
	WHERE_CONSTANT,  /* struct constant */
	WHERE_REFERENCE, /* struct reference_spec */
	WHERE_GEMM,      /* struct reference_spec */
	N_WHERES,
};

/* Types: what the docs call it, the JSON kinds it may be (bits of 1 << enum json_kind).
 */
#define SPEC_TYPES(X) \
	X(STRING, "a string", 1 << JSON_STRING) \
	X(PATH, "a path", 1 << JSON_STRING) \
	X(BOOL, "true or false", 1 << JSON_BOOL) \
	X(NUMBER, "a number", 1 << JSON_NUMBER) \
	X(BUDGET, "a number or a time", 1 << JSON_STRING | 1 << JSON_NUMBER) \
	X(EXPR, "an expression", 1 << JSON_STRING | 1 << JSON_NUMBER) \
	X(EXPRS, "a list of expressions", 1 << JSON_ARRAY) \
	X(DIMS, "1 to 3 expressions", \
		1 << JSON_ARRAY | 1 << JSON_STRING | 1 << JSON_NUMBER) \
	X(STRINGS, "a list of strings", 1 << JSON_ARRAY) \
	X(PATHS, "a list of paths", 1 << JSON_ARRAY) \
	X(NUMBERS, "a list of numbers", 1 << JSON_ARRAY) \
	X(VALUES, "a list of values or a range", 1 << JSON_ARRAY | 1 << JSON_OBJECT) \
	X(OBJECTS, "a list of objects", 1 << JSON_ARRAY) \
	X(OBJECT, "an object", 1 << JSON_OBJECT)

enum spec_type {
#define X(id, name, kinds) TYPE_##id,
	SPEC_TYPES(X)
#undef X
};

struct spec_key {
	enum spec_where where;
	const char *name;
	enum spec_type type;
	bool required;
	size_t at; /* offset of what `read` fills, in the struct of `where` */
	void (*read)(struct spec_reader *r, const struct json *v, void *to);
	const char *help;
};

/* Reads the members of an object into `to`; what is unknown, of another type or missing
 * is reported.  v itself may be of any kind. */
void spec_read_object(
	struct spec_reader *r, enum spec_where where, const struct json *v, void *to);
/* False after so many errors that more would not help. */
bool spec_goes_on(const struct spec_reader *r);

/* Readers of single members: `to` is ... */
void read_word(struct spec_reader *r, const struct json *v, void *to); /* struct name */
void read_identifier(
	struct spec_reader *r, const struct json *v, void *to);        /* struct name */
void read_text(struct spec_reader *r, const struct json *v, void *to); /* struct name */
void read_path(struct spec_reader *r, const struct json *v, void *to); /* struct name */
void read_bool(struct spec_reader *r, const struct json *v, void *to); /* bool */
void read_tolerance(struct spec_reader *r, const struct json *v, void *to); /* double */
void read_ulp(struct spec_reader *r, const struct json *v, void *to);       /* int64_t */
void read_seed(struct spec_reader *r, const struct json *v, void *to);      /* uint64_t */
void read_timeout(struct spec_reader *r, const struct json *v, void *to);   /* double */
void read_expr(
	struct spec_reader *r, const struct json *v, void *to); /* const struct expr * */
void read_dims(struct spec_reader *r, const struct json *v, void *to); /* 3 of them */
/* Members that fill several fields: `to` is the whole struct of their `where`. */
void read_schema(struct spec_reader *r, const struct json *v, void *to);
void read_kernels(struct spec_reader *r, const struct json *v, void *to);
void read_apply(struct spec_reader *r, const struct json *v, void *to);
void read_includes(struct spec_reader *r, const struct json *v, void *to);
void read_flags(struct spec_reader *r, const struct json *v, void *to);
void read_params(struct spec_reader *r, const struct json *v, void *to);
void read_constraints(struct spec_reader *r, const struct json *v, void *to);
void read_launch(struct spec_reader *r, const struct json *v, void *to);
void read_sizes(struct spec_reader *r, const struct json *v, void *to);
void read_args(struct spec_reader *r, const struct json *v, void *to);
void read_baseline(struct spec_reader *r, const struct json *v, void *to);
void read_verify(struct spec_reader *r, const struct json *v, void *to);
void read_measure(struct spec_reader *r, const struct json *v, void *to);
void read_cache(struct spec_reader *r, const struct json *v, void *to);
void read_margin(struct spec_reader *r, const struct json *v, void *to);    /* double */
void read_objective(struct spec_reader *r, const struct json *v, void *to); /* name */
void read_search(struct spec_reader *r, const struct json *v, void *to);
void read_budget(struct spec_reader *r, const struct json *v, void *to); /* budget */
void read_batch(struct spec_reader *r, const struct json *v, void *to);  /* uint64_t */
void read_work(struct spec_reader *r, const struct json *v, void *to);
void read_exit_policy(struct spec_reader *r, const struct json *v, void *to);
void read_site_policy(struct spec_reader *r, const struct json *v, void *to);
void read_admit(struct spec_reader *r, const struct json *v, void *to);
void read_role(struct spec_reader *r, const struct json *v, void *to);
void read_values(struct spec_reader *r, const struct json *v, void *to);
void read_param_source(struct spec_reader *r, const struct json *v, void *to);
void read_range(struct spec_reader *r, const struct json *v, void *to);
void read_pow2(struct spec_reader *r, const struct json *v, void *to);
void read_arg_name(struct spec_reader *r, const struct json *v, void *to);
void read_arg_type(struct spec_reader *r, const struct json *v, void *to);
void read_fill(struct spec_reader *r, const struct json *v, void *to);
void read_arg_tolerance(struct spec_reader *r, const struct json *v, void *to);
void read_file(struct spec_reader *r, const struct json *v, void *to);
void read_npy(struct spec_reader *r, const struct json *v, void *to);
void read_exponents(struct spec_reader *r, const struct json *v, void *to);
void read_against(struct spec_reader *r, const struct json *v, void *to);
void read_tolerances(struct spec_reader *r, const struct json *v, void *to);

void read_constants(struct spec_reader *r, const struct json *v, void *to);
void read_constant_type(struct spec_reader *r, const struct json *v, void *to);
void read_constant_values(struct spec_reader *r, const struct json *v, void *to);
void read_reference(struct spec_reader *r, const struct json *v, void *to);
void read_gemm(struct spec_reader *r, const struct json *v, void *to);
void read_factor(struct spec_reader *r, const struct json *v, void *to); /* double */

/* A scalar; false after a diag_error when it is none, or an inexact integer. */
bool spec_value(struct spec_reader *r, const struct json *v, struct value *out);
/* A name that expressions can use; false after a diag_error at its key. */
bool spec_key_identifier(struct spec_reader *r, const struct json *v, const char *what);
/* A name that can be part of a file name. */
bool spec_key_plain(struct spec_reader *r, const struct json *v, const char *what);
/* Makes a relative path inside the project normal; false after a diag_error. */
bool spec_path_ok(struct spec_reader *r, struct str *path, struct place at);
/* At most `most` children; false after a diag_error. */
bool spec_count_ok(
	struct spec_reader *r, const struct json *v, size_t most, const char *what);
/* "unknown WHAT 'x' (did you mean 'y'?)" */
void spec_unknown(struct spec_reader *r, struct place at, const char *what,
	struct str name, const struct str *choices, size_t n);

/* What spans several members of one kernel. */
void spec_check_kernel(struct spec_reader *r, struct kernel *k);
void spec_check_reference(struct spec_reader *r, const struct kernel *k);
/* Are the expressions' names known; the baseline, against the constraints. */
void spec_check_names(struct spec_reader *r, const struct kernel *k);
void spec_check_baseline(struct spec_reader *r, struct kernel *k);

#endif
