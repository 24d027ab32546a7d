/* The tree of an expression, shared by the expr_*.c files only. */
#ifndef FORMAT_EXPR_NODE_H
#define FORMAT_EXPR_NODE_H

#include "format/expr.h"

enum expr_op {
	EXPR_CONST, /* value */
	EXPR_NAME,  /* slot */
	EXPR_NEG,
	EXPR_PLUS, /* unary */
	EXPR_NOT,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_FLOOR_DIV,
	EXPR_MOD,
	EXPR_POW,
	EXPR_AND,
	EXPR_OR,
	EXPR_IF,      /* kids: condition, then, else */
	EXPR_COMPARE, /* kids: n operands; compare[i] stands between kid i and i + 1 */
	EXPR_IN,      /* kids: the element, then the list's */
	EXPR_NOT_IN,
	EXPR_CALL, /* fn */
};

enum expr_compare { EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_EQ, EXPR_NE };

/* Functions: name, least and most arguments (0: any number). */
#define EXPR_FUNCTIONS(X) \
	X(MIN, "min", 1, 0) \
	X(MAX, "max", 1, 0) \
	X(ABS, "abs", 1, 1) \
	X(CEIL_DIV, "ceil_div", 2, 2) \
	X(POW2, "pow2", 1, 1) \
	X(LOG2, "log2", 1, 1) \
	X(FLOOR, "floor", 1, 1) \
	X(CEIL, "ceil", 1, 1) \
	X(ROUND, "round", 1, 1) \
	X(GCD, "gcd", 2, 2) \
	X(LCM, "lcm", 2, 2)

enum expr_fn {
#define X(id, name, least, most) EXPR_FN_##id,
	EXPR_FUNCTIONS(X)
#undef X
		N_EXPR_FNS
};

struct expr_node {
	enum expr_op op;
	enum expr_fn fn;
	size_t slot; /* index into names */
	struct value value;
	const struct expr_node **kids;
	size_t n_kids;
	const enum expr_compare *compare;
};

struct expr {
	struct str text;
	struct place at;
	const struct expr_node *root;
	struct str *names; /* distinct, in order of appearance */
	size_t *name_at;   /* offset of each in text */
	size_t n_names;
};

/* expr_value.c's parts that evaluation needs.  False with a reason in *why. */
bool value_arithmetic(struct arena *a, enum expr_op op, const struct value *x,
	const struct value *y, struct value *out, struct str *why);
bool value_call(struct arena *a, enum expr_fn fn, const struct value *args, size_t n,
	struct value *out, struct str *why);
/* The quotient rounded down, and what is left, of the sign of y; y is neither 0 nor -1.
 */
static inline int64_t
value_floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
static inline int64_t
value_floor_mod(int64_t x, int64_t y)
{
	int64_t r = x % y;
	return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
/* value_eq() without copies. */
bool value_same(const struct value *x, const struct value *y);
/* *out is -1, 0 or 1; false when the two have no order (a string and a number). */
bool value_compare(const struct value *x, const struct value *y, int *out);

/* The place of an offset in e's text, also behind the escapes of a JSON string. */
struct place expr_place_at(const struct expr *e, size_t offset);

#endif
