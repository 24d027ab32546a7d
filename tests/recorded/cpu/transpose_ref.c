#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t n = lanewise_size(args, n_args, "n");
	const float *in = n > 0 ? lanewise_f32(args, n_args, "in", n * n) : NULL;
	size_t count;
	double *out = lanewise_out_f32(args, n_args, "out", &count);

	if (!in || !out || count != (size_t)(n * n))
		return 1;
	for (int64_t y = 0; y < n; y++)
		for (int64_t x = 0; x < n; x++)
			out[x * n + y] = in[y * n + x];
	return 0;
}
