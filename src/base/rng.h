/* Seeded random numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).  Every random
 * choice of the program comes from here, so a seed reproduces a run. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *r);
/* Uniform in [0, n); n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* The i-th value of the stream `seed`, without stepping: for parallel fills. */
uint64_t rng_at(uint64_t seed, uint64_t i);

#endif
