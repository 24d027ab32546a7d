/*
 * An inclusive scan of every TILE = BLOCK * ITEMS consecutive elements, and the sum of
 * each such tile: the first of the three kernels of a scan over a whole array.
 *
 *   out[k * TILE + i] = in[k * TILE] + ... + in[k * TILE + i]        (modulo 2^32)
 *   sums[k]           = in[k * TILE] + ... + in[k * TILE + TILE - 1]
 *
 * Each thread scans ITEMS neighbours, the block scans one total a thread, and each
 * thread adds what stands before it. SHUFFLE chooses how the block scans its totals:
 * 0 by doubling steps in shared memory (Hillis and Steele), 1 by warp shuffles.
 *
 * SHUFFLE = 1 has a bug that depends on BLOCK: see README.md.
 */
#define WARPS (BLOCK / 32)
#define FULL 0xffffffffu

#if SHUFFLE
/* The scan of `value` over the lanes of the warp that are below `width`. */
static __device__ inline unsigned
warp_scan(unsigned value, int width)
{
	int lane = threadIdx.x % 32;

	for (int step = 1; step < width; step *= 2) {
		unsigned below = __shfl_up_sync(FULL, value, step);
		if (lane >= step)
			value += below;
	}
	return value;
}
#endif

/* The inclusive scan of `value` over the threads of the block. */
static __device__ inline unsigned
block_scan(unsigned value)
{
	int t = threadIdx.x;

#if SHUFFLE
	__shared__ unsigned warp_sums[32];

	value = warp_scan(value, 32);
	if (t % 32 == 31)
		warp_sums[t / 32] = value;
	__syncthreads();

	/* One lane for each warp: a full warp of them when the block has 1024 threads. */
	if (t < WARPS)
		warp_sums[t] = warp_scan(warp_sums[t], WARPS);
	__syncthreads();

	if (t >= 32)
		value += warp_sums[t / 32 - 1];
#else
	__shared__ unsigned totals[BLOCK];

	totals[t] = value;
	__syncthreads();
	for (int step = 1; step < BLOCK; step *= 2) {
		unsigned below = t >= step ? totals[t - step] : 0;
		__syncthreads();
		value += below;
		totals[t] = value;
		__syncthreads();
	}
#endif
	return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
scan(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ sums, int n)
{
	int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
	unsigned item[ITEMS];
	unsigned total = 0;

#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		total += first + i < n ? (unsigned)in[first + i] : 0;
		item[i] = total;
	}

	unsigned upto = block_scan(total);
	unsigned before = upto - total;

#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (first + i < n)
			out[first + i] = (int)(before + item[i]);
	if (threadIdx.x == BLOCK - 1)
		sums[blockIdx.x] = (int)upto;
}
