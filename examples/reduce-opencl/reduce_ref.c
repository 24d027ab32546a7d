/*
 * The sum of each tile. How long a tile is follows from the length of the output, so
 * all of them have to be whole.
 */
#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t n = lanewise_size(args, n_args, "n");
	const float *in = n > 0 ? lanewise_f32(args, n_args, "in", n) : NULL;
	size_t n_tiles;
	double *out = lanewise_out_f32(args, n_args, "out", &n_tiles);

	if (!in || !out || n_tiles == 0 || n % n_tiles != 0)
		return 1;
	int64_t tile = n / n_tiles;

	for (size_t k = 0; k < n_tiles; k++) {
		double sum = 0;
		for (int64_t i = 0; i < tile; i++)
			sum += in[k * tile + i];
		out[k] = sum;
	}
	return 0;
}
