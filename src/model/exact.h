/*
 * Inputs on which arithmetic is exact.
 *
 * The fill `exact` gives multiples k * 2^-shift with |k| <= most, both small enough for
 * the type.  A product of two is a multiple of 2^-2*shift, and a sum of `terms` such
 * products is an integer of at most terms * most^2 in these units: an accumulator that
 * counts integers up to 2^bits holds every partial sum exactly, in any order of
 * summation, when
 *
 *     terms * most^2 < 2^bits
 *
 * Then nothing is rounded on the way and the tolerance of a comparison can be 0.
 */
#ifndef MODEL_EXACT_H
#define MODEL_EXACT_H

#include "model/dtype.h"

/* f64 f32 f16 bf16: k/64, |k| <= 64; tf32 e4m3: k/8, |k| <= 8; e5m2: k/4, |k| <= 4;
 * integers: k, at most 64, unsigned 127. */
int exact_most(enum dtype t);
int exact_shift(enum dtype t);

/* Bits of the accumulator behind an output of this type: 53 for f64, 24 (f32) for all
 * other floats; 63 or 64 for integers of 64 bits, 31 or 32 for smaller ones. */
int exact_bits(enum dtype output);

/* The largest `most` for that many terms; 0: there is none.  terms > 0. */
uint64_t exact_bound(uint64_t terms, int bits);

#endif
