/*
 * The contents of input buffers: a function of (seed, argument position, element index)
 * alone, so that the oracle, the baseline and every candidate see the same bytes on every
 * machine.  Random words are counter-based (base/rng.h).
 *
 *     exact    floats: k/64 with k in [-64, 64], so that a sum of up to 2^17 values,
 *              or of 4095 products of two, is exact in f32;
 *              signed integers: [-64, 64], unsigned: [0, 127]
 *     uniform  floats: multiples of 2^-p in [0, 1), p the significant bits;
 *              integers: every value of the type
 *     normal   floats: mean 0, variance 1, within (-6, 6): a sum of 12 uniform
 *              16-bit words (no libm, so the same bits everywhere);
 *              integers: 16 times that, rounded (unsigned: its magnitude)
 *     iota     0, 1, 2, ... modulo what the type counts exactly:
 *              2^53 f64, 2^24 f32, 2^11 f16, 2^8 bf16, all values of an integer
 *     zeros, ones
 */
#ifndef BACKEND_FILL_H
#define BACKEND_FILL_H

#include "model/arg.h"

/* The stream of the argument at a position of the list. */
uint64_t fill_stream(uint64_t seed, size_t position);
/* Elements [first, first + n) in storage type to `to`, in this thread. */
void fill_range(
	enum dtype t, enum fill f, uint64_t stream, uint64_t first, uint64_t n, void *to);
/* The same on all cores. */
void fill_all(
	enum dtype t, enum fill f, uint64_t stream, uint64_t first, uint64_t n, void *to);

#endif
