#include "backend/shuffle.h"

#include "base/rng.h"

struct shuffle
shuffle_make(uint64_t seed, uint64_t n)
{
	struct shuffle s = {.n = n};
	unsigned bits = 0;
	while (bits < 64 && (n - 1) >> bits)
		bits++;
	s.mask = bits ? UINT64_MAX >> (64 - bits) : 0;
	s.shift = (bits + 1) / 2;
	for (unsigned r = 0; r < SHUFFLE_ROUNDS; r++) {
		s.factor[r] = rng_at(seed, r) | 1;
		s.term[r] = rng_at(~seed, r);
	}
	return s;
}

uint64_t
shuffle_at(const struct shuffle *s, uint64_t i)
{
	do {
		for (unsigned r = 0; r < SHUFFLE_ROUNDS; r++) {
			i = (i * s->factor[r] + s->term[r]) & s->mask;
			i ^= i >> s->shift;
		}
	} while (i >= s->n);
	return i;
}
