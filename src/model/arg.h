/*
 * Kernel arguments, resolved for one candidate and size.
 *
 * Text form of a list, used in the graph (no spaces):
 *     in=f32*[1048576]:exact,out=f32*[8192]:out,n=i32:1048576,alpha=f32:1.5
 * A pointer is TYPE*[COUNT]:FILL with FILL one of the fills below, `out` (written,
 * poisoned before) or `inout/FILL`; a scalar is TYPE:VALUE, VALUE decimal or `unknown`.
 * Fills with numbers: `exact:MOST`, MOST below the type's own; `full:FROM:TO`.
 * `file:HASH:PATH`, the 16 hex digits of hash_short() of its bytes; bytes of the path
 * that are not plain are %XX; HASH and PATH are absent where contents do not matter. An
 * output with a tolerance of its own: `out~ABS~REL~ULP`, `inout~ABS~REL~ULP/FILL`.
 */
#ifndef MODEL_ARG_H
#define MODEL_ARG_H

#include "model/dtype.h"

/* What an input holds; backend/fill.h says it exactly. */
#define FILLS(X) \
	X(EXACT, "exact") \
	X(UNIFORM, "uniform") \
	X(NORMAL, "normal") \
	X(CANCELLING, "cancelling") \
	X(SPECIAL, "special") \
	X(FULL, "full") \
	X(IOTA, "iota") \
	X(ZEROS, "zeros") \
	X(ONES, "ones") \
	X(FILE, "file")

enum fill {
#define X(id, name) FILL_##id,
	FILLS(X)
#undef X
		N_FILLS
};

/* How far an element may be off; backend/compare.h says how it is told. */
struct tolerance {
	double abs, rel;
	int64_t ulp;
};

struct arg {
	struct str name;
	enum dtype type; /* of the scalar, or of the elements */
	bool pointer;
	bool output; /* the kernel writes it: compared */
	bool input;  /* pointer: filled before; an output that is also input is inout */
	enum fill fill;             /* if input */
	int most;                   /* exact: largest |k|; 0: exact_most() of the type */
	int from, to;               /* full: exponents, both included */
	struct str file, file_hash; /* file: its path, and the hash of its bytes */
	uint64_t count;             /* pointer: elements */
	bool tolerated;             /* output: has a tolerance of its own */
	struct tolerance tolerance;
	bool known;    /* scalar: value is known */
	uint64_t bits; /* scalar: value in its storage type, zero-extended */
};

const char *fill_name(enum fill f);
bool fill_find(struct str name, enum fill *out);
/* cancelling, special and full are about floating types. */
bool fill_fits(enum fill f, enum dtype t);
/* Exponents that `full` may have in a floating type. */
bool fill_exponents_fit(enum dtype t, int64_t from, int64_t to);

/* The same argument with strings of the arena's own. */
struct arg arg_keep(struct arena *a, const struct arg *v);

/* The whole list; the list without what does not shape inputs (tolerances), for those who
 * do not compare; and without contents of files, for the gate, which reads no buffers. */
struct str args_text(struct arena *a, const struct arg *v, size_t n);
struct str args_input_text(struct arena *a, const struct arg *v, size_t n);
struct str args_shape_text(struct arena *a, const struct arg *v, size_t n);
/* False with a reason in *why if malformed. */
bool args_parse(
	struct arena *a, struct str s, struct arg **v, size_t *n, struct str *why);

#endif
