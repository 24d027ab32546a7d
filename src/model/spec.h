/*
 * The user's file, lanewise.json, checked: schema lanewise/spec.v1.
 *
 * Every key comes from one table in spec_keys.c (where, name, type, help), which also
 * gives "did you mean" and docs/reference/spec.md.  Everything is typed here once;
 * expressions are compiled, not evaluated.  Names that other floors own (languages,
 * toolchains) are kept with their place and looked up there.
 */
#ifndef MODEL_SPEC_H
#define MODEL_SPEC_H

#include "base/diag.h"
#include "format/expr.h"
#include "model/budget.h"
#include "model/constant.h"
#include "model/verdict.h"

/* What keeps a spec sane; more is an error. */
enum {
	SPEC_KERNELS_MAX = 256,
	SPEC_PARAMS_MAX = 64,
	SPEC_VALUES_MAX = 4096, /* of one parameter */
	SPEC_SIZES_MAX = 32,    /* struct candidate has a bit for each */
	SPEC_LIST_MAX = 256,    /* arguments, constraints, flags, names of a size */
};

/* A name with the place it was written at. */
struct name {
	struct str s; /* empty: absent */
	struct place at;
};

enum param_role {
	ROLE_COMPILE, /* -DNAME=VALUE (the default) */
	ROLE_LAUNCH,  /* not seen by the compiler */
	ROLE_SOURCE,  /* picks the source file; not a define */
};

struct param {
	struct str name;
	struct place at;
	enum param_role role;
	struct value *values; /* distinct, in the order written; all numbers, all strings
				 or all booleans */
	size_t n_values;
	struct name source; /* ROLE_SOURCE: file template, "reduce_{VARIANT}.cu"; {NAME}
			       may be any parameter but one of the launch. One such
			       parameter a kernel. */
};

struct size {
	struct str name; /* "1M" */
	struct place at;
	struct str *keys;     /* "n"; the same names in every size of a kernel */
	struct value *values; /* numbers */
	size_t n;
};

struct arg_spec {
	struct str name;
	struct place at;
	enum dtype type;
	bool pointer;
	bool input, output;
	enum fill fill;
	struct name file; /* of FILL_FILE; {NAME} may be a parameter, a name of the
				     sizes, or `size` */
	int64_t from, to; /* full: exponents; default -6 to 6 */
	bool tolerated;   /* output: has a tolerance of its own */
	struct tolerance tolerance;
	const struct expr *count; /* pointer */
	const struct expr
		*value; /* scalar; NULL: unknown to the gate, and an error to bench */
};

/* A library function that does what the kernel does. */
struct reference_spec {
	bool present;
	struct place at;
	struct name library;  /* "cublas", "openblas", or a shared object, relative to the
				 spec */
	struct name function; /* of a shared object */
	bool gemm;
	const struct expr *m, *n, *k;
	struct name a, b, c; /* buffers among the arguments */
	bool ta, tb;         /* stored transposed */
	double alpha, beta;
};

struct binding { /* "BLOCK": 128 in baseline */
	struct str name;
	struct place at;
	struct value value;
};

struct npy_spec { /* "out": "expected_{size}.npy" */
	struct str output;
	struct place at;
	struct name file; /* a template, as that of an argument */
};

struct verify_spec {
	bool present;
	struct name oracle;   /* C file */
	struct name function; /* in it; default lanewise_oracle */
	bool against_baseline;
	struct npy_spec *npy; /* one for each output, in the order written */
	size_t n_npy;
	struct tolerance tolerance;   /* of outputs that have none of their own */
	bool nondeterministic;        /* two runs may differ bitwise */
	const struct expr *reduction; /* terms of the longest sum, by size alone; NULL:
					 not declared */
};

struct measure_spec {
	bool warm;     /* the L2 cache holds what the last launch left; default: cold */
	double margin; /* differences up to this part are ties; default 0.005 */
};

/* Which candidates are looked at; without a member of it: all of a space that is small
 * enough. */
struct search_spec {
	struct name strategy; /* empty: by the size of the space and the budget */
	struct budget budget;
	uint64_t seed;  /* default 1 */
	uint64_t batch; /* candidates at once; 0: by the budget */
};

enum { SEARCH_BATCH_MAX = 10000 };

struct kernel {
	struct str name;
	struct place at;
	struct name source;   /* empty: a parameter's template names it */
	struct name language; /* by the source's extension unless written */
	struct name toolchain, entry, command; /* a command implies toolchain "command" */
	struct name *includes;                 /* -I folders */
	size_t n_includes;
	struct name *flags; /* extra compiler flags */
	size_t n_flags;
	struct param *params;
	size_t n_params;
	const struct expr **constraints;
	size_t n_constraints;
	const struct expr *block[3], *grid[3], *cluster[3]; /* NULL: 1 */
	const struct expr *shared;                          /* NULL: 0 */
	bool cooperative, programmatic;
	struct size
		*sizes; /* at least one ("default", with no names, when none is given) */
	size_t n_sizes;
	struct arg_spec *args;
	size_t n_args;
	struct place args_at;     /* of the list */
	struct binding *baseline; /* one per parameter, in parameter order; NULL: none */
	struct verify_spec verify;
	struct constant *constants; /* of the module, to be set */
	size_t n_constants;
	struct reference_spec reference;
	struct name objective; /* "time", "energy", or an expression; empty: time */
	struct measure_spec measure;
	struct search_spec search;
	const struct expr *work_bytes, *work_flops; /* NULL: not declared */
	bool exit_release;                          /* exit_policy "release" */
	bool site_lenient;                          /* site_policy "lenient" */
	enum admit admit; /* the worst verdict that is still run */
	double timeout_s; /* deadline of one candidate's run; default 30 */
	uint64_t seed;    /* of the fills; default 1 */
};

struct spec {
	const struct source *src;
	struct name devices;                   /* "0,1", "all", ...; empty: one */
	struct name launcher, device_launcher; /* commands; empty: none */
	struct name device; /* top-level "device"; empty: the one that is here */
	struct name apply_header,
		apply_json; /* default NAME_tuned.h / .json: see apply/ */
	struct kernel *kernels;
	size_t n_kernels;
};

/* NULL after diag_errors (as many as can be found in one go). */
struct spec *spec_read(struct arena *a, const char *path, struct diag *d);
/* The same for a text, which lives as long as the spec. */
struct spec *spec_parse(struct arena *a, const struct source *src, struct diag *d);
const struct kernel *spec_kernel(const struct spec *s, struct str name);
/* The same for a name that the user gave: NULL after a diag_error that says which are. */
const struct kernel *spec_find_kernel(
	struct arena *a, const struct spec *s, struct str name, struct diag *d);
long kernel_param(const struct kernel *k, struct str name); /* index or -1 */
/* The key table as Markdown, for docs/reference/spec.md. */
void spec_print_keys(FILE *to);

#endif
