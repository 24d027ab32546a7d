/*
 * What an instruction computes.  Semantics: PTX ISA 9.0, chapter 9.7, with wrap-around at
 * every width; operations that this file does not know give an unknown that is the same
 * whenever the operands are.
 */
#ifndef VALUE_EVAL_H
#define VALUE_EVAL_H

#include "ptx/ptx.h"
#include "value/val_map.h"

enum { EVAL_ARGS_MAX = VAL_MAP_ARGS };

/* One lane, all operands known.  False: not known how (then for every operand of that
 * kind the caller makes a symbol).  The result is not yet cut to its register. */
bool eval_known(const struct ptx_form *f, const uint64_t *a, unsigned n, uint64_t *out);
/* A comparison of numbers: of setp, set, vset. */
bool eval_compare(
	enum ptx_cmp cmp, enum ptx_type type, uint64_t a, uint64_t b, bool *out);

/* An instruction with one result on whole values.  bits: width of the result's register.
 */
struct val eval_value(struct domain *d, const struct ptx_form *f, const struct val *a,
	unsigned n, unsigned bits);
/* setp's comparison alone, and its combination with the third operand. */
struct val eval_setp(struct domain *d, const struct ptx_form *f, const struct val *a);
struct val eval_combine(
	struct domain *d, enum ptx_sub sub, const struct val *c, const struct val *p);
/* The product of mul or mad when both factors are known. */
bool eval_mul_known(
	struct domain *d, const struct ptx_form *f, const struct val *a, struct val *out);
/* a + offset of an address. */
struct val eval_offset(struct domain *d, const struct val *a, int64_t offset);

#endif
