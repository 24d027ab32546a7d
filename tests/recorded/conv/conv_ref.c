#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t n = lanewise_size(args, n_args, "n"), width = n + 6;
	const float *in = n > 0 ? lanewise_f32(args, n_args, "in", width * width) : NULL;
	const float *taps = lanewise_f32(args, n_args, "taps", 49);
	size_t count;
	double *out = lanewise_out_f32(args, n_args, "out", &count);

	if (!in || !taps || !out || count != (size_t)(n * n))
		return 1;
	for (int64_t y = 0; y < n; y++)
		for (int64_t x = 0; x < n; x++) {
			double sum = 0;
			for (int i = 0; i < 7; i++)
				for (int j = 0; j < 7; j++)
					sum += (double)taps[i * 7 + j] *
					       in[(y + i) * width + x + j];
			out[y * n + x] = sum;
		}
	return 0;
}
