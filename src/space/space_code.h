/*
 * Constraints as operations on registers: compiled once, run for every partial
 * assignment.
 *
 * Register i < n_params is parameter i; every other one is a constant or the value of one
 * operation on registers before it.  Equal operations are one register, across all
 * constraints; sums and products that provably cannot overflow are put in the order in
 * which parameters get their values (their ranks), so that "C * A * B" and "A * B" share
 * "A * B".  A register knows the last rank that decides it (its level), and is computed
 * there, before it is known whether anybody asks: an operation without a value gives
 * REG_NONE, and "and", "or" and "if" choose among registers.  So the values are those of
 * expr_eval(), which stays the definition, and which words the errors.
 */
#ifndef SPACE_SPACE_CODE_H
#define SPACE_SPACE_CODE_H

#include "base/arena.h"
#include "format/expr_node.h"

enum reg_kind { REG_INT, REG_REAL, REG_STRING, REG_NONE };

struct reg {
	union {
		int64_t i; /* also booleans */
		double f;
		const struct str *s;
	} v;
	enum reg_kind kind;
};

enum op_code {
	OP_PARAM,
	OP_CONST,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_FLOOR_DIV,
	OP_MOD,
	OP_POW,
	OP_LT,
	OP_LE,
	OP_EQ,
	OP_NE,
	OP_NOT,
	OP_TRUTH, /* x as 0 or 1 */
	OP_AND,
	OP_OR,
	OP_IF,   /* x ? y : z */
	OP_CALL, /* fn(x) or fn(x, y) */
};

struct op {
	enum op_code code;
	enum expr_fn fn;
	unsigned n; /* operands */
	union {
		struct {
			uint32_t x, y, z;
		};
		uint32_t from[3];
	};
	unsigned level; /* 0: a constant; else 1 + the last rank it depends on */
	bool sure;      /* an integer between low and high under every assignment */
	int64_t low, high;
};

struct code {
	struct arena *a;
	struct arena scratch; /* texts of errors that nobody reads */
	struct op *ops;
	struct reg *regs; /* one for each op */
	size_t n, cap, cap_regs;
	uint32_t *slots; /* of equal operations: index + 1; open addressing */
	size_t n_slots;
	bool full; /* more than CODE_OPS_MAX: what was compiled last is not whole */
};

/* What all constraints of a kernel may take together, counted for each size. */
enum { CODE_OPS_MAX = 1 << 18 };

/* A parameter's register: it has one of n values, and the rank-th of all parameters gets
 * its value there.  Before all other registers, in the order of the spec. */
uint32_t code_param(struct code *c, const struct reg *values, size_t n, unsigned rank);
uint32_t code_constant(struct code *c, struct reg r);
/* The register of e's truth: 0, 1 or none.  names[i] is the register of the i-th of
 * expr_names(). */
uint32_t code_expr(struct code *c, const struct expr *e, const uint32_t *names);

/* Per register the parameters that decide it: bit i is parameter i. */
uint64_t *code_params(struct arena *a, const struct code *c);

struct reg reg_of(const struct value *v);
/* Computes one operation from its operands. */
void code_run(struct code *c, uint32_t op);
/* Truth of a value that is there. */
bool reg_true(const struct reg *r);
/* Releases what running took. */
void code_release(struct code *c);

#endif
