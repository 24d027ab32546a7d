/*
 * The scan of each tile and its sum, modulo 2^32 as the kernel does it. The length of
 * a tile is the power of two from 128 on that gives as many tiles as the spec says.
 */
#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t n = lanewise_size(args, n_args, "n");
	const int32_t *in = n > 0 ? lanewise_i32(args, n_args, "in", n) : NULL;
	size_t n_out, n_tiles;
	int64_t *out = lanewise_out_i32(args, n_args, "out", &n_out);
	int64_t *sums = lanewise_out_i32(args, n_args, "sums", &n_tiles);
	int64_t tile = 128;

	if (!in || !out || !sums || n_out != (size_t)n)
		return 1;
	while ((n + tile - 1) / tile > (int64_t)n_tiles)
		tile *= 2;
	if ((n + tile - 1) / tile != (int64_t)n_tiles)
		return 1;

	uint32_t sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum = (i % tile == 0 ? 0 : sum) + (uint32_t)in[i];
		out[i] = (int32_t)sum;
		sums[i / tile] = out[i];
	}
	return 0;
}
