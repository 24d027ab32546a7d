#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	if (n_args != 3)
		return 1;
	const float *in = args[0].data;
	double *out = args[1].data;
	for (size_t i = 0; i < args[1].count; i++)
		out[i] = 2.0 * (double)in[i];
	return 0;
}
