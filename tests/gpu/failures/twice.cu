/* WAY: see lanewise.json. */
#if WAY == 2
#error "this way does not compile"
#endif
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line,
	const char *function, size_t char_bytes);

extern "C" __global__ void twice(const float *in, float *out, int n)
{
	int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;

	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * BLOCK;
		if (i >= n)
			return;
#if WAY == 1
		float x = 0;
		for (int j = 0; j < 2000; j++)
			x = x * 0.5f + in[i]; /* comes to exactly twice in[i] */
		out[i] = x;
#elif WAY == 3
		out[i] = i == n - 1 ? 0.0f : 2 * in[i];
#elif WAY == 4
		volatile float *p = out;
		while (p[i] == p[i] || p[i] != p[i])
			p[i] = 2 * in[i];
#elif WAY == 5
		out[i + 1000000000LL] = 2 * in[i];
#elif WAY == 7
		if (i % 1000)
			out[i] = 2 * in[i];
#elif WAY == 8
		out[i] = 2 * in[i];
		if (i == n - 1)
			out[n] = 1;
#elif WAY == 9
		out[i] = 2 * in[i];
		if (i == n - 1)
			out[i + (1 << 18)] = 1;
#elif WAY == 10
		asm volatile("trap;");
#elif WAY == 11
		if (i == 4711)
			__assertfail("i != 4711", "twice.cu", __LINE__, "twice", 1);
		out[i] = 2 * in[i];
#elif WAY == 12
		out[i] = 2 * in[i] + (i == 4711 ? (float)clock64() : 0.0f);
#elif WAY == 13
		out[i] += 2 * in[i];
#else
		out[i] = 2 * in[i];
#endif
	}
}
