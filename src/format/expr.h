/*
 * The expression language of specs: constraints, launch expressions, counts.
 *
 *     integers (also 0x10), reals, 'strings' or "strings", true false
 *     + - * / // % **   < <= > >= == !=  (chained)   and or not
 *     x in (a, b)   x not in [a, b]   x if cond else y
 *     min max abs ceil_div pow2 log2 floor ceil round gcd lcm
 *     names: parameters, sizes, device.NAME
 *
 * Values and precedence are Python's: "//" is floor division and "%" its remainder (sign
 * of the divisor), "and" and "or" give their last operand, true counts as 1.  "/" is
 * exact: an integer when it divides, else a real.  pow2(n) is 2**n, log2 its inverse (an
 * integer for a power of two).  Integers are 64-bit and overflow is an error, as are
 * division by zero and a real that is not finite.  There is no way to run code from an
 * expression.
 */
#ifndef FORMAT_EXPR_H
#define FORMAT_EXPR_H

#include "base/diag.h"
#include "base/str.h"

enum value_kind { VALUE_INT, VALUE_REAL, VALUE_STRING, VALUE_BOOL };

struct value {
	enum value_kind kind;
	int64_t i;    /* VALUE_INT, and VALUE_BOOL as 0 or 1 */
	double f;     /* VALUE_REAL */
	struct str s; /* VALUE_STRING */
};

struct expr; /* compiled, immutable */

enum { EXPR_TEXT_MAX = 4096 }; /* bytes; longer text is an error */

/*
 * Compiles text.  `at` is where the text's first character stands in the user's file (a
 * JSON string: the character after the quote), used in errors.  NULL after a diag_error.
 */
struct expr *expr_parse(
	struct arena *a, struct str text, struct place at, struct diag *d);
struct expr *expr_int(struct arena *a, int64_t v, struct place at);
struct str expr_text(const struct expr *e);
struct place expr_place(const struct expr *e);

/* The distinct names it mentions, in order of appearance. */
size_t expr_names(const struct expr *e, const struct str **names);
/* Where the i-th of them is mentioned first. */
struct place expr_name_place(const struct expr *e, size_t i);

/* Looks a name up; false if it is unknown. */
typedef bool expr_lookup(void *env, struct str name, struct value *out);

/*
 * Evaluates.  On failure returns false and writes the reason ("division by zero",
 * "unknown name 'x'", ...) to why, without printing: callers know the assignment.
 */
bool expr_eval(struct arena *a, const struct expr *e, expr_lookup *lookup, void *env,
	struct value *out, struct str *why);

/* Truth of a value: a nonzero number, true, a non-empty string. */
bool value_true(struct value v);
/* Numbers by value (1 == 1.0 == true); a string equals only a string. */
bool value_eq(struct value a, struct value b);
/* As it is written in specs, defines and ids: 32, 0.5, 1.0, tree, true. */
struct str value_text(struct arena *a, struct value v);

#endif
