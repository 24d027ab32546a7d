/* What all kernels of kernels.cu are to compute: twice the input. */
#include "lanewise_oracle.h"

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	const float *in;
	size_t n, n_v;
	double *v = lanewise_out_f32(args, n_args, "v", &n_v);
	double *out = lanewise_out_f32(args, n_args, "out", &n);

	if (v) {
		for (size_t i = 0; i < n_v; i++)
			v[i] *= 2;
		return 0;
	}
	in = lanewise_f32(args, n_args, "in", n);
	if (!out || !in)
		return 1;
	for (size_t i = 0; i < n; i++)
		out[i] = 2 * (double)in[i];
	return 0;
}

int
crashes(const struct lanewise_arg *args, int n_args)
{
	(void)args;
	(void)n_args;
	return *(volatile int *)0;
}

int
hangs(const struct lanewise_arg *args, int n_args)
{
	(void)args;
	(void)n_args;
	for (volatile int i = 1; i;)
		;
	return 0;
}

int
refuses(const struct lanewise_arg *args, int n_args)
{
	(void)args;
	return n_args;
}
