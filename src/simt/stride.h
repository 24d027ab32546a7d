/*
 * The value of a register at the head of a loop, whatever the number of rounds.
 */
#ifndef SIMT_STRIDE_H
#define SIMT_STRIDE_H

#include "simt/simt.h"

/* What the slot holds at the head: `head` if that covers the values `back` (one for each
 * of backs) already.  No value is AFFINE or NONE.  False: it is no integer of 16 to 64
 * bits, or differs between lanes in no known way. */
bool stride_widen(struct sim *s, const struct entry *e, uint32_t slot,
	const struct val *head, const struct results *backs, const struct val *back,
	struct val *out);

#endif
