/*
 * out[k] = the sum of in[k * TILE .. k * TILE + TILE - 1], by a tree in shared memory.
 *
 * The kernel of ../reduce with its bug mended: the barriers stand where every thread
 * of the block comes, and only the additions are guarded.
 * TILE comes from the compiler's command line, the block size from the launch.
 */
extern "C" __global__ void
reduce(const float *__restrict__ in, float *__restrict__ out, int n)
{
	extern __shared__ float part[];	/* one partial sum a thread */
	int t = threadIdx.x;

	for (int tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
		float sum = 0.0f;
#pragma unroll 4
		for (int i = t; i < TILE; i += blockDim.x)
			if (tile * TILE + i < n)
				sum += in[tile * TILE + i];
		part[t] = sum;
		__syncthreads();

		for (int half = blockDim.x / 2; half > 0; half /= 2) {
			if (t < half)
				part[t] += part[t + half];
			__syncthreads();
		}
		if (t == 0)
			out[tile] = part[0];

		__syncthreads();	/* the next tile reuses part[] */
	}
}
