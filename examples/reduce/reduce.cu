/*
 * out[k] = the sum of in[k * TILE .. k * TILE + TILE - 1].
 *
 * A block takes one tile after another. Each thread sums a strided share of the tile,
 * the block folds those partial sums down to one warp, and the first warp finishes.
 *
 * There is a bug in it, and it depends on the launch shape: see README.md.
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

		for (int half = blockDim.x / 2; half >= 32; half /= 2) {
			if (t < half)
				part[t] += part[t + half];
			__syncthreads();
		}

		/* 32 partial sums are left, and they belong to the first warp. */
		if (t / 32 == 0) {
			for (int half = 16; half > 0; half /= 2) {
				if (t < half)
					part[t] += part[t + half];
				__syncthreads();	/* not all come here */
			}
			if (t == 0)
				out[tile] = part[0];
		}

		__syncthreads();	/* the next tile reuses part[] */
	}
}
