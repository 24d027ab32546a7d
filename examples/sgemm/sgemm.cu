/*
 * C = A * B in single precision, row-major: A is m by k, B is k by n, C is m by n.
 *
 * A block computes a BM by BN tile of C. It walks along k in slices of BK: a BM by BK
 * slice of A and a BK by BN slice of B go to shared memory, A's transposed, so that
 * both are read along their rows. While the block multiplies one slice, the next one
 * is already on its way from global memory to registers, and with a second buffer it
 * needs only one barrier a slice. A thread computes TM by TN elements of C in groups of
 * 4 by 4, which lie apart so that neighbouring threads read neighbouring vectors of
 * shared memory; a warp's lanes stand in a rectangle that is WARP_N wide.
 *
 * Sizes need not be multiples of the tile: outside of A and B there are zeros. Rows
 * are read four elements at a time where k and n are multiples of 4.
 *
 * BM, BN, BK, TM, TN  the shape, see above; TM and TN are multiples of 4
 * PAD                 spare floats at the end of each row of the transposed A (0 or 4)
 * BUFFERS             slices that shared memory holds at a time (1 or 2)
 * WARP_N              threads of a warp along n (4, 8 or 16); the others along m
 * MIN_BLOCKS          blocks an SM ought to hold; the compiler fits the registers to it
 */
#define THREADS_N (BN / TN)
#define THREADS ((BM / TM) * THREADS_N)
#define STRIDE_A (BM + PAD)
#define LOADS_A (BM * BK / 4 / THREADS)
#define LOADS_B (BK * BN / 4 / THREADS)
#define WARP_M (32 / WARP_N)
#define WARPS_N (THREADS_N / WARP_N)

struct alignas(16) vec4 {
	float v[4];
};

/* Four elements of a row of `width` at `column`; zeros to the right of its end. */
static __device__ inline vec4
row_read(const float *row, int column, int width, bool row_exists)
{
	vec4 four = {{0.0f, 0.0f, 0.0f, 0.0f}};

	if (row_exists && width % 4 == 0) {
		if (column < width)
			four = *(const vec4 *)(row + column);
	} else if (row_exists) {
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (column + i < width)
				four.v[i] = row[column + i];
	}
	return four;
}

static __device__ inline void
row_write(float *row, int column, int width, vec4 four)
{
	if (width % 4 == 0) {
		if (column < width)
			*(vec4 *)(row + column) = four;
	} else {
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (column + i < width)
				row[column + i] = four.v[i];
	}
}

/* What one slice adds to the thread's elements of C. */
static __device__ inline void
slice_multiply(const float *my_a, const float *my_b, float sum[TM][TN])
{
#pragma unroll
	for (int d = 0; d < BK; d++) {
		vec4 a[TM / 4], b[TN / 4];
#pragma unroll
		for (int i = 0; i < TM / 4; i++)
			a[i] = *(const vec4 *)(my_a + d * STRIDE_A + i * (BM / TM) * 4);
#pragma unroll
		for (int j = 0; j < TN / 4; j++)
			b[j] = *(const vec4 *)(my_b + d * BN + j * THREADS_N * 4);
#pragma unroll
		for (int i = 0; i < TM; i++)
#pragma unroll
			for (int j = 0; j < TN; j++)
				sum[i][j] += a[i / 4].v[i % 4] * b[j / 4].v[j % 4];
	}
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
      int m, int n, int k)
{
	alignas(16) __shared__ float slice_a[BUFFERS][BK * STRIDE_A];
	alignas(16) __shared__ float slice_b[BUFFERS][BK * BN];
	int t = threadIdx.x;
	int warp = t / 32, lane = t % 32;
	int first_row = blockIdx.y * BM;
	int first_column = blockIdx.x * BN;
	/* of the first group of 4 by 4 */
	int my_row = (warp / WARPS_N * WARP_M + lane / WARP_N) * 4;
	int my_column = (warp % WARPS_N * WARP_N + lane % WARP_N) * 4;
	int now = 0;				/* the buffer that is multiplied */
	vec4 next_a[LOADS_A], next_b[LOADS_B];
	float sum[TM][TN] = {};

	/* The first slice is fetched before the loop, later ones inside it. */
	for (int depth = -BK; depth < k; depth += BK) {
		int ahead = depth + BK;

		if (ahead < k) {
#pragma unroll
			for (int i = 0; i < LOADS_A; i++) {
				int at = i * THREADS + t;
				int row = first_row + at / (BK / 4);
				int column = ahead + at % (BK / 4) * 4;
				const float *from = a + (long long)row * k;
				next_a[i] = row_read(from, column, k, row < m);
			}
#pragma unroll
			for (int i = 0; i < LOADS_B; i++) {
				int at = i * THREADS + t;
				int row = ahead + at / (BN / 4);
				int column = first_column + at % (BN / 4) * 4;
				const float *from = b + (long long)row * n;
				next_b[i] = row_read(from, column, n, row < k);
			}
		}

		if (depth >= 0) {
			slice_multiply(slice_a[now] + my_row, slice_b[now] + my_column,
				       sum);
			if (BUFFERS == 1)
				__syncthreads();	/* it may be overwritten */
		}

		if (ahead < k) {
			now = BUFFERS - 1 - now;
#pragma unroll
			for (int i = 0; i < LOADS_A; i++) {
				int at = i * THREADS + t;
				int row = at / (BK / 4);
				int column = at % (BK / 4) * 4;
				float *to = slice_a[now] + column * STRIDE_A + row;
#pragma unroll
				for (int e = 0; e < 4; e++)
					to[e * STRIDE_A] = next_a[i].v[e];
			}
#pragma unroll
			for (int i = 0; i < LOADS_B; i++)
				*(vec4 *)(slice_b[now] + (i * THREADS + t) * 4) = next_b[i];
			__syncthreads();	/* the slices are complete */
		}
	}

#pragma unroll
	for (int i = 0; i < TM; i++) {
		int row = first_row + my_row + i / 4 * (BM / TM) * 4 + i % 4;
#pragma unroll
		for (int j = 0; j < TN / 4; j++) {
			int column = first_column + my_column + j * THREADS_N * 4;
			const float *from = &sum[i][j * 4];
			vec4 four = {{from[0], from[1], from[2], from[3]}};
			if (row < m)
				row_write(c + (long long)row * n, column, n, four);
		}
	}
}
