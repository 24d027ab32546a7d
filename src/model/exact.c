#include "model/exact.h"

int
exact_most(enum dtype t)
{
	switch ((int)t) {
	case DTYPE_TF32:
	case DTYPE_E4M3: return 8;
	case DTYPE_E5M2: return 4;
	default: return dtype_is_signed(t) ? 64 : 127;
	}
}

int
exact_shift(enum dtype t)
{
	if (!dtype_is_float(t))
		return 0;
	return t == DTYPE_E5M2 ? 2 : t == DTYPE_TF32 || t == DTYPE_E4M3 ? 3 : 6;
}

int
exact_bits(enum dtype output)
{
	if (dtype_is_float(output))
		return dtype_precision(output) > 24 ? dtype_precision(output) : 24;
	return (dtype_bytes(output) == 8 ? 64 : 32) - dtype_is_signed(output);
}

/* terms * most^2 < 2^bits, without leaving 64 bits */
uint64_t
exact_bound(uint64_t terms, int bits)
{
	uint64_t room = (UINT64_MAX >> (64 - bits)) / terms, most = 0;
	for (uint64_t step = (uint64_t)1 << 31; step; step >>= 1) {
		uint64_t more = most + step;
		if (more * more <= room)
			most = more;
	}
	return most;
}
