extern "C" __global__ void twice(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WAY == 2
#error "this way does not compile"
#endif
	if (i >= n)
		return;
#if WAY == 1
	float x = 0;
	for (int k = 0; k < 2000; k++)
		x = x * 0.5f + in[i]; /* comes to exactly twice in[i] */
	out[i] = x;
#elif WAY == 3
	out[i] = i == 4711 ? 0.0f : 2 * in[i];
#elif WAY == 4
	volatile float *p = out;
	while (p[i] == p[i] || p[i] != p[i])
		p[i] = 2 * in[i];
#elif WAY == 5
	out[i + 1000000000LL] = 2 * in[i];
#elif WAY == 7
	if (i % 1000)
		out[i] = 2 * in[i];
#else
	out[i] = 2 * in[i];
#endif
}
