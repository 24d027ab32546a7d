/*
 * out[k] = the sum of in[k * TILE .. k * TILE + TILE - 1], by warp shuffles.
 *
 * Each warp folds its own lanes, then the first warp folds one sum a warp. All of its
 * 32 lanes take part in that, even where the block has fewer than 32 warps.
 * TILE comes from the compiler's command line, the block size from the launch.
 */
static __device__ inline float
warp_sum(float sum)
{
	for (int lane = 16; lane > 0; lane /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, lane);
	return sum;
}

extern "C" __global__ void
reduce(const float *__restrict__ in, float *__restrict__ out, int n)
{
	extern __shared__ float part[];	/* one sum a warp */
	int t = threadIdx.x;
	int n_warps = blockDim.x / 32;

	for (int tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
		float sum = 0.0f;
#pragma unroll 4
		for (int i = t; i < TILE; i += blockDim.x)
			if (tile * TILE + i < n)
				sum += in[tile * TILE + i];
		sum = warp_sum(sum);
		if (t % 32 == 0)
			part[t / 32] = sum;
		__syncthreads();

		if (t < 32) {
			sum = warp_sum(t < n_warps ? part[t] : 0.0f);
			if (t == 0)
				out[tile] = sum;
		}
		__syncthreads();	/* the next tile reuses part[] */
	}
}
