#include "base/rng.h"

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

static uint64_t
mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t
rng_next(struct rng *r)
{
	r->state += GOLDEN;
	return mix(r->state);
}

uint64_t
rng_below(struct rng *r, uint64_t n)
{
	/* Rejection keeps it exactly uniform. */
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, v;
	do
		v = rng_next(r);
	while (v >= limit);
	return v % n;
}

double
rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

uint64_t
rng_at(uint64_t seed, uint64_t i)
{
	return mix(seed + (i + 1) * GOLDEN);
}
