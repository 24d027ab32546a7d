/*
 * A permutation of [0, n) that is computed element by element: no table, so that a piece
 * of a shuffled array can be made anywhere.
 *
 * Multiplying by an odd number, adding, and x ^= x >> s are each a bijection of w bits,
 * the least w with n <= 2^w; what falls outside [0, n) goes through again, which ends in
 * the cycle of the element (Black and Rogaway, CT-RSA 2002).
 */
#ifndef BACKEND_SHUFFLE_H
#define BACKEND_SHUFFLE_H

#include <stdint.h>

enum { SHUFFLE_ROUNDS = 4 };

struct shuffle {
	uint64_t n, mask;
	unsigned shift;
	uint64_t factor[SHUFFLE_ROUNDS], term[SHUFFLE_ROUNDS];
};

/* n is at least 1. */
struct shuffle shuffle_make(uint64_t seed, uint64_t n);
/* i < n */
uint64_t shuffle_at(const struct shuffle *s, uint64_t i);

#endif
