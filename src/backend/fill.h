/*
 * The contents of input buffers: a function of (seed, argument position, element index)
 * alone, so that the oracle, the baseline and every candidate see the same bytes on every
 * machine.  Random words are counter-based (base/rng.h).  Everything is rounded to the
 * argument's type here: what reads the inputs reads what the kernel reads.
 *
 *     exact       floats: k * 2^-s with |k| <= most, both by type (model/exact.h): f64 to
 *                 bf16 k/64, |k| <= 64, so that a sum of up to 2^17 values, or of 4095
 *                 products of two, is exact in f32; tf32 and e4m3 k/8, |k| <= 8; e5m2
 *                 k/4, |k| <= 4; signed integers: [-64, 64], unsigned: [0, 127].
 *                 A reduction that is too long for that has a smaller `most`.
 *     uniform     floats: multiples of 2^-p in [0, 1), p the significant bits;
 *                 integers: every value of the type
 *     normal      floats: mean 0, variance 1, within (-6, 6): a sum of 12 uniform
 *                 16-bit words (no libm, so the same bits everywhere);
 *                 integers: 16 times that, rounded (unsigned: its magnitude)
 *     cancelling  pairs x and -x * (1 + 2^-k), both exact, shuffled over the whole
 *                 buffer: k is half of the significant bits, rounded up; |x| in
 *                 [1/4, 4).  The sum of all is less than 2^-k of the sum of their
 *                 magnitudes.  The odd one of an odd count is 0.
 *     special     each with probability 1/8: a zero, a denormal, the largest number, an
 *                 infinity (where there is none, the largest number), NaN, the least
 *                 normal number; else as `full` with exponents -4 to 4.  Random signs.
 *     full        every significant bit random, exponents uniform in [from, to], random
 *                 signs
 *     iota        0, 1, 2, ... modulo what the type counts exactly: 2^53 f64, 2^24 f32,
 *                 2^11 f16 and tf32, 2^8 bf16, 2^4 e4m3, 2^3 e5m2, all values of an
 *                 integer
 *     zeros, ones
 *     file        what a file holds (backend/datafile.h); tf32 is rounded to its bits
 */
#ifndef BACKEND_FILL_H
#define BACKEND_FILL_H

#include "model/arg.h"

/* The stream of the argument at a position of the list. */
uint64_t fill_stream(uint64_t seed, size_t position);
/* Elements [first, first + n) of a buffer in storage type to `to`, in this thread.  Dies
 * of a file that cannot be read, or is another one than the graph found. */
void fill_range(
	const struct arg *v, uint64_t stream, uint64_t first, uint64_t n, void *to);
/* The same on all cores. */
void fill_all(const struct arg *v, uint64_t stream, uint64_t first, uint64_t n, void *to);

#endif
