/* Copies n floats, n a multiple of 4, ITEMS vectors of 4 a thread. */
extern "C" __global__ void __launch_bounds__(BLOCK) copy(const float *in, float *out, int n)
{
	const float4 *from = (const float4 *)in;
	float4 *to = (float4 *)out;
	int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
	float4 v[ITEMS];

#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		if (first + k * BLOCK < n / 4)
			v[k] = from[first + k * BLOCK];
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		if (first + k * BLOCK < n / 4)
			to[first + k * BLOCK] = v[k];
}
