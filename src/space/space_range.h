/*
 * What is known of an operation's value under every assignment: an interval of integers.
 */
#ifndef SPACE_SPACE_RANGE_H
#define SPACE_SPACE_RANGE_H

#include "space/space_code.h"

/* Fills o->sure, low and high from its operands. */
void range_of(const struct code *c, struct op *o);
/* The sum or product of these registers has no overflow, in whichever order it is taken,
 * and is an integer. */
bool range_any_order(
	const struct code *c, enum op_code code, const uint32_t *regs, size_t n);

#endif
