/*
 * out[k] = the sum of in[k * TILE .. k * TILE + TILE - 1], read four elements at a time.
 *
 * What bounds a reduction is how many bytes are on their way, so a thread reads vectors,
 * several of them before it adds the first. Then each warp folds its own lanes, and the
 * first warp folds one sum a warp. A tile that n cuts short is read element by element.
 * TILE comes from the compiler's command line, the block size from the launch.
 */
struct alignas(16) vec4 {
	float x, y, z, w;
};

static __device__ inline float
warp_sum(float sum)
{
	for (int lane = 16; lane > 0; lane /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, lane);
	return sum;
}

static __device__ inline float
whole_tile_share(const float *__restrict__ tile)
{
	const vec4 *from = (const vec4 *)tile;
	float sum = 0.0f;

#pragma unroll 8
	for (int i = threadIdx.x; i < TILE / 4; i += blockDim.x) {
		vec4 v = from[i];
		sum += (v.x + v.y) + (v.z + v.w);
	}
	return sum;
}

static __device__ inline float
cut_tile_share(const float *__restrict__ tile, int length)
{
	float sum = 0.0f;

	for (int i = threadIdx.x; i < length; i += blockDim.x)
		sum += tile[i];
	return sum;
}

extern "C" __global__ void
reduce(const float *__restrict__ in, float *__restrict__ out, int n)
{
	extern __shared__ float part[];	/* one sum a warp */
	int t = threadIdx.x;
	int n_warps = blockDim.x / 32;
	int first = blockIdx.x * TILE;
	float sum = first + TILE <= n ? whole_tile_share(in + first)
				      : cut_tile_share(in + first, n - first);

	sum = warp_sum(sum);
	if (t % 32 == 0)
		part[t / 32] = sum;
	__syncthreads();

	if (t < 32) {
		sum = warp_sum(t < n_warps ? part[t] : 0.0f);
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}
