/* C = A * B in double precision: the oracle of all routes. */
#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t m = lanewise_size(args, n_args, "m");
	int64_t n = lanewise_size(args, n_args, "n");
	int64_t k = lanewise_size(args, n_args, "k");

	if (m <= 0 || n <= 0 || k <= 0)
		return 1;

	const float *a = lanewise_f32(args, n_args, "a", m * k);
	const float *b = lanewise_f32(args, n_args, "b", k * n);
	size_t n_out;
	double *c = lanewise_out_f32(args, n_args, "c", &n_out);

	if (!a || !b || !c || n_out != (size_t)(m * n))
		return 1;
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++)
			c[i * n + j] = 0;
		for (int64_t d = 0; d < k; d++)
			for (int64_t j = 0; j < n; j++)
				c[i * n + j] += (double)a[i * k + d] * b[d * n + j];
	}
	return 0;
}
